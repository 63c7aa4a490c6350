"""An evening of opposed tests: sides by name, Reserve lost and healed, turns, a power cut."""

from typing import Any

from station.state import (
    Browsing,
    Changes,
    Dialling,
    Greeting,
    Notice,
    Offering,
    Reading,
    Revealing,
    Setting,
    Spelling,
    Waiting,
)


def test_an_evening(evening: Any) -> None:
    without_names(evening)
    by_name(evening)
    undone_and_done_again(evening)
    residual_damage(evening)
    someone_new(evening)
    evening.restart()
    assert evening.table.reserve("Bo", "Wits").score == -2
    reserve = evening.table.reserve("Arya", "Strength")
    assert (reserve.score, reserve.lost, reserve.residual) == (4, 11, 0)
    assert evening.table.turn == 3
    assert evening.desk.request.attribute == "Strength"
    assert evening.screens >= {
        Greeting, Dialling, Browsing, Revealing, Waiting, Reading, Offering, Notice, Changes,
        Setting, Spelling,
    }  # fmt: skip


def without_names(evening: Any) -> None:
    evening.choose("Seven Kingdoms", "Opposed Attribute")
    evening.dial("Score", "+3", "Attacker")
    evening.dial("Score", "−1", "Defender")
    evening.roll(1, 1, 3, 4)
    assert isinstance(evening.screen, Waiting)
    evening.restart()
    assert isinstance(evening.screen, Waiting)
    evening.roll(2, 1, 3, 4)
    assert (evening.view.word, evening.view.value, evening.view.need) == ("Attacker wins", -2, -5)
    assert evening.view.sides == (("Attacker", "−2 Reserve"), ("Defender", "−5 Reserve"))
    evening.push()
    assert isinstance(evening.screen, Dialling)


def by_name(evening: Any) -> None:
    evening.choose("Who and what", "Attribute", "Strength", "Attacker", "Ser Brus")
    evening.home()
    evening.choose("People & table", "Arya", "Roll as Defender")
    request = evening.desk.request
    assert (request.attribute, request.attacker.name, request.defender.name) == (
        "Strength",
        "Ser Brus",
        "Arya",
    )
    assert (request.attacker.score, request.defender.score) == (3, 1)
    evening.unfold()
    evening.dial("Modifiers", "+2", "Ser Brus")
    evening.roll(6, 6, 1, 1)
    evening.roll(1, 1, 6, 6)
    assert (evening.view.value, evening.view.need) == (10, -9)
    evening.page("Arithmetic")
    evening.push()
    assert isinstance(evening.screen, Offering)
    assert evening.view.told == "Arya loses 9 Reserve"
    evening.choose("Yes, apply")
    assert isinstance(evening.screen, Notice)
    assert evening.table.reserve("Arya", "Strength").lost == 9
    evening.wait("6s")
    assert isinstance(evening.screen, Dialling)


def undone_and_done_again(evening: Any) -> None:
    evening.choose("People & table", "Undo a change")
    assert isinstance(evening.screen, Changes)
    evening.push()
    evening.wait("6s")
    assert evening.table.reserve("Arya", "Strength").lost == 0
    evening.home()
    evening.choose("History")
    evening.push()
    evening.push()
    evening.choose("Yes, apply")
    evening.home()
    assert evening.table.reserve("Arya", "Strength").lost == 9


def residual_damage(evening: Any) -> None:
    # At −10 it begins, and is taken at the end of each turn.
    evening.unfold()
    evening.dial("Modifiers", "−10", "Arya")
    evening.roll(6, 6, 1, 1)
    evening.roll(1, 1, 6, 6)
    evening.push()
    evening.choose("Yes, apply")
    evening.home()
    reserve = evening.table.reserve("Arya", "Strength")
    assert (reserve.lost, reserve.residual, reserve.current) == (19, 1, 0)
    evening.choose("People & table", "End of turn", "End of turn")
    assert evening.table.reserve("Arya", "Strength").lost == 21
    assert evening.table.turn == 3
    evening.choose("Arya", "Strength", "Heal Reserve")
    assert isinstance(evening.screen, Setting)
    evening.adjust("12")
    evening.choose("End residual", "Lose Reserve")
    evening.adjust("2")
    evening.choose("Score")
    evening.adjust("+4")
    evening.choose("Roll this")
    assert evening.desk.request.attacker.name == "Arya"
    assert evening.desk.request.attacker.score == 3


def someone_new(evening: Any) -> None:
    evening.choose("People & table", "New character")
    assert isinstance(evening.screen, Spelling)
    evening.spell("Bo")
    evening.choose("New attribute")
    evening.spell("Wits")
    evening.choose("Score")
    evening.adjust("−2")
    evening.home()
