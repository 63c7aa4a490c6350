from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine import dice_asked, play, resolve
from rules.errors import RulesError
from rules.icons import counted, dn_name, shifts_available
from rules.model import (
    Answer,
    AskChoice,
    AskDice,
    Caption,
    Chance,
    Chosen,
    DiceGroup,
    Open,
    Rolled,
    Tone,
    Verdict,
    outcome_plain,
)
from rules.shifts import Shifts
from rules.wrath_and_glory import (
    SYSTEM,
    WrathAttack,
    WrathOutcome,
    WrathRequest,
    WrathTest,
)
from rules.wrath_and_glory import odds as odds_of

KINDS: tuple[type[WrathRequest], ...] = (WrathTest, WrathAttack)
ICON_VALUES = {1: 0, 2: 0, 3: 0, 4: 1, 5: 1, 6: 2}


def outcome_of(request: WrathRequest, faces: list[int], shifts: Any = None) -> WrathOutcome:
    choices = None if shifts is None else {"shifts": shifts}
    outcome = resolve(SYSTEM, request, faces, choices)
    assert isinstance(outcome, WrathOutcome)
    return outcome


@pytest.mark.parametrize(
    ("request_", "faces", "expected"),
    [
        (
            WrathTest(pool=5),
            [2, 3, 4, 5, 6],
            {"icons": 4, "success": True, "shifts_available": 0, "glory": 0},
        ),
        (
            WrathTest(pool=6),
            [6, 6, 4, 4, 2, 1],
            {"icons": 6, "success": True, "shifts_available": 1, "wrath_critical": True},
        ),
        (
            WrathTest(pool=4),
            [1, 6, 5, 2],
            {"icons": 3, "success": True, "complication": True, "shifts_available": 0},
        ),
        (
            WrathAttack(pool=3, dn=5),
            [6, 4, 1],
            {
                "icons": 3,
                "success": False,
                "wrath_critical": True,
                "critical_hit": False,
                "glory": 1,
                "complication": False,
            },
        ),
        (
            WrathAttack(pool=2, dn=2),
            [6, 1],
            {"success": True, "critical_hit": True, "complication": False, "wrath": 6, "glory": 1},
        ),
        (WrathTest(pool=2, dn=2), [6, 1], {"success": True, "critical_hit": False}),
        (WrathTest(pool=1, dn=1), [1], {"icons": 0, "success": False, "complication": True}),
        (WrathTest(pool=2, dn=1), [4, 1], {"complication": False}),
    ],
)
def test_worked_cases(
    request_: WrathRequest, faces: list[int], expected: dict[str, object]
) -> None:
    told = outcome_plain(outcome_of(request_, faces))
    assert {name: told[name] for name in expected} == expected


def test_the_arithmetic_is_shown_die_by_die() -> None:
    request = WrathTest(pool=5)
    assert outcome_of(request, [2, 3, 4, 5, 6]).explanation == (
        "2 3 4 5 6 → 0+0+1+1+2 = 4 Icons vs DN 3: success"
    )
    assert outcome_of(WrathTest(pool=1), [5]).explanation == "5 → 1 = 1 Icon vs DN 3: failure"


def test_an_outcome_has_its_fields_in_the_order_promised() -> None:
    outcome = outcome_of(WrathAttack(pool=6), [6, 6, 4, 4, 2, 1], {"glory": 1})
    told = outcome_plain(outcome)
    assert list(told) == [
        "attempted",
        "reason",
        "dice",
        "open",
        "explanation",
        "icons",
        "dn",
        "dn_name",
        "success",
        "shifts_available",
        "shifts",
        "wrath",
        "wrath_critical",
        "critical_hit",
        "complication",
        "glory",
    ]
    assert told["shifts"] == {"damage": 0, "detail": 0, "glory": 1}
    assert told["dice"][:2] == [
        {"face": 6, "role": "wrath", "fate": "counted"},
        {"face": 6, "role": "icon", "fate": "counted"},
    ]


