import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PIL import Image

from hardware.display.factory import test_pattern as pattern
from hardware.display.interface import Brightness, FrameError
from hardware.display.link import DisplayHealth
from hardware.display.memory import MemoryDisplay
from hardware.display.service import DisplayService

PATIENCE = 10.0


class Slow(MemoryDisplay):
    """A display whose bus is held until it is let go, and that notes what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[bytes] = []
        self.levels: list[Brightness] = []
        self.entered = threading.Semaphore(0)
        self.go = threading.Semaphore(0)
        self.dimmed = threading.Semaphore(0)
        self.closed = threading.Event()
        self.error: Exception | None = None

    def show(self, image: Image.Image) -> None:
        self.entered.release()
        assert self.go.acquire(timeout=PATIENCE)
        if self.error is not None:
            raise self.error
        super().show(image)
        self.seen.append(image.tobytes())

    def dim(self, level: Brightness) -> None:
        super().dim(level)
        self.levels.append(level)
        self.dimmed.release()

    def close(self) -> None:
        super().close()
        self.closed.set()


class Told:
    def __init__(self) -> None:
        self.all: list[DisplayHealth] = []
        self._more = threading.Semaphore(0)

    def __call__(self, health: DisplayHealth) -> None:
        self.all.append(health)
        self._more.release()

    def next(self) -> DisplayHealth:
        assert self._more.acquire(timeout=PATIENCE)
        return self.all[-1]


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def service(slow: Slow, told: Told) -> Iterator[DisplayService]:
    service = DisplayService(slow, told)
    assert slow.entered.acquire(timeout=PATIENCE)
    yield service
    for _ in range(100):
        slow.go.release()
    service.close()
    assert not service.alive


def _marked(x: int) -> Image.Image:
    image = Image.new("1", (128, 64))
    image.putpixel((x, 0), 1)
    return image


def test_the_newest_frame_wins_and_the_caller_never_waits(
    service: DisplayService, slow: Slow, told: Told
) -> None:
    for x in range(20):
        service.submit(_marked(x))
    slow.go.release()
    assert told.next().found
    assert slow.entered.acquire(timeout=PATIENCE)
    slow.go.release()
    service.submit(_marked(77))
    assert slow.entered.acquire(timeout=PATIENCE)
    slow.go.release()
    service.close()
    blank = Image.new("1", (128, 64)).tobytes()
    assert slow.seen == [blank, _marked(19).tobytes(), _marked(77).tobytes()]


def test_a_frame_is_copied_when_it_is_submitted(service: DisplayService, slow: Slow) -> None:
    frame = pattern((128, 64))
    service.submit(frame)
    expected = frame.tobytes()
    frame.paste(1, (0, 0, 128, 64))
    slow.go.release()
    assert slow.entered.acquire(timeout=PATIENCE)
    slow.go.release()
    service.close()
    assert slow.seen[-1] == expected


def test_a_wrong_frame_is_refused_where_it_was_submitted(service: DisplayService) -> None:
    with pytest.raises(FrameError, match="mode 'L'"):
        service.submit(Image.new("L", service.size))


def test_brightness_goes_the_same_way(service: DisplayService, slow: Slow) -> None:
    service.dim(Brightness.DIM)
    slow.go.release()
    for _ in range(2):
        assert slow.dimmed.acquire(timeout=PATIENCE)
    service.close()
    assert slow.levels == [Brightness.FULL, Brightness.DIM]
    assert slow.level is Brightness.OFF


def test_close_switches_off_and_may_come_twice(
    service: DisplayService, slow: Slow, told: Told
) -> None:
    slow.go.release()
    told.next()
    assert service.alive
    service.close()
    service.close()
    assert slow.closed.is_set()
    assert not service.alive


def test_a_transfer_that_does_not_end_is_no_life(
    service: DisplayService, slow: Slow, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow.go.release()
    assert told.next().found
    service.submit(pattern((128, 64)))
    assert slow.entered.acquire(timeout=PATIENCE)
    assert service.alive
    monkeypatch.setattr("hardware.progress.HANGS_AFTER", -1)
    assert not service.alive
    hung = service.health
    assert hung is not None
    assert (hung.found, hung.reason) == (False, "its bus hangs: a transfer does not end")
    monkeypatch.undo()
    slow.go.release()
    service.close()


@pytest.mark.parametrize("error", [OSError("gone"), ZeroDivisionError("a fault")])
def test_the_thread_outlives_every_error_and_shows_the_frame_again(
    service: DisplayService,
    slow: Slow,
    told: Told,
    error: Exception,
    caplog: pytest.LogCaptureFixture,
) -> None:
    slow.go.release()
    assert told.next().found
    slow.error = error
    service.submit(pattern((128, 64)))
    slow.go.release()
    lost = told.next()
    assert not lost.found
    assert str(error) in lost.reason
    slow.error = None
    for _ in range(3):
        slow.go.release()
    assert told.next().found
    assert service.alive
    assert service.health == told.all[-1]
    assert slow.frame.tobytes() == pattern((128, 64)).tobytes()
    unforeseen = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(unforeseen) == (0 if isinstance(error, OSError) else 1)


def test_a_listener_that_throws_costs_only_its_message(
    rig: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    wired, seen = rig(), threading.Event()

    def listen(health: DisplayHealth) -> None:
        seen.set()
        raise RuntimeError(health.reason)

    service = DisplayService(wired.display, listen)
    assert seen.wait(PATIENCE)
    frame = pattern((128, 64))
    service.submit(frame)
    service.close()
    assert [record.message for record in caplog.records] == [
        "The listener to the display's health failed"
    ]
    assert not wired.chip.on
    assert wired.bus.opened == 0


def test_without_a_panel_it_starts_and_stops_all_the_same(
    rig: Callable[..., Any], told: Told
) -> None:
    wired = rig()
    wired.bus.unplug()
    service = DisplayService(wired.display, told)
    assert not told.next().found
    service.submit(pattern((128, 64)))
    service.dim(Brightness.DIM)
    service.close()
    assert not service.alive
