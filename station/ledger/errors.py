"""The one tree of errors that the ledger raises, and its faults as data."""

import errno
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from rules.frozen import frozen
from station.errors import StationError


class Cause(StrEnum):
    """What is wrong with the ledger."""

    FULL = "full"
    READ_ONLY = "read_only"
    LOCKED = "locked"
    DAMAGED = "damaged"
    NO_DATABASE = "no_database"
    NEWER = "newer"
    OLDER = "older"
    INPUT_OUTPUT = "input_output"
    NO_FOLDER = "no_folder"
    NO_PERMISSION = "no_permission"
    NO_FILE = "no_file"


@frozen
class Fault:
    """What is wrong with the ledger.

    Attributes:
        cause: which of the known faults it is.
        message: one sentence for a screen, a reply or a log.
        detail: what the operating system or the database said.
    """

    cause: Cause
    message: str
    detail: str = ""

    @property
    def to_reader(self) -> str:
        """The sentence for whoever only reads the ledger, and rolls nothing."""
        return _TO_READER.get(self.cause, self.message)

    def plain(self) -> dict[str, str]:
        """Return the fault as JSON-able data."""
        return {"cause": str(self.cause), "message": self.message, "detail": self.detail}


class LedgerError(StationError):
    """Anything the ledger refuses or can't do; the message is one sentence."""


class UnavailableError(LedgerError):
    """There is no ledger to write to or to read from; nothing was written."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class InUseError(LedgerError):
    """Another process keeps this ledger.

    Attributes:
        pid: its process id, or None when it has not said.
    """

    def __init__(self, pid: int | None, folder: object) -> None:
        who = "another process" if pid is None else f"process {pid}"
        super().__init__(f"{who} already keeps the ledger in {folder}; stop it first")
        self.pid = pid


class KeyReusedError(LedgerError):
    """A key was sent again with other params.

    Attributes:
        key: the key as it was sent; `seq`: the row that it made the first time.
    """

    def __init__(self, key: str | int, seq: int) -> None:
        super().__init__(f"key {key} already made row {seq} with other params")
        self.key = key
        self.seq = seq


class NotPossibleError(LedgerError):
    """The row would point at one that is not there or no longer takes it."""


_SENTENCES = {
    Cause.FULL: "the disk is full; rolls are not recorded",
    Cause.READ_ONLY: "the ledger can't be written to (read-only); rolls are not recorded",
    Cause.LOCKED: "another program has locked the ledger; rolls are not recorded meanwhile",
    Cause.DAMAGED: "the ledger is damaged",
    Cause.NO_DATABASE: "the ledger's file is no database of this program",
    Cause.NEWER: "a newer version of this program made the ledger; rolls are not recorded",
    Cause.OLDER: "the ledger has an earlier layout; starting the station brings it up to date",
    Cause.INPUT_OUTPUT: "the ledger's disk failed; rolls are not recorded",
    Cause.NO_FOLDER: "there is no ledger to read here",
    Cause.NO_PERMISSION: "this user has no permission to write the ledger; rolls are not recorded",
    Cause.NO_FILE: "what lies in the ledger's place is no file; rolls are not recorded",
}

_TO_READER = {
    Cause.FULL: "the disk is full, and the ledger can't be read without its index",
    Cause.READ_ONLY: "the ledger can't be read where its index may not be written",
    Cause.LOCKED: "another program has locked the ledger; try again once it is done",
    Cause.NEWER: "a newer version of this program made the ledger",
    Cause.INPUT_OUTPUT: "the ledger can't be read from its disk",
    Cause.NO_PERMISSION: "this user has no permission to read the ledger",
    Cause.NO_FILE: "what lies in the ledger's place is no file",
}

_NO_FOLDER_MADE = "the folder for the ledger can't be made; rolls are not recorded"

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}

_BY_CODE = {
    sqlite3.SQLITE_FULL: Cause.FULL,
    sqlite3.SQLITE_READONLY: Cause.READ_ONLY,
    sqlite3.SQLITE_PERM: Cause.READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: Cause.READ_ONLY,
    sqlite3.SQLITE_BUSY: Cause.LOCKED,
    sqlite3.SQLITE_LOCKED: Cause.LOCKED,
    sqlite3.SQLITE_CORRUPT: Cause.DAMAGED,
    sqlite3.SQLITE_NOTADB: Cause.NO_DATABASE,
    # A table, column or value of ours that is not as we made it:
    sqlite3.SQLITE_ERROR: Cause.DAMAGED,
    sqlite3.SQLITE_CONSTRAINT: Cause.DAMAGED,
    sqlite3.SQLITE_MISMATCH: Cause.DAMAGED,
}

FEW_BLOCKS = 16
"""Free blocks of a disk below which a failed write means that it is full."""

_PRIMARY = 0xFF
"""Mask that leaves SQLite's primary result code of an extended one (sqlite.org/rescode.html)."""


def fault(cause: Cause, detail: object = "") -> Fault:
    """Return a fault with its sentence."""
    return Fault(cause, _SENTENCES[cause], str(detail))


def fault_of(error: sqlite3.Error | OSError | UnicodeError) -> Fault:
    """Return the fault behind an error of the database or of the operating system.

    Raises:
        sqlite3.ProgrammingError: the program misused the database; no disk is at fault.
    """
    match error:
        case sqlite3.ProgrammingError():
            raise error
        case OSError():
            return fault(_cause_of_os(error), error.strerror or error)
        case UnicodeError():
            return fault(Cause.DAMAGED, error)
        case _:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
            return fault(_BY_CODE.get(code & _PRIMARY, Cause.INPUT_OUTPUT), error)


def unmade(error: OSError) -> Fault:
    """Return the fault behind a folder or a lock in it that could not be made."""
    found = fault_of(error)
    if found.cause is not Cause.NO_FOLDER:
        return found
    return Fault(found.cause, _NO_FOLDER_MADE, found.detail)


def require_file(path: Path) -> None:
    """Check that a path leads to a file or to nothing: to open a pipe would wait for ever.

    Raises:
        UnavailableError: something else lies there.
        OSError: that can't be told.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        what = _KINDS.get(stat.S_IFMT(mode), "something else")
        told = f"{path.name} is {what}, not a file; rolls are not recorded"
        raise UnavailableError(Fault(Cause.NO_FILE, told))


def refined(found: Fault, folder: Path) -> Fault:
    """Return a fault with the cause that the disk itself tells, where the database's is vague.

    SQLite reports a log or an index that can't be made or grown on a full disk as a file that
    can't be opened, or as an error of input and output.
    """
    if found.cause not in (Cause.READ_ONLY, Cause.INPUT_OUTPUT):
        return found
    try:
        disk = os.statvfs(folder)
    except OSError:
        return found
    if disk.f_flag & os.ST_RDONLY:
        return fault(Cause.READ_ONLY, found.detail)
    return fault(Cause.FULL, found.detail) if disk.f_bavail < FEW_BLOCKS else found


def _cause_of_os(error: OSError) -> Cause:
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return Cause.FULL
        case errno.EROFS:
            return Cause.READ_ONLY
        case errno.EACCES | errno.EPERM:
            return Cause.NO_PERMISSION
        case errno.ENOENT | errno.ENOTDIR | errno.EEXIST:
            return Cause.NO_FOLDER
        case _:
            return Cause.INPUT_OUTPUT


@contextmanager
def boundary() -> Iterator[None]:
    """Turn errors of the database and of the operating system into `UnavailableError`."""
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeError) as error:
        raise UnavailableError(fault_of(error)) from error
