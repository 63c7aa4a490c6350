"""What people at the station want of the book besides rolls: changes, undoing, looking back."""

import logging
from collections.abc import Callable
from typing import TypeAlias, assert_never

from rules.engine import play
from rules.errors import RulesError
from station.announce import Announcer
from station.book import Book
from station.effects import AskFacts, Change, CountFaces, LookBack, Reveal, Undo
from station.events import Changed, Counted, Found, Refused, Told
from station.ledger.errors import LedgerError
from station.ledger.reader import Record
from station.settings import Settings, settings_from_plain
from station.state import Apply, Roll, Void
from station.told import told_act

SETTINGS = "settings"
"""The name of the document that keeps what is set at the station."""

ROLLS_A_PAGE = 12
"""Rolls that are looked up at once."""

Wish: TypeAlias = Reveal | Apply | Void | Change | Undo | LookBack | CountFaces | AskFacts
"""The effects that the clerk carries out."""

Answer: TypeAlias = Changed | Refused | Found | Counted | Told
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
                return None
            case Change(act=act):
                self._announcer.changed(book.change(act), book.table)
                return Changed(book.table, told_act(act))
            case Apply(seq=seq):
                self._announcer.changed(book.apply(seq), book.table)
                return Changed(book.table, "The roll's consequences are applied.")
            case Void(seq=seq, reason=reason):
                self._announcer.changed(book.void(seq, reason), book.table)
                return Changed(book.table, f"Roll #{seq} does not count: {reason.lower()}.")
            case Undo():
                self._announcer.changed(book.undo(), book.table)
                return Changed(book.table, "The last change is undone.")
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
            void=record.void is not None,
        )

    def keep_settings(self, settings: Settings) -> None:
        """Keep what is set at the station across a power cut."""
        self._book.ledger.put(SETTINGS, settings.plain())

    def settings(self) -> Settings:
        """Return what was set at the station."""
        return settings_from_plain(self._book.ledger.document(SETTINGS))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
