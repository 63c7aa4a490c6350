"""The front panel in a terminal: what it draws, what keys do, and how it leaves the terminal."""

import curses
import os
import shutil
import signal
import sys
import termios
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pexpect
import pytest

from hardware.clock import MILLISECOND, Nanoseconds
from station.ledger.reader import Reader
from station.simulator import terminal
from station.simulator.pixels import Style, lines
from station.simulator.terminal import KEYS, Terminal, fitting_style, legend
from station.state import Browsing, Covered, Dialling, Reading

IDLE = -1
"""What curses gives when no key came in time."""

QUIT = ord("q")


class Screen:
    """A curses window of a size that remembers each picture, on a clock that waits when it does."""

    def __init__(self, keys: list[int], size: tuple[int, int], clock: Any) -> None:
        self.size = size
        self.pictures: list[list[str]] = []
        self.cleared = 0
        self._keys = iter(keys)
        self._clock = clock
        self._grid: list[list[str]] = []
        self._patience = 0

    def getmaxyx(self) -> tuple[int, int]:
        return self.size

    def erase(self) -> None:
        rows, columns = self.size
        self._grid = [[" "] * columns for _ in range(rows)]

    def addnstr(self, row: int, column: int, text: str, count: int) -> None:
        rows, columns = self.size
        shown = text[:count]
        # As curses does, refuse to write the last cell of the last row or anything beyond.
        assert column + len(shown) <= columns - (row == rows - 1)
        self._grid[row][column : column + len(shown)] = shown

    def clearok(self, flag: bool) -> None:  # noqa: FBT001 - curses' own signature
        self.cleared += flag

    def refresh(self) -> None:
        self.pictures.append(["".join(row).rstrip() for row in self._grid])

    def timeout(self, milliseconds: int) -> None:
        self._patience = milliseconds

    def getch(self) -> int:
        key = next(self._keys, QUIT)
        if key == IDLE:
            self._clock.advance(Nanoseconds(self._patience * MILLISECOND))
        return key


@pytest.fixture
def show(
    sit: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., tuple[Any, Screen]]:
    """Press keys in front of a terminal and return the station and its screen."""
    stations = count()

    def press(
        *keys: int | str, size: tuple[int, int] = (40, 175), faces: tuple[int, ...] = ()
    ) -> tuple[Any, Screen]:
        desk = sit(folder=tmp_path / f"state-{next(stations)}")
        desk.do("", *faces)
        for name in ("curs_set", "mousemask", "mouseinterval"):
            monkeypatch.setattr(curses, name, lambda _: None)
        monkeypatch.setattr(curses, "is_term_resized", lambda *_: False)
        monkeypatch.setattr(terminal, "monotonic", desk.clock)
        # Between two keys so much time passes that a press has settled, even a long one.
        codes = [ord(key) if isinstance(key, str) else key for key in keys]
        patient = [code for key in codes for code in (key, *[IDLE] * 12)]
        screen = Screen(patient, size, desk.clock)
        Terminal(screen, desk.parts, desk.hands).run()
        return desk, screen

    return press


def test_the_panel_is_drawn_pixel_for_pixel_in_its_frame(show: Any) -> None:
    desk, screen = show()
    picture = screen.pictures[-1]
    assert picture[0].startswith("┌" + "─" * 128 + "┐")
    drawn = [line[1:129] for line in picture[1:33]]
    assert drawn == lines(desk.frame, Style.HALF)
    assert picture[33].startswith("└" + "─" * 128 + "┘")


def test_a_size_that_curses_missed_is_taken_up_and_all_drawn_anew(
    sit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = sit()
    screen = Screen([], (24, 80), desk.clock)
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: (175, 40))
    monkeypatch.setattr(curses, "is_term_resized", lambda *size: size != screen.size)
    monkeypatch.setattr(curses, "resizeterm", lambda *size: setattr(screen, "size", size))
    for name in ("curs_set", "mousemask", "mouseinterval"):
        monkeypatch.setattr(curses, name, lambda _: None)
    Terminal(screen, desk.parts, desk.hands).run()
    assert screen.cleared == 1
    assert screen.pictures[-1][0].startswith("┌" + "─" * 128 + "┐")


def test_the_keys_are_explained_beside_or_below_the_panel(show: Any) -> None:
    _, wide = show()
    _, narrow = show(size=(45, 131))
    for key, told in legend(roll_button=True):
        assert any(f"{key:<11} {told}" in line for line in wide.pictures[-1][1:9])
        assert any(f"{key:<11} {told}" in line for line in narrow.pictures[-1][35:])


