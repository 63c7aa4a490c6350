"""Every view laid out in pixels, for panels 128 wide and 64 or 32 high."""

from collections.abc import Sequence
from textwrap import wrap
from typing import assert_never

from PIL import Image

from rules.model import Die, Tone
from station.panel import DIE, SMALL, SMALL_WIDTH, Panel, rows_of
from station.screens import more
from station.screens.canvas import Canvas, fitting
from station.screens.dice import draw_row
from station.views import (
    BusyView,
    ChoiceView,
    CoverView,
    DialView,
    DiceView,
    EntryView,
    FairnessView,
    MenuView,
    SummaryView,
    TableView,
    TextView,
    View,
)

VERSUS = "vs"


def render(view: View, panel: Panel) -> Image.Image:
    """Return a view as a frame of a panel's size, mode "1"."""
    return paint(view, panel).image


def paint(view: View, panel: Panel) -> Canvas:
    """Return the canvas of a view, with the record of what was placed where."""
    canvas = Canvas(panel)
    match view:
        case DialView():
            _dial(canvas, view)
        case BusyView(text=text):
            canvas.centred((canvas.height - SMALL) // 2, text)
        case DiceView():
            _dice(canvas, view)
        case EntryView():
            more.entry(canvas, view)
        case CoverView():
            more.cover(canvas, view)
        case FairnessView():
            more.fairness(canvas, view)
        case ChoiceView():
            heading = (view.prompt, view.note)
            _list(canvas, heading, tuple((option, "") for option in view.options), view.cursor)
        case SummaryView():
            _summary(canvas, view)
        case TableView():
            _table(canvas, view)
        case TextView():
            _text(canvas, view)
        case MenuView():
            _list(canvas, (view.heading, ""), view.items, view.cursor)
        case _:
            assert_never(view)
    return canvas


def _dial(canvas: Canvas, view: DialView) -> None:
    low = canvas.panel.low
    if not low:
        _dial_head(canvas, view)
    top = 0 if low else 2 * SMALL
    _dial_label(canvas, view, top)
    top += SMALL
    large = 20 if low else 24
    chance_left = canvas.right(top, view.chance, fitting(view.chance, 72, large))
    room = chance_left - 4
    canvas.fill((0, top, room, top + large))
    size = fitting(view.value, room - 2, large)
    canvas.text((2, top + (large - size) // 2), view.value, size, lit=False)
    _ticks(canvas, view)


def _dial_head(canvas: Canvas, view: DialView) -> None:
    """Draw what is dialled: whose roll or which system, the pool, and the target or a warning."""
    target = f"! {view.warning}" if view.warning else view.target
    both = f"{view.pool} {VERSUS} {target}"
    fits = len(both) <= canvas.panel.columns
    for line, text in enumerate((view.heading, both) if fits else (view.pool, target)):
        canvas.text((0, SMALL * line), text)


def _dial_label(canvas: Canvas, view: DialView, top: int) -> None:
    """Draw the name of the value under the cursor, and beside it what there is room for."""
    label = _owned(view.whose, view.label, canvas.panel.columns)
    end = canvas.text((0, top), label)
    warning = f"! {view.warning}" if view.warning else view.target
    low = (f"{view.pool} {VERSUS} {warning}", warning, view.pool)
    high = (view.chance_label, view.chance_label.rpartition(" ")[2])
    for beside in low if canvas.panel.low else high:
        if end + SMALL_WIDTH * (len(beside) + 1) <= canvas.width:
            canvas.right(top, beside)
            return


def _owned(whose: str, label: str, columns: int) -> str:
    """Return a label with whose it is; of the two only a name is ever shortened."""
    if not whose:
        return label
    room = columns - len(label) - 1
    name = whose if len(whose) <= room else f"{whose[: max(0, room - 1)]}…"
    return f"{name} {label}".strip()


def _ticks(canvas: Canvas, view: DialView) -> None:
    """Draw where the cursor stands among the stops, along the lower edge."""
    bottom = canvas.height - 1
    step = canvas.width // max(1, view.places)
    left = step * view.place
    canvas.draw.line((left, bottom, min(left + step, canvas.width) - 2, bottom), fill=1)


def _dice(canvas: Canvas, view: DiceView) -> None:
    top = 0 if canvas.panel.low else SMALL + 1
    if not canvas.panel.low:
        canvas.text((0, 0), view.heading)
    room = canvas.height - top - (SMALL if view.prompt else 0)
    scale = 2 if _fits(view.dice, canvas.width, room, 2) else 1
    rows = rows_of(view.dice, canvas.width, scale)
    side = DIE * scale + 1
    first = 0
    for line, row in enumerate(rows[-((room + 1) // side) :]):
        draw_row(canvas, (0, top + line * side), row, view.shown - first, scale)
        first += len(row)
    if view.prompt:
        canvas.text((0, canvas.height - SMALL), view.prompt)


def _fits(dice: Sequence[Die], width: int, height: int, scale: int) -> bool:
    return len(rows_of(dice, width, scale)) * (DIE * scale + 1) <= height + 1


def _summary(canvas: Canvas, view: SummaryView) -> None:
    if canvas.panel.low:
        _low_summary(canvas, view)
        return
    _verdict_bar(canvas, view, 16)
    if view.value is None:
        _wrapped(canvas, " ".join(view.side), 20)
    else:
        end = _numbers(canvas, (0, 17), view, 24)
        for line, part in enumerate(view.side[:2]):
            canvas.text((end + 4, 17 + line * SMALL), part, room=canvas.width - end - 4)
    if view.marks:
        _marks(canvas, view, 41)
    for row in rows_of(view.dice, canvas.width)[:1]:
        draw_row(canvas, (0, canvas.height - DIE), row, len(row))


def _low_summary(canvas: Canvas, view: SummaryView) -> None:
    _verdict_bar(canvas, view, SMALL)
    if view.value is None:
        canvas.text((0, SMALL + 4), " ".join(view.side))
        return
    end = _numbers(canvas, (0, SMALL), view, 20)
    second = (*view.side, *view.marks)[-1:] if not view.marks else (f"! {view.marks[0]}",)
    for line, part in enumerate((*view.side[:1], *second)[:1]):
        canvas.text((end + 4, SMALL + 4 + line * SMALL), part, room=canvas.width - end - 4)


def _verdict_bar(canvas: Canvas, view: SummaryView, height: int) -> None:
    """Draw the word in a lit bar for a success, in a frame for a failure."""
    room = canvas.width - SMALL_WIDTH * (len(view.badge) + 1) - 4
    size = fitting(view.word, room, height)
    lit = view.tone is not Tone.SUCCESS
    if lit:
        canvas.frame((0, 0, canvas.width, height))
    else:
        canvas.fill((0, 0, canvas.width, height))
    canvas.text((3, (height - size) // 2), view.word, size, lit=lit, room=room)
    width = SMALL_WIDTH * len(view.badge)
    at = (canvas.width - width - 3, (height - SMALL) // 2)
    canvas.text(at, view.badge, lit=lit)


def _numbers(canvas: Canvas, at: tuple[int, int], view: SummaryView, size: int) -> int:
    """Draw ``14 vs 9`` with large numbers and return where it ends."""
    left, top = at
    end = canvas.text((left, top), _number(view.value), size)
    if view.need is None:
        return end
    end = canvas.text((end + 3, top + size - SMALL - 2), VERSUS)
    return canvas.text((end + 3, top), _number(view.need), size)


def _number(value: int | None) -> str:
    return "–" if value is None else str(value).replace("-", "−")


def _marks(canvas: Canvas, view: SummaryView, top: int) -> None:
    told = ", ".join(view.marks)
    canvas.text((0, top), f"! {told}")


def _table(canvas: Canvas, view: TableView) -> None:
    first = 0
    if not canvas.panel.low:
        canvas.text((0, 0), view.heading)
        first = SMALL
    for line, (name, value, note) in enumerate(view.rows):
        top = first + SMALL * line
        left = canvas.right(top, note) if note else canvas.width
        number_left = left - SMALL_WIDTH * (len(value) + 1)
        canvas.text((number_left, top), value, room=SMALL_WIDTH * len(value))
        canvas.text((0, top), name, room=number_left - SMALL_WIDTH)


def _text(canvas: Canvas, view: TextView) -> None:
    if not canvas.panel.low:
        canvas.text((0, 0), view.heading)
    _wrapped(canvas, view.text, 0 if canvas.panel.low else SMALL)


def _wrapped(canvas: Canvas, text: str, top: int) -> None:
    told = [part for line in text.split("\n") for part in wrap(line, canvas.panel.columns)]
    for line, part in enumerate(told[: (canvas.height - top) // SMALL]):
        canvas.text((0, top + SMALL * line), part)


def _list(
    canvas: Canvas, heading: tuple[str, str], items: tuple[tuple[str, str], ...], cursor: int
) -> None:
    top = 0
    if not canvas.panel.low:
        left = canvas.right(0, heading[1]) if heading[1] else canvas.width
        canvas.text((0, 0), heading[0], room=left - 2)
        top = SMALL + 2
    lines = canvas.panel.lines
    first = min(max(0, cursor - lines + 1), max(0, len(items) - lines))
    for line, item in enumerate(items[first : first + lines]):
        _line(canvas, top + SMALL * line, item, here=first + line == cursor)


def _line(canvas: Canvas, top: int, item: tuple[str, str], *, here: bool) -> None:
    label, value = item
    if here:
        canvas.fill((0, top, canvas.width, top + SMALL))
    after = canvas.width
    if value:
        room = canvas.width - SMALL_WIDTH * (len(label) + 1) - 4
        after -= min(SMALL_WIDTH * len(value), room) + 2
        canvas.text((after, top), value, lit=not here, room=room)
    canvas.text((2, top), label, lit=not here, room=after - 4)
