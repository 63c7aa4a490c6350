"""2d6 − 2d6 added to a Score: Degrees of Success, who wins a round, and exactly how often.

Sentences in quotes are the rule text's own (Opposed Attribute Score Test).
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import product
from types import MappingProxyType

from rules.frozen import frozen
from rules.model import FACES, Odds, Role
from rules.scores import LIMIT

ROLES = (Role.PLUS, Role.PLUS, Role.MINUS, Role.MINUS)
"""One side's dice, in the order of the faces: 2d6 − 2d6."""

ATTACKER = "attacker"
DEFENDER = "defender"


@frozen(kw_only=True)
class OpposedOdds(Odds):
    """Exact chances of the round and of each side; the losses are expected Reserve points."""

    attacker: Fraction
    draw: Fraction
    defender: Fraction
    attacker_degree: Mapping[int, Fraction]
    defender_degree: Mapping[int, Fraction]
    attacker_fails: Fraction
    defender_fails: Fraction
    attacker_loss: Fraction
    defender_loss: Fraction


def clamped(value: int) -> int:
    """Return a Degree of Success: "a final value from -10 to 0 to +10"."""
    return max(-LIMIT, min(LIMIT, value))


def reserve_damage(degree: int) -> int:
    """Return the Reserve points that a Degree of Success costs its side.

    "The Degree of Success from -10 to -1 represents how many Attribute Reserve points are
    temporarily lost from that Attribute's Reserve."
    """
    return max(0, -degree)


def winner_of(attacker: int, defender: int) -> str | None:
    """Return whose result is greater; "if the results are the same", it "is a draw"."""
    if attacker == defender:
        return None
    return ATTACKER if attacker > defender else DEFENDER


def _luck() -> Mapping[int, int]:
    """Return in how many of the 6⁴ ways 2d6 − 2d6 gives each value."""
    ways: dict[int, int] = {}
    pips = range(1, FACES + 1)
    for plus_a, plus_b, minus_a, minus_b in product(pips, repeat=len(ROLES)):
        roll = plus_a + plus_b - minus_a - minus_b
        ways[roll] = ways.get(roll, 0) + 1
    return MappingProxyType(ways)


LUCK = _luck()
WAYS = FACES ** len(ROLES)
"""All the ways in which one side's dice can fall."""


@lru_cache(maxsize=64)
def odds(attacker: int, defender: int) -> OpposedOdds:
    """Return the exact chances of two sides whose Scores and modifiers sum to −20…+20 each."""
    mine, theirs = _degrees(attacker), _degrees(defender)
    won: dict[str | None, int] = {ATTACKER: 0, DEFENDER: 0, None: 0}
    for (degree, ways), (other, other_ways) in product(mine.items(), theirs.items()):
        won[winner_of(degree, other)] += ways * other_ways
    return OpposedOdds(
        attacker=Fraction(won[ATTACKER], WAYS**2),
        draw=Fraction(won[None], WAYS**2),
        defender=Fraction(won[DEFENDER], WAYS**2),
        attacker_degree=_distribution(mine),
        defender_degree=_distribution(theirs),
        attacker_fails=_fails(mine),
        defender_fails=_fails(theirs),
        attacker_loss=_loss(mine),
        defender_loss=_loss(theirs),
    )


def _degrees(standing: int) -> dict[int, int]:
    """Return in how many of the 6⁴ ways each Degree of Success comes up."""
    ways: dict[int, int] = {}
    for roll, count in LUCK.items():
        degree = clamped(standing + roll)
        ways[degree] = ways.get(degree, 0) + count
    return ways


def _distribution(ways: Mapping[int, int]) -> Mapping[int, Fraction]:
    return MappingProxyType({degree: Fraction(ways[degree], WAYS) for degree in sorted(ways)})


def _fails(ways: Mapping[int, int]) -> Fraction:
    return Fraction(sum(count for degree, count in ways.items() if degree < 0), WAYS)


def _loss(ways: Mapping[int, int]) -> Fraction:
    return Fraction(sum(reserve_damage(degree) * count for degree, count in ways.items()), WAYS)
