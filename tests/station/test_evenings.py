"""What a table does besides rolling: hidden rolls, dice by hand, characters, history, settings."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from hardware.display.interface import Brightness
from station.flow.setting import DONE, LETTERS, wheel
from station.state import Browsing, Covered, Dialling, Notice, Page, Reading
from station.views import CoverView, EntryView, FairnessView, SummaryView, TextView

ATTACK = "hold turn+1 push turn+1 push hold push turn+1 push"
"""To an attack of Wrath & Glory."""

OPPOSED = "hold turn+1 push turn+2 push"
"""To an opposed test."""


@pytest.fixture
def desk(sit: Any) -> Any:
    return sit()


def choose(desk: Any, *labels: str) -> None:
    """Press one item after the other, each on the list that shows; from the dial, the menu."""
    if isinstance(desk.screen, Dialling):
        desk.do("hold")
    for label in labels:
        shown = desk.view
        names = [each[0] for each in shown.items] if hasattr(shown, "items") else shown.options
        place = list(names).index(label)
        desk.do(f"turn-99 {f'turn+{place}' if place else ''} push")


def items(desk: Any) -> dict[str, str]:
    """Return what the menu's page says."""
    return dict(desk.view.items)


def spell(desk: Any, name: str) -> None:
    """Spell a name with the knob, from the table's page."""
    choose(desk, "New character")
    for key in (*name, DONE):
        away = wheel(desk.screen.text).index(key) - desk.screen.letter
        desk.do(f"turn{away:+d} push" if away else "push")


def joins(desk: Any, name: str) -> None:
    """Spell the name of a new character, and go back to the table's page."""
    spell(desk, name)
    assert desk.view.heading == name
    desk.do("hold")


class TestHiddenRolls:
    def test_are_recorded_at_once_and_shown_when_a_hold_reveals_them(self, desk: Any) -> None:
        desk.do("hold:roll wait:2s frame", 6, 5, 4)
        assert isinstance(desk.view, CoverView)
        (row,) = desk.rows("roll")
        assert row.document("detail")["hidden"] is True
        assert desk.rows("reveal") == []
        desk.do("hold wait:2s")
        assert (desk.view.word, desk.view.value) == ("Success", 15)
        (reveal,) = desk.rows("reveal")
        assert reveal.of == row.seq

    def test_stay_covered_while_nobody_holds(self, desk: Any) -> None:
        desk.do("hold:roll wait:2s turn+5 push", 6, 5, 4)
        assert isinstance(desk.screen, Dialling)
        choose(desk, "History")
        assert [value for _, value in desk.view.items] == ["hidden"]
        desk.do("push")
        assert isinstance(desk.screen, Covered)
        desk.do("hold")
        assert desk.view.value == 15
        assert len(desk.rows("reveal")) == 1

    def test_look_the_same_however_their_dice_fall(self, sit: Any, tmp_path: Any) -> None:
        frames = []
        for place, faces in enumerate([(6, 6, 6), (1, 1, 1)]):
            desk = sit(folder=tmp_path / str(place))
            desk.do("hold:roll wait:2s frame", *faces)
            frames += [frame.tobytes() for frame in desk.frames]
        assert frames[0] == frames[1]

    def test_of_two_sides_show_no_face_in_between_and_survive_a_power_cut(self, sit: Any) -> None:
        desk = sit()
        desk.do(f"{OPPOSED} hold:roll wait:2s frame", 1, 1, 3, 4)
        hidden = desk.frame.tobytes()
        desk.close()
        desk = sit()
        desk.do("frame")
        assert desk.view.shown == 0
        assert desk.frame.tobytes() == hidden
        desk.do("roll wait:2s", 2, 1, 3, 4)
        assert isinstance(desk.view, CoverView)


