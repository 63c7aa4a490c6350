"""How a verdict looks on the LED and sounds on the buzzer: each feeling has a rhythm of its own."""

from collections.abc import Mapping
from types import MappingProxyType

from hardware.clock import Nanoseconds
from hardware.controls.outputs import Output, Pattern
from rules.model import Tone
from station.effects import Signal

PATTERNS: Mapping[Tone, Pattern] = MappingProxyType(
    {
        Tone.SUCCESS: Pattern(((600, 0),)),
        Tone.FAILURE: Pattern(((80, 120), (80, 120), (80, 0))),
        Tone.NEUTRAL: Pattern(((200, 200), (200, 0))),
    }
)
"""The pulses of each feeling, (on, off) in ms: one long, three short, two even."""


class OutputSignals:
    """Plays each verdict on every output there is."""

    def __init__(self, outputs: tuple[Output, ...]) -> None:
        self._outputs = outputs

    def signal(self, signal: Signal, now: Nanoseconds) -> None:
        """Begin to show how a verdict feels."""
        for output in self._outputs:
            output.play(PATTERNS[signal.tone], now)

    def advance(self, now: Nanoseconds) -> None:
        """Do what has come due."""
        for output in self._outputs:
            output.advance(now)

    def deadline(self) -> Nanoseconds | None:
        """Return when `advance` next matters, None while nothing plays."""
        times = [time for each in self._outputs if (time := each.deadline()) is not None]
        return min(times, default=None)
