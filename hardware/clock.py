"""Time as the hardware tells it: whole nanoseconds of a clock that never goes back."""

import time
from collections.abc import Callable
from typing import NewType

Nanoseconds = NewType("Nanoseconds", int)
"""A point on the monotonic clock, or a span of it, in nanoseconds (≥ 0)."""

Clock = Callable[[], Nanoseconds]
"""Where a component reads the time; tests pass a function of their own."""

MILLISECOND = 1_000_000
"""Nanoseconds in a millisecond."""

SECOND = 1_000_000_000
"""Nanoseconds in a second."""


def monotonic() -> Nanoseconds:
    """Return the time of the machine's monotonic clock in nanoseconds."""
    return Nanoseconds(time.monotonic_ns())
