"""Bringing back a ledger whose file was moved or removed while it was being written.

Whoever has a file open goes on writing to it, wherever its name leads meanwhile. So all rows are
still there, and are written out once more before the file is let go of.
"""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from rules.frozen import frozen
from station.durable import hand_over, make_folder, sync_folder
from station.ledger.store import Ledger

DISPLACED = "displaced-"
"""What the names of files begin with that keep the rows of a ledger whose place was taken."""

_DRAFT = "ledger.displaced"
_COPY = "ledger.back"
"""A whole copy, there only until it is in its place: older ones and rescues are no rivals."""

_BESIDE = ("-wal", "-shm")


@frozen
class Identity:
    """Which file a ledger is: by device and number, with those beside it, and where it lies."""

    database: tuple[int, int] | None
    beside: tuple[tuple[int, int] | None, ...]
    real: str = ""

    @classmethod
    def of(cls, path: Path) -> "Identity":
        """Return what lies at a ledger's path."""
        beside = tuple(file_at(path.with_name(path.name + end)) for end in _BESIDE)
        return cls(file_at(path), beside, os.path.realpath(path))

    def differs(self, was: "Identity") -> bool:
        """Return whether it is another file than it was, or lies elsewhere, or lost its log."""
        log, before = self.beside[0], was.beside[0]
        lost = before is not None and log != before
        return lost or (self.database, self.real) != (was.database, was.real)


def file_at(path: Path) -> tuple[int, int] | None:
    """Return the device and number of the file at a path; None where there is none.

    Raises:
        OSError: that can't be told.
    """
    # Never opened: to close it again would drop the locks on it (sqlite.org/howtocorrupt, 2.2).
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def bring_back(ledger: Ledger, was: Identity, path: Path) -> str:
    """Write a displaced ledger out and close it; return what becomes of it, in one sentence.

    Where its place is free, the next opening puts it there again with all its rows (`adopt`).
    Where another file has taken it, that one stays, and the rows are kept in a file beside it. A
    power cut at any moment leaves them where the next start finds them.

    Args:
        ledger: the one whose file, or its log, is gone from its place.
        was: what lay there when it was opened.
        path: its place.

    Raises:
        OSError, sqlite3.Error: it can't be written; the ledger is still open, and has all its rows.
    """
    # First, so that what is left of its log is never taken for the log of another file.
    ledger.empty_log()
    if file_at(path) == was.database:
        told = f"the log of {path.name} was moved or removed while in use; no row of it is lost"
    else:
        _copy(ledger, path)
        _remove_beside(was, path)
        told = f"{path.name} was moved or removed while in use; it was put back with all its rows"
        if file_at(path) is not None:
            taken = f"another file took the place of {path.name} while in use"
            told = f"{taken}; rows until then: {_next_name(path.parent).name}"
    ledger.close()
    return told


def adopt(path: Path) -> None:
    """Put the copy of a displaced ledger in its place, or, where that is taken, beside it.

    Raises:
        OSError: it can't be moved.
    """
    copy = path.with_name(_COPY)
    if file_at(copy) is not None:
        copy.replace(path if file_at(path) is None else _next_name(path.parent))
        sync_folder(path.parent)


def _copy(ledger: Ledger, path: Path) -> None:
    """Make a copy beside the ledger's place that has all its rows, also after a power cut."""
    draft = path.with_name(_DRAFT)
    try:
        make_folder(path.parent)
        draft.unlink(missing_ok=True)
        with closing(sqlite3.connect(draft)) as db:
            ledger.copy_to(db)
        hand_over(draft)
        draft.replace(path.with_name(_COPY))
        sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def _remove_beside(was: Identity, path: Path) -> None:
    """Remove the log and the index of the old file, which would be taken for the new one's."""
    for end, number in zip(_BESIDE, was.beside, strict=True):
        beside = path.with_name(path.name + end)
        with suppress(OSError):
            if number is not None and file_at(beside) == number:
                beside.unlink()


def _next_name(folder: Path) -> Path:
    highest = max(map(_number, folder.glob(f"{DISPLACED}*.db")), default=0)
    return folder / f"{DISPLACED}{highest + 1}.db"


def _number(path: Path) -> int:
    text = path.stem.removeprefix(DISPLACED)
    return int(text) if text.isdecimal() else 0
