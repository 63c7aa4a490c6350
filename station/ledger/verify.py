"""Checking a ledger: the chain, and every outcome again from its request and faces.

Any part of the chain can be checked by itself, since each row holds the hash of the row before;
so a long ledger is checked in ranges, side by side on all processors.
"""

import json
import multiprocessing
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from rules.engine import checked_faces, resolve
from rules.errors import RulesError
from rules.frozen import frozen
from rules.model import Request, RuleSystem
from rules.registry import DEFAULT
from station.ledger import chain, log, tally
from station.ledger.chain import Chain, gaps, tolerant_text
from station.ledger.errors import boundary
from station.ledger.outcomes import outcome_text
from station.ledger.patch import patched
from station.ledger.reader import SELECT, TABLE, Head, Reader, head, read_only
from station.ledger.reader import row as row_of
from station.ledger.rows import COLUMNS, FIRST_PREV, PATCH, Kind, Row, canonical, sha256_hex
from station.ledger.tally import Tallies, Tally

RANGE = 4_000
"""Rows that are checked in one go; a problem stops the check after the range it lies in."""

WORDS = "explanation"
"""The part of an outcome that is for people, and may be worded otherwise one day."""

_DETAIL = COLUMNS.index("detail")

FEW = 3
"""Ranges up to which one process is faster than starting others."""

Progress = Callable[[int, int], None]
"""Told now and then how many rows of how many are checked."""


@frozen
class Problem:
    """The first thing wrong: the row's number (None where it is beside the rows), and what."""

    seq: int | None
    what: str

    def __str__(self) -> str:
        return self.what if self.seq is None else f"row {self.seq}: {self.what}"


@frozen
class Verified:
    """What a check found.

    Attributes:
        rows: how many rows were checked; `rolls`: how many of them are rolls.
        head: the end of the good part; to be noted, and given to a later check as `since`.
        problem: the first thing wrong, or None.
    """

    rows: int
    rolls: int
    head: Head
    problem: Problem | None

    def plain(self) -> dict[str, Any]:
        """Return the finding as JSON-able data."""
        wrong = self.problem
        return {
            "good": wrong is None,
            "rows": self.rows,
            "rolls": self.rolls,
            "head": {"seq": self.head.seq, "hash": self.head.hash.hex()},
            "problem": None if wrong is None else {"seq": wrong.seq, "what": wrong.what},
        }


@dataclass(slots=True)
class Part:
    """What was found in one range of rows."""

    head: Head
    rows: int = 0
    rolls: int = 0
    keys: int = 0
    problem: Problem | None = None
    sums: dict[str, Tally] = field(default_factory=dict)


def verify(
    path: Path,
    since: Head | None = None,
    progress: Progress = lambda _done, _of: None,
    workers: int | None = None,
) -> Verified:
    """Check a ledger, also while a station writes to it.

    Args:
        path: the database.
        since: a head noted earlier: rows up to it are taken as good if it is still there.
        progress: told how far the check is.
        workers: processes to use, as many as there are processors if None.

    Raises:
        UnavailableError: the ledger can't be read at all.
    """
    with Reader.open(path) as reader, boundary():
        db = reader._db  # noqa: SLF001 - one snapshot for the rows' end and all that is beside them
        db.text_factory = tolerant_text
        db.execute("BEGIN")
        end = head(db)
        start = since or Head(0, FIRST_PREV)
        wrong = _wrong_start(db, start, end)
        if wrong is not None:
            return Verified(0, 0, Head(0, FIRST_PREV), wrong)
        count = workers or os.cpu_count() or 1
        parts = _parts(path, db, range(start.seq + 1, end.seq + 1), count)
        whole = _put_together(parts, start, end, progress)
        if whole.problem is None:
            whole.problem = _wrong_beside(db, whole, start)
    with boundary():
        if whole.problem is None and log.unseen(path):
            whole.problem = Problem(None, log.UNSEEN)
    return Verified(whole.rows, whole.rolls, whole.head, whole.problem)


def _wrong_start(db: sqlite3.Connection, start: Head, end: Head) -> Problem | None:
    lowest = db.execute("SELECT min(seq) FROM entry").fetchone()[0]
    if lowest is not None and lowest < 1:
        return Problem(lowest, "its number is out of order")
    if start.seq > end.seq:
        return Problem(end.seq + 1, f"it is missing: row {start.seq} was noted, the end is before")
    found = row_of(db, start.seq) if start.seq else None
    if start.seq and (found is None or found.hash != start.hash):
        return Problem(start.seq, "its hash is not the one that was noted")
    return None


def _parts(path: Path, db: sqlite3.Connection, rows: range, workers: int) -> Iterator[Part]:
    """Check the rows in ranges, in this process or side by side in others, and yield in order."""
    ranges = [(first, min(first + RANGE, rows.stop) - 1) for first in _firsts(db, rows)]
    if workers > 1 and len(ranges) > FEW:
        return _spread(path, ranges, workers)
    return (check_range(db, first, last) for first, last in ranges)


