"""An evening of Wrath & Glory: Shifts of every kind, Glory gained, undone and spent."""

from typing import Any

from station.state import Browsing, Choosing, Dialling, Notice, Offering, Reading, Revealing


def test_an_evening(evening: Any) -> None:
    plain_tests(evening)
    an_attack_cut_off(evening)
    criticals_and_complications(evening)
    evening.restart()
    assert evening.table.glory == 2
    assert evening.desk.request.dn == 3
    assert {"Better or faster", "Extra Damage Die", "+1 Glory"} <= set(evening.decided)
    assert "No more Shifts" in evening.decided
    assert evening.screens >= {Dialling, Browsing, Revealing, Choosing, Reading, Offering, Notice}


def plain_tests(evening: Any) -> None:
    evening.choose("Seven Kingdoms", "Wrath & Glory")
    evening.dial("Pool", "5")
    evening.roll(2, 3, 4, 5, 6)
    assert (evening.view.word, evening.view.value, evening.view.need) == ("Success", 4, 3)
    assert (
        evening.page("Arithmetic").text.replace("\n", " ").startswith("2 3 4 5 6 → 0+0+1+1+2 = 4")
    )
    evening.go_on()

    # A test buys detail, and can leave a Shift unbought.
    evening.roll(5, 6, 6, 6, 6)
    assert isinstance(evening.screen, Choosing)
    evening.choose("Better or faster", "No more Shifts")
    evening.wait()
    assert "+1 detail" in evening.view.marks
    evening.go_on()


def an_attack_cut_off(evening: Any) -> None:
    # By a pool of the roster; power is cut in front of the decision.
    evening.choose("People & table", "Ser Brus", "Pools", "Chainsword")
    assert (evening.desk.request.kind, evening.desk.request.attribute) == ("attack", 3)
    evening.roll(6, 6, 6, 4, 2, 1, 1)
    assert isinstance(evening.screen, Choosing)
    evening.restart()
    assert isinstance(evening.screen, Choosing)
    assert evening.screen.roll.faces == (6, 6, 6, 4, 2, 1, 1)
    evening.choose("Extra Damage Die", "+1 Glory")
    evening.wait()
    assert {"Critical Hit", "Wrath Critical", "+2 Glory"} <= set(evening.view.marks)
    evening.push()
    assert isinstance(evening.screen, Offering)
    assert evening.view.told == "+2 Glory"
    evening.choose("Yes, apply")
    assert isinstance(evening.screen, Notice)
    evening.home()
    assert evening.table.glory == 2


def criticals_and_complications(evening: Any) -> None:
    # A critical on a failed attack counts as well, a complication has a verdict of its own.
    evening.dial("DN", "9")
    evening.roll(6, 4, 1, 1, 1, 1, 1)
    assert evening.view.word == "Failure"
    evening.push()
    evening.choose("Yes, apply")
    evening.wait("6s")
    assert evening.table.glory == 3
    evening.dial("DN", "3")
    evening.roll(1, 5, 5, 5, 1, 2, 3)
    assert evening.view.marks == ("Complication",)
    evening.go_on()
    evening.choose("People & table", "Glory −1", "Glory −1")
    assert evening.items()["Glory −1"] == "1"
    evening.choose("Undo a change")
    evening.push()
    evening.home()
