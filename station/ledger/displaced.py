"""Bringing back a ledger whose file was moved or removed while it was being written.

Whoever has a file open goes on writing to it, wherever its name leads meanwhile. So all rows are
still there, and are written out once more before the file is let go of.
"""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from rules.frozen import frozen
from station.durable import make_folder, sync_folder
from station.ledger.store import Ledger

DISPLACED = "displaced-"
"""What the names of files begin with that keep the rows of a ledger whose place was taken."""

_DRAFT = "ledger.displaced"
_BESIDE = ("-wal", "-shm")


@frozen
class Identity:
    """Which file a ledger is: by device and number, and those that SQLite keeps beside it."""

    database: tuple[int, int] | None
    beside: tuple[tuple[int, int] | None, ...]

    @classmethod
    def of(cls, path: Path) -> "Identity":
        """Return what lies at a ledger's path."""
        beside = tuple(file_at(path.with_name(path.name + end)) for end in _BESIDE)
        return cls(file_at(path), beside)


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
    """Write a displaced ledger out and close it; return what became of it, in one sentence.

    Where its place is free, it lies there again with all its rows. Where another file has taken
    it, that one stays, and the rows are kept in a file beside it.

    Args:
        ledger: the one whose file is gone from its place.
        was: what lay there when it was opened.
        path: its place.

    Raises:
        OSError, sqlite3.Error: it can't be written; the ledger is closed all the same.
    """
    draft = path.with_name(_DRAFT)
    try:
        make_folder(path.parent)
        draft.unlink(missing_ok=True)
        with closing(sqlite3.connect(draft)) as db:
            ledger.copy_to(db)
        ledger.close()
    except BaseException:
        ledger.close()
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        _remove_beside(was, path)
        raise
    if file_at(path) is None:
        draft.replace(path)
        told = f"{path.name} was moved or removed while in use; it was put back with all its rows"
    else:
        kept = _free_name(path)
        draft.rename(kept)
        told = (
            f"another file took the place of {path.name} while in use; rows until then: {kept.name}"
        )
    _remove_beside(was, path)
    sync_folder(path.parent)
    return told


def _remove_beside(was: Identity, path: Path) -> None:
    """Remove the log and the index of the old file, which would be taken for the new one's."""
    for end, number in zip(_BESIDE, was.beside, strict=True):
        beside = path.with_name(path.name + end)
        with suppress(OSError):
            if number is not None and file_at(beside) == number:
                beside.unlink()


def _free_name(path: Path) -> Path:
    number = 1
    while (name := path.with_name(f"{DISPLACED}{number}.db")).exists():
        number += 1
    return name
