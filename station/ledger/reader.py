"""Reading the ledger: rows, rolls with what became of them, pages of history, documents."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from rules.frozen import frozen
from station.ledger import schema, tally
from station.ledger.errors import NotPossibleError, boundary, require_file
from station.ledger.fairness import Fairness, assess, assess_all
from station.ledger.rows import COLUMNS, FIRST_PREV, Kind, Row
from station.ledger.tally import EVERYTHING

MOST_ROLLS = 100
"""Rolls on the longest page of history."""

TABLE = "table"
"""The name of the document that holds the table's state."""

SELECT = f"SELECT {', '.join(COLUMNS)} FROM entry"  # noqa: S608 - our own names, no input
"""The beginning of every query that returns rows."""


@frozen
class Head:
    """The end of the chain: the last row's number and hash; number 0 when there is none."""

    seq: int
    hash: bytes

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash.hex()}"


@frozen
class Pending:
    """A roll that was cut off or waits for more: its first `drawn` row and its latest."""

    first: Row
    latest: Row


@frozen
class Record:
    """A roll and all that became of it.

    Attributes:
        roll: the row with its faces and first outcome.
        decisions: later choices, the standing one last.
        void: the row that took it out of the count, or None.
        reveal: the row that uncovered it, or None.
    """

    roll: Row
    decisions: tuple[Row, ...] = ()
    void: Row | None = None
    reveal: Row | None = None

    @property
    def outcome(self) -> dict[str, Any]:
        """The outcome that stands: with the last decision, else as it fell."""
        standing = self.decisions[-1] if self.decisions else self.roll
        outcome: dict[str, Any] = standing.document("outcome")
        return outcome

    @property
    def choices(self) -> dict[str, Any] | None:
        """The choices that stand, or None."""
        standing = self.decisions[-1] if self.decisions else self.roll
        choices: dict[str, Any] | None = standing.document("choices")
        return choices

    @property
    def hidden(self) -> bool:
        """Whether faces and verdict are still to be covered."""
        return bool(self.roll.document("detail").get("hidden")) and self.reveal is None

    @property
    def foretold(self) -> bool:
        """Whether its faces could be foretold: a test, as dice from a seed are."""
        return bool(self.roll.document("detail").get("test"))

    def plain(self) -> dict[str, Any]:
        """Return the record as JSON-able data, as `history` gives it."""
        detail = self.roll.document("detail")
        told = {
            "seq": self.roll.seq,
            "time": self.roll.time,
            "request": self.roll.document("request"),
            "faces": list(self.roll.pips),
            "choices": self.choices,
            "outcome": self.outcome,
            "source": self.roll.source,
            "hash": self.roll.hash.hex(),
            "note": detail.get("note"),
            "hidden": self.hidden,
            "decisions": [row.seq for row in self.decisions],
            "void": None if self.void is None else self.void.document("detail")["reason"],
        }
        return told | {"test": True} if self.foretold else told

    def covered(self) -> dict[str, Any]:
        """Return the record as `plain` does, without what a hidden roll must not show yet."""
        told = self.plain()
        if self.hidden:
            told |= {"faces": None, "choices": None, "outcome": None}
        return told


@frozen
class Page:
    """Some rolls of the history, and whether there are more beyond them."""

    records: tuple[Record, ...]
    more: bool


