from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.degrees import LUCK, clamped, reserve_damage
from rules.engine import dice_asked, resolve
from rules.errors import RulesError
from rules.fields import build
from rules.model import (
    AskDice,
    Caption,
    Chance,
    Chosen,
    DiceGroup,
    Rolled,
    Row,
    Tone,
    outcome_plain,
)
from rules.opposed_attribute import SYSTEM, Opposed, OpposedOutcome, Side, signed
from rules.opposed_attribute import odds as odds_of

scores = st.integers(-10, 10)
handfuls = st.lists(st.integers(1, 6), min_size=8, max_size=8)


def opposed(attacker: int, defender: int, **more: Any) -> Opposed:
    return Opposed(attacker=Side(score=attacker), defender=Side(score=defender), **more)


def outcome_of(request: Opposed, faces: list[int]) -> OpposedOutcome:
    outcome = resolve(SYSTEM, request, faces)
    assert isinstance(outcome, OpposedOutcome)
    return outcome


def side_told(outcome: OpposedOutcome, side: str) -> tuple[object, ...]:
    told = outcome_plain(outcome)[side]
    return tuple(told[key] for key in ("roll", "degree", "success", "reserve_damage", "residual"))


@pytest.mark.parametrize(
    ("scores_", "faces", "attacker", "defender", "winner"),
    [
        (
            (3, 1),
            [1, 1, 3, 4, 2, 1, 3, 4],
            (-5, -2, False, 2, False),
            (-4, -3, False, 3, False),
            "attacker",
        ),
        (
            (3, 0),
            [5, 5, 2, 6, 3, 3, 3, 3],
            (2, 5, True, 0, False),
            (0, 0, True, 0, False),
            "attacker",
        ),
        (
            (-6, 10),
            [1, 1, 6, 6, 6, 6, 1, 1],
            (-10, -10, False, 10, True),
            (10, 10, True, 0, False),
            "defender",
        ),
        (
            (0, 0),
            [1, 2, 3, 1, 1, 2, 3, 1],
            (-1, -1, False, 1, False),
            (-1, -1, False, 1, False),
            None,
        ),
        (
            (0, 9),
            [6, 6, 1, 1, 2, 1, 1, 1],
            (10, 10, True, 0, False),
            (1, 10, True, 0, False),
            None,
        ),
    ],
)
def test_worked_cases(
    scores_: tuple[int, int],
    faces: list[int],
    attacker: tuple[object, ...],
    defender: tuple[object, ...],
    winner: str | None,
) -> None:
    outcome = outcome_of(opposed(*scores_), faces)
    assert side_told(outcome, "attacker") == attacker
    assert side_told(outcome, "defender") == defender
    assert outcome.winner == winner


def test_both_clamped_to_ten_is_a_draw() -> None:
    outcome = outcome_of(opposed(10, 7), [6, 6, 1, 1, 6, 6, 1, 1])
    assert (outcome.attacker.degree, outcome.defender.degree, outcome.winner) == (10, 10, None)


def test_modifiers_count_before_the_clamp() -> None:
    request = Opposed(
        attacker=Side(score=8, modifiers=10), defender=Side(score=-8, modifiers=-10, name="B")
    )
    outcome = outcome_of(request, [1, 1, 6, 6, 6, 6, 1, 1])
    assert side_told(outcome, "attacker") == (-10, 8, True, 0, False)
    assert side_told(outcome, "defender") == (10, -8, False, 8, False)


def test_outcome_fields_in_the_order_promised() -> None:
    told = outcome_plain(outcome_of(opposed(1, 2), [1, 2, 3, 4, 5, 6, 1, 2]))
    assert list(told)[5:] == ["attacker", "defender", "winner"]
    assert list(told["attacker"]) == [
        "name",
        "score",
        "modifiers",
        "roll",
        "degree",
        "success",
        "reserve_damage",
        "residual",
    ]
    assert [die["role"] for die in told["dice"]] == ["plus", "plus", "minus", "minus"] * 2
    assert [die["side"] for die in told["dice"]] == ["attacker"] * 4 + ["defender"] * 4
    assert {die["fate"] for die in told["dice"]} == {"counted"}
    assert told["open"] == []


