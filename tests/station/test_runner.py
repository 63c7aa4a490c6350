"""The runner: events in, effects carried out, in the right order and on one thread."""

from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
from PIL import Image

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.events import Control, Edge
from hardware.controls.panel import ControlPanel
from hardware.controls.simulated import VirtualClock
from hardware.display.interface import Brightness
from hardware.display.memory import MemoryDisplay
from hardware.entropy.dice import Draw, EntropyUnavailable
from rules.registry import DEFAULT
from rules.table import EMPTY
from station.dialling import first_dial
from station.effects import Signal
from station.events import Refused, Selected
from station.inbox import Errand, Stop
from station.machine import DIAL_RESTS, Machine
from station.panel import Panel
from station.rolls import Roll, Stage
from station.runner import DIAL_SETTLES, Runner, shining
from station.screens.layout import render
from station.settings import Settings
from station.show import view
from station.state import Dialling, Notice, Reading, State
from station.views import TextView

BASIC = DEFAULT.request({"system": "seven-kingdoms", "kind": "basic", "rank": 3, "difficulty": 9})


class Passing:
    """A clock that moves a little whenever it is read."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> Nanoseconds:
        self.now += MILLISECOND
        return Nanoseconds(self.now)


LATER = Nanoseconds(3600 * SECOND)
"""When nobody has touched anything for long."""


class World:
    """Everything around a runner; all of it writes down what happened to it, in one list."""

    def __init__(self, clock: Any = None, **more: Any) -> None:
        self.log: list[Any] = []
        self.clock = clock or VirtualClock(Nanoseconds(SECOND))
        self.when_due: Callable[[], None] = lambda: None
        self.display = MemoryDisplay()
        self.frames: list[Image.Image] = []
        self.levels: list[Brightness] = []
        self.refusal = ""
        self.kept: list[Any] = []
        self.table = EMPTY
        self.answer: Any = None
        self.due: Nanoseconds | None = None
        self.runner = Runner(
            Machine(DEFAULT),
            State(first_dial(DEFAULT, roll_button=True)),
            controls=ControlPanel(),
            display=self,  # type: ignore[arg-type] # the two methods a runner calls
            dice=self,  # type: ignore[arg-type] # likewise
            recorder=self,  # type: ignore[arg-type] # likewise
            clerk=self,  # type: ignore[arg-type] # likewise
            signals=self,
            clock=self.clock,
            **more,
        )

    def pass_time(self, span: Nanoseconds) -> None:
        self.runner.settle()
        self.clock.advance(span)
        self.runner.settle()

    # The display

    def show(self, image: Image.Image) -> None:
        self.log.append("show")
        self.frames.append(image)

    def dim(self, level: Brightness) -> None:
        self.levels.append(level)

    # The dice

    def draw(self, count: int) -> Draw:
        self.log.append("draw")
        if self.refusal:
            raise EntropyUnavailable(self.refusal)
        return Draw((6,) * count, "urandom", "urandom", test=False, reason="why", change="what")

    # The recorder and the clerk

    def record(self, roll: Roll, stage: Stage) -> int:
        self.log.append((stage, roll.faces))
        return 7

    def keep_dial(self, dial: Any) -> None:
        self.kept.append(dial.request)

    def keep_settings(self, settings: Settings) -> None:
        self.kept.append(settings)

    def carry_out(self, wish: Any) -> Any:
        self.log.append(wish)
        return self.answer

    # Light and sound

    def set(self, settings: Settings) -> None:
        self.log.append(settings)

    def signal(self, signal: Signal, now: Nanoseconds) -> None:
        self.log.append((signal.tone, now))
        self.due = Nanoseconds(now + SECOND)

    def advance(self, now: Nanoseconds) -> None:
        if self.due is not None and now >= self.due:
            self.due = None
            self.when_due()

    def deadline(self) -> Nanoseconds | None:
        return self.due

    # Hands

    def edge(self, control: Control, *, closed: bool) -> None:
        self.runner.put(Edge(control, closed=closed, at=self.clock()))
        self.runner.settle()

    def click(self, control: Control) -> None:
        self.edge(control, closed=True)
        self.clock.advance(Nanoseconds(50 * MILLISECOND))
        self.edge(control, closed=False)
        self.clock.advance(Nanoseconds(50 * MILLISECOND))
        self.runner.settle()

    def wait(self, span: Nanoseconds) -> None:
        self.clock.advance(span)
        self.runner.settle()

    def menu(self, label: str) -> None:
        """Press an item of the menu."""
        self.edge(Control.PUSH, closed=True)
        self.wait(SECOND)
        self.edge(Control.PUSH, closed=False)
        self.wait(SECOND)
        shown: Any = view(DEFAULT, self.runner.state, Panel())
        for _ in range([name for name, _ in shown.items].index(label)):
            self.click(Control.DOWN)
        self.click(Control.NEXT)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def make() -> Callable[..., World]:
    return World


def test_the_row_is_on_the_disk_before_anything_of_the_roll_shows(world: World) -> None:
    world.runner.settle()
    world.log.clear()
    world.click(Control.ROLL)
    assert world.log[:4] == ["show", "draw", (Stage.ROLL, (6, 6, 6)), "show"]


def test_while_it_draws_the_panel_says_so_already(world: World) -> None:
    world.runner.settle()
    shown = len(world.frames)
    world.click(Control.ROLL)
    blank = Image.new("1", (128, 64)).tobytes()
    busy = world.frames[shown]
    assert busy.tobytes() not in {blank, world.frames[shown - 1].tobytes()}


def test_a_verdict_is_seen_and_heard_once_its_dice_have_fallen(world: World) -> None:
    world.click(Control.ROLL)
    world.wait(SECOND)
    assert isinstance(world.runner.state.screen, Reading)
    assert [entry for entry in world.log if isinstance(entry, tuple)][-1][0] == "success"
    assert world.runner.state.screen.roll.notice == "what"


def test_only_a_frame_that_says_something_else_is_shown(world: World) -> None:
    for _ in range(3):
        world.runner.settle()
        world.clock.advance(SECOND)
    world.edge(Control.ROLL, closed=True)
    assert len(world.frames) == 1


def test_dice_that_cannot_be_drawn_are_told_of_in_their_own_words(world: World) -> None:
    world.refusal = "the kernel refused"
    world.click(Control.ROLL)
    assert world.runner.state.screen == Notice("Nothing rolled", "the kernel refused")
    assert not any(isinstance(entry, tuple) and entry[0] is Stage.ROLL for entry in world.log)


def test_it_wakes_for_whatever_is_due_first(world: World) -> None:
    world.runner.settle()
    dims = world.runner.deadline()
    assert dims == world.runner.machine.deadline(world.runner.state)
    world.edge(Control.PUSH, closed=True)
    assert world.runner.deadline() < dims
    world.due = Nanoseconds(5)
    assert world.runner.deadline() == 5


def test_what_came_due_while_nobody_looked_is_made_up_for_in_order(world: World) -> None:
    world.click(Control.ROLL)
    world.wait(Nanoseconds(3600 * SECOND))
    assert isinstance(world.runner.state.screen, Reading)
    assert world.levels[-1] is Brightness.OFF


def test_a_request_from_another_thread_is_dialled_and_kept(world: World) -> None:
    world.runner.put(Selected(BASIC, LATER))
    world.runner.settle()
    assert world.runner.dialled() == BASIC
    assert world.kept == []
    other = DEFAULT.request({"system": "wrath-and-glory", "kind": "test", "pool": 9})
    world.runner.put(Selected(other, LATER))
    world.runner.settle()
    assert world.runner.dialled() == other
    world.pass_time(DIAL_SETTLES)
    assert world.kept == [other]


def test_a_dial_that_is_still_being_turned_is_not_written_down_yet(world: World) -> None:
    for pool in range(3, 9):
        world.runner.put(
            Selected(
                DEFAULT.request({"system": "wrath-and-glory", "kind": "test", "pool": pool}), LATER
            )
        )
        world.pass_time(Nanoseconds(DIAL_SETTLES // 2))
    assert world.kept == []
    world.pass_time(DIAL_SETTLES)
    assert [getattr(request, "pool", None) for request in world.kept] == [8]


def test_what_was_dialled_last_is_kept_at_the_end(world: World) -> None:
    world.runner.put(Selected(BASIC, LATER))
    world.runner.settle()
    other = DEFAULT.request({"system": "wrath-and-glory", "kind": "test", "pool": 9})
    world.runner.put(Selected(other, LATER))
    world.runner.settle()
    world.runner.close()
    world.runner.close()
    assert world.kept == [other]


def test_an_errand_is_done_by_the_owner_of_the_state_in_its_turn(world: World) -> None:
    seen = []
    world.runner.put(Selected(BASIC, LATER))
    world.runner.put(Errand(lambda: seen.append(world.runner.dialled())))
    world.runner.put(Errand(lambda: world.runner.tell(Refused("No."))))
    world.runner.settle()
    assert seen == [BASIC]
    assert world.runner.state.screen == Notice("Not possible", "No.", Dialling())


def test_it_works_until_it_is_stopped_and_does_nothing_more(world: World) -> None:
    world.runner.put(Selected(BASIC, LATER))
    world.runner.put(Stop())
    world.runner.put(Errand(lambda: pytest.fail("it was stopped")))
    world.runner.run()
    world.runner.settle()
    assert world.runner.dialled() == BASIC


def test_it_waits_for_no_longer_than_until_something_is_due() -> None:
    world = World(clock=Passing())
    world.due = Nanoseconds(20 * MILLISECOND)
    world.when_due = lambda: world.runner.put(Stop())
    world.runner.run()
    assert world.due is None


def test_with_nothing_due_it_waits_until_another_thread_puts_something(world: World) -> None:
    world.wait(Nanoseconds(3600 * SECOND))
    assert world.runner.deadline() is None
    other = Thread(target=lambda: world.runner.put(Stop()))
    other.start()
    world.runner.run()
    other.join()
    assert world.levels[-1] is Brightness.OFF


def test_a_fast_turn_moves_a_value_further_but_no_cursor(sit: Any) -> None:
    desk = sit()
    desk.do("push push")
    assert desk.view.label == "Difficulty"
    for _ in range(3):
        desk.hands.turn(1, Nanoseconds(20 * MILLISECOND))
    desk.do("wait:1s")
    assert desk.request.difficulty > 9 + 3
    desk.do("hold")
    for _ in range(3):
        desk.hands.turn(1, Nanoseconds(20 * MILLISECOND))
    desk.do("wait:1s")
    assert desk.screen.cursor == 3


class TestHowThePanelIsSet:
    def test_upside_down_turns_every_frame(self, make: Callable[..., World]) -> None:
        world = make()
        world.wait(DIAL_RESTS)
        upright = world.frames[-1]
        world.menu("Settings")
        for _ in range(3):
            world.click(Control.DOWN)
        world.click(Control.NEXT)
        assert world.runner.state.settings.upside_down
        world.edge(Control.PUSH, closed=True)
        world.wait(Nanoseconds(3600 * SECOND))
        turned = world.frames[-1].transpose(Image.Transpose.ROTATE_180)
        assert turned.tobytes() == upright.tobytes()

    def test_a_setting_is_kept_and_taken_up_at_once(self, make: Callable[..., World]) -> None:
        world = make()
        world.menu("Settings")
        world.click(Control.NEXT)
        assert world.kept == [world.runner.state.settings]
        assert world.log[-2:] == [world.runner.state.settings, "show"]

    def test_dimness_follows_idleness_and_the_setting(self) -> None:
        dim = Settings(bright=False)
        for level in Brightness:
            assert shining(Settings(), level) is level
        assert shining(dim, Brightness.FULL) is Brightness.DIM
        assert shining(dim, Brightness.OFF) is Brightness.OFF


class TestPowerOff:
    def test_is_refused_where_there_is_no_switch(self, make: Callable[..., World]) -> None:
        world = make()
        world.menu("Power off")
        world.click(Control.DOWN)
        world.click(Control.NEXT)
        assert isinstance(world.runner.state.screen, Notice)
        assert world.frames[-1].tobytes() == render(TextView(*notice(world)), Panel()).tobytes()

    def test_is_done_once_it_is_confirmed(self, make: Callable[..., World]) -> None:
        done = []
        world = make(power_off=lambda: done.append("off"))
        world.menu("Power off")
        assert done == []
        world.click(Control.DOWN)
        world.click(Control.NEXT)
        assert done == ["off"]


def notice(world: World) -> tuple[str, str]:
    screen: Any = world.runner.state.screen
    return screen.title, screen.text


def test_what_the_clerk_answers_goes_back_to_the_machine(world: World) -> None:
    world.answer = Refused("The book is closed.")
    world.menu("History")
    assert world.runner.state.screen == Notice("Not possible", "The book is closed.", Dialling())
