"""The front panel in a terminal: the display pixel for pixel, and keys for knob and buttons."""

import codecs
import curses
import locale
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from textwrap import wrap
from types import FrameType, MappingProxyType
from typing import Any, NoReturn

from hardware.clock import MILLISECOND, Nanoseconds, monotonic
from hardware.controls.events import Control
from hardware.controls.outputs import LED_PIN
from station.errors import StationError
from station.simulator.hands import HOLD, UNHURRIED, Hands
from station.simulator.pixels import Style, lines, size
from station.wiring import Desktop

LONGEST_SLEEP_MS = 250
"""The longest the terminal waits for a key, in ms, so that a resize is seen soon."""

ROLL_KEY = "r"

LEGEND = (
    ("q", "quit"),
    ("←/→, wheel", "turn the knob"),
    ("Space", "push it"),
    ("h", "hold it: menu, back"),
    (ROLL_KEY, "ROLL"),
    ("↑/↓", "buttons up, down"),
    ("n / N", "button next / held"),
)
"""What the keys do, for the person in front of them; where there is little room, the first ones."""

Act = Callable[[Hands], None]


AT_ONCE = Nanoseconds(0)
"""A detent a key: how fast the knob turns is how fast the keys come."""


def _turn(detents: int) -> Act:
    return lambda hands: hands.turn(detents, UNHURRIED if abs(detents) > 1 else AT_ONCE)


def _press(control: Control) -> Act:
    return lambda hands: hands.press(control)


def _hold(control: Control) -> Act:
    return lambda hands: hands.press(control, HOLD)


KEYS: Mapping[int, Act] = MappingProxyType(
    {
        curses.KEY_RIGHT: _turn(1),
        curses.KEY_LEFT: _turn(-1),
        curses.KEY_SRIGHT: _turn(5),
        curses.KEY_SLEFT: _turn(-5),
        ord("+"): _turn(1),
        ord("-"): _turn(-1),
        ord(" "): _press(Control.PUSH),
        ord("\n"): _press(Control.PUSH),
        ord("h"): _hold(Control.PUSH),
        ord("r"): _press(Control.ROLL),
        ord("R"): _hold(Control.ROLL),
        curses.KEY_UP: _press(Control.UP),
        curses.KEY_DOWN: _press(Control.DOWN),
        ord("n"): _press(Control.NEXT),
        ord("N"): _hold(Control.NEXT),
    }
)
"""What each key does to the mock pins."""

_WHEEL_UP = curses.BUTTON4_PRESSED
_WHEEL_DOWN = getattr(curses, "BUTTON5_PRESSED", 0x200000)


ENDINGS = (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM)
"""Signals that end the program and would leave the terminal without echo or cursor."""


def require() -> None:
    """Make sure that a panel can be drawn in this terminal at all.

    Raises:
        StationError: it is of no known kind, or of one that can't place a character.
    """
    try:
        curses.setupterm()
        able = curses.tigetstr("cup") is not None
    except curses.error:
        able = False
    if not able:
        kind = os.environ.get("TERM", "")
        raise StationError(
            f'TERM is "{kind}", a terminal that can\'t show the panel; '
            "allowed: one with a cursor, such as TERM=xterm, or --script instead"
        )


def run(desk: Desktop, controls: Hands) -> None:
    """Show the panel and turn keys into edges until ``q`` or the end of the terminal.

    Raises:
        SystemExit: a signal ended it; the terminal is as it was before.
    """
    _speak_utf8()
    with _ended_in_order():
        curses.wrapper(lambda screen: Terminal(screen, desk, controls).run())