def _firsts(db: sqlite3.Connection, rows: range) -> Iterator[int]:
    """Yield where each range begins; a number far out of order makes a range, not millions."""
    first: int | None = rows.start
    while first is not None and first < rows.stop:
        yield first
        beyond = (first + RANGE, rows.stop)
        query = "SELECT min(seq) FROM entry WHERE seq >= ? AND seq < ?"
        first = db.execute(query, beyond).fetchone()[0]


def _put_together(parts: Iterable[Part], start: Head, end: Head, progress: Progress) -> Part:
    whole = Part(start)
    sums = Tallies()
    for part in parts:
        whole.rows += part.rows
        whole.rolls += part.rolls
        whole.keys += part.keys
        whole.head = part.head
        whole.problem = part.problem
        sums.merge(part.sums)
        progress(part.head.seq - start.seq, end.seq - start.seq)
        if part.problem is not None:
            break
    whole.sums = sums.sums()
    return whole


def _spread(path: Path, ranges: list[tuple[int, int]], workers: int) -> Iterator[Part]:
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        try:
            yield from pool.map(_check_in_worker, [path] * len(ranges), ranges)
        finally:
            pool.shutdown(cancel_futures=True)


@lru_cache(maxsize=1)
def _worker_connection(path: Path) -> sqlite3.Connection:
    return read_only(path)


def _check_in_worker(path: Path, rows: tuple[int, int]) -> Part:
    return check_range(_worker_connection(path), *rows)


def check_range(db: sqlite3.Connection, first: int, last: int) -> Part:
    """Check the rows with the numbers `first` to `last` against the row before and the rules."""
    db.text_factory = tolerant_text
    before = db.execute(
        "SELECT seq, hash FROM entry WHERE seq < ? ORDER BY seq DESC LIMIT 1", (first,)
    ).fetchone()
    links = Chain(gaps(db), *(before or (0, FIRST_PREV)))
    part = Part(Head(links.seq, links.hash))
    sums = Tallies()
    try:
        for values in db.execute(f"{SELECT} WHERE seq BETWEEN ? AND ? ORDER BY seq", (first, last)):
            wrong = links.problem(values) or _wrong_meaning(db, Row(*values), sums)
            if wrong is not None:
                part.problem = Problem(values[0], wrong)
                break
            part.rows += 1
            part.rolls += values[1] == Kind.ROLL
            part.keys += _has_key(values[_DETAIL])
            part.head = Head(links.seq, links.hash)
    except sqlite3.Error as error:
        part.problem = Problem(links.seq + 1, f"it can't be read: {error}")
    part.sums = sums.sums()
    return part


def _wrong_meaning(db: sqlite3.Connection, row: Row, sums: Tallies) -> str | None:
    """Return what is wrong with what an intact row says, or None."""
    try:
        match row.kind:
            case Kind.ROLL | Kind.DRAWN:
                wrong = _wrong_dice(db, row, sums)
            case Kind.DECISION:
                wrong = _wrong_decision(db, row)
            case Kind.VOID | Kind.REVEAL:
                wrong = _wrong_pointer(db, row)
            case Kind.START | Kind.CHANGE | Kind.CARRIED:
                wrong = None
            case _:
                wrong = f"{row.kind} is no kind of row"
    except RulesError as error:
        return f"the rules refuse it: {error}"
    except (ValueError, TypeError, KeyError) as error:
        return f"what it holds can't be understood: {error}"
    return wrong or (_wrong_key(db, row) if _has_key(row.detail) else None)


def _wrong_dice(db: sqlite3.Connection, row: Row, sums: Tallies) -> str | None:
    faces = row.pips
    before: tuple[int, ...] = ()
    if row.of is not None:
        earlier = _drawn_before(db, row)
        if earlier is None and not _is_lost(db, row.of):
            return f"row {row.of} has no faces that it could go on from"
        before = () if earlier is None else earlier.pips
        if earlier and (faces[: len(before)] != before or row.request != earlier.request):
            return f"it does not go on from the faces of row {earlier.seq}"
    if row.source is not None:
        sums.add(row.source, faces[len(before) :])
    if row.kind == Kind.DRAWN:
        _asked(str(row.request))
        checked_faces(faces)
        return None
    return _wrong_outcome(row, str(row.request), row.faces)


def _drawn_before(db: sqlite3.Connection, row: Row) -> Row | None:
    query = f"{SELECT} WHERE (seq = ? OR of = ?) AND seq < ? AND kind = 'drawn' ORDER BY seq DESC"
    found = db.execute(query, (row.of, row.of, row.seq)).fetchone()
    return None if found is None else Row(*found)


