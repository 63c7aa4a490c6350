"""What stands in for the ledger where none can be written to: the station rolls all the same."""

from collections.abc import Mapping
from typing import Any

from station.ledger.errors import Fault, UnavailableError
from station.ledger.fairness import Fairness, assess
from station.ledger.reader import MOST_ROLLS, Head, Page, Pending, Reader, Record
from station.ledger.rows import FIRST_PREV, Entry, Moment, Row
from station.ledger.store import Condition, Key, Receipt, Standing
from station.ledger.tally import EVERYTHING, Tally


class NoLedger:
    """A ledger that records nothing, says so, and refuses whatever must happen only once.

    What an earlier run recorded can still be read where the file itself is readable.
    """

    def __init__(self, fault: Fault, reader: Reader | None = None) -> None:
        self.fault = fault
        self._reader = reader

    @property
    def condition(self) -> Condition:
        """The ledger's standing for `health`: lost, and why."""
        return Condition(Standing.LOST, self.fault.message)

    def append(
        self,
        entry: Entry,  # noqa: ARG002 - one shape with `Ledger`
        moment: Moment,  # noqa: ARG002 - one shape with `Ledger`
        *,
        key: Key | None = None,
        table: Mapping[str, Any] | None = None,  # noqa: ARG002 - one shape with `Ledger`
    ) -> Receipt:
        """Return that the entry is not recorded; raise UnavailableError where it has a key."""
        if key is not None:
            raise UnavailableError(self.fault)
        return Receipt(None, fault=self.fault)

    def find(self, key: Key) -> Row | None:  # noqa: ARG002 - one shape with `Ledger`
        """Raise UnavailableError: what has a key must not happen twice, and nobody would know."""
        raise UnavailableError(self.fault)

    def put(self, name: str, data: object) -> bool:  # noqa: ARG002 - one shape with `Ledger`
        """Return False: nothing is kept."""
        return False

    def document(self, name: str) -> Any:
        """Return the data that an earlier run kept under a name, or None."""
        return None if self._reader is None else self._reader.document(name)

    def head(self) -> Head:
        """Return the end of the chain that can be read."""
        return Head(0, FIRST_PREV) if self._reader is None else self._reader.head()

    def row(self, seq: int) -> Row | None:
        """Return the row of that number, or None."""
        return None if self._reader is None else self._reader.row(seq)

    def record(self, seq: int) -> Record | None:
        """Return a roll and what became of it, or None."""
        return None if self._reader is None else self._reader.record(seq)

    def history(
        self, before: int | None = None, after: int | None = None, limit: int = MOST_ROLLS
    ) -> Page:
        """Return rolls of earlier runs, as `Reader.history` does."""
        if self._reader is None:
            return Page((), more=False)
        return self._reader.history(before, after, limit)

    def pending(self) -> tuple[Pending, ...]:
        """Return nothing: a roll that was cut off waits for a ledger that can record its end."""
        return ()

    def fairness(self, source: str = EVERYTHING) -> Fairness | None:
        """Return the finding on the dice of earlier runs, as `Reader.fairness` does."""
        if self._reader is None:
            return assess(source, Tally()) if source == EVERYTHING else None
        return self._reader.fairness(source)

    def fairness_all(self) -> tuple[Fairness, ...]:
        """Return the finding on each source of earlier runs."""
        if self._reader is None:
            return (assess(EVERYTHING, Tally()),)
        return self._reader.fairness_all()

    def close(self) -> None:
        """Let go of the file."""
        if self._reader is not None:
            self._reader.close()