def test_the_attacker_rolls_first_then_the_defender() -> None:
    request = Opposed(attacker=Side(score=1, name="Ana"), defender=Side(score=2))
    step = SYSTEM.advance(request, ())
    assert isinstance(step, AskDice)
    assert step.groups == (DiceGroup("plus", 2, "Ana"), DiceGroup("minus", 2, "Ana"))
    assert step.prompt == "Ana rolls 2d6 − 2d6"
    step = SYSTEM.advance(request, (Rolled((1, 2, 3, 4)),))
    assert isinstance(step, AskDice)
    assert step.groups == (DiceGroup("plus", 2, "Defender"), DiceGroup("minus", 2, "Defender"))
    assert dice_asked(SYSTEM, request) == 8


def test_the_attackers_degree_is_told_before_the_defender_rolls() -> None:
    request = Opposed(attacker=Side(score=3, name="Ann"), defender=Side(score=1))
    before = SYSTEM.advance(request, ())
    between = SYSTEM.advance(request, (Rolled((1, 1, 3, 4)),))
    assert isinstance(before, AskDice)
    assert isinstance(between, AskDice)
    assert (before.so_far, between.so_far) == ("", "Ann −2")


def test_faces_come_four_a_side() -> None:
    with pytest.raises(RulesError, match="4 faces for each side"):
        SYSTEM.advance(opposed(0, 0), (Rolled((1, 2, 3)),))
    with pytest.raises(RulesError, match="exactly 8 faces"):
        resolve(SYSTEM, opposed(0, 0), [1, 2, 3, 4])


def test_there_is_nothing_to_choose() -> None:
    answers = (Rolled((1, 2, 3, 4)), Rolled((1, 2, 3, 4)), Chosen("stop"))
    with pytest.raises(RulesError, match="no choice in this test"):
        SYSTEM.advance(opposed(0, 0), answers)


@pytest.mark.parametrize(
    ("choices", "field"), [({"shifts": {}}, "choices.shifts"), ([], "choices"), ("x", "choices")]
)
def test_choices_are_refused(choices: Any, field: str) -> None:
    with pytest.raises(RulesError) as caught:
        resolve(SYSTEM, opposed(0, 0), [1] * 8, choices)
    assert caught.value.field == field


def test_no_choices_are_no_error() -> None:
    assert resolve(SYSTEM, opposed(0, 0), [1] * 8, {}) == outcome_of(opposed(0, 0), [1] * 8)
    assert SYSTEM.choices([]) == {}


def test_the_arithmetic_of_both_sides() -> None:
    request = Opposed(
        attacker=Side(score=-6, name="Ana"), defender=Side(score=1, modifiers=2, name="Bo")
    )
    outcome = outcome_of(request, [1, 1, 6, 6, 2, 1, 3, 4])
    assert outcome.explanation == (
        "Ana −6 + (1+1−6−6) = −16 → −10, loses 10 Reserve and 1 each turn; "
        "Bo +1 +2 + (2+1−3−4) = −1, loses 1 Reserve; Bo wins"
    )
    draw = outcome_of(opposed(0, 0), [1] * 8)
    assert draw.explanation == "Attacker 0 + (1+1−1−1) = 0; Defender 0 + (1+1−1−1) = 0; a draw"
    won = outcome_of(opposed(1, 0), [1] * 8)
    assert won.explanation.endswith("; Attacker wins")


@pytest.mark.parametrize(
    ("data", "field", "says"),
    [
        ({"attacker": {"score": 1}}, "defender", "defender is missing"),
        ({"attacker": {}, "defender": {"score": 1}}, "attacker.score", "is missing"),
        ({"attacker": {"score": 11}, "defender": {"score": 1}}, "attacker.score", "−10…+10"),
        (
            {"attacker": {"score": 1}, "defender": {"score": 1, "modifiers": -11}},
            "defender.modifiers",
            "−10…+10",
        ),
        ({"attacker": 3, "defender": {"score": 1}}, "attacker", "an object"),
        ({"attacker": {"score": 1, "rank": 2}, "defender": {"score": 1}}, "attacker.rank", ""),
    ],
)
def test_bad_sides(data: Any, field: str, says: str) -> None:
    with pytest.raises(RulesError) as caught:
        build(Opposed, data)
    assert caught.value.field == field
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("value", "sign"), [(3, "+3"), (0, "0"), (-5, "−5"), (10, "+10"), (-10, "−10")]
)
def test_numbers_show_their_sign(value: int, sign: str) -> None:
    assert signed(value) == sign


