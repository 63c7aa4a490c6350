"""What every display promises, whichever it is: the same frames give the same pixels."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from PIL import Image

from hardware.display.factory import test_pattern as pattern
from hardware.display.interface import SIZES, Brightness, Bus, Driver, FrameError, Panel
from hardware.display.memory import MemoryDisplay

WIRED = [
    {"driver": driver, "width": width, "height": height, "rotate": rotate, "bus": bus}
    for driver in Driver
    for width, height in SIZES[driver]
    for rotate in (0, 180)
    for bus in Bus
] + [{"driver": Driver.SH1106, "column_offset": offset} for offset in (0, 1, 4)]


@dataclass(frozen=True)
class Subject:
    display: Panel
    seen: Callable[[], Image.Image]
    """What a person sees, upright and as large as a frame."""


def _name(settings: dict[str, object] | None) -> str:
    return "memory" if settings is None else "-".join(str(value) for value in settings.values())


@pytest.fixture(params=[None, *WIRED], ids=_name)
def subject(request: pytest.FixtureRequest, rig: Callable[..., object]) -> Iterator[Subject]:
    if request.param is None:
        memory = MemoryDisplay()
        black = Image.new("1", memory.size)
        yield Subject(memory, lambda: black if memory.level is Brightness.OFF else memory.frame)
        return
    wired = rig(**request.param)

    def seen() -> Image.Image:
        glass = wired.chip.picture().rotate(wired.panel.rotate)
        top = (glass.height - wired.panel.height) // 2
        rest = glass.copy()
        rest.paste(0, (0, top, glass.width, top + wired.panel.height))
        assert rest.getbbox() is None, "lit outside of the frame"
        return glass.crop((0, top, glass.width, top + wired.panel.height))

    yield Subject(wired.display, seen)
    wired.display.close()
    assert wired.bus.opened == 0


def test_frames_appear_as_drawn(subject: Subject, frames: Callable[..., list[Image.Image]]) -> None:
    for frame in [pattern(subject.display.size), *frames(subject.display.size, 12)]:
        subject.display.show(frame)
        assert subject.seen().tobytes() == frame.tobytes()


def test_drawing_on_after_show_changes_nothing(subject: Subject) -> None:
    frame = pattern(subject.display.size)
    shown = frame.copy()
    subject.display.show(frame)
    frame.paste(1, (0, 0, *frame.size))
    assert subject.seen().tobytes() == shown.tobytes()


def test_a_wrong_frame_is_refused_and_the_picture_stays(subject: Subject) -> None:
    frame = pattern(subject.display.size)
    subject.display.show(frame)
    for wrong in (Image.new("L", frame.size), Image.new("1", (127, frame.height))):
        with pytest.raises(FrameError):
            subject.display.show(wrong)
        with pytest.raises(FrameError):
            subject.display.start(wrong, Brightness.FULL)
    assert subject.seen().tobytes() == frame.tobytes()


def test_off_is_dark_and_the_frame_is_there_again_afterwards(subject: Subject) -> None:
    frame = pattern(subject.display.size)
    subject.display.show(frame)
    for level in (Brightness.OFF, Brightness.FULL, Brightness.DIM, Brightness.OFF, Brightness.DIM):
        subject.display.dim(level)
        dark = subject.seen().getbbox() is None
        assert dark == (level is Brightness.OFF)
    assert subject.seen().tobytes() == frame.tobytes()


def test_a_frame_shown_while_off_is_there_on_waking(subject: Subject) -> None:
    subject.display.show(Image.new("1", subject.display.size))
    subject.display.dim(Brightness.OFF)
    frame = pattern(subject.display.size)
    subject.display.show(frame)
    assert subject.seen().getbbox() is None
    subject.display.dim(Brightness.FULL)
    assert subject.seen().tobytes() == frame.tobytes()


def test_start_sets_frame_and_brightness(subject: Subject) -> None:
    frame = pattern(subject.display.size)
    subject.display.probe()
    subject.display.start(frame, Brightness.OFF)
    assert subject.seen().getbbox() is None
    subject.display.start(frame, Brightness.DIM)
    assert subject.seen().tobytes() == frame.tobytes()


def test_close_goes_dark_and_may_come_twice(subject: Subject) -> None:
    subject.display.show(pattern(subject.display.size))
    subject.display.close()
    assert subject.seen().getbbox() is None
    subject.display.close()
