"""Carrying over what a damaged ledger still has into a fresh one.

Rows keep their numbers and hashes, so that whoever noted one can still find it. A `carried` row
after them names the damaged file, its SHA-256 and the numbers that are lost.
"""

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from station.ledger import log, schema, tally
from station.ledger.chain import agrees
from station.ledger.patch import difference, patched
from station.ledger.reader import SELECT, TABLE, read_only
from station.ledger.rows import (
    COLUMNS,
    FIRST_PREV,
    PATCH,
    Kind,
    Moment,
    canonical,
    link,
    sha256_hex,
)
from station.ledger.store import move_key
from station.ledger.tally import Fresh, Tallies

HEADER = 100
"""Bytes of a database's header."""

LEAST_FILE = 2 * 4096
"""Bytes of a file below which there can't be a ledger in it."""

MOST_MISSES = 100_000
"""The number up to which rows are looked for one by one where nothing shows the highest."""

_SEQ, _KIND, _OF, _BOOT, _FACES, _SOURCE, _STATE, _DETAIL = (
    COLUMNS.index(name)
    for name in ("seq", "kind", "of", "boot", "faces", "source", "state", "detail")
)
_INSERT = f"INSERT INTO entry({', '.join(COLUMNS)}) VALUES({', '.join('?' * len(COLUMNS))})"


@dataclass(slots=True)
class Carried:
    """What was carried over so far."""

    rows: int = 0
    last: int = 0
    hash: bytes = FIRST_PREV
    boot: int = 0
    state: str | None = None
    table: Any = None
    lost: list[tuple[int, int]] = field(default_factory=list)

    def note(self, values: tuple[Any, ...]) -> None:
        """Note a row that was carried over, and the numbers lost before it."""
        self.lose(values[_SEQ] - 1)
        self.rows += 1
        self.last, self.hash, self.boot = values[_SEQ], values[-1], values[_BOOT]
        self.state = values[_STATE] or self.state

    def lose(self, upto: int) -> None:
        """Note the numbers after the last row as lost, up to that one."""
        if self.last < upto:
            self.lost.append((self.last + 1, upto))


def sha256_of(path: Path) -> str:
    """Return a file's SHA-256 (hex)."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def carry_over(damaged: Path, fresh: Path, name: str, moment: Moment) -> Carried:
    """Fill a fresh ledger with what can be read of a damaged one, which is not touched.

    Args:
        damaged: the damaged database, kept aside.
        fresh: where the new one is made; whatever is there is a draft that was cut off.
        name: what the `carried` row calls the damaged file.
        moment: now.

    Raises:
        OSError, sqlite3.Error: the fresh one can't be written.
    """
    for draft in (fresh, fresh.with_name(fresh.name + "-journal")):
        draft.unlink(missing_ok=True)
    with closing(sqlite3.connect(fresh, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = FULL")
        schema.migrate(db)
        db.execute("BEGIN IMMEDIATE")
        carried = _fill(damaged, db)
        _close_chain(db, carried, {"aside": name, "sha256": sha256_of(damaged)}, moment)
        db.execute("COMMIT")
    return carried


def _fill(damaged: Path, db: sqlite3.Connection) -> Carried:
    carried = Carried()
    with _opened(damaged, db) as old:
        if old is None:
            return carried
        highest = _highest(old)
        derived = _Derived(db)
        for values in _readable(old, highest):
            if values[_SEQ] > carried.last and agrees(values):
                db.execute(_INSERT, values)
                derived.follow(values)
                carried.note(values)
        carried.lose(highest)
        derived.finish()
        documents = _documents(old)
        carried.table = derived.table(documents.get(TABLE), carried.state)
        for name, data in documents.items():
            if name != TABLE:
                _keep(db, name, data)
    return carried


@contextmanager
def _opened(damaged: Path, db: sqlite3.Connection) -> Iterator[sqlite3.Connection | None]:
    """Yield a connection to the damaged database, or to a copy of which more can be read.

    That is one with all of its log played in, where a damaged place hides the rest of it from
    SQLite, or one with a sound header: 100 bytes that are the same in every ledger but for sizes
    that the file itself tells; without this, one flipped bit in them would cost every row.
    """
    copy = damaged.with_name("mended")
    old: sqlite3.Connection | None
    try:
        old = _past_log(damaged, copy / damaged.name) or _readable_at_all(damaged)
    except sqlite3.Error:
        old = _mended(damaged, copy / damaged.name, db)
    try:
        yield old
    finally:
        if old is not None:
            old.close()
        shutil.rmtree(copy, ignore_errors=True)


def _past_log(damaged: Path, copy: Path) -> sqlite3.Connection | None:
    """Open a copy that holds what the log hides from SQLite; None where it hides nothing."""
    read_only(damaged).close()  # which makes the log's index
    if not log.unseen(damaged):
        return None
    copy.parent.mkdir(exist_ok=True)
    log.replay(damaged, copy)
    return _readable_at_all(copy)


def _readable_at_all(path: Path) -> sqlite3.Connection:
    db = read_only(path)
    try:
        db.execute("SELECT seq FROM entry LIMIT 0")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _mended(damaged: Path, copy: Path, db: sqlite3.Connection) -> sqlite3.Connection | None:
    """Copy a database, put the header of a fresh one over its own, and open it; None if in vain."""
    size = damaged.stat().st_size
    if size < LEAST_FILE:
        return None
    copy.parent.mkdir(exist_ok=True)
    for part in ("", "-wal"):
        source = damaged.with_name(damaged.name + part)
        if source.exists():
            shutil.copyfile(source, copy.with_name(copy.name + part))
    with copy.open("r+b") as file:
        file.write(_header(db, size))
    try:
        return _readable_at_all(copy)
    except sqlite3.Error:
        return None


def _header(db: sqlite3.Connection, size: int) -> bytes:
    """Return the header for a ledger of so many bytes (sqlite.org/fileformat.html, 1.3)."""
    header = bytearray(db.serialize()[:HEADER])
    page = int.from_bytes(header[16:18], "big")
    header[18:20] = b"\x02\x02"  # read and written with a write-ahead log
    header[28:32] = (size // page).to_bytes(4, "big")
    return bytes(header)


def _close_chain(
    db: sqlite3.Connection, carried: Carried, named: dict[str, str], moment: Moment
) -> None:
    seq = max(carried.last, *(last for _, last in carried.lost), 0) + 1
    detail: dict[str, Any] = {**named, "rows": carried.rows, "lost": carried.lost}
    state = None
    if carried.table is not None:
        detail[PATCH] = difference(None, carried.table)
        state = sha256_hex(canonical(carried.table))
        _keep(db, TABLE, carried.table)
    values = (seq, str(Kind.CARRIED), None, moment.time, carried.boot + 1, moment.uptime_ms)
    columns = (*values, *[None] * 5, state, canonical(detail))
    db.execute(_INSERT, (*columns, carried.hash, link(carried.hash, columns)))


def _highest(old: sqlite3.Connection) -> int:
    """Return the highest number that anything in the damaged file still shows."""
    found = 0
    for query in (
        "SELECT max(seq) FROM entry",
        "SELECT max(seq) FROM entry INDEXED BY entry_roll WHERE kind = 'roll'",
        "SELECT max(seq) FROM key",
    ):
        with suppress(sqlite3.Error):
            value = old.execute(query).fetchone()[0]
            found = max(found, value if isinstance(value, int) else 0)
    return found


def _readable(old: sqlite3.Connection, highest: int) -> Iterator[tuple[Any, ...]]:
    """Yield every row that can be read, in the order of their numbers, past those that can't."""
    last = 0
    while last <= (highest or MOST_MISSES):
        try:
            for values in old.execute(f"{SELECT} WHERE seq > ? ORDER BY seq", (last,)):
                last = values[_SEQ]
                yield values
        except (sqlite3.Error, UnicodeError):
            last += 1
            with suppress(sqlite3.Error, UnicodeError):
                yield from old.execute(f"{SELECT} WHERE seq = ?", (last,)).fetchall()
        else:
            return


