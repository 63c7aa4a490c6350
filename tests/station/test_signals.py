"""Light and sound: each feeling can be told from the others without looking at the panel."""

from itertools import product

import pytest

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.outputs import Output, RememberingWire
from rules.model import Tone
from station.effects import Signal
from station.settings import Settings, Sound
from station.signals import SOFT_MS, OutputSignals, pattern_of


class Pair:
    """An LED and a buzzer that remember."""

    def __init__(self, settings: Settings) -> None:
        self.lamp, self.buzzer = RememberingWire(), RememberingWire()
        self.signals = OutputSignals(Output(self.lamp), Output(self.buzzer))
        self.signals.set(settings)

    def play_out(self, now: Nanoseconds, wire: RememberingWire) -> list[tuple[int, int]]:
        """Do what comes due to the end; return each change of a wire: when (ms), and to what."""
        changes: list[tuple[int, int]] = []
        while (due := self.signals.deadline()) is not None:
            before = len(wire.history)
            self.signals.advance(due)
            if len(wire.history) > before:
                changes.append(((due - now) // MILLISECOND, int(wire.on)))
        return changes


@pytest.fixture
def loud() -> Pair:
    return Pair(Settings(sound=Sound.LOUD))


@pytest.mark.parametrize("tone", list(Tone))
def test_every_feeling_plays_on_both_outputs_and_ends_dark(loud: Pair, tone: Tone) -> None:
    loud.signals.signal(Signal(tone), SECOND)
    assert (loud.lamp.on, loud.buzzer.on) == (True, True)
    loud.play_out(SECOND, loud.lamp)
    assert (loud.lamp.on, loud.buzzer.on) == (False, False)
    assert loud.lamp.history == loud.buzzer.history


def test_a_success_is_one_long_pulse_and_a_failure_three_short_ones(loud: Pair) -> None:
    loud.signals.signal(Signal(Tone.SUCCESS), SECOND)
    assert loud.play_out(SECOND, loud.lamp) == [(600, 0)]
    loud.signals.signal(Signal(Tone.FAILURE), SECOND)
    told = loud.play_out(SECOND, loud.lamp)
    assert told == [(80, 0), (200, 1), (280, 0), (400, 1), (480, 0)]


def test_luck_for_and_against_the_test_is_heard_behind_its_verdict(loud: Pair) -> None:
    loud.signals.signal(Signal(Tone.SUCCESS, critical=True), SECOND)
    lucky = loud.play_out(SECOND, loud.lamp)
    assert lucky[0] == (600, 0)
    assert len(lucky) == 1 + 2 * 5
    loud.signals.signal(Signal(Tone.FAILURE, complication=True), SECOND)
    assert loud.play_out(SECOND, loud.lamp)[-2:] == [(830, 1), (1230, 0)]


def test_no_two_verdicts_have_the_same_rhythm() -> None:
    every = [Signal(*parts) for parts in product(Tone, (True, False), (True, False))]
    assert len({pattern_of(signal).pulses for signal in every}) == len(every)


def test_a_soft_buzzer_ticks_in_the_rhythm_of_the_lamp() -> None:
    soft = Pair(Settings(sound=Sound.SOFT))
    soft.signals.signal(Signal(Tone.NEUTRAL), SECOND)
    assert soft.play_out(SECOND, soft.buzzer) == [(SOFT_MS, 0), (400, 1), (400 + SOFT_MS, 0)]


def test_what_is_switched_off_stays_dark_and_silent() -> None:
    quiet = Pair(Settings(sound=Sound.OFF, lamp=False))
    quiet.signals.signal(Signal(Tone.SUCCESS), SECOND)
    assert quiet.signals.deadline() is None
    assert (quiet.lamp.history, quiet.buzzer.history) == ([], [])


def test_a_new_verdict_ends_the_rhythm_of_the_last(loud: Pair) -> None:
    loud.signals.signal(Signal(Tone.FAILURE), SECOND)
    loud.signals.signal(Signal(Tone.SUCCESS), Nanoseconds(SECOND + 10 * MILLISECOND))
    assert loud.signals.deadline() == SECOND + 610 * MILLISECOND


def test_before_its_time_nothing_changes(loud: Pair) -> None:
    assert loud.signals.deadline() is None
    loud.signals.signal(Signal(Tone.NEUTRAL), SECOND)
    loud.signals.advance(Nanoseconds(SECOND + 199 * MILLISECOND))
    assert loud.lamp.history == [True]
