"""Worlds for the controls: mock pins with hands on them, and a fake kernel with GPIO chips."""

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import pytest
from gpiod import ChipInfo, EdgeEvent, LineSettings
from gpiod.line import Direction, Value
from gpiod.line import Edge as Detect
from gpiod.line_info import LineInfo

from hardware.clock import Nanoseconds
from hardware.controls import factories
from hardware.controls.events import Edge
from hardware.controls.factories import PinBackend
from hardware.controls.gpio import GpioControls
from hardware.controls.simulated import SimulatedControls, VirtualClock


@dataclass(slots=True)
class Bench:
    """Controls on mock pins, with hands on them and a sink that remembers."""

    backend: PinBackend
    clock: VirtualClock
    edges: list[Edge] = field(default_factory=list)

    def controls(self) -> GpioControls:
        return GpioControls(self.backend, self.edges.append, self.clock)

    def hands(self) -> SimulatedControls:
        return SimulatedControls(self.backend.factory, pause=self.clock.advance)


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(Nanoseconds(1_000_000))


@pytest.fixture
def bench(clock: VirtualClock) -> Iterator[Bench]:
    """MockFactory.close keeps the pins' levels (gpiozero #1087), so it is reset as well."""
    backend = factories.build("mock")
    yield Bench(backend, clock)
    backend.factory.close()
    backend.factory.reset()


class FakeRequest:
    """Lines held on a fake chip; a pipe stands in for the kernel's queue of edges."""

    def __init__(self, chip: "FakeChip", config: Any, buffered: int | None) -> None:
        self._chip = chip
        self.settings: dict[int, LineSettings] = dict(config)
        self._buffered = buffered or 64
        self._queue: list[EdgeEvent] = []
        self._numbers = dict.fromkeys(self.settings, 0)
        self._readable, self._writable = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self.released = False

    @property
    def fd(self) -> int:
        return self._readable

    def get_value(self, line: int | str) -> Value:
        self._chip.check()
        with self._chip.lock:
            return Value.ACTIVE if self._chip.levels[int(line)] else Value.INACTIVE

    def set_value(self, line: int | str, value: Value) -> None:
        self._chip.check()
        self._chip.levels[int(line)] = value is Value.ACTIVE

    def reconfigure_lines(self, config: Any) -> None:
        self._chip.check()
        assert not self.released
        assert config.keys() <= self.settings.keys()
        self.settings.update(config)
        self._chip.drive_outputs(config)

    def read_edge_events(self, max_events: int | None = None) -> list[EdgeEvent]:
        self._chip.check()
        with self._chip.lock:
            os.read(self._readable, 65536)
            edges, self._queue = self._queue[:max_events], []
            return edges

    def release(self) -> None:
        if not self.released:
            self.released = True
            self._chip.requests.remove(self)
            os.close(self._readable)
            os.close(self._writable)

    def edge(self, line: int, *, high: bool, at: int) -> None:
        """What the kernel does when a line changes: the oldest edge goes if there is no room."""
        wanted = Detect.RISING if high else Detect.FALLING
        if self.settings[line].edge_detection in {wanted, Detect.BOTH}:
            self._numbers[line] += 1
            kind = EdgeEvent.Type.RISING_EDGE if high else EdgeEvent.Type.FALLING_EDGE
            number = self._numbers[line]
            self._queue.append(EdgeEvent(kind.value, at, line, number, number))
            del self._queue[: -self._buffered]
            self.wake()

    def wake(self) -> None:
        os.write(self._writable, b"!")


class FakeChip:
    """A chip like gpiod.Chip's: held lines are busy, and a vanished chip is ENODEV."""

    def __init__(self, label: str = "pinctrl-bcm2711", lines: int = 54) -> None:
        self.label = label
        self.levels = [True] * lines
        self.requests: list[FakeRequest] = []
        self.strangers: set[int] = set()
        self.lock = Lock()
        self.asked = 0
        self.gone = False
        self.closed = True

    def check(self) -> None:
        if self.gone:
            raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))

    def get_info(self) -> ChipInfo:
        self.check()
        return ChipInfo("gpiochip0", self.label, len(self.levels))

    def get_line_info(self, line: int | str) -> LineInfo:
        self.check()
        used = int(line) in self.strangers
        consumer = "fan" if used else ""
        return LineInfo(int(line), "", used, consumer, 1, False, 1, 1, 1, 1, False, 0)  # noqa: FBT003 (gpiod's own signature)

    def request_lines(
        self, config: Any, consumer: str | None = None, event_buffer_size: int | None = None
    ) -> FakeRequest:
        self.check()
        self.asked += 1
        assert consumer == "dice-station"
        held = self.strangers.union(*(request.settings for request in self.requests))
        for line in config:
            if line in held:
                raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
            if line >= len(self.levels):
                raise ValueError("line offset of out range")
        self.drive_outputs(config)
        request = FakeRequest(self, config, event_buffer_size)
        self.requests.append(request)
        return request

    def close(self) -> None:
        self.closed = True

    def drive_outputs(self, config: Any) -> None:
        for line, settings in config.items():
            if settings.direction is Direction.OUTPUT:
                self.levels[line] = settings.output_value is Value.ACTIVE

    def request_of(self, line: int) -> FakeRequest:
        return next(request for request in self.requests if line in request.settings)

    def drive(self, line: int, *, high: bool, at: int = 0) -> None:
        """The world's side: pull a line up or down."""
        with self.lock:
            if self.levels[line] != high:
                self.levels[line] = high
                self.request_of(line).edge(line, high=high, at=at)

    def vanish(self) -> None:
        self.gone = True
        for request in self.requests:
            request.wake()


class FakeKernel:
    """The chips there are, by path."""

    def __init__(self) -> None:
        self.chips = {"/dev/gpiochip0": FakeChip()}
        self.refuse: OSError | None = None
        self.opened = 0

    @property
    def chip(self) -> FakeChip:
        return self.chips["/dev/gpiochip0"]

    def paths(self) -> tuple[str, ...]:
        return tuple(self.chips)

    def open(self, path: str) -> FakeChip:
        self.opened += 1
        if self.refuse is not None:
            raise self.refuse
        self.chips[path].check()
        self.chips[path].closed = False
        return self.chips[path]


@pytest.fixture
def kernel() -> FakeKernel:
    return FakeKernel()
