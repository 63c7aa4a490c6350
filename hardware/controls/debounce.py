"""Debounce of one switch as pure code: a level counts once it has stood still for a window.

A spike shorter than the window is never seen, so it can press nothing.

    raw      ____|‾|_|‾‾‾‾‾‾‾‾‾‾‾‾‾‾|_|‾|_____________
    window           |<---->|           |<---->|
    steady   _______________|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|______
"""

from dataclasses import dataclass

from hardware.clock import MILLISECOND, Nanoseconds

SHORTEST_WINDOW = Nanoseconds(5 * MILLISECOND)
"""Tactile switches bounce for up to 5 ms (ALPS SKHH data sheet: chattering 5 ms maximum)."""

LONGEST_WINDOW = Nanoseconds(20 * MILLISECOND)
"""A longer window would swallow quick double clicks."""

DEFAULT_WINDOW = Nanoseconds(10 * MILLISECOND)
"""Twice what a good switch needs, and a third of the shortest tap."""


@dataclass(frozen=True, slots=True)
class Steady:
    """The switch has settled: closed or open since `at` ns."""

    closed: bool
    at: Nanoseconds


class Debouncer:
    """Turns the raw edges of one switch into steady changes.

    Args:
        window: how long a level must stand, [5, 20] ms, in ns.
        closed: the level at start.

    Raises:
        ValueError: `window` is out of range.
    """

    def __init__(self, window: Nanoseconds = DEFAULT_WINDOW, *, closed: bool = False) -> None:
        if not SHORTEST_WINDOW <= window <= LONGEST_WINDOW:
            raise ValueError(f"window (={window} ns) must be in [5, 20] ms")
        self._window = window
        self._steady = closed
        self._raw = closed
        self._since: Nanoseconds | None = None

    def feed(self, *, closed: bool, at: Nanoseconds) -> tuple[Steady, ...]:
        """Take a raw edge; return what had settled before it (nothing or one change)."""
        settled = self.advance(at)
        if closed != self._raw:
            self._raw = closed
            self._since = None if closed == self._steady else at
        return settled

    def advance(self, now: Nanoseconds) -> tuple[Steady, ...]:
        """Return the change that has settled by `now`, if one has."""
        deadline = self.deadline()
        if self._since is None or deadline is None or now < deadline:
            return ()
        settled = Steady(self._raw, self._since)
        self._steady, self._since = self._raw, None
        return (settled,)

    @property
    def opening(self) -> Nanoseconds | None:
        """Since when (ns) the switch has been open without having settled; None if it is not."""
        return self._since if self._steady and not self._raw else None

    def deadline(self) -> Nanoseconds | None:
        """Return when the pending level will have settled, None when none is pending."""
        return None if self._since is None else Nanoseconds(self._since + self._window)