class _Derived:
    """Makes again what a ledger derives from its rows: keys, rolls that wait, tallies."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._tallies = Tallies()
        self._fresh = Fresh()
        self._replayed: Any = None

    def follow(self, values: tuple[Any, ...]) -> None:
        seq, kind, of = values[_SEQ], values[_KIND], values[_OF]
        detail = json.loads(values[_DETAIL])
        if "key" in detail:
            key = (detail["scope"], detail["key"], detail["asked"], seq)
            self._db.execute("INSERT OR REPLACE INTO key VALUES(?, ?, ?, ?)", key)
        if kind in (Kind.DRAWN, Kind.ROLL):
            faces = json.loads(values[_FACES])
            before = self._fresh.count_before(seq, kind, of, len(faces))
            if values[_SOURCE] is not None:
                self._tallies.add(values[_SOURCE], faces[before:])
        if kind == Kind.DRAWN:
            first = seq if of is None else of
            self._db.execute("INSERT OR REPLACE INTO pending VALUES(?, ?)", (first, seq))
        elif kind in (Kind.ROLL, Kind.VOID) and of is not None:
            self._db.execute("DELETE FROM pending WHERE first = ?", (of,))
        if kind == Kind.ROLL and of is not None:
            move_key(self._db, of, seq)

        if PATCH in detail:
            self._replay(detail[PATCH])

    def _replay(self, changes: list[list[Any]]) -> None:
        try:
            self._replayed = patched(self._replayed, changes)
        except ValueError:
            self._replayed = None  # a change before this one is lost

    def table(self, kept: Any, proved: str | None) -> Any:
        """Return the table's state: the replayed one where the rows vouch for it, else as kept."""
        if self._replayed is not None and sha256_hex(canonical(self._replayed)) == proved:
            return self._replayed
        return kept

    def finish(self) -> None:
        for source, sums in self._tallies.sums().items():
            tally.write(self._db, source, sums)
        # A roll whose first faces are lost can't be carried on with.
        self._db.execute("DELETE FROM pending WHERE first NOT IN (SELECT seq FROM entry)")


def _documents(old: sqlite3.Connection) -> dict[str, Any]:
    """Return the documents that can still be read."""
    found: dict[str, Any] = {}
    with suppress(sqlite3.Error, ValueError):
        for name, body in old.execute("SELECT name, body FROM document"):
            with suppress(ValueError):
                found[name] = json.loads(body)
    return found


def _keep(db: sqlite3.Connection, name: str, data: Any) -> None:
    db.execute("INSERT OR REPLACE INTO document VALUES(?, ?)", (name, canonical(data)))
