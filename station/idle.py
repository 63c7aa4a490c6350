"""Idleness: the panel dims, then goes dark, and what wakes it does nothing else.

A press that wakes is spent whole: its click, its hold and its repeats mean nothing either. A turn
that wakes is spent until the knob has rested. A panel that is only dim can be read, so there a
control does what it says.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.events import Control, ControlEvent, Pressed, Turned
from hardware.display.interface import Brightness

KNOB_RESTS = Nanoseconds(300 * MILLISECOND)
"""A pause this long ends the turn that woke the panel."""

NEVER = 0
"""A time-out in s that never comes."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """After how many seconds without a touch the panel dims and goes dark; 0 means never."""

    dim: int = 60
    dark: int = 600


@dataclass(frozen=True, slots=True)
class Idle:
    """How long nothing was touched, and what is left of the touch that woke the panel.

    Attributes:
        level: how bright the panel is.
        touched: when a control was last used, in ns.
        spent: the control whose press woke the panel, until its next press.
        knob_rests: until when, in ns, the knob's turn that woke it goes on.
    """

    level: Brightness = Brightness.FULL
    touched: Nanoseconds = Nanoseconds(0)  # noqa: RUF009 - a number
    spent: Control | None = None
    knob_rests: Nanoseconds = Nanoseconds(0)  # noqa: RUF009 - a number


Touched: TypeAlias = tuple[Idle, bool]
"""The idleness after a control event, and whether the event means anything."""


def touched(idle: Idle, event: ControlEvent) -> Touched:
    """Return the idleness after a control was used, and whether its event is to be acted on."""
    woken = replace(idle, level=Brightness.FULL, touched=event.at)
    asleep = idle.level is Brightness.OFF
    if isinstance(event, Turned):
        if asleep or event.at < idle.knob_rests:
            return replace(woken, knob_rests=Nanoseconds(event.at + KNOB_RESTS)), False
        return woken, True
    if asleep:
        return replace(woken, spent=event.control), False
    if isinstance(event, Pressed) and event.control is idle.spent:
        return replace(woken, spent=None), True
    return woken, event.control is not idle.spent


def woken(idle: Idle, at: Nanoseconds) -> Idle:
    """Return the idleness after something other than a control lit the panel."""
    return replace(idle, level=Brightness.FULL, touched=at)


def deadline(idle: Idle, timeouts: Timeouts) -> Nanoseconds | None:
    """Return when the panel next grows darker, in ns, or None if it never does."""
    times = [
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
    return replace(idle, level=level)


def _steps(timeouts: Timeouts) -> tuple[tuple[int, Brightness], ...]:
    steps = ((timeouts.dim, Brightness.DIM), (timeouts.dark, Brightness.OFF))
    return tuple((after, level) for after, level in steps if after != NEVER)


def _darker(level: Brightness, than: Brightness) -> bool:
    order = (Brightness.FULL, Brightness.DIM, Brightness.OFF)
    return order.index(level) > order.index(than)