@pytest.mark.parametrize(
    ("dn", "name"),
    [
        (1, "Straightforward"),
        (2, "Straightforward"),
        (3, "Standard"),
        (4, "Standard"),
        (5, "Challenging"),
        (7, "Hard"),
        (8, "Hard"),
        (9, "Very hard"),
        (11, "Very hard"),
        (12, "Nearly impossible"),
        (80, "Nearly impossible"),
    ],
)
def test_a_dn_has_the_name_of_the_row_at_or_below_it(dn: int, name: str) -> None:
    assert dn_name(dn) == name


def test_a_penalty_raises_the_dn_and_takes_no_die() -> None:
    request = WrathTest(pool=4, dn=3, dn_penalty=2)
    outcome = outcome_of(request, [4, 4, 4, 4])
    assert (outcome.dn, outcome.dn_name, outcome.success) == (5, "Challenging", False)
    assert dice_asked(SYSTEM, request) == 4


def test_the_wrath_die_is_one_of_the_pool_and_comes_first() -> None:
    step = SYSTEM.advance(WrathTest(attribute=3, skill=3, bonus_dice=1), ())
    assert isinstance(step, AskDice)
    assert step.groups == (DiceGroup("wrath", 1), DiceGroup("icon", 6))


@pytest.mark.parametrize(
    ("given_", "field", "says"),
    [
        ({}, "pool", "pool is missing; allowed: 1–40 dice, or an attribute and a skill instead"),
        ({"attribute": 3}, "skill", "skill is missing"),
        ({"skill": 3}, "attribute", "attribute is missing"),
        ({"bonus_dice": 3}, "pool", "pool is missing"),
        ({"pool": 6, "attribute": 3}, "attribute", "none beside a pool"),
        ({"pool": 6, "skill": 0}, "skill", "none beside a pool"),
        ({"pool": 6, "bonus_dice": 1}, "bonus_dice", "0 beside a pool"),
        ({"pool": 0}, "pool", "a whole number 1–40"),
        ({"pool": 41}, "pool", "a whole number 1–40"),
        ({"attribute": 0, "skill": 0}, "attribute", "0 dice in all"),
        ({"attribute": 20, "skill": 20, "bonus_dice": 1}, "attribute", "41 dice in all"),
        ({"attribute": 3, "skill": 3, "bonus_dice": -1}, "bonus_dice", "a whole number 0–40"),
        ({"pool": 6, "dn": 0}, "dn", "a whole number 1–40"),
        ({"pool": 6, "dn_penalty": 41}, "dn_penalty", "a whole number 0–40"),
        ({"pool": 6, "dn": True}, "dn", "dn is true"),
    ],
)
def test_a_pool_is_given_once_and_in_one_way(given_: dict[str, Any], field: str, says: str) -> None:
    with pytest.raises(RulesError) as caught:
        WrathTest(**given_)
    assert caught.value.field == field
    assert says in str(caught.value)


def test_a_bonus_of_no_dice_is_no_bonus() -> None:
    assert WrathTest(pool=6, bonus_dice=0) == WrathTest(pool=6)


@pytest.mark.parametrize("faces", [[], [1], [1, 2, 3, 4]])
def test_only_as_many_faces_as_dice(faces: list[int]) -> None:
    with pytest.raises(RulesError, match="exactly 3 faces"):
        resolve(SYSTEM, WrathTest(pool=3), faces)


def test_a_handful_of_another_size_is_refused() -> None:
    with pytest.raises(RulesError, match="exactly 3 faces"):
        SYSTEM.advance(WrathTest(pool=3), (Rolled((1, 2)),))


