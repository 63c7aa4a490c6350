"""Every view laid out in pixels, for panels 128 wide and 64 or 32 high."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from textwrap import wrap
from typing import assert_never

from PIL import Image

from rules.model import Die, Tone
from station.names import least
from station.panel import (
    BESIDE_GAP,
    DIE,
    FIGURE_HEIGHT,
    SMALL,
    SMALL_WIDTH,
    Panel,
    figures_width,
    is_figures,
    rows_of,
)
from station.percent import signed
from station.screens import lists, more
from station.screens.canvas import (
    ELLIPSIS,
    SIZES,
    Canvas,
    advance_width,
    fitting,
    shortened,
)
from station.screens.dice import draw_row
from station.screens.figures import draw_figures, figures_right
from station.views import (
    BusyView,
    ChoiceView,
    CoverView,
    DialView,
    DiceView,
    EntryView,
    FairnessView,
    MenuView,
    NumberView,
    SpellView,
    SummaryView,
    TableView,
    TextView,
    View,
    foot,
)

VERSUS = "vs"

MORE = "turn: more"
"""What stands in for marks that have no room on a low panel; they are told on a page of theirs."""

CUT = f" {ELLIPSIS}"
"""What stands behind as much of a line as has room; the whole is told on a further page."""

TURN = " ↕"
"""What stands behind a roll's number where turning shows more, and nothing else says so."""

LEAST_VALUE = 61
"""Pixels that a long value on the dial keeps, its frame and the gap behind it included."""

USUAL_FOCUS = 48
"""Pixels that the frame around the focus takes: the same beside every usual chance, so that a
detent does not have to draw it anew."""

FIGURES_EDGE = 5
"""Pixels between the outer edge of the frame around the focus and large figures in it."""

HEAD_TOPS = (0, 14)
"""Where the two lines at the head of the dial begin, in pixels; the figures of the second, eight
pixels high and two below its top, fill one page of the panel's memory."""

LABEL_TOP = 26
"""Where the name of the value under the cursor begins, in pixels."""

FOCUS_TOP = 40
"""Where the value and its chance begin on a high panel, in pixels: at a page of its memory, so that
what changes at a detent lies in three pages and not in four."""

FOCUS_EDGE = 4
"""Pixels between the outer edge of the frame around the focus and what stands in it."""

BAR_EDGE = 3
"""Pixels between the edge of the verdict's bar and its word or badge."""

NUMBER_GAP = 3
"""Pixels before and behind the word between two large numbers."""


def render(view: View, panel: Panel) -> Image.Image:
    """Return a view as a frame of a panel's size, mode "1"."""
    return paint(view, panel).image


def paint(view: View, panel: Panel) -> Canvas:
    """Return the canvas of a view, with the record of what was placed where."""
    canvas = Canvas(panel, getattr(view, "names", ()))
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
        case SpellView():
            more.spell(canvas, view)
        case NumberView():
            more.number(canvas, view)
        case ChoiceView():
            lists.choice(canvas, view)
        case SummaryView():
            _summary(canvas, view)
        case TableView():
            lists.table(canvas, view)
        case TextView():
            lists.running(canvas, view)
        case MenuView():
            lists.listed(canvas, (view.heading, ""), view.items, view.cursor)
        case _:
            assert_never(view)
    return canvas


