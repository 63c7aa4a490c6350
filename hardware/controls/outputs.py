"""LED and buzzer: patterns as data, driven by time that is told; no threads and no sleeps."""

from dataclasses import dataclass
from typing import Any, Protocol

from gpiozero import DigitalOutputDevice

from hardware.clock import MILLISECOND, Nanoseconds
from hardware.controls.errors import PinUnavailable
from hardware.errors import why

LED_PIN = 16
"""The wiring diagram's GPIO (BCM number) of the LED."""

BUZZER_PIN = 12
"""The wiring diagram's GPIO (BCM number) of the buzzer, an active one: it sounds when high."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Pulses: for each (on, off) in ms, on for so long, then off for so long; `repeat` for ever.

    Raises:
        ValueError: there is no pulse, or a time is not positive (a last off time may be 0
            unless the pattern repeats).
    """

    pulses: tuple[tuple[int, int], ...]
    repeat: bool = False

    def __post_init__(self) -> None:
        if not self.pulses:
            raise ValueError("pulses (=()) must hold at least one (on_ms, off_ms)")
        for number, (on_ms, off_ms) in enumerate(self.pulses):
            last = number == len(self.pulses) - 1 and not self.repeat
            if on_ms <= 0 or off_ms < 0 or (off_ms == 0 and not last):
                raise ValueError(f"pulse {number} (={on_ms}, {off_ms}) must have positive times")


class Wire(Protocol):
    """One output that is on or off."""

    def write(self, *, on: bool) -> None:
        """Make it so."""

    def close(self) -> None:
        """Switch it off and give it back; may be called again."""


class AbsentWire:
    """An output that is not wired: takes everything, does nothing."""

    def write(self, *, on: bool) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class RememberingWire:
    """An output that remembers every change, for tests and for the desktop's screen."""

    def __init__(self) -> None:
        self.history: list[bool] = []

    @property
    def on(self) -> bool:
        """Whether it is on now."""
        return bool(self.history) and self.history[-1]

    def write(self, *, on: bool) -> None:
        """Remember a change; being told the same again is none."""
        if on != self.on:
            self.history.append(on)

    def close(self) -> None:
        """Switch off."""
        self.write(on=False)


class GpioWire:
    """A pin that is high when on.

    Args:
        factory: the gpiozero pin factory.
        name: what is wired, for errors.
        gpio: its BCM number.

    Raises:
        PinUnavailable: the pin is missing, busy, or cannot be an output.
    """

    def __init__(self, factory: Any, name: str, gpio: int) -> None:
        try:
            self._device = DigitalOutputDevice(gpio, pin_factory=factory)
        except Exception as error:
            raise PinUnavailable(f"{name} cannot have GPIO{gpio}: {why(error)}") from error
        self._name = name

    def write(self, *, on: bool) -> None:
        """Drive the pin.

        Raises:
            PinUnavailable: the pin or its chip is gone.
        """
        try:
            self._device.value = on
        except Exception as error:
            raise PinUnavailable(f"{self._name} is lost: {why(error)}") from error

    def close(self) -> None:
        """Give the pin back, which lets go of it; may be called again."""
        self._device.close()


@dataclass(frozen=True, slots=True)
class _Playing:
    pattern: Pattern
    pulse: int
    on: bool
    until: Nanoseconds


class Output:
    """Plays patterns on a wire: `on`, `off`, `play`, and `advance` when `deadline` has come."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._playing: _Playing | None = None

    def on(self) -> None:
        """Switch on, ending any pattern."""
        self._playing = None
        self._wire.write(on=True)

    def off(self) -> None:
        """Switch off, ending any pattern."""
        self._playing = None
        self._wire.write(on=False)

    def play(self, pattern: Pattern, now: Nanoseconds) -> None:
        """Begin a pattern at once, ending any other."""
        self._set(pattern, 0, now, on=True)

    def advance(self, now: Nanoseconds) -> None:
        """Do what has come due; called late, the pattern goes on from now, without a burst."""
        playing = self._playing
        if playing is None or now < playing.until:
            return
        off_ms = playing.pattern.pulses[playing.pulse][1]
        if playing.on and off_ms:
            self._set(playing.pattern, playing.pulse, now, on=False)
        elif playing.pulse + 1 < len(playing.pattern.pulses):
            self._set(playing.pattern, playing.pulse + 1, now, on=True)
        elif playing.pattern.repeat:
            self._set(playing.pattern, 0, now, on=True)
        else:
            self.off()

    def deadline(self) -> Nanoseconds | None:
        """Return when `advance` next matters, None while nothing plays."""
        return self._playing.until if self._playing else None

    def close(self) -> None:
        """Switch off and give the wire back; may be called again."""
        self._playing = None
        self._wire.close()

    def _set(self, pattern: Pattern, pulse: int, now: Nanoseconds, *, on: bool) -> None:
        on_ms, off_ms = pattern.pulses[pulse]
        until = Nanoseconds(now + (on_ms if on else off_ms) * MILLISECOND)
        self._playing = _Playing(pattern, pulse, on, until)
        self._wire.write(on=on)
