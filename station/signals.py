"""How a verdict looks on the LED and sounds on the buzzer: each feeling has a rhythm of its own."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

from hardware.clock import Nanoseconds
from hardware.controls.outputs import Output, Pattern
from rules.model import Tone
from station.effects import Signal
from station.settings import Settings, Sound

Pulses: TypeAlias = tuple[tuple[int, int], ...]
"""Pulses as (on, off) in ms."""

PATTERNS: Mapping[Tone, Pattern] = MappingProxyType(
    {
        Tone.SUCCESS: Pattern(((600, 0),)),
        Tone.FAILURE: Pattern(((80, 120), (80, 120), (80, 0))),
        Tone.NEUTRAL: Pattern(((200, 200), (200, 0))),
    }
)
"""The pulses of each feeling, (on, off) in ms: one long, three short, two even."""

CRITICAL = ((50, 50),) * 5
"""What is added for luck beyond the test: a trill."""

COMPLICATION = ((50, 50), (400, 0))
"""What is added for luck against the test: a stumble and a drone."""

PAUSE_MS = 250
"""Between a verdict's rhythm and what is added to it."""

SOFT_MS = 25
"""The longest pulse of the buzzer, in ms, while it is to be soft: ticks instead of tones."""


def pattern_of(signal: Signal) -> Pattern:
    """Return the whole rhythm of a verdict."""
    parts = [PATTERNS[signal.tone].pulses]
    parts += [CRITICAL] if signal.critical else []
    parts += [COMPLICATION] if signal.complication else []
    return Pattern(tuple(pulse for part in parts[:-1] for pulse in _paused(part)) + parts[-1])


def _paused(pulses: Pulses) -> Pulses:
    *before, (on, _) = pulses
    return (*before, (on, PAUSE_MS))


def softened(pattern: Pattern) -> Pattern:
    """Return a pattern in the same rhythm with each pulse cut to a tick."""
    return Pattern(
        tuple(
            (min(on, SOFT_MS), off + max(0, on - SOFT_MS) if off else off)
            for on, off in pattern.pulses
        ),
        pattern.repeat,
    )


class OutputSignals:
    """Plays each verdict on the lamp and the buzzer, as far as they are wired and wanted."""

    def __init__(self, lamp: Output, buzzer: Output) -> None:
        self._lamp = lamp
        self._buzzer = buzzer
        self._settings = Settings()

    def set(self, settings: Settings) -> None:
        """Be as loud and as visible as the station is set."""
        self._settings = settings

    def signal(self, signal: Signal, now: Nanoseconds) -> None:
        """Begin to show how a verdict feels."""
        pattern = pattern_of(signal)
        if self._settings.lamp:
            self._lamp.play(pattern, now)
        match self._settings.sound:
            case Sound.LOUD:
                self._buzzer.play(pattern, now)
            case Sound.SOFT:
                self._buzzer.play(softened(pattern), now)
            case Sound.OFF:
                pass

    def advance(self, now: Nanoseconds) -> None:
        """Do what has come due."""
        for output in (self._lamp, self._buzzer):
            output.advance(now)

    def deadline(self) -> Nanoseconds | None:
        """Return when `advance` next matters, None while nothing plays."""
        times = (self._lamp.deadline(), self._buzzer.deadline())
        return min((time for time in times if time is not None), default=None)
