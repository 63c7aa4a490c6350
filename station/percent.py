"""Numbers as people read them; probabilities are never rounded to a certainty that is none."""

from fractions import Fraction

LEAST = Fraction(1, 1000)
"""The smallest chance that one decimal of a percent can tell from none."""


def percent(chance: Fraction) -> str:
    """Return a chance in percent: exact at both ends, else rounded to one decimal between them.

    What would round to 0 or 100 is told as ``<0.1%`` or ``>99.9%``: it can happen, or fail to.
    """
    if chance in (0, 1):
        return "100%" if chance else "0%"
    if chance < LEAST:
        return "<0.1%"
    if chance > 1 - LEAST:
        return ">99.9%"
    return f"{float(chance) * 100:.1f}%"


def signed(number: int) -> str:
    """Return a whole number, a negative one with the true minus sign."""
    return str(number).replace("-", "−")