def test_a_verdict_at_a_glance_has_the_winner_first() -> None:
    request = Opposed(
        attacker=Side(score=-6, name="Ana"), defender=Side(score=10, name="Bo"), attribute="Wits"
    )
    headline = SYSTEM.headline(request, outcome_of(request, [1, 1, 6, 6, 6, 6, 1, 1]))
    assert (headline.word, headline.tone, headline.success) == ("Bo wins", Tone.NEUTRAL, None)
    assert headline.rows == (Row("Bo", 10, "no loss"), Row("Ana", -10, "−10 Reserve"))
    assert headline.marks == ("residual damage",)
    assert headline.detail == "Wits"
    won = SYSTEM.headline(opposed(0, -2), outcome_of(opposed(0, -2), [1] * 8))
    assert won.word == "Attacker wins"
    assert won.rows == (Row("Attacker", 0, "no loss"), Row("Defender", -2, "−2 Reserve"))
    draw = SYSTEM.headline(opposed(0, 0), outcome_of(opposed(0, 0), [1] * 8))
    assert (draw.word, draw.marks, draw.detail) == ("Draw", (), "")
    assert [row.name for row in draw.rows] == ["Attacker", "Defender"]


def test_a_request_at_a_glance() -> None:
    request = Opposed(attacker=Side(score=3, name="Ana"), defender=Side(score=-1, modifiers=2))
    assert SYSTEM.caption(request) == Caption("Ana +3", "Defender −1 (+2)")


def test_each_named_side_that_fails_loses_its_own_reserve() -> None:
    request = Opposed(
        attacker=Side(score=3, name="Ana"),
        defender=Side(score=-10, name="Bo"),
        attribute="Strength",
    )
    acts = SYSTEM.consequences(request, outcome_of(request, [1, 1, 3, 4, 2, 1, 3, 4]))
    assert [(each.act, dict(each.detail)) for each in acts] == [
        ("reserve", {"character": "Ana", "attribute": "Strength", "count": 2, "residual": False}),
        ("reserve", {"character": "Bo", "attribute": "Strength", "count": 10, "residual": True}),
    ]


def test_success_costs_nothing_and_no_name_means_no_one_to_pay() -> None:
    named = Opposed(attacker=Side(score=3, name="Ana"), defender=Side(score=3, name="Bo"))
    assert SYSTEM.consequences(named, outcome_of(named, [1] * 8)) == ()
    assert SYSTEM.consequences(opposed(-3, -3), outcome_of(opposed(-3, -3), [1] * 8)) == ()


def test_an_attribute_nobody_named_has_a_name_of_its_own() -> None:
    request = Opposed(attacker=Side(score=-1, name="Ana"), defender=Side(score=0))
    (act,) = SYSTEM.consequences(request, outcome_of(request, [1] * 8))
    assert dict(act.detail)["attribute"] == "Attribute"


def test_luck_is_two_dice_less_two_dice() -> None:
    pairs = list(product(range(1, 7), repeat=2))
    by_hand = Counter(sum(plus) - sum(minus) for plus, minus in product(pairs, pairs))
    assert dict(LUCK) == dict(by_hand)
    assert by_hand[0] == 146


@pytest.mark.parametrize(("standing", "degree"), [(-16, -10), (-10, -10), (0, 0), (19, 10)])
def test_a_degree_lies_between_minus_ten_and_ten(standing: int, degree: int) -> None:
    assert clamped(standing) == degree


@pytest.mark.parametrize(("degree", "points"), [(-10, 10), (-1, 1), (0, 0), (10, 0)])
def test_a_failure_costs_as_many_points_as_it_failed_by(degree: int, points: int) -> None:
    assert reserve_damage(degree) == points


def degrees_by_hand(score: int, modifiers: int) -> Counter[int]:
    return Counter(
        max(-10, min(10, score + modifiers + a + b - c - d))
        for a, b, c, d in product(range(1, 7), repeat=4)
    )


