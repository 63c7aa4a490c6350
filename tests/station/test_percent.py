"""Percentages: exact at both ends, and never rounded to a certainty that is none."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from station.percent import percent


@pytest.mark.parametrize(
    ("chance", "told"),
    [
        (Fraction(0), "0%"),
        (Fraction(1), "100%"),
        (Fraction(1, 6**40), "<0.1%"),
        (1 - Fraction(1, 6**40), ">99.9%"),
        (Fraction(1, 1000), "0.1%"),
        (Fraction(999, 1000), "99.9%"),
        (Fraction(9991, 10000), ">99.9%"),
        (Fraction(1, 2), "50.0%"),
        (Fraction(1, 3), "33.3%"),
        (Fraction(2, 3), "66.7%"),
    ],
)
def test_tells_a_chance_as_people_read_it(chance: Fraction, told: str) -> None:
    assert percent(chance) == told


@given(st.fractions(0, 1))
def test_only_certainty_is_told_as_certainty(chance: Fraction) -> None:
    assert (percent(chance) == "100%") == (chance == 1)
    assert (percent(chance) == "0%") == (chance == 0)


@given(st.fractions(0, 1))
def test_a_rounded_chance_is_off_by_half_its_last_digit_at_most(chance: Fraction) -> None:
    told = percent(chance).rstrip("%")
    if told[0] not in "<>":
        assert abs(Fraction(told) / 100 - chance) <= Fraction(1, 2000) + Fraction(1, 10**12)
