"""Chances for people: percentages, fractions, and a distribution as bars."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby

from rules.frozen import frozen
from rules.model import Chance, Spread
from station.cli.console import cells, cut, padded
from station.percent import percent

MOST_ROWS = 24
"""Rows of a chart; of a distribution with more values, neighbours share a row."""

SHORTEST_BAR = 3
"""Columns that the longest bar has at least."""

LONGEST_FRACTION = 15
"""Characters of a fraction that is still worth reading beside its percentage."""

_BESIDE = 12
"""Columns of a row beside label, bar and note: margin, percentage and the gaps between."""

_EIGHTHS = "▏▎▍▌▋▊▉█"
_STEPS = (1, 2, 5)
_WHOLE_NUMBER = re.compile(r"[+\-−]?\d+", re.ASCII)


@frozen
class _Row:
    """One bar; `low` and `high` are the values it is of, None where these are no numbers."""

    label: str
    probability: Fraction
    low: int | None = None
    high: int | None = None

    def away_from(self, mean: Fraction) -> Fraction:
        """Return how far the row's middle is from the mean."""
        return abs(Fraction((self.low or 0) + (self.high or 0), 2) - mean)


def table(chances: Sequence[Chance]) -> list[str]:
    """Return chances one a line: label, percentage, and the fraction where it is short."""
    label = max((cells(chance.label) for chance in chances), default=0)
    return [
        f"  {padded(chance.label, label)}  {percent(chance.probability):>6}"
        f"{_fraction(chance.probability)}"
        for chance in chances
    ]


def _fraction(probability: Fraction) -> str:
    if probability.denominator == 1 or len(str(probability)) > LONGEST_FRACTION:
        return ""
    return f"  {probability}"


def chart(spread: Spread, success: Fraction | None, *, width: int, blocks: bool) -> list[str]:
    """Return a distribution as one bar a line, in ascending order.

    Args:
        spread: the distribution.
        success: the probability of the values that succeed, where these are the highest ones; a
            line is drawn below them. None where no line is to be drawn.
        width: columns to fill at most.
        blocks: whether block elements can be printed, so that bars are fine to an eighth.
    """
    if not spread.bars:
        return []
    values = _values(spread)
    if values is None:
        longest = width - _BESIDE - SHORTEST_BAR
        rows = [_Row(cut(bar.label, longest), bar.probability) for bar in spread.bars]
        return [spread.title, *_drawn(rows, None, width, blocks=blocks)]
    threshold = None if success is None else _threshold(values, success)
    rows = list(_binned(values, threshold))
    mean = sum((value * p for value, p in values), Fraction(0))
    drawn = _drawn(rows, mean, width, blocks=blocks)
    lines = [spread.title]
    for row, line in zip(rows, drawn, strict=True):
        if success is not None and row.low == threshold:
            lines.append(_line(success, max(cells(each.label) for each in rows), width))
        lines.append(line)
    return lines


def _values(spread: Spread) -> list[tuple[int, Fraction]] | None:
    """Return the distribution over whole numbers, or None where it is one over names."""
    if not all(_WHOLE_NUMBER.fullmatch(bar.label) for bar in spread.bars):
        return None
    return [(int(bar.label.replace("−", "-")), bar.probability) for bar in spread.bars]


def _threshold(values: list[tuple[int, Fraction]], success: Fraction) -> int | None:
    """Return the lowest value that succeeds, or None where success is not an upper tail."""
    reached = Fraction(0)
    for value, probability in reversed(values):
        reached += probability
        if reached == success:
            return value
    return None


def _binned(values: list[tuple[int, Fraction]], threshold: int | None) -> Iterator[_Row]:
    """Yield the rows; values that share one all succeed or all fail."""
    low, high = values[0][0], values[-1][0]
    anchor = low if threshold is None else threshold
    size = _bin_size(low, high, anchor)
    for place, group in groupby(values, lambda item: (item[0] - anchor) // size):
        first, last = max(low, anchor + place * size), min(high, anchor + (place + 1) * size - 1)
        between = "–" if first >= 0 else " to "
        label = str(first) if first == last else f"{first}{between}{last}"
        yield _Row(label.replace("-", "−"), sum((p for _, p in group), Fraction(0)), first, last)


def _bin_size(low: int, high: int, anchor: int) -> int:
    power = 1
    while True:
        for step in _STEPS:
            size = step * power
            if (high - anchor) // size - (low - anchor) // size < MOST_ROWS:
                return size
        power *= 10


def _drawn(
    rows: Sequence[_Row], mean: Fraction | None, width: int, *, blocks: bool
) -> Iterator[str]:
    label = max(cells(row.label) for row in rows)
    note = "" if mean is None else f" ◂ mean {_decimal(mean)}"
    nearest = None if mean is None else min(rows, key=lambda row: row.away_from(mean))
    longest = max(SHORTEST_BAR, width - label - len(note) - _BESIDE)
    scale = max(row.probability for row in rows) or Fraction(1)
    for row in rows:
        head = " " * (label - cells(row.label)) + row.label
        bar = _bar(row.probability / scale, longest, blocks=blocks)
        marked = note if row is nearest else ""
        yield f"  {head}  {percent(row.probability):>6}  {bar}{marked}".rstrip()


def _line(success: Fraction, label: int, width: int) -> str:
    told = f"success {percent(success)} "
    return f"  {'─' * label}  {told}{'─' * (width - label - len(told) - 4)}"


def _bar(share: Fraction, longest: int, *, blocks: bool) -> str:
    """Return a bar of that share of the longest; what can happen at all is never invisible."""
    if share == 0:
        return ""
    if not blocks:
        return "#" * max(1, round(share * longest))
    eighths = max(1, round(share * longest * 8))
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (_EIGHTHS[rest - 1] if rest else "")


def _decimal(value: Fraction) -> str:
    tenths = round(value * 10)
    sign = "−" if tenths < 0 else ""
    return f"{sign}{abs(tenths) // 10}.{abs(tenths) % 10}"