class Reader:
    """A ledger to read from."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a ledger to read from, also while a station writes to it.

        Raises:
            UnavailableError: it is not there, not readable, or not of this program's layout.
        """
        with boundary():
            path.stat()
            db = read_only(path)
            reader = cls(db)
            try:
                schema.check(db)
            except BaseException:
                reader.close()
                raise
        return reader

    def close(self) -> None:
        """Let go of the file."""
        with suppress(sqlite3.Error):
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def head(self) -> Head:
        """Return the end of the chain."""
        with boundary():
            return head(self._db)

    def row(self, seq: int) -> Row | None:
        """Return the row of that number, or None."""
        with boundary():
            return row(self._db, seq)

    def rows(self, after: int = 0) -> Iterator[Row]:
        """Yield all rows beyond a number, oldest first."""
        with boundary():
            yield from _rows(self._db.execute(f"{SELECT} WHERE seq > ? ORDER BY seq", (after,)))

    def record(self, seq: int) -> Record | None:
        """Return a roll and what became of it, or None where that row is no roll."""
        found = self.row(seq)
        if found is None or found.kind != Kind.ROLL:
            return None
        with boundary():
            return self._records([found])[0]

    def history(
        self, before: int | None = None, after: int | None = None, limit: int = MOST_ROLLS
    ) -> Page:
        """Return rolls, newest first, or from `after` onwards oldest first.

        Args:
            before: only rolls with a smaller number.
            after: only rolls with a greater number.
            limit: at most so many rolls, 1–100.

        Raises:
            NotPossibleError: both ends are given, or the limit is out of range.
        """
        if before is not None and after is not None:
            raise NotPossibleError("history takes before or after, not both")
        if not 1 <= limit <= MOST_ROLLS:
            raise NotPossibleError(f"limit is {limit}; allowed: 1–{MOST_ROLLS}")
        where, order = ("seq > ?", "ASC") if after is not None else ("seq < ?", "DESC")
        edge = after if after is not None else before if before is not None else 2**62
        query = f"{SELECT} WHERE kind = 'roll' AND {where} ORDER BY seq {order} LIMIT ?"
        with boundary():
            found = list(_rows(self._db.execute(query, (edge, limit + 1))))
            return Page(self._records(found[:limit]), len(found) > limit)

    def pending(self) -> tuple[Pending, ...]:
        """Return the rolls that wait for more faces or their verdict, oldest first."""
        with boundary():
            found = self._db.execute("SELECT first, latest FROM pending ORDER BY first").fetchall()
            pairs = [(row(self._db, first), row(self._db, latest)) for first, latest in found]
            return tuple(Pending(first, latest) for first, latest in pairs if first and latest)

    def document(self, name: str) -> Any:
        """Return the data kept under a name, or None."""
        with boundary():
            return self._document(name)

    def _document(self, name: str) -> Any:
        found = self._db.execute("SELECT body FROM document WHERE name = ?", (name,)).fetchone()
        return None if found is None else json.loads(found[0])

    def fairness(self, source: str = EVERYTHING) -> Fairness | None:
        """Return the finding on the dice of a source (of all that the station drew), or None."""
        with boundary():
            found = tally.read(self._db).get(source)
        if found is None:
            return assess(source, tally.Tally()) if source == EVERYTHING else None
        return assess(source, found)

    def fairness_all(self) -> tuple[Fairness, ...]:
        """Return the finding on everything the station drew, then on each source by name."""
        with boundary():
            return assess_all(tally.read(self._db))

    def _records(self, rolls: list[Row]) -> tuple[Record, ...]:
        marks = ", ".join("?" * len(rolls))
        query = f"{SELECT} WHERE of IN ({marks}) ORDER BY seq"
        later: dict[int, list[Row]] = {roll.seq: [] for roll in rolls}
        for found in _rows(self._db.execute(query, list(later))):
            if found.of is not None:
                later[found.of].append(found)
        return tuple(_record(roll, later[roll.seq]) for roll in rolls)


def _record(roll: Row, later: Iterable[Row]) -> Record:
    decisions: list[Row] = []
    last: dict[str, Row] = {}
    for found in later:
        last[found.kind] = found
        if found.kind == Kind.DECISION:
            decisions.append(found)
    return Record(roll, tuple(decisions), last.get(Kind.VOID), last.get(Kind.REVEAL))


def _rows(cursor: Iterable[tuple[Any, ...]]) -> Iterator[Row]:
    return (Row(*values) for values in cursor)


def row(db: sqlite3.Connection, seq: int) -> Row | None:
    """Return the row of that number, or None."""
    found = db.execute(f"{SELECT} WHERE seq = ?", (seq,)).fetchone()
    return None if found is None else Row(*found)


def head(db: sqlite3.Connection) -> Head:
    """Return the end of the chain."""
    found = db.execute("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
    return Head(0, FIRST_PREV) if found is None else Head(*found)


def read_only(path: Path) -> sqlite3.Connection:
    """Connect to a database without the means to change it.

    Where not even the index of its write-ahead log can be made beside it (a read-only disk),
    and there is no such log, the file is read as one that nobody changes.

    Raises:
        UnavailableError: what lies there is no file.
        OSError, sqlite3.Error: it can't be opened.
    """
    require_file(path)
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    db = sqlite3.connect(address, uri=True, isolation_level=None, timeout=1)
    try:
        db.execute("SELECT count(*) FROM sqlite_schema")
    except sqlite3.Error as error:
        db.close()
        log = path.with_name(path.name + "-wal")
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CANTOPEN or _size(log):
            raise
        db = sqlite3.connect(address + "&immutable=1", uri=True, isolation_level=None)
    return db


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
