"""Text and lists laid out in pixels: menus, decisions, rows of names with numbers, sentences."""

from textwrap import wrap

from station.names import least
from station.panel import SMALL, SMALL_WIDTH
from station.screens.canvas import ELLIPSIS, Canvas, shortened
from station.views import ChoiceView, TableView, TextView

NAME_COLUMN = 9
"""Characters that the name of a row keeps where a name in its note can be shortened instead."""

OTHERS = "↕"
"""What stands behind an option that shows alone, where there are others."""

BAR = 2
"""Pixels at the right edge for the bar that says which part of a list shows."""

SHORTEST_LIST = 2
"""Lines of a list that show at least, below what is told above it."""


def table(canvas: Canvas, view: TableView) -> None:
    """Draw names with numbers and notes; of a line only names are shortened."""
    first = 0
    if not canvas.panel.low:
        canvas.text((0, 0), view.heading)
        first = SMALL
    for line, (name, value, note) in enumerate(view.rows):
        top = first + SMALL * line
        room = canvas.panel.columns - len(value) - 2 - min(len(name), NAME_COLUMN)
        shown = shortened(note, max(room, least(note, view.names)), view.names)
        left = canvas.width - SMALL_WIDTH * len(shown)
        canvas.text((left, top), note)
        number_left = left - SMALL_WIDTH * (len(value) + 1)
        canvas.text((number_left, top), value, room=SMALL_WIDTH * len(value))
        canvas.text((0, top), name, room=number_left - SMALL_WIDTH)


def running(canvas: Canvas, view: TextView) -> None:
    """Draw a heading, where there is room for one, and running text."""
    if not canvas.panel.low:
        canvas.text((0, 0), view.heading)
    wrapped(canvas, view.text, 0 if canvas.panel.low else SMALL)


def wrapped(canvas: Canvas, text: str, top: int) -> None:
    """Draw running text; where there is more than fits, the last line ends in an ellipsis."""
    told = [part for line in text.split("\n") for part in wrap(line, canvas.panel.columns)]
    _told(canvas, told, (canvas.height - top) // SMALL, top)


def _told(canvas: Canvas, told: list[str], most: int, top: int = 0) -> None:
    """Draw up to so many lines; where there are more, the last one ends in an ellipsis."""
    if len(told) > most:
        told = [*told[: most - 1], f"{told[most - 1][: canvas.panel.columns - 1]}{ELLIPSIS}"]
    for line, part in enumerate(told):
        canvas.text((0, top + SMALL * line), part)


def choice(canvas: Canvas, view: ChoiceView) -> None:
    """Draw what is asked and what can be taken; a low panel shows one option at a time."""
    options = tuple((option, "") for option in view.options)
    if not canvas.panel.low:
        most = canvas.panel.lines - min(SHORTEST_LIST, len(options))
        told = _wrapped(canvas, view.told, most + 1)
        if told:
            _told(canvas, told, most + 1)
        lines = max(0, min(len(told), most + 1) - 1)
        listed(canvas, ("" if told else view.prompt, view.note), options, view.cursor, lines)
        return
    prompt = f"{view.prompt} {view.note}".strip()
    if view.told and not _fits(canvas, view.told):
        _told(canvas, wrap(view.told, canvas.panel.columns), 1)
    else:
        fitting = (each for each in (view.told, prompt) if each and _fits(canvas, each))
        canvas.text((0, 0), next(fitting, view.prompt))
    top = SMALL + 6
    others = OTHERS if len(options) > 1 else ""
    _line(canvas, top, (view.options[view.cursor], others), here=True)
    _scroll_bar(canvas, (top, SMALL), (view.cursor, 1, len(options)))


def _wrapped(canvas: Canvas, text: str, most: int) -> list[str]:
    """Return running text in lines, its longest name shortened if there are more than so many."""
    columns = canvas.panel.columns
    fewer = range(len(text), least(text, canvas.names) - 1, -1)
    tries = (wrap(shortened(text, length, canvas.names), columns) for length in fewer)
    return next((lines for lines in tries if len(lines) <= most), wrap(text, columns))


def _fits(canvas: Canvas, text: str) -> bool:
    """Return whether a text has room in a line, its names shortened if need be."""
    return least(text, canvas.names) <= canvas.panel.columns


def listed(
    canvas: Canvas,
    heading: tuple[str, str],
    items: tuple[tuple[str, str], ...],
    cursor: int,
    lines_above: int = 0,
) -> None:
    """Draw items below a heading, and below so many further lines of it."""
    top = 0
    if not canvas.panel.low:
        canvas.text((0, 0), heading[0])
        if len(heading[0]) + len(heading[1]) < canvas.panel.columns:
            canvas.right(0, heading[1])
        top = SMALL * (lines_above + 1) + 2
    lines = canvas.panel.lines - lines_above
    first = min(max(0, cursor - lines + 1), max(0, len(items) - lines))
    for line, item in enumerate(items[first : first + lines]):
        _line(canvas, top + SMALL * line, item, here=first + line == cursor)
    if len(items) > lines:
        _scroll_bar(canvas, (top, SMALL * lines), (first, lines, len(items)))


def _scroll_bar(canvas: Canvas, along: tuple[int, int], part: tuple[int, int, int]) -> None:
    """Draw which lines of a list show: from the first so many, of all."""
    (top, length), (first, shown, count) = along, part
    right = canvas.width - 1
    begin, end = (top + length * line // count for line in (first, first + shown))
    canvas.draw.line((right, begin, right, end - 1), fill=1)


def _without_name(label: str, names: tuple[str, ...]) -> str:
    """Return a label without the longest name in it, where something else is left."""
    name = next((each for each in names if each in label), "")
    return label.replace(name, "").strip() or label


def _line(canvas: Canvas, top: int, item: tuple[str, str], *, here: bool) -> None:
    label, value = item
    if here:
        canvas.fill((0, top, canvas.width - BAR, top + SMALL))
    after = canvas.width
    if value:
        kept = least(label, canvas.names)
        room = canvas.width - SMALL_WIDTH * (kept + 1) - 4
        if SMALL_WIDTH * least(value, canvas.names) > room:
            label = _without_name(label, canvas.names)
            room = canvas.width - SMALL_WIDTH * (len(label) + 1) - 4
        after -= min(SMALL_WIDTH * len(value), room) + 2
        canvas.text((after, top), value, lit=not here, room=room)
    canvas.text((2, top), label, lit=not here, room=after - 4)
