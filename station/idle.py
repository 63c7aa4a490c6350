"""Idleness: the panel dims, then goes dark, and what wakes it does nothing else.

A press that wakes is spent whole: its click, its hold and its repeats mean nothing either. A turn
that wakes is spent until the knob has rested. A panel that is only dim can be read, so there a
control does what it says; but a turn that was meant for a menu that closed by itself just then is
spent, and so is a press that would turn.
"""

from dataclasses import replace
from typing import TypeAlias

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.events import Control, ControlEvent, Pressed, Turned
from hardware.display.interface import Brightness
from rules.frozen import frozen

KNOB_RESTS = Nanoseconds(300 * MILLISECOND)
"""A pause this long ends the turn that woke the panel."""

REACTION = Nanoseconds(750 * MILLISECOND)
"""So long a hand goes on with what it was about to do when the screen changed before it."""

MOVES_EVERY = Nanoseconds(60 * SECOND)
"""How often a dim picture moves by a pixel, so that nothing burns in."""

PLACES = ((0, 0), (1, 0), (1, 1), (0, 1))
"""Where a dim picture stands in turn, in pixels right and down."""

NEVER = 0
"""A time-out in s that never comes."""


@frozen
class Timeouts:
    """After how many seconds without a touch the panel dims and goes dark; 0 means never."""

    dim: int = 60
    dark: int = 600


@frozen
class Idle:
    """How long nothing was touched, and what is left of the touch that woke the panel.

    Attributes:
        level: how bright the panel is.
        touched: when a control was last used, in ns.
        moves: how often the dim picture moved.
        spent: the control whose press woke the panel, until its next press.
        knob_rests: until when, in ns, a turn means nothing: it goes on since it woke the panel.
    """

    level: Brightness = Brightness.FULL
    touched: Nanoseconds = Nanoseconds(0)
    moves: int = 0
    spent: Control | None = None
    knob_rests: Nanoseconds = Nanoseconds(0)


Touched: TypeAlias = tuple[Idle, bool]
"""The idleness after a control event, and whether the event means anything."""


def touched(idle: Idle, event: ControlEvent) -> Touched:
    """Return the idleness after a control was used, and whether its event is to be acted on."""
    awake = woken(idle, event.at)
    asleep = idle.level is Brightness.OFF
    if isinstance(event, Turned):
        if asleep or event.at < idle.knob_rests:
            return replace(awake, knob_rests=Nanoseconds(event.at + KNOB_RESTS)), False
        return awake, True
    turning = event.control in {Control.UP, Control.DOWN} and isinstance(event, Pressed)
    if asleep or (turning and event.at < idle.knob_rests):
        return replace(awake, spent=event.control), False
    if isinstance(event, Pressed) and event.control is idle.spent:
        return replace(awake, spent=None), True
    return awake, event.control is not idle.spent


def woken(idle: Idle, at: Nanoseconds) -> Idle:
    """Return the idleness after something other than a control lit the panel."""
    return replace(idle, level=Brightness.FULL, touched=at, moves=0)


def given_way(idle: Idle, at: Nanoseconds) -> Idle:
    """Return the idleness once a screen gave way by itself: who turns just then meant it."""
    return replace(idle, knob_rests=Nanoseconds(at + REACTION))


def deadline(idle: Idle, timeouts: Timeouts) -> Nanoseconds | None:
    """Return when the panel next grows darker or its picture moves, in ns; None for never."""
    times = [] if idle.level is not Brightness.DIM else [_next_move(idle)]
    times += [
        Nanoseconds(idle.touched + after * SECOND)
        for after, level in _steps(timeouts)
        if _darker(level, idle.level)
    ]
    return min(times, default=None)


def passed(idle: Idle, timeouts: Timeouts, at: Nanoseconds) -> Idle:
    """Return the idleness once it is `at`."""
    level = idle.level
    for after, darker in _steps(timeouts):
        if at >= idle.touched + after * SECOND and _darker(darker, level):
            level = darker
    if level is not Brightness.DIM or at < _next_move(idle):
        return replace(idle, level=level)
    moves = (at - idle.touched) // MOVES_EVERY
    return replace(idle, level=level, moves=moves)


def place(idle: Idle) -> tuple[int, int]:
    """Return where the picture stands, in pixels right and down."""
    return PLACES[idle.moves % len(PLACES)]


def _next_move(idle: Idle) -> Nanoseconds:
    return Nanoseconds(idle.touched + MOVES_EVERY * (idle.moves + 1))


def _steps(timeouts: Timeouts) -> tuple[tuple[int, Brightness], ...]:
    steps = ((timeouts.dim, Brightness.DIM), (timeouts.dark, Brightness.OFF))
    return tuple((after, level) for after, level in steps if after != NEVER)


def _darker(level: Brightness, than: Brightness) -> bool:
    order = (Brightness.FULL, Brightness.DIM, Brightness.OFF)
    return order.index(level) > order.index(than)