def test_shifts_are_bought_one_by_one_until_stopped() -> None:
    request = WrathAttack(pool=6, dn=1)
    answers: tuple[Answer, ...] = (Rolled((6, 6, 6, 4, 1, 1)),)
    step = SYSTEM.advance(request, answers)
    assert isinstance(step, AskChoice)
    assert [option.id for option in step.options] == ["damage", "glory", "stop"]
    assert step.prompt == "3 Shifts left"
    assert step.standing.open == (Open("shifts", 3, 0, ("damage", "glory")),)
    step = SYSTEM.advance(request, (*answers, Chosen("glory")))
    assert isinstance(step, AskChoice)
    assert [option.id for option in step.options] == ["damage", "stop"]
    step = SYSTEM.advance(request, (*answers, Chosen("glory"), Chosen("damage")))
    assert isinstance(step, AskChoice)
    assert step.prompt == "1 Shift left"
    step = SYSTEM.advance(request, (*answers, Chosen("glory"), Chosen("damage"), Chosen("stop")))
    assert isinstance(step, Verdict)
    assert isinstance(step.outcome, WrathOutcome)
    assert step.outcome.shifts == Shifts(damage=1, glory=1)
    assert step.outcome.open == ()
    assert step.outcome.glory == 2
    assert step.outcome.explanation.endswith("; shifted 1 damage, 1 glory, 3 Icons left")


def test_the_last_shift_needs_no_stop() -> None:
    request = WrathTest(pool=6)
    answers = (Rolled((6, 6, 4, 4, 2, 1)), Chosen("detail"))
    step = SYSTEM.advance(request, answers)
    assert isinstance(step, Verdict)
    assert "shifted 1 detail, 4 Icons left" in step.outcome.explanation


@pytest.mark.parametrize(
    "options", [["detail"], ["glory", "glory"], ["stop", "damage"], ["damage"] * 4, ["luck"]]
)
def test_an_option_that_is_not_on_offer_is_refused(options: list[str]) -> None:
    answers: list[Answer] = [Rolled((6, 6, 6, 4, 1, 1)), *map(Chosen, options)]
    with pytest.raises(RulesError) as caught:
        SYSTEM.advance(WrathAttack(pool=6, dn=1), answers)
    assert caught.value.field == "choices.shifts"


@pytest.mark.parametrize(
    ("kind", "choices", "field", "says"),
    [
        (WrathAttack, {"shifts": {"damage": 3}}, "choices.shifts.damage", "allowed: 0–2"),
        (WrathAttack, {"shifts": {"damage": 2, "glory": 1}}, "choices.shifts.glory", "allowed: 0"),
        (WrathAttack, {"shifts": {"glory": 1, "damage": 2}}, "choices.shifts.damage", "0–1"),
        (WrathAttack, {"shifts": {"glory": 2}}, "choices.shifts.glory", "once per test"),
        (WrathAttack, {"shifts": {"detail": 1}}, "choices.shifts.detail", "not on an attack"),
        (WrathTest, {"shifts": {"damage": 1}}, "choices.shifts.damage", "on an attack only"),
        (WrathTest, {"shifts": {"detail": -1}}, "choices.shifts.detail", "a whole number 0–2"),
        (WrathTest, {"shifts": {"detail": 1.0}}, "choices.shifts.detail", "a whole number 0–2"),
        (WrathTest, {"shifts": {"detail": True}}, "choices.shifts.detail", "a whole number 0–2"),
        (WrathTest, {"shifts": {"damage": "1"}}, "choices.shifts.damage", "allowed: 0"),
        (WrathTest, {"shifts": {"luck": 1}}, "choices.shifts.luck", "detail and glory"),
        (WrathTest, {"shifts": [1]}, "choices.shifts", "an object of counts"),
        (WrathTest, {"struck": [0]}, "choices.struck", "allowed: shifts"),
        (WrathTest, [], "choices", "an object with shifts"),
    ],
)
def test_an_allocation_that_is_not_to_be_had_is_refused(
    kind: type[WrathRequest], choices: Any, field: str, says: str
) -> None:
    with pytest.raises(RulesError) as caught:
        resolve(SYSTEM, kind(pool=5, dn=2), [6, 6, 5, 4, 1], choices)
    assert caught.value.field == field
    assert says in str(caught.value)


