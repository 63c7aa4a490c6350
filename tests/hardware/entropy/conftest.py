"""What the entropy tests share: streams with known faults, and a clock that only they move."""

import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hardware.clock import Nanoseconds
from hardware.entropy.sources import Pause

Stream = Iterator[int]


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """Fail a test that leaves a thread running."""
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) - before == set()


@pytest.fixture
def open_descriptors() -> Callable[[], int]:
    """Count the descriptors that this process holds."""
    return lambda: sum(1 for _ in Path("/proc/self/fd").iterdir())


class HandClock:
    """A monotonic clock that stands still until it is moved."""

    def __init__(self) -> None:
        self._now = 0

    def __call__(self) -> Nanoseconds:
        return Nanoseconds(self._now)

    def pass_time(self, span: Nanoseconds) -> None:
        self._now += span


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def pass_time(clock: HandClock) -> Pause:
    """Move the clock, as a source does by waiting."""
    return clock.pass_time


def fair(seed: int) -> Stream:
    """Give uniform bytes, the same for each seed."""
    generator = random.Random(seed)  # noqa: S311 - must come out the same in each run
    while True:
        yield generator.getrandbits(8)


def constant(byte: int) -> Stream:
    while True:
        yield byte


def period_two(first: int, second: int) -> Stream:
    while True:
        yield first
        yield second


def biased(seed: int, ones_in_ten: int) -> Stream:
    """Give bytes whose bits are independent and are one with a chance of `ones_in_ten` / 10."""
    generator = random.Random(seed)  # noqa: S311 - must come out the same in each run
    while True:
        byte = 0
        for _ in range(8):
            byte = byte << 1 | (generator.random() * 10 < ones_in_ten)
        yield byte


@pytest.fixture
def fair_stream() -> Callable[[int], Stream]:
    return fair


@pytest.fixture
def constant_stream() -> Callable[[int], Stream]:
    return constant


@pytest.fixture
def period_two_stream() -> Callable[[int, int], Stream]:
    return period_two


@pytest.fixture
def biased_stream() -> Callable[[int, int], Stream]:
    return biased
