"""The station's behaviour: every screen, and what each event makes of it."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import pytest

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.events import Clicked, Control, Held, Pressed, Repeated, Turned
from hardware.display.interface import Brightness
from rules.model import Chosen, Rolled, Tone
from rules.registry import DEFAULT, Registry, request_plain
from rules.table import EMPTY, Character
from station.dialling import Stop, expand, next_stop, stops
from station.effects import Draw, KeepDial, Record, Signal
from station.events import (
    Changed,
    Counted,
    DrawFailed,
    Drawn,
    Event,
    Found,
    Listed,
    Recorded,
    RolledElsewhere,
    Selected,
    Tick,
    Told,
)
from station.flow.context import MOST_UNFINISHED
from station.flow.intents import Back, LongPress, Press, Push, Turn, intent_of
from station.flow.rolling import LONGEST_REVEAL, NOT_RECORDED, STILL_AT_IT
from station.machine import MENU_TIMEOUT
from station.pages import verdict_pages
from station.panel import Panel
from station.rolls import Roll, Stage
from station.state import (
    Asking,
    Browsing,
    Changes,
    Choosing,
    Covered,
    Dialling,
    Drawing,
    Entering,
    Facts,
    Greeting,
    Notice,
    Offering,
    Page,
    Past,
    Reading,
    Recording,
    Revealing,
    Screen,
    Setting,
    Spelling,
    State,
    Tallies,
    Waiting,
)
from station.views import BusyView

BASIC = {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "bonus": 2, "difficulty": 9}
TIED = {
    "system": "seven-kingdoms",
    "kind": "basic",
    "rank": 2,
    "bonus": 1,
    "difficulty": 9,
    "discard_penalty": 1,
}
ATTACK = {"system": "wrath-and-glory", "kind": "attack", "pool": 6, "dn": 2}
OPPOSED = {
    "system": "opposed-attribute",
    "kind": "opposed",
    "attacker": {"score": 3},
    "defender": {"score": 1},
}
RACE = {
    "system": "seven-kingdoms",
    "kind": "competition",
    "contestants": [{"name": "Arya", "rank": 2}, {"name": "Bran", "rank": 2}],
}

basic, tied, attack, opposed, race = map(DEFAULT.request, (BASIC, TIED, ATTACK, OPPOSED, RACE))


def _menu(play: Any) -> None:
    play.hold()


def _kinds(play: Any) -> None:
    play.take(Held(Control.NEXT, play.now))
    play.push()


def _systems(play: Any) -> None:
    play.hold()
    play.turn()
    play.push()


def _drawing(play: Any) -> None:
    play.held = True
    play.roll(1, 2, 3, 4, 5)


def _recording(play: Any) -> None:
    _drawing(play)
    play.answer()


def _recording_half(play: Any) -> None:
    play.dial(opposed)
    play.held = True
    play.roll(1, 2, 3, 4)
    play.pending = type(play.pending)(e for e in play.pending if isinstance(e, Draw))
    play.answer()


def _recording_choice(play: Any) -> None:
    play.rolled(attack, 6, 6, 6, 1, 1, 1)
    play.turn(-2)
    play.push()
    play.held = True
    play.push()


def _revealing(play: Any) -> None:
    play.dial(basic)
    play.roll(1, 2, 3, 4, 5)


def _waiting(play: Any) -> None:
    play.rolled(opposed, 1, 2, 3, 4)


def _choosing(play: Any) -> None:
    play.rolled(attack, 6, 6, 6, 1, 1, 1)


def _reading(play: Any) -> None:
    play.rolled(basic, 1, 2, 3, 4, 5)


def _reading_open(play: Any) -> None:
    play.rolled(attack, 6, 6, 6, 1, 1, 1)
    play.hold()


def _notice(play: Any) -> None:
    play.refusal = "the kernel refused"
    play.roll()


def _covered(play: Any) -> None:
    play.dial(basic)
    play.faces.extend((1, 2, 3, 4, 5))
    play.take(Held(Control.ROLL, play.now))


def _covered_half(play: Any) -> None:
    play.dial(opposed)
    play.faces.extend((1, 2, 3, 4))
    play.take(Held(Control.ROLL, play.now))


def _item(play: Any, label: str) -> None:
    """Press an item of the menu's first page."""
    play.hold()
    labels = [name for name, _ in play.view.items]
    if labels.index(label):
        play.turn(labels.index(label))
    play.push()


def _entering(play: Any) -> None:
    _item(play, "Dice by hand")


def _offering(play: Any) -> None:
    play.rolled(DEFAULT.request(ATTACK | {"pool": 1}), 6)
    play.push()


def _history(play: Any) -> None:
    play.past = (replace(Roll(basic, (Rolled((1, 2, 3, 4, 5)),)), seq=7),)
    _item(play, "History")


def _asking(play: Any) -> None:
    play.held = True
    _history(play)


