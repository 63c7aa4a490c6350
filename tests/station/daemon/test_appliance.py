"""The appliance in one process: hands on its pins, programs on its lines, one owner."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from PIL import Image

from hardware.controls.events import Control
from hardware.controls.simulated import SimulatedControls
from hardware.display.interface import Backend
from hardware.display.memory import MemoryDisplay
from station.appliance import Appliance, Post, appliance
from station.client import Station
from station.config import Config, load
from station.foundation import foundation
from station.inbox import Errand, Item, Stop
from station.notify import Notifier
from station.protocol.events import Event, EventName
from station.state import Greeting, Reading

SOON = 10.0
POOL = {"system": "wrath-and-glory", "kind": "test", "pool": 3}


@pytest.fixture
def config(folder: Path) -> Config:
    found = load(None, {"HOME": str(folder), "RUNTIME_DIRECTORY": str(folder)})
    return replace(
        found,
        state_folder=folder / "state",
        controls=replace(found.controls, backend="mock"),
        display=replace(found.display, backend=Backend.MEMORY),
    )


class Running:
    """An appliance on a thread of its own, which builds it, owns it and takes it apart."""

    def __init__(self, config: Config) -> None:
        self.inbox: SimpleQueue[Item] = SimpleQueue()
        built: SimpleQueue[Appliance] = SimpleQueue()

        def own() -> None:
            with (
                foundation(config, self.inbox) as base,
                appliance(base, Notifier()) as station,
            ):
                built.put(station)
                station.runner.run()

        assert config.service.socket is not None
        self.socket = config.service.socket
        self._thread = threading.Thread(target=own, name="owner")
        self._thread.start()
        station = built.get(timeout=SOON)
        assert station.pins is not None
        self.runner = station.runner
        self.device = station.device
        self.hands = SimulatedControls(station.pins.factory)

    def close(self) -> None:
        self.inbox.put(Stop())
        self._thread.join()

    def ask(self, look: Callable[[], Any]) -> Any:
        """Return what the owner sees."""
        found: SimpleQueue[Any] = SimpleQueue()
        self.inbox.put(Errand(lambda: found.put(look())))
        return found.get(timeout=SOON)

    def press(self, control: Control) -> None:
        """Press a control until the station has noticed, and let go."""
        before = self.ask(lambda: self.runner.state.idle.touched)
        self.hands.press(control)
        self.until(lambda: self.runner.state.idle.touched != before)
        self.hands.release(control)

    def until(self, there: Callable[[], bool]) -> None:
        """Look again and again until something is so; a hung station ends the test."""
        while not self.ask(there):
            pass


@pytest.fixture
def running(config: Config) -> Iterator[Running]:
    with closing(Running(config)) as found:
        yield found


def test_a_press_at_the_table_is_told_to_programs(running: Running) -> None:
    with Station(running.socket, check=False) as station:
        station.subscribe("rolled")
        station.select(POOL)
        running.press(Control.ROLL)
        event = next(station.events(timeout=SOON))
        rolled = station.history().rolls[0]
        assert event.params["hash"] == rolled["hash"]
        assert event.params["request"] == station.selection()["request"]
        assert event.params["keyed"] is False


def test_a_roll_over_a_line_shows_on_the_panel(running: Running) -> None:
    assert isinstance(running.device, MemoryDisplay)
    assert isinstance(running.ask(lambda: running.runner.state.screen), Greeting)
    with Station(running.socket, check=False) as station:
        rolled = station.roll(POOL)
        screen = running.ask(lambda: running.runner.state.screen)
        assert isinstance(screen, Reading)
        assert (screen.roll.seq, screen.roll.faces) == (rolled.seq, rolled.faces)
        station.change("add", character="Arya")
        table = running.ask(lambda: running.runner.state.table)
        assert table.character("Arya").wounds == 0


def test_someone_who_is_choosing_is_not_disturbed(running: Running) -> None:
    with Station(running.socket, check=False) as station:
        station.subscribe("rolled")
        station.select({**POOL, "pool": 40, "dn": 1, "kind": "attack"})
        running.press(Control.ROLL)
        pressed = next(station.events(timeout=SOON)).params["seq"]
        assert station.roll(POOL).seq == pressed + 1
        assert running.ask(lambda: running.runner.state.screen).roll.seq == pressed


def test_lines_that_flood_the_station_do_not_hide_a_press(running: Running) -> None:
    ended = threading.Event()

    def flood() -> None:
        with Station(running.socket, check=False) as station:
            while not ended.is_set():
                station.state()

    floods = [threading.Thread(target=flood) for _ in range(3)]
    with Station(running.socket, check=False) as station:
        station.subscribe("rolled")
        for thread in floods:
            thread.start()
        try:
            running.press(Control.ROLL)
            seq = next(station.events(timeout=SOON)).params["seq"]
            running.until(lambda: isinstance(running.runner.state.screen, Reading))
            assert running.ask(lambda: running.runner.state.screen).roll.seq == seq
        finally:
            ended.set()
            for thread in floods:
                thread.join()


def test_it_goes_dark_when_it_ends(config: Config) -> None:
    inbox: SimpleQueue[Item] = SimpleQueue()
    with foundation(config, inbox) as base, appliance(base, Notifier()) as station:
        inbox.put(Stop())
        station.runner.run()
        device = station.device
    assert isinstance(device, MemoryDisplay)
    assert device.level == "off"
    assert isinstance(device.frame, Image.Image)


def test_events_before_there_are_lines_go_nowhere() -> None:
    Post().publish(Event(EventName.CHANGED, {}))


def test_the_limit_of_glory_and_the_options_of_the_rules_are_those_of_the_file(
    config: Config,
) -> None:
    first, *others = config.table.options
    assert first.name == "discard_order"
    options = (replace(first, value="before_keep"), *others)
    table = replace(config.table, glory_cap=4, options=options)
    basic = {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "difficulty": 9}
    with (
        closing(Running(replace(config, table=table))) as running,
        Station(running.socket, check=False) as station,
    ):
        assert station.change("glory", count=9)["state"]["glory"] == 4
        assert station.roll(basic).request["discard_order"] == "before_keep"


def test_what_is_told_to_stop_while_busy_does_not_wait_for_more(config: Config) -> None:
    inbox: SimpleQueue[Item] = SimpleQueue()
    with foundation(config, inbox) as base, appliance(base, Notifier()) as station:
        done: list[str] = []
        inbox.put(Errand(lambda: inbox.put(Stop())))
        inbox.put(Errand(lambda: done.append("before")))
        station.runner.run()
        assert done == ["before"]
        assert inbox.empty()
