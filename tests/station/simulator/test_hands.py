"""Hands on the front panel: one thing after the other, each taking its time."""

from typing import Any

import pytest

from hardware.clock import MILLISECOND, Nanoseconds
from hardware.controls import gestures
from hardware.controls.debounce import DEFAULT_WINDOW
from hardware.controls.events import Control
from station.simulator.hands import CLICK, HOLD, REST, UNHURRIED, Hands


class Panel:
    """Controls that write down what is done to them."""

    def __init__(self) -> None:
        self.done: list[Any] = []

    def turn(self, detents: int) -> None:
        self.done.append(detents)

    def press(self, control: Control) -> None:
        self.done.append(("press", control))

    def release(self, control: Control) -> None:
        self.done.append(("release", control))


@pytest.fixture
def panel() -> Panel:
    return Panel()


@pytest.fixture
def hands(panel: Panel) -> Hands:
    return Hands(panel)  # type: ignore[arg-type] # the three methods that hands use


def at(hands: Hands, *milliseconds: int) -> None:
    for time in milliseconds:
        hands.advance(Nanoseconds(time * MILLISECOND))


def test_a_click_is_shorter_than_a_hold_and_both_outlast_the_debouncing() -> None:
    assert DEFAULT_WINDOW < CLICK < gestures.HOLD < HOLD
    assert DEFAULT_WINDOW < REST


def test_idle_hands_wait_for_nothing(hands: Hands, panel: Panel) -> None:
    assert hands.deadline() is None
    at(hands, 1000)
    assert panel.done == []


def test_a_press_is_let_go_of_in_time(hands: Hands, panel: Panel) -> None:
    hands.press(Control.PUSH)
    at(hands, 1000)
    assert panel.done == [("press", Control.PUSH)]
    assert hands.deadline() == 1000 * MILLISECOND + CLICK
    at(hands, 1059)
    assert len(panel.done) == 1
    at(hands, 1060)
    assert panel.done[-1] == ("release", Control.PUSH)
    assert hands.deadline() is None
    assert hands.free_at == 1060 * MILLISECOND + REST


def test_what_is_asked_meanwhile_waits_its_turn(hands: Hands, panel: Panel) -> None:
    hands.press(Control.PUSH, HOLD)
    hands.press(Control.ROLL)
    at(hands, 0, 699)
    assert panel.done == [("press", Control.PUSH)]
    at(hands, 700, 740)
    assert panel.done[1:] == [("release", Control.PUSH), ("press", Control.ROLL)]


def test_a_turn_is_as_many_detents_one_at_a_time(hands: Hands, panel: Panel) -> None:
    hands.turn(-3)
    at(hands, 0, 1, 69)
    assert panel.done == [-1]
    at(hands, 70, 140)
    assert panel.done == [-1, -1, -1]
    assert hands.free_at == 140 * MILLISECOND + UNHURRIED


def test_a_hurried_turn_happens_at_once(hands: Hands, panel: Panel) -> None:
    hands.turn(2, Nanoseconds(0))
    at(hands, 5)
    assert panel.done == [1, 1]
