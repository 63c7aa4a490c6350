"""Which disk a folder lies on, as the kernel's table of mounts tells, and whether it is one."""

import os
import re
from pathlib import Path, PurePosixPath

from rules.frozen import frozen

TABLE = Path("/proc/self/mounts")
"""The kernel's table; what a service sees of /proc has it, even where it sees little else."""

IN_MEMORY = ("overlay", "tmpfs", "ramfs")
"""File systems whose changes end with the power."""

_FIELDS = 3
"""What is used of a line: the device, where it is mounted, and its kind (fstab(5))."""

_ESCAPED = re.compile(r"\\([0-7]{3})")
"""How the table writes a space, a tab, a line's end and the backslash in a name."""


@frozen
class Mount:
    """Where a file system is mounted, and of which kind it is; empty where nothing tells."""

    place: str = "/"
    kind: str = ""

    @property
    def in_memory(self) -> bool:
        """Whether what is written there ends with the power."""
        return self.kind in IN_MEMORY


def mount_of(path: str, table: str) -> Mount:
    """Return the mount that a path without links lies on.

    Args:
        path: an absolute one.
        table: the text of /proc/mounts.
    """
    best = Mount()
    for line in table.splitlines():
        fields = line.split()
        if len(fields) < _FIELDS:
            continue
        place = _ESCAPED.sub(lambda octal: chr(int(octal[1], 8)), fields[1])
        # Of two on one place, the later one lies on top.
        if PurePosixPath(path).is_relative_to(place) and len(place) >= len(best.place):
            best = Mount(place, fields[2])
    return best


def shortcoming(folder: Path, table: Path = TABLE) -> str:
    """Return what is wrong with keeping a ledger in a folder; empty where nothing is, or tells."""
    try:
        text = table.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    if not mount_of(os.path.realpath(folder), text).in_memory:
        return ""
    return f"{folder} is kept in memory: what is recorded is lost with the power"
