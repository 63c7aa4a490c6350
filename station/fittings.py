"""What is wired to the station: its controls, LED and buzzer, tried again where they are missing.

A chip or an input device that is not there costs what hangs on it, and nothing else: the station
rolls by its lines, says in `health` what is missing, and uses it once it is there.
"""

import logging
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, TypeAlias, assert_never

from hardware.clock import SECOND, Clock, Nanoseconds
from hardware.controls.events import Edge, Turned
from hardware.controls.factories import PinBackend, build
from hardware.controls.gpio import GpioControls
from hardware.controls.outputs import AbsentWire, GpioWire, Output, Wire
from hardware.controls.panel import ControlPanel
from hardware.display.interface import Backend, Bus
from hardware.errors import HardwareError
from station.config import Config, Source
from station.part import LOST, OK, Part, of_controls

if TYPE_CHECKING:
    # Loaded where the kernel reads the contacts; mostly gpiozero does.
    from hardware.controls.evdev_source import EvdevControls

RETRY = Nanoseconds(10 * SECOND)
"""From one attempt to find what is missing to the next."""

Sink: TypeAlias = Callable[[Edge | Turned], None]
"""Where control events go."""

_log = logging.getLogger(__name__)


class LooseWire:
    """An output whose pin may be missing or lost; what is written then goes nowhere.

    Args:
        name: what is wired, for the log.
        gpio: its BCM number, None where it is not wired.
    """

    def __init__(self, name: str, gpio: int | None) -> None:
        self._name = name
        self._gpio = gpio
        self._wire: Wire = AbsentWire()
        self._fitted = False

    def fit(self, pins: PinBackend) -> None:
        """Use a pin of this back end, if one is wired and none is in use.

        Raises:
            PinUnavailable: the pin is missing, busy, or cannot be an output.
        """
        if self._gpio is not None and not self._fitted:
            self._wire = GpioWire(pins.factory, self._name, self._gpio)
            self._fitted = True

    def write(self, *, on: bool) -> None:
        """Drive the pin, if it is there."""
        try:
            self._wire.write(on=on)
        except HardwareError as error:
            _log.error("%s", error)
            self.close()

    def close(self) -> None:
        """Give the pin back; may be called again."""
        self._wire.close()
        self._wire = AbsentWire()
        self._fitted = False


class Fittings:
    """Everything that is wired to the station but its display. Belongs to the owner's thread.

    Args:
        config: what is wired.
        sink: takes control events, on any thread.
        clock: the monotonic clock.
    """

    def __init__(self, config: Config, sink: Sink, clock: Clock) -> None:
        self._config = config
        self._sink = sink
        self._clock = clock
        self._stack = ExitStack()
        self._controls: GpioControls | EvdevControls | None = None
        self._wires = (
            LooseWire("the LED", config.outputs.led),
            LooseWire("the buzzer", config.outputs.buzzer),
        )
        self._reason = ""
        self._tried = clock()
        self.pins: PinBackend | None = None
        """The back end of the pins; None where none are wired, or none can be had yet."""
        self.outputs = tuple(Output(wire) for wire in self._wires)
        """LED and buzzer."""
        self._try()

    @property
    def closed_lines(self) -> frozenset[str]:
        """The lines that were closed at start: for ControlPanel."""
        return frozenset() if self._controls is None else self._controls.closed_lines()

    def alive(self) -> bool:
        """Return whether input can still arrive; what was never there can't be lost."""
        return self._controls is None or self._controls.alive()

    def part(self, panel: ControlPanel) -> Part:
        """Return how the controls fare."""
        if self._reason:
            return Part(LOST, self._reason)
        if self._controls is None:
            return Part(OK, "", (("backend", "none"),))
        return of_controls(self._controls.health(panel.stuck()))

    def mend(self) -> None:
        """Look for what is missing, now and then."""
        now = self._clock()
        if self._reason and now >= self._tried + RETRY:
            self._tried = now
            self._try()

    def close(self) -> None:
        """Give everything back."""
        for output in self.outputs:
            output.close()
        self._stack.close()

    def _try(self) -> None:
        before = self._reason
        try:
            self._fit()
            self._reason = ""
        except HardwareError as error:
            self._reason = str(error)
        if self._reason != before:
            _log.warning("%s", self._reason or "controls, LED and buzzer are there")

    def _fit(self) -> None:
        if self.pins is None and self._needs_pins():
            wanted = self._config.controls
            self.pins = build(wanted.backend, wanted.chip)
            self._stack.callback(self.pins.factory.close)
        if self._controls is None:
            self._controls = self._input()
        if self.pins is not None:
            for wire in self._wires:
                wire.fit(self.pins)

    def _needs_pins(self) -> bool:
        config = self._config
        outputs = (config.outputs.led, config.outputs.buzzer)
        spi = config.display.backend is Backend.PANEL and config.display.panel.bus is Bus.SPI
        return config.controls.source is Source.GPIO or spi or any(outputs)

    def _input(self) -> "GpioControls | EvdevControls | None":
        wanted = self._config.controls
        match wanted.source:
            case Source.NONE:
                return None
            case Source.EVDEV:
                from hardware.controls.evdev_source import EvdevControls  # noqa: PLC0415 (only here)

                knob = wanted.layout.knob
                reverse = knob is not None and knob.reverse
                kernel = EvdevControls(wanted.devices, self._sink, self._clock, reverse=reverse)
                return self._stack.enter_context(kernel)
            case Source.GPIO:
                return self._gpio()
            case _:
                assert_never(wanted.source)

    def _gpio(self) -> GpioControls | None:
        if self.pins is None:
            return None
        reserved = self._config.reserved_pins
        pins = self._config.controls.pins
        return self._stack.enter_context(
            GpioControls(self.pins, self._sink, self._clock, pins, reserved)
        )
