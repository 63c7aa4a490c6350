"""Writing the ledger: one row, and all that goes with it, in one transaction on the disk."""

import json
import sqlite3
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from rules.frozen import frozen
from station.durable import hand_over
from station.ledger import schema, tally
from station.ledger.errors import (
    Fault,
    KeyReusedError,
    NotPossibleError,
    UnavailableError,
    boundary,
    fault_of,
    refined,
)
from station.ledger.patch import difference
from station.ledger.reader import TABLE, Reader, head, row
from station.ledger.rows import (
    COLUMNS,
    PATCH,
    Entry,
    Kind,
    Moment,
    Row,
    canonical,
    link,
    sha256_hex,
)

LOCK_TIMEOUT = 1.0
"""Seconds that a write waits for another program's lock before it is refused."""

_INSERT = f"INSERT INTO entry({', '.join(COLUMNS)}) VALUES({', '.join('?' * len(COLUMNS))})"


_LAST_TIMES = "SELECT time FROM entry ORDER BY seq DESC LIMIT 100"
"""Where a start looks for the latest time: in a fixed number of rows, so that starts stay fast."""


@frozen
class Key:
    """What makes a request happen once.

    Attributes:
        text: the key as it was sent; an integer in decimal.
        asked: SHA-256 (hex) of the method and its params.
        scope: the session that a short key belongs to; empty for a long key.
    """

    text: str
    asked: str
    scope: str = ""

    @classmethod
    def of(cls, key: str | int, session: str, method: str, params: Mapping[str, Any]) -> "Key":
        """Return the key of a request: a string is global, an integer belongs to the session."""
        asked = sha256_hex(canonical([method, params]))
        return cls(str(key), asked, session if isinstance(key, int) else "")

    @property
    def sent(self) -> str | int:
        """The key as it was sent; only a short one, an integer, belongs to a session."""
        return int(self.text) if self.scope else self.text

    @property
    def detail(self) -> dict[str, str]:
        """What the row says of it, so that keys can be found again from the rows alone."""
        return {"key": self.text, "asked": self.asked, "scope": self.scope}


@frozen
class Receipt:
    """What became of an entry.

    Attributes:
        row: the row on the disk; None when it is not recorded.
        keyed: whether a key protects it from being done twice.
        replayed: whether the key was known, and the row is the first request's.
        fault: why it is not recorded.
    """

    row: Row | None
    keyed: bool = False
    replayed: bool = False
    fault: Fault | None = None

    @property
    def recorded(self) -> bool:
        """Whether it is on the disk."""
        return self.row is not None


class Standing(StrEnum):
    """How well the ledger does its work, as `health` says it."""

    OK = "ok"
    DEGRADED = "degraded"
    LOST = "lost"


@frozen
class Condition:
    """The ledger's standing, and why in one sentence (empty while all is well)."""

    standing: Standing
    reason: str = ""