def test_a_failed_test_has_nothing_to_shift() -> None:
    with pytest.raises(RulesError, match="allowed: 0"):
        outcome_of(WrathAttack(pool=3, dn=5), [6, 4, 1], {"damage": 1})
    assert outcome_of(WrathAttack(pool=3, dn=5), [6, 4, 1], {"damage": 0}).shifts == Shifts()


def test_without_a_decision_the_shifts_stay_open() -> None:
    request = WrathTest(pool=6)
    undecided = outcome_of(request, [6, 6, 4, 4, 2, 1])
    assert undecided.open == (Open("shifts", 1, 0, ("detail", "glory")),)
    assert resolve(SYSTEM, request, [6, 6, 4, 4, 2, 1], {}) == undecided
    assert outcome_of(request, [6, 6, 4, 4, 2, 1], {}).open == ()


@pytest.mark.parametrize(
    ("icons", "dn", "sixes", "most"),
    [(4, 3, 1, 0), (6, 3, 2, 1), (5, 3, 2, 1), (7, 3, 3, 2), (8, 2, 1, 1), (2, 3, 1, 0)],
)
def test_what_remains_after_a_shift_still_meets_the_dn(
    icons: int, dn: int, sixes: int, most: int
) -> None:
    assert shifts_available(icons, dn, sixes) == most


def test_a_wrath_critical_gives_glory_even_on_a_failed_attack() -> None:
    request = WrathAttack(pool=3, dn=5)
    acts = SYSTEM.consequences(request, outcome_of(request, [6, 4, 1]))
    assert [(each.act, each.detail) for each in acts] == [("glory", (("count", 1),))]


def test_a_glory_shift_adds_to_the_critical_and_taking_it_back_leaves_the_critical() -> None:
    request, faces = WrathTest(pool=6), [6, 6, 4, 4, 2, 1]
    assert len(SYSTEM.consequences(request, outcome_of(request, faces, {"glory": 1}))) == 2
    assert len(SYSTEM.consequences(request, outcome_of(request, faces, {"detail": 1}))) == 1


def test_a_verdict_at_a_glance() -> None:
    request = WrathAttack(pool=6, dn=1)
    outcome = outcome_of(request, [6, 6, 6, 4, 1, 1], {"glory": 1, "damage": 2})
    headline = SYSTEM.headline(request, outcome)
    assert (headline.word, headline.tone, headline.success) == ("Success", Tone.SUCCESS, True)
    assert (headline.value, headline.need, headline.detail) == (7, 1, "1 Icon left")
    assert headline.marks == ("Critical Hit", "Wrath Critical", "+2 Glory", "+2 damage")


def test_a_failure_at_a_glance() -> None:
    request = WrathTest(pool=4)
    headline = SYSTEM.headline(request, outcome_of(request, [1, 4, 4, 2]))
    assert (headline.word, headline.tone, headline.success) == ("Failure", Tone.FAILURE, False)
    assert (headline.detail, headline.marks) == ("1 short", ("Complication",))


def test_detail_bought_is_told() -> None:
    request = WrathTest(pool=2, dn=1)
    headline = SYSTEM.headline(request, outcome_of(request, [4, 6], {"detail": 1}))
    assert (headline.detail, headline.marks) == ("1 Icon left", ("+1 detail",))


def test_a_dn_met_exactly_is_a_success() -> None:
    request = WrathTest(pool=3)
    headline = SYSTEM.headline(request, outcome_of(request, [4, 4, 4]))
    assert (headline.success, headline.detail) == (True, "exactly")