def test_however_little_room_there_is_it_says_how_to_quit(show: Any) -> None:
    _, screen = show(size=(36, 131))
    assert screen.pictures[-1][35].split() == ["q", "quit"]


@pytest.mark.parametrize("size", [(20, 80), (24, 80), (22, 66)])
def test_in_a_smaller_terminal_the_panel_is_drawn_in_dots(show: Any, size: Any) -> None:
    desk, screen = show(size=size)
    drawn = [line[1:65] for line in screen.pictures[-1][1:17]]
    assert drawn == lines(desk.frame, Style.BRAILLE)


@pytest.mark.parametrize("size", [(18, 80), (24, 60), (1, 10), (2, 3)])
def test_in_too_small_a_terminal_it_says_what_it_needs(show: Any, size: Any) -> None:
    _, screen = show(size=size)
    told = " ".join(line for line in screen.pictures[-1] if line)
    needed = "The panel needs 66 × 19: enlarge the window. q quits."
    assert told.replace(" ", "") == needed.replace(" ", "")[: len(told.replace(" ", ""))]
    assert told


def test_a_narrow_terminal_is_told_the_whole_sentence(show: Any) -> None:
    _, screen = show(size=(10, 24))
    told = " ".join(line for line in screen.pictures[-1] if line)
    assert told == "The panel needs 66 × 19: enlarge the window. q quits."


def test_the_largest_style_that_fits_is_taken() -> None:
    assert fitting_style((128, 64), (130, 35)) is Style.HALF
    assert fitting_style((128, 64), (129, 35)) is Style.BRAILLE
    assert fitting_style((128, 64), (66, 19)) is Style.BRAILLE
    assert fitting_style((128, 64), (65, 19)) is None
    assert fitting_style((128, 32), (130, 19)) is Style.HALF


@pytest.mark.parametrize(
    ("key", "rank"),
    [
        (curses.KEY_RIGHT, 4),
        (curses.KEY_LEFT, 2),
        ("+", 4),
        ("-", 2),
        (curses.KEY_SRIGHT, 8),
        (curses.KEY_UP, 4),
        (curses.KEY_DOWN, 2),
        ("x", 3),
        (curses.KEY_RESIZE, 3),
    ],
)
def test_keys_turn_the_knob_and_press_the_buttons(show: Any, key: int | str, rank: int) -> None:
    desk, _ = show(key)
    assert desk.request.rank == rank


def test_keys_push_hold_and_roll(show: Any) -> None:
    assert show(" ")[0].view.label == "Bonus"
    assert show("\n")[0].view.label == "Bonus"
    assert show("n")[0].view.label == "Bonus"
    assert isinstance(show("h")[0].screen, Browsing)
    assert isinstance(show("N")[0].screen, Browsing)
    assert isinstance(show("h", "h")[0].screen, Dialling)
    assert isinstance(show("r", faces=(6, 6, 6))[0].screen, Reading)


def test_a_held_roll_is_a_hidden_one(show: Any) -> None:
    desk, _ = show("R", faces=(6, 6, 6))
    assert isinstance(desk.screen, Covered)


def test_three_tests_are_dialled_rolled_and_read_by_keys_alone(show: Any) -> None:
    right = curses.KEY_RIGHT
    basic = (" ", right, right, "r")
    to_attack = ("h", "h", right, " ", right, " ", "h", " ", right, " ")
    attack = ("r", curses.KEY_LEFT, curses.KEY_LEFT, " ")
    to_opposed = ("h", "h", right, " ", right, " ")
    opposed = (right, right, right, " ", right, "r", "r")
    faces = (2, 5, 1, 6, 3, 6, 6, 6, 1, 1, 1, 1, 1, 3, 4, 2, 1, 3, 4)
    desk, _ = show(*basic, *to_attack, *attack, *to_opposed, *opposed, faces=faces)
    assert (desk.view.word, desk.view.value, desk.view.need) == ("Attacker wins", -2, -3)
    read = [row.document("outcome") for row in desk.rows("roll", "decision")]
    assert (read[0]["total"], read[0]["success"]) == (14, True)
    assert read[2]["shifts"] == {"damage": 1, "detail": 0, "glory": 0}
    assert read[3]["winner"] == "attacker"


