"""The whole station on mock pins: hands, edges, gestures, machine, ledger and panel together."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from hardware.clock import SECOND
from hardware.controls.events import Control
from hardware.controls.outputs import BUZZER_PIN, LED_PIN
from rules.registry import Registry
from station.ledger.errors import InUseError
from station.ledger.verify import verify
from station.panel import Panel
from station.percent import percent
from station.screens.layout import render
from station.state import Browsing, Dialling, Reading, Waiting
from station.views import DialView, SummaryView

KNOB_ALONE = {
    "basic": "push turn+2 push push turn+1 push wait:2s",
    "to the attack": "push hold turn+1 push turn+1 push hold push turn+1 push",
    "attack": "push push turn+1 push wait:2s",
    "shift": "turn-2 push",
    "to the opposed test": "hold hold turn+1 push turn+1 push",
    "opposed": "turn+3 push turn+1 push turn+1 push wait:2s",
    "defender": "push wait:2s",
}
"""The evening by a knob that can be pushed, and nothing else."""

FOUR_BUTTONS = {
    "basic": "next up up roll wait:2s",
    "to the attack": "next hold:next down next down next hold:next next down next",
    "attack": "roll wait:2s",
    "shift": "up up next",
    "to the opposed test": "hold:next hold:next down next down next",
    "opposed": "up up up next up roll wait:2s",
    "defender": "roll wait:2s",
}
"""The same evening by four buttons."""

HANDS = pytest.mark.parametrize(
    ("words", "roll_button"),
    [(KNOB_ALONE, False), (FOUR_BUTTONS, True)],
    ids=["knob alone", "four buttons"],
)


@HANDS
def test_three_systems_are_dialled_rolled_and_read(
    sit: Any, words: dict[str, str], *, roll_button: bool
) -> None:
    desk = sit(roll_button=roll_button)

    desk.do(words["basic"], 2, 5, 1, 6, 3)
    basic = desk.view
    assert (basic.word, basic.value, basic.need) == ("Success", 14, 9)
    assert basic.side == ("Great", "margin +5")
    assert [die.fate for die in basic.dice] == ["dropped", "kept", "dropped", "kept", "kept"]

    desk.do(words["to the attack"])
    assert desk.request.kind == "attack"
    desk.do(words["attack"], 6, 6, 6, 1, 1, 1)
    assert desk.view.prompt == "1 Shift left"
    desk.do(words["shift"])
    attack = desk.view
    assert (attack.word, attack.value, attack.need) == ("Success", 6, 3)
    assert attack.marks == ("Critical Hit", "Wrath Critical", "+1 Glory", "+1 damage")

    desk.do(words["to the opposed test"])
    assert desk.request.kind == "opposed"
    desk.do(words["opposed"], 1, 1, 3, 4)
    assert isinstance(desk.screen, Waiting)
    desk.do(words["defender"], 2, 1, 3, 4)
    opposed = desk.view
    assert (opposed.word, opposed.value, opposed.need) == ("Attacker wins", -2, -3)

    assert [told(row) for row in desk.rows("drawn", "roll", "decision")] == [
        ("roll", "basic", [2, 5, 1, 6, 3], None),
        ("roll", "attack", [6, 6, 6, 1, 1, 1], None),
        ("decision", None, None, {"shifts": {"damage": 1}}),
        ("drawn", "opposed", [1, 1, 3, 4], None),
        ("roll", "opposed", [1, 1, 3, 4, 2, 1, 3, 4], None),
    ]
    decision, first, last = desk.rows("decision", "drawn", "roll")[2:]
    assert decision.of == desk.rows("roll")[1].seq
    assert last.of == first.seq
    assert {row.source for row in desk.rows("roll", "drawn")} == {"urandom"}
    desk.close()
    assert verify(desk.folder / "ledger.db").problem is None


def told(row: Any) -> tuple[Any, ...]:
    """Return what a row says of its roll."""
    request = row.document("request")
    return (
        row.kind,
        None if request is None else request["kind"],
        row.document("faces"),
        row.document("choices"),
    )


def test_what_the_panel_shows_is_the_view_of_the_state(sit: Any) -> None:
    for panel in (Panel(128, 64), Panel(128, 32)):
        desk = sit(panel=panel)
        desk.do("turn+1 frame roll wait:2s frame", 1, 2, 3, 4)
        assert desk.frame.size == panel.size
        assert desk.frame.tobytes() == render(desk.view, panel).tobytes()
        assert desk.frames[0].tobytes() != desk.frames[1].tobytes()
        desk.close()


def test_the_chance_moves_with_each_detent(sit: Any) -> None:
    desk = sit()
    seen = []
    for _ in range(4):
        seen.append(desk.view.chance)
        desk.do("turn+1")
    assert len(set(seen)) == 4


def test_two_equal_rolls_in_a_row_can_be_told_apart(sit: Any) -> None:
    desk = sit()
    desk.do("roll wait:2s frame push roll wait:2s frame", 6, 5, 4, 6, 5, 4)
    first, second = desk.frames
    assert first.tobytes() != second.tobytes()


@pytest.mark.parametrize(
    ("words", "roll_button"),
    [
        ("hold turn+1 push turn+3 push turn+1", False),
        ("hold:next down next down down down next up", True),
    ],
    ids=["knob alone", "four buttons"],
)
def test_a_fourth_system_is_dialled_with_its_odds(
    sit: Any, toy_registry: Registry, words: str, *, roll_button: bool
) -> None:
    desk = sit(registry=toy_registry, roll_button=roll_button)
    desk.do(words)
    assert (desk.view.heading, desk.view.pool) == ("High Die", "3H")
    # Of three dice none shows a five or a six.
    assert desk.view.chance == percent(1 - Fraction(4, 6) ** 3)


def test_a_fourth_system_rolls_asks_and_decides_like_the_others(
    sit: Any, toy_registry: Registry
) -> None:
    desk = sit(registry=toy_registry)
    desk.do("hold turn+1 push turn+3 push next next next turn+2")
    assert (desk.request.kind, desk.request.coins) == ("draw", 2)
    desk.do("roll wait:2s", 2, 3)
    assert desk.view.prompt == "Spend a coin?"
    desk.do("push")
    assert desk.view.options == ("Spend a coin: +1", "Leave it")
    desk.do("push")
    verdict = desk.view
    assert (verdict.word, verdict.value, verdict.marks) == ("Reached", 5, ("2 spent",))
    rows = desk.rows("roll", "decision")
    assert [row.kind for row in rows] == ["roll", "decision"]
    assert rows[1].document("choices") == {"coins": 2}
    desk.do("push hold push turn+1 push roll wait:2s", 6)
    assert desk.view.prompt == "Rival: push"
    desk.do("roll wait:2s", 6)
    assert desk.view.prompt == "Challenger: push"
    desk.do("roll wait:2s", 5, 2)
    assert desk.view.word == "Challenger wins"


def test_a_roll_cut_off_by_the_power_goes_on_with_the_same_faces(sit: Any) -> None:
    desk = sit()
    desk.do("hold turn+1 push turn+2 push turn+3")
    desk.do("roll wait:100ms", 1, 1, 3, 4)
    desk.close()

    desk = sit()
    assert isinstance(desk.screen, Waiting)
    assert [die.face for die in desk.view.dice] == [1, 1, 3, 4]
    desk.do("")
    assert desk.frame.tobytes() == render(desk.view, Panel()).tobytes()
    desk.do("roll wait:2s", 2, 1, 3, 4)
    assert isinstance(desk.screen, Reading)
    drawn, roll = desk.rows("drawn", "roll")
    assert roll.pips == (1, 1, 3, 4, 2, 1, 3, 4)
    assert roll.of == drawn.seq
    desk.close()
    assert isinstance(sit().screen, Dialling)


def test_several_rolls_cut_off_wait_and_the_last_one_shows(sit: Any) -> None:
    desk = sit()
    desk.do("hold turn+1 push turn+2 push")
    desk.do("roll wait:2s hold roll wait:2s", 1, 1, 1, 1, 6, 6, 6, 6)
    desk.close()
    desk = sit()
    assert desk.screen.roll.faces == (6, 6, 6, 6)
    assert [roll.faces for roll in desk.state.unfinished] == [(1, 1, 1, 1)]
    waiting = [row.seq for row in desk.rows("drawn")]
    desk.do("hold hold")
    assert isinstance(desk.screen, Browsing)
    assert [value for _, value in desk.view.items[:2]] == [f"#{seq}" for seq in waiting]


def test_the_dial_survives_a_power_cut(sit: Any) -> None:
    desk = sit()
    desk.do("turn+4 hold turn+1 push turn+1 push turn+3")
    desk.close()
    desk = sit()
    assert desk.request.system == "wrath-and-glory"
    assert desk.request.pool == 9
    desk.do("hold turn+1 push turn-1 push")
    assert desk.request.rank == 7


def test_led_and_buzzer_say_how_it_went_and_go_out(sit: Any) -> None:
    desk = sit()
    led, buzzer = (desk.parts.backend.factory.pin(gpio) for gpio in (LED_PIN, BUZZER_PIN))
    desk.do("roll wait:300ms", 6, 6, 6)
    assert led.state
    assert any(change.state for change in buzzer.states)
    desk.do("wait:2s")
    assert (led.state, buzzer.state) == (False, False)


def test_a_menu_times_out_and_the_dial_never_does(sit: Any) -> None:
    desk = sit()
    desk.do("turn+1 hold wait:31s")
    assert isinstance(desk.screen, Dialling)
    desk.do("wait:9999s")
    assert isinstance(desk.screen, Dialling)
    assert desk.request.rank == 4


def test_without_a_roll_button_its_pin_does_nothing(sit: Any) -> None:
    desk = sit(roll_button=False)
    desk.press(Control.ROLL)
    assert isinstance(desk.view, DialView)
    assert desk.rows("roll") == []


def test_presses_while_the_dice_fall_roll_nothing_more(sit: Any) -> None:
    desk = sit()
    desk.do("roll roll roll wait:2s", 6, 6, 6)
    # The second press shows the verdict at once, the third leaves it.
    assert isinstance(desk.screen, Dialling)
    assert len(desk.rows("roll")) == 1


def test_two_stations_never_keep_the_same_ledger(sit: Any) -> None:
    sit()
    with pytest.raises(InUseError):
        sit()


def test_with_no_folder_to_write_to_it_rolls_and_says_so(
    sit: Callable[..., Any], tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    desk = sit(folder=blocked)
    desk.do("turn+1 roll wait:2s", 6, 6, 6, 6)
    assert isinstance(desk.view, SummaryView)
    assert desk.view.marks == ("not recorded",)
    desk.do("push hold turn+1 push turn+1 push roll wait:2s", 6, 6, 6, 1, 1, 1)
    desk.do("push wait:1s")
    assert "not recorded" in desk.view.marks
    assert desk.clock() > SECOND
