"""The terminal client in `examples/`, which knows no system, at a station that has four."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rules.registry import Registry

TABLE = Path(__file__).parents[2] / "examples" / "python" / "table.py"


@pytest.fixture
def station(lay_table: Callable[..., Any], toy_registry: Registry) -> Any:
    return lay_table(registry=toy_registry)


@pytest.fixture
def terminal(run: Callable[..., Any], python: Path, station: Any) -> Any:
    child = run(python, TABLE, station.socket)
    child.expect("what shall we play")
    return child


def choose(terminal: Any, *titles: str) -> None:
    """Pick titles from one list after the other, by the numbers before them."""
    for title in titles:
        terminal.expect(rf"(\d+)  {title}\r\n")
        number = terminal.match[1]
        terminal.expect("goes back")
        terminal.sendline(number)


def fill(terminal: Any, **values: object) -> None:
    """Set fields by their labels, an underscore for each blank."""
    for name, value in values.items():
        terminal.expect(rf"(\d+)  {name.replace('_', ' ')} .*> ")
        terminal.sendline(f"{terminal.match[1]}={value}")


def test_a_system_that_it_never_heard_of_is_played_with_its_decisions(
    terminal: Any, station: Any
) -> None:
    choose(terminal, "High Die", "Draw")
    terminal.expect(r"5  Ones +count +count, spoil")
    terminal.sendline("")
    fill(terminal, Dice=1, Target=9, Coins=3, Blessed="no")
    terminal.expect("chances: success 0\r\n> ")
    terminal.sendline("r")
    terminal.expect(r"roll (\d+)\r\n")
    (roll,) = station.rolls()
    assert int(terminal.match[1]) == roll.seq
    assert roll.document("request")["coins"] == 3
    terminal.expect("high kept: [1-6]")
    terminal.expect("coins: 0 to 3 of spend")
    terminal.sendline("2")
    terminal.expect("spent 2, success False, target 9, total [3-8]\r\n")


def test_lists_grow_and_parts_have_their_own_lines(terminal: Any, station: Any) -> None:
    choose(terminal, "Seven Kingdoms", "Competition")
    terminal.expect(r"1  Contestants +2 +2 to \d+ of them")
    terminal.sendline("+")
    terminal.expect(r"1  Contestants +3 ")
    lines = []
    for place in (1, 2, 3):
        terminal.expect(rf"(\d+)  Contestants {place}: Rank +\? +1 to 20")
        lines.append(terminal.match[1])
    for line in lines:
        terminal.sendline(f"{line}=3")
    terminal.expect("chances: win 1 0[.].*tie 0[.]")
    terminal.sendline("r")
    terminal.expect("test kept: [1-6 ]+")
    (roll,) = station.rolls()
    ranks = [contestant["rank"] for contestant in roll.document("request")["contestants"]]
    assert ranks == [3, 3, 3]


def test_which_of_tied_dice_is_struck_is_chosen_by_its_place(terminal: Any, station: Any) -> None:
    choose(terminal, "Seven Kingdoms", "Basic test")
    fill(terminal, Rank=20, Difficulty=9, Discard=1)
    terminal.expect("chances: success 1")
    terminal.sendline("r")
    # Of twenty dice the lowest nearly always has an equal; where it has none, they roll again.
    while terminal.expect(["struck: 1 to 1 of ([0-9, ]+)\r\n", r", total \d+\r\n> "]):
        terminal.sendline("r")
    place = int(terminal.match[1].split(", ")[-1])
    terminal.sendline(str(place))
    terminal.expect("test struck: ")
    (decision,) = station.rows("decision")
    assert decision.document("choices") == {"struck": [place]}


def test_kinds_of_shifts_are_chosen_by_their_names(terminal: Any, station: Any) -> None:
    choose(terminal, "Wrath & Glory", "Test")
    fill(terminal, Pool=40)
    terminal.expect("chances: success 1")
    terminal.sendline("r")
    terminal.expect(r"shifts: 0 to \d+ of detail, glory\r\n")
    terminal.sendline("detail=1 glory=9")
    terminal.expect("shifts.* 9")
    assert station.rows("decision") == []
    terminal.sendline("r")
    terminal.expect(r"shifts: 0 to \d+ of detail, glory\r\n")
    terminal.sendline("detail=1 glory=1")
    terminal.expect("wrath critical ")
    (decision,) = station.rows("decision")
    assert decision.document("choices") == {"shifts": {"detail": 1, "glory": 1}}


def test_what_is_wrong_is_said_while_the_form_is_filled(terminal: Any, station: Any) -> None:
    choose(terminal, "Wrath & Glory", "Attack")
    fill(terminal, Pool=99)
    terminal.expect("pool .*99.*40")
    terminal.sendline("r")
    terminal.expect("pool .*99.*40")
    terminal.sendline("1=6")
    terminal.expect("chances: success 0.7865")
    terminal.sendline("o")
    terminal.expect(r"wrath_critical: 1/6 = 0.166667")
    assert station.rolls() == []


def test_rolls_at_the_table_are_watched(terminal: Any, station: Any) -> None:
    choose(terminal, "Watch the table")
    terminal.expect("Ctrl-C ends")
    pressed = station.roll()
    terminal.expect(rf"roll {pressed.seq}\r\n")
    terminal.sendintr()
    terminal.expect("goes back")
