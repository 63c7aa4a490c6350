"""Rolls from the station's own controls, into the book; the dial likewise."""

import logging

from rules.engine import chosen_of
from rules.errors import RulesError
from rules.registry import request_plain
from rules.table import Table
from station.announce import Announcer
from station.book import Book, Cast
from station.covering import changed
from station.dialling import Dial
from station.events import Changed
from station.ledger.errors import NotPossibleError, UnavailableError
from station.remembered import DIAL
from station.rolls import Roll, Stage

_log = logging.getLogger(__name__)


class Recorder:
    """Writes what the machine wants recorded.

    Args:
        book: where to write.
        announcer: tells whoever subscribed.
    """

    def __init__(self, book: Book, announcer: Announcer) -> None:
        self._book = book
        self._announcer = announcer

    @property
    def table(self) -> Table:
        """The table's state, with what the rolls so far did to it at once."""
        return self._book.table

    def changed(self) -> Changed:
        """Return what the panel is told of the table's state."""
        return changed(self._book)

    def record(self, roll: Roll, stage: Stage) -> int | None:
        """Commit a roll and return its row's number once it is on the disk; None if it is not."""
        try:
            match stage:
                case Stage.DRAWN:
                    row = self._book.draw(self._cast(roll)).row
                    return None if row is None else row.seq
                case Stage.ROLL:
                    return self._rolled(roll)
                case Stage.DECISION:
                    return self._decided(roll)
        except (NotPossibleError, UnavailableError, RulesError) as error:
            # Another program may have decided or voided the roll meanwhile.
            _log.warning("a %s at the table is not recorded: %s", stage, error)
            return None

    def _cast(self, roll: Roll) -> Cast:
        chosen = chosen_of(roll.answers)
        system = self._book.registry.of(roll.request)
        return Cast(
            request=roll.request,
            faces=roll.faces,
            source=roll.source or None,
            choices=system.choices(chosen) if chosen else None,
            first=roll.first,
            test=roll.foretold,
            hidden=roll.hidden,
        )

    def _rolled(self, roll: Roll) -> int | None:
        written = self._book.roll(self._cast(roll))
        self._announcer.rolled(written)
        row = written.receipt.row
        if row is None:
            return None
        if row.state is not None:
            self._announcer.changed(row, self._book.table)
        return row.seq

    def _decided(self, roll: Roll) -> int | None:
        if roll.seq is None:
            return None
        choices = self._book.registry.of(roll.request).choices(chosen_of(roll.answers))
        row = self._book.decide(roll.seq, choices)
        self._announcer.changed(row, self._book.table)
        return row.seq

    def keep_dial(self, dial: Dial) -> None:
        """Keep what is dialled across a power cut."""
        requests = [request_plain(request) for request in dial.requests]
        self._book.ledger.put(DIAL, {"requests": requests, "active": dial.request.system})
