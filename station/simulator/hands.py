"""Hands on the front panel: what they do takes time, and one thing happens after the other."""

from collections import deque
from collections.abc import Callable

from hardware.clock import MILLISECOND, Nanoseconds
from hardware.controls.events import Control
from hardware.controls.simulated import SimulatedControls
from rules.frozen import frozen

CLICK = Nanoseconds(60 * MILLISECOND)
"""How long a short press lasts: longer than any debounce, shorter than a hold."""

HOLD = Nanoseconds(700 * MILLISECOND)
"""How long a long press lasts: longer than the recogniser's hold time."""

REST = Nanoseconds(40 * MILLISECOND)
"""The pause after a press, in which its release settles."""


UNHURRIED = Nanoseconds(70 * MILLISECOND)
"""Between two detents, a pace at which a turn is not accelerated."""


@frozen
class _Move:
    act: Callable[[], None]
    then_wait: Nanoseconds


class Hands:
    """Does one gesture after the other, as time allows.

    Args:
        controls: the controls to touch.
    """

    def __init__(self, controls: SimulatedControls) -> None:
        self._controls = controls
        self._moves: deque[_Move] = deque()
        self._free_at = Nanoseconds(0)

    def turn(self, detents: int, pace: Nanoseconds = UNHURRIED) -> None:
        """Turn the knob by so many detents, positive clockwise, one each `pace` ns."""
        step = 1 if detents > 0 else -1
        for _ in range(abs(detents)):
            self._moves.append(_Move(lambda: self._controls.turn(step), pace))

    def press(self, control: Control, span: Nanoseconds = CLICK) -> None:
        """Press a control and let go of it after so many ns."""
        self._moves.append(_Move(lambda: self._controls.press(control), span))
        self._moves.append(_Move(lambda: self._controls.release(control), REST))

    def deadline(self) -> Nanoseconds | None:
        """Return when the next move is due, in ns; None while the hands are idle."""
        return self._free_at if self._moves else None

    @property
    def free_at(self) -> Nanoseconds:
        """When the last move is over and what it did has settled, in ns."""
        return self._free_at

    def advance(self, now: Nanoseconds) -> None:
        """Make the moves that are due."""
        while self._moves and self._free_at <= now:
            move = self._moves.popleft()
            move.act()
            self._free_at = Nanoseconds(now + move.then_wait)
