"""Controls the kernel reads, on fake input devices."""

import errno
import os
import sys
import threading
from collections.abc import Callable, Iterator
from queue import Queue
from types import SimpleNamespace

import pytest

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.errors import DeviceUnavailable
from hardware.controls.evdev_source import EvdevControls, open_evdev
from hardware.controls.events import Clicked, Control, Edge, Pressed, Turned
from hardware.controls.panel import ControlPanel
from hardware.controls.simulated import VirtualClock

SOON = 5.0
"""Seconds; how long a test waits for another thread before it fails."""

KP8, KPPLUS, KPENTER, KP0 = 72, 78, 96, 82
SYN, KEY, REL = 0, 1, 2


class FakeDevice:
    """An input device like evdev.InputDevice; a pipe stands in for the kernel's queue."""

    def __init__(self) -> None:
        self.keys: set[int] = set()
        self.queue: Queue[SimpleNamespace] = Queue()
        self.gone = False
        self.busy = False
        self.opened = 0
        self.fd = self._writable = -1

    def open(self) -> "FakeDevice":
        self.opened += 1
        if self.gone:
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        self.fd, self._writable = os.pipe2(os.O_NONBLOCK)
        return self

    def read(self) -> Iterator[SimpleNamespace]:
        if self.gone:
            raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
        os.read(self.fd, 4096)
        while not self.queue.empty():
            yield self.queue.get()

    def active_keys(self) -> list[int]:
        return sorted(self.keys)

    def grab(self) -> None:
        if self.busy:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    def close(self) -> None:
        os.close(self.fd)
        os.close(self._writable)
        self.fd = self._writable = -1

    def send(self, *events: tuple[int, int, int]) -> None:
        for kind, code, value in events:
            self.queue.put(SimpleNamespace(type=kind, code=code, value=value))
        os.write(self._writable, b"!")

    def key(self, code: int, *, down: bool) -> None:
        (self.keys.add if down else self.keys.discard)(code)
        self.send((KEY, code, int(down)), (SYN, 0, 0))

    def vanish(self) -> None:
        self.gone = True
        os.write(self._writable, b"!")


class Desk:
    """Two devices, and what came of them."""

    def __init__(self) -> None:
        self.devices = {"/dev/input/knob": FakeDevice(), "/dev/input/keypad": FakeDevice()}
        self.heard: Queue[Edge | Turned] = Queue()
        self.clock = VirtualClock(Nanoseconds(5))

    @property
    def knob(self) -> FakeDevice:
        return self.devices["/dev/input/knob"]

    @property
    def keypad(self) -> FakeDevice:
        return self.devices["/dev/input/keypad"]

    def controls(self, *, reverse: bool = False) -> EvdevControls:
        return EvdevControls(
            list(self.devices),
            self.heard.put,
            self.clock,
            reverse=reverse,
            opener=lambda path: self.devices[path].open(),
            first_retry=Nanoseconds(MILLISECOND),
        )

    def next(self) -> Edge | Turned:
        return self.heard.get(timeout=SOON)


@pytest.fixture
def desk() -> Iterator[Desk]:
    desk = Desk()
    yield desk
    assert [device.fd for device in desk.devices.values()] == [-1, -1]
    assert "evdev-events" not in [thread.name for thread in threading.enumerate()]


def eventually(condition: Callable[[], bool]) -> None:
    """Wait for another thread without sleeping here."""
    tick = threading.Event()
    for _ in range(int(SOON / 0.002)):
        if condition():
            return
        tick.wait(0.002)
    pytest.fail("it never happened")


def closes(control: Control) -> Edge:
    return Edge(control.value, closed=True, at=Nanoseconds(5))


def opens(control: Control) -> Edge:
    return Edge(control.value, closed=False, at=Nanoseconds(5))


def found(control: Control, *, closed: bool) -> Edge:
    return Edge(control.value, closed=closed, at=Nanoseconds(5), found=True)


def test_keys_and_turns_become_the_panels_events(desk: Desk) -> None:
    with desk.controls() as controls:
        assert controls.alive()
        panel = ControlPanel()
        desk.knob.send((REL, 0, 1), (SYN, 0, 0), (REL, 0, -2), (SYN, 0, 0))
        heard = [desk.next(), desk.next()]
        desk.keypad.key(KPENTER, down=True)
        heard.append(desk.next())
        desk.clock.advance(Nanoseconds(80 * MILLISECOND))
        desk.keypad.key(KPENTER, down=False)
        heard.append(desk.next())
    events = [event for each in heard for event in panel.feed(each)]
    events += panel.advance(Nanoseconds(SECOND))
    assert events == [
        Turned(1, Nanoseconds(5)),
        Turned(-2, Nanoseconds(5)),
        Pressed(Control.ROLL, Nanoseconds(5)),
        Clicked(Control.ROLL, Nanoseconds(80 * MILLISECOND + 5)),
    ]