def _tallies(play: Any) -> None:
    _item(play, "Fairness")


def _facts(play: Any) -> None:
    _item(play, "About")


def _spelling(play: Any) -> None:
    _item(play, "People & table")
    labels = [name for name, _ in play.view.items]
    play.turn(labels.index("New character"))
    play.push()


def _setting(play: Any) -> None:
    play.take(Changed(EMPTY.with_character(Character(name="Arya", reserves=()))))
    _item(play, "People & table")
    play.push()
    labels = [name for name, _ in play.view.items]
    play.turn(labels.index("Endurance"))
    play.push()


def _changes(play: Any) -> None:
    _item(play, "People & table")
    labels = [name for name, _ in play.view.items]
    play.turn(labels.index("Undo a change"))
    play.push()


def _greeting(play: Any) -> None:
    play.state = replace(play.state, screen=Greeting(("Dice station", "Dice: urandom")))


PLACES: dict[str, tuple[type, Callable[[Any], None]]] = {
    "dialling": (Dialling, lambda _: None),
    "menu": (Browsing, _menu),
    "kinds": (Browsing, _kinds),
    "systems": (Browsing, _systems),
    "drawing": (Drawing, _drawing),
    "recording": (Recording, _recording),
    "recording half a roll": (Recording, _recording_half),
    "recording a choice": (Recording, _recording_choice),
    "revealing": (Revealing, _revealing),
    "waiting": (Waiting, _waiting),
    "choosing": (Choosing, _choosing),
    "reading": (Reading, _reading),
    "reading with a choice open": (Reading, _reading_open),
    "notice": (Notice, _notice),
    "covered": (Covered, _covered),
    "covered half": (Waiting, _covered_half),
    "entering": (Entering, _entering),
    "offering": (Offering, _offering),
    "asking": (Asking, _asking),
    "history": (Past, _history),
    "fairness": (Tallies, _tallies),
    "about": (Facts, _facts),
    "spelling": (Spelling, _spelling),
    "setting": (Setting, _setting),
    "changes": (Changes, _changes),
    "greeting": (Greeting, _greeting),
}
"""How to get to every screen there is."""

BUSY = [name for name, (screen, _) in PLACES.items() if screen in (Drawing, Recording)]

_OF_ROLLS = (Drawing, Recording, Revealing, Waiting, Choosing, Reading, Notice, Covered, Offering)
ROLLS = [name for name, (screen, _) in PLACES.items() if screen in _OF_ROLLS]

GESTURES: dict[str, Callable[[Nanoseconds], Event]] = {
    "turn right": lambda at: Turned(1, at),
    "turn far left": lambda at: Turned(-99, at),
    "push": lambda at: Clicked(Control.PUSH, at),
    "hold": lambda at: Held(Control.PUSH, at),
    "up": lambda at: Clicked(Control.UP, at),
    "down kept": lambda at: Repeated(Control.DOWN, at, 3),
    "next": lambda at: Clicked(Control.NEXT, at),
    "next held": lambda at: Held(Control.NEXT, at),
    "roll": lambda at: Clicked(Control.ROLL, at),
    "roll held": lambda at: Held(Control.ROLL, at),
    "pressed": lambda at: Pressed(Control.PUSH, at),
}

STRAYS: dict[str, Callable[[Nanoseconds], Event]] = {
    "faces": lambda _: Drawn((6, 6, 6), "urandom"),
    "no faces": lambda _: DrawFailed("late"),
    "a row": lambda at: Recorded(999, at),
    "rolls": lambda _: Found((), older=False),
    "counts": lambda _: Counted(()),
    "changes": lambda _: Listed(()),
    "facts": lambda _: Told(("late",)),
}
"""Answers that not every screen waits for."""

AWAITED = {
    Drawing: ("faces", "no faces"),
    Recording: ("a row",),
    Asking: ("rolls", "counts", "changes", "facts"),
}

UNAWAITED = [
    (place, stray)
    for place, (screen, _) in PLACES.items()
    for stray in STRAYS
    if stray not in AWAITED.get(screen, ())
]


@pytest.fixture
def play(playing: Any) -> Any:
    return playing()


@pytest.fixture
def reach(playing: Any) -> Callable[[str], Any]:
    """Bring a machine to one of the places."""

    def bring(name: str) -> Any:
        play = playing()
        kind, way = PLACES[name]
        way(play)
        assert isinstance(play.screen, kind)
        return play

    return bring


def untouched(state: State) -> tuple[Any, ...]:
    """Return all of a state but when it was last touched."""
    return state.dial, state.screen, state.unfinished


def test_every_screen_is_among_the_places() -> None:
    assert {kind for kind, _ in PLACES.values()} == set(get_args(Screen))


