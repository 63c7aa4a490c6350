"""The menu: what it offers, where, and what each item does."""

from typing import Any

import pytest

from rules.dial import fresh
from rules.registry import DEFAULT, Registry
from station import menus
from station.actions import CHOSEN, FURTHER
from station.state import Browsing, Dialling, Page


@pytest.fixture
def play(playing: Any) -> Any:
    return playing()


def offered(play: Any, page: Page = Page.TOP, subject: str = "") -> list[tuple[str, str]]:
    """Return the labels and values of a page."""
    found = menus.items(play.machine.registry, play.state, Browsing(page, 0, subject))
    return [(item.label, item.value) for item in found]


def press(play: Any, label: str) -> None:
    """Open the menu and press an item."""
    play.hold()
    labels = [name for name, _ in play.view.items]
    play.turn(labels.index(label)) if labels.index(label) else None
    play.push()


def test_offers_what_is_dialled_and_who_plays_first_and_a_way_back_last(play: Any) -> None:
    every = offered(play)
    assert every[0] == ("Kind: Basic", FURTHER)
    assert every[-1] == ("Back", "")
    assert {("Reset dial", ""), ("Discard", "after keep")} <= {*every}


@pytest.mark.parametrize("system", ["seven-kingdoms", "wrath-and-glory", "opposed-attribute"])
def test_its_first_lines_stand_alike_in_every_system(play: Any, asked: Any, system: str) -> None:
    sides = {"attacker": {"score": 1}, "defender": {"score": 1}}
    fields = {
        "seven-kingdoms": ("extended", {"rank": 3, "difficulty": 9, "needed": 2}),
        "wrath-and-glory": ("attack", {"pool": 3}),
        "opposed-attribute": ("opposed", sides),
    }
    kind, given = fields[system]
    play.dial(asked(system, kind, **given))
    every = [label for label, _ in offered(play)]
    assert every[2:6] == ["People & table", "History", "Roll hidden now", "Dice by hand"]


def test_marks_the_kind_and_the_system_in_force(play: Any) -> None:
    assert offered(play, Page.KIND) == [
        ("Basic test", CHOSEN),
        ("Extended test", ""),
        ("Conflict test", ""),
        ("Competition", ""),
    ]
    assert [value for _, value in offered(play, Page.SYSTEM)] == [CHOSEN, "", ""]


def test_lists_a_system_that_was_registered(playing: Any, toy_registry: Registry) -> None:
    assert offered(playing(toy_registry), Page.SYSTEM)[-1] == ("High Die", "")


@pytest.mark.parametrize(
    ("page", "title"),
    [(Page.TOP, "Menu"), (Page.KIND, "Seven Kingdoms"), (Page.SYSTEM, "System")],
)
def test_each_page_has_its_heading(play: Any, page: Page, title: str) -> None:
    assert menus.title(DEFAULT, play.state, Browsing(page)) == title


def test_an_option_is_switched_where_it_stands_and_back_again(play: Any) -> None:
    press(play, "Discard")
    assert play.state.dial.request.discard_order == "before_keep"
    assert play.view.items[play.view.cursor] == ("Discard", "before keep")
    play.push()
    assert play.state.dial.request.discard_order == "after_keep"


def test_every_option_of_every_kind_can_be_switched(play: Any) -> None:
    for index, system in enumerate(DEFAULT):
        for kind in system.kinds:
            play.dial(fresh(kind))
            assert play.state.dial.active == index
            for item in menus.items(DEFAULT, play.state, Browsing(Page.TOP)):
                if isinstance(item.action, menus.SetRequest) and item.value:
                    assert item.action.request != play.state.dial.request


def test_an_extended_test_has_both_of_its_options(play: Any) -> None:
    play.dial(fresh(DEFAULT.system("seven-kingdoms").kinds[1]))
    assert ("Counts", "tests") in offered(play)
    assert ("Discard", "after keep") in offered(play)


def test_reset_dials_the_same_kind_afresh(play: Any, asked: Any) -> None:
    play.dial(asked("seven-kingdoms", "conflict", rank=9, wounds=2, difficulty=4))
    press(play, "Reset dial")
    request = play.state.dial.request
    assert (request.kind, request.rank, request.wounds) == ("conflict", 3, 0)


def test_back_leads_to_the_dial_as_it_was(play: Any) -> None:
    before = play.state.dial
    press(play, "Back")
    assert (play.screen, play.state.dial) == (Dialling(), before)


def test_rolls_left_half_done_come_first_the_oldest_on_top(play: Any, asked: Any) -> None:
    for score in (1, 2):
        sides = {"attacker": {"score": score}, "defender": {"score": 0}}
        play.rolled(asked("opposed-attribute", "opposed", **sides), 1, 1, 1, 1)
        play.hold()
    assert offered(play)[:2] == [
        ("Resume roll", "#1"),
        ("Resume roll", "#2"),
    ]
    press(play, "Resume roll")
    assert play.screen.roll.request.attacker.score == 1
    assert [roll.request.attacker.score for roll in play.state.unfinished] == [2]
