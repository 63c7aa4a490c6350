"""Whether a thread gets on with its work; one that waits for some does, however long."""

from hardware.clock import SECOND, Clock, Nanoseconds, monotonic

HANGS_AFTER = Nanoseconds(8 * SECOND)
"""The longest that one piece of work takes.

The kernel gives a transfer up after a second, but the first step of a display loads its driver
while the rest of the station loads, which takes a slow board some seconds.
"""


class Progress:
    """Kept by the thread that works, and asked by any other.

    Args:
        clock: monotonic time.
    """

    def __init__(self, clock: Clock = monotonic) -> None:
        self._clock = clock
        self._began: Nanoseconds | None = None

    def works(self) -> None:
        """Note that a piece of work begins."""
        self._began = self._clock()

    def waits(self) -> None:
        """Note that there is nothing to do."""
        self._began = None

    def hangs(self) -> bool:
        """Return whether a piece of work takes longer than any should."""
        began = self._began
        return began is not None and self._clock() - began > HANGS_AFTER
