"""A knob turned fast moves further: pure, on events, and only where a range is long.

A range shorter than one turn of the knob needs no help, and there it would make values hard to
hit; it is therefore off below `Acceleration.turn` detents.

    time between two detents   > 60 ms   ≤ 60 ms   ≤ 30 ms   ≤ 15 ms
    each detent counts              1         2         4         8
"""

from dataclasses import replace

from hardware.clock import MILLISECOND
from hardware.controls.events import Turned

FACTORS = ((15 * MILLISECOND, 8), (30 * MILLISECOND, 4), (60 * MILLISECOND, 2))
"""Longest time between detents, in ns, and what a detent then counts; the fastest first."""

DETENTS_A_TURN = 24
"""What most encoders have; a shorter range is reached in one turn anyway."""


class Acceleration:
    """Scales what the knob says by how fast it is turned.

    Args:
        enabled: whether it does anything.
        turn: detents of one turn, ≥ 1; ranges with a shorter span are never accelerated.

    Raises:
        ValueError: `turn` is less than 1.
    """

    def __init__(self, *, enabled: bool = True, turn: int = DETENTS_A_TURN) -> None:
        if turn < 1:
            raise ValueError(f"turn (={turn} detents) must be 1 or more")
        self._enabled = enabled
        self._turn = turn
        self._last: Turned | None = None

    def scale(self, turned: Turned, span: int) -> Turned:
        """Return the turn to apply to a field whose range spans `span` steps (high − low).

        The direction is always the one that came in; after a change of direction, and on the
        first turn, a detent counts once. No turn is made longer than `span`.
        """
        last, self._last = self._last, turned
        if not self._enabled or span < self._turn or last is None:
            return turned
        if (last.detents > 0) != (turned.detents > 0):
            return turned
        detents = abs(turned.detents)
        moved = detents * _factor((turned.at - last.at) // detents)
        return replace(turned, detents=_signed(max(detents, min(moved, span)), turned))


def _factor(interval: int) -> int:
    return next((factor for longest, factor in FACTORS if interval <= longest), 1)


def _signed(size: int, like: Turned) -> int:
    return size if like.detents > 0 else -size