@pytest.mark.parametrize(
    ("event", "intent"),
    [
        (Turned(-3, SECOND), Turn(-3, -3)),
        (Clicked(Control.UP, SECOND), Turn(1, -1)),
        (Repeated(Control.UP, SECOND, 1), Turn(1, -1)),
        (Clicked(Control.DOWN, SECOND), Turn(-1, 1)),
        (Repeated(Control.DOWN, SECOND, 7), Turn(-1, 1)),
        (Clicked(Control.PUSH, SECOND), Push()),
        (Clicked(Control.NEXT, SECOND), Push()),
        (Clicked(Control.ROLL, SECOND), Press()),
        (Held(Control.PUSH, SECOND), Back()),
        (Held(Control.NEXT, SECOND), Back()),
        (Held(Control.ROLL, SECOND), LongPress()),
        (Pressed(Control.ROLL, SECOND), None),
        (Held(Control.UP, SECOND), None),
    ],
)
def test_a_knob_and_four_buttons_mean_the_same(event: Event, intent: object) -> None:
    assert intent_of(event) == intent


@pytest.mark.parametrize("gesture", GESTURES)
@pytest.mark.parametrize("place", BUSY)
def test_while_dice_are_drawn_or_recorded_no_gesture_changes_anything(
    reach: Any, place: str, gesture: str
) -> None:
    play = reach(place)
    before, waiting = untouched(play.state), len(play.pending)
    play.take(GESTURES[gesture](play.now))
    assert untouched(play.state) == before
    assert len(play.pending) == waiting


@pytest.mark.parametrize("place", BUSY)
def test_while_dice_are_drawn_or_recorded_the_panel_says_no_more_than_that(
    reach: Any, place: str
) -> None:
    assert reach(place).view == BusyView("Rolling …")


@pytest.mark.parametrize(("place", "stray"), UNAWAITED)
def test_an_answer_that_a_screen_does_not_wait_for_changes_nothing(
    reach: Any, place: str, stray: str
) -> None:
    play = reach(place)
    play.held = True
    before, waiting = play.state, len(play.pending)
    play.take(STRAYS[stray](play.now))
    assert play.state == before
    assert len(play.pending) == waiting


@pytest.mark.parametrize("place", PLACES)
def test_touching_a_control_is_noted_and_means_nothing_yet(reach: Any, place: str) -> None:
    play = reach(place)
    before = untouched(play.state)
    later = Nanoseconds(play.now + 5)
    play.take(Pressed(Control.PUSH, later))
    assert untouched(play.state) == before
    assert play.state.idle.touched == later


@pytest.mark.parametrize("place", PLACES)
def test_time_alone_ends_what_is_looked_at_and_reveals_dice_and_changes_nothing_else(
    reach: Any, place: str
) -> None:
    play = reach(place)
    play.held = True
    before = untouched(play.state)
    play.take(Tick(Nanoseconds(play.now + 1)))
    assert untouched(play.state) == before
    play.take(Tick(Nanoseconds(play.now + 3600 * SECOND)))
    changing = isinstance(play.screen, Browsing | Revealing) or untouched(play.state) != before
    ends = (Browsing, Revealing, Past, Tallies, Facts, Changes, Greeting)
    assert changing == isinstance(reach(place).screen, ends)


@pytest.mark.parametrize("place", PLACES)
def test_from_every_screen_holding_leads_back_to_the_dial(reach: Any, place: str) -> None:
    play = reach(place)
    play.held = False
    while play.pending:
        play.answer()
    steps = 0
    while not isinstance(play.screen, Dialling):
        play.hold()
        steps += 1
        assert steps <= 4


@pytest.mark.parametrize("place", ROLLS)
def test_from_every_roll_pushing_and_rolling_on_leads_to_the_dial_too(
    reach: Any, place: str
) -> None:
    play = reach(place)
    play.refusal, play.held = "", False
    play.faces.extend((1, 2, 3, 4) * 9)
    while play.pending:
        play.answer()
    for _ in range(9):
        if isinstance(play.screen, Dialling):
            return
        play.push()
        play.wait()
    # A push on a verdict with a choice open leads to that choice; there a hold leads away.
    assert isinstance(play.screen, Reading)


@pytest.mark.parametrize("place", PLACES)
def test_a_request_from_elsewhere_shows_at_once_unless_a_roll_is_under_way(
    reach: Any, place: str
) -> None:
    play = reach(place)
    before, kept = play.screen, len(play.did(KeepDial))
    chosen = DEFAULT.request(ATTACK | {"pool": 11})
    play.take(Selected(chosen, Nanoseconds(play.now + 60 * SECOND)))
    assert play.state.dial.request.pool == 11
    idle = isinstance(before, Dialling | Greeting | Browsing | Reading | Notice | Past)
    assert play.screen == (Dialling() if idle else before)
    while play.pending:
        play.answer()
    assert len(play.did(KeepDial)) > kept


