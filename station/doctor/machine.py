"""The narrow way by which a machine is looked at: its files, its commands, its devices."""

import importlib.util
import os
import pwd
import stat
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Protocol

from hardware.display.interface import PanelSettings
from hardware.errors import HardwareError
from rules.frozen import frozen

PATIENCE_S = 5
"""Seconds that a command may take."""

MOST_READ = 64 * 1024
"""Bytes of a file that are looked at; those of the kernel are far shorter."""


@frozen
class Owned:
    """Whom a file belongs to, and its permission bits (0–0o777)."""

    uid: int
    gid: int
    mode: int
    folder: bool = False


@frozen
class Ran:
    """What a command printed, and its exit status."""

    status: int
    output: str


@frozen
class ChipSeen:
    """A GPIO chip: its label, and who holds each line that is held."""

    label: str
    holders: Mapping[int, str]


@frozen
class Disk:
    """The disk below a folder."""

    read_only: bool
    free_bytes: int


class Machine(Protocol):
    """What is asked of a machine; paths are absolute and its own."""

    environ: Mapping[str, str]
    python: tuple[int, int]

    def read(self, path: str) -> bytes | None:
        """Return the beginning of a file, None where it is missing or may not be read."""

    def names(self, folder: str) -> tuple[str, ...]:
        """Return what lies in a folder, in order; nothing where there is none."""

    def target(self, path: str) -> str:
        """Return the path without a link at its end."""

    def owned(self, path: str) -> Owned | None:
        """Return whom it belongs to, None where it is missing."""

    def disk(self, path: str) -> Disk | None:
        """Return the disk of a folder, None where it is missing."""

    def place(self, path: str) -> Path:
        """Return where this program finds the file."""

    def run(self, *command: str) -> Ran | None:
        """Run a command; None where it is missing or takes too long."""

    def has_module(self, name: str) -> bool:
        """Return whether Python could import it."""

    def chip(self, path: str) -> ChipSeen:
        """Return what a GPIO chip says of itself; OSError or ImportError where it cannot."""

    def unanswered(self, panel: PanelSettings) -> str:
        """Return why a panel on I2C gives no answer; empty when it does."""

    def font_problem(self) -> str:
        """Return why the panel's font cannot be drawn; empty when it can."""

    def user(self) -> str:
        """Return the name of who asks."""

    def ids(self) -> tuple[int, frozenset[int]]:
        """Return the numbers of who asks and of all groups that count now."""

    def now(self) -> datetime:
        """Return the wall clock's time."""


class LinuxMachine:
    """This machine, or what of it lies below another root."""

    def __init__(self, environ: Mapping[str, str], root: Path = Path("/")) -> None:
        self.environ = environ
        self.python = (sys.version_info.major, sys.version_info.minor)
        self._root = root

    def read(self, path: str) -> bytes | None:
        """Return the beginning of a file; see `Machine`."""
        place = self.place(path)
        try:
            if not stat.S_ISREG(place.stat().st_mode):
                return None
            with place.open("rb") as file:
                return file.read(MOST_READ)
        except OSError:
            return None

    def names(self, folder: str) -> tuple[str, ...]:
        """Return what lies in a folder; see `Machine`."""
        try:
            return tuple(sorted(path.name for path in self.place(folder).iterdir()))
        except OSError:
            return ()

    def target(self, path: str) -> str:
        """Return the path without a link at its end; see `Machine`."""
        try:
            to = self.place(path).readlink()
        except OSError:
            return path
        # The folders of devices hold no links themselves, so names alone lead to the target.
        return os.path.normpath(PurePosixPath(path).parent / to)

    def owned(self, path: str) -> Owned | None:
        """Return whom it belongs to; see `Machine`."""
        try:
            found = self.place(self.target(path)).stat()
        except OSError:
            return None
        folder = stat.S_ISDIR(found.st_mode)
        return Owned(found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode) & 0o777, folder)

    def disk(self, path: str) -> Disk | None:
        """Return the disk of a folder; see `Machine`."""
        try:
            found = os.statvfs(self.place(path))
        except OSError:
            return None
        return Disk(bool(found.f_flag & os.ST_RDONLY), found.f_bavail * found.f_frsize)

    def place(self, path: str) -> Path:
        """Return where this program finds the file."""
        return self._root / path.lstrip("/")

    def run(self, *command: str) -> Ran | None:
        """Run a command; see `Machine`."""
        try:
            done = subprocess.run(  # noqa: S603 (our own fixed commands)
                command, capture_output=True, check=False, timeout=PATIENCE_S, text=True
            )
        except (OSError, subprocess.SubprocessError, UnicodeError):
            return None
        return Ran(done.returncode, done.stdout.strip())

    def has_module(self, name: str) -> bool:
        """Return whether Python could import it."""
        try:
            return importlib.util.find_spec(name) is not None
        except (ImportError, ValueError):
            return False

    def chip(self, path: str) -> ChipSeen:
        """Return what a GPIO chip says of itself; see `Machine`."""
        from hardware.controls.gpiod_chip import LinuxKernel  # noqa: PLC0415 (needs gpiod)

        chip = LinuxKernel().open(str(self.place(path)))
        try:
            info = chip.get_info()
            lines = [chip.get_line_info(offset) for offset in range(info.num_lines)]
        finally:
            chip.close()
        held = {line.offset: line.consumer or "the kernel" for line in lines if line.used}
        return ChipSeen(info.label, held)

    def unanswered(self, panel: PanelSettings) -> str:
        """Return why a panel on I2C gives no answer; see `Machine`."""
        from hardware.display import transport  # noqa: PLC0415 (needs luma, only here)

        try:
            bus = transport.open_i2c(panel)
        except HardwareError as error:
            return str(error).rstrip(".")
        try:
            bus.probe()
        except OSError as error:
            return error.strerror or str(error)
        finally:
            bus.close()
        return ""

    def font_problem(self) -> str:
        """Return why the panel's font cannot be drawn; see `Machine`."""
        try:
            from station.screens.canvas import SIZES, font  # noqa: PLC0415 (needs Pillow)

            for size in SIZES:
                font(size).getlength("0")
        except (ImportError, OSError) as error:
            return str(error)
        return ""

    def user(self) -> str:
        """Return the name of who asks, or the number where there is no name."""
        with suppress(KeyError):
            return pwd.getpwuid(os.geteuid()).pw_name
        return str(os.geteuid())

    def ids(self) -> tuple[int, frozenset[int]]:
        """Return the numbers of who asks and of all groups that count now."""
        return os.geteuid(), frozenset((os.getegid(), *os.getgroups()))

    def now(self) -> datetime:
        """Return the wall clock's time."""
        return datetime.now(UTC)
