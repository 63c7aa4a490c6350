"""A person at a terminal program, and the Python examples: what needs nothing but Python."""

import re
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PYTHON = Path(__file__).parents[2] / "examples" / "python"


@pytest.fixture
def miniterm(run: Callable[..., Any], python: Path, cable: Any, table: Any) -> Any:
    """Run pyserial's own terminal program on the client's end of the cable."""
    assert table.rolls() == []
    child = run(python, "-m", "serial.tools.miniterm", cable.client, "115200")
    child.expect("Quit: Ctrl")
    child.expect("---\r\n")
    return child


def test_a_person_at_miniterm_rolls_asks_and_is_told(miniterm: Any, table: Any) -> None:
    miniterm.send("roll 3D+2B vs 9\r")
    miniterm.expect(r"ok seq=(\d+) success=(yes|no) total=(\d+) .* kept=[1-6,]+ dropped=[1-6,]+")
    (roll,) = table.rolls()
    assert int(miniterm.match[1]) == roll.seq
    assert int(miniterm.match[3]) == roll.document("outcome")["total"]

    miniterm.send("subscribe rolled\r")
    miniterm.expect("ok events=rolled")
    pressed = table.roll()
    miniterm.expect(rf"ev event=rolled seq={pressed.seq} ")


def test_help_fits_a_terminal_and_mistakes_are_explained(miniterm: Any) -> None:
    miniterm.send("help\r")
    miniterm.expect("ok . roll ")
    miniterm.expect("\nok\r")
    lines = ("ok . roll " + miniterm.before).splitlines()
    assert len(lines) > 15
    assert max(map(len, lines)) < 80
    for typed, told in {
        "rol 3D vs 9": "did you mean roll",
        "roll 3D vs 400": "difficulty.*0.99",
        "roll": "3D",
        "help rol": "roll, perhaps",
    }.items():
        miniterm.send(f"{typed}\r")
        miniterm.expect("err code=-?[0-9]+ message=")
        miniterm.expect("\r\n")
        assert re.search(told, miniterm.before), typed


def test_what_was_mistyped_can_be_taken_back(miniterm: Any, table: Any) -> None:
    miniterm.send("echo on\r")
    miniterm.expect("ok echo=on")
    miniterm.send("roll 3X\x7fD vs 8\x089\r")
    miniterm.expect(r"roll 3X\x08 \x08D vs 8\x08 \x089[\r\n]+ok seq=")
    assert [roll.document("request")["difficulty"] for roll in table.rolls()] == [9]


def test_typed_again_with_its_key_after_a_cut_nothing_is_rolled_again(
    miniterm: Any, cable: Any, table: Any
) -> None:
    key = uuid.uuid4()
    cable.cut_next_reply()
    miniterm.send(f"@{key} roll wg 6 vs 3\r")
    miniterm.expect(f"ok @{key} seq=")
    miniterm.send(f"@{key} roll wg 6 vs 3\r")
    miniterm.expect(rf"ok @{key} seq=(\d+) .* replayed=yes")
    assert cable.has_cut
    assert [roll.seq for roll in table.rolls()] == [int(miniterm.match[1])]


def test_the_smallest_python_rolls_once_over_a_cut(
    run: Callable[..., Any], python: Path, cable: Any, table: Any
) -> None:
    cable.cut_next_reply()
    child = run(python, PYTHON / "roll_once.py", cable.client)
    told = child.read()
    child.close()
    assert cable.has_cut
    (roll,) = table.rolls()
    outcome = roll.document("outcome")
    assert told.strip() == outcome["explanation"]
    assert child.exitstatus == (0 if outcome["success"] else 1)


def test_the_smallest_python_says_why_nothing_was_rolled(
    run: Callable[..., Any], python: Path, cable: Any, table: Any
) -> None:
    request = '{"system": "wrath-and-glory", "kind": "test", "pool": 99}'
    child = run(python, PYTHON / "roll_once.py", cable.client, request)
    assert "pool" in child.read()
    child.close()
    assert child.exitstatus == 2
    assert table.rolls() == []