class TestDiceByHand:
    def test_are_entered_one_by_one_and_judged_like_any(self, desk: Any) -> None:
        choose(desk, "Dice by hand")
        desk.do("turn+1 push turn+3 push turn-9 push wait:2s")
        assert [die.face for die in desk.view.dice] == [2, 5, 1]
        (row,) = desk.rows("roll")
        assert (row.pips, row.source) == ((2, 5, 1), "table")

    def test_a_face_entered_wrongly_is_taken_back_by_a_hold(self, desk: Any) -> None:
        choose(desk, "Dice by hand")
        desk.do("turn+1 push turn+3 push hold")
        assert isinstance(desk.view, EntryView)
        assert desk.view.place == "2/3"
        assert desk.view.die.face == 5
        desk.do("hold hold")
        assert isinstance(desk.screen, Dialling)
        assert desk.rows("roll", "drawn") == []

    def test_of_two_sides_are_entered_in_turn_and_can_be_left_half_way(self, desk: Any) -> None:
        desk.do(OPPOSED)
        choose(desk, "Dice by hand")
        desk.do("push push push push wait:2s")
        assert desk.view.heading == "Defender"
        desk.do("hold")
        assert isinstance(desk.screen, Dialling)
        choose(desk, "Resume roll")
        desk.do("push push push push wait:2s")
        assert desk.view.word == "Draw"


def test_a_turn_counts_as_soon_as_the_greeting_is_over(desk: Any) -> None:
    desk.do("wait:6s turn+1")
    assert desk.request.rank == 4


def test_only_the_dialled_kind_has_a_dot(desk: Any) -> None:
    choose(desk, "Kind: Basic", "Extended test")
    choose(desk, "Kind: Extended")
    assert [label for label, value in desk.view.items if value] == ["Extended test"]
    assert desk.view.items[desk.view.cursor][0] == "Extended test"


EXTENDED = "hold push turn+1 push"
"""From the dial to an extended test of the Seven Kingdoms, which needs three successes."""


class TestExtendedTests:
    def test_go_on_after_a_power_cut_right_behind_a_roll(
        self, desk: Any, sit: Any, tmp_path: Path
    ) -> None:
        desk.do(f"{EXTENDED} wait:2s roll", 6, 5, 4)
        copied = tmp_path / "as the power cut left it"
        shutil.copytree(desk.folder, copied)
        again = sit(folder=copied)
        assert (again.request.gained, again.request.roll_number) == (1, 2)
        again.do("wait:7s roll wait:2s", 6, 5, 4)
        assert [(test.gained, test.rolls) for test in again.state.table.progress] == [(2, 2)]

    def test_take_back_what_a_void_roll_gained(self, desk: Any) -> None:
        desk.do(f"{EXTENDED} roll wait:2s push", 6, 5, 4)
        assert desk.request.gained == 1
        choose(desk, "History")
        desk.do("push push")
        choose(desk, "Void: Mistake")
        assert (desk.request.gained, desk.request.roll_number) == (0, 1)

    def test_begin_anew_once_they_are_done_with(self, desk: Any) -> None:
        desk.do(f"{EXTENDED} roll wait:2s push", 6, 5, 4)
        choose(desk, "People & table", "Running tests", "Unnamed", "Done with it")
        assert (desk.request.gained, desk.request.roll_number) == (0, 1)

    def test_follow_whoever_is_called_otherwise(self, desk: Any) -> None:
        choose(desk, "People & table")
        joins(desk, "Ann")
        choose(desk, "Ann", "Roll for them")
        desk.do(f"{EXTENDED} roll wait:2s push", 6, 5, 4)
        choose(desk, "People & table", "Ann", "Rename")
        desk.do("turn+1 hold push")
        for key in ("e", DONE):
            away = wheel(desk.screen.text).index(key) - desk.screen.letter
            desk.do(f"turn{away:+d} push")
        (test,) = desk.state.table.progress
        assert (test.name, desk.request.name, desk.request.gained) == ("Anne", "Anne", 1)

    def test_tell_nothing_of_a_hidden_roll_until_it_is_revealed(
        self, desk: Any, sit: Any, tmp_path: Path
    ) -> None:
        desk.do(f"{EXTENDED} hold:roll wait:2s push", 6, 5, 4)
        assert desk.view.target == "Challenging 9 · ?/3"
        choose(desk, "People & table", "Running tests")
        assert desk.view.items[0] == ("Unnamed", "?/3")
        copied = tmp_path / "copy"
        shutil.copytree(desk.folder, copied)
        assert sit(folder=copied).view.target == "Challenging 9 · ?/3"
        desk.do("hold hold hold")
        choose(desk, "History")
        desk.do("push hold push")
        choose(desk, "Leave it so")
        desk.do("hold hold")
        assert desk.view.target == "Challenging 9 · 1/3"