def _speak_utf8() -> None:
    """Have curses write the panel's characters also where the locale is plain C."""
    locale.setlocale(locale.LC_ALL, "")
    if codecs.lookup(locale.nl_langinfo(locale.CODESET)).name == "ascii":
        with suppress(locale.Error):
            locale.setlocale(locale.LC_CTYPE, "C.UTF-8")


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Turn signals that end the program into an exit that puts the terminal back in order."""
    before = {number: signal.signal(number, _exit) for number in ENDINGS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _exit(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def legend(*, roll_button: bool) -> tuple[tuple[str, str], ...]:
    """Return the keys and what they do; without a ROLL button none presses it."""
    return LEGEND if roll_button else tuple(line for line in LEGEND if line[0] != ROLL_KEY)


class Terminal:
    """One terminal in front of a desktop station."""

    def __init__(self, screen: Any, desk: Desktop, hands: Hands) -> None:
        self._screen = screen
        self._desk = desk
        self._hands = hands
        self._led = desk.backend.factory.pin(LED_PIN)
        roll_button = desk.runner.state.dial.roll_button
        self._legend = legend(roll_button=roll_button)
        self._buttons = "[UP] [DOWN] [NEXT] [ROLL]" if roll_button else "[UP] [DOWN] [NEXT]"

    def run(self) -> None:
        """Work until ``q``."""
        # Some terminals can't hide the cursor.
        with suppress(curses.error):
            curses.curs_set(0)
        curses.mousemask(curses.ALL_MOUSE_EVENTS)
        curses.mouseinterval(0)
        while True:
            self._hands.advance(monotonic())
            self._desk.runner.settle()
            self._draw()
            self._screen.timeout(self._patience())
            key = self._screen.getch()
            if key in {ord("q"), 3}:
                return
            self._key(key)

    def _patience(self) -> int:
        """Return how long to wait for a key, in ms."""
        due = (self._hands.deadline(), self._desk.runner.deadline())
        times = [time for time in due if time is not None]
        if not times:
            return LONGEST_SLEEP_MS
        left = Nanoseconds(max(0, min(times) - monotonic()))
        return min(LONGEST_SLEEP_MS, left // MILLISECOND + 1)

    def _key(self, key: int) -> None:
        if key == curses.KEY_MOUSE:
            self._wheel()
        elif key in KEYS:
            KEYS[key](self._hands)

    def _wheel(self) -> None:
        try:
            _, _, _, _, buttons = curses.getmouse()
        except curses.error:
            return
        if buttons & _WHEEL_UP:
            self._hands.turn(1, AT_ONCE)
        elif buttons & _WHEEL_DOWN:
            self._hands.turn(-1, AT_ONCE)

    def _follow_size(self) -> None:
        """Take up the terminal's size; curses loses a signal that comes while it handles one."""
        columns, rows = shutil.get_terminal_size()
        if curses.is_term_resized(rows, columns):
            curses.resizeterm(rows, columns)
            self._screen.clearok(True)  # noqa: FBT003 - curses' own signature

    def _draw(self) -> None:
        self._follow_size()
        self._screen.erase()
        height, width = self._screen.getmaxyx()
        style = fitting_style(self._desk.display.size, (width, height))
        if style is None:
            columns, rows = size(self._desk.display.size, Style.BRAILLE)
            needs = f"The panel needs {columns + 2} × {rows + 3}: enlarge the window. q quits."
            for row, line in enumerate(wrap(needs, max(1, width - 1))):
                self._put(row, 0, line)
        else:
            self._panel(style, width, height)
        self._screen.refresh()

    def _panel(self, style: Style, width: int, height: int) -> None:
        columns, rows = size(self._desk.display.size, style)
        self._put(0, 0, "┌" + "─" * columns + "┐")
        for row, pixels in enumerate(lines(self._desk.display.frame, style), 1):
            self._put(row, 0, f"│{pixels}│")
        self._put(rows + 1, 0, "└" + "─" * columns + "┘")
        lit = "●" if self._led.state else "○"
        self._put(rows + 2, 0, f" LED {lit}   knob ◐   {self._buttons}")
        beside = width - columns - 3 > max(len(k) + len(t) + 3 for k, t in self._legend)
        for line, (key, told) in enumerate(self._legend):
            row, column = (line + 1, columns + 4) if beside else (rows + 3 + line, 1)
            if row < height:
                self._put(row, column, f"{key:<11} {told}")

    def _put(self, row: int, column: int, text: str) -> None:
        height, width = self._screen.getmaxyx()
        if row < height and column < width:
            room = width - column - (row == height - 1)
            self._screen.addnstr(row, column, text, room)


def fitting_style(panel: tuple[int, int], terminal: tuple[int, int]) -> Style | None:
    """Return the largest way to draw a panel (pixels) in a terminal (columns, rows), or None."""
    for style in (Style.HALF, Style.BRAILLE):
        columns, rows = size(panel, style)
        if columns + 2 <= terminal[0] and rows + 3 <= terminal[1]:
            return style
    return None
