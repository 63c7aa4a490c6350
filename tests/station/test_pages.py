"""The pages of a verdict: all that a roll has to say, the most important first."""

from typing import Any

import pytest

from rules.engine import play as played
from rules.model import Rolled
from rules.registry import DEFAULT
from station.pages import badge, page_count, settled, verdict_pages
from station.panel import Panel, rows_of
from station.rolls import Roll
from station.views import DiceView, SummaryView, TableView, TextView

PANELS = [Panel(128, 64), Panel(128, 32)]


@pytest.fixture
def rolled(asked: Any) -> Any:
    """Make a roll: ``rolled((2, 5, 1), "seven-kingdoms", "basic", rank=3, difficulty=9)``."""

    def make(faces: tuple[int, ...], *names: str, **fields: Any) -> Roll:
        request = asked(*names, **fields)
        resolution = played(DEFAULT.of(request), request, faces)
        return Roll(request, resolution.answers, seq=7)

    return make


def text_of(pages: Any, heading: str) -> str:
    """Return the running text of all pages under a heading."""
    return " ".join(
        page.text.replace("\n", " ")
        for page in pages
        if isinstance(page, TextView) and page.heading == heading
    )


@pytest.mark.parametrize("panel", PANELS)
def test_summary_dice_and_arithmetic_in_that_order(rolled: Any, panel: Panel) -> None:
    faces = (2, 5, 1, 6, 3)
    roll = rolled(faces, "seven-kingdoms", "basic", rank=3, bonus=2, difficulty=9)
    pages = verdict_pages(DEFAULT, roll, panel)
    assert isinstance(pages[0], SummaryView)
    order = [type(page) for page in pages if getattr(page, "heading", "") != "Also"]
    assert order == sorted(order, key=[SummaryView, DiceView, TextView].index)
    dice = [die.face for page in pages if isinstance(page, DiceView) for die in page.dice]
    assert dice == list(faces)
    assert text_of(pages, "Arithmetic") == settled(DEFAULT, roll).explanation
    assert page_count(DEFAULT, roll, panel) == len(pages)


@pytest.mark.parametrize("panel", PANELS)
def test_the_dice_of_several_are_told_apart_by_whose_they_are(rolled: Any, panel: Panel) -> None:
    people = [{"name": "Arya", "rank": 2, "bonus": 1}, {"name": "Bran", "rank": 2}]
    roll = rolled((6, 1, 2, 5, 4), "seven-kingdoms", "competition", contestants=people)
    pages = [p for p in verdict_pages(DEFAULT, roll, panel) if isinstance(p, DiceView)]
    told = [(page.prompt or page.heading, [die.face for die in page.dice]) for page in pages]
    assert told == [("Arya", [6, 1, 2]), ("Bran", [5, 4])]


@pytest.mark.parametrize("panel", PANELS)
def test_no_page_holds_more_than_the_panel_has_lines(rolled: Any, panel: Panel) -> None:
    names = [{"name": f"Contestant number {n:02}", "rank": 20, "bonus": 20} for n in range(12)]
    faces = (1, 2, 3, 4) * 120
    roll = rolled(faces, "seven-kingdoms", "competition", contestants=names)
    pages = verdict_pages(DEFAULT, roll, panel)
    for page in pages:
        if isinstance(page, TableView):
            assert len(page.rows) <= panel.lines
        if isinstance(page, TextView):
            assert len(page.text.split("\n")) <= panel.lines
    ranked = [row[0] for page in pages if isinstance(page, TableView) for row in page.rows]
    assert sorted(ranked) == [each["name"] for each in names]
    dice = [die for page in pages if isinstance(page, DiceView) for die in page.dice]
    assert tuple(die.face for die in dice) == faces
    assert all(len({die.contestant for die in _rows(page, panel)[0]}) == 1 for page in _dice(pages))


def _dice(pages: Any) -> list[DiceView]:
    return [page for page in pages if isinstance(page, DiceView)]


def _rows(page: DiceView, panel: Panel) -> Any:
    return rows_of(page.dice, panel.width)


def test_ranks_contestants_the_best_first_with_what_befell_them(rolled: Any) -> None:
    contestants = [
        {"name": "Arya", "rank": 2},
        {"name": "Bran", "rank": 2, "wounds": 2},
        {"name": "Cat", "rank": 2, "injuries": 4},
        {"rank": 2},
    ]
    roll = rolled((1, 1, 1, 2, 6, 5), "seven-kingdoms", "competition", contestants=contestants)
    (table,) = (p for p in verdict_pages(DEFAULT, roll, Panel(128, 96)) if isinstance(p, TableView))
    assert table.rows == (
        ("No. 4", "11", ""),
        ("Arya", "2", "complication"),
        ("Cat", "−1", "complication"),
        ("Bran", "–", "no test dice"),
    )