class TestTheTable:
    def test_characters_join_by_name_take_harm_heal_and_leave(self, desk: Any) -> None:
        choose(desk, "People & table")
        joins(desk, "Bo")
        assert "Bo" in items(desk)
        choose(desk, "Bo", "Wound +1", "Wound +1", "Injury +1")
        assert (items(desk)["Wound +1"], items(desk)["Injury +1"]) == ("2", "1")
        choose(desk, "Wound −1", "Injury −1")
        assert items(desk)["Wound +1"] == "1"
        assert items(desk)["Injury −1"] == "0"
        desk.do("push")
        assert desk.screen.title == "Not possible"
        desk.do("push")
        choose(desk, "Leaves the table")
        assert "Bo" not in [name for name, _ in desk.view.items]
        assert [row.kind for row in desk.rows("change")] == ["change"] * 7

    def test_the_last_change_can_be_undone(self, desk: Any) -> None:
        choose(desk, "People & table", "Glory +1", "Glory +1")
        assert items(desk)["Glory +1"] == "2"
        choose(desk, "Undo a change")
        assert [told for told, _ in desk.view.items] == ["+1 Glory", "+1 Glory"]
        desk.do("push")
        assert desk.view == TextView("Done", "Undone: +1 Glory.")
        desk.do("wait:6s")
        assert items(desk)["Glory +1"] == "1"
        choose(desk, "Glory −1")
        assert items(desk)["Glory +1"] == "0"
        choose(desk, "Glory −1")
        assert desk.screen.title == "Not possible"

    def test_what_cannot_be_undone_is_refused_in_one_sentence(self, desk: Any) -> None:
        choose(desk, "People & table", "Undo a change")
        assert isinstance(desk.screen, Notice)
        desk.do("push")
        assert desk.screen.page is Page.TABLE

    def test_a_name_is_corrected_and_one_without_letters_joins_nobody(self, desk: Any) -> None:
        choose(desk, "People & table", "New character")
        desk.do("turn+1 push turn-2 push")
        assert desk.screen.text == "B-"
        desk.do("hold")
        assert desk.screen.text == "B"
        desk.do("hold")
        assert (desk.screen.text, desk.screen.letter) == ("", LETTERS.index("b"))
        desk.do(f"turn+{LETTERS.index(' ') - 1} push")
        desk.do("turn+1")
        assert wheel(desk.screen.text)[desk.screen.letter] == DONE
        desk.do("push")
        assert isinstance(desk.screen, Browsing)
        assert desk.rows("change") == []

    def test_the_dial_follows_whoever_is_on_it(self, desk: Any, sit: Any) -> None:
        choose(desk, "People & table")
        joins(desk, "Ann")
        choose(desk, "Ann", "Roll for them")
        assert (desk.request.name, desk.request.injuries) == ("Ann", 0)
        choose(desk, "People & table", "Ann", "Injury +1", "Rename")
        assert desk.screen.text == "Ann"
        desk.do("hold hold")
        for key in ("m", "y", DONE):
            away = wheel(desk.screen.text).index(key) - desk.screen.letter
            desk.do(f"turn{away:+d} push")
        assert (desk.request.name, desk.request.injuries) == ("Amy", 1)
        desk.do("hold")
        choose(desk, "Undo a change", "Ann is now Amy")
        assert (desk.request.name, desk.request.injuries) == ("Ann", 1)
        desk.do("push")
        assert desk.view.items[desk.view.cursor][0] == "Undo a change"
        choose(desk, "Ann", "Injury −1")
        assert desk.request.injuries == 0
        desk.close()
        assert sit().request.name == "Ann"

    def test_spelling_ends_a_detent_from_the_last_letter_and_begins_words_with_capitals(
        self, desk: Any
    ) -> None:
        choose(desk, "People & table", "New character")
        for key in "Ann O'Hara-Lee 2":
            keys = wheel(desk.screen.text)
            away = keys.index(key) - desk.screen.letter
            desk.do(f"turn{away:+d} push" if away else "push")
        assert desk.screen.text == "Ann O'Hara-Lee 2"
        desk.do("turn+1 push")
        assert desk.view.heading == "Ann O'Hara-Lee 2"

    def test_what_a_roll_does_to_the_group_is_offered_after_it(self, desk: Any) -> None:
        desk.do(f"{ATTACK} roll wait:2s", 6, 1, 1, 1, 1, 1)
        desk.do("push")
        assert (desk.view.told, desk.view.options[0]) == ("+1 Glory", "Yes, apply")
        choose(desk, "Yes, apply")
        desk.do("hold hold hold wait:31s")
        choose(desk, "People & table")
        assert items(desk)["Glory +1"] == "1"

    def test_what_is_offered_can_be_left(self, desk: Any) -> None:
        desk.do(f"{ATTACK} roll wait:2s push hold", 6, 1, 1, 1, 1, 1)
        assert isinstance(desk.screen, Reading)
        desk.do("push")
        choose(desk, "No, go on")
        assert isinstance(desk.screen, Dialling)
        assert desk.rows("change") == []

    def test_a_character_rolls_with_their_own_name(self, desk: Any) -> None:
        choose(desk, "People & table")
        joins(desk, "Bo")
        choose(desk, "Bo", "Wound +1", "Roll for them")
        assert (desk.request.name, desk.request.wounds) == ("Bo", 1)
        assert desk.view.heading == "Bo"


