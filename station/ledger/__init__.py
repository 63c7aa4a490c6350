"""The ledger: every roll the station ever showed, on the disk before anyone saw it.

`open_ledger` opens it whatever state it is in. `append` writes an entry made by `rolled`,
`drawn`, `decided`, `voided`, `revealed` or `changed`, and returns once it is safe.
"""

from station.ledger.absent import NoLedger
from station.ledger.errors import (
    Cause,
    Fault,
    InUseError,
    KeyReusedError,
    LedgerError,
    NotPossibleError,
    UnavailableError,
)
from station.ledger.fairness import Fairness
from station.ledger.faults import AnyLedger, Opened, open_ledger, reopen_damaged
from station.ledger.reader import TABLE, Head, Page, Pending, Reader, Record
from station.ledger.rows import (
    Entry,
    Kind,
    Moment,
    Row,
    changed,
    decided,
    drawn,
    revealed,
    rolled,
    voided,
)
from station.ledger.store import Condition, Key, Ledger, Receipt, Standing

__all__ = [
    "TABLE",
    "AnyLedger",
    "Cause",
    "Condition",
    "Entry",
    "Fairness",
    "Fault",
    "Head",
    "InUseError",
    "Key",
    "KeyReusedError",
    "Kind",
    "Ledger",
    "LedgerError",
    "Moment",
    "NoLedger",
    "NotPossibleError",
    "Opened",
    "Page",
    "Pending",
    "Reader",
    "Receipt",
    "Record",
    "Row",
    "Standing",
    "UnavailableError",
    "changed",
    "decided",
    "drawn",
    "open_ledger",
    "reopen_damaged",
    "revealed",
    "rolled",
    "voided",
]
