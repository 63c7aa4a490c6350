"""What the run before left in the ledger: the table, the dial, and rolls that were cut off."""

import logging
from collections.abc import Iterator

from rules.engine import handfuls
from rules.errors import RulesError
from rules.frozen import frozen
from rules.model import AskDice
from rules.registry import Registry
from rules.table import EMPTY, Table, table_from_plain
from station.dialling import Dial, at_first_stop, first_dial, with_request
from station.ledger.errors import UnavailableError
from station.ledger.faults import AnyLedger
from station.ledger.reader import TABLE
from station.ledger.rows import Row
from station.rolls import BY_HAND, Roll

DIAL = "dial"
"""The name of the document that keeps what is dialled."""


_log = logging.getLogger(__name__)


@frozen
class Remembered:
    """What a station goes on with.

    Attributes:
        table: the table's state.
        dial: the dial as it was left, or a fresh one.
        unfinished: the rolls that were cut off, with the faces that had been drawn for them.
    """

    table: Table
    dial: Dial
    unfinished: tuple[Roll, ...]


def remembered(ledger: AnyLedger, registry: Registry, *, roll_button: bool) -> Remembered:
    """Return what a ledger remembers; what can't be read any more is left out."""
    dial = _dial(ledger, first_dial(registry, roll_button=roll_button), registry)
    return Remembered(table_left(ledger), dial, tuple(_unfinished(ledger, registry)))


def table_left(ledger: AnyLedger) -> Table:
    """Return the table's state as an earlier run left it; an empty one where it can't be told."""
    try:
        data = ledger.document(TABLE)
        return EMPTY if data is None else table_from_plain(data)
    except (RulesError, UnavailableError, ValueError) as error:
        _log.warning("the table's state can't be read and begins anew: %s", error)
        return EMPTY


def _dial(ledger: AnyLedger, dial: Dial, registry: Registry) -> Dial:
    kept = ledger.document(DIAL)
    if not isinstance(kept, dict):
        return dial
    active, requests = kept.get("active"), kept.get("requests")
    listed = requests if isinstance(requests, list) else []
    known = [each for each in listed if isinstance(each, dict)]
    # The one that showed comes last, so that it shows again.
    for data in sorted(known, key=lambda each: each.get("system") == active):
        try:
            dial = with_request(dial, registry.request(data))
        except RulesError:
            continue
    return at_first_stop(dial)


def _unfinished(ledger: AnyLedger, registry: Registry) -> Iterator[Roll]:
    for pending in ledger.pending():
        roll = _resumed(registry, pending.first.seq, pending.latest)
        if roll is not None:
            yield roll


def _resumed(registry: Registry, first: int, latest: Row) -> Roll | None:
    try:
        request = registry.request(latest.document("request"))
        system = registry.of(request)
        answers = handfuls(system, request, latest.pips)
    except RulesError:
        return None
    if not isinstance(system.advance(request, answers), AskDice):
        return None
    detail = latest.document("detail")
    return Roll(
        request,
        answers,
        first,
        source=latest.source or "",
        foretold=bool(detail.get("test")),
        hidden=bool(detail.get("hidden")),
        by_hand=latest.source == BY_HAND,
    )
