"""What each screen says, before any pixel."""

from typing import Any

import pytest

from rules.model import Chance, Headline, Tone
from rules.registry import DEFAULT, Registry
from station.dialling import Stop, expand, next_stop
from station.handfuls import unjudged
from station.panel import Panel
from station.percent import percent
from station.show import dial_view, standing, view
from station.state import Asking, Notice, State
from station.views import BusyView, CoverView, DialView, EntryView, TextView


@pytest.fixture
def play(playing: Any) -> Any:
    return playing(roll_button=False)


def told(play: Any) -> DialView:
    """Return what the dial says."""
    return dial_view(play.machine.registry, play.state.dial)


def at(play: Any, whose: str) -> DialView:
    """Return what the dial says with its cursor on a value of someone."""
    while told(play).whose != whose:
        play.push()
    return told(play)


def test_the_dial_names_system_pool_target_value_and_exact_chance(play: Any, asked: Any) -> None:
    request = asked("seven-kingdoms", "basic", rank=3, bonus=2, difficulty=9)
    play.dial(request)
    shown = told(play)
    assert (shown.heading, shown.pool, shown.target) == (
        "Seven Kingdoms",
        "3D+2B",
        "Challenging 9",
    )
    assert (shown.label, shown.value, shown.place, shown.warning) == ("Rank", "3", 0, "")
    success = DEFAULT.of(request).odds(request).success
    assert (shown.chance_label, shown.chance) == ("Success", percent(success))


def test_the_dial_says_whose_roll_it_is(play: Any, asked: Any) -> None:
    play.dial(asked("wrath-and-glory", "test", pool=4, name="Sister Ana"))
    assert told(play).heading == "Sister Ana"
    assert told(play).names == ("Sister Ana",)


@pytest.mark.parametrize(
    ("fields", "warning", "chance"),
    [
        ({"rank": 1, "difficulty": 9}, "needs rank 2", "0%"),
        ({"rank": 3, "wounds": 3, "difficulty": 3}, "no test dice left", "0%"),
        ({"rank": 3, "wounds": 3, "endurance": 3, "difficulty": 3}, "dead", "0%"),
        ({"rank": 3, "difficulty": 0}, "no roll needed", "100%"),
        ({"rank": 1, "difficulty": 7}, "", "0%"),
        ({"rank": 1, "difficulty": 1}, "", "100%"),
    ],
)
def test_the_dial_warns_at_once_and_its_chance_is_honest(
    play: Any, asked: Any, fields: dict[str, int], warning: str, chance: str
) -> None:
    play.dial(asked("seven-kingdoms", "basic", **fields))
    assert (told(play).warning, told(play).chance) == (warning, chance)


def test_a_hair_from_certainty_is_not_told_as_certainty(play: Any, asked: Any) -> None:
    play.dial(asked("wrath-and-glory", "test", pool=40, dn=1))
    assert told(play).chance == ">99.9%"
    play.dial(asked("wrath-and-glory", "test", pool=40, dn=40, dn_penalty=40))
    assert told(play).chance == "<0.1%"


def test_the_chance_is_that_of_the_one_under_the_cursor(play: Any, asked: Any) -> None:
    sides = {"attacker": {"score": 3, "name": "Ann Lee"}, "defender": {"score": 1, "name": "Ann"}}
    request = asked("opposed-attribute", "opposed", **sides)
    play.dial(request)
    odds = DEFAULT.of(request).odds(request)
    assert at(play, "Ann Lee").chance == percent(odds.attacker)
    assert at(play, "Ann").chance == percent(odds.defender)
    assert at(play, "Ann").chance_label == "Ann wins"


def test_each_contestant_has_a_chance_though_names_begin_alike(play: Any, asked: Any) -> None:
    names = ["Anna", "Ann Lee", "Ann"]
    contestants = [{"name": name, "rank": rank} for rank, name in enumerate(names, 2)]
    request = asked("seven-kingdoms", "competition", contestants=contestants)
    play.dial(request)
    for name, win in zip(names, DEFAULT.of(request).odds(request).win, strict=True):
        shown = at(play, name)
        assert (shown.chance_label, shown.chance) == (name, percent(win))