def _dial(canvas: Canvas, view: DialView) -> None:
    low = canvas.panel.low
    head = () if low else _head_lines(view, canvas.panel.columns)
    for top, text in zip(HEAD_TOPS, head, strict=False):
        canvas.text((0, top), text)
    top = 0 if low else LABEL_TOP
    if view.hint and view.hint not in head:
        canvas.text((0, top), view.hint)
    else:
        _dial_label(canvas, view, top)
    top = SMALL if low else FOCUS_TOP
    large = 20 if low else 24
    chance_room = canvas.width - _beside_chance(view.value)
    if _large(view.chance, canvas, chance_room):
        chance_left = figures_right(canvas, top + 2, view.chance)
    else:
        chance_left = canvas.right(top, view.chance, fitting(view.chance, chance_room, large))
    room = chance_left - 4
    if is_figures(view.value):
        room = min(room, max(USUAL_FOCUS, figures_width(view.value) + 2 * FIGURES_EDGE))
    for edge in (0, 1):
        canvas.frame((edge, top + edge, room - edge, top + large - edge))
    if _large(view.value, canvas, room - 2 * FIGURES_EDGE):
        draw_figures(canvas, (FIGURES_EDGE, top + 2), view.value)
    else:
        size = fitting(view.value, room - 2 * FOCUS_EDGE, large)
        canvas.text((FOCUS_EDGE, top + (large - size) // 2), view.value, size)
    _ticks(canvas, view)


def _beside_chance(value: str) -> int:
    """Return the pixels that a value on the dial wants, with its frame and the gap behind it."""
    wanted = figures_width(value) + 2 * FIGURES_EDGE + 4 if is_figures(value) else LEAST_VALUE
    return min(wanted, LEAST_VALUE)


def _large(text: str, canvas: Canvas, room: int) -> bool:
    """Return whether a text is shown in large figures: a number, with room for it."""
    return not canvas.panel.low and is_figures(text) and figures_width(text) <= room


def _head_lines(view: DialView, columns: int) -> tuple[str, ...]:
    """Return two lines that say whose roll it is or by which rules, the pool, and the target.

    The heading goes only where what is rolled would not be told in full beside it.
    """
    target = f"! {view.warning}" if view.warning else view.target
    joint = " " if view.warning else f" {VERSUS} "
    both = f"{view.pool}{joint}{target}"
    called = f"{view.heading} {view.kind}".strip()
    if len(both) <= columns:
        return called if view.names else view.hint or called, both
    shorter = target.replace(" · ", " ")
    whose = view.heading or view.kind
    for first in (f"{called} {view.pool}", f"{whose} {view.pool}", view.pool):
        for second in (target, shorter):
            if least(first, view.names) <= columns and least(second, view.names) <= columns:
                return first, second
    return tuple(wrap(both, columns))[:2]


def _dial_label(canvas: Canvas, view: DialView, top: int) -> None:
    """Draw the name of the value under the cursor, and beside it what there is room for."""
    warning = f"! {view.warning}" if view.warning else view.target
    joint = " " if view.warning else f" {VERSUS} "
    both, kind = f"{view.pool}{joint}{warning}", view.kind
    with_kind = (f"{kind} {both}", both, f"{kind} {view.pool}") if kind else (both,)
    low = (*with_kind, warning, view.pool)
    chance = view.chance_label.rpartition(" ")[2]
    columns = canvas.panel.columns
    if canvas.panel.low and view.warning:
        both = f"{view.label} ! {view.warning}"
        canvas.text((0, top), both if len(both) <= columns else f"! {view.warning}")
        return
    kept = columns - (0 if canvas.panel.low else len(chance) + 1)
    owned = f"{view.whose} {view.label}".strip()
    # A side without a name is called in full, though its chance then stands there unnamed.
    named = view.whose in view.names or len(owned) <= kept
    end = canvas.text((0, top), _owned(view.whose, view.label, kept if named else columns))
    further = low if canvas.panel.low else ()
    for beside in (*further, view.chance_label, chance):
        if end + SMALL_WIDTH * (len(beside) + 1) <= canvas.width:
            canvas.right(top, beside)
            return


def _owned(whose: str, label: str, columns: int) -> str:
    """Return a label with whose it is; of the two only a name is ever shortened."""
    return shortened(f"{whose} {label}".strip(), columns, (whose,))


def _ticks(canvas: Canvas, view: DialView) -> None:
    """Draw where the cursor stands among the stops: below the value's name, or along the edge."""
    bottom = canvas.height - 1 if canvas.panel.low else FOCUS_TOP - 2
    step = canvas.width // max(1, view.places)
    left = step * view.place
    canvas.draw.line((left, bottom, min(left + step, canvas.width) - 2, bottom), fill=1)


def _dice(canvas: Canvas, view: DiceView) -> None:
    top = 0 if canvas.panel.low else SMALL + 1
    if not canvas.panel.low:
        canvas.text((0, 0), view.heading)
    room = canvas.height - top - (SMALL if view.prompt else 0)
    scale = 2 if _fits(view.dice, canvas.width, room, 2) else 1
    side = DIE * scale + 1
    rows = rows_of(view.dice, canvas.width, scale)
    skipped = _rows_above(rows, view.shown, (room + 1) // side)
    first = sum(map(len, rows[:skipped]))
    for line, row in enumerate(rows[skipped : skipped + (room + 1) // side]):
        draw_row(canvas, (0, top + line * side), row, view.shown - first, scale)
        first += len(row)
    if view.prompt:
        canvas.text((0, canvas.height - SMALL), view.prompt)


def _rows_above(rows: Sequence[Sequence[Die]], shown: int, fit: int) -> int:
    """Return how many rows to leave out above, so that the die that fell last is in sight."""
    ends = tuple(accumulate(map(len, rows)))
    last = next((line for line, end in enumerate(ends) if shown <= end), len(rows) - 1)
    return max(0, last + 1 - fit)


def _fits(dice: Sequence[Die], width: int, height: int, scale: int) -> bool:
    return len(rows_of(dice, width, scale)) * (DIE * scale + 1) <= height + 1


def _summary(canvas: Canvas, view: SummaryView) -> None:
    low = canvas.panel.low
    _verdict_bar(canvas, view, SMALL if low else 16)
    if low:
        _low_summary(canvas, view)
        return
    if view.value is None:
        lists.wrapped(canvas, " ".join(view.side[:2]), 16)
    else:
        end = _figures(canvas, (0, 18), view)
        top = 16 + (24 - SMALL * len(view.side)) // 2
        for line, part in enumerate(view.side):
            canvas.text((end + BESIDE_GAP, top + line * SMALL), part)
    if view.sides and not view.foot:
        for line, (name, note) in enumerate(view.sides):
            left = canvas.right(40 + line * SMALL, note)
            canvas.text((0, 40 + line * SMALL), name, room=left - SMALL_WIDTH)
        return
    if view.foot or view.hint:
        told = _foot(canvas, view) or view.hint
        canvas.text((0, 40 if view.dice else canvas.height - SMALL), told)
    _dice_line(canvas, view.dice, canvas.height - DIE)


def _foot(canvas: Canvas, view: SummaryView) -> str:
    """Return the line below the numbers, as much of it as has room; the marks are kept longest."""
    below, marks, columns = view.below, view.marks, canvas.panel.columns
    shorter = (
        *((below[:kept], marks) for kept in reversed(range(len(below)))),
        *(((), marks[:kept]) for kept in reversed(range(len(marks)))),
    )
    told = (view.foot, *(f"{foot(*parts)}{CUT}" for parts in shorter))
    return next((each for each in told if least(each, view.names) <= columns), view.foot)


def _dice_line(canvas: Canvas, dice: Sequence[Die], top: int) -> None:
    """Draw as many dice as fit one line, and how many more there are."""
    rows = rows_of(dice, canvas.width)
    if len(rows) == 1:
        draw_row(canvas, (0, top), rows[0], len(rows[0]))
    elif rows:
        more = f"+{len(dice)}"
        row = rows_of(dice, canvas.width - SMALL_WIDTH * len(more) - 2)[0]
        draw_row(canvas, (0, top), row, len(row))
        canvas.right(top, f"+{len(dice) - len(row)}")


def _low_summary(canvas: Canvas, view: SummaryView) -> None:
    """Draw the numbers and beside them one line: the marks before all else, if there is room."""
    fitted = (each for each in _at_a_glance(view) if _room_beside(canvas, view, each, SMALL))
    told = next(fitted, "")
    if view.value is None:
        canvas.text((0, SMALL + 4), told)
        return
    end = _numbers(canvas, (0, SMALL), view, _largest(canvas, view, (told,), 20))
    canvas.text((end + 4, SMALL + 4), told)


def _at_a_glance(view: SummaryView) -> Iterator[str]:
    """Yield what can stand beside the numbers where there is one line, the best first."""
    if view.marks:
        yield f"! {', '.join(view.marks)}"
        yield from view.marks if len(view.marks) == 1 else ()
    else:
        yield from (*view.side, *view.below, "")[:1]
    yield MORE


def _largest(canvas: Canvas, view: SummaryView, beside: Sequence[str], most: int) -> int:
    """Return the largest height of the numbers, up to `most`, that leaves room beside them."""
    sizes = (size for size in SIZES if size <= most)
    wanted = max(beside, key=lambda part: least(part, view.names), default="")
    return next((size for size in sizes if _room_beside(canvas, view, wanted, size)), SMALL)


def _room_beside(canvas: Canvas, view: SummaryView, text: str, size: int) -> bool:
    """Return whether a text fits beside the numbers at a height."""
    used = 0 if view.value is None else _numbers_width(view, size) + 4
    return used + SMALL_WIDTH * least(text, view.names) <= canvas.width


def _verdict_bar(canvas: Canvas, view: SummaryView, height: int) -> None:
    """Draw the word in a lit bar for a success, in a frame for a failure."""
    inner = canvas.width - 2 * BAR_EDGE
    badge = _badge(view, inner // SMALL_WIDTH - least(view.word, view.names) - 1)
    room = inner - SMALL_WIDTH * (len(badge) + 1)
    size = fitting(view.word, room, height)
    hinted = not (canvas.panel.low or view.foot or view.sides)
    room_beside_sign = room - SMALL_WIDTH * len(TURN)
    fits = advance_width(size) * len(view.word) <= room_beside_sign
    if view.further and not hinted and fits:
        badge, room = badge + TURN, room_beside_sign
    lit = view.tone is not Tone.SUCCESS
    if lit:
        canvas.frame((0, 0, canvas.width, height))
    else:
        canvas.fill((0, 0, canvas.width, height))
    canvas.text((BAR_EDGE, (height - size) // 2), view.word, size, lit=lit, room=room)
    left = canvas.width - BAR_EDGE - SMALL_WIDTH * len(badge)
    canvas.text((left, (height - SMALL) // 2), badge, lit=lit)


def _badge(view: SummaryView, most: int) -> str:
    """Return the badge in so many characters: of a long number the last figures differ."""
    return view.badge if len(view.badge) <= most else f"{ELLIPSIS}{view.badge[1 - most :]}"


def _figures(canvas: Canvas, at: tuple[int, int], view: SummaryView) -> int:
    """Draw ``14 vs 9`` with large figures and return where it ends."""
    left, top = at
    end = draw_figures(canvas, (left, top), _number(view.value))
    if view.need is None:
        return end
    versus = top + FIGURE_HEIGHT - SMALL + 2
    end = canvas.text((end + NUMBER_GAP, versus), VERSUS)
    return draw_figures(canvas, (end + NUMBER_GAP, top), _number(view.need))


def _numbers(canvas: Canvas, at: tuple[int, int], view: SummaryView, size: int) -> int:
    """Draw ``14 vs 9`` with large numbers and return where it ends."""
    left, top = at
    end = canvas.text((left, top), _number(view.value), size)
    if view.need is None:
        return end
    end = canvas.text((end + NUMBER_GAP, top + max(0, size - SMALL - 2)), VERSUS)
    return canvas.text((end + NUMBER_GAP, top), _number(view.need), size)


def _numbers_width(view: SummaryView, size: int) -> int:
    """Return the pixels that `_numbers` takes."""
    value = advance_width(size) * len(_number(view.value))
    if view.need is None:
        return value
    between = SMALL_WIDTH * len(VERSUS) + 2 * NUMBER_GAP
    return value + between + advance_width(size) * len(_number(view.need))


def _number(value: int | None) -> str:
    return "–" if value is None else signed(value)