@pytest.mark.parametrize("place", ["menu", "reading", "history"])
def test_a_request_from_elsewhere_takes_no_screen_from_whoever_is_at_it(
    reach: Any, place: str
) -> None:
    play = reach(place)
    before = play.screen
    play.take(Selected(DEFAULT.request(ATTACK | {"pool": 11}), play.now))
    assert (play.screen, play.state.dial.request.pool) == (before, 11)


def test_a_push_just_when_a_request_came_from_elsewhere_rolls_nothing(playing: Any) -> None:
    play = playing(roll_button=False)
    play.state = replace(play.state, dial=replace(play.state.dial, focus=Stop.ROLL))
    play.take(Selected(play.state.dial.request, Nanoseconds(play.now + SECOND)))
    play.wait(SECOND)
    play.push()
    assert play.did(Record) == []


def test_the_same_request_from_elsewhere_is_not_kept_again(play: Any) -> None:
    play.dial(basic)
    kept = len(play.did(KeepDial))
    play.dial(basic)
    assert len(play.did(KeepDial)) == kept


class TestTheDial:
    def test_a_turn_changes_the_value_and_keeps_it(self, play: Any) -> None:
        play.turn(2)
        assert play.state.dial.request.rank == 5
        assert play.did(KeepDial)[-1].requests[0].rank == 5

    def test_a_turn_at_the_end_of_a_range_keeps_nothing(self, play: Any) -> None:
        play.turn(99)
        kept = len(play.did(KeepDial))
        play.turn(1)
        assert play.state.dial.request.rank == 20
        assert len(play.did(KeepDial)) == kept

    def test_a_push_moves_the_cursor_on_and_never_rolls(self, play: Any) -> None:
        for _ in range(9):
            play.push()
            assert isinstance(play.screen, Dialling)
        assert play.did(Draw) == []

    def test_a_push_on_more_unfolds_the_rest(self, play: Any, at_stop: Any) -> None:
        play.state = at_stop(play.state, Stop.MORE)
        play.push()
        assert play.state.dial.expanded
        assert play.state.dial.control.label == "Pool penalty"

    def test_without_a_roll_button_a_push_on_the_last_stop_rolls(self, playing: Any) -> None:
        play = playing(roll_button=False)
        play.faces.extend((6, 6, 6))
        while play.state.dial.focus is not Stop.ROLL:
            play.push()
        assert play.did(Draw) == []
        play.push()
        assert play.did(Draw) == [Draw(3)]

    def test_a_roll_folds_the_rare_values_away_but_leaves_the_cursor(self, play: Any) -> None:
        wide = next_stop(expand(play.state.dial), 2)
        play.state = State(wide)
        play.roll(6, 6, 6)
        dial = play.state.dial
        assert not dial.expanded
        assert dial.focus == wide.focus
        assert dial.focus in stops(dial)

    def test_the_knob_is_only_fast_where_it_turns_a_value(self, play: Any, at_stop: Any) -> None:
        assert play.machine.span(play.state) == 19
        play.state = at_stop(play.state, Stop.MORE)
        assert play.machine.span(play.state) == 0
        play.hold()
        assert play.machine.span(play.state) == 0