def test_stops_that_are_no_value_have_a_name(play: Any, at_stop: Any) -> None:
    play.state = at_stop(play.state, Stop.MORE)
    assert (told(play).label, told(play).value) == ("push: more turn: next", "More")
    play.state = at_stop(play.state, Stop.ROLL)
    assert (told(play).label, told(play).value) == ("push: roll turn: next", "ROLL")


def test_the_cursor_is_told_among_all_its_places(play: Any) -> None:
    wide = expand(play.state.dial)
    shown = dial_view(DEFAULT, next_stop(wide))
    assert 0 < shown.place < shown.places
    assert shown.places > told(play).places


def test_a_registered_system_has_its_own_words_and_chance(
    playing: Any, toy_registry: Registry, asked: Any
) -> None:
    play = playing(toy_registry)
    play.dial(asked("high-die", "draw", toy_registry, dice=1, target=4))
    shown = told(play)
    assert (shown.pool, shown.target, shown.chance_label, shown.chance) == (
        "1H",
        "target 4",
        "Reached",
        "50.0%",
    )


@pytest.mark.parametrize(
    ("value", "need", "text"),
    [(14, 9, "14 vs 9"), (-2, -3, "−2 vs −3"), (18, None, "18"), (None, None, "")],
)
def test_a_decision_shows_how_the_roll_stands(
    value: int | None, need: int | None, text: str
) -> None:
    assert standing(Headline("", Tone.NEUTRAL, value=value, need=need)) == text


def test_dice_on_their_way_have_the_roles_they_were_rolled_for(play: Any, asked: Any) -> None:
    play.dial(asked("wrath-and-glory", "test", pool=3))
    play.roll(1, 2, 3)
    dice = unjudged(DEFAULT, play.screen.roll)
    assert [(die.face, die.role, die.fate) for die in dice] == [
        (1, "wrath", "counted"),
        (2, "icon", "counted"),
        (3, "icon", "counted"),
    ]


def test_what_was_chosen_is_no_die(play: Any, asked: Any) -> None:
    play.rolled(asked("wrath-and-glory", "attack", pool=3, dn=1), 6, 6, 6)
    for _ in range(2):
        play.turn(-9)
        play.push()
    assert len(unjudged(DEFAULT, play.screen.roll)) == 3


class TestHiddenRolls:
    def test_show_that_they_were_made_and_nothing_else(self, play: Any) -> None:
        press_hidden(play, 6, 5, 4)
        assert play.view == CoverView("#1", "push: on hold: reveal")

    def test_show_no_face_while_they_wait_for_the_other_side(self, play: Any, asked: Any) -> None:
        sides = {"attacker": {"score": 3}, "defender": {"score": 1}}
        play.dial(asked("opposed-attribute", "opposed", **sides))
        press_hidden(play, 6, 6, 1, 1)
        assert (play.view.shown, play.view.prompt) == (0, "Defender: push")
        assert play.view.heading == "hidden #1"


def press_hidden(play: Any, *faces: int) -> None:
    """Roll covered, from the menu."""
    play.faces.extend(faces)
    play.hold()
    play.turn([label for label, _ in play.view.items].index("Roll hidden now"))
    play.push()


def test_dice_by_hand_are_asked_for_one_by_one(play: Any) -> None:
    play.hold()
    play.turn([label for label, _ in play.view.items].index("Dice by hand"))
    play.push()
    play.turn(4)
    play.push()
    assert isinstance(play.view, EntryView)
    assert play.view.place == "2/3"
    assert [die.face for die in play.view.entered] == [5]


def test_while_something_is_looked_up_the_panel_says_so(play: Any) -> None:
    assert view(DEFAULT, State(play.state.dial, Asking()), Panel()) == BusyView("Looking …")


def test_a_notice_is_its_title_and_its_sentence(play: Any) -> None:
    notice = State(play.state.dial, Notice("Nothing rolled", "The dice are gone."))
    assert view(DEFAULT, notice, Panel()) == TextView("Nothing rolled", "The dice are gone.")


def test_where_no_chance_is_told_by_name_the_first_is_shown(play: Any) -> None:
    chances = DEFAULT.of(play.state.dial.request).chances(play.state.dial.request)
    assert isinstance(chances[0], Chance)
    assert told(play).chance_label == chances[0].label