@given(attacker=st.tuples(scores, scores), defender=st.tuples(scores, scores))
def test_odds_equal_brute_force(attacker: tuple[int, int], defender: tuple[int, int]) -> None:
    sides = [Side(score=score, modifiers=modifiers) for score, modifiers in (attacker, defender)]
    odds = odds_of(Opposed(attacker=sides[0], defender=sides[1]))
    mine, theirs = degrees_by_hand(*attacker), degrees_by_hand(*defender)
    pairs = [(a, d, n * m) for (a, n), (d, m) in product(mine.items(), theirs.items())]
    assert odds.attacker == Fraction(sum(n for a, d, n in pairs if a > d), 6**8)
    assert odds.draw == Fraction(sum(n for a, d, n in pairs if a == d), 6**8)
    assert odds.defender == Fraction(sum(n for a, d, n in pairs if a < d), 6**8)
    told = (
        (mine, odds.attacker_degree, odds.attacker_fails, odds.attacker_loss),
        (theirs, odds.defender_degree, odds.defender_fails, odds.defender_loss),
    )
    for ways, degrees, fails, loss in told:
        assert dict(degrees) == {degree: Fraction(n, 6**4) for degree, n in ways.items()}
        assert list(degrees) == sorted(degrees)
        assert fails == Fraction(sum(n for degree, n in ways.items() if degree < 0), 6**4)
        assert loss == Fraction(sum(n * max(0, -degree) for degree, n in ways.items()), 6**4)


@given(attacker=st.integers(-10, 9), defender=scores)
def test_odds_sum_to_one_and_a_higher_score_never_hurts(attacker: int, defender: int) -> None:
    odds, better = odds_of(opposed(attacker, defender)), odds_of(opposed(attacker + 1, defender))
    assert odds.attacker + odds.draw + odds.defender == 1
    assert sum(odds.attacker_degree.values()) == sum(odds.defender_degree.values()) == 1
    assert better.attacker >= odds.attacker
    assert better.attacker_fails <= odds.attacker_fails


def test_the_dial_shows_the_round_and_each_sides_own_task() -> None:
    request = Opposed(attacker=Side(score=3, name="Ana"), defender=Side(score=1))
    odds = odds_of(request)
    assert SYSTEM.chances(request) == (
        Chance("Ana wins", odds.attacker),
        Chance("Draw", odds.draw),
        Chance("Defender wins", odds.defender),
        Chance("Ana fails", odds.attacker_fails),
        Chance("Defender fails", odds.defender_fails),
    )
    spread = SYSTEM.spread(request)
    assert spread.title == "Ana's degree"
    assert spread.bars[0].label == "−7"
    assert spread.bars[-1] == Chance("+10", odds.attacker_degree[10])


@given(request=st.builds(opposed, scores, scores), faces=handfuls)
def test_resolve_is_deterministic(request: Opposed, faces: list[int]) -> None:
    outcome = outcome_of(request, faces)
    assert outcome_of(request, list(faces)) == outcome
    for side in (outcome.attacker, outcome.defender):
        assert side.success == (side.reserve_damage == 0)
        assert side.residual == (side.degree == -10)


@pytest.mark.parametrize(
    ("notation", "attacker", "defender"),
    [("3 vs 1", 3, 1), ("+3 vs -2", 3, -2), ("−6 VS +10", -6, 10), (" 0  vs  - 4 ", 0, -4)],
)
def test_notation(notation: str, attacker: int, defender: int) -> None:
    assert SYSTEM.parse("opposed", notation) == {
        "attacker": {"score": attacker},
        "defender": {"score": defender},
    }


def test_no_notation_tells_nothing() -> None:
    assert SYSTEM.parse("opposed", " ") == {}


@pytest.mark.parametrize("notation", ["3", "3 vs", "a vs b", "3 1", "--3 vs 1", "3vs1"])
def test_notation_that_makes_no_sense(notation: str) -> None:
    with pytest.raises(RulesError, match="two Scores such as"):
        SYSTEM.parse("opposed", notation)


@given(request=st.builds(opposed, scores, scores))
def test_scores_as_notation_and_back(request: Opposed) -> None:
    assert build(Opposed, SYSTEM.parse("opposed", SYSTEM.format(request))) == request
