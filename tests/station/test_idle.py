"""An idle panel dims, then goes dark; what wakes it does nothing else."""

import itertools
from dataclasses import replace

import pytest

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.events import Clicked, Control, ControlEvent, Held, Pressed, Repeated, Turned
from hardware.display.interface import Brightness
from station.idle import NEVER, PLACES, Idle, Timeouts, deadline, passed, place, touched, woken

TIMES = Timeouts(dim=60, dark=600)
DARK = Idle(level=Brightness.OFF)


def seconds(count: float) -> Nanoseconds:
    return Nanoseconds(round(count * SECOND))


@pytest.mark.parametrize(
    ("after", "level"),
    [
        (0, Brightness.FULL),
        (59.9, Brightness.FULL),
        (60, Brightness.DIM),
        (599, Brightness.DIM),
        (600, Brightness.OFF),
        (14_400, Brightness.OFF),
    ],
)
def test_darkens_in_two_steps(after: float, level: Brightness) -> None:
    assert passed(Idle(), TIMES, seconds(after)).level is level


def test_an_evening_of_four_hours_ends_dark_and_asks_for_no_more_time() -> None:
    idle, now, lit = Idle(), Nanoseconds(0), seconds(0)
    while (due := deadline(idle, TIMES)) is not None:
        assert due > now
        now = due
        idle = passed(idle, TIMES, now)
        if idle.level is not Brightness.OFF:
            lit = now
    assert idle.level is Brightness.OFF
    assert now == seconds(600)
    assert lit < seconds(600)


def test_never_means_never() -> None:
    times = Timeouts(dim=NEVER, dark=NEVER)
    assert deadline(Idle(), times) is None
    assert passed(Idle(), times, seconds(10**6)).level is Brightness.FULL


def test_goes_dark_at_once_where_it_never_dims() -> None:
    times = Timeouts(dim=NEVER, dark=60)
    assert passed(Idle(), times, seconds(60)).level is Brightness.OFF


@pytest.mark.parametrize(
    "event",
    [
        Pressed(Control.ROLL, seconds(700)),
        Clicked(Control.ROLL, seconds(700)),
        Held(Control.PUSH, seconds(700)),
        Repeated(Control.UP, seconds(700), 3),
        Turned(5, seconds(700)),
    ],
)
def test_whatever_wakes_it_means_nothing_else(event: ControlEvent) -> None:
    idle, means = touched(DARK, event)
    assert not means
    assert idle.level is Brightness.FULL


@pytest.mark.parametrize(
    "end", [Clicked(Control.ROLL, seconds(701)), Held(Control.ROLL, seconds(701))]
)
def test_the_whole_press_that_woke_it_is_spent(end: ControlEvent) -> None:
    idle, _ = touched(DARK, Pressed(Control.ROLL, seconds(700)))
    idle, means = touched(idle, end)
    assert not means
    idle, means = touched(idle, Pressed(Control.ROLL, seconds(702)))
    assert means
    assert touched(idle, Clicked(Control.ROLL, seconds(702.1)))[1]


def test_another_control_counts_at_once() -> None:
    idle, _ = touched(DARK, Pressed(Control.ROLL, seconds(700)))
    assert touched(idle, Clicked(Control.PUSH, seconds(700.1)))[1]


def test_the_turn_that_woke_it_is_spent_until_the_knob_rests() -> None:
    idle, _ = touched(DARK, Turned(1, seconds(700)))
    for step in range(1, 5):
        at = Nanoseconds(seconds(700) + step * 100 * MILLISECOND)
        idle, means = touched(idle, Turned(1, at))
        assert not means
    assert touched(idle, Turned(1, seconds(701)))[1]


def test_a_dim_panel_can_be_read_so_a_control_does_what_it_says() -> None:
    dim = Idle(level=Brightness.DIM)
    idle, means = touched(dim, Clicked(Control.ROLL, seconds(70)))
    assert means
    assert idle.level is Brightness.FULL


def test_a_roll_from_elsewhere_wakes_it() -> None:
    assert woken(DARK, seconds(700)).level is Brightness.FULL
    assert woken(DARK, seconds(700)).touched == seconds(700)


def test_a_dim_picture_moves_a_pixel_each_minute_and_stands_still_in_use() -> None:
    idle = Idle()
    stood = []
    for minute in range(1, 9):
        idle = passed(idle, TIMES, seconds(60 * minute))
        stood.append(place(idle))
    assert set(stood) == set(PLACES)
    assert all(one != two for one, two in itertools.pairwise(stood))
    assert place(woken(idle, seconds(500))) == (0, 0)
    assert place(replace(Idle(), touched=seconds(9))) == (0, 0)
