"""What the tests of clients share.

A cable between two ptys with faults at will, a station at its one end with a person in front of
it, and other people's programs at its other end.
"""

import os
import pty
import random
import select
import shutil
import sys
import tempfile
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pexpect  # type: ignore[import-untyped]  # it has no types
import pytest

from hardware.controls.events import Control
from hardware.controls.factories import PinBackend
from hardware.controls.simulated import SimulatedControls
from hardware.display.interface import Backend
from rules.registry import DEFAULT, Registry
from station.appliance import appliance
from station.config import Config, load
from station.foundation import foundation
from station.inbox import Item, Stop
from station.ledger.faults import DATABASE
from station.ledger.reader import Reader
from station.ledger.rows import Row
from station.notify import Notifier
from station.ports import PortConfig, ServiceConfig

CLIENTS = Path(__file__).parent
ROOT = CLIENTS.parents[1]
TOOLS = ROOT / ".venv" / "clients"
"""Where `make clients-test` installs what is not Python of the test environment."""

SOON = 20.0
"""Seconds within which something must have come; only a failing test waits so long."""

HELD = 4096
"""Bytes that the cable holds in each direction, as much as a pty does."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "clients: needs other people's programs; `make clients-test`"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what needs tools that `make test` does not install, unless it is asked for."""
    if "clients" in config.option.markexpr:
        return
    mine = [item for item in items if item.path.is_relative_to(CLIENTS)]
    left_out = [item for item in mine if item.get_closest_marker("clients")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


class End:
    """One end of the cable: a pty under a name that stays when it is plugged in again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fd = -1
        self._near = -1

    def plug(self) -> None:
        self.fd, self._near = pty.openpty()
        # Until a program sets the port up, the pty would echo like a terminal.
        tty.setraw(self._near)
        os.set_blocking(self.fd, False)
        self.path.symlink_to(os.ttyname(self._near))

    def unplug(self) -> None:
        fd, near, self.fd, self._near = self.fd, self._near, -1, -1
        self.path.unlink()
        os.close(near)
        os.close(fd)


class CutError(Exception):
    """The cable is pulled out once `passed` has arrived."""

    def __init__(self, passed: bytes) -> None:
        super().__init__()
        self.passed = passed


class Cut:
    """Lets so many bytes through, once it is armed; the rest of what was sent with them is lost."""

    def __init__(self) -> None:
        self.left: int | None = None
        self.replug = False

    def __call__(self, data: bytes) -> bytes:
        if self.left is None:
            return data
        passed, self.left = data[: self.left], self.left - len(data)
        if self.left >= 0:
            return passed
        self.left = None
        if self.replug:
            raise CutError(passed)
        return passed


class Noise:
    """Harms bytes: flips a bit, puts another, doubles, drops. The same seed harms the same ones.

    Args:
        seed: of the chances.
        harm: the chance (0 to 1) that a byte comes to harm.
    """

    def __init__(self, seed: int, harm: float) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - must come out the same in each run
        self.harm = harm

    def __call__(self, data: bytes) -> bytes:
        return b"".join(map(self._harmed, data)) if self.harm else data

    def _harmed(self, byte: int) -> bytes:
        if self.chance.random() >= self.harm:
            return bytes((byte,))
        match self.chance.randrange(4):
            case 0:
                return bytes((byte ^ 1 << self.chance.randrange(8),))
            case 1:
                return bytes((self.chance.randrange(256),))
            case 2:
                return bytes((byte, byte))
            case _:
                return b""


class Way:
    """One direction of the cable."""

    def __init__(self, source: End, sink: End, harm: Callable[[bytes], bytes] = bytes) -> None:
        self.source = source
        self.sink = sink
        self.harm = harm
        self.waiting = bytearray()

    def take(self) -> None:
        self.waiting += self.harm(os.read(self.source.fd, HELD))

    def give(self) -> None:
        del self.waiting[: os.write(self.sink.fd, self.waiting)]

    def arrive(self, data: bytes) -> None:
        """Let bytes arrive, and leave the program at the other end time to read them."""
        os.write(self.sink.fd, self.waiting + data)
        self.waiting.clear()
        time.sleep(OFTEN)


class Cable:
    """A serial cable: the station opens `station`, a client opens `client`.

    What it does not simulate: the baud rate, and modem lines.
    """

    def __init__(self, folder: Path) -> None:
        self._station = End(folder / "station-port")
        self._client = End(folder / "client-port")
        self._replies = HalfReply()
        self._requests = Cut()
        self._noise = (Noise(1, 0.0), Noise(2, 0.0))
        self._wake = os.pipe()
        self._thread: threading.Thread | None = None
        self.plug()

    @property
    def station(self) -> str:
        return str(self._station.path)

    @property
    def client(self) -> str:
        return str(self._client.path)

    def cut_next_reply(self) -> None:
        """Let only half of the station's next answer to a roll through."""
        self._replies.armed = True

    def cut_request(self, after: int, *, replug: bool) -> None:
        """Let only so many bytes of what the client sends next through; perhaps plug in anew."""
        self._requests.replug = replug
        self._requests.left = after

    def be_noisy(self, harm: float) -> None:
        """Harm so many of the bytes, either way; 0 for none."""
        for noise in self._noise:
            noise.harm = harm

    @property
    def has_cut(self) -> bool:
        """Whether what was to be cut was cut."""
        return not self._replies.armed and self._requests.left is None

    def plug(self) -> None:
        self._station.plug()
        self._client.plug()
        self._thread = threading.Thread(target=self._carry, name="cable")
        self._thread.start()

    def unplug(self) -> None:
        if self._thread is not None:
            os.write(self._wake[1], b"!")
            self._thread.join()
            self._thread = None
            self._station.unplug()
            self._client.unplug()

    def close(self) -> None:
        self.unplug()
        for end in self._wake:
            os.close(end)

    def _carry(self) -> None:
        out, back = self._noise
        there = Way(self._client, self._station, lambda data: out(self._requests(data)))
        ways = (there, Way(self._station, self._client, lambda data: back(self._replies(data))))
        while True:
            full = [way for way in ways if len(way.waiting) >= HELD]
            reading = {way.source.fd: way for way in ways if way not in full}
            writing = {way.sink.fd: way for way in ways if way.waiting}
            readable, writable, _ = select.select([self._wake[0], *reading], list(writing), [])
            if self._wake[0] in readable:
                os.read(self._wake[0], 1)
                return
            for fd in writable:
                writing[fd].give()
            try:
                for fd in readable:
                    reading[fd].take()
            except CutError as cut:
                there.arrive(cut.passed)
                for end in (self._station, self._client):
                    end.unplug()
                    end.plug()


class HalfReply:
    """Cuts an answer to a roll in half, once it is armed; all else passes."""

    def __init__(self) -> None:
        self.armed = False
        self._line = b""

    def __call__(self, data: bytes) -> bytes:
        if not (self.armed or self._line):
            return data
        out = b""
        *lines, self._line = (self._line + data).split(b"\n")
        for line in lines:
            if self.armed and line.startswith((b"ok @", b'{"jsonrpc":"2.0","result":{"seq"')):
                out += line[: len(line) // 2]
                self.armed = False
            else:
                out += line + b"\n"
        if not self.armed:
            out, self._line = out + self._line, b""
        return out


PRESS = 0.06
"""Seconds that a finger stays on a button."""

OFTEN = 0.01
"""Seconds between two looks at what is waited for."""


def wait_for(what: Callable[[], Any], timeout: float = SOON) -> Any:
    """Return what something gives as soon as it is true.

    Raises:
        TimeoutError: it never was.
    """
    deadline = time.monotonic() + timeout
    while not (found := what()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing within {timeout} s")
        time.sleep(OFTEN)
    return found


class Table:
    """A whole station on mock pins, run as the daemon runs it, and a person in front of it."""

    def __init__(self, folder: Path, ports: tuple[str, ...], registry: Registry) -> None:
        self.folder = folder
        self.socket = folder / "socket"
        self._ports = ports
        self._registry = registry
        self._inbox: SimpleQueue[Item] = SimpleQueue()
        self.pins: PinBackend | None = None
        self._fault: BaseException | None = None
        self._serving = threading.Event()
        self._thread = threading.Thread(target=self._run, name="station")

    def start(self) -> None:
        self._thread.start()
        wait_for(lambda: self._serving.is_set() or self._fault)
        if self._fault is not None:
            raise self._fault

    def stop(self) -> None:
        self._inbox.put(Stop())
        self._thread.join()

    def press(self) -> None:
        """Press ROLL once."""
        hands = self.hands()
        hands.press(Control.ROLL)
        time.sleep(PRESS)
        hands.release(Control.ROLL)

    def hands(self) -> SimulatedControls:
        """Return hands on the station's controls."""
        if self.pins is None:
            raise RuntimeError("the station has no pins")
        return SimulatedControls(self.pins.factory)

    def roll(self) -> Row:
        """Press ROLL until a roll was made, and return it; a verdict on the panel takes a press."""
        before = len(self.rolls())
        deadline = time.monotonic() + SOON
        while len(rolls := self.rolls()) == before and time.monotonic() < deadline:
            self.press()
            with suppress(TimeoutError):
                wait_for(lambda: len(self.rolls()) > before, 0.3)
        return rolls[before]

    def rolls(self) -> list[Row]:
        """Return the rolls in the ledger, as another program reads them."""
        return self.rows("roll")

    def rows(self, kind: str) -> list[Row]:
        """Return the ledger's rows of a kind."""
        with Reader.open(self.folder / DATABASE) as reader:
            return [row for row in reader.rows() if row.kind == kind]

    def _config(self) -> Config:
        config = load(None, {"HOME": str(self.folder)})
        ports = tuple(PortConfig(port) for port in self._ports)
        return replace(
            config,
            state_folder=self.folder,
            service=ServiceConfig(ports, self.socket),
            controls=replace(config.controls, backend="mock"),
            display=replace(config.display, backend=Backend.MEMORY),
        )

    def _run(self) -> None:
        try:
            config = self._config()
            with (
                foundation(config, self._inbox, registry=self._registry) as base,
                appliance(base, Notifier()) as station,
            ):
                wait_for(lambda: all(state.is_open for state in station.service.states()))
                self.pins = station.pins
                self._serving.set()
                station.runner.run()
        except BaseException as fault:  # noqa: BLE001 - told by the thread that waits for it
            self._fault = fault


@pytest.fixture
def on_tmpfs() -> Iterator[Path]:
    """A folder in memory, where a commit costs no disk."""
    shm = Path("/dev/shm")  # noqa: S108 - the folder below is made for this test alone
    folder = Path(tempfile.mkdtemp(prefix="dice-", dir=shm if shm.is_dir() else None))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def lay_table(on_tmpfs: Path) -> Iterator[Callable[..., Table]]:
    """Start a station: ``lay_table(port, …, registry=…)``; it is stopped after the test."""
    laid: list[Table] = []

    def lay(*ports: str, registry: Registry = DEFAULT) -> Table:
        table = Table(on_tmpfs, ports, registry)
        table.start()
        laid.append(table)
        return table

    yield lay
    for table in laid:
        table.stop()


@pytest.fixture
def table(lay_table: Callable[..., Table], cable: "Cable") -> Table:
    """A station at the one end of the cable."""
    return lay_table(cable.station)


@pytest.fixture
def run() -> Iterator[Callable[..., "pexpect.spawn[str]"]]:
    """Start a program with a terminal of its own: ``run(program, argument, …)``."""
    running: list[pexpect.spawn[str]] = []

    def start(program: str | Path, *arguments: str | Path, **more: Any) -> "pexpect.spawn[str]":
        child = pexpect.spawn(
            str(program),
            [str(argument) for argument in arguments],
            encoding="utf-8",
            timeout=SOON,
            echo=False,
            dimensions=(40, 200),
            **more,
        )
        child.delaybeforesend = None
        running.append(child)
        return child

    yield start
    for child in running:
        child.close(force=True)


@pytest.fixture
def python() -> Path:
    """The interpreter that the tests run in."""
    return Path(sys.executable)


@pytest.fixture
def noise() -> type[Noise]:
    """What harms bytes: ``noise(seed, harm)``."""
    return Noise


@pytest.fixture
def cable(tmp_path: Path) -> Iterator[Cable]:
    cable = Cable(tmp_path)
    yield cable
    cable.close()
