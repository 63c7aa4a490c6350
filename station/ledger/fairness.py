"""Whether the dice look fair: chi-square over the faces, and two second opinions.

The chances are those of a two-sided look at one sample. They say how often fair dice would look
at least as odd; they never say how likely it is that the dice are fair.
"""

import math
from typing import Any

from rules.frozen import frozen
from station.ledger.tally import EVERYTHING, SIDES, Tally

DEGREES_OF_FREEDOM = SIDES - 1
"""Six counts with a fixed sum."""

ENOUGH_DICE = 5 * SIDES
"""Fewer dice than this say nothing: chi-square wants five expected in each cell (Cochran 1954)."""

UNREMARKABLE = 0.05
RARE = 0.001
BEYOND_CHANCE = 1e-6
"""Chances below which the wording changes; one fair sample in 20, in 1,000, in a million."""


def chi_square(counts: tuple[int, ...]) -> float:
    """Return Pearson's chi-square of the counts against equal chances; 0 without dice."""
    dice = sum(counts)
    if dice == 0:
        return 0.0
    return SIDES * sum(count * count for count in counts) / dice - dice


def survival(x: float) -> float:
    """Return the chance that chi-square with 5 degrees of freedom is at least x (≥ 0).

    For an odd number of degrees of freedom the regularised incomplete gamma function has a
    closed form (Abramowitz and Stegun 26.4.4); for five of them
    erfc(√(x/2)) + √(2x/π)·e^(−x/2)·(1 + x/3).
    """
    if x <= 0:
        return 1.0
    tail = math.sqrt(2 * x / math.pi) * math.exp(-x / 2) * (1 + x / 3)
    return math.erfc(math.sqrt(x / 2)) + tail


def two_sided(z: float) -> float:
    """Return the chance that a standard normal value lies at least |z| from zero."""
    return math.erfc(abs(z) / math.sqrt(2))


@frozen
class Opinion:
    """A test of the order in which faces fell.

    Attributes:
        value: what was found; `expected`: what fair dice have on average.
        z: how many standard deviations lie between them.
        p: the chance that fair dice lie at least as far from it, on either side.
    """

    value: float
    expected: float
    z: float
    p: float

    def plain(self) -> dict[str, float]:
        """Return the opinion as JSON-able data."""
        return {"value": self.value, "expected": self.expected, "z": self.z, "p": self.p}


def _opinion(value: float, expected: float, variance: float) -> Opinion | None:
    if variance <= 0:
        return None
    z = (value - expected) / math.sqrt(variance)
    return Opinion(value, expected, z, two_sided(z))


def runs(tally: Tally) -> Opinion | None:
    """Return the runs test on high (4–6) and low (1–3) faces, or None with too few dice.

    Wald and Wolfowitz (1940): of a high and b low among n faces, 1 + 2ab/n runs are expected,
    with variance 2ab(2ab − n) / (n²(n − 1)).
    """
    low = sum(tally.counts[:3])
    high = sum(tally.counts[3:])
    dice = low + high
    if dice < ENOUGH_DICE:
        return None
    both = 2 * low * high
    return _opinion(tally.runs, 1 + both / dice, both * (both - dice) / (dice * dice * (dice - 1)))


def serial(tally: Tally) -> Opinion | None:
    """Return the correlation of each face with the next, or None with too few dice.

    Knuth, The Art of Computer Programming 2, 3.3.2 K: the last face is followed by the first;
    fair dice have −1/(n − 1) on average, with variance about n²/((n − 1)²(n − 2)).
    """
    dice = tally.dice
    if dice < ENOUGH_DICE:
        return None
    total = sum(face * count for face, count in enumerate(tally.counts, 1))
    squares = sum(face * face * count for face, count in enumerate(tally.counts, 1))
    spread = dice * squares - total * total
    if spread == 0:
        return None
    found = (dice * (tally.products + tally.last * tally.first) - total * total) / spread
    return _opinion(found, -1 / (dice - 1), dice**2 / ((dice - 1) ** 2 * (dice - 2)))


@frozen
class Fairness:
    """What the ledger says about the dice of one source.

    Attributes:
        source: its name; empty for all that the station drew itself.
        counts: how often each face fell, ones first.
        chi_square: Pearson's, against equal chances; `p`: how often fair dice have at least it.
        runs, serial: second opinions on the order of the faces; None with too few dice.
    """

    source: str
    counts: tuple[int, ...]
    chi_square: float
    p: float
    runs: Opinion | None
    serial: Opinion | None

    @property
    def dice(self) -> int:
        """How many dice fell."""
        return sum(self.counts)

    @property
    def words(self) -> str:
        """The finding in one honest sentence."""
        return wording(self.dice, self.p)

    def plain(self) -> dict[str, Any]:
        """Return the finding as JSON-able data."""
        return {
            "source": self.source or None,
            "dice": self.dice,
            "counts": list(self.counts),
            "chi_square": self.chi_square,
            "degrees_of_freedom": DEGREES_OF_FREEDOM,
            "p": self.p,
            "runs": None if self.runs is None else self.runs.plain(),
            "serial": None if self.serial is None else self.serial.plain(),
            "words": self.words,
        }


def assess(source: str, tally: Tally) -> Fairness:
    """Return what a tally says about the dice of a source."""
    found = chi_square(tally.counts)
    return Fairness(source, tally.counts, found, survival(found), runs(tally), serial(tally))


def assess_all(tallies: dict[str, Tally]) -> tuple[Fairness, ...]:
    """Return the finding over everything first, then each source in the order of names."""
    named = sorted(name for name in tallies if name != EVERYTHING)
    everything = tallies.get(EVERYTHING, Tally())
    return (assess(EVERYTHING, everything), *(assess(name, tallies[name]) for name in named))


def wording(dice: int, p: float) -> str:
    """Return what p means, and no more than it means."""
    if dice < ENOUGH_DICE:
        return f"{dice} dice are too few to tell; ask again after {ENOUGH_DICE}"
    if p >= 1 - RARE:
        rare = one_in(1 - p)
        return f"more even than all but {rare} such series of fair dice; curious, but no fault"
    if p >= UNREMARKABLE:
        share = min(99, round(p * 100))
        return f"as fair dice fall: {share} of 100 such series are at least this uneven"
    if p >= RARE:
        return (
            f"a little uneven, as {one_in(p)} series of fair dice: no reason to doubt them, "
            "and whoever looks often sees it now and then"
        )
    if p >= BEYOND_CHANCE:
        return f"uneven as only {one_in(p)} series of fair dice: look again after more rolls"
    return "more uneven than chance explains: check the entropy source before you trust it"


def one_in(p: float) -> str:
    """Return a small chance as ``1 in 33``."""
    return "1 in a million" if p < BEYOND_CHANCE else f"1 in {round(1 / p):,}"