class TestARoll:
    def test_draws_records_reveals_die_by_die_and_then_reads(self, play: Any) -> None:
        play.dial(basic)
        play.roll(2, 5, 1, 6, 3)
        assert play.did(Draw) == [Draw(5)]
        assert [(r.stage, r.roll.faces) for r in play.did(Record)] == [
            (Stage.ROLL, (2, 5, 1, 6, 3))
        ]
        seen = [play.screen.shown]
        while isinstance(play.screen, Revealing):
            play.wait(Nanoseconds(20 * MILLISECOND))
            if isinstance(play.screen, Revealing):
                seen.append(play.screen.shown)
        assert sorted(set(seen)) == [0, 1, 2, 3, 4, 5]
        assert isinstance(play.screen, Reading)
        assert play.screen.roll.seq == 1
        assert play.view.value == 14

    def test_shows_no_face_before_its_row_is_on_the_disk(self, play: Any) -> None:
        play.dial(basic)
        play.held = True
        play.roll(2, 5, 1, 6, 3)
        play.shown.clear()
        while not isinstance(play.screen, Revealing):
            assert play.view == BusyView("Rolling …")
            play.answer()
        assert play.view.shown == 0

    def test_of_forty_dice_is_revealed_within_a_second(self, play: Any) -> None:
        play.dial(DEFAULT.request(ATTACK | {"pool": 40}))
        play.roll(*[3] * 40)
        began = play.now
        while isinstance(play.screen, Revealing):
            due = play.machine.deadline(play.state)
            play.wait(Nanoseconds(due - play.now))
        assert play.now - began <= LONGEST_REVEAL + 41 * MILLISECOND

    @pytest.mark.parametrize("gesture", [g for g in GESTURES if g != "pressed"])
    def test_is_revealed_at_once_by_any_gesture_which_does_nothing_else(
        self, reach: Any, gesture: str
    ) -> None:
        play = reach("revealing")
        play.take(GESTURES[gesture](play.now))
        assert play.screen == Reading(play.screen.roll)

    def test_signals_how_it_feels_once_it_can_be_read(self, play: Any) -> None:
        play.dial(basic)
        play.roll(1, 1, 1, 1, 1)
        assert play.did(Signal) == []
        play.wait()
        assert play.did(Signal) == [Signal(Tone.FAILURE, complication=True)]

    def test_says_when_nothing_could_be_drawn_and_rolls_nothing(self, play: Any) -> None:
        play.refusal = "the kernel refused"
        play.dial(basic)
        play.roll()
        assert play.screen == Notice("Nothing rolled", "the kernel refused")
        assert play.did(Record) == []
        assert play.state.unfinished == ()
        play.turn()
        assert isinstance(play.screen, Dialling)
        assert play.state.dial.request == basic

    def test_that_is_not_attempted_is_recorded_and_told_at_once(self, play: Any) -> None:
        play.dial(DEFAULT.request(BASIC | {"rank": 1, "difficulty": 21}))
        play.roll()
        assert play.did(Draw) == []
        assert [r.stage for r in play.did(Record)] == [Stage.ROLL]
        assert isinstance(play.screen, Reading)
        assert play.view.word == "Not attempted"
        assert play.view.badge == "#1"
        assert play.view.side == ("Heroic needs rank 4, not 1",)

    def test_that_succeeds_without_dice_is_recorded_and_told_at_once(self, play: Any) -> None:
        play.dial(DEFAULT.request(BASIC | {"difficulty": 0}))
        play.roll()
        assert play.did(Draw) == []
        assert [r.stage for r in play.did(Record)] == [Stage.ROLL]
        assert (play.view.word, play.view.dice) == ("Success", ())

    def test_that_no_ledger_takes_says_so_on_its_verdict(self, play: Any) -> None:
        play.ledger = False
        play.rolled(basic, 6, 6, 6, 6, 6)
        assert play.screen.roll.seq is None
        assert play.view.marks == (NOT_RECORDED,)
        assert play.view.badge == ""

    def test_says_of_source_and_ledger_each_once(self, play: Any) -> None:
        play.ledger = False
        play.notice = "urandom alone"
        play.rolled(opposed, 1, 2, 3, 4)
        play.roll(1, 2, 3, 4)
        play.wait()
        assert play.screen.roll.notice == f"urandom alone, {NOT_RECORDED}"

    def test_of_rigged_dice_says_so(self, play: Any) -> None:
        play.dial(basic)
        play.held = True
        play.roll()
        play.pending.clear()
        play.take(Drawn((6, 6, 6, 6, 6), "seeded", foretold=True))
        play.take(Recorded(1, play.now))
        play.wait()
        assert play.view.badge == "test dice"

    def test_next_to_it_leaves_the_dial_as_it_was(self, play: Any) -> None:
        play.rolled(basic, 6, 6, 6, 6, 6)
        play.roll()
        assert isinstance(play.screen, Dialling)
        assert play.state.dial.request == basic


class TestTheVerdict:
    def test_turning_leafs_through_its_pages_and_stops_at_both_ends(self, play: Any) -> None:
        play.rolled(basic, 2, 5, 1, 6, 3)
        pages = verdict_pages(DEFAULT, play.screen.roll, Panel())
        assert len(pages) >= 3
        for page in pages[1:]:
            play.turn(1)
            assert play.view == page
        play.turn(5)
        assert play.view == pages[-1]
        play.turn(-99)
        assert play.view == pages[0]

    @pytest.mark.parametrize("gesture", ["push", "hold", "roll", "next", "next held"])
    def test_any_press_leads_back_to_the_dial(self, reach: Any, gesture: str) -> None:
        play = reach("reading")
        play.take(GESTURES[gesture](play.now))
        assert isinstance(play.screen, Dialling)
        assert play.did(Draw) == [Draw(5)]

    def test_a_push_takes_up_a_choice_that_is_still_open(self, reach: Any) -> None:
        play = reach("reading with a choice open")
        play.push()
        assert isinstance(play.screen, Choosing)
        play.hold()
        play.roll()
        assert isinstance(play.screen, Dialling)


def test_a_push_too_many_after_a_verdict_rolls_nothing(playing: Any) -> None:
    play = playing(roll_button=False)
    play.state = replace(play.state, dial=replace(play.state.dial, focus=Stop.ROLL))
    play.faces.extend((1, 2, 3, 4, 5, 6))
    play.push()
    play.wait()
    play.push()
    assert isinstance(play.screen, Dialling)
    play.push()
    assert len(play.did(Record)) == 1
    play.wait(SECOND)
    play.push()
    assert len(play.did(Record)) == 2


