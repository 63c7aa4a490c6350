"""The controls on GPIO pins: gpiozero inputs on a given pin factory, edges to a sink.

`DigitalInputDevice` is used and neither `Button` nor `RotaryEncoder`: `Button` keeps a 10 Hz
thread a pin, and `RotaryEncoder(bounce_time=…)` debounces nothing (gpiozero 2.0.1). Each pin's
reports are taken from the pin itself (`Pin.when_changed`), because the device hides a level
that is told twice, and that is what shows the knob's decoder a lost edge.

Each line stands by itself: a pin that cannot be had costs its own control and is tried again. A
line that is closed when it is first looked at, be it at start or later, is told as found so.
"""

import logging
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Self

from gpiozero import DigitalInputDevice

from hardware.clock import Clock, Nanoseconds
from hardware.controls.errors import PinUnavailable
from hardware.controls.events import KNOB_A, KNOB_B, LINES, Control, Edge
from hardware.controls.factories import PinBackend
from hardware.controls.health import InputHealth, Watch
from hardware.errors import why

DEFAULT_PINS: Mapping[str, int] = MappingProxyType(
    {
        KNOB_A: 17,
        KNOB_B: 27,
        Control.PUSH: 22,
        Control.UP: 5,
        Control.DOWN: 6,
        Control.NEXT: 13,
        Control.ROLL: 26,
    }
)
"""The wiring diagram's GPIO (BCM number) of each line."""

I2C1_PINS: Mapping[int, str] = MappingProxyType(
    {
        2: "it is SDA of I2C-1, which the display uses",
        3: "it is SCL of I2C-1, which the display uses",
    }
)
"""Why a control cannot have these pins while I2C-1 is in use: for `reserved`."""

Sink = Callable[[Edge], None]
"""Where edges go; called on the back end's input thread, so it must only put them away."""

_LOG = logging.getLogger(__name__)


class _Line:
    """One contact: its device, and the handler that turns reports into edges."""

    def __init__(self, owner: "GpioControls", name: str, gpio: int) -> None:
        self._owner = owner
        self._name = name
        self._gpio = gpio
        self._device: Any = None
        self.reason = ""
        """Why the pin cannot be had; empty while it can."""

    def fit(self) -> bool:
        """Take the pin, unless that is done; return whether it was had just now."""
        if self._device is not None:
            return False
        try:
            factory = self._owner.backend.factory
            self._device = DigitalInputDevice(self._gpio, pull_up=True, pin_factory=factory)
            # gpiozero keeps only a weak reference to the method.
            self._device.pin.when_changed = self.changed
        except Exception as error:  # noqa: BLE001 (each back end has errors of its own)
            self._miss(error)
            return False
        if self.reason:
            _LOG.warning("line %s has GPIO%d now", self._name, self._gpio)
        self.reason = ""
        return True

    def find(self, *, there: bool) -> None:
        """Tell a level that nobody saw change; without its chip, a contact counts as open."""
        if self._device is None:
            return
        try:
            closed = there and bool(self._device.value)
        except Exception as error:  # noqa: BLE001 (as above)
            self._miss(error)
            closed = False
        if closed or not there:
            self._tell(lambda: Edge(self._name, closed, self._owner.now(), found=True))

    def changed(self, ticks: Any, state: Any) -> None:
        """Take one report of the pin."""
        self._tell(lambda: Edge(self._name, not state, self._owner.stamp(ticks)))

    def close(self) -> None:
        """Give the pin back."""
        device, self._device = self._device, None
        if device is not None:
            device.close()

    def _tell(self, edge: Callable[[], Edge]) -> None:
        """Hand an edge over; nothing may escape into the back end's thread."""
        try:
            self._owner.sink(edge())
        except Exception as fault:  # noqa: BLE001 (one escaped fault makes every pin deaf)
            self._owner.fault(self._name, fault)

    def _miss(self, error: Exception) -> None:
        self.close()
        reason = f"line {self._name} cannot have GPIO{self._gpio}: {why(error)}"
        if reason != self.reason:
            _LOG.error("%s", reason)
        self.reason = reason


class GpioControls:
    """Watches the lines of `pins` and hands each change of a contact to `sink`.

    Switches go to ground and the pins are pulled up, so low is closed. A pin that cannot be had
    is no error: `health` says which and why, and `mend` tries it again.

    Args:
        backend: the pin factory with its name and its pulse; see factories.build.
        sink: takes each Edge, on the back end's thread.
        clock: stamps edges where the back end has no kernel time stamps.
        pins: BCM number of each line that is wired.
        reserved: BCM numbers that something else uses, with the reason.

    Raises:
        PinUnavailable: a pin is reserved.
        ValueError: a line has an unknown name.
    """

    def __init__(
        self,
        backend: PinBackend,
        sink: Sink,
        clock: Clock,
        pins: Mapping[str, int] = DEFAULT_PINS,
        reserved: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        _check(pins, reserved)
        self.backend = backend
        self.sink = sink
        self._clock = clock
        self._watch = Watch(backend.name, clock)
        self._lines = tuple(_Line(self, name, gpio) for name, gpio in pins.items())
        self._watching = True
        self.mend()
        backend.follow(self._chip_changed)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the pins back; may be called again."""
        self._watching = False
        for line in self._lines:
            line.close()

    def mend(self) -> None:
        """Take the pins that could not be had so far."""
        with self.backend.together():
            fresh = [line for line in self._lines if line.fit()]
        for line in fresh:
            line.find(there=True)

    def alive(self) -> bool:
        """Return whether input can still arrive; a fault in a handler does not end it."""
        return self._watch.note(alive=self._watching and self.backend.alive())

    def health(self, stuck: tuple[Control, ...] = ()) -> InputHealth:
        """Return a snapshot, with the controls the panel found stuck; safe from any thread."""
        reasons = [line.reason for line in self._lines]
        alive = self._watching and self.backend.alive()
        return self._watch.snapshot(stuck, reasons, alive=alive)

    def now(self) -> Nanoseconds:
        """Return the time."""
        return self._clock()

    def stamp(self, ticks: Any) -> Nanoseconds:
        """Return the time of a report: the kernel's own where the back end has it."""
        return self.backend.nanoseconds(ticks) if self.backend.nanoseconds else self._clock()

    def fault(self, line: str, fault: Exception) -> None:
        """Count and log what a handler threw."""
        self._watch.fault(line, fault)

    def _chip_changed(self, there: bool) -> None:  # noqa: FBT001 (factories.Follower)
        """A chip that goes lets go of every contact; one that comes back is looked at anew."""
        if self._watching:
            for line in self._lines:
                line.find(there=there)


def _check(pins: Mapping[str, int], reserved: Mapping[int, str]) -> None:
    for line, gpio in pins.items():
        if line not in LINES:
            raise ValueError(f"pins names line {line!r}; it must be one of {', '.join(LINES)}")
        if gpio in reserved:
            raise PinUnavailable(f"line {line} cannot have GPIO{gpio}: {reserved[gpio]}")
