"""What a soak has around a station: a clock to skip, what may break, and who reads the log."""

import errno
import hashlib
import logging
import os
import random
import re
import resource
import sqlite3
import struct
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hardware.clock import SECOND, Clock, Nanoseconds, monotonic
from hardware.controls.simulated import VirtualClock
from hardware.display.interface import PanelSettings
from hardware.display.simulated_bus import SimulatedI2cBus, simulated_chip
from hardware.entropy.simulated import SimulatedSource
from hardware.serialport.simulated import Cable
from station.ledger.reader import Reader

MOST_OFFENCES = 20
"""Wrong lines of the log that are kept; the others are counted."""

ERRNOS = (errno.EREMOTEIO, errno.EIO, errno.ENXIO, errno.ETIMEDOUT, errno.ENODEV)
"""How the kernel says that a transfer failed."""


DISK = {"full", "failing", "locked"}
"""The faults in which a roll is not recorded."""

RARER = "; it changes often: from now on it is told more rarely"
UNRECORDED = "rolls are not recorded"
"""What is written of a part that comes and goes, and of a ledger that fails."""

UNREAD = r"nobody reads at .*"
OPEN = r"\S+#\d+ is open"
AWAY = r".* is turned away: \d+ clients are served"
"""What is written of a line that nobody reads, and of a local program that connected."""


class SkippedClock(VirtualClock):
    """Goes on as the machine's does, and further by what is skipped.

    So that whoever waits for a point in time, on whatever thread, meets it in the end.
    """

    def __call__(self) -> Nanoseconds:
        return Nanoseconds(monotonic() + super().__call__())


class Log(logging.Handler):
    """Reads each line of the log: a line that no fault of late accounts for is an offence."""

    ACCOUNTS = (
        (UNREAD, {"unread"}),
        (AWAY, {"crowd"}),
        (r"a \w+ at the table is not recorded: .*", {"full", "failing", "locked", "decided"}),
        (r"\S+/cable is closed: stopped", {"ended"}),
        (r"\S+/cable is closed: .*", {"unplugged"}),
        (r"\S+/cable is open", {"unplugged"}),
        (OPEN, {"client", "crowd"}),
        (r"\S+#\d+ is closed: .*", {"client", "crowd"}),
        (r"roll \d+ was revealed by row \d+", {"none"}),
        (r"display is lost: (nothing answers at 0x3C on |/dev/i2c-1 (hangs|failed)).*", {"panel"}),
        (rf"display is ok again({RARER})?", {"panel", "begun"}),
        (rf"display is degraded: the panel has not answered yet({RARER})?", {"begun"}),
        (r"entropy is (degraded|lost): hwrng is in its start-up test.*", {"generator", "begun"}),
        (r"entropy is (degraded|lost): .*hwrng.*", {"generator"}),
        (rf"entropy is ok again({RARER})?", {"generator", "begun"}),
        (rf"ledger is lost: the disk is full; {UNRECORDED}({RARER})?", {"full", "failing"}),
        (rf"ledger is lost: the ledger's disk failed; {UNRECORDED}({RARER})?", {"failing"}),
        (rf"ledger is lost: another program has locked .*({RARER})?", {"locked"}),
        (rf"ledger is ok again({RARER})?", DISK),
    )
    """What is written, and the faults (and acts) that account for it."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lately = {"none"}
        """The faults since it was last quiet."""
        self.lines: Counter[str] = Counter()
        self.offences: list[str] = []

    def connected(self) -> int:
        """Return how many local programs the station has noticed so far."""
        return self.lines[OPEN] + self.lines[AWAY]

    def emit(self, record: logging.LogRecord) -> None:
        told = record.getMessage()
        for pattern, faults in self.ACCOUNTS:
            if record.exc_info is None and re.fullmatch(pattern, told):
                if faults & self.lately:
                    self.lines[pattern] += 1
                    return
                break
        self.offence(f"{record.levelname} {record.name}: {self.format(record)}")

    def offence(self, told: str) -> None:
        """Note something that should not be."""
        self.lines["offence"] += 1
        if len(self.offences) < MOST_OFFENCES:
            self.offences.append(f"{told} (lately: {sorted(self.lately)})")


class Fault:
    """Something that can be broken and mended again."""

    name = ""

    def strike(self, chance: random.Random) -> None:
        """Break it."""

    def mend(self) -> None:
        """Have it work again, whether it was broken or not."""


class Panel(Fault):
    """Transfers fail once, or the panel is pulled in the middle of one."""

    name = "panel"

    def __init__(self, settings: PanelSettings, seed: int) -> None:
        chip = simulated_chip(settings, random.Random(seed))  # noqa: S311 - memory at power-on
        self.bus = SimulatedI2cBus(chip, settings.address)

    def strike(self, chance: random.Random) -> None:
        after, error = chance.randrange(1100), chance.choice(ERRNOS)
        if chance.random() < 0.5:
            self.bus.fail(after, error)
        else:
            self.bus.unplug(after, error)

    def mend(self) -> None:
        self.bus.mend()
        if not self.bus.plugged:
            self.bus.plug()


class Generator(Fault):
    """The hardware generator falls silent, is refused, pulled, or gives the same for ever."""

    name = "generator"

    def __init__(self, seed: int, clock: Clock) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - the point is that it repeats
        self._mended = threading.Event()
        self._waits = 0
        self.source = SimulatedSource(self._bytes(), clock, self._pause)
        # The verdicts are to look as honest ones do.
        self.source.test = False

    def _bytes(self) -> Iterator[int]:
        while True:
            yield from self._chance.randbytes(64)

    def _pause(self, span: Nanoseconds) -> None:
        """Let a read wait in vain, until its deadline or until the source is mended."""
        self._waits += 1
        self._mended.wait(span / SECOND)
        self._waits -= 1

    @property
    def in_vain(self) -> bool:
        """Whether a read still waits: that it failed will show only afterwards."""
        return self._waits > 0

    def strike(self, chance: random.Random) -> None:
        self._mended.clear()
        match chance.randrange(4):
            case 0:
                self.source.refusal = "has no generator behind it"
            case 1:
                self.source.pulled_after = chance.randrange(64)
            case 2:
                self.source.stream = iter(lambda: 7, None)
            case _:
                self.source.silent = True

    def mend(self) -> None:
        self.source.refusal, self.source.silent = "", False
        self.source.pulled_after = None
        self.source.stream = self._bytes()
        self._mended.set()

    def forget(self) -> None:
        """Let go of what the simulation remembers of each read."""
        self.source.asked.clear()
        self.source.given.clear()


class Full(Fault):
    """The database may not grow: SQLite's own "database or disk is full"."""

    name = "full"
    MOST = 4_294_967_294

    def __init__(self, owner: Any) -> None:
        self._owner = owner

    def strike(self, chance: random.Random) -> None:
        spare = chance.randrange(3)
        self._owner(lambda db: db.execute(f"PRAGMA max_page_count = {_pages(db) + spare}"))

    def mend(self) -> None:
        self._owner(lambda db: db.execute(f"PRAGMA max_page_count = {self.MOST}"))


