"""Odds of a pool: against every way to fall, and laws that hold for all pools."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rules.difficulty import degrees_of
from rules.engine import resolve
from rules.pool_kinds import BasicTest, ConflictTest, ExtendedTest, PoolOutcome
from rules.pool_odds import PoolOdds
from rules.seven_kingdoms import SYSTEM

MOST_DICE = 5
SMALL_POOLS = [
    (rank, bonus) for rank in range(1, MOST_DICE + 1) for bonus in range(MOST_DICE - rank + 1)
]
ORDERS = ("after_keep", "before_keep")
FACES = range(1, 7)


def left_of(faces: tuple[int, ...], test_dice: int, penalty: int, order: str) -> int:
    """Add up what is left, as the text tells it: dice are taken off a sorted row one by one."""
    row = sorted(faces, reverse=True)
    if order == "before_keep":
        for _ in range(min(penalty, len(row))):
            row.pop(0)
        row = row[:test_dice]
    else:
        row = row[:test_dice]
        for _ in range(min(penalty, len(row))):
            row.pop(0)
    return sum(row)


@cache
def falls(dice: int) -> tuple[tuple[int, ...], ...]:
    return tuple(product(FACES, repeat=dice))


def counted(test_dice: int, bonus: int, penalty: int, order: str) -> Counter[tuple[int, bool]]:
    """Count every way by what is left and whether any die shows a 1."""
    return Counter(
        (left_of(faces, test_dice, penalty, order), 1 in faces)
        for faces in falls(test_dice + bonus)
    )


def expected(ways: Counter[tuple[int, bool]], flat: int, difficulty: int) -> PoolOdds:
    every = sum(ways.values())
    total: Counter[int] = Counter()
    degrees: Counter[int] = Counter()
    complicated = 0
    for (left, one), count in ways.items():
        margin = left + flat - difficulty
        total[left + flat] += count
        degrees[0 if margin < 0 else min(4, 1 + margin // 5)] += count
        complicated += count if margin < 0 and one else 0
    return PoolOdds(
        success=Fraction(every - degrees[0], every),
        complication=Fraction(complicated, every),
        degrees={n: Fraction(degrees[n], every) for n in (1, 2, 3, 4)},
        total={value: Fraction(total[value], every) for value in sorted(total)},
    )


def odds(request: BasicTest | ConflictTest) -> PoolOdds:
    found = SYSTEM.odds(request)
    assert isinstance(found, PoolOdds)
    return found


@pytest.mark.parametrize(("rank", "bonus"), SMALL_POOLS)
def test_odds_of_each_small_pool_are_those_of_every_way_to_fall(rank: int, bonus: int) -> None:
    """All discard penalties up to one more than there are dice, both orders, every difficulty."""
    for order, penalty in product(ORDERS, range(rank + bonus + 2)):
        ways = counted(rank, bonus, penalty, order)
        for difficulty in range(6 * rank + 2):
            request = ConflictTest(
                rank=rank,
                bonus=bonus,
                discard_penalty=penalty,
                discard_order=order,
                difficulty=difficulty,
            )
            assert odds(request) == expected(ways, 0, difficulty), request


@pytest.mark.parametrize(
    ("points", "flat"),
    [({"injuries": 3}, -3), ({"modifier": 4}, 4), ({"injuries": 20, "modifier": -99}, -119)],
)
@pytest.mark.parametrize("difficulty", [0, 1, 7, 30])
def test_points_move_the_whole_distribution(
    points: dict[str, Any], flat: int, difficulty: int
) -> None:
    request = ConflictTest(rank=2, bonus=1, discard_penalty=1, difficulty=difficulty, **points)
    assert odds(request) == expected(counted(2, 1, 1, "after_keep"), flat, difficulty)


def test_penalties_before_the_roll_and_a_helper_change_the_dice_that_are_counted() -> None:
    request = ConflictTest(rank=5, pool_penalty=1, wounds=2, aided=True, bonus=1, difficulty=9)
    assert odds(request) == expected(counted(2, 2, 0, "after_keep"), 0, 9)


def test_twenty_penalties_are_as_good_as_all() -> None:
    for order in ORDERS:
        request = ConflictTest(
            rank=2, bonus=2, discard_penalty=20, discard_order=order, difficulty=1
        )
        assert odds(request).total == {0: Fraction(1)}
        assert odds(request).complication == 1 - Fraction(5**4, 6**4)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "more", [{}, {"aided": True}, {"discard_penalty": 1}, {"injuries": 2, "bonus": 1}]
)
def test_odds_are_the_share_of_outcomes(more: dict[str, Any], order: str) -> None:
    """The chances and the outcomes are two ways of telling one thing; resolve every roll."""
    request = BasicTest(rank=3, difficulty=9, discard_order=order, **more)
    outcomes = []
    for faces in falls(request.dice):
        outcome = resolve(SYSTEM, request, faces)
        assert isinstance(outcome, PoolOutcome)
        outcomes.append(outcome)
    found = odds(request)
    every = len(outcomes)
    assert found.success == Fraction(sum(o.success for o in outcomes), every)
    assert found.complication == Fraction(sum(o.complication for o in outcomes), every)
    for degree in (1, 2, 3, 4):
        assert found.degrees[degree] == Fraction(sum(o.degrees == degree for o in outcomes), every)
    totals = Counter(o.total for o in outcomes)
    assert found.total == {total: Fraction(n, every) for total, n in totals.items()}
    assert list(found.total) == sorted(found.total)


@st.composite
def pools(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "rank": draw(st.integers(1, 20)),
        "bonus": draw(st.integers(0, 20)),
        "pool_penalty": draw(st.integers(0, 3)),
        "discard_penalty": draw(st.integers(0, 20)),
        "wounds": draw(st.integers(0, 3)),
        "injuries": draw(st.integers(0, 20)),
        "aided": draw(st.booleans()),
        "modifier": draw(st.integers(-99, 99)),
        "discard_order": draw(st.sampled_from(ORDERS)),
    }


DIFFICULTIES = st.integers(0, 99)


@given(pools(), DIFFICULTIES, st.booleans())
def test_chances_add_up_for_every_pool(
    pool: dict[str, Any],
    difficulty: int,
    interference: bool,  # noqa: FBT001 - drawn in place
) -> None:
    found = odds(BasicTest(**pool, difficulty=difficulty, interference=interference))
    assert found.attempted or not any(
        (found.success, found.complication, *found.degrees.values(), found.total)
    )
    assert sum(found.total.values()) == (1 if found.total else 0)
    assert sum(found.degrees.values()) == found.success
    assert 0 <= found.complication <= 1 - found.success
    assert list(found.total) == sorted(found.total)
    assert all(found.total.values())


@given(pools(), DIFFICULTIES)
def test_one_more_bonus_die_never_lowers_the_chance(pool: dict[str, Any], difficulty: int) -> None:
    """Also with penalties, in either order.

    Put in a row from the highest down, no die of the larger roll is lower than the die at the
    same place in the smaller; what is summed is one stretch of that row, and never a shorter one.
    """
    assume(pool["bonus"] < 20)
    more = pool | {"bonus": pool["bonus"] + 1}
    for kind in (BasicTest, ConflictTest):
        fewer, further = (odds(kind(**p, difficulty=difficulty)) for p in (pool, more))
        assert further.success >= fewer.success


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("rank", "bonus"), [p for p in SMALL_POOLS if sum(p) < 5])
def test_whatever_a_further_die_shows_the_total_never_falls(
    rank: int, bonus: int, order: str
) -> None:
    """The same law roll by roll: stronger, as no chance can hide a loss."""
    for penalty in range(rank + bonus + 2):
        for faces in falls(rank + bonus):
            before = left_of(faces, rank, penalty, order)
            for face in FACES:
                assert left_of((*faces, face), rank, penalty, order) >= before


@given(pools(), DIFFICULTIES)
def test_a_higher_difficulty_never_raises_the_chance(pool: dict[str, Any], difficulty: int) -> None:
    assume(difficulty < 99)
    for kind in (BasicTest, ConflictTest, ExtendedTest):
        easier, harder = (odds(kind(**pool, difficulty=difficulty + more)) for more in (0, 1))
        assert harder.success <= easier.success
    against = {"interference": True, **pool}
    rolled = [odds(BasicTest(**against, difficulty=difficulty + more)) for more in (0, 1)]
    assert rolled[1].success <= rolled[0].success


@given(pools(), DIFFICULTIES, st.sampled_from(["tests", "degrees"]))
def test_an_extended_test_has_the_odds_of_the_basic_one(
    pool: dict[str, Any], difficulty: int, counts: str
) -> None:
    extended = ExtendedTest(**pool, difficulty=difficulty, extended_counts=counts, gained=2)
    assert odds(extended) == odds(BasicTest(**pool, difficulty=difficulty))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("rank", "bonus", "penalty"), [(20, 20, 0), (20, 20, 5), (10, 10, 3), (20, 20, 20), (1, 20, 0)]
)
def test_large_pools(rank: int, bonus: int, penalty: int, order: str) -> None:
    """Their ends are known in closed form: all ones at the bottom, sixes at the top."""
    request = ConflictTest(
        rank=rank, bonus=bonus, discard_penalty=penalty, discard_order=order, difficulty=50
    )
    found = odds(request)
    dice = rank + bonus
    kept = max(0, rank - penalty) if order == "after_keep" else min(rank, dice - penalty)
    assert sum(found.total.values()) == 1
    lowest, highest = min(found.total), max(found.total)
    assert (lowest, highest) == (kept, 6 * kept)
    if kept:
        # the lowest kept die is a 6 where at least as many show a 6 as are struck and kept
        sixes = penalty + kept
        at_least = sum(comb(dice, n) * 5 ** (dice - n) for n in range(sixes, dice + 1))
        assert found.total[highest] == Fraction(at_least, 6**dice)
        # all kept are ones where all but the struck are
        ones = sum(comb(dice, n) * 5 ** (dice - n) for n in range(dice - penalty, dice + 1))
        assert found.total[lowest] == Fraction(ones, 6**dice)
    assert found.degrees == {
        n: sum((p for total, p in found.total.items() if degrees_of(total - 50) == n), Fraction(0))
        for n in (1, 2, 3, 4)
    }


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (BasicTest(rank=1, difficulty=21), "below_minimum_rank"),
        (BasicTest(rank=3, difficulty=9, wounds=3), "no_test_dice"),
        (BasicTest(rank=3, difficulty=0, wounds=1, endurance=1), "dead"),
        (ExtendedTest(rank=3, difficulty=0, wounds=3), "no_test_dice"),
        (BasicTest(rank=3, difficulty=0), None),
    ],
)
def test_without_a_roll_there_is_no_total(request_: BasicTest, reason: str | None) -> None:
    found = odds(request_)
    sure = Fraction(1 if reason is None else 0)
    assert (found.attempted, found.reason) == (reason is None, reason)
    assert (found.success, found.complication) == (sure, Fraction(0))
    assert found.total == {}
    assert found.degrees == {1: sure, 2: 0, 3: 0, 4: 0}


def test_the_dial_shows_success_complication_and_degrees() -> None:
    request = BasicTest(rank=2, difficulty=9)
    found = odds(request)
    assert [(c.label, c.probability) for c in SYSTEM.chances(request)] == [
        ("Success", Fraction(10, 36)),
        ("Complication", Fraction(11, 36)),
        ("Marginal Success", Fraction(10, 36)),
        ("Great Success", 0),
        ("Incredible Success", 0),
        ("Astonishing Success", 0),
    ]
    bars = SYSTEM.spread(request).bars
    assert [(bar.label, bar.probability) for bar in bars] == [
        (str(total), chance) for total, chance in found.total.items()
    ]


def test_what_odds_say_can_not_be_changed_by_whoever_asked() -> None:
    found = odds(BasicTest(rank=2, difficulty=9))
    for mapping in (found.total, found.degrees):
        with pytest.raises(TypeError):
            mapping[1] = Fraction(1)  # type: ignore[index]  # the point of the test
