"""When something happens, as a row of the ledger tells it."""

from datetime import UTC, datetime, timedelta

from hardware.clock import MILLISECOND, Clock, Nanoseconds
from station.ledger.rows import Moment

CLOCK_SET = datetime(2025, 1, 1, tzinfo=UTC)
"""A wall clock that is before this was never set: a Pi without a battery starts in 1970."""


def moment(clock: Clock) -> Moment:
    """Return the time for a row: monotonic, and the wall clock's if it was ever set."""
    return Moment(clock() // MILLISECOND, _told(datetime.now(UTC)))


def time_of(at: Nanoseconds, clock: Clock) -> str | None:
    """Return a point on the monotonic clock in UTC, or None while the wall clock was never set."""
    now = datetime.now(UTC)
    ago = timedelta(milliseconds=(clock() - at) // MILLISECOND)
    return None if now < CLOCK_SET else _told(now - ago)


def _told(time: datetime) -> str | None:
    text = time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return text if time >= CLOCK_SET else None