def _pages(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA page_count").fetchone()[0])


class Failing(Fault):
    """No file may be written to: every write(2) to the disk fails."""

    name = "failing"

    def strike(self, chance: random.Random) -> None:
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        # From somewhere in the log on, so that a commit also fails half way.
        resource.setrlimit(resource.RLIMIT_FSIZE, (chance.choice([0, 4096, 40_000]), hard))

    def mend(self) -> None:
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


class Locked(Fault):
    """Another program is writing to the database, and takes its time."""

    name = "locked"

    def __init__(self, path: Path) -> None:
        self._other = sqlite3.connect(path, isolation_level=None, timeout=1.0)

    def strike(self, chance: random.Random) -> None:
        # It may find it locked by the station: then there is no fault this time.
        with suppress(sqlite3.OperationalError):
            self._other.execute(chance.choice(["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"]))

    def mend(self) -> None:
        if self._other.in_transaction:
            self._other.execute("ROLLBACK")

    def close(self) -> None:
        self._other.close()


class Line(Fault):
    """The serial cable is pulled."""

    name = "unplugged"

    def __init__(self, cable: Cable) -> None:
        self.cable = cable
        self.cut = False

    def strike(self, _: random.Random) -> None:
        self.cable.unplug()
        self.cut = True

    def mend(self) -> None:
        self.cable.plug()

    def was_cut(self) -> bool:
        """Return whether it was pulled since this was last asked."""
        was, self.cut = self.cut, False
        return was


class Receipts:
    """What the station acknowledged, kept where it takes no memory of this process."""

    FORM = struct.Struct("<QB32s")
    CHAINED, SHOWN = 0, 1

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: list[bytes] = []

    def told(self, seq: int, chained: str) -> None:
        """Note a roll with the hash that a reply gave."""
        self._waiting.append(self.FORM.pack(seq, self.CHAINED, bytes.fromhex(chained)))

    def shown(self, seq: int, pips: tuple[int, ...]) -> None:
        """Note a roll with the faces that the panel showed."""
        digest = hashlib.sha256(bytes(pips)).digest()
        self._waiting.append(self.FORM.pack(seq, self.SHOWN, digest))

    def keep(self) -> None:
        """Write what waits to the disk."""
        with self._path.open("ab") as file:
            file.writelines(self._waiting)
        self._waiting.clear()

    def missing(self, ledger: Path) -> tuple[int, list[int]]:
        """Return how many rolls were acknowledged, and the rows that are not as they were told."""
        self.keep()
        count, wrong = 0, []
        with Reader.open(ledger) as reader, self._path.open("rb") as file:
            while packed := file.read(self.FORM.size):
                seq, kind, digest = self.FORM.unpack(packed)
                row = reader.row(seq)
                count += 1
                found = b""
                if row is not None:
                    pips = hashlib.sha256(bytes(row.pips)).digest()
                    found = row.hash if kind == self.CHAINED else pips
                if found != digest:
                    wrong.append(seq)
        return count, wrong


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a process holds: bytes of memory in use, open descriptors, threads."""

    resident: int
    descriptors: int
    threads: int

    @classmethod
    def now(cls) -> "Footprint":
        """Measure this process."""
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return cls(
            pages * os.sysconf("SC_PAGESIZE"),
            len(os.listdir("/proc/self/fd")),  # noqa: PTH208 - without a Path for each
            threading.active_count(),
        )

    def plain(self) -> dict[str, int]:
        return {
            "resident": self.resident,
            "descriptors": self.descriptors,
            "threads": self.threads,
        }
