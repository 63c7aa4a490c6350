"""The words of a request, when what is dialled becomes another request meanwhile."""

from dataclasses import replace
from typing import Any

import pytest

from rules.registry import DEFAULT
from station import words
from station.flow.setting import LETTERS
from station.state import Browsing, Notice, Page, Purpose, Spelling

SIDE = ("attacker", "name")


@pytest.mark.parametrize("path", [("attribute",), SIDE, ("contestants", 3, "name"), ("rank",)])
def test_a_word_that_is_no_longer_there_can_not_be_set(
    playing: Any, asked: Any, path: tuple[str | int, ...]
) -> None:
    play = playing()
    play.dial(asked("seven-kingdoms", "basic", rank=3, difficulty=9))
    assert words.chosen(DEFAULT, play.state, path, "Strength") is None


def test_spelling_ends_with_a_notice_when_another_program_dials_something_else(
    playing: Any, asked: Any
) -> None:
    play = playing()
    back = Browsing(Page.WORD, 0, "", words.written(("attribute",)))
    # The end of the word stands next to its last letter on the wheel.
    spelling = Spelling(back, Purpose.WORD, "Wit", LETTERS.index("t"))
    other = asked("seven-kingdoms", "basic", rank=3, difficulty=9)
    play.dial(other)
    play.state = replace(play.state, screen=spelling)
    play.turn(1)
    play.push()
    assert isinstance(play.screen, Notice), play.screen
    assert play.state.dial.request == other
