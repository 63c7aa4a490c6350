"""A gpiozero pin factory over libgpiod 2, the kernel GPIO maintainers' own binding.

It blocks in the kernel where lgpio polls, its reports carry the kernel's time stamps, it can use
the kernel's debounce, and it needs no Pi: pins are the lines of a chip, found by label, named by
their offset (on a Pi's header chip that is the BCM number).

It has inputs with pull and edges, and outputs. It has no PWM and no SPI, and says so.

For gpiozero's own tools: GPIOZERO_PIN_FACTORY=gpiod.
"""

from collections.abc import Iterator
from datetime import timedelta
from errno import EBUSY
from threading import RLock
from typing import Any

from gpiod import LineSettings
from gpiod.line import Bias, Direction, Edge, Value
from gpiozero.exc import (
    GPIOPinInUse,
    PinFixedPull,
    PinInvalidBounce,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPin,
    PinInvalidPull,
    PinInvalidState,
    PinPWMUnsupported,
    PinSetInput,
    PinSPIUnsupported,
)
from gpiozero.pins import Factory, PinInfo
from gpiozero.pins.pi import PiPin

from hardware.clock import Nanoseconds, monotonic
from hardware.controls.gpiod_chip import Kernel, LinuxKernel
from hardware.controls.gpiod_lines import FIRST_RETRY, Lines

_BIAS = {"floating": Bias.DISABLED, "up": Bias.PULL_UP, "down": Bias.PULL_DOWN}
_EDGES = {"none": Edge.NONE, "rising": Edge.RISING, "falling": Edge.FALLING, "both": Edge.BOTH}
_PREFIXES = ("GPIO", "BCM", "")

LONGEST_BOUNCE = 4294
"""Seconds; the kernel takes a debounce period as 32 bits of µs."""


class ChipBoard:
    """What gpiozero asks of a board: its pins. Here every line of the chip is one, by offset."""

    def find_pin(self, name: int | str) -> Iterator[tuple[str, PinInfo]]:
        """Yield the pin called 17, "17", "GPIO17" or "BCM17"; nothing if it is no such name."""
        digits = str(name).upper()
        for prefix in _PREFIXES:
            offset = digits.removeprefix(prefix)
            if digits.startswith(prefix) and offset.isdecimal():
                yield "chip", _pin_info(int(offset))
                return

    def __str__(self) -> str:
        return "the lines of a GPIO chip"


def _pin_info(offset: int) -> PinInfo:
    return PinInfo(
        number=offset,
        name=f"GPIO{offset}",
        names=frozenset({offset, str(offset), f"GPIO{offset}", f"BCM{offset}"}),
        pull="",
        row=offset + 1,
        col=1,
        interfaces=frozenset({"gpio"}),
    )


