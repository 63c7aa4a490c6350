"""What SQLite does not see in a damaged write-ahead log: transactions behind a frame gone bad.

After a power cut SQLite reads the log up to the first frame whose checksum is wrong, and takes
the rest for a transaction that was never finished. Where a bit flipped, the rest may be
transactions that were committed, synced and told. A frame that goes on from the checksum of a
commit proves that this commit was on the disk before the next transaction began; a transaction
that was torn by a cut is the last one, and has no such follower (sqlite.org/walformat.html).

Nothing here may be called while this process has the database open: closing a file that SQLite
has locked would drop its locks (sqlite.org/howtocorrupt.html, 2.2).
"""

import shutil
import struct
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from rules.frozen import frozen

UNSEEN = "a damaged place in its log hides rows that were committed"
"""What is wrong where `unseen` says so."""

PAGE = 4096
"""Bytes of a page, which no ledger changes; with another size nothing is found."""

_HEADER, _FRAME = 32, 24
"""Bytes of the log's header, and of the one before each page."""

_INDEX = 48
"""Bytes of the index's header, which stands there twice."""

_WORD = 0xFFFF_FFFF


@frozen
class _Frame:
    """A page as a transaction wrote it; only the last one of a commit says it `commits`."""

    head: bytes
    page: bytes

    @property
    def number(self) -> int:
        return int.from_bytes(self.head[:4], "big")

    @property
    def commits(self) -> bool:
        return any(self.head[4:8])

    @property
    def checksum(self) -> tuple[int, int]:
        first, second = struct.unpack(">2I", self.head[16:24])
        return first, second

    def follows(self, other: "_Frame") -> bool:
        """Return whether this frame is whole and was written right after that one."""
        return _checksum(other.checksum, self.head[:8] + self.page) == self.checksum


def unseen(database: Path) -> bool:
    """Return whether the log holds transactions that were committed and that SQLite skips.

    Args:
        database: one that was read since it was last written to, so that its log's index stands.

    Raises:
        OSError: the log can't be read.
    """
    # The log comes first: of what it holds by then, an index that is read later knows.
    log, index = _part(database, "-wal"), _part(database, "-shm")
    once, twice = index[:_INDEX], index[_INDEX : 2 * _INDEX]
    if len(log) < _HEADER or len(twice) < _INDEX or once != twice:
        return False
    salts = once[32:40]
    if any(salts) and salts != log[16:24]:
        return False  # the log was begun anew meanwhile
    frames = _frames(log)
    seen = int.from_bytes(once[16:20], sys.byteorder)
    proven = any(one.commits and other.follows(one) for one, other in pairwise(frames[seen:]))
    # A log that is begun anew in its old place may be cut while all it held is in the database.
    return proven and not _holds(database, frames[: _committed(frames)])


def replay(database: Path, copy: Path) -> None:
    """Copy a database with all that was committed to its log, past frames gone bad.

    Raises:
        OSError: one can't be read, or the other not written.
    """
    frames = _frames(_part(database, "-wal"))
    shutil.copyfile(database, copy)
    with copy.open("r+b") as file:
        for frame in frames[: _committed(frames)]:
            if frame.number:
                file.seek((frame.number - 1) * PAGE)
                file.write(frame.page)


def _holds(database: Path, frames: Sequence[_Frame]) -> bool:
    """Return whether each page that the frames wrote stands in the database as they left it."""
    with database.open("rb") as file:
        for number, page in {frame.number: frame.page for frame in frames}.items():
            file.seek(max(0, number - 1) * PAGE)
            if file.read(PAGE) != page:
                return False
    return True


def _part(database: Path, ending: str) -> bytes:
    path = database.with_name(database.name + ending)
    return path.read_bytes() if path.exists() else b""


def _frames(log: bytes) -> list[_Frame]:
    """Return the frames of the log's present round, which share the salts of its header.

    Where the header is damaged they share those of the first frame.
    """
    size = _FRAME + PAGE
    places = range(_HEADER, len(log) - size + 1, size)
    whole = struct.pack(">2I", *_checksum((0, 0), log[:24])) == log[24:_HEADER]
    salts = log[16:24] if whole else log[_HEADER + 8 : _HEADER + 16]
    return [
        _Frame(log[place : place + _FRAME], log[place + _FRAME : place + size])
        for place in places
        if log[place + 8 : place + 16] == salts
    ]


def _committed(frames: Sequence[_Frame]) -> int:
    """Return how many frames, from the first, belong to transactions that were committed."""
    commits = [number for number, frame in enumerate(frames, 1) if frame.commits]
    if not commits or commits[-1] < len(frames):
        return commits[-1] if commits else 0
    begin = commits[-2] if len(commits) > 1 else 0
    last = frames[max(0, begin - 1) :]
    whole = all(other.follows(one) for one, other in pairwise(last))
    return commits[-1] if whole else begin


def _checksum(start: tuple[int, int], data: bytes) -> tuple[int, int]:
    """Return the log's checksum of some bytes, which goes on from the one before."""
    first, second = start
    words = iter(struct.unpack(f"={len(data) // 4}I", data))
    for one, other in zip(words, words, strict=True):
        first = (first + one + second) & _WORD
        second = (second + other + first) & _WORD
    return first, second
