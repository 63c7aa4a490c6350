"""The rarer screens laid out in pixels: dice entered by hand, hidden rolls, fairness."""

from station.panel import DIE, SMALL, SMALL_WIDTH, rows_of
from station.screens.canvas import ELLIPSIS, Canvas, advance_width
from station.screens.dice import draw_row
from station.views import CoverView, EntryView, FairnessView, NumberView, SpellView

LARGE_DIE = 2
"""How many times the die under the knob is enlarged."""


def entry(canvas: Canvas, view: EntryView) -> None:
    """Draw the faces entered so far, and the die under the knob large at the right."""
    side = DIE * LARGE_DIE
    top = 0
    if not canvas.panel.low:
        canvas.text((0, 0), view.heading, room=canvas.width)
        top = SMALL + 2
    left = canvas.width - side - 4
    canvas.frame((left - 2, top, left + side + 2, top + side + 4))
    draw_row(canvas, (left, top + 2), (view.die,), 1, LARGE_DIE)
    canvas.text((0, top + side // 2), view.place)
    room = left - SMALL_WIDTH * (len(view.place) + 1) - 4
    rows = rows_of(view.entered, room)
    fit = (canvas.height - top - (SMALL if view.hint else 0)) // (DIE + 1)
    if canvas.panel.low:
        fit = canvas.height // (DIE + 1)
    else:
        canvas.text((0, canvas.height - SMALL), view.hint)
    for line, row in enumerate(rows[-fit:]):
        at = (SMALL_WIDTH * (len(view.place) + 1), top + line * (DIE + 1))
        draw_row(canvas, at, row, len(row))


def cover(canvas: Canvas, view: CoverView) -> None:
    """Draw that a roll was made and is covered."""
    low = canvas.panel.low
    canvas.centred(0, f"{view.badge} hidden".strip(), SMALL if low else 16)
    middle = SMALL if low else 26
    for box in range(5):
        left = canvas.width // 2 - 2 * (DIE + 4) - DIE // 2 + box * (DIE + 4)
        canvas.frame((left, middle, left + DIE, middle + (7 if low else DIE)))
    canvas.centred(canvas.height - SMALL, view.hint)


def fairness(canvas: Canvas, view: FairnessView) -> None:
    """Draw a bar for each face, as high as its share of the commonest, and what they say."""
    low = canvas.panel.low
    if not low:
        canvas.text((0, 0), view.heading)
    text_left = 66
    for line, told in enumerate(view.told[: canvas.panel.lines]):
        canvas.text((text_left, (0 if low else SMALL) + line * SMALL), told)
    foot = canvas.height - (0 if low else SMALL)
    most = max(1, *view.counts)
    room = foot - (0 if low else SMALL) - 1
    for place, count in enumerate(view.counts):
        left = place * 10
        canvas.fill((left, foot - 1 - room * count // most, left + 7, foot))
        if not low:
            canvas.text((left + 1, foot), str(place + 1), room=SMALL_WIDTH)


def _end_of(text: str, most: int) -> str:
    """Return a text in so many characters; its end is where it grows."""
    return text if len(text) <= most else f"{ELLIPSIS}{text[1 - most :]}"


def spell(canvas: Canvas, view: SpellView) -> None:
    """Draw the name so far, and below it the keys with the chosen one lit."""
    low = canvas.panel.low
    if not low:
        canvas.text((0, 0), view.heading)
        canvas.text((0, canvas.height - SMALL), view.hint)
    canvas.text((0, 0 if low else SMALL + 2), _end_of(f"{view.text}_", canvas.panel.columns))
    top = canvas.height - (16 if low else 32)
    middle = len(view.keys) // 2
    width = SMALL_WIDTH * max(3, len(view.keys[middle]) + 1)
    left = (canvas.width - width) // 2
    canvas.fill((left, top - 2, left + width, top + SMALL + 2))
    key = view.keys[middle]
    canvas.text((left + (width - SMALL_WIDTH * len(key)) // 2, top), key, lit=False)
    step = 18
    for place, other in enumerate(view.keys):
        away = place - middle
        if away:
            at = left - step * -away if away < 0 else left + width + step * (away - 1) + 6
            canvas.text((at, top), other if len(other) <= 2 else "_")  # noqa: PLR2004 - fits the step


def number(canvas: Canvas, view: NumberView) -> None:
    """Draw what is set, its value large in a frame, and what can be done."""
    low = canvas.panel.low
    canvas.text((0, 0), view.label if low else view.heading)
    if not low:
        canvas.text((0, SMALL), view.label)
    top = SMALL if low else 2 * SMALL + 1
    size = 20 if low else 24
    width = max(3, len(view.value)) * advance_width(size) + 8
    canvas.frame((0, top, width, min(canvas.height, top + size + 2)))
    canvas.text((4, top + (0 if low else 1)), view.value, size)
    if low:
        canvas.text((width + 4, top + 4), view.hint.partition("  ")[0])
    else:
        canvas.text((0, canvas.height - SMALL), view.hint)
