"""Whether a thread gets on with its work; one that waits for some does, however long."""

from hardware.clock import SECOND, Clock, Nanoseconds, monotonic

HANGS_AFTER = Nanoseconds(5 * SECOND)
"""The longest that one piece of work takes; the kernel gives a transfer up after a second."""


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
