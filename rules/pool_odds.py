"""Exact odds of keeping the highest: success, degrees, complication and the whole total."""

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

from rules.difficulty import DEGREES, degrees_of
from rules.frozen import frozen
from rules.model import FACES, Odds
from rules.pools import Pool
from rules.retain import SumCounts, sum_counts

NEVER = Fraction(0)
ALWAYS = Fraction(1)


@frozen(kw_only=True)
class PoolOdds(Odds):
    """Chances of a test of one pool; `total` maps each total that can occur to its chance."""

    success: Fraction = NEVER
    complication: Fraction = NEVER
    degrees: Mapping[int, Fraction] = field(default_factory=lambda: _degrees({}))
    total: Mapping[int, Fraction] = field(default_factory=lambda: MappingProxyType({}))


def counts_of(pool: Pool, *, before_keep: bool) -> SumCounts:
    """Return the ways of each sum of what a pool leaves, before points are added."""
    return sum_counts(
        pool.test_dice, pool.bonus_dice, pool.discard_penalty, before_keep=before_keep
    )


def test_odds(
    pool: Pool, difficulty: int, *, before_keep: bool, reason: str | None, automatic: bool
) -> PoolOdds:
    """Return the exact odds of a pool against a difficulty (points)."""
    if reason is not None:
        return PoolOdds(attempted=False, reason=reason)
    if automatic:
        return PoolOdds(success=ALWAYS, degrees=_degrees({1: ALWAYS}))
    counts = counts_of(pool, before_keep=before_keep)
    return _rolled(counts, pool.flat, difficulty)


@lru_cache(maxsize=64)
def _rolled(counts: SumCounts, flat: int, difficulty: int) -> PoolOdds:
    """Return the odds once the ways of each sum are known.

    P(complication) is joint, "a test fails and any die came up 1": the ways that fail, less
    those of them without a single 1.
    """
    ways = FACES**counts.dice
    banded = [0] * (len(DEGREES) + 1)
    with_a_one = 0
    for place, count in enumerate(counts.ways):
        margin = counts.lowest + place + flat - difficulty
        banded[degrees_of(margin)] += count
        if margin < 0:
            with_a_one += count - counts.ways_without_ones[place]
    return PoolOdds(
        success=Fraction(sum(banded[1:]), ways),
        complication=Fraction(with_a_one, ways),
        degrees=_degrees({n: Fraction(banded[n], ways) for n in range(1, len(banded))}),
        total=MappingProxyType(
            {
                counts.lowest + place + flat: Fraction(count, ways)
                for place, count in enumerate(counts.ways)
                if count
            }
        ),
    )


def _degrees(known: Mapping[int, Fraction]) -> Mapping[int, Fraction]:
    return MappingProxyType({n: known.get(n, NEVER) for n in range(1, len(DEGREES) + 1)})