@pytest.mark.parametrize(
    ("request_", "caption"),
    [
        (WrathTest(pool=6), Caption("6 dice", "DN 3 Standard")),
        (WrathTest(pool=1, dn=2), Caption("1 die", "DN 2 Straightforward")),
        (WrathTest(pool=2, dn=5), Caption("2 dice", "DN 5 Challenging", "at most 4 Icons")),
    ],
)
def test_a_request_at_a_glance(request_: WrathRequest, caption: Caption) -> None:
    assert SYSTEM.caption(request_) == caption


def test_one_icon_is_one_icon() -> None:
    assert [counted(n) for n in (0, 1, 2)] == ["0 Icons", "1 Icon", "2 Icons"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pool", range(1, 6))
def test_odds_equal_brute_force(kind: type[WrathRequest], pool: int) -> None:
    ways = list(product(range(1, 7), repeat=pool))
    for dn in range(1, 2 * pool + 2):
        odds = odds_of(kind(pool=pool, dn=dn))
        outcomes = [outcome_by_hand(faces, dn) for faces in ways]
        assert odds.success == Fraction(sum(won for _, _, won, _ in outcomes), len(ways))
        assert odds.wrath_critical == odds.complication == Fraction(1, 6)
        hits = sum(won and six for _, _, won, six in outcomes) if kind is WrathAttack else 0
        assert odds.critical_hit == Fraction(hits, len(ways))
        assert dict(odds.icons) == distribution([icons for icons, _, _, _ in outcomes])
        assert dict(odds.shifts) == distribution([shifts for _, shifts, _, _ in outcomes])


def outcome_by_hand(faces: tuple[int, ...], dn: int) -> tuple[int, int, bool, bool]:
    icons = sum(ICON_VALUES[face] for face in faces)
    shifts = 0
    while shifts < faces.count(6) and icons - 2 * (shifts + 1) >= dn:
        shifts += 1
    return icons, shifts, icons >= dn, faces[0] == 6


def distribution(values: list[int]) -> dict[int, Fraction]:
    return {value: Fraction(n, len(values)) for value, n in Counter(values).items()}


@pytest.mark.parametrize("pool", [1, 2, 7, 39, 40])
def test_every_distribution_sums_to_one(pool: int) -> None:
    odds = odds_of(WrathTest(pool=pool, dn=pool))
    assert sum(odds.icons.values()) == sum(odds.shifts.values()) == 1
    assert list(odds.icons) == sorted(odds.icons)
    assert all(odds.icons.values())
    assert all(odds.shifts.values())


@given(pool=st.integers(1, 39), dn=st.integers(1, 40), penalty=st.integers(0, 39))
def test_a_bonus_die_never_hurts_and_a_higher_dn_never_helps(
    pool: int, dn: int, penalty: int
) -> None:
    success = odds_of(WrathTest(pool=pool, dn=dn, dn_penalty=penalty)).success
    assert odds_of(WrathTest(pool=pool + 1, dn=dn, dn_penalty=penalty)).success >= success
    assert odds_of(WrathTest(pool=pool, dn=dn, dn_penalty=penalty + 1)).success <= success


def test_equal_requests_share_their_odds_and_no_one_can_change_them() -> None:
    odds = odds_of(WrathTest(pool=7, dn=4))
    assert odds_of(WrathTest(attribute=3, skill=4, dn=3, dn_penalty=1, name="A")) is odds
    with pytest.raises(TypeError):
        odds.icons[0] = Fraction(1)  # type: ignore[index] # the point of the test


def test_the_dial_shows_success_first() -> None:
    odds = odds_of(WrathAttack(pool=4, dn=2))
    assert SYSTEM.chances(WrathAttack(pool=4, dn=2)) == (
        Chance("Success", odds.success),
        Chance("Critical Hit", odds.critical_hit),
        Chance("Shift", 1 - odds.shifts[0]),
        Chance("Complication", Fraction(1, 6)),
    )
    labels = [chance.label for chance in SYSTEM.chances(WrathTest(pool=4))]
    assert labels == ["Success", "Shift", "Complication"]
    assert SYSTEM.spread(WrathTest(pool=1)).bars == (
        Chance("0", Fraction(1, 2)),
        Chance("1", Fraction(1, 3)),
        Chance("2", Fraction(1, 6)),
    )


rolls = st.lists(st.integers(1, 6), min_size=1, max_size=12)


@given(kind=st.sampled_from(KINDS), faces=rolls, dn=st.integers(1, 14), data=st.data())
def test_shifts_never_break_the_dn(
    kind: type[WrathRequest], faces: list[int], dn: int, data: st.DataObject
) -> None:
    request = kind(pool=len(faces), dn=dn)
    answers: tuple[Answer, ...] = (Rolled(tuple(faces)),)
    while isinstance(step := SYSTEM.advance(request, answers), AskChoice):
        answers = (*answers, Chosen(data.draw(st.sampled_from(step.options)).id))
    assert isinstance(step, Verdict)
    outcome = step.outcome
    assert isinstance(outcome, WrathOutcome)
    assert outcome.shifts.total <= min(outcome.shifts_available, faces.count(6))
    assert outcome.shifts.glory <= 1
    if outcome.shifts.total:
        assert outcome.icons - 2 * outcome.shifts.total >= dn


@given(kind=st.sampled_from(KINDS), faces=rolls, dn=st.integers(1, 8), data=st.data())
def test_an_allocation_leads_through_the_same_choices_and_back(
    kind: type[WrathRequest], faces: list[int], dn: int, data: st.DataObject
) -> None:
    request = kind(pool=len(faces), dn=dn)
    most = outcome_of(request, faces).shifts_available
    glory = data.draw(st.integers(0, min(1, most)))
    own = data.draw(st.integers(0, most - glory))
    wanted = {request.buys: own, "glory": glory}
    played = play(SYSTEM, request, faces, {"shifts": wanted})
    assert isinstance(played.outcome, WrathOutcome)
    assert played.outcome.shifts == Shifts(**wanted)
    assert played.outcome.open == ()
    assert play(SYSTEM, request, faces, {"shifts": wanted}) == played
    options = [answer.option for answer in played.answers if isinstance(answer, Chosen)]
    again = SYSTEM.choices(options)
    assert resolve(SYSTEM, request, faces, again) == played.outcome


@pytest.mark.parametrize(
    ("notation", "fields"),
    [
        ("6 vs 3", {"pool": 6, "dn": 3}),
        ("6", {"pool": 6}),
        ("3+3", {"attribute": 3, "skill": 3}),
        ("3+3+1 vs 4", {"attribute": 3, "skill": 3, "bonus_dice": 1, "dn": 4}),
        (" 3 + 3 + 1  VS  4 ", {"attribute": 3, "skill": 3, "bonus_dice": 1, "dn": 4}),
        ("", {}),
    ],
)
def test_notation(notation: str, fields: dict[str, int]) -> None:
    assert SYSTEM.parse("test", notation) == fields


@pytest.mark.parametrize(
    "notation", ["6 vs", "vs 3", "3+3+1+1", "6 vs x", "-6", "99999", "٦", "6d"]
)
def test_notation_that_makes_no_sense(notation: str) -> None:
    with pytest.raises(RulesError, match="6 vs 3 or 3\\+3\\+1 vs 4"):
        SYSTEM.parse("test", notation)


@pytest.mark.parametrize(
    ("request_", "notation"),
    [
        (WrathTest(pool=6), "6 vs 3"),
        (WrathTest(attribute=3, skill=4), "3+4 vs 3"),
        (WrathAttack(attribute=3, skill=4, bonus_dice=2, dn=5, dn_penalty=1), "3+4+2 vs 5"),
    ],
)
def test_a_request_as_notation(request_: WrathRequest, notation: str) -> None:
    assert SYSTEM.format(request_) == notation
