"""Icons: what dice are worth in Wrath & Glory, and exactly how often.

Sentences in quotes are the rule text's own (Tests, Icons & Difficulty).
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb
from types import MappingProxyType

from rules.frozen import frozen
from rules.model import FACES, Odds

MOST_DICE = 40
"""Dice in the largest pool; likewise the highest base DN and the highest penalty to it."""

ICONS = (0, 0, 0, 1, 1, 2)
"""Icons by face: "1–3: nothing, 4–5: 1 Icon, 6: 2 Icons — an Exalted Icon"."""

EXALTED = 6
"""The face that is an Exalted Icon and, on the Wrath Die, a Wrath Critical."""

EXALTED_ICONS = 2
"""Icons that a Shift takes away."""

DN_NAMES = (
    (12, "Nearly impossible"),
    (9, "Very hard"),
    (7, "Hard"),
    (5, "Challenging"),
    (3, "Standard"),
    (1, "Straightforward"),
)
"""The rows of the table of difficulties, highest first."""


@frozen(kw_only=True)
class WrathOdds(Odds):
    """Exact chances; `icons` and `shifts` are whole distributions."""

    success: Fraction
    wrath_critical: Fraction
    complication: Fraction
    critical_hit: Fraction
    icons: Mapping[int, Fraction]
    shifts: Mapping[int, Fraction]


def counted(count: int) -> str:
    """Return a number of Icons in words."""
    return f"{count} Icon" if count == 1 else f"{count} Icons"


def worth(faces: Sequence[int]) -> int:
    """Return the Icons of faces (1–6 pips each): "Never total your dice. Convert them."."""
    return sum(ICONS[face - 1] for face in faces)


def dn_name(dn: int) -> str:
    """Return a DN's name, that of the row at or below it (`dn` ≥ 1)."""
    return next(name for row, name in DN_NAMES if dn >= row)


def shifts_available(icons: int, dn: int, exalted: int) -> int:
    """Return how many Exalted Icons may be shifted.

    "Shifting removes the Exalted Icon's full value of 2 Icons, and what remains must still meet
    the DN."
    """
    return min(exalted, (icons - dn) // EXALTED_ICONS) if icons >= dn else 0


@lru_cache(maxsize=64)
def odds(dice: int, dn: int, *, attack: bool) -> WrathOdds:
    """Return the exact chances of a pool of 1–40 dice against a DN of 1–80."""
    every = FACES**dice
    icons: dict[int, int] = {}
    shifts: dict[int, int] = {}
    for value, exalted, ways in _falls(dice):
        icons[value] = icons.get(value, 0) + ways
        available = shifts_available(value, dn, exalted)
        shifts[available] = shifts.get(available, 0) + ways
    # A Critical Hit: the Wrath Die gives its 2 Icons, the others what is still needed.
    others = sum(ways for value, _, ways in _falls(dice - 1) if value + EXALTED_ICONS >= dn)
    return WrathOdds(
        success=Fraction(sum(ways for value, ways in icons.items() if value >= dn), every),
        wrath_critical=Fraction(1, FACES),
        complication=Fraction(1, FACES),
        critical_hit=Fraction(others if attack else 0, every),
        icons=_distribution(icons, every),
        shifts=_distribution(shifts, every),
    )


def _falls(dice: int) -> Iterator[tuple[int, int, int]]:
    """Yield Icons, Exalted Icons and in how many of the 6ⁿ ways they fall: the multinomial."""
    for exalted in range(dice + 1):
        for single in range(dice - exalted + 1):
            nothing = dice - exalted - single
            ways = comb(dice, exalted) * comb(dice - exalted, single) * 2**single * 3**nothing
            yield EXALTED_ICONS * exalted + single, exalted, ways


def _distribution(ways: Mapping[int, int], every: int) -> Mapping[int, Fraction]:
    return MappingProxyType({value: Fraction(ways[value], every) for value in sorted(ways)})
