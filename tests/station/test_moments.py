"""Times of rows: the wall clock's only where it was ever set."""

from datetime import UTC, datetime, tzinfo

import pytest

from hardware.clock import SECOND, Nanoseconds
from station import moments


class Wall:
    """A wall clock that stands where a test put it."""

    at = datetime(2026, 1, 2, 20, tzinfo=UTC)

    @classmethod
    def now(cls, tz: tzinfo) -> datetime:
        return cls.at.astimezone(tz)


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> type[Wall]:
    monkeypatch.setattr(moments, "datetime", Wall)
    monkeypatch.setattr(Wall, "at", Wall.at)
    return Wall


def clock() -> Nanoseconds:
    return Nanoseconds(90 * SECOND)


@pytest.mark.usefixtures("wall")
def test_a_moment_has_both_clocks() -> None:
    found = moments.moment(clock)
    assert (found.uptime_ms, found.time) == (90_000, "2026-01-02T20:00:00.000Z")


def test_a_clock_that_was_never_set_tells_no_time(wall: type[Wall]) -> None:
    wall.at = datetime(1970, 1, 1, tzinfo=UTC)
    assert moments.moment(clock).time is None
    assert moments.time_of(Nanoseconds(0), clock) is None


@pytest.mark.usefixtures("wall")
def test_what_happened_earlier_is_told_in_todays_time() -> None:
    assert moments.time_of(Nanoseconds(30 * SECOND), clock) == "2026-01-02T19:59:00.000Z"
