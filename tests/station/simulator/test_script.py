"""Gestures one a word, and what is said of a word that is none."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.clock import MILLISECOND, SECOND
from hardware.controls.events import Control
from station.simulator.hands import CLICK, HOLD
from station.simulator.script import (
    LONGEST_WAIT,
    WORDS,
    Frame,
    Press,
    ScriptError,
    Turn,
    Wait,
    gestures,
)
from station.state import Browsing, Dialling, Reading


@pytest.mark.parametrize(
    ("word", "gesture"),
    [
        ("turn+3", Turn(3)),
        ("turn-12", Turn(-12)),
        ("turn+999", Turn(999)),
        ("push", Press(Control.PUSH, CLICK)),
        ("up", Press(Control.UP, CLICK)),
        ("down", Press(Control.DOWN, CLICK)),
        ("next", Press(Control.NEXT, CLICK)),
        ("roll", Press(Control.ROLL, CLICK)),
        ("hold", Press(Control.PUSH, HOLD)),
        ("hold:next", Press(Control.NEXT, HOLD)),
        ("hold:roll", Press(Control.ROLL, HOLD)),
        ("wait:500ms", Wait(500 * MILLISECOND)),
        ("wait:2s", Wait(2 * SECOND)),
        ("wait:0ms", Wait(0)),
        ("wait:99999999s", Wait(LONGEST_WAIT)),
        ("frame", Frame("")),
        ("frame:after-the_roll9", Frame("after-the_roll9")),
    ],
)
def test_each_word_is_one_gesture(word: str, gesture: object) -> None:
    assert list(gestures(word)) == [gesture]


def test_words_stand_in_lines_with_comments() -> None:
    script = "# an evening\n\n  turn+1 push  # then\nroll\n#frame\n"
    assert list(gestures(script)) == [
        Turn(1),
        Press(Control.PUSH, CLICK),
        Press(Control.ROLL, CLICK),
    ]
    assert list(gestures("")) == []


@pytest.mark.parametrize(
    "word",
    [
        "turn", "turn3", "turn+0", "turn-0", "turn+1000", "turn+٣", "turn+1:2", "push:2", "PUSH",
        "hold:knob", "wait", "wait:", "wait:5", "wait:-5s", "wait:1.5s", "wait:5m",
        "wait:100000000s", "frame:a/b", "frame:" + "x" * 41, "frame:..", "jump", "𝟙",
    ],
)  # fmt: skip
def test_a_word_that_is_no_gesture_is_told_with_its_line_and_what_is_allowed(word: str) -> None:
    with pytest.raises(ScriptError) as told:
        list(gestures(f"push\n\nroll {word}"))
    assert str(told.value) == f'line 3: "{word[:40]}" is no gesture; allowed: {WORDS}'


def test_words_before_a_wrong_one_are_given_first() -> None:
    found = gestures("push roll jump")
    assert next(found) == Press(Control.PUSH, CLICK)
    assert next(found) == Press(Control.ROLL, CLICK)
    with pytest.raises(ScriptError):
        next(found)


@given(st.text(max_size=60))
def test_whatever_is_read_is_gestures_or_one_sentence(text: str) -> None:
    told = ""
    try:
        list(gestures(text))
    except ScriptError as error:
        told = str(error)
    assert told == "" or told.startswith("line ")
    assert "\n" not in told


class TestPlaying:
    def test_shows_frames_where_they_are_asked_for(self, sit: Any) -> None:
        desk = sit()
        desk.do("frame turn+1 frame")
        first, second = desk.frames
        assert first.tobytes() != second.tobytes()

    def test_a_press_has_settled_when_the_next_word_comes(self, sit: Any) -> None:
        desk = sit()
        desk.do("push")
        assert desk.view.label == "Bonus"
        desk.do("hold frame")
        assert isinstance(desk.screen, Browsing)

    def test_presses_follow_each_other_without_losing_any(self, sit: Any) -> None:
        desk = sit()
        desk.do("up " * 7 + "down down")
        assert desk.request.rank == 3 + 7 - 2

    def test_a_turn_is_unhurried_so_each_detent_counts_once(self, sit: Any) -> None:
        desk = sit()
        desk.do("push push turn+20")
        assert desk.request.difficulty == 29

    def test_waiting_takes_exactly_as_long_as_it_says(self, sit: Any) -> None:
        desk = sit()
        desk.do("")
        began = desk.clock()
        desk.do("wait:1234ms")
        assert desk.clock() - began == 1234 * MILLISECOND

    def test_what_comes_due_meanwhile_happens(self, sit: Any) -> None:
        desk = sit()
        desk.do("roll wait:2s", 6, 6, 6)
        assert isinstance(desk.screen, Reading)
        desk.do("push hold wait:31s")
        assert isinstance(desk.screen, Dialling)
