"""What people at the station want of the book besides rolls: changes, undoing, looking back."""

import logging
from collections.abc import Callable
from itertools import islice
from typing import TypeAlias, assert_never

from rules.engine import play
from rules.errors import RulesError
from station.announce import Announcer
from station.book import Book
from station.covering import changed
from station.effects import (
    AskFacts,
    Change,
    CountFaces,
    ListChanges,
    LookBack,
    Reveal,
    Undo,
)
from station.events import Changed, Counted, Found, Listed, Refused, Told
from station.ledger.absent import NoLedger
from station.ledger.errors import LedgerError, UnavailableError
from station.ledger.reader import Record
from station.ledger.rows import Kind
from station.rolls import Roll
from station.settings import Settings, settings_from_plain
from station.state import Apply, Standing, Void
from station.told import names_of_change, told_act, told_change
from station.trail import SETTINGS as SETTINGS_ACT
from station.trail import is_act, standing_changes

SETTINGS = "settings"
"""The name of the document that keeps what is set at the station."""

ROLLS_A_PAGE = 12
"""Rolls that are looked up at once."""

CHANGES_LISTED = 30
"""Changes that are offered to be undone."""

Wish: TypeAlias = (
    Reveal | Apply | Void | Change | Undo | ListChanges | LookBack | CountFaces | AskFacts
)
"""The effects that the clerk carries out."""

Answer: TypeAlias = Changed | Refused | Found | Listed | Counted | Told
"""What the clerk answers."""

_log = logging.getLogger(__name__)


class Clerk:
    """Carries out what the machine wants of the book, and never raises.

    Args:
        book: the ledger and the table's state.
        announcer: tells whoever subscribed.
        facts: what the station says of itself, a line each.
    """

    def __init__(
        self, book: Book, announcer: Announcer, facts: Callable[[], tuple[str, ...]]
    ) -> None:
        self._book = book
        self._announcer = announcer
        self._facts = facts

    def carry_out(self, wish: Wish) -> Answer | None:
        """Do what is wanted and return what came of it; None where nobody waits for it."""
        try:
            return self._done(wish)
        except (LedgerError, RulesError) as error:
            return Refused(_sentence(str(error)))

    def _done(self, wish: Wish) -> Answer | None:
        book = self._book
        match wish:
            case Reveal(seq=seq):
                self._reveal(seq)
                return changed(book)
            case Change(act=act):
                self._announcer.changed(book.change(act), book.table)
                return changed(book, _sentence(told_act(act)))
            case Apply(seq=seq):
                row = book.apply(seq)
                self._announcer.changed(row, book.table)
                return changed(book, f"What roll #{seq} does to the table is applied.")
            case Void(seq=seq, reason=reason):
                self._announcer.changed(book.void(seq, reason), book.table)
                told = f"Roll #{seq} does not count: {reason.lower()}."
                return changed(book, told, (seq, reason))
            case Undo(seq=seq):
                row = book.undo(seq)
                self._announcer.changed(row, book.table)
                return changed(book, f"Undone: {self._told(row.of)}.")
            case ListChanges():
                return Listed(self._standing())
            case LookBack(before=before):
                page = book.ledger.history(before=before, limit=ROLLS_A_PAGE)
                rolls = (self._past(record) for record in page.records)
                return Found(tuple(roll for roll in rolls if roll is not None), page.more)
            case CountFaces():
                counted = tuple(each for each in book.ledger.fairness_all() if each.dice)
                return Counted(counted)
            case AskFacts():
                return Told(self._facts())
            case _:
                assert_never(wish)

    def _standing(self) -> tuple[Standing, ...]:
        """Return the changes that can be undone, the newest first."""
        ledger = self._book.ledger
        if isinstance(ledger, NoLedger):
            raise UnavailableError(ledger.fault)
        made = (
            row
            for row in standing_changes(ledger)
            if row.kind == Kind.CHANGE and not is_act(row, SETTINGS_ACT)
        )
        listed = islice(made, CHANGES_LISTED)
        return tuple(Standing(row.seq, told_change(row), names_of_change(row)) for row in listed)

    def _told(self, seq: int | None) -> str:
        """Return what a row changed, in words."""
        row = None if seq is None else self._book.ledger.row(seq)
        return "the change" if row is None else told_change(row)

    def _reveal(self, seq: int) -> None:
        row = self._book.reveal(seq)
        record = self._book.ledger.record(seq)
        if record is not None:
            self._announcer.revealed(record.roll)
        _log.info("roll %d was revealed by row %d", seq, row.seq)

    def _past(self, record: Record) -> Roll | None:
        """Return a recorded roll as the panel shows it; None where its system is not known."""
        try:
            request = self._book.registry.request(record.roll.document("request"))
            system = self._book.registry.of(request)
            answers = play(system, request, record.roll.pips, record.choices).answers
        except RulesError:
            return None
        return Roll(
            request,
            answers,
            seq=record.roll.seq,
            source=record.roll.source or "",
            foretold=bool(record.roll.document("detail").get("test")),
            hidden=record.hidden,
            void="" if record.void is None else record.void.document("detail")["reason"],
        )

    def newest(self) -> Roll | None:
        """Return the last recorded roll as the panel shows it; None where there is none."""
        found = self._book.ledger.history(before=None, limit=1).records
        return self._past(found[0]) if found else None

    def keep_settings(self, settings: Settings) -> None:
        """Keep what is set at the station across a power cut."""
        self._book.ledger.put(SETTINGS, settings.plain())

    def settings(self) -> Settings:
        """Return what was set at the station."""
        return settings_from_plain(self._book.ledger.document(SETTINGS))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
