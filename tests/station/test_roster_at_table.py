"""The roster's characters at the table: they sit down by themselves, and their pools dial."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hardware.clock import SECOND, Nanoseconds
from hardware.controls.simulated import VirtualClock
from hardware.entropy.dice import Dice, EntropyMode
from hardware.entropy.simulated import SimulatedSource
from rules.table import Character
from station.config.roster import Roster, load_roster
from station.ledger.reader import Reader
from station.menus import items
from station.state import Browsing, Greeting, Page
from station.wiring import desktop

TEXT = """
[[character]]
name = "Ser Brus"
endurance = 4
abilities = { Fighting = 4 }
specialties = { "Fighting (Axes)" = 2 }
scores = { Strength = 3 }

[[character]]
name = "Arya"
endurance = 2
"""


@pytest.fixture
def roster(tmp_path: Path) -> Roster:
    path = tmp_path / "roster.toml"
    path.write_text(TEXT, "utf-8")
    return load_roster(path)


@pytest.fixture
def start(tmp_path: Path, roster: Roster) -> Callable[[], Any]:
    """Start a station with the roster, always on the same ledger."""
    clock = VirtualClock(Nanoseconds(5 * SECOND))
    source = SimulatedSource(iter(range(6)), clock, clock.advance, "urandom")
    dice = Dice(EntropyMode.URANDOM, source, clock, SECOND, on_change=lambda _: None)

    def begin() -> Any:
        return desktop(clock, dice, tmp_path / "state", roster=roster)

    return begin


def test_everyone_sits_down_unharmed_once(start: Callable[[], Any], tmp_path: Path) -> None:
    for _ in range(2):
        with start() as desk:
            table = desk.runner.state.table
            assert [each.name for each in table.characters] == ["Arya", "Ser Brus"]
            assert table.character("Ser Brus").endurance == 4
            assert table.reserve("Ser Brus", "Strength").score == 3
    with Reader.open(tmp_path / "state" / "ledger.db") as reader:
        assert [row.kind for row in reader.rows() if row.kind == "change"] == ["change"] * 2


def test_a_start_tells_what_the_station_is_until_it_is_touched(start: Callable[[], Any]) -> None:
    with start() as desk:
        assert isinstance(desk.runner.state.screen, Greeting)
        assert desk.runner.state.screen.lines[:2] == ("Dice station 0.1.0", "Dice: urandom")


def test_a_finished_pool_is_dialled_with_the_wounds_of_whoever_has_it(
    start: Callable[[], Any],
) -> None:
    with start() as desk:
        state = desk.runner.state
        page = Browsing(Page.POOLS, 0, "Ser Brus")
        registry = desk.runner.machine.registry
        told = [(item.label, item.value) for item in items(registry, state, page)]
        assert told == [("Fighting (Axes)", "4D+2B"), ("Fighting", "4D"), ("Back", "")]
        hurt = Character(name="Ser Brus", endurance=4, wounds=2, injuries=1, reserves=())
        later = replace(state, table=state.table.with_character(hurt))
        request = items(registry, later, page)[0].action.request
        assert (request.rank, request.bonus, request.wounds, request.injuries) == (4, 2, 2, 1)
        assert (request.name, request.endurance) == ("Ser Brus", 4)