def _wrong_decision(db: sqlite3.Connection, row: Row) -> str | None:
    roll = row_of(db, row.of or 0)
    if roll is None and _is_lost(db, row.of):
        return None
    if roll is None or roll.kind != Kind.ROLL or roll.seq >= row.seq:
        return f"row {row.of} is no roll before it"
    return _wrong_outcome(row, str(roll.request), roll.faces)


def _wrong_outcome(row: Row, request: str, faces: str | None) -> str | None:
    held = str(row.outcome)
    if _outcome_hash(request, faces, row.choices) == sha256_hex(held):
        return None
    given = _outcome(request, faces, row.choices)
    return (
        None if _agrees(held, given) else f"its faces do not give the outcome it holds, but {given}"
    )


def _agrees(held: str, given: str) -> bool:
    """Return whether a row's outcome says what its faces give, as far as it says anything.

    A later version may word the explanation otherwise and tell more; what an earlier one wrote
    down stays right.
    """
    try:
        told, found = json.loads(held), json.loads(given)
    except ValueError:
        return False
    if not isinstance(told, dict) or not told:
        return False
    return all(found.get(name) == told[name] for name in told if name != WORDS)


def _outcome(request: str, faces: str | None, choices: str | None) -> str:
    """Return the outcome's text; raises RulesError where the rules refuse what it is made from."""
    system, asked = _asked(request)
    pips = json.loads(faces or "[]")
    return outcome_text(
        resolve(system, asked, pips, None if choices is None else json.loads(choices))
    )


@lru_cache(maxsize=32_768)
def _outcome_hash(request: str, faces: str | None, choices: str | None) -> str:
    """Return the hash of the outcome's text, which the same dice of the same request share."""
    return sha256_hex(_outcome(request, faces, choices))


def _wrong_pointer(db: sqlite3.Connection, row: Row) -> str | None:
    target = row_of(db, row.of or 0)
    if target is None and _is_lost(db, row.of):
        return None
    if target is None or target.kind not in (Kind.ROLL, Kind.DRAWN) or target.seq >= row.seq:
        return f"row {row.of} is no roll before it"
    return None


def _is_lost(db: sqlite3.Connection, seq: int | None) -> bool:
    """Return whether a row's number is among those that were lost with a damaged file."""
    return seq is not None and any(first <= seq <= last for first, last in gaps(db).items())


def _has_key(detail: str) -> bool:
    """Return whether a row has a key; in a text, its quotes would be escaped."""
    return '"key":' in detail


def _wrong_key(db: sqlite3.Connection, row: Row) -> str | None:
    """Return a fault where a re-sent key would not find its row, or the roll that it became."""
    detail = json.loads(row.detail)
    found = db.execute(
        "SELECT asked, seq FROM key WHERE scope = ? AND key = ?", (detail["scope"], detail["key"])
    ).fetchone()
    if found is None or found[0] != detail["asked"]:
        return "its key is not kept"
    if found[1] != row.seq:
        target = row_of(db, found[1])
        if target is None or target.of != row.seq:
            return f"its key leads to row {found[1]}"
    return None


@lru_cache(maxsize=4096)
def _asked(text: str) -> tuple[RuleSystem, Request]:
    request = DEFAULT.request(json.loads(text))
    return DEFAULT.of(request), request


def _wrong_beside(db: sqlite3.Connection, whole: Part, start: Head) -> Problem | None:
    """Return what is kept beside the rows and does not fit them, or None."""
    if start.seq == 0 and whole.sums != tally.read(db):
        return Problem(None, "the counts of faces are not those of the rows")
    if start.seq == 0 and whole.keys != db.execute("SELECT count(*) FROM key").fetchone()[0]:
        return Problem(None, "a key is kept that no row has")
    return _wrong_pending(db) or _wrong_state(db)


def _wrong_pending(db: sqlite3.Connection) -> Problem | None:
    for first, latest in db.execute("SELECT first, latest FROM pending"):
        rows = (row_of(db, first), row_of(db, latest))
        if any(row is None or row.kind != Kind.DRAWN for row in rows):
            return Problem(None, f"row {first} is kept as a roll that waits, and is none")
    return None


def _wrong_state(db: sqlite3.Connection) -> Problem | None:
    """Replay the changes of the table's state, and compare each result with its row's hash."""
    body = db.execute("SELECT body FROM document WHERE name = ?", (TABLE,)).fetchone()
    wanted = None
    state: Any = None
    query = "SELECT seq, state, detail FROM entry WHERE state IS NOT NULL AND seq >= ? ORDER BY seq"
    for seq, wanted, detail in db.execute(query, (chain.last_loss(db),)):
        try:
            state = patched(state, json.loads(detail)[PATCH])
        except (ValueError, KeyError) as error:
            return Problem(seq, f"its change of the table's state can't be replayed: {error}")
        if sha256_hex(canonical(state)) != wanted:
            return Problem(seq, "its change of the table's state gives another one than it says")
    found = None if body is None else sha256_hex(body[0])
    return None if found == wanted else Problem(None, "the table's state is not that of the rows")