class TestHistory:
    def test_lists_rolls_the_newest_first_and_reads_them_again(self, desk: Any) -> None:
        desk.do("roll wait:2s push roll wait:2s push", 6, 6, 6, 1, 1, 1)
        choose(desk, "History")
        assert [value for _, value in desk.view.items] == ["Failure 3", "Success 18"]
        desk.do("turn+1 push")
        assert isinstance(desk.view, SummaryView)
        assert desk.view.value == 18
        desk.do("hold")
        assert desk.view.heading == "History"

    def test_lets_a_roll_not_count_for_a_reason(self, desk: Any) -> None:
        desk.do("roll wait:2s push", 6, 6, 6)
        choose(desk, "History")
        desk.do("push push")
        choose(desk, "Void: Mistake")
        (row,) = desk.rows("void")
        assert row.document("detail")["reason"] == "Mistake"
        desk.do("hold hold hold wait:31s")
        choose(desk, "History")
        assert [value for _, value in desk.view.items] == ["void"]

    def test_goes_further_back_than_one_page(self, desk: Any) -> None:
        for _ in range(14):
            desk.do("roll wait:2s push", 6, 6, 6)
        choose(desk, "History")
        first = desk.view.items[0]
        choose(desk, "Older rolls")
        assert len(desk.view.items) == 2
        assert first not in desk.view.items

    def test_says_so_where_nothing_was_rolled(self, desk: Any) -> None:
        choose(desk, "History")
        assert desk.view == TextView("History", "No roll is recorded yet.")