class TestShifts:
    def test_are_bought_one_after_the_other_and_recorded_as_one_decision(self, play: Any) -> None:
        play.rolled(attack, 6, 6, 6, 1, 1, 1)
        assert play.view.prompt == "2 Shifts left"
        assert play.view.options == ("Extra Damage Die", "+1 Glory", "No more Shifts")
        play.turn(-2)
        play.push()
        assert play.view.prompt == "1 Shift left"
        assert [r.stage for r in play.did(Record)] == [Stage.ROLL]
        play.turn(-1)
        play.roll()
        assert play.view.prompt == "1 Shift left"
        assert play.view.note == "4 vs 2"
        play.push()
        assert [r.stage for r in play.did(Record)] == [Stage.ROLL, Stage.DECISION]
        assert isinstance(play.screen, Reading)
        chosen = play.screen.roll.answers
        assert chosen == (Rolled((6, 6, 6, 1, 1, 1)), Chosen("damage"), Chosen("glory"))
        assert "+1 damage" in play.view.marks
        assert "+2 Glory" in play.view.marks

    def test_a_push_without_a_turn_buys_nothing_and_that_is_a_decision_too(self, play: Any) -> None:
        play.rolled(attack, 6, 6, 6, 1, 1, 1)
        play.push()
        assert play.did(Record)[-1].stage is Stage.DECISION
        assert play.screen.roll.answers[-1] == Chosen("stop")

    def test_the_cursor_stops_at_both_ends(self, play: Any) -> None:
        play.rolled(attack, 6, 6, 6, 1, 1, 1)
        play.turn(-99)
        assert play.screen.cursor == 0
        play.turn(99)
        assert play.screen.cursor == 2

    def test_that_were_broken_off_are_forgotten_and_can_be_bought_anew(self, play: Any) -> None:
        play.rolled(attack, 6, 6, 6, 1, 1, 1)
        play.turn(-2)
        play.push()
        play.hold()
        assert play.screen.roll.answers == (Rolled((6, 6, 6, 1, 1, 1)),)
        assert [r.stage for r in play.did(Record)] == [Stage.ROLL]
        play.push()
        assert play.view.prompt == "2 Shifts left"

    def test_are_not_asked_for_on_a_failure(self, play: Any) -> None:
        play.rolled(DEFAULT.request(ATTACK | {"dn": 20}), 6, 6, 6, 1, 1, 1)
        assert isinstance(play.screen, Reading)

    def test_a_choice_without_a_ledger_stands_all_the_same(self, play: Any) -> None:
        play.ledger = False
        play.rolled(attack, 6, 6, 1, 1, 1, 1)
        play.turn(-2)
        play.push()
        assert isinstance(play.screen, Reading)
        assert "+1 damage" in play.view.marks
        assert NOT_RECORDED in play.view.marks


class TestTheTieOfADiscard:
    def test_is_asked_where_the_dice_differ(self, play: Any) -> None:
        play.rolled(tied, 6, 2, 6)
        assert play.view.options == ("test 6", "bonus 6")
        play.turn()
        play.push()
        assert play.screen.roll.answers[-1] == Chosen("2")
        assert [die.fate for die in play.view.dice] == ["kept", "dropped", "struck"]

    def test_is_not_asked_between_two_dice_alike(self, play: Any) -> None:
        play.rolled(tied, 6, 6, 1)
        assert isinstance(play.screen, Reading)
        assert [die.fate for die in play.view.dice] == ["struck", "kept", "dropped"]
        play.push()
        assert isinstance(play.screen, Dialling)

    def test_of_one_contestant_is_asked_behind_one_that_makes_no_difference(
        self, play: Any
    ) -> None:
        play.dial(competition({"rank": 2}, {"rank": 2, "bonus": 1}))
        play.roll(5, 5)
        play.wait()
        play.roll(4, 1, 4)
        play.wait()
        assert play.view.options == ("test 4", "bonus 4")
        play.turn()
        play.push()
        assert [die.fate for die in play.view.dice] == [
            "struck",
            "kept",
            "kept",
            "dropped",
            "struck",
        ]

    def test_that_makes_no_difference_is_not_asked_after_one_that_did(self, play: Any) -> None:
        play.dial(competition({"rank": 2, "bonus": 1}, {"rank": 2}))
        play.roll(4, 1, 4)
        play.wait()
        play.roll(5, 5)
        play.wait()
        assert play.view.options == ("test 4", "bonus 4")
        play.push()
        assert isinstance(play.screen, Reading)
        assert play.did(Record)[-1].stage is Stage.DECISION

    def test_is_over_once_those_left_are_alike(self, play: Any) -> None:
        play.rolled(DEFAULT.request(TIED | {"rank": 3, "discard_penalty": 2}), 6, 6, 1, 6)
        assert play.view.options == ("test 6", "test 6", "bonus 6")
        play.turn(2)
        play.push()
        assert isinstance(play.screen, Reading)


def competition(*pools: dict[str, Any]) -> Any:
    """Return a competition in which each strikes one die."""
    contestants = [{"discard_penalty": 1, **pool} for pool in pools]
    return DEFAULT.request(RACE | {"contestants": contestants})


