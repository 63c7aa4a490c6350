"""How much a panel shows: rows of small text and of dice, for laying out pages before pixels."""

from collections.abc import Mapping, Sequence
from textwrap import wrap
from types import MappingProxyType

from rules.frozen import frozen
from rules.model import Die, Role

SMALL = 12
"""Height in pixels of the smallest text."""

SMALL_WIDTH = 6
"""Pixels that one character of the smallest text takes."""

LOW = 32
"""The height in pixels of panels that show half as much and have no room for headings."""

DIE = 12
"""Pixels of a die's side."""

PANEL_WIDTH = 128
"""Width in pixels of every panel."""

FIGURE_HEIGHT = 20
"""Height in pixels of the numbers that matter, without any space around them."""

FIGURE_WIDTHS: Mapping[str, int] = MappingProxyType(
    {**dict.fromkeys("0123456789%", 16), **dict.fromkeys("+−<>–", 13), ".": 7}
)
"""Pixels that each large figure takes, with the gap beside it."""

VERSUS_WIDTH = 18
"""Pixels between a verdict's two numbers."""

BESIDE_GAP = 4
"""Pixels between a verdict's numbers and what stands beside them."""

BESIDE = 10
"""Characters of small text that fit beside the largest numbers of a verdict."""

GAP = 1
"""Pixels between two dice."""

WRATH_MARK = 7
"""Pixels of the letter before a Wrath Die."""

WRATH_SPACE = 3
"""Pixels behind a Wrath Die, that set it apart."""


@frozen
class Panel:
    """A panel's size in pixels: 128 wide, 64 or 32 high."""

    width: int = PANEL_WIDTH
    height: int = 64

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.width, self.height

    @property
    def low(self) -> bool:
        """Whether there is no room for headings."""
        return self.height <= LOW

    @property
    def columns(self) -> int:
        """Characters of small text in a line."""
        return self.width // SMALL_WIDTH

    @property
    def lines(self) -> int:
        """Lines of small text, or rows of dice, without the heading where there is one."""
        return self.height // SMALL - (0 if self.low else 1)


def is_figures(text: str) -> bool:
    """Return whether a text can be shown in large figures."""
    return all(character in FIGURE_WIDTHS for character in text)


def figures_width(text: str) -> int:
    """Return the pixels that a text takes in large figures."""
    return sum(FIGURE_WIDTHS[character] for character in text)


def told_lines(text: str, panel: Panel) -> tuple[str, ...]:
    """Return running text in lines of small text that fit a panel."""
    return tuple(part for line in text.split("\n") for part in wrap(line, panel.columns))


def width_of(die: Die, scale: int = 1) -> int:
    """Return the pixels a die takes at a scale (≥ 1), with the gap behind it."""
    around = WRATH_MARK + WRATH_SPACE if die.role == Role.WRATH else GAP
    return DIE * scale + around


def rows_of(dice: Sequence[Die], width: int, scale: int = 1) -> tuple[tuple[Die, ...], ...]:
    """Return dice in rows that fit the width (pixels); whose they are stays apart."""
    rows: list[list[Die]] = []
    used = 0
    for die in dice:
        apart = bool(rows) and _owner(die) != _owner(rows[-1][-1])
        if not rows or apart or used + width_of(die, scale) - GAP > width:
            rows.append([])
            used = 0
        rows[-1].append(die)
        used += width_of(die, scale)
    return tuple(tuple(row) for row in rows)


def _owner(die: Die) -> tuple[int | None, str | None]:
    return die.contestant, die.side