class GpiodPin(PiPin):  # type: ignore[misc]  # gpiozero has no types
    """One line. PiPin contributes the weak reference to the handler, and needs no Pi."""

    def __init__(self, factory: "GpiodFactory", info: PinInfo) -> None:
        super().__init__(factory, info)
        self._lines = factory.lines
        self._settings = LineSettings(direction=Direction.INPUT)
        self._when_changed: Any = None
        self._edges = "both"
        self._watching = False

    @property
    def offset(self) -> int:
        """The line's number on its chip."""
        return int(self._number)

    def close(self) -> None:
        """Give the line back, also while its chip is lost."""
        with self._when_changed_lock:
            self._when_changed = None
            self._watching = False
            self._settings = LineSettings(direction=Direction.INPUT)
        self._lines.release(self.offset)

    def called(self, ticks: int, *, high: bool) -> None:
        """Tell the handler of an edge."""
        with self._when_changed_lock:
            if self._when_changed is not None:
                self._call_when_changed(ticks, int(high))

    def output_with_state(self, state: Any) -> None:
        """Become an output that starts with the given level."""
        value = Value.ACTIVE if state else Value.INACTIVE
        self._hold(LineSettings(direction=Direction.OUTPUT, output_value=value))

    def input_with_pull(self, pull: str) -> None:
        """Become an input with the given pull."""
        self._hold(LineSettings(direction=Direction.INPUT, bias=self._bias(pull)))

    def _get_function(self) -> str:
        return "output" if self._settings.direction is Direction.OUTPUT else "input"

    def _set_function(self, value: str) -> None:
        match value:
            case "input":
                self._hold(LineSettings(direction=Direction.INPUT))
            case "output":
                self.output_with_state(state=False)
            case _:
                raise PinInvalidFunction(f"function {value!r} of {self!r} must be input or output")

    def _get_state(self) -> int:
        return int(self._lines.read(self.offset))

    def _set_state(self, value: Any) -> None:
        if self._get_function() == "input":
            raise PinSetInput(f"{self!r} is an input and cannot be driven")
        if value not in {0, 1}:
            raise PinInvalidState(f"state {value!r} of {self!r} must be 0 or 1: there is no PWM")
        self._lines.write(self.offset, high=bool(value))

    def _get_pull(self) -> str:
        names = {bias: name for name, bias in _BIAS.items()}
        return names.get(self._settings.bias, "floating")

    def _set_pull(self, value: str) -> None:
        if self._get_function() == "output":
            raise PinFixedPull(f"{self!r} is an output and has no pull")
        self._change(bias=self._bias(value))

    def _bias(self, pull: str) -> Bias:
        try:
            return _BIAS[pull]
        except KeyError:
            raise PinInvalidPull(
                f"pull {pull!r} of {self!r} must be floating, up or down"
            ) from None

    def _set_frequency(self, value: float | None) -> None:
        if value is not None:
            raise PinPWMUnsupported(f"{self!r} has no PWM: the gpiod back end only switches")

    def _get_bounce(self) -> float | None:
        return self._settings.debounce_period.total_seconds() or None

    def _set_bounce(self, value: float | None) -> None:
        if value is not None and not 0 <= value <= LONGEST_BOUNCE:
            span = f"None or 0 to {LONGEST_BOUNCE} s"
            raise PinInvalidBounce(f"bounce {value!r} of {self!r} must be {span}")
        self._change(debounce_period=timedelta(seconds=value or 0))

    def _get_edges(self) -> str:
        return self._edges

    def _set_edges(self, value: str) -> None:
        if value not in _EDGES:
            raise PinInvalidEdges(f"edges {value!r} of {self!r} must be {', '.join(_EDGES)}")
        self._edges = value
        if self._watching:
            self._change(edge_detection=_EDGES[value])

    def _enable_event_detect(self) -> None:
        self._watching = True
        self._change(edge_detection=_EDGES[self._edges])

    def _disable_event_detect(self) -> None:
        self._watching = False
        self._change(edge_detection=Edge.NONE)

    def _change(self, **changes: Any) -> None:
        fields = {
            name: getattr(self._settings, name)
            for name in ("direction", "edge_detection", "bias", "debounce_period", "output_value")
        }
        settings = LineSettings(**{**fields, **changes})
        if settings != self._settings:
            self._hold(settings)

    def _hold(self, settings: LineSettings) -> None:
        try:
            self._lines.hold(self.offset, settings)
        except OSError as error:
            if error.errno == EBUSY:
                holder = self._lines.holder(self.offset)
                raise GPIOPinInUse(f"{self!r} is held by {holder}") from error
            raise
        except ValueError as error:
            raise PinInvalidPin(f"{self!r} is no line of this chip") from error
        self._settings = settings


class GpiodFactory(Factory):  # type: ignore[misc]  # gpiozero has no types
    """Makes pins of a GPIO chip.

    Args:
        chip: the chip's label or its path; None finds a Pi's header chip.
        kernel: where chips come from; tests give one of their own.
        first_retry: how soon a lost chip is looked for, in ns.

    Raises:
        FactoryUnavailable: there is no such chip, or it may not be opened.
    """

    def __init__(
        self,
        chip: str | None = None,
        kernel: Kernel | None = None,
        first_retry: Nanoseconds = FIRST_RETRY,
    ) -> None:
        super().__init__()
        self._pins: dict[int, GpiodPin] = {}
        self._pins_lock = RLock()
        self.lines = Lines(kernel or LinuxKernel(), self._edge, chip, first_retry)

    def close(self) -> None:
        """Give every line and the chip back; may be called again."""
        for pin in list(self._pins.values()):
            pin.close()
        self._pins.clear()
        self.lines.close()

    def pin(self, name: int | str) -> GpiodPin:
        """Return the pin, the same object for the same pin.

        Raises:
            PinInvalidPin: the name is none of ChipBoard.find_pin's.
        """
        for _, info in self.board_info.find_pin(name):
            with self._pins_lock:
                if info.number not in self._pins:
                    self._pins[info.number] = GpiodPin(self, info)
                return self._pins[info.number]
        raise PinInvalidPin(f"{name!r} is no pin: give its number, or GPIO and its number")

    def spi(self, **_: Any) -> Any:
        """Refuse: SPI is the display's, through spidev.

        Raises:
            PinSPIUnsupported: always.
        """
        raise PinSPIUnsupported("the gpiod back end has no SPI: use /dev/spidev for it")

    def ticks(self) -> int:
        """Return the time in ns of CLOCK_MONOTONIC, as the kernel stamps edges."""
        return monotonic()

    def ticks_diff(self, later: int, earlier: int) -> float:
        """Return the seconds between two ticks."""
        return (later - earlier) / 1e9

    def alive(self) -> bool:
        """Return whether input can still come."""
        return self.lines.alive()

    def _get_board_info(self) -> ChipBoard:
        return ChipBoard()

    def _edge(self, offset: int, high: bool, at: int) -> None:  # noqa: FBT001 (gpiod_lines.Report)
        pin = self._pins.get(offset)
        if pin is not None:
            pin.called(at, high=high)