def test_the_wheel_turns_the_knob(show: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for buttons, rank in ((curses.BUTTON4_PRESSED, 4), (terminal._WHEEL_DOWN, 2), (0, 3)):  # noqa: SLF001 - differs by curses
        monkeypatch.setattr(curses, "getmouse", lambda held=buttons: (0, 0, 0, 0, held))
        assert show(curses.KEY_MOUSE)[0].request.rank == rank


def test_a_mouse_event_that_is_none_is_ignored(show: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise curses.error

    monkeypatch.setattr(curses, "getmouse", none)
    assert show(curses.KEY_MOUSE)[0].request.rank == 3


def test_the_lamp_is_seen(show: Any) -> None:
    _, screen = show("r", faces=(6, 6, 6))
    lamps = {line[5] for picture in screen.pictures for line in picture if line.startswith(" LED")}
    assert lamps == {"●", "○"}


def test_ctrl_c_quits_like_q(show: Any) -> None:
    _, screen = show(3, "r")
    assert len(screen.pictures) == 1


def test_every_key_that_is_explained_does_something() -> None:
    told = {"←/→, wheel", "Space", "h", "r", "↑/↓", "n / N", "q"}
    assert {key for key, _ in legend(roll_button=True)} == told
    assert {key for key, _ in legend(roll_button=False)} == told - {"r"}
    for key in (curses.KEY_LEFT, curses.KEY_RIGHT, curses.KEY_UP, curses.KEY_DOWN):
        assert key in KEYS
    assert all(ord(key) in KEYS for key in " hrnN")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., tuple[Any, Any]]]:
    """Start the program in a terminal of its own; gives it and how its terminal was set before."""
    children = []

    def begin(**changed: str) -> tuple[Any, Any]:
        surroundings = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **changed}
        for size in ("LINES", "COLUMNS"):
            # A runner of tests may have set them; curses believes them before the terminal.
            surroundings.pop(size, None)
        child = pexpect.spawn(
            sys.executable,
            ["-m", "station", "simulate", "--state", str(tmp_path)],
            env=surroundings,
            dimensions=(44, 140),
            encoding="utf-8",
            timeout=20,
        )
        children.append(child)
        return child, termios.tcgetattr(child.child_fd)

    yield begin
    for child in children:
        child.close(force=True)


@pytest.fixture
def real(start: Callable[..., tuple[Any, Any]]) -> tuple[Any, Any]:
    """The program in a terminal that can do everything."""
    return start()


def test_in_a_real_terminal_it_rolls_resizes_quits_and_leaves_all_as_it_was(
    real: Any, tmp_path: Path
) -> None:
    child, settings = real
    # The last word of a picture is waited for: a signal amid its writing would cut it short.
    child.expect("next / held")
    child.setwinsize(12, 40)
    child.expect("The panel needs 66")
    child.setwinsize(44, 140)
    child.expect("next / held")
    child.send("\x1bOC")
    child.send("r")
    child.expect("●")
    child.send("q")
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0
    assert "\x1b[?1049l" in child.before
    assert termios.tcgetattr(child.child_fd) == settings
    with Reader.open(tmp_path / "ledger.db") as reader:
        (record,) = reader.history().records
    assert record.roll.document("request")["rank"] == 4


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM])
def test_a_signal_that_ends_it_leaves_the_terminal_as_it_was(real: Any, number: int) -> None:
    child, settings = real
    child.expect("next / held")
    child.kill(number)
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 128 + number
    assert "\x1b[?1049l" in child.before
    assert termios.tcgetattr(child.child_fd) == settings


@pytest.mark.parametrize("kind", ["dumb", "", "never-heard-of"])
def test_a_terminal_that_can_not_show_the_panel_is_told_so(start: Any, kind: str) -> None:
    child, _ = start(TERM=kind)
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 2
    sentence = f'dice-station: TERM is "{kind}", a terminal that can\'t show the panel; allowed: '
    assert child.before.replace("\r\n", "").startswith(sentence)
    assert "Traceback" not in child.before


@pytest.mark.parametrize("changed", [{"TERM": "vt100"}, {"LC_ALL": "C"}])
def test_an_old_terminal_or_a_plain_locale_shows_the_panel_too(start: Any, changed: Any) -> None:
    child, _ = start(**changed)
    child.expect("┌─")
    child.expect("quit")
    child.send("q")
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0
