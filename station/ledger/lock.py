"""One writer: a lock file beside the ledger that names the process which holds it."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import Self

from station.durable import hand_over
from station.ledger.errors import InUseError


class Lock:
    """A lock that lasts until it is closed or its process ends, however it ends."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @classmethod
    def take(cls, path: Path) -> Self:
        """Take the lock and write this process's id into its file.

        Raises:
            InUseError: another process holds it.
            OSError: the file can't be made.
        """
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = _pid(handle)
            os.close(handle)
            raise InUseError(pid, path.parent) from None
        except BaseException:
            os.close(handle)
            raise
        hand_over(path)
        # On a full disk the lock holds all the same; only its owner is not named.
        with suppress(OSError):
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        return cls(handle)

    def close(self) -> None:
        """Let another process take it; the file stays, so that no two can lock different ones."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def _pid(handle: int) -> int | None:
    text = os.pread(handle, 20, 0).strip()
    return int(text) if text.isdigit() else None
