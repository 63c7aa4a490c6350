"""Controls that the kernel reads: `dtoverlay=rotary-encoder`, `gpio-key`, and USB numeric keypads.

The kernel decodes and debounces; here its events become the edges and turns that ControlPanel
takes. Keys (codes of linux/input-event-codes.h; num lock makes no difference):

    control   numeric keypad            gpio-key overlay
    up        8, +                      KEY_UP (103)
    down      2, -                      KEY_DOWN (108)
    next      0, Tab, right arrow       KEY_RIGHT (106)
    push      5                         KEY_SPACE (57)
    roll      Enter (both of them)      KEY_ENTER (28)
    knob                                REL_X of rotary-encoder with relative_axis=1

An input device is grabbed, so that the keypad's Enter does not also log somebody in. Each device
stands by itself: one that is missing or pulled is named, and looked for until it is there. A key
that is down when its device is opened is told as found so, and one whose device goes is let go of.
"""

import logging
import os
import select
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from threading import Thread, current_thread
from types import MappingProxyType
from typing import Protocol, Self

from hardware.clock import MILLISECOND, SECOND, Clock, Nanoseconds, monotonic
from hardware.controls.errors import DeviceUnavailable
from hardware.controls.events import Control, Edge, Turned
from hardware.controls.health import InputHealth, Watch
from hardware.progress import Progress

EV_SYN, EV_KEY, EV_REL = 0, 1, 2
SYN_REPORT, SYN_DROPPED = 0, 3
REL_X = 0
REPEAT = 2

KEYS: Mapping[int, Control] = MappingProxyType(
    {
        72: Control.UP,  # KEY_KP8
        78: Control.UP,  # KEY_KPPLUS
        103: Control.UP,  # KEY_UP
        80: Control.DOWN,  # KEY_KP2
        74: Control.DOWN,  # KEY_KPMINUS
        108: Control.DOWN,  # KEY_DOWN
        82: Control.NEXT,  # KEY_KP0
        15: Control.NEXT,  # KEY_TAB
        106: Control.NEXT,  # KEY_RIGHT
        76: Control.PUSH,  # KEY_KP5
        57: Control.PUSH,  # KEY_SPACE
        96: Control.ROLL,  # KEY_KPENTER
        28: Control.ROLL,  # KEY_ENTER
    }
)
"""The control each key is."""

FIRST_RETRY = Nanoseconds(200 * MILLISECOND)
LAST_RETRY = Nanoseconds(5 * SECOND)

STOP_WITHIN = 1.0
"""Seconds that `close` waits for a reader that somebody's handler of edges keeps."""

_LOG = logging.getLogger(__name__)

Sink = Callable[[Edge | Turned], None]
"""Where edges and turns go; called on the reader thread, so it must only put them away."""


class InputEvent(Protocol):
    """One event of the kernel's: evdev.InputEvent."""

    type: int
    code: int
    value: int


class InputDevice(Protocol):
    """An open input device: the part of evdev.InputDevice that is used."""

    fd: int

    def read(self) -> Iterable[InputEvent]:
        """Return the events that have come; OSError ENODEV when the device is gone."""

    def active_keys(self) -> Sequence[int]:
        """Return the codes of the keys that are down."""

    def grab(self) -> None:
        """Keep the events from everybody else; OSError EBUSY where somebody else does."""

    def close(self) -> None:
        """Close the device."""


Opener = Callable[[str], InputDevice]
"""Opens the device at a path."""


def open_evdev(path: str) -> InputDevice:
    """Open an input device with the library evdev.

    Raises:
        DeviceUnavailable: the library is missing.
        OSError: the device is missing or forbidden.
    """
    try:
        library = import_module("evdev")
    except ImportError as error:
        raise DeviceUnavailable(
            f"input devices need the library evdev: apt install python3-evdev ({error})"
        ) from error
    device: InputDevice = library.InputDevice(path)
    return device


@dataclass(slots=True)
class _Source:
    """One device's state: closed while it is lost for a reason, and the keys that are down."""

    path: str
    device: InputDevice | None = None
    down: set[int] = field(default_factory=set)
    dropped: bool = False
    reason: str = ""
    retry_in: Nanoseconds = FIRST_RETRY
    retry_at: Nanoseconds = Nanoseconds(0)  # noqa: RUF009 (a NewType call returns its argument)


