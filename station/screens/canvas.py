"""A frame to draw on: text that always fits, boxes, and a record of what went where."""

from functools import cache
from importlib.resources import as_file, files
from io import BytesIO
from typing import TypeAlias

from PIL import Image, ImageDraw, ImageFont

from rules.frozen import frozen
from station.panel import SMALL, Panel

Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; the right and bottom edges lie outside."""

SIZES = (32, 28, 24, 20, 16, 14, SMALL)
"""Heights of all text, in pixels, the largest first."""

BOLD_FROM = 16
"""The height in pixels from which text is bold, so that large type is also heavy."""

THIN = (20, 24)
"""Heights at which the bold face has strokes of one pixel; they are drawn twice, side by side."""

PLAIN_ZERO_FROM = 20
"""The height in pixels from which a zero has no slash: read from afar it would be an eight."""

ELLIPSIS = "…"


@frozen
class Placed:
    """A text that was drawn, the box it fills, and the text as it was before it was cut."""

    text: str
    box: Box
    whole: str

    @property
    def cut(self) -> bool:
        """Whether there was no room for all of it."""
        return self.text != self.whole


def _loaded(name: str) -> bytes:
    with as_file(files(__package__) / "fonts" / name) as path:
        return path.read_bytes()


_BOLD, _NORMAL = _loaded("terminus-bold.otb"), _loaded("terminus-normal.otb")
"""Loaded with the module: a station that has no descriptor left must still be able to draw."""


@cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Return the panel's font at one of `SIZES`, without FreeType's hinting of outlines."""
    face = _BOLD if size >= BOLD_FROM else _NORMAL
    return ImageFont.truetype(BytesIO(face), size, layout_engine=ImageFont.Layout.BASIC)


@cache
def advance_width(size: int) -> int:
    """Return the pixels that one character takes at a height; all take the same."""
    return int(font(size).getlength("0"))


class Canvas:
    """One frame of a panel, mode "1", black at first.

    Args:
        panel: its size.
        names: what players called themselves and others: of a text only these are shortened.

    Attributes:
        names: these.
        placed: every text drawn, with its box, so that a test can prove that none leaves the
            panel, overlaps another or is cut.
    """

    def __init__(self, panel: Panel, names: tuple[str, ...] = ()) -> None:
        self.panel = panel
        self.names = names
        self.width, self.height = panel.size
        self.image = Image.new("1", panel.size)
        self.draw = ImageDraw.Draw(self.image)
        self.draw.fontmode = "1"
        self.placed: list[Placed] = []

    def text(
        self, at: tuple[int, int], text: str, size: int = SMALL, *, lit: bool = True, room: int = 0
    ) -> int:
        """Draw one line of text and return where it ends, in pixels from the left.

        Args:
            at: left and top.
            text: what to draw.
            size: its height, one of `SIZES`.
            lit: False draws dark on a lit ground.
            room: the pixels it may take; 0 means up to the right edge. What does not fit is cut
                with an ellipsis, in a name where there is one.
        """
        left, top = at
        width = advance_width(size)
        most = (room or self.width - left) // width
        shown = shortened(text, most, self.names)
        glyphs = shown.replace("0", "O") if size >= PLAIN_ZERO_FROM else shown
        for place in (left, left + 1) if size in THIN else (left,):
            self.draw.text((place, top), glyphs, font=font(size), fill=int(lit))
        right = left + width * len(shown)
        self.placed.append(Placed(shown, (left, top, right, top + size), text))
        return right

    def right(self, top: int, text: str, size: int = SMALL, *, lit: bool = True) -> int:
        """Draw a line of text up to the right edge and return where it begins."""
        left = max(0, self.width - advance_width(size) * len(text))
        self.text((left, top), text, size, lit=lit)
        return left

    def centred(self, top: int, text: str, size: int = SMALL) -> None:
        """Draw a line of text in the middle."""
        left = max(0, (self.width - advance_width(size) * len(text)) // 2)
        self.text((left, top), text, size)

    def fill(self, box: Box) -> None:
        """Light a box."""
        left, top, right, bottom = box
        self.draw.rectangle((left, top, right - 1, bottom - 1), fill=1)

    def frame(self, box: Box) -> None:
        """Draw the outline of a box."""
        left, top, right, bottom = box
        self.draw.rectangle((left, top, right - 1, bottom - 1), outline=1)


def shortened(text: str, most: int, names: tuple[str, ...] = ()) -> str:
    """Return a text cut to so many characters: within the first of the names that is long enough.

    Where no name is, its end is cut.
    """
    over = len(text) - most
    if over <= 0:
        return text
    for name in names:
        if name in text and len(name) > over + 1:
            return text.replace(name, name[: -over - 1] + ELLIPSIS, 1)
    return text[: max(0, most - 1)] + ELLIPSIS


def fitting(text: str, room: int, largest: int, smallest: int = SMALL) -> int:
    """Return the largest height at which a text fits in so many pixels, at least `smallest`."""
    for size in SIZES:
        if smallest <= size <= largest and advance_width(size) * len(text) <= room:
            return size
    return smallest