class TestLookingUp:
    @pytest.mark.parametrize("item", ["History", "Fairness", "About"])
    def test_leads_back_to_the_item_that_led_there(self, desk: Any, item: str) -> None:
        desk.do("roll wait:2s push", 6, 5, 4)
        choose(desk, item)
        desk.do("hold")
        assert desk.view.items[desk.view.cursor][0] == item

    def test_a_roll_revealed_in_the_history_stays_revealed_there(self, desk: Any) -> None:
        desk.do("hold:roll wait:2s push", 6, 5, 4)
        choose(desk, "History")
        assert desk.view.items[0][1] == "hidden"
        desk.do("push hold push")
        choose(desk, "Leave it so")
        assert desk.view.items[0][1] == "Success 15"
        desk.do("push")
        assert isinstance(desk.screen, Reading)

    def test_what_a_change_rests_on_is_told_by_its_words(self, desk: Any) -> None:
        choose(desk, "People & table")
        joins(desk, "Bo")
        choose(desk, "Bo", "Wound +1", "Wound +1")
        desk.do("hold")
        choose(desk, "Undo a change")
        desk.do("turn+2 push")
        assert desk.screen.title == "Not possible"
        assert "“Bo takes 1 wound”" in desk.screen.text

    def test_a_void_roll_says_so_and_why_also_at_once(self, desk: Any) -> None:
        desk.do("roll wait:2s push", 6, 5, 4)
        choose(desk, "History")
        desk.do("push push")
        choose(desk, "Void: Wrong pool")
        desk.do("push")
        assert desk.view.items[0][1] == "void"
        desk.do("push")
        assert (desk.view.word, desk.view.marks[0]) == ("Void", "wrong pool")
        desk.do("hold hold hold")
        choose(desk, "History")
        desk.do("push")
        assert (desk.view.word, desk.view.marks[0]) == ("Void", "wrong pool")

    def test_fairness_counts_each_face_by_source(self, desk: Any) -> None:
        choose(desk, "Fairness")
        assert isinstance(desk.view, TextView)
        desk.do("push roll wait:2s push", 6, 6, 2)
        choose(desk, "Fairness")
        assert isinstance(desk.view, FairnessView)
        assert desk.view.counts == (0, 1, 0, 0, 0, 2)
        desk.do("turn+1")
        assert desk.view.heading == "urandom"
        desk.do("push hold")
        assert isinstance(desk.screen, Dialling)

    def test_about_says_what_the_station_is(self, desk: Any) -> None:
        choose(desk, "About")
        assert "Dice: urandom" in desk.view.text
        desk.do("turn+1 push")
        assert desk.screen.page is Page.TOP

    @pytest.mark.parametrize("label", ["History", "Fairness", "About"])
    def test_what_is_looked_up_gives_way_to_the_dial(self, desk: Any, label: str) -> None:
        desk.do("roll wait:2s push", 6, 6, 2)
        choose(desk, label)
        desk.do("wait:31s")
        assert isinstance(desk.screen, Dialling)


class TestSettings:
    def test_are_kept_through_a_power_cut(self, sit: Any) -> None:
        desk = sit()
        choose(desk, "Settings", "Sound", "Upside down", "Lamp")
        told = items(desk)
        assert (told["Sound"], told["Upside down"], told["Lamp"]) == ("loud", "yes", "no")
        desk.close()
        desk = sit()
        choose(desk, "Settings")
        assert items(desk) == told

    def test_how_soon_the_panel_dims_goes_round_and_never_is_among_it(self, desk: Any) -> None:
        choose(desk, "Settings")
        seen = []
        for _ in range(5):
            choose(desk, "Dims after")
            seen.append(items(desk)["Dims after"])
        assert len(set(seen)) == 5
        assert "never" in seen

    def test_a_panel_that_went_dark_wakes_without_doing_anything_else(self, desk: Any) -> None:
        desk.do("wait:601s")
        assert desk.parts.display.level is Brightness.OFF
        desk.do("roll wait:1s")
        assert desk.parts.display.level is Brightness.FULL
        assert desk.rows("roll") == []
        desk.do("roll wait:2s", 6, 6, 6)
        assert len(desk.rows("roll")) == 1


def test_power_off_asks_first(desk: Any) -> None:
    choose(desk, "Power off")
    assert desk.view.heading == "Power off?"
    choose(desk, "No, go back")
    assert isinstance(desk.screen, Dialling)