class TestRollsOfSeveral:
    def test_attacker_and_defender_press_one_after_the_other(self, play: Any) -> None:
        play.rolled(opposed, 1, 1, 3, 4)
        assert isinstance(play.screen, Waiting)
        assert play.view.prompt == "Defender: push"
        assert play.view.heading == "Attacker −2 #1"
        assert [die.face for die in play.view.dice] == [1, 1, 3, 4]
        play.turn()
        assert isinstance(play.screen, Waiting)
        play.push()
        assert play.screen == Notice("Nothing rolled", "no dice left")

    def test_the_second_roll_completes_the_first(self, play: Any) -> None:
        play.rolled(opposed, 1, 1, 3, 4)
        play.roll(2, 1, 3, 4)
        play.wait()
        assert [(r.stage, r.roll.faces, r.roll.first) for r in play.did(Record)] == [
            (Stage.DRAWN, (1, 1, 3, 4), None),
            (Stage.ROLL, (1, 1, 3, 4, 2, 1, 3, 4), 1),
        ]
        assert (play.view.value, play.view.need, play.view.word) == (-2, -3, "Attacker wins")
        assert play.view.badge == "#2"

    def test_contestants_roll_in_turn_by_name(self, play: Any) -> None:
        play.rolled(race, 6, 5)
        assert play.view.prompt == "Bran: push"
        assert play.view.heading == "Arya 11 #1"
        play.roll(1, 2)
        play.wait()
        assert play.view.word == "Arya wins"

    def test_a_roll_that_was_left_waits_in_the_menu_with_its_faces(self, play: Any) -> None:
        play.rolled(opposed, 1, 1, 3, 4)
        play.hold()
        assert isinstance(play.screen, Dialling)
        play.rolled(basic, 6, 6, 6, 6, 6)
        play.hold()
        play.hold()
        assert play.view.items[0] == ("Resume roll", "#1")
        play.push()
        assert isinstance(play.screen, Waiting)
        assert play.state.unfinished == ()
        play.roll(2, 1, 3, 4)
        play.wait()
        assert play.did(Record)[-1].roll.faces == (1, 1, 3, 4, 2, 1, 3, 4)

    def test_a_roll_whose_second_half_could_not_be_drawn_waits_too(self, play: Any) -> None:
        play.rolled(opposed, 1, 1, 3, 4)
        play.refusal = "the kernel refused"
        play.roll()
        assert isinstance(play.screen, Notice)
        (left,) = play.state.unfinished
        assert left.faces == (1, 1, 3, 4)

    def test_only_so_many_wait(self, play: Any) -> None:
        for face in range(MOST_UNFINISHED + 2):
            play.rolled(opposed, 1 + face % 6, 1, 1, 1)
            play.hold()
        assert len(play.state.unfinished) == MOST_UNFINISHED
        assert play.state.unfinished[0].faces[0] == 3


class TestTheMenu:
    def test_gives_way_to_the_dial_when_nobody_touches_it(self, play: Any) -> None:
        play.hold()
        play.wait(Nanoseconds(MENU_TIMEOUT - 1))
        assert isinstance(play.screen, Browsing)
        play.wait(Nanoseconds(1))
        assert isinstance(play.screen, Dialling)

    @pytest.mark.parametrize("control", [None, Control.UP, Control.DOWN])
    def test_that_closed_just_then_spends_the_turn_that_was_meant_for_it(
        self, play: Any, control: Control | None
    ) -> None:
        def turn() -> None:
            if control is None:
                play.turn()
            else:
                play.take(Pressed(control, play.now))
                play.take(Clicked(control, play.now))

        dialled = play.state.dial
        play.hold()
        play.wait(MENU_TIMEOUT)
        assert play.view.hint
        turn()
        assert play.state.dial == dialled
        play.wait(SECOND)
        turn()
        assert play.state.dial != dialled

    def test_opens_a_page_at_what_holds_now(self, reach: Any) -> None:
        play = reach("systems")
        play.turn(1)
        play.push()
        play.hold()
        play.turn(1)
        play.push()
        assert play.screen == Browsing(Page.SYSTEM, 1)

    def test_stays_while_it_is_touched(self, play: Any) -> None:
        play.hold()
        for _ in range(9):
            play.wait(Nanoseconds(MENU_TIMEOUT - SECOND))
            play.turn()
        assert isinstance(play.screen, Browsing)

    def test_the_cursor_stops_at_both_ends(self, play: Any) -> None:
        play.hold()
        play.turn(-5)
        assert play.screen.cursor == 0
        play.turn(99)
        assert play.screen.cursor == len(play.view.items) - 1

    def test_the_up_button_leads_up_a_list_though_it_makes_a_value_larger(self, play: Any) -> None:
        play.take(Clicked(Control.UP, play.now))
        assert play.state.dial.request.rank == 4
        play.hold()
        play.take(Clicked(Control.DOWN, play.now))
        assert play.screen.cursor == 1
        play.take(Clicked(Control.UP, play.now))
        assert play.screen.cursor == 0

    def test_a_hold_leads_one_page_up_and_then_out(self, reach: Any) -> None:
        play = reach("systems")
        play.hold()
        assert play.screen == Browsing(Page.TOP, 1)
        play.hold()
        assert isinstance(play.screen, Dialling)

    def test_choosing_a_kind_or_a_system_leads_to_its_dial_and_keeps_it(self, reach: Any) -> None:
        play = reach("kinds")
        play.turn(1)
        play.push()
        assert play.state.dial.request.kind == "extended"
        play = reach("systems")
        play.turn(2)
        play.roll()
        assert play.state.dial.request.system == "opposed-attribute"
        assert play.did(KeepDial)[-1].active == 2
        assert play.did(Draw) == []


