"""The header that boards with little memory speak by: what it tells, and one key for one roll."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from station.protocol.check import Check, split

CLIENTS = Path(__file__).parent
ROOT = CLIENTS.parents[1]
HEADER = ROOT / "examples" / "arduino" / "dice_button" / "dice_line.h"
FLAGS = ("-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1")

ROLLED = "hear ok @ seq=812 success=yes value=14 need=9 faces=6,5,3,2,1 keyed=yes"
SILENCE = "wait 60000"
REFUSAL = (
    'hear err @ code=-32602 message="foo is no field of this request; allowed: rank, bonus, '
    "pool_penalty, discard_penalty, wounds, injuries, aided, modifier, endurance, difficulty, "
    'discard_order, name, interference"'
)

Play = Callable[..., list[tuple[str, str]]]


def test_the_lines_that_it_shows_are_signed_right() -> None:
    shown = re.findall(r"^// +[<>] (.+)$", HEADER.read_text(), re.MULTILINE)
    assert [split(line.encode())[1] for line in shown] == [Check.RIGHT, Check.RIGHT]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Return a function that gives a board lines, and gives back its keys and its news."""
    compiler = shutil.which("g++")
    assert compiler, "g++ is not installed; `make clients-test` does it"
    source, board = CLIENTS / "board" / "line.cpp", tmp_path / "line"
    command: list[str | Path] = [compiler, *FLAGS, "-I", HEADER.parent, source, "-o", board]
    subprocess.run(command, check=True)  # noqa: S603 - nothing here comes from outside

    def given(*lines: str) -> list[tuple[str, str]]:
        told = subprocess.run(  # noqa: S603 - nothing here comes from outside
            [board], input="\n".join(lines), capture_output=True, text=True, check=True
        )
        found = re.findall(r"^(?:(@\S+) )?(.+)$", told.stdout, re.MULTILINE)
        assert len(found) == len(lines)
        return found

    return given


@pytest.mark.clients
def test_a_roll_in_doubt_is_believed_once_the_station_says_that_it_was_made(play: Play) -> None:
    asked, silent, again, told = play(
        "ask roll 3D+2B vs 9 brief=yes", SILENCE, "ask another", f"{ROLLED} replayed=yes"
    )
    assert (silent[1], again[0]) == ("no answer", asked[0])
    assert told == ("", "rolled")


@pytest.mark.clients
def test_a_first_try_that_hits_an_old_key_takes_another(play: Play) -> None:
    asked, told, right = play("ask roll 3D vs 9", f"{ROLLED} replayed=yes", ROLLED)
    assert told[0] not in ("", asked[0])
    assert (told[1], right) == ("nothing", ("", "rolled"))


@pytest.mark.clients
def test_a_long_refusal_is_understood(play: Play) -> None:
    asked, first, second, other = play("ask roll 3D vs 9 foo=1", REFUSAL, REFUSAL, "ask roll 3D")
    assert (first, second) == ((asked[0], "nothing"), ("", "refused"))
    assert other[0] not in ("", asked[0])
