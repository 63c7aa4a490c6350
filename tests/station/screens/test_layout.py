"""Every screen in pixels: nothing leaves the panel, nothing overlaps, and only names are cut."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from hardware.clock import SECOND
from rules.dial import controls, fresh, turned
from rules.fields import Fielded, Text, specs
from rules.model import AskChoice, AskDice, Chosen, Die, Fate, Request, Role, Rolled, Tone
from rules.registry import DEFAULT, Registry
from station import dialling
from station.flow.setting import wheel
from station.pages import verdict_pages
from station.panel import Panel
from station.rolls import Roll
from station.screens.canvas import Canvas, Placed
from station.screens.layout import paint, render
from station.show import view
from station.state import Browsing, Choosing, Page, Revealing, Spelling, State, Waiting
from station.views import (
    BusyView,
    ChoiceView,
    CoverView,
    DialView,
    DiceView,
    EntryView,
    FairnessView,
    MenuView,
    NumberView,
    SpellView,
    SummaryView,
    TableView,
    TextView,
    View,
)

PANELS = (Panel(128, 64), Panel(128, 32))
both_panels = pytest.mark.parametrize("panel", PANELS, ids=["128x64", "128x32"])

LONG = "WWWWWWWWWWWWWWWWWWWWWWWW"
"""As long as a name may be."""

KINDS = [kind for system in DEFAULT for kind in system.kinds]
KIND_NAMES = [kind.kind for kind in KINDS]


def named(part: Any, name: str) -> Any:
    """Return a request with every name in it set, as far as its length is allowed."""
    for field, spec in specs(type(part)).items():
        value = getattr(part, field)
        if isinstance(spec, Text):
            part = replace(part, **{field: name[: spec.longest]})
        elif isinstance(value, Fielded):
            part = replace(part, **{field: named(value, name)})
        elif isinstance(value, tuple):
            part = replace(part, **{field: tuple(named(each, name) for each in value)})
    return part


def views(
    registry: Registry, request: Request, chance: random.Random, panel: Panel
) -> Iterator[View]:
    """Yield what can show from the dial of a request to the last page of its verdict."""
    dial = dialling.with_request(dialling.first_dial(registry, roll_button=False), request)
    for screen in before(dial):
        yield view(registry, screen, panel)
    advance = registry.of(request).advance
    roll = Roll(request, seq=1_234_567)
    while isinstance(step := advance(request, roll.answers), AskDice | AskChoice):
        if isinstance(step, AskDice):
            if roll.answers:
                yield view(registry, State(dial, Waiting(roll, step)), panel)
                left = State(dial, Browsing(Page.TOP), unfinished=(roll,))
                yield view(registry, left, panel)
            faces = tuple(chance.choices(range(1, 7), k=step.count))
            roll = replace(roll, answers=(*roll.answers, Rolled(faces)))
            for shown in (0, len(roll.faces) // 2, len(roll.faces)):
                yield view(registry, State(dial, Revealing(roll, SECOND, shown)), panel)
        else:
            for cursor in range(len(step.options)):
                yield view(registry, State(dial, Choosing(roll, step, cursor)), panel)
            yield from verdict_pages(registry, roll, panel)
            option = Chosen(chance.choice(step.options).id)
            roll = replace(roll, answers=(*roll.answers, option))
    yield from verdict_pages(registry, roll, panel)
    yield verdict_pages(registry, replace(roll, notice="not recorded"), panel)[0]


def before(dial: dialling.Dial) -> Iterator[State]:
    """Yield the dial with its cursor everywhere, and the menu likewise."""
    for shown in (dial, dialling.expand(dial)):
        for place in range(min(40, len(dialling.stops(shown)))):
            yield State(dialling.next_stop(shown, place))
    for page in (Page.TOP, Page.KIND, Page.SYSTEM):
        for cursor in range(12):
            yield State(dial, Browsing(page, cursor))


def faults(canvas: Canvas, view: View) -> list[str]:
    """Return all that is wrong with a frame, each in one sentence."""
    placed = [each for each in canvas.placed if each.text]
    found = [f"{each} leaves the panel" for each in placed if not inside(canvas, each)]
    found += [f"{a} and {b} overlap" for a, b in combinations(placed, 2) if overlap(a, b)]
    found += [f"{each} is cut" for each in placed if each.cut and not may_be_cut(each, view)]
    return found


def inside(canvas: Canvas, placed: Placed) -> bool:
    left, top, right, bottom = placed.box
    return left >= 0 and top >= 0 and right <= canvas.width and bottom <= canvas.height


def overlap(a: Placed, b: Placed) -> bool:
    return (
        a.box[0] < b.box[2] and b.box[0] < a.box[2] and a.box[1] < b.box[3] and b.box[1] < a.box[3]
    )


def may_be_cut(placed: Placed, view: View) -> bool:
    """Return whether a text lost only a part of a name, or is told in full on another page."""
    if isinstance(view, SummaryView) and placed.whole == view.foot:
        return True
    if isinstance(view, SummaryView) and placed.whole in {name for name, _ in view.sides}:
        return True
    if isinstance(view, TableView) and placed.whole in {name for name, _, _ in view.rows}:
        return True
    before, _, after = placed.text.partition("…")
    lost = placed.whole.removeprefix(before).removesuffix(after)
    return len(before + lost + after) == len(placed.whole) and set(lost) == {"W"}


def check(registry: Registry, request: Request, chance: random.Random) -> None:
    for panel in PANELS:
        for shown in views(registry, request, chance, panel):
            assert faults(paint(shown, panel), shown) == [], shown


@st.composite
def requests(draw: st.DrawFn, kind: type[Request]) -> Request:
    """Draw a request of a kind as a knob can dial it, with or without names."""
    request = fresh(kind)
    for _ in range(draw(st.integers(0, 8))):
        every = controls(request)
        control = every[draw(st.integers(0, len(every) - 1))]
        request = turned(request, control.path, draw(st.sampled_from([-99, -2, 1, 4, 99])))
    return named(request, LONG) if draw(st.booleans()) else request


@pytest.mark.parametrize("kind", KINDS, ids=KIND_NAMES)
@settings(max_examples=12)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_any_request_and_any_roll_of_it_fits_both_panels(
    kind: type[Request], data: st.DataObject, seed: int
) -> None:
    check(DEFAULT, data.draw(requests(kind)), random.Random(seed))  # noqa: S311 - reproducible


EXTREMES: dict[str, dict[str, Any]] = {
    "every die and every penalty": {
        "system": "seven-kingdoms", "kind": "basic", "rank": 20, "bonus": 20, "aided": True,
        "discard_penalty": 20, "difficulty": 99, "modifier": -99, "injuries": 20,
    },
    "the largest total": {
        "system": "seven-kingdoms", "kind": "basic", "rank": 20, "bonus": 20, "difficulty": 99,
        "modifier": 99,
    },
    "cut down to one die": {
        "system": "seven-kingdoms", "kind": "basic", "rank": 20, "pool_penalty": 19, "bonus": 20,
        "discard_penalty": 20, "difficulty": 1, "modifier": -99, "injuries": 20,
    },
    "a long extended test": {
        "system": "seven-kingdoms", "kind": "extended", "rank": 20, "bonus": 20, "difficulty": 18,
        "needed": 99, "gained": 97, "roll_number": 999,
    },
    "a conflict": {
        "system": "seven-kingdoms", "kind": "conflict", "rank": 20, "bonus": 20,
        "discard_penalty": 19, "difficulty": 99, "defense_name": LONG,
    },
    "dead": {
        "system": "seven-kingdoms", "kind": "basic", "rank": 20, "wounds": 20, "endurance": 20,
        "difficulty": 99,
    },
    "too lowly": {"system": "seven-kingdoms", "kind": "basic", "rank": 1, "difficulty": 21},
    "no dice left": {
        "system": "seven-kingdoms", "kind": "basic", "rank": 9, "wounds": 9, "difficulty": 3,
    },
    "automatic": {"system": "seven-kingdoms", "kind": "basic", "rank": 1, "difficulty": 0},
    "twelve contestants": {
        "system": "seven-kingdoms", "kind": "competition", "name": LONG,
        "contestants": [{"name": LONG, "rank": 20, "bonus": 20, "discard_penalty": 3}] * 12,
    },
    "a contest of ghosts": {
        "system": "seven-kingdoms", "kind": "competition",
        "contestants": [{"name": LONG, "rank": 1, "wounds": 20}] * 2,
    },
    "forty dice against eighty": {
        "system": "wrath-and-glory", "kind": "attack", "pool": 40, "dn": 40, "dn_penalty": 40,
        "name": LONG,
    },
    "forty dice of attribute and skill": {
        "system": "wrath-and-glory", "kind": "test", "attribute": 12, "skill": 14,
        "bonus_dice": 14, "dn": 1,
    },
    "both sides at their best": {
        "system": "opposed-attribute", "kind": "opposed", "attribute": "W" * 60, "name": LONG,
        "attacker": {"name": LONG, "score": 10, "modifiers": 10},
        "defender": {"name": LONG, "score": 10, "modifiers": 10},
    },
    "both sides at their worst": {
        "system": "opposed-attribute", "kind": "opposed",
        "attacker": {"name": LONG, "score": -10, "modifiers": -10},
        "defender": {"score": -10, "modifiers": -10},
    },
}  # fmt: skip


@pytest.mark.parametrize("extreme", EXTREMES)
def test_the_extremes_fit_both_panels(extreme: str) -> None:
    check(DEFAULT, DEFAULT.request(EXTREMES[extreme]), random.Random(1))  # noqa: S311


@pytest.mark.slow
@pytest.mark.parametrize("extreme", EXTREMES)
@pytest.mark.parametrize("seed", range(2, 8))
def test_the_extremes_fit_both_panels_however_the_dice_fall(extreme: str, seed: int) -> None:
    check(DEFAULT, DEFAULT.request(EXTREMES[extreme]), random.Random(seed))  # noqa: S311


WRATH = Die(6, Role.WRATH, Fate.COUNTED)
RARE = {
    "a covered roll": CoverView("#1234567", "push: on hold: reveal"),
    "a covered roll that is not recorded": CoverView("", "hold: reveal"),
    "the first die by hand": EntryView("40 dice", "1/40", (), WRATH),
    "the last die by hand": EntryView(
        LONG, "40/40", (WRATH, *[replace(WRATH, role=Role.ICON)] * 38), WRATH
    ),
    "faces nobody rolled": FairnessView("urandom", (0,) * 6, ("0 dice", "chi² 0.00", "p = 1.000")),
    "ten million faces": FairnessView(
        "hwrng+urandom",
        (1_666_667, 1_666_666, 1_700_000, 1_600_000, 1_666_666, 1_700_001),
        ("9,999,999", "χ² 9,999", "p 0.000"),
    ),
    "a name begun": SpellView("New name", "", tuple("xyzABCD"), "push: take hold: back"),
    "a name at its longest": SpellView(
        "Name of the attribute",
        "W" * 24,
        ("8", "9", "'", "-", "space", "←", "OK"),
        "push: take  hold: ←",
    ),
    "all that a roll does": ChoiceView(
        "Roll #1234567",
        "",
        ("Yes, apply", "Void: Mistake", "Void: Wrong target", "No, go on"),
        1,
        f"{'W' * 24} loses 10 Reserve and 1 each turn, {'W' * 24} loses 10 Reserve",
        ("W" * 24,),
    ),
    "the longest number": NumberView(
        "W" * 24, "W" * 24 + " healed", "−10", "push: set  hold: back", ("W" * 24,)
    ),
}


@both_panels
@pytest.mark.parametrize("rare", RARE)
def test_the_rarer_screens_fit_both_panels(panel: Panel, rare: str) -> None:
    shown = RARE[rare]
    assert faults(paint(shown, panel), shown) == []


@both_panels
def test_a_face_under_the_knob_is_seen(panel: Panel) -> None:
    frames = [
        render(EntryView("3D", "1/3", (), Die(face, Role.TEST, Fate.COUNTED)), panel).tobytes()
        for face in range(1, 7)
    ]
    assert len(set(frames)) == 6


@both_panels
def test_a_bar_is_as_high_as_its_face_is_common(panel: Panel) -> None:
    even, odd = (
        lit(render(FairnessView("", counts, ()), panel))
        for counts in ((9,) * 6, (9, 0, 9, 0, 9, 0))
    )
    assert even > 1.5 * odd


@pytest.mark.parametrize("kind", ["draw", "duel"])
def test_a_registered_system_fits_both_panels(toy_registry: Registry, kind: str) -> None:
    kinds = {each.kind: each for each in toy_registry.system("high-die").kinds}
    for request in (fresh(kinds[kind]), named(fresh(kinds[kind]), LONG)):
        check(toy_registry, request, random.Random(1))  # noqa: S311


def test_a_name_is_shortened_and_what_stands_behind_it_is_not() -> None:
    request = DEFAULT.request(EXTREMES["both sides at their best"])
    dial = dialling.with_request(dialling.first_dial(DEFAULT, roll_button=True), request)
    told = texts(view(DEFAULT, State(dial), Panel()))
    assert told[:2] == ["WWWWWWWWWWW… +10 (+10)"[-21:], "WWWWWWWWWW… +10 (+10)"]


def texts(shown: View, panel: Panel = PANELS[0]) -> list[str]:
    """Return the texts of a frame, in the order they were drawn."""
    return [each.text for each in paint(shown, panel).placed if each.text]


@pytest.mark.parametrize(
    ("fields", "head"),
    [
        ({"kind": "basic", "rank": 3, "difficulty": 9}, ["Seven Kingdoms", "3D vs Challenging 9"]),
        (
            {"kind": "basic", "rank": 3, "bonus": 2, "difficulty": 12},
            ["Seven Kingdoms 3D+2B", "Formidable 12"],
        ),
        ({"kind": "basic", "rank": 1, "difficulty": 9}, ["Seven Kingdoms", "1D ! needs rank 2"]),
        (
            {"kind": "extended", "rank": 3, "difficulty": 11, "needed": 99, "gained": 12},
            ["Extended test 3D", "Challenging 11 12/99"],
        ),
        (
            {"system": "wrath-and-glory", "kind": "test", "pool": 40, "dn": 40},
            ["40 dice vs DN 40", "Nearly impossible"],
        ),
    ],
)
def test_pool_and_target_share_a_line_where_they_can(
    fields: dict[str, Any], head: list[str]
) -> None:
    request = DEFAULT.request({"system": "seven-kingdoms"} | fields)
    dial = dialling.with_request(dialling.first_dial(DEFAULT, roll_button=True), request)
    assert texts(view(DEFAULT, State(dial), Panel()))[:2] == head


def summary(**parts: Any) -> SummaryView:
    """Return a verdict at a glance."""
    given: dict[str, Any] = {
        "word": "Success",
        "tone": Tone.SUCCESS,
        "badge": "#7",
        "value": 14,
        "need": 9,
        "side": ("Great", "margin +5"),
        "marks": (),
        "dice": (),
    }
    return SummaryView(**(given | parts))


def lit(image: Image.Image) -> int:
    """Return how many pixels of an image are lit."""
    return sum(image.histogram()[1:])


def test_two_equal_rolls_in_a_row_give_different_frames() -> None:
    for panel in PANELS:
        first, second = (render(summary(badge=badge), panel) for badge in ("#7", "#8"))
        assert first.tobytes() != second.tobytes()


@both_panels
def test_however_long_the_number_of_a_roll_its_last_figures_show(panel: Panel) -> None:
    frames = [
        render(summary(word="Not attempted", badge=f"#12345678{last}"), panel).tobytes()
        for last in range(10)
    ]
    assert len(set(frames)) == 10


@both_panels
def test_a_success_and_a_failure_look_different_from_afar(panel: Panel) -> None:
    bars = [
        lit(render(summary(tone=tone, word=""), panel).crop((0, 0, 128, 12)))
        for tone in (Tone.SUCCESS, Tone.FAILURE)
    ]
    assert bars[0] > 3 * bars[1]


@pytest.mark.parametrize(
    ("marks", "told"),
    [
        ((), "Great"),
        (("Aided",), "! Aided"),
        (("Complication",), "Complication"),
        (("Complication", "not recorded"), "turn: more"),
    ],
)
def test_a_low_panel_tells_marks_first(marks: tuple[str, ...], told: str) -> None:
    assert texts(summary(marks=marks, value=10, need=12), Panel(128, 32))[-1] == told


@pytest.mark.parametrize("value", [0, 9, -10, 120, -119, 219])
@pytest.mark.parametrize("need", [None, 9, 99, -10])
def test_a_verdicts_numbers_are_twenty_pixels_tall_and_stay_on_the_panel(
    value: int, need: int | None
) -> None:
    canvas = paint(summary(value=value, need=need, side=()), Panel())
    numbers = [each for each in canvas.placed if each.box[1] == 18]
    assert len(numbers) == (1 if need is None else 2)
    for each in numbers:
        assert canvas.image.crop(each.box).getbbox()[1::2] == (0, 20)
        assert each.box[2] <= 128


def test_the_value_and_the_chance_on_the_dial_are_twenty_pixels_tall() -> None:
    for value, chance in product(("3", "10", "+10", "−99"), ("0%", "100%", ">99.9%", "74.1%")):
        shown = DialView("", 0, 3, "3D", "DN 3", "", "", "Rank", value, "Success", chance)
        tall = [
            each.text for each in paint(shown, Panel()).placed if each.box[3] - each.box[1] == 20
        ]
        assert value in tall
        assert chance in tall or len(value + chance) > 7


def test_a_low_panel_scrolls_with_the_dice_as_they_fall() -> None:
    dice = tuple(Die(1 + n % 6, Role.TEST, Fate.COUNTED) for n in range(40))
    frames = [render(DiceView("", dice, shown), Panel(128, 32)).tobytes() for shown in range(41)]
    assert all(earlier != later for earlier, later in pairwise(frames))


def test_text_that_runs_on_ends_in_an_ellipsis() -> None:
    told = texts(TextView("Nothing rolled", "word " * 60))
    assert told[-1].endswith("…")
    assert len(told) == 5
    assert texts(TextView("", "short"), Panel(128, 32)) == ["short"]


@both_panels
def test_while_dice_are_drawn_one_line_stands_in_the_middle(panel: Panel) -> None:
    (placed,) = paint(BusyView("Rolling …"), panel).placed
    left, top, right, bottom = placed.box
    assert abs(left - (128 - right)) <= 1
    assert abs(top - (panel.height - bottom)) <= 1


@both_panels
def test_the_item_under_the_cursor_is_the_lit_one(panel: Panel) -> None:
    items = tuple((f"item {n}", "") for n in range(9))
    for cursor in range(9):
        shown = MenuView("Menu", items, cursor)
        assert f"item {cursor}" in texts(shown, panel)
        assert lit(render(shown, panel)) > 1000


@both_panels
def test_of_a_long_name_the_end_that_is_being_spelled_is_seen(panel: Panel) -> None:
    told = texts(SpellView("", "Daenerys of the House Ta", tuple("abcdefg")), panel)
    assert told[0] == "…rys of the House Ta_"


@both_panels
@pytest.mark.parametrize("letter", range(len(wheel("B"))))
def test_the_keys_of_a_word_stay_on_the_panel(panel: Panel, letter: int) -> None:
    dial = dialling.first_dial(DEFAULT, roll_button=True)
    screen = Spelling(Browsing(Page.TABLE), text="B", letter=letter)
    shown = view(DEFAULT, State(dial, screen), panel)
    assert faults(paint(shown, panel), shown) == []


@both_panels
def test_a_result_in_a_list_is_told_in_full_before_the_name_beside_it(panel: Panel) -> None:
    items = (("#12300 Nymeria", "Not attempted"), ("#99 Arya", "Success 13"))
    shown = texts(MenuView("History", items, 0, ("Nymeria", "Arya")), panel)
    assert {"#12300", "Not attempted", "#99 Arya", "Success 13"} <= {*shown}


@both_panels
def test_contestants_without_a_name_are_told_apart(panel: Panel) -> None:
    people = [{"rank": 20, "modifier": 99} for _ in range(12)]
    request = DEFAULT.request(
        {"system": "seven-kingdoms", "kind": "competition", "contestants": people}
    )
    answers = (Rolled((6,) * 20), *(Rolled((1, *(6,) * 19)) for _ in range(11)))
    pages = verdict_pages(DEFAULT, Roll(request, answers, seq=7), panel)
    names = [row[0] for page in pages if isinstance(page, TableView) for row in page.rows]
    told = [text for page in pages if isinstance(page, TableView) for text in texts(page, panel)]
    assert {*names} == {f"No. {place}" for place in range(1, 13)} <= {*told}