def test_a_reversed_knob_turns_the_other_way(desk: Desk) -> None:
    with desk.controls(reverse=True):
        desk.knob.send((REL, 0, 3), (SYN, 0, 0))
        assert desk.next() == Turned(-3, Nanoseconds(5))


@pytest.mark.parametrize(
    ("codes", "control"),
    [
        ((72, 78, 103), Control.UP),
        ((80, 74, 108), Control.DOWN),
        ((82, 15, 106), Control.NEXT),
        ((76, 57), Control.PUSH),
        ((96, 28), Control.ROLL),
    ],
)
def test_every_documented_key_is_its_control(
    desk: Desk, codes: tuple[int, ...], control: Control
) -> None:
    with desk.controls():
        for code in codes:
            desk.keypad.key(code, down=True)
            desk.keypad.key(code, down=False)
            assert [desk.next(), desk.next()] == [closes(control), opens(control)]


def test_other_keys_axes_and_the_kernels_repeats_are_nothing(desk: Desk) -> None:
    with desk.controls():
        desk.keypad.send((KEY, 30, 1), (KEY, KP8, 2), (REL, 8, 1), (4, 4, 458792), (SYN, 0, 0))
        desk.keypad.key(KP0, down=True)
        assert desk.next() == closes(Control.NEXT)
        assert desk.heard.empty()


def test_a_control_with_two_keys_down_opens_with_the_last(desk: Desk) -> None:
    with desk.controls():
        for code, down in ((KP8, True), (KPPLUS, True), (KP8, False), (KPPLUS, False)):
            desk.keypad.key(code, down=down)
        desk.keypad.key(KP0, down=True)
        expected = [closes(Control.UP), opens(Control.UP), closes(Control.NEXT)]
        assert [desk.next() for _ in expected] == expected


def test_a_key_down_at_start_is_told_to_the_panel_as_stuck(desk: Desk) -> None:
    desk.keypad.keys.add(KPENTER)
    with desk.controls() as controls:
        panel = ControlPanel()
        assert panel.feed(desk.next()) == ()
        assert panel.stuck() == (Control.ROLL,)
        assert controls.health(panel.stuck()).stuck == (Control.ROLL,)


def test_after_dropped_events_the_keys_are_asked(desk: Desk) -> None:
    with desk.controls():
        desk.keypad.key(KP8, down=True)
        assert desk.next() == closes(Control.UP)
        desk.keypad.keys = {KP0}
        desk.keypad.send((SYN, 3, 0), (KEY, KPENTER, 1), (SYN, 0, 0))
        assert [desk.next(), desk.next()] == [opens(Control.UP), closes(Control.NEXT)]
        assert desk.heard.empty()