class Ledger(Reader):
    """The ledger, for the one process that writes to it.

    `append` returns when the row is on the disk. All methods belong to one thread.
    """

    def __init__(self, db: sqlite3.Connection, folder: Path) -> None:
        super().__init__(db)
        self._folder = folder
        self.fault: Fault | None = None
        """Why the last write failed; None once one succeeds again."""
        self.notices: tuple[str, ...] = ()
        """What happened to the ledger when it was opened, each in one sentence for the screen."""
        self.shortcoming = ""
        """What is wrong with the disk it lies on, in one sentence; empty while nothing is."""
        self._boot = 0
        self._latest = ""
        self._clock_back = False

    @classmethod
    def begin(cls, path: Path, moment: Moment, version: str) -> Self:
        """Open the ledger, made or brought to this layout if need be, and write its start row.

        Args:
            path: the database; its folder exists.
            moment: now.
            version: the station's, for the start row.

        Raises:
            UnavailableError: it can't be opened or written to.
        """
        with boundary():
            ledger = cls(connect(path), path.parent)
            try:
                schema.migrate(ledger._db)
                ledger._start(moment, version)
            except BaseException:
                ledger.close()
                raise
        return ledger

    def _start(self, moment: Moment, version: str) -> None:
        last = row(self._db, head(self._db).seq)
        self._boot = 1 if last is None else last.boot + 1
        entry = Entry(kind=Kind.START, detail=(("version", version),))
        for (time,) in self._db.execute(_LAST_TIMES).fetchall():
            self._watch_clock(time)
        with _transaction(self._db):
            self._insert(entry, moment, None, None)
        self._watch_clock(moment.time)

    @property
    def condition(self) -> Condition:
        """The ledger's standing for `health`."""
        if self.fault is not None:
            return Condition(Standing.LOST, self.fault.message)
        reasons = [*self.notices[-1:], self.shortcoming]
        if self._clock_back and not self.notices:
            since = f"the clock was set back behind {self._latest}"
            reasons.append(f"{since}; rolls keep their order by number")
        reason = "; ".join(filter(None, reasons))
        return Condition(Standing.DEGRADED if reason else Standing.OK, reason)

    def append(
        self,
        entry: Entry,
        moment: Moment,
        *,
        key: Key | None = None,
        table: Mapping[str, Any] | None = None,
    ) -> Receipt:
        """Write an entry, and what goes with it, and return once it is on the disk.

        Args:
            entry: what happened.
            moment: now.
            key: the request's key; one that is known writes nothing and returns the first row.
                The key of a `drawn` row holds for the roll that it becomes: none is given again.
            table: the table's state from now on, where the entry changed it.

        Returns:
            The row; or, without a key, that it could not be recorded and why.

        Raises:
            KeyReusedError: the key is known with other params.
            NotPossibleError: the entry points at a row that is not there or takes it no more.
            UnavailableError: it could not be written, and has a key.
        """
        try:
            with _transaction(self._db):
                known = None if key is None else self._known(key)
                if known is not None:
                    return Receipt(known, keyed=True, replayed=True)
                self._check(entry)
                written = self._insert(entry, moment, key, table)
        except (sqlite3.Error, OSError, UnicodeError) as error:
            self.fault = refined(fault_of(error), self._folder)
            if key is not None:
                raise UnavailableError(self.fault) from error
            return Receipt(None, fault=self.fault)
        self.fault = None
        self._watch_clock(written.time)
        return Receipt(written, keyed=key is not None)

    def find(self, key: Key) -> Row | None:
        """Return the row that a key made, or None; a `drawn` row is to be carried on with.

        Raises:
            KeyReusedError: the key is known with other params.
            UnavailableError: the ledger can't be read.
        """
        with boundary():
            return self._known(key)

    def put(self, name: str, data: object) -> bool:
        """Keep data under a name, outside the chain; return whether it is on the disk."""
        try:
            with _transaction(self._db):
                self._put(name, canonical(data))
        except (sqlite3.Error, OSError) as error:
            self.fault = refined(fault_of(error), self._folder)
            return False
        self.fault = None
        return True

    def empty_log(self) -> None:
        """Move all that is in the write-ahead log into the file itself, wherever that lies.

        Raises:
            sqlite3.Error: it can't be written, or a reader keeps the log.
        """
        (busy, *_) = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise sqlite3.OperationalError("another program reads the ledger")

    def copy_to(self, db: sqlite3.Connection) -> None:
        """Fill another database with all that is in this one, whatever has become of its file.

        Raises:
            sqlite3.Error: it can't be written, or this one can't be read.
        """
        self._db.backup(db)

    def _watch_clock(self, time: str | None) -> None:
        if time is not None:
            self._clock_back = time < self._latest
            self._latest = max(time, self._latest)

    def _put(self, name: str, body: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO document VALUES(?, ?)", (name, body))

    def _known(self, key: Key) -> Row | None:
        found = self._db.execute(
            "SELECT asked, seq FROM key WHERE scope = ? AND key = ?", (key.scope, key.text)
        ).fetchone()
        if found is None:
            return None
        if found[0] != key.asked:
            raise KeyReusedError(key.sent, found[1])
        return row(self._db, found[1])

    def _insert(
        self, entry: Entry, moment: Moment, key: Key | None, table: Mapping[str, Any] | None
    ) -> Row:
        body = None if table is None else canonical(table)
        end = head(self._db)
        detail = dict(entry.detail) | ({} if key is None else key.detail)
        if body is not None:
            detail[PATCH] = difference(self._document(TABLE), json.loads(body))
        columns = (
            end.seq + 1,
            str(entry.kind),
            entry.of,
            moment.time,
            self._boot,
            moment.uptime_ms,
            entry.request,
            None if entry.faces is None else canonical(entry.faces),
            entry.choices,
            entry.source,
            entry.outcome,
            None if body is None else sha256_hex(body),
            canonical(detail),
        )
        written = Row(*columns, end.hash, link(end.hash, columns))
        self._db.execute(_INSERT, (*columns, written.prev, written.hash))
        self._follow(entry, written, key)
        if body is not None:
            self._put(TABLE, body)
        return written

    def _follow(self, entry: Entry, written: Row, key: Key | None) -> None:
        """Bring what is derived from the rows up to date."""
        if key is not None:
            self._db.execute(
                "INSERT INTO key VALUES(?, ?, ?, ?)", (key.scope, key.text, key.asked, written.seq)
            )
        self._count(entry)
        first = written.seq if entry.of is None else entry.of
        if entry.kind is Kind.DRAWN:
            self._db.execute("INSERT OR REPLACE INTO pending VALUES(?, ?)", (first, written.seq))
        elif entry.kind in (Kind.ROLL, Kind.VOID) and entry.of is not None:
            self._db.execute("DELETE FROM pending WHERE first = ?", (entry.of,))
        if entry.kind is Kind.ROLL and entry.of is not None:
            move_key(self._db, entry.of, written.seq)

    def _count(self, entry: Entry) -> None:
        """Add the faces that no earlier row of the same roll has to the tallies."""
        if entry.source is not None and entry.faces:
            waiting = None if entry.of is None else self._waiting(entry.of)
            before = 0 if waiting is None else len(waiting.pips)
            tally.count(self._db, entry.source, entry.faces[before:])

    def _check(self, entry: Entry) -> None:
        """Raise NotPossibleError unless the row pointed at takes this entry."""
        match entry.kind:
            case Kind.DRAWN | Kind.ROLL if entry.of is not None:
                self._check_pending(entry, entry.of)
            case Kind.DECISION | Kind.REVEAL | Kind.VOID if entry.of is not None:
                self._check_roll(entry, entry.of)
            case _:
                pass

    def _check_pending(self, entry: Entry, first: int) -> None:
        waiting = self._waiting(first)
        if waiting is None:
            raise NotPossibleError(f"row {first} is no roll that waits for more dice")
        if entry.request != waiting.request:
            raise NotPossibleError(f"row {first} was drawn for another request")
        if entry.faces is None or entry.faces[: len(waiting.pips)] != waiting.pips:
            raise NotPossibleError(f"the faces of row {first} can't be rolled again")

    def _check_roll(self, entry: Entry, seq: int) -> None:
        target = row(self._db, seq)
        waits = entry.kind is Kind.VOID and self._waiting(seq) is not None
        if target is None or (target.kind != Kind.ROLL and not waits):
            raise NotPossibleError(f"there is no roll {seq}")
        gone = self._db.execute("SELECT 1 FROM entry WHERE of = ? AND kind = 'void'", (seq,))
        if gone.fetchone() is not None:
            raise NotPossibleError(f"roll {seq} was already marked as not counting")

    def _waiting(self, first: int) -> Row | None:
        found = self._db.execute("SELECT latest FROM pending WHERE first = ?", (first,)).fetchone()
        return None if found is None else row(self._db, found[0])


def move_key(db: sqlite3.Connection, first: int, roll: int) -> None:
    """Let the key of a `drawn` row, if it has one, point at the roll that it became."""
    found = row(db, first)
    detail = {} if found is None else found.document("detail")
    if "key" in detail:
        name = (detail["scope"], detail["key"])
        db.execute("UPDATE key SET seq = ? WHERE scope = ? AND key = ?", (roll, *name))


class _transaction:  # noqa: N801 - a context manager, used like a function
    """Begin a write at once, commit at the end, take everything back on any error."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            try:
                self._db.execute("COMMIT")
            except BaseException:
                self._take_back()
                raise
        else:
            self._take_back()

    def _take_back(self) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")


def connect(path: Path) -> sqlite3.Connection:
    """Connect to a database for writing, such that a commit is on the disk when it returns."""
    db = sqlite3.connect(path, isolation_level=None, timeout=LOCK_TIMEOUT)
    try:
        # SQLite gives what it makes beside the database to the database's owner.
        hand_over(path, *(path.with_name(f"{path.name}-{part}") for part in ("wal", "shm")))
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
    except BaseException:
        db.close()
        raise
    return db
