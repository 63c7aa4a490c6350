"""Rolls on a ledger and writes down every write, sync and acknowledgement in their order.

    python recorded_roller.py FOLDER TRACE ROLLS [SYNCHRONOUS]

The calls that SQLite makes to its file system are caught inside this process: the default VFS
of the SQLite library that Python uses gets another `xOpen` and `xDelete`, and each file that it
opens gets a table of methods with other `xWrite`, `xTruncate` and `xSync`, which note what they
are told and pass it on (sqlite.org/c3ref/vfs.html, sqlite.org/c3ref/io_methods.html). TRACE is a
pickled list of tuples: ``("open", name, created)``, ``("write", name, offset, data)``,
``("truncate", name, size)``, ``("sync", name)``, ``("delete", name, synced)``,
``("ack", key, seq, hash)``.
"""

import ctypes
import os
import pickle
import re
import sqlite3
import sys
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from pathlib import Path
from typing import Any, ClassVar

from station.ledger import TABLE, Key, Ledger, Moment, changed, open_ledger
from station.ledger.rows import Entry, rolled

NO_LIBRARY = 3
"""Exit status where Python's SQLite can't be reached from outside."""

CREATE = 0x4
"""SQLITE_OPEN_CREATE."""

OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))
DELETE = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
WRITE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
TRUNCATE = CFUNCTYPE(c_int, c_void_p, c_int64)
SYNC = CFUNCTYPE(c_int, c_void_p, c_int)


class Vfs(Structure):
    """The beginning of `sqlite3_vfs`."""

    _fields_: ClassVar = [
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", OPEN),
        ("delete", DELETE),
    ]


class Methods(Structure):
    """`sqlite3_io_methods`."""

    _fields_: ClassVar = [
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", WRITE),
        ("truncate", TRUNCATE),
        ("sync", SYNC),
        ("rest", c_void_p * 14),
    ]


class Recorder:
    """Stands between SQLite and its file system, and keeps the trace."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.trace: list[tuple[Any, ...]] = []
        self._names: dict[int, str] = {}
        self._kept: list[Any] = []
        self._tables: dict[int, Methods] = {}
        library.sqlite3_vfs_find.restype = POINTER(Vfs)
        vfs = library.sqlite3_vfs_find(None).contents
        self._open, self._delete = OPEN(address(vfs.open)), DELETE(address(vfs.delete))
        vfs.open, vfs.delete = self._keep(OPEN(self._opened)), self._keep(DELETE(self._deleted))

    def _keep(self, callback: Any) -> Any:
        self._kept.append(callback)
        return callback

    def _opened(self, vfs: int, name: int | None, file: int, flags: int, out: Any) -> int:
        # SQLite's file keeps the pointer to its name, so that very pointer has to be passed on.
        path = None if name is None else Path(ctypes.string_at(name).decode())
        created = bool(flags & CREATE) and path is not None and not path.exists()
        status: int = self._open(vfs, name, file, flags, out)
        methods = ctypes.cast(file, POINTER(c_void_p))
        if status == 0 and path is not None and methods[0]:
            self._names[file] = path.name
            self.trace.append(("open", self._names[file], created))
            methods[0] = ctypes.addressof(self._table(methods[0]))
        return status

    def _table(self, original: int) -> Methods:
        """Return the method table that stands in for one of SQLite's."""
        if original not in self._tables:
            theirs = Methods.from_address(original)
            ours = Methods.from_buffer_copy(theirs)
            ours.write = self._keep(WRITE(self._written(WRITE(address(theirs.write)))))
            ours.truncate = self._keep(TRUNCATE(self._cut(TRUNCATE(address(theirs.truncate)))))
            ours.sync = self._keep(SYNC(self._synced(SYNC(address(theirs.sync)))))
            self._tables[original] = ours
        return self._tables[original]

    def _written(self, real: Any) -> Any:
        def write(file: int, data: int, size: int, offset: int) -> int:
            self.trace.append(("write", self._names[file], offset, ctypes.string_at(data, size)))
            return int(real(file, data, size, offset))

        return write

    def _cut(self, real: Any) -> Any:
        def truncate(file: int, size: int) -> int:
            self.trace.append(("truncate", self._names[file], size))
            return int(real(file, size))

        return truncate

    def _synced(self, real: Any) -> Any:
        def sync(file: int, flags: int) -> int:
            status = int(real(file, flags))
            self.trace.append(("sync", self._names[file]))
            return status

        return sync

    def _deleted(self, vfs: int, name: bytes, synced: int) -> int:
        there = Path(name.decode()).exists()
        status: int = self._delete(vfs, name, synced)
        if there:
            self.trace.append(("delete", Path(name.decode()).name, bool(synced)))
        return status


def address(function: Any) -> int:
    """Return where a function of the library begins."""
    found = ctypes.cast(function, c_void_p).value
    if found is None:
        raise SystemExit("a method of SQLite's file system is missing")
    return found


def sqlite_library() -> ctypes.CDLL:
    """Return the SQLite library that Python's own module has loaded."""
    sqlite3.connect(":memory:").close()
    maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    found = re.search(r"(/\S*libsqlite3\.so\S*)", maps)
    if found is None:
        raise SystemExit(NO_LIBRARY)
    return ctypes.CDLL(found[1])


def roll(ledger: Ledger, recorder: Recorder, number: int) -> None:
    """Write a row and note that it was acknowledged."""
    key = Key.of(f"{number:08}", "", "roll", {})
    entry: Entry = rolled({"number": number}, (1 + number % 6,) * 9, "urandom", {"n": "x" * 300})
    table = None
    if number % 4 == 3:
        entry, table = changed({"act": "count"}), {"count": number}
    receipt = ledger.append(entry, Moment(number), key=key, table=table)
    if receipt.row is None:
        raise SystemExit(f"not recorded: {receipt.fault}")
    recorder.trace.append(("ack", key.text, receipt.row.seq, receipt.row.hash))


def main() -> None:
    folder, trace, rolls, *synchronous = sys.argv[1:]
    recorder = Recorder(sqlite_library())
    numbers = iter(range(int(rolls)))
    for part in range(2):
        opened = open_ledger(Path(folder), Moment(0), "lossy")
        ledger = opened.ledger
        if not isinstance(ledger, Ledger):
            raise SystemExit(str(ledger.fault))
        db = ledger._db  # noqa: SLF001 - the log is to be emptied within a few rolls, not 1,000
        db.execute("PRAGMA wal_autocheckpoint = 12")
        if synchronous:
            db.execute(f"PRAGMA synchronous = {synchronous[0]}")
        for _ in range(int(rolls) // 2):
            roll(ledger, recorder, next(numbers))
        if part == 0:
            opened.close()
    assert ledger.document(TABLE)
    Path(trace).write_bytes(pickle.dumps(recorder.trace))
    # Nothing is closed, as when the plug is pulled; closing would call into a dying interpreter.
    os._exit(0)


if __name__ == "__main__":
    main()
