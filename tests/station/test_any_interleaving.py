"""Whatever happens in whatever order: no exception, a way back, a dial in range, nothing undue."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from hypothesis.stateful import run_state_machine_as_test as run

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.events import Clicked, Control, Held, Pressed, Repeated, Turned
from hardware.display.interface import Brightness
from rules.acts import Act, act_from_plain
from rules.dial import controls, fresh, turned
from rules.model import Request
from rules.registry import DEFAULT, request_plain
from station.book import Book
from station.dialling import stops
from station.events import RolledElsewhere, Selected
from station.ledger.errors import NotPossibleError
from station.ledger.store import Ledger
from station.moments import moment
from station.panel import Panel
from station.screens.layout import paint
from station.simulator.script import pass_time
from station.state import Covered, Dialling, Drawing, Greeting, Recording

STEPS = 1_500
"""Things that happen in a normal run, in each system."""

MANY = 10_000
"""Things that happen in a long run, in each system."""

AT_ONCE = 50
"""Things that happen in a row, before hypothesis begins anew."""

NEVER_WITHOUT_A_WAY_BACK = 10
"""Holds and pushes that lead to the dial from anywhere."""


def interleaving(playing: Callable[..., Any], kinds: tuple[type[Request], ...]) -> type:
    """Return the rules of a table that plays one system."""

    class Table(RuleBasedStateMachine):
        @initialize(low=st.booleans(), roll_button=st.booleans())
        def sit(self, low: bool, roll_button: bool) -> None:  # noqa: FBT001 - hypothesis passes them
            panel = Panel(128, 32 if low else 64)
            self.play = playing(panel=panel, roll_button=roll_button)
            self.play.dial(fresh(kinds[0]))

        def supplied(self) -> Any:
            self.play.faces.extend([6, 1, 5, 2, 4, 3] * 40)
            return self.play

        @rule(detents=st.integers(-30, 30).filter(bool))
        def turn(self, detents: int) -> None:
            play = self.supplied()
            play.take(Turned(detents, play.now))

        @rule(control=st.sampled_from(Control), how=st.sampled_from([Clicked, Held, Pressed]))
        def touch(self, control: Control, how: Any) -> None:
            play = self.supplied()
            play.take(how(control, play.now))

        @rule(control=st.sampled_from([Control.UP, Control.DOWN]), count=st.integers(1, 9))
        def keep_down(self, control: Control, count: int) -> None:
            play = self.supplied()
            for number in range(1, count + 1):
                play.take(Repeated(control, play.now, number))

        @rule(span=st.sampled_from([1, 100, 900, 6_000, 31_000, 700_000]))
        def wait(self, span: int) -> None:
            self.play.wait(Nanoseconds(span * MILLISECOND))

        @rule(data=st.data(), kind=st.sampled_from(kinds))
        def select(self, data: st.DataObject, kind: type[Request]) -> None:
            request = fresh(kind)
            for _ in range(data.draw(st.integers(0, 3))):
                every = controls(request)
                control = every[data.draw(st.integers(0, len(every) - 1))]
                request = turned(request, control.path, data.draw(st.integers(-30, 30)))
            self.supplied().take(Selected(request, self.play.now))

        @rule(trouble=st.sampled_from(["refusal", "ledger", "none"]))
        def trouble(self, trouble: str) -> None:
            self.play.refusal = "the generator does not answer" if trouble == "refusal" else ""
            self.play.ledger = trouble != "ledger"

        @rule(hidden=st.booleans())
        def roll_elsewhere(self, *, hidden: bool) -> None:
            play = self.supplied()
            if play.past:
                play.take(RolledElsewhere(play.past[0], play.now, hidden=hidden))

        @invariant()
        def the_dial_is_in_range(self) -> None:
            dial = self.play.state.dial
            assert dial.focus in stops(dial)
            assert DEFAULT.request(request_plain(dial.request)) == dial.request

        @invariant()
        def nothing_is_under_way_for_ever(self) -> None:
            assert not isinstance(self.play.screen, Drawing | Recording)

        @invariant()
        def the_screen_can_be_shown(self) -> None:
            canvas = paint(self.play.view, self.play.machine.panel)
            assert canvas.image.size == self.play.machine.panel.size

        @invariant()
        def there_is_a_way_back(self) -> None:
            twin = self.play.twin()
            twin.faces.extend([1] * 600)
            for _ in range(NEVER_WITHOUT_A_WAY_BACK):
                if isinstance(twin.screen, Dialling | Greeting):
                    return
                twin.take(Pressed(Control.PUSH, twin.now))
                # A hold would reveal what is covered; there a push leads on.
                twin.push() if isinstance(twin.screen, Covered) else twin.hold()
                twin.wait(SECOND)
            raise AssertionError(f"no way back from {twin.screen}")

    return Table


def live_through(playing: Callable[..., Any], kinds: tuple[type[Request], ...], steps: int) -> None:
    examples = max(1, steps // AT_ONCE)
    bounds = settings(
        max_examples=examples,
        stateful_step_count=AT_ONCE,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run(interleaving(playing, kinds), settings=bounds)


SYSTEMS = [pytest.param(system.kinds, id=system.id) for system in DEFAULT]


@pytest.mark.parametrize("kinds", SYSTEMS)
def test_any_order_of_events(playing: Callable[..., Any], kinds: Any) -> None:
    live_through(playing, kinds, STEPS)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kinds", SYSTEMS)
def test_any_order_of_very_many_events(playing: Callable[..., Any], kinds: Any) -> None:
    live_through(playing, kinds, MANY)


# Changes of the table's state

PEOPLE = st.sampled_from(["Arya", "Ser Brus", "No One"])
ATTRIBUTES = st.sampled_from(["Strength", "Wits"])
SMALL = st.integers(1, 4)


def act(kind: str, /, **fields: Any) -> st.SearchStrategy[Act]:
    built = st.fixed_dictionaries({"act": st.just(kind), **fields})
    return built.map(act_from_plain)


SCORES = st.lists(
    st.fixed_dictionaries({"attribute": ATTRIBUTES, "score": st.integers(-10, 10)}),
    max_size=1,
)
ACTS = st.one_of(
    act("add", character=PEOPLE, endurance=st.integers(1, 20), scores=SCORES),
    act("edit", character=PEOPLE, endurance=st.integers(1, 20), scores=SCORES),
    act("edit", character=PEOPLE, name=PEOPLE),
    act("remove", character=PEOPLE),
    act("wound", character=PEOPLE, count=SMALL),
    act("injury", character=PEOPLE, count=SMALL),
    act("heal_wound", character=PEOPLE, count=SMALL),
    act("heal_injury", character=PEOPLE, count=SMALL),
    act("reserve", character=PEOPLE, attribute=ATTRIBUTES, count=SMALL, residual=st.booleans()),
    act("heal_reserve", character=PEOPLE, attribute=ATTRIBUTES, count=SMALL),
    act("end_turn"),
    act("glory", count=st.integers(-2, 3).filter(bool)),
    act("progress", name=PEOPLE, gained=SMALL, needed=SMALL, roll_number=SMALL),
    act("clear_progress", name=PEOPLE),
)


@settings(max_examples=25, deadline=None)
@given(acts=st.lists(ACTS, min_size=1, max_size=50))
def test_every_change_undone_gives_the_state_before_it(
    acts: list[Act], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("undo") / "ledger.db"
    now = [Nanoseconds(0)]

    def clock() -> Nanoseconds:
        now[0] = Nanoseconds(now[0] + SECOND)
        return now[0]

    with Ledger.begin(path, moment(clock), "0.1") as ledger:
        book = Book(DEFAULT, ledger, clock, "urandom")
        trail = [book.table]
        for wanted in acts:
            before = book.table
            try:
                row = book.change(wanted)
            except ValueError:
                assert book.table == before
                continue
            changed = book.table
            book.undo(row.seq)
            assert book.table == before
            book.change(wanted)
            assert book.table == changed
            trail.append(changed)
        # And all of them again, from the last to the first.
        for before in reversed(trail[:-1]):
            book.undo()
            assert book.table == before
        with pytest.raises(NotPossibleError):
            book.undo()


# Idleness

FOUR_HOURS = Nanoseconds(4 * 3600 * SECOND)


@pytest.mark.parametrize("words", ["push", "hold", "roll", "hold:roll", "up", "next", "turn+5"])
@pytest.mark.parametrize("steps", ["", "hold", "hold turn+4 push", "roll wait:2s"])
def test_what_wakes_the_panel_does_nothing_else(sit: Any, words: str, steps: str) -> None:
    desk = sit()
    desk.do(steps, 6, 5, 4)
    desk.do("wait:3600s")
    before = (desk.state.dial, desk.screen, desk.rows("roll", "change"))
    assert desk.state.idle.level is Brightness.OFF
    desk.do(f"{words} wait:100ms", 1, 2, 3)
    assert desk.state.idle.level is Brightness.FULL
    assert (desk.state.dial, desk.screen, desk.rows("roll", "change")) == before
    desk.do("wait:1s turn+1")
    assert desk.state.idle.level is Brightness.FULL


@pytest.mark.parametrize("steps", ["", "hold", "hold turn+4 push", "roll wait:2s", "hold:roll"])
def test_an_idle_evening_ends_dark_and_no_frame_is_lit_for_longer_than_it_may(
    sit: Any, steps: str
) -> None:
    desk = sit()
    levels: list[tuple[Nanoseconds, Brightness]] = []
    frames: list[tuple[Nanoseconds, bytes]] = []
    display = desk.parts.display
    dim, show = display.dim, display.show

    def dimmed(level: Brightness) -> None:
        levels.append((desk.clock(), level))
        dim(level)

    def shown(image: Any) -> None:
        frames.append((desk.clock(), image.tobytes()))
        show(image)

    display.dim, display.show = dimmed, shown
    desk.do(steps, 6, 5, 4)
    start = desk.clock()
    pass_time(desk.parts.runner, desk.hands, desk.clock, FOUR_HOURS)
    timeouts = desk.state.settings.timeouts
    assert [level for _, level in levels] == [Brightness.DIM, Brightness.OFF]
    dark = levels[-1][0]
    assert dark <= start + timeouts.dark * SECOND
    times = [start, *(at for at, _ in frames if start < at < dark), dark]
    longest = max(later - earlier for earlier, later in pairwise(times))
    # While it is lit the picture moves by a pixel each minute, or gives way to another.
    assert longest <= 2 * timeouts.dim * SECOND
    assert desk.parts.runner.deadline() is None
    assert not list(Path(desk.folder).glob("*.tmp"))