def test_a_device_that_vanishes_lets_go_of_its_keys_and_comes_back(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    with desk.controls() as controls:
        desk.keypad.key(KP8, down=True)
        assert desk.next() == closes(Control.UP)
        desk.keypad.vanish()
        assert desk.next() == found(Control.UP, closed=False)
        eventually(lambda: bool(controls.health().missing))
        assert "input device /dev/input/keypad cannot be used" in controls.health().missing[0]
        assert "input device /dev/input/keypad cannot be used" in caplog.text
        assert not controls.health().deaf
        desk.knob.send((REL, 0, 1), (SYN, 0, 0))
        assert desk.next() == Turned(1, Nanoseconds(5))
        desk.knob.vanish()
        eventually(lambda: controls.health().deaf)
        assert controls.alive()  # a restart would bring no device back
        desk.keypad.keys = {KP0}
        desk.keypad.gone = False
        assert desk.next() == found(Control.NEXT, closed=True)
        assert "input device /dev/input/keypad is there now" in caplog.text
        desk.knob.gone = False
        eventually(lambda: desk.knob.fd != -1)
        eventually(lambda: controls.health().missing == ())
    assert not controls.alive()


def test_a_keypad_that_is_pulled_and_put_back_with_a_key_down_presses_nothing(desk: Desk) -> None:
    panel = ControlPanel()
    with desk.controls():
        desk.keypad.key(KPENTER, down=True)
        assert panel.feed(desk.next()) == ()
        desk.clock.advance(Nanoseconds(100 * MILLISECOND))
        desk.keypad.vanish()
        events = panel.feed(desk.next())
        events += panel.advance(desk.clock())
        assert events == (Pressed(Control.ROLL, Nanoseconds(5)),)
        desk.keypad.gone = False
        events = panel.feed(desk.next())
        assert panel.stuck() == (Control.ROLL,)
        desk.clock.advance(Nanoseconds(2 * SECOND))
        desk.keypad.key(KPENTER, down=False)
        events += panel.feed(desk.next())
        desk.clock.advance(Nanoseconds(2 * SECOND))
        assert events + panel.advance(desk.clock()) == ()
        assert panel.stuck() == ()


def test_events_that_were_gone_before_they_were_read_are_no_loss(desk: Desk) -> None:
    with desk.controls() as controls:
        read = desk.keypad.read

        def gone() -> Iterator[SimpleNamespace]:
            desk.keypad.read = read  # type: ignore[method-assign]
            os.read(desk.keypad.fd, 4096)
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

        desk.keypad.read = gone  # type: ignore[method-assign]
        desk.keypad.send((SYN, 0, 0))
        eventually(lambda: desk.keypad.read == read)
        desk.keypad.key(KP0, down=True)
        assert desk.next() == closes(Control.NEXT)
        assert desk.keypad.opened == 1
        assert controls.health().missing == ()


def test_a_device_that_cannot_be_understood_leaves_the_others_at_work(desk: Desk) -> None:
    def odd() -> Iterator[SimpleNamespace]:
        raise ValueError("unpack requires a buffer of 24 bytes")

    with desk.controls() as controls:
        desk.keypad.gone, desk.keypad.read = True, odd  # type: ignore[method-assign]
        desk.keypad.send((SYN, 0, 0))
        eventually(lambda: bool(controls.health().missing))
        desk.knob.send((REL, 0, 1), (SYN, 0, 0))
        assert desk.next() == Turned(1, Nanoseconds(5))
        assert controls.alive()


def test_a_handler_that_throws_is_counted_and_the_reader_lives_on(desk: Desk) -> None:
    calls: Queue[Edge | Turned] = Queue()

    def broken(what: Edge | Turned) -> None:
        calls.put(what)
        raise RuntimeError("no room")

    controls = EvdevControls(
        ["/dev/input/keypad"], broken, desk.clock, opener=lambda path: desk.devices[path].open()
    )
    with controls:
        desk.keypad.key(KP8, down=True)
        desk.keypad.key(KP8, down=False)
        assert [calls.get(timeout=SOON), calls.get(timeout=SOON)]
        eventually(lambda: controls.health().handler_faults == 2)
        assert controls.health().last_fault == "up: RuntimeError: no room"
        assert controls.alive()


def test_a_handler_that_does_not_end_is_no_life(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold, entered = threading.Event(), threading.Event()

    def hang(_: Edge | Turned) -> None:
        entered.set()
        hold.wait(SOON)

    controls = EvdevControls(
        ["/dev/input/keypad"], hang, desk.clock, opener=lambda path: desk.devices[path].open()
    )
    with controls:
        desk.keypad.key(KP8, down=True)
        assert entered.wait(SOON)
        assert controls.alive()
        monkeypatch.setattr("hardware.progress.HANGS_AFTER", 0)
        assert not controls.alive()
        hold.set()
        eventually(controls.alive)


def test_a_device_missing_at_start_is_named_once_and_the_others_work(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    desk.keypad.gone = True
    with desk.controls() as controls:
        (reason,) = controls.health().missing
        assert reason == "input device /dev/input/keypad cannot be used: No such file or directory"
        desk.knob.send((REL, 0, 1), (SYN, 0, 0))
        assert desk.next() == Turned(1, Nanoseconds(5))
        eventually(lambda: desk.keypad.opened > 2)
        assert caplog.text.count(reason) == 1
        desk.keypad.gone = False
        eventually(lambda: controls.health().missing == ())
        desk.keypad.key(KP0, down=True)
        assert desk.next() == closes(Control.NEXT)


def test_a_device_somebody_else_grabbed_is_named(desk: Desk) -> None:
    desk.knob.busy = True
    with desk.controls() as controls:
        assert "/dev/input/knob cannot be used: " in controls.health().missing[0]
        assert "busy" in controls.health().missing[0]
        eventually(lambda: desk.knob.opened > 1)
        desk.knob.busy = False
        eventually(lambda: controls.health().missing == ())


def test_a_missing_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "evdev", None)
    with pytest.raises(DeviceUnavailable, match="need the library evdev: apt install"):
        open_evdev("/dev/input/event0")
    with EvdevControls(["/dev/input/event0"], print, VirtualClock()) as controls:
        assert controls.health().deaf
        assert "apt install python3-evdev" in controls.health().missing[0]


def test_the_library_opens_by_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "evdev", SimpleNamespace(InputDevice=lambda path: (path, 1)))
    assert open_evdev("/dev/input/event7") == ("/dev/input/event7", 1)


def test_closing_twice_is_nothing(desk: Desk) -> None:
    controls = desk.controls()
    controls.close()
    controls.close()