class EvdevControls:
    """Watches input devices and hands edges and turns to `sink`.

    A device that cannot be used is no error: `health` says which and why.

    Args:
        paths: the devices, best by a stable name (/dev/input/by-path/…).
        sink: takes each Edge and Turned, on the reader thread.
        clock: stamps them; the kernel's own stamps are wall time.
        keys: which control each key code is.
        reverse: whether a positive REL_X is anticlockwise.
        opener: opens a device; tests give one of their own.
        first_retry: how soon a lost device is looked for, in ns; doubles up to 5 s.
    """

    def __init__(
        self,
        paths: Sequence[str],
        sink: Sink,
        clock: Clock,
        *,
        keys: Mapping[int, Control] = KEYS,
        reverse: bool = False,
        opener: Opener = open_evdev,
        first_retry: Nanoseconds = FIRST_RETRY,
    ) -> None:
        self._sink = sink
        self._clock = clock
        self._keys = keys
        self._sign = -1 if reverse else 1
        self._opener = opener
        self._first_retry = first_retry
        self._watch = Watch("evdev", clock)
        self._closing = False
        self._progress = Progress()
        self._sources = [_Source(path, retry_in=first_retry) for path in paths]
        for source in self._sources:
            self._look_for(source)
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._thread = Thread(target=self._run, name="evdev-events", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the devices back and end the reader; may be called again."""
        if self._closing:
            return
        self._closing = True
        os.eventfd_write(self._wake, 1)
        if self._thread is not current_thread():
            self._thread.join(STOP_WITHIN)
            if self._thread.is_alive():
                return  # the process's end closes what it still uses
        for source in self._sources:
            _close(source)
        os.close(self._wake)

    def mend(self) -> None:
        """Do nothing: the reader looks for lost devices by itself."""

    def alive(self) -> bool:
        """Return whether input can still arrive: from the devices there are, and those to come."""
        return self._watch.note(alive=self._lives())

    def health(self, stuck: tuple[Control, ...] = ()) -> InputHealth:
        """Return a snapshot, with the controls the panel found stuck; safe from any thread."""
        reasons = [source.reason for source in self._sources]
        return self._watch.snapshot(stuck, reasons, alive=self._lives())

    def _lives(self) -> bool:
        lives = self._thread.is_alive() and not self._progress.hangs()
        return lives and not self._closing

    def _look_for(self, source: _Source) -> None:
        try:
            down = self._open(source)
        except (OSError, DeviceUnavailable) as error:
            self._miss(source, error)
            return
        if source.reason:
            _LOG.warning("input device %s is there now", source.path)
        source.reason, source.retry_in = "", self._first_retry
        self._set_down(source, down, found=True)

    def _open(self, source: _Source) -> set[int]:
        """Open a device; return the keys that are down."""
        device = self._opener(source.path)
        try:
            device.grab()
            down = set(device.active_keys()) & self._keys.keys()
        except OSError:
            device.close()
            raise
        source.device = device
        return down

    def _miss(self, source: _Source, error: Exception) -> None:
        """Say once why a device cannot be used, and look for it again later and later."""
        why = (error.strerror if isinstance(error, OSError) else None) or error
        reason = f"input device {source.path} cannot be used: {why}"
        if reason != source.reason:
            _LOG.error("%s", reason)
        source.reason = reason
        source.retry_at = Nanoseconds(monotonic() + source.retry_in)
        source.retry_in = Nanoseconds(min(2 * source.retry_in, LAST_RETRY))

    def _closed(self) -> set[Control]:
        return {self._keys[code] for source in self._sources for code in source.down}

    def _run(self) -> None:
        while not self._closing:
            for source in self._wait():
                self._read(source)
            for source in self._sources:
                if source.device is None and monotonic() >= source.retry_at:
                    self._look_for(source)

    def _wait(self) -> list[_Source]:
        """Block until events come, the controls close, or it is time to look for a device."""
        poller = select.poll()
        poller.register(self._wake, select.POLLIN)
        open_now = {s.device.fd: s for s in self._sources if s.device is not None}
        for fd in open_now:
            poller.register(fd, select.POLLIN)
        self._progress.waits()
        ready = poller.poll(self._patience())
        self._progress.works()
        return [open_now[fd] for fd, _ in ready if fd in open_now]

    def _patience(self) -> int | None:
        lost = [source.retry_at for source in self._sources if source.device is None]
        if not lost or self._closing:
            return None
        return max(0, min(lost) - monotonic()) // MILLISECOND + 1

    def _read(self, source: _Source) -> None:
        try:
            for event in source.device.read() if source.device else ():
                self._take(source, event)
        except BlockingIOError:
            return  # the events were gone before they could be read
        except Exception as error:  # noqa: BLE001 (one device's fault must not make others deaf)
            _close(source)
            self._set_down(source, set(), found=True)
            self._miss(source, error)

    def _take(self, source: _Source, event: InputEvent) -> None:
        if event.type == EV_SYN:
            self._synchronise(source, event.code)
        elif source.dropped:
            return
        elif event.type == EV_KEY and event.value != REPEAT and event.code in self._keys:
            change = {event.code}
            self._set_down(source, source.down | change if event.value else source.down - change)
        elif event.type == EV_REL and event.code == REL_X and event.value:
            self._tell(Turned(self._sign * event.value, self._clock()))

    def _synchronise(self, source: _Source, code: int) -> None:
        """After SYN_DROPPED nothing counts up to the next report; then the keys are asked."""
        if code == SYN_DROPPED:
            source.dropped = True
        elif code == SYN_REPORT and source.dropped and source.device is not None:
            source.dropped = False
            self._set_down(source, set(source.device.active_keys()) & self._keys.keys())

    def _set_down(self, source: _Source, down: set[int], *, found: bool = False) -> None:
        """Tell what changes; a control with two keys is open when both are up."""
        before = self._closed()
        source.down = down
        after = self._closed()
        for control in Control:
            if (control in before) != (control in after):
                self._tell(Edge(control.value, control in after, self._clock(), found))

    def _tell(self, what: Edge | Turned) -> None:
        try:
            self._sink(what)
        except Exception as fault:  # noqa: BLE001 (one escaped fault makes every device deaf)
            self._watch.fault(what.line if isinstance(what, Edge) else "knob", fault)


def _close(source: _Source) -> None:
    device, source.device, source.dropped = source.device, None, False
    if device is not None:
        device.close()
