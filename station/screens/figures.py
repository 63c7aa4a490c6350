"""Large figures: the numbers that matter, 20 pixels high and heavy, to be read at arm's length.

They are glyphs of DejaVu Sans Condensed Bold, fitted to pixels once; a zero has no slash, which
would make it an eight from afar.
"""

from importlib.resources import as_file, files
from itertools import accumulate

from PIL import Image

from station.panel import FIGURE_HEIGHT, FIGURE_WIDTHS, figures_width
from station.screens.canvas import Canvas, Placed

_PICTURE = "figures.png"
"""All figures in a row, in the order of `FIGURE_WIDTHS`."""


def _loaded() -> dict[str, Image.Image]:
    with as_file(files(__package__) / "fonts" / _PICTURE) as path, Image.open(path) as strip:
        rights = accumulate(FIGURE_WIDTHS.values())
        return {
            figure: strip.crop((right - width, 0, right, FIGURE_HEIGHT))
            for (figure, width), right in zip(FIGURE_WIDTHS.items(), rights, strict=True)
        }


_GLYPHS = _loaded()
"""Loaded with the module: a station that has no descriptor left must still be able to draw."""


def draw_figures(canvas: Canvas, at: tuple[int, int], text: str) -> int:
    """Draw a number of which every character is a figure; return where it ends, in pixels."""
    left, top = at
    for figure in text:
        canvas.image.paste(_GLYPHS[figure], (left, top))
        left += FIGURE_WIDTHS[figure]
    canvas.placed.append(Placed(text, (at[0], top, left, top + FIGURE_HEIGHT), text))
    return left


def figures_right(canvas: Canvas, top: int, text: str) -> int:
    """Draw a number up to the right edge and return where it begins, in pixels."""
    left = canvas.width - figures_width(text)
    draw_figures(canvas, (left, top), text)
    return left
