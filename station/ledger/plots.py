"""Plots as SVG: bars for what was counted, a mark and a band for what was to be expected.

No script: a bar tells its numbers in a ``<title>``, which browsers show when it is pointed at.
"""

import math
from collections.abc import Iterator, Sequence
from html import escape

from rules.frozen import frozen
from station.ledger.figures import Bar

WIDTH, HEIGHT = 720, 250
"""Size of a plot (user units); it fills the width of its place."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 14, 40
_GAP = 0.28
"""The part of a bar's place that stays empty."""

_NARROW = 0.4
"""How wide the band is, as a part of its bar."""

_WIDEST = 64.0
"""The widest bar (user units)."""

_LINES = 4
"""Grid lines at the most, above zero."""

_BAND = 2
"""Standard deviations to each side in the band: 19 of 20 bars of fair dice end in theirs."""

_BASE = HEIGHT - _BOTTOM
"""Where the bars stand."""

_WHOLE = 100
"""Values from here on are shown without decimals."""

_LABEL = 56
"""The least room for a label below a bar (user units), large as text is on a narrow screen."""


@frozen
class _Scale:
    """From values to heights; `percent` shows shares (0–1) in percent."""

    top: float
    percent: bool

    def y(self, value: float) -> float:
        return _BASE - value * (_BASE - _TOP) / self.top

    def text(self, value: float) -> str:
        if self.percent:
            return f"{100 * value:.3g} %"
        return f"{value:,.0f}" if value == int(value) or value >= _WHOLE else f"{value:.3g}"


def plot(bars: Sequence[Bar], described: str, axis: str, *, percent: bool = False) -> str:
    """Return bars with their expectation as one SVG element.

    Args:
        bars: at least one.
        described: what a reader who can't see it is told.
        axis: what the labels below the bars are.
        percent: whether the values are shares (0–1) to be shown in percent.
    """
    most = max(max(bar.count, bar.expected + _BAND * bar.deviation) for bar in bars)
    scale = _Scale(min(1.0, most * 1.05 or 1.0) if percent else max(1.0, most * 1.05), percent)
    place = (WIDTH - _LEFT - _RIGHT) / len(bars)
    every = math.ceil(_LABEL / place)
    parts = list(_grid(scale))
    for number, bar in enumerate(bars):
        middle = _LEFT + place * (number + 0.5)
        parts += _bar(bar, middle, min(place * (1 - _GAP), _WIDEST), scale)
        if number % every == 0:
            parts.append(_text(middle, _BASE + 16, bar.label, "middle"))
    parts.append(_text((_LEFT + WIDTH - _RIGHT) / 2, HEIGHT - 5, axis, "middle"))
    opening = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(described)}">'
    return f"{opening}{''.join(parts)}</svg>"


def _bar(bar: Bar, middle: float, wide: float, scale: _Scale) -> Iterator[str]:
    left = middle - wide / 2
    spread = _BAND * bar.deviation
    upper, lower = scale.y(bar.expected + spread), scale.y(max(0.0, bar.expected - spread))
    expected = f"expected {scale.text(bar.expected)} ± {scale.text(spread)}"
    yield f"<g><title>{escape(f'{bar.label}: {scale.text(bar.count)}, {expected}')}</title>"
    yield _rect("place", left, _TOP, wide, _BASE - _TOP)
    if bar.count > 0:
        yield f'<path class="bar" d="{_shoulders(left, wide, _BASE - scale.y(bar.count))}"/>'
    yield _rect("band", middle - wide * _NARROW / 2, upper, wide * _NARROW, lower - upper)
    yield _line("mark", left - 3, left + wide + 3, scale.y(bar.expected))
    yield "</g>"


def _shoulders(left: float, wide: float, tall: float) -> str:
    """Return the outline of a bar that stands flat on its base and has rounded shoulders."""
    r = min(3.0, wide / 2, tall)
    return (
        f"M{left:.1f} {_BASE:.1f}v{r - tall:.1f}q0 {-r:.1f} {r:.1f} {-r:.1f}"
        f"h{wide - 2 * r:.1f}q{r:.1f} 0 {r:.1f} {r:.1f}v{tall - r:.1f}z"
    )


def _grid(scale: _Scale) -> Iterator[str]:
    step = _step(scale.top)
    for number in range(int(scale.top / step + 1e-9) + 1):
        y = scale.y(number * step)
        yield _line("grid" if number else "base", _LEFT, WIDTH - _RIGHT, y)
        yield _text(_LEFT - 8, y + 4, scale.text(number * step), "end")


def _step(top: float) -> float:
    """Return a round distance of grid lines."""
    rough = top / _LINES
    power: float = 10 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)


def _rect(kind: str, x: float, y: float, wide: float, tall: float) -> str:
    size = f'width="{wide:.1f}" height="{tall:.1f}"'
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" {size}/>'


def _line(kind: str, left: float, right: float, y: float) -> str:
    ends = f'x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}"'
    return f'<line class="{kind}" {ends}/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
