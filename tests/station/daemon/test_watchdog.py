"""A draw that waits as long as it may leaves time to tell the watchdog."""

from configparser import ConfigParser
from pathlib import Path

from hardware.entropy.settings import MOST_DEADLINE_MS
from station.notify import PINGS

UNIT = Path(__file__).parents[3] / "systemd" / "dice-station.service"

MARGIN = 1.0
"""Seconds for all that an owner does besides between two beats."""


def test_the_longest_draw_ends_before_the_watchdog_bites() -> None:
    unit = ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # as configparser documents it
    unit.read(UNIT)
    allowed = float(unit["Service"]["WatchdogSec"])
    assert allowed / PINGS + MOST_DEADLINE_MS / 1000 + MARGIN < allowed
