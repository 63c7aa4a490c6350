"""Opening the ledger whatever state it is in: the station always gets something to roll with.

A damaged file is moved into a folder of its own, never written to again, and what can be read
of it is carried over. Where nothing can be written, `NoLedger` stands in.
"""

import logging
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from station.durable import hand_over, make_folder, sync_folder
from station.ledger import log, schema
from station.ledger.absent import NoLedger
from station.ledger.chain import tail_problem
from station.ledger.displaced import adopt
from station.ledger.errors import (
    Cause,
    Fault,
    UnavailableError,
    boundary,
    fault,
    refined,
    require_file,
    unmade,
)
from station.ledger.lock import Lock
from station.ledger.reader import Reader, read_only
from station.ledger.rows import Moment
from station.ledger.store import Ledger

DATABASE = "ledger.db"
"""The ledger's file in the state folder."""

LOCK = "ledger.lock"
"""The lock's file beside it."""

DAMAGED = "damaged-"
"""What the names of folders begin with that keep a damaged ledger; a number follows."""

_DRAFT = "ledger.fresh"
_PARTS = ("", "-journal", "-wal", "-shm")

AnyLedger = Ledger | NoLedger
"""A ledger, or what stands in for it."""

_DAMAGE = (Cause.DAMAGED, Cause.NO_DATABASE)

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Opened:
    """A ledger together with the lock that makes this process its only writer."""

    ledger: AnyLedger
    lock: Lock | None

    def close(self) -> None:
        """Let go of the ledger, then of the lock."""
        self.ledger.close()
        if self.lock is not None:
            self.lock.close()


def open_ledger(folder: Path, moment: Moment, version: str) -> Opened:
    """Open the ledger in a state folder, or what stands in for it.

    Where the result is a `NoLedger`, opening may succeed later: close it and open again.

    Args:
        folder: the state folder; made if it is missing.
        moment: now.
        version: the station's, for the start row.

    Raises:
        InUseError: another process keeps this ledger.
    """
    try:
        make_folder(folder)
        lock = Lock.take(folder / LOCK)
    except OSError as error:
        return Opened(_stand_in(folder, unmade(error)), None)
    try:
        ledger = _open(folder, moment, version)
    except BaseException:
        lock.close()
        raise
    return Opened(ledger, lock)


def reopen_damaged(opened: Opened, folder: Path, moment: Moment, version: str) -> Opened:
    """Set a ledger aside that proved damaged while in use, and open what can be carried over."""
    opened.ledger.close()
    try:
        ledger = _replace(folder, moment, version, opened.ledger.fault or fault(Cause.DAMAGED))
    except UnavailableError as error:
        return Opened(_stand_in(folder, error.fault), opened.lock)
    return Opened(ledger, opened.lock)


def _open(folder: Path, moment: Moment, version: str) -> AnyLedger:
    try:
        with boundary():
            require_file(folder / DATABASE)
            adopt(folder / DATABASE)
        if _interrupted(folder):
            return _replace(folder, moment, version, fault(Cause.DAMAGED))
        with boundary():
            _set_log_aside(folder)
        wrong = _wrong_with(folder / DATABASE)
        if wrong is not None:
            return _replace(folder, moment, version, wrong)
        return _begin(folder, moment, version)
    except UnavailableError as error:
        return _stand_in(folder, error.fault)


def _begin(folder: Path, moment: Moment, version: str) -> Ledger:
    try:
        return Ledger.begin(folder / DATABASE, moment, version)
    except UnavailableError as error:
        if error.fault.cause not in _DAMAGE:
            raise
        return _replace(folder, moment, version, error.fault)


def _stand_in(folder: Path, fault_seen: Fault) -> NoLedger:
    found = refined(fault_seen, folder)
    try:
        return NoLedger(found, Reader.open(folder / DATABASE))
    except UnavailableError:
        return NoLedger(found)


def _wrong_with(path: Path) -> Fault | None:
    """Return the damage that a quick look finds, without changing the file.

    Raises:
        UnavailableError: the file can't be used for another reason.
    """
    if not path.exists() or path.with_name(path.name + "-journal").exists():
        # A journal is left where the power went while the file was made; only a writer may
        # take such a beginning back.
        return None
    try:
        with boundary():
            with closing(read_only(path)) as db:
                wrong = tail_problem(db) if schema.version(db) else None
            if wrong is None and log.unseen(path):
                wrong = log.UNSEEN
            return None if wrong is None else fault(Cause.DAMAGED, wrong)
    except UnavailableError as error:
        if error.fault.cause in _DAMAGE:
            return error.fault
        raise


def _replace(folder: Path, moment: Moment, version: str, found: Fault) -> Ledger:
    """Set the ledger aside, carry over what can be read, and open the fresh one."""
    with boundary():
        from station.ledger.salvage import carry_over  # noqa: PLC0415 (needed once in a lifetime)

        aside = _set_aside(folder)
        draft = folder / _DRAFT
        name = str((aside / DATABASE).relative_to(folder))
        carried = carry_over(aside / DATABASE, draft, name, moment)
        draft.replace(folder / DATABASE)
        sync_folder(folder)
    ledger = Ledger.begin(folder / DATABASE, moment, version)
    ledger.notices = (*ledger.notices, _told(found, aside, carried.rows, carried.lost))
    return ledger


def _told(found: Fault, aside: Path, rows: int, gaps: list[tuple[int, int]]) -> str:
    lost = sum(last - first + 1 for first, last in gaps)
    kept = f"{rows} rows carried over"
    missing = f", {lost} lost" if lost else ""
    return f"{found.message}; it is kept in {aside.name}, {kept}{missing}"


def _set_aside(folder: Path) -> Path:
    """Move the database and its log into a folder of their own, and return that folder.

    The database goes first: a cut between the two moves leaves a log alone, which the next start
    moves after it. The other way round, the database would be opened without its last rows.
    """
    if (folder / DATABASE).exists():
        aside = _next_aside(folder)
        aside.mkdir()
        hand_over(aside)
        sync_folder(folder)
    else:
        aside = max(_holding(folder), key=_number)
    for part in _PARTS:
        here = folder / (DATABASE + part)
        if here.exists():
            here.rename(aside / here.name)
            sync_folder(aside)
            sync_folder(folder)
    return aside


def _set_log_aside(folder: Path) -> None:
    """Keep a log whose database was taken away: SQLite would delete it with the rows in it."""
    alone = folder / f"{DATABASE}-wal"
    if not (folder / DATABASE).exists() and alone.exists() and alone.stat().st_size:
        aside = _next_aside(folder)
        aside.mkdir()
        hand_over(aside)
        alone.rename(aside / alone.name)
        sync_folder(aside)
        sync_folder(folder)
        _log.warning("there is no %s; its log is kept in %s", DATABASE, aside.name)


def _interrupted(folder: Path) -> bool:
    """Return whether a cut came between setting a ledger aside and putting a fresh one there."""
    return not (folder / DATABASE).exists() and any(_holding(folder))


def _holding(folder: Path) -> Iterator[Path]:
    return (aside for aside in _asides(folder) if (aside / DATABASE).exists())


def _asides(folder: Path) -> Iterator[Path]:
    return (path for path in folder.glob(f"{DAMAGED}*") if _number(path))


def _number(path: Path) -> int:
    text = path.name.removeprefix(DAMAGED)
    return int(text) if text.isdecimal() else 0


def _next_aside(folder: Path) -> Path:
    highest = max(map(_number, _asides(folder)), default=0)
    return folder / f"{DAMAGED}{highest + 1}"
