"""Dice as faces: kept ones lit, dropped ones outlined, struck ones crossed, Wrath Dice marked."""

from collections.abc import Sequence
from functools import cache

from PIL import Image, ImageDraw

from rules.model import Die, Fate, Role
from station.panel import DIE, SMALL, WRATH_MARK, width_of
from station.screens.canvas import Canvas

_PIPS = {
    1: ((1, 1),),
    2: ((0, 0), (2, 2)),
    3: ((0, 0), (1, 1), (2, 2)),
    4: ((0, 0), (2, 0), (0, 2), (2, 2)),
    5: ((0, 0), (2, 0), (1, 1), (0, 2), (2, 2)),
    6: ((0, 0), (2, 0), (0, 1), (2, 1), (0, 2), (2, 2)),
}
_PIP = 2
_FIRST_PIP = 2
_PIP_STEP = 3

_NOTCH = 3
"""Pixels cut off a corner of dice that were added to the pool, or are taken from the sum."""

_CORNERS = tuple(
    (x if left else DIE - 1 - x, y if top else DIE - 1 - y)
    for x, y in ((0, 0), (1, 0), (2, 0), (0, 1), (0, 2))
    for left in (True, False)
    for top in (True, False)
)
"""The pixels cut off all four corners of a Wrath Die."""


def draw_row(
    canvas: Canvas, at: tuple[int, int], dice: Sequence[Die], shown: int, scale: int = 1
) -> None:
    """Draw dice in one row, the first `shown` of them with their faces, the others blank."""
    left, top = at
    for place, die in enumerate(dice):
        mark = WRATH_MARK if die.role == Role.WRATH else 0
        if mark:
            # Dark on lit, so that the Wrath Die is a tile twice as wide as any other.
            canvas.fill((left, top, left + mark, top + DIE * scale))
            at = (left, top + (DIE * scale - SMALL) // 2)
            canvas.text(at, "W", SMALL, lit=False, room=mark)
        face = _face(die, fallen=place < shown)
        side = DIE * scale
        canvas.image.paste(face.resize((side, side), Image.Resampling.NEAREST), (left + mark, top))
        left += width_of(die, scale)


@cache
def _face(die: Die, *, fallen: bool) -> Image.Image:
    """Return one die at its own size."""
    image = Image.new("1", (DIE, DIE))
    draw = ImageDraw.Draw(image)
    counts = die.fate in {Fate.KEPT, Fate.COUNTED} and fallen
    edge = DIE - 1
    draw.rectangle((0, 0, edge, edge), fill=int(counts), outline=1)
    if die.role == Role.WRATH:
        draw.point([(x, y) for x, y in _CORNERS], fill=0)
    elif die.role in {Role.BONUS, Role.MINUS}:
        draw.polygon(((edge - _NOTCH, 0), (edge, 0), (edge, _NOTCH)), fill=0)
        if not counts:
            draw.line((edge - _NOTCH, 0, edge, _NOTCH), fill=1)
    if fallen:
        _pips(draw, die.face, lit=not counts)
    if fallen and die.fate == Fate.STRUCK:
        # One thin stroke: a heavy cross would cover all pips but those of a six.
        draw.line((0, edge, edge, 0), fill=1)
    return image


def _pips(draw: ImageDraw.ImageDraw, face: int, *, lit: bool) -> None:
    for column, row in _PIPS[face]:
        left, top = _FIRST_PIP + _PIP_STEP * column, _FIRST_PIP + _PIP_STEP * row
        draw.rectangle((left, top, left + _PIP - 1, top + _PIP - 1), fill=int(lit))