class TestRollsOfOtherPrograms:
    def elsewhere(
        self, play: Any, *, hidden: bool = False, after: Nanoseconds = STILL_AT_IT
    ) -> None:
        play.wait(after)
        roll = Roll(basic, (Rolled((6, 5, 4, 3, 2)),), seq=8, hidden=hidden)
        play.take(RolledElsewhere(roll, play.now, hidden=hidden))

    @pytest.mark.parametrize("place", PLACES)
    def test_show_where_nobody_is_busy_and_nowhere_else(self, reach: Any, place: str) -> None:
        play = reach(place)
        before = play.screen
        idle = place in ("dialling", "greeting", "menu", "kinds", "systems", "reading", "notice")
        self.elsewhere(play, after=STILL_AT_IT if idle else Nanoseconds(0))
        if idle:
            assert (play.screen.roll.seq, play.view.value) == (8, 15)
        else:
            assert play.screen == before

    def test_are_told_of_but_not_shown_while_they_are_hidden(self, play: Any) -> None:
        self.elsewhere(play, hidden=True)
        assert isinstance(play.screen, Notice)
        assert play.screen.title == "Hidden roll #8"

    def test_never_take_the_panel_from_someone_at_the_knob(self, play: Any) -> None:
        for _ in range(5):
            play.turn(1)
            self.elsewhere(play, after=Nanoseconds(STILL_AT_IT - 1))
            assert isinstance(play.screen, Dialling)
        play.roll(*(6,) * play.state.dial.request.rank)
        assert len(play.did(Record)) == 1

    def test_wake_the_panel(self, play: Any) -> None:
        play.wait(Nanoseconds(3600 * SECOND))
        self.elsewhere(play)
        assert play.state.idle.level is Brightness.FULL


def test_a_change_from_elsewhere_is_taken_over_without_a_word(play: Any) -> None:
    table = replace(play.state.table, glory=3)
    play.take(Changed(table))
    assert (play.state.table.glory, play.screen) == (3, Dialling())


@pytest.mark.parametrize("place", range(4))
def test_a_long_evening_of_random_gestures(
    playing: Any, toy_registry: Registry, place: int
) -> None:
    wander(playing(toy_registry, roll_button=False), place, 2_000)


@pytest.mark.slow
@pytest.mark.parametrize("roll_button", [True, False])
@pytest.mark.parametrize("place", range(4))
def test_a_whole_night_of_random_gestures(
    playing: Any, toy_registry: Registry, place: int, *, roll_button: bool
) -> None:
    wander(playing(toy_registry, roll_button=roll_button), place, 10_000)


def wander(play: Any, system: int, gestures: int) -> None:
    """Do random things, mostly within one system; nothing may fail, and the dial stays valid."""
    chance = random.Random(f"{system}")  # noqa: S311 - the same evening again
    registry = play.machine.registry
    likely = ["turn right", "turn far left", "push", "next", "roll", "roll", "up", "down kept"]
    for _ in range(gestures):
        play.faces.extend(chance.choices(range(1, 7), k=max(0, 600 - len(play.faces))))
        play.refusal = "refused" if chance.random() < 0.05 else ""
        play.ledger = chance.random() < 0.9
        if chance.random() < 0.01:
            play.dial(registry.request(request_plain(play.state.dial.requests[system])))
        gesture = chance.choice([*likely, *GESTURES])
        if gesture.startswith("turn"):
            play.take(Turned(chance.choice([-30, -3, -1, 1, 1, 2, 5, 30]), play.now))
        else:
            play.take(GESTURES[gesture](play.now))
        play.wait(Nanoseconds(chance.choice([1, 1, 100, 2_000, 31_000]) * MILLISECOND))
        play.shown.clear()
        dial = play.state.dial
        assert dial.focus in stops(dial)
        assert registry.request(request_plain(dial.request)) == dial.request
        assert not isinstance(play.screen, Drawing | Recording)
        play.done.clear()
