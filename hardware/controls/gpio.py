"""The controls on GPIO pins: gpiozero inputs on a given pin factory, edges to a sink.

`DigitalInputDevice` is used and neither `Button` nor `RotaryEncoder`: `Button` keeps a 10 Hz
thread a pin, and `RotaryEncoder(bounce_time=…)` debounces nothing (gpiozero 2.0.1). Each pin's
reports are taken from the pin itself (`Pin.when_changed`), because the device hides a level
that is told twice, and that is what shows the knob's decoder a lost edge.
"""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from types import MappingProxyType
from typing import Any, Self

from gpiozero import DigitalInputDevice
from gpiozero.exc import GPIOZeroError

from hardware.clock import Clock, Nanoseconds
from hardware.controls.errors import PinUnavailable
from hardware.controls.events import KNOB_A, KNOB_B, LINES, Control, Edge
from hardware.controls.factories import PinBackend
from hardware.controls.health import InputHealth, Watch

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


class _Line:
    """One contact: its device, and the handler that turns reports into edges."""

    def __init__(self, owner: "GpioControls", name: str, gpio: int) -> None:
        self._owner = owner
        self._name = name
        self.device = _open(owner.backend.factory, name, gpio)

    def listen(self) -> None:
        """Start to take reports; gpiozero keeps only a weak reference to the method."""
        self.device.pin.when_changed = self.changed

    def changed(self, ticks: Any, state: Any) -> None:
        """Take one report of the pin; nothing may escape into the back end's thread."""
        try:
            at = self._owner.stamp(ticks)
            self._owner.sink(Edge(self._name, closed=not state, at=at))
        except Exception as fault:  # noqa: BLE001 (one escaped fault makes every pin deaf)
            self._owner.fault(self._name, fault)


def _open(factory: Any, line: str, gpio: int) -> Any:
    try:
        return DigitalInputDevice(gpio, pull_up=True, pin_factory=factory)
    except (GPIOZeroError, OSError) as error:
        raise PinUnavailable(f"line {line} cannot have GPIO{gpio}: {error}") from error


class GpioControls:
    """Watches the lines of `pins` and hands each change of a contact to `sink`.

    Switches go to ground and the pins are pulled up, so low is closed.

    Args:
        backend: the pin factory with its name and its pulse; see factories.build.
        sink: takes each Edge, on the back end's thread.
        clock: stamps edges where the back end has no kernel time stamps.
        pins: BCM number of each line that is wired.
        reserved: BCM numbers that something else uses, with the reason.

    Raises:
        PinUnavailable: a pin is missing, busy, reserved or named twice.
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
        self._stack = ExitStack()
        self._lines: dict[str, _Line] = {}
        with self._stack as stack:
            for name, gpio in pins.items():
                line = self._lines[name] = _Line(self, name, gpio)
                stack.callback(line.device.close)
            for line in self._lines.values():
                line.listen()
            self._stack = stack.pop_all()
        self._watching = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the pins back; may be called again."""
        self._watching = False
        self._stack.close()

    def closed_lines(self) -> frozenset[str]:
        """Return the lines whose contact is closed now: for ControlPanel at start."""
        return frozenset(name for name, line in self._lines.items() if line.device.value)

    def alive(self) -> bool:
        """Return whether input can still arrive; a fault in a handler does not end it."""
        return self._watch.note(alive=self._watching and self.backend.alive())

    def health(self, stuck: tuple[Control, ...] = ()) -> InputHealth:
        """Return a snapshot, with the controls the panel found stuck; safe from any thread."""
        return self._watch.snapshot(stuck, alive=self._watching and self.backend.alive())

    def stamp(self, ticks: Any) -> Nanoseconds:
        """Return the time of a report: the kernel's own where the back end has it."""
        return self.backend.nanoseconds(ticks) if self.backend.nanoseconds else self._clock()

    def fault(self, line: str, fault: Exception) -> None:
        """Count and log what a handler threw."""
        self._watch.fault(line, fault)


def _check(pins: Mapping[str, int], reserved: Mapping[int, str]) -> None:
    for line, gpio in pins.items():
        if line not in LINES:
            raise ValueError(f"pins names line {line!r}; it must be one of {', '.join(LINES)}")
        if gpio in reserved:
            raise PinUnavailable(f"line {line} cannot have GPIO{gpio}: {reserved[gpio]}")
