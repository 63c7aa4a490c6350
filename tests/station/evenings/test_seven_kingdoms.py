"""An evening of the Seven Kingdoms: every kind of test, and everything else a table does."""

from typing import Any

from station.state import (
    Asking,
    Browsing,
    Changes,
    Choosing,
    Covered,
    Dialling,
    Drawing,
    Entering,
    Facts,
    Greeting,
    Notice,
    Offering,
    Past,
    Reading,
    Recording,
    Revealing,
    Setting,
    Spelling,
    Tallies,
    Waiting,
)

MOMENTS = {Drawing, Recording, Asking}
"""Screens that last no longer than it takes to draw dice or to ask the ledger."""


def test_an_evening(evening: Any) -> None:
    basic_tests(evening)
    an_extended_test(evening)
    a_competition(evening)
    a_conflict(evening)
    hidden_and_by_hand(evening)
    characters(evening)
    looking_things_up(evening)
    evening.restart()
    brus = evening.table.character("Ser Brus")
    assert (brus.wounds, brus.injuries, brus.dead) == (1, 1, False)
    ro = evening.table.character("Rob")
    assert (ro.endurance, ro.wounds, ro.dead) == (1, 1, True)
    assert evening.table.progress == ()
    assert evening.desk.state.settings.sound == "loud"
    rolls = evening.desk.rows("roll")
    assert len(evening.desk.rows("void")) == 1
    assert len(rolls) == 11
    assert evening.decided == ["bonus 6"]
    everything = {
        Browsing, Changes, Choosing, Covered, Dialling, Entering, Facts, Greeting, Notice,
        Offering, Past, Reading, Revealing, Setting, Spelling, Tallies, Waiting,
    }  # fmt: skip
    assert evening.screens - MOMENTS == everything


def basic_tests(evening: Any) -> None:
    evening.dial("Bonus", "2")
    evening.roll(2, 5, 1, 6, 3)
    assert (evening.view.word, evening.view.value, evening.view.need) == ("Success", 14, 9)
    evening.page("Dice")
    evening.page("Arithmetic")
    evening.push()
    # A tie of the discard is the player's to settle.
    evening.dial("Rank", "2")
    evening.dial("Bonus", "1")
    evening.unfold()
    evening.dial("Discard", "1")
    evening.roll(6, 2, 6)
    assert isinstance(evening.screen, Choosing)
    evening.choose("bonus 6")
    evening.wait()
    assert (evening.view.word, evening.view.value) == ("Failure", 6)
    assert [die.fate for die in evening.view.dice] == ["kept", "dropped", "struck"]
    evening.push()
    # Too hard for the rank; then automatic.
    evening.choose("Reset dial")
    evening.dial("Difficulty", "21")
    evening.roll()
    assert evening.view.word == "Not attempted"
    evening.push()
    evening.dial("Difficulty", "0")
    evening.roll()
    assert evening.view.word == "Success"
    evening.push()
    # No dice to be had: said in words, and nothing is rolled.
    evening.dial("Difficulty", "9")
    evening.roll()
    assert isinstance(evening.screen, Notice)
    evening.home()


def an_extended_test(evening: Any) -> None:
    evening.choose("Kind: Basic", "Extended test")
    evening.choose("Who and what", "Name", "Ser Brus", "Cost", "time")
    evening.home()
    evening.unfold()
    evening.dial("Needed", "2")
    evening.roll(6, 5, 1)
    assert evening.view.word == "Success"
    evening.go_on()
    evening.restart()
    assert (evening.desk.request.gained, evening.desk.request.roll_number) == (1, 2)
    evening.choose("People & table", "Running tests", "Ser Brus")
    assert (evening.items()["Successes"], evening.items()["Cost: time"]) == ("1/2", "×1")
    evening.choose("Go on with it")
    evening.roll(6, 6, 6)
    assert "2/2 done" in (*evening.view.side, *evening.view.below)
    evening.go_on()
    evening.choose("People & table", "Running tests", "Ser Brus")
    assert evening.items()["Cost: time"] == "×2"
    evening.choose("Done with it")
    evening.home()


def a_competition(evening: Any) -> None:
    evening.choose("Kind: Extended", "Competition")
    evening.dial("Contestants", "3")
    evening.choose("Who and what", "No. 1", "Arya", "No. 2", "Ser Brus")
    evening.home()
    evening.dial("Rank", "2", "Arya")
    evening.roll(6, 5)
    assert isinstance(evening.screen, Waiting)
    assert evening.view.prompt == "Ser Brus: push"
    evening.back()
    assert isinstance(evening.screen, Dialling)
    evening.restart()
    evening.roll(1, 2, 3)
    evening.roll(4, 4, 2)
    assert evening.view.word == "Arya wins"
    evening.move(1)
    assert [row[0] for row in evening.view.rows] == ["Arya", "No. 3", "Ser Brus"]
    evening.home()


def a_conflict(evening: Any) -> None:
    evening.choose("Kind: Competition", "Conflict test")
    evening.dial("Difficulty", "11")
    evening.roll(6, 5, 4)
    assert (evening.view.word, evening.view.value) == ("Success", 15)
    evening.push()


def hidden_and_by_hand(evening: Any) -> None:
    evening.choose("Kind: Conflict", "Basic test")
    evening.desk.faces.extend((6, 6, 6))
    evening.choose("Roll hidden now")
    evening.wait()
    assert isinstance(evening.screen, Covered)
    evening.back()
    evening.wait()
    assert (evening.view.word, evening.view.value) == ("Success", 18)
    evening.push()
    evening.choose("Dice by hand")
    for face in (4, 3, 1):
        assert isinstance(evening.screen, Entering)
        evening.turn(face - evening.screen.face)
        evening.push()
    evening.wait()
    assert evening.view.value == 8
    evening.push()


def characters(evening: Any) -> None:
    evening.choose("People & table", "Ser Brus", "Wound +1", "Wound +1", "Injury +1", "Wound −1")
    evening.choose("Pools", "Fighting (Axes)")
    request = evening.desk.request
    assert (request.name, request.rank, request.bonus) == ("Ser Brus", 4, 2)
    assert (request.wounds, request.injuries, request.endurance) == (1, 1, 4)
    evening.choose("People & table", "New character")
    evening.spell("Rob")
    evening.choose("Endurance")
    evening.adjust("1")
    evening.choose("Injury +1", "Injury +1")
    assert isinstance(evening.screen, Notice)
    evening.push()
    evening.back()
    evening.choose("Undo a change")
    assert evening.view.items[0] == ("Rob takes 1 injury", "")
    evening.push()
    evening.wait("6s")
    evening.choose("Rob", "Wound +1", "Roll for them")
    assert evening.desk.request.name == "Rob"
    evening.roll()
    assert evening.view.word == "Dead"
    evening.push()


def looking_things_up(evening: Any) -> None:
    evening.choose("History")
    evening.move(1)
    evening.push()
    assert isinstance(evening.screen, Reading)
    evening.push()
    evening.choose("Void: Mistake")
    assert isinstance(evening.screen, Notice)
    evening.wait("6s")
    evening.home()
    evening.choose("Fairness")
    evening.move(1)
    evening.back()
    evening.choose("About")
    evening.move(1)
    evening.back()
    evening.choose("Settings", "Sound")
    evening.home()
    evening.choose("Power off", "Power off now")
    assert isinstance(evening.screen, Notice)
    evening.home()