def test_both_sides_of_an_opposed_test_with_what_it_costs_them(rolled: Any) -> None:
    sides = {"attacker": {"score": -6}, "defender": {"score": 10, "name": "Sam"}}
    roll = rolled((1, 1, 6, 6, 6, 6, 1, 1), "opposed-attribute", "opposed", **sides)
    pages = verdict_pages(DEFAULT, roll, Panel())
    assert pages[0].word == "Sam wins"
    assert pages[1].rows == (("Sam", "", "no loss"), ("Attacker", "", "−10 Reserve"))


def test_marks_that_have_no_room_at_a_glance_are_told_in_full(rolled: Any) -> None:
    roll = rolled((6, 6, 6), "wrath-and-glory", "attack", pool=3, dn=2)
    pages = verdict_pages(DEFAULT, roll, Panel())
    assert text_of(pages, "Also") == "Critical Hit, Wrath Critical, +1 Glory"
    roll = rolled((1, 6, 6), "wrath-and-glory", "attack", pool=3, dn=2)
    assert text_of(verdict_pages(DEFAULT, roll, Panel()), "Also") == ""


@pytest.mark.parametrize("panel", PANELS)
def test_no_mark_is_lost_on_any_panel(rolled: Any, panel: Panel, seen: Any) -> None:
    request = {"rank": 3, "difficulty": 20, "aided": True}
    roll = rolled((1, 2, 3, 4), "seven-kingdoms", "basic", **request)
    told = seen(verdict_pages(DEFAULT, roll, panel), panel)
    assert "Complication" in told
    assert "Shared failure" in told


@pytest.mark.parametrize("panel", PANELS)
def test_the_progress_of_an_extended_test_is_seen(rolled: Any, panel: Panel, seen: Any) -> None:
    fields = {"rank": 3, "difficulty": 9, "needed": 5, "gained": 2}
    roll = rolled((6, 5, 4), "seven-kingdoms", "extended", **fields)
    told = seen(verdict_pages(DEFAULT, roll, panel), panel)
    assert "3/5" in told
    assert "Great" in told
    assert "margin +6" in told


@pytest.mark.parametrize("panel", PANELS)
def test_that_a_roll_is_not_recorded_is_seen_on_the_first_page(
    rolled: Any, panel: Panel, seen: Any
) -> None:
    roll = rolled((6, 5, 4), "seven-kingdoms", "basic", rank=3, difficulty=9)
    lost = Roll(roll.request, roll.answers, notice="not recorded")
    assert "not recorded" in seen(verdict_pages(DEFAULT, lost, panel)[:1], panel)


@pytest.mark.parametrize("panel", PANELS)
def test_a_test_that_is_not_attempted_has_its_reason_and_no_more(rolled: Any, panel: Panel) -> None:
    roll = rolled((), "seven-kingdoms", "basic", rank=1, difficulty=21)
    page, *more = verdict_pages(DEFAULT, roll, panel)
    assert (page.word, page.value, page.need, page.dice) == ("Not attempted", None, None, ())
    assert page.side == ("Heroic needs rank 4, not 1",)
    # A low panel has a line less than the word and the reason need.
    assert text_of(more, "Also") == ("Heroic needs rank 4, not 1" if panel.low else "")
    assert len(more) == panel.low


def test_a_success_without_dice_has_no_page_of_dice(rolled: Any) -> None:
    roll = rolled((), "seven-kingdoms", "basic", rank=1, difficulty=0)
    pages = verdict_pages(DEFAULT, roll, Panel())
    assert [type(page) for page in pages] == [SummaryView, TextView]


def test_a_roll_that_waits_for_dice_has_no_verdict(asked: Any) -> None:
    sides = {"attacker": {"score": 1}, "defender": {"score": 1}}
    request = asked("opposed-attribute", "opposed", **sides)
    with pytest.raises(ValueError, match="waits for dice"):
        settled(DEFAULT, Roll(request, (Rolled((1, 1, 1, 1)),)))


def test_the_badge_is_the_row_with_the_outcome_or_the_first_or_nothing(rolled: Any) -> None:
    roll = rolled((6, 5, 4), "seven-kingdoms", "basic", rank=3, difficulty=9)
    assert badge(roll) == "#7"
    assert badge(Roll(roll.request, first=5)) == "#5"
    assert badge(Roll(roll.request)) == ""
    assert badge(Roll(roll.request, seq=7, foretold=True)) == "test dice"
