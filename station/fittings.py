"""What is wired to the station: its controls, LED and buzzer, tried again where they are missing.

A chip, a pin or an input device that is not there costs what hangs on it, and nothing else: the
station rolls by its lines, says in `health` what is missing, and uses it once it is there.
"""

import logging
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeAlias, assert_never

from hardware.clock import SECOND, Clock, Nanoseconds
from hardware.controls.errors import FactoryUnavailable
from hardware.controls.events import Edge, Turned
from hardware.controls.factories import PinBackend, build
from hardware.controls.gpio import GpioControls
from hardware.controls.outputs import AbsentWire, GpioWire, Output, Wire
from hardware.controls.panel import ControlPanel
from hardware.display.interface import Backend, Bus
from hardware.errors import HardwareError
from station.config import Config, Source
from station.part import DEGRADED, LOST, OK, Part, of_controls

if TYPE_CHECKING:
    # Loaded where the kernel reads the contacts; mostly gpiozero does.
    from hardware.controls.evdev_source import EvdevControls

RETRY = Nanoseconds(10 * SECOND)
"""From one attempt to find what is missing to the next."""

Sink: TypeAlias = Callable[[Edge | Turned], None]
"""Where control events go."""

_log = logging.getLogger(__name__)


class LooseWire:
    """An output whose pin may be missing or lost; what was written last is done once it is there.

    Args:
        name: what is wired, for the log.
        gpio: its BCM number, None where it is not wired.
    """

    def __init__(self, name: str, gpio: int | None) -> None:
        self._name = name
        self._gpio = gpio
        self._wire: Wire = AbsentWire()
        self._fitted = False
        self._on = False
        self.reason = ""
        """Why it cannot be used; empty while it can, while it is not wired, and without a chip."""

    def fit(self, pins: PinBackend) -> None:
        """Use a pin of this back end, if one is wired and none is in use."""
        if self._gpio is None or self._fitted:
            return
        try:
            self._wire = GpioWire(pins.factory, self._name, self._gpio)
            self._wire.write(on=self._on)
        except HardwareError as error:
            self._miss(error)
            return
        if self.reason:
            _log.warning("%s has GPIO%d now", self._name, self._gpio)
        self._fitted, self.reason = True, ""

    def write(self, *, on: bool) -> None:
        """Drive the pin, if it is there."""
        self._on = on
        try:
            self._wire.write(on=on)
        except HardwareError as error:
            self._miss(error)

    def close(self) -> None:
        """Give the pin back; may be called again."""
        self._wire.close()
        self._wire = AbsentWire()
        self._fitted = False

    def _miss(self, error: HardwareError) -> None:
        self.close()
        if str(error) != self.reason:
            _log.error("%s", error)
        self.reason = str(error)


class Fittings:
    """Everything that is wired to the station but its display. Belongs to the owner's thread.

    A contact that is closed when it is first looked at is told to `sink` as found so.

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
        self._reason = ""  # why there is no chip
        self._tried = clock()
        self.pins: PinBackend | None = None
        """The back end of the pins; None where none are wired, or none can be had yet."""
        self.outputs = tuple(Output(wire) for wire in self._wires)
        """LED and buzzer."""
        self._try()

    def pin_factory(self) -> Any:
        """Return the `gpiozero.Factory` of the pins; any thread may ask.

        Raises:
            FactoryUnavailable: it cannot be had yet; the message says why.
        """
        if self.pins is None:
            raise FactoryUnavailable(self._reason or "no pins are in use")
        return self.pins.factory

    def alive(self) -> bool:
        """Return whether input can still arrive; what was never there can't be lost."""
        return self._controls is None or self._controls.alive()

    def part(self, panel: ControlPanel) -> Part:
        """Return how the controls fare, and LED and buzzer with them."""
        part = self._input_part(panel)
        lacking = [wire.reason for wire in self._wires]
        if part.reason != self._reason:
            lacking.append(self._reason)
        reasons = [reason for reason in (part.reason, *lacking) if reason]
        state = DEGRADED if part.state == OK and reasons else part.state
        return Part(state, "; ".join(reasons), part.more)

    def mend(self) -> None:
        """Look for what is missing, now and then."""
        now = self._clock()
        if now >= self._tried + RETRY:
            self._tried = now
            self._try()

    def close(self) -> None:
        """Give everything back."""
        for output in self.outputs:
            output.close()
        self._stack.close()

    def _input_part(self, panel: ControlPanel) -> Part:
        if self._controls is not None:
            return of_controls(self._controls.health(panel.stuck()))
        if self._config.controls.source is Source.NONE:
            return Part(OK, "", (("backend", "none"),))
        return Part(LOST, self._reason)

    def _try(self) -> None:
        if self.pins is None and self._needs_pins():
            self._find_chip()
        if self._controls is None:
            self._controls = self._input()
        else:
            self._controls.mend()
        if self.pins is not None:
            for wire in self._wires:
                wire.fit(self.pins)

    def _find_chip(self) -> None:
        wanted, before = self._config.controls, self._reason
        try:
            self.pins = build(wanted.backend, wanted.chip)
            self._reason = ""
            self._stack.callback(self.pins.factory.close)
        except HardwareError as error:
            self._reason = str(error)
        if self._reason != before:
            _log.warning("%s", self._reason or "the GPIO chip is there")

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
