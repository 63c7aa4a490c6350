"""Light and sound: each feeling can be told from the others without looking at the panel."""

import pytest

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.outputs import Output, RememberingWire
from rules.model import Tone
from station.effects import Signal
from station.signals import PATTERNS, OutputSignals


class Pair:
    """An LED and a buzzer that remember."""

    def __init__(self) -> None:
        self.wires = (RememberingWire(), RememberingWire())
        self.signals = OutputSignals(tuple(Output(wire) for wire in self.wires))

    def play_out(self, now: Nanoseconds) -> list[tuple[int, int]]:
        """Do what comes due to the end; return each change: when (ms), and to what."""
        began = now
        changes = []
        while (due := self.signals.deadline()) is not None:
            self.signals.advance(due)
            changes.append(((due - began) // MILLISECOND, int(self.wires[0].on)))
        return changes


@pytest.fixture
def pair() -> Pair:
    return Pair()


@pytest.mark.parametrize("tone", list(Tone))
def test_every_feeling_plays_on_both_outputs_and_ends_dark(pair: Pair, tone: Tone) -> None:
    pair.signals.signal(Signal(tone, ()), SECOND)
    assert [wire.on for wire in pair.wires] == [True, True]
    pair.play_out(SECOND)
    assert [wire.on for wire in pair.wires] == [False, False]
    assert pair.wires[0].history == pair.wires[1].history


def test_a_success_is_one_long_pulse_and_a_failure_three_short_ones(pair: Pair) -> None:
    pair.signals.signal(Signal(Tone.SUCCESS, ()), SECOND)
    assert pair.play_out(SECOND) == [(600, 0)]
    pair.signals.signal(Signal(Tone.FAILURE, ()), SECOND)
    assert pair.play_out(SECOND) == [(80, 0), (200, 1), (280, 0), (400, 1), (480, 0)]


def test_no_two_feelings_have_the_same_rhythm() -> None:
    assert len({pattern.pulses for pattern in PATTERNS.values()}) == len(Tone)


def test_a_new_verdict_ends_the_rhythm_of_the_last(pair: Pair) -> None:
    pair.signals.signal(Signal(Tone.FAILURE, ()), SECOND)
    pair.signals.signal(Signal(Tone.SUCCESS, ()), Nanoseconds(SECOND + 10 * MILLISECOND))
    assert pair.signals.deadline() == SECOND + 610 * MILLISECOND


def test_before_its_time_nothing_changes(pair: Pair) -> None:
    assert pair.signals.deadline() is None
    pair.signals.signal(Signal(Tone.NEUTRAL, ()), SECOND)
    pair.signals.advance(Nanoseconds(SECOND + 199 * MILLISECOND))
    assert pair.wires[0].history == [True]


def test_without_led_and_buzzer_a_verdict_is_silent() -> None:
    signals = OutputSignals(())
    signals.signal(Signal(Tone.SUCCESS, ()), SECOND)
    signals.advance(SECOND)
    assert signals.deadline() is None
