"""What the log is told of the parts: each change once, and never too much."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from hardware.clock import SECOND, Nanoseconds
from hardware.controls.simulated import VirtualClock
from station.chronicle import ANOTHER, MOST_LINES, SETTLE, Chronicle
from station.part import Part
from station.vitals import Vitals

GOOD, GONE = Part("ok"), Part("lost", "nothing answers at 0x3C on /dev/i2c-1")


class Told:
    """A chronicle, its clock, and what it wrote."""

    def __init__(self, caplog: Any) -> None:
        self.clock = VirtualClock(Nanoseconds(SECOND))
        self._chronicle = Chronicle(self.clock)
        self._caplog = caplog

    def note(self, part: Part, name: str = "display") -> list[str]:
        """Note how a part fares and return the lines that are written."""
        self._caplog.clear()
        self._chronicle.note(name, part)
        return [f"{record.levelname} {record.getMessage()}" for record in self._caplog.records]

    def wait(self, span: int) -> None:
        self.clock.advance(Nanoseconds(span))


@pytest.fixture
def told(caplog: Any) -> Iterator[Told]:
    with caplog.at_level(logging.INFO, "station.chronicle"):
        yield Told(caplog)


def test_a_change_is_told_once_and_its_end_too(told: Told) -> None:
    assert told.note(GOOD) == []
    assert told.note(GONE) == [f"WARNING display is lost: {GONE.reason}"]
    for _ in range(100):
        told.wait(SECOND)
        assert told.note(GONE) == []
    assert told.note(GOOD) == ["INFO display is ok again"]
    assert told.note(GOOD) == []


def test_what_is_not_well_at_the_start_is_told_once_it_stays_so(told: Told) -> None:
    assert told.note(GONE) == []
    told.wait(SETTLE)
    assert told.note(GONE) == [f"WARNING display is lost: {GONE.reason}"]
    assert told.note(GONE) == []


def test_what_only_starts_is_no_fault(told: Told) -> None:
    assert told.note(Part("degraded", "hwrng is in its start-up test"), "entropy") == []
    told.wait(SETTLE - 1)
    assert told.note(GOOD, "entropy") == []


def test_what_is_found_missing_while_it_starts_is_told_at_once(told: Told) -> None:
    assert told.note(Part("degraded", "the panel has not answered yet")) == []
    assert told.note(GONE) == [f"WARNING display is lost: {GONE.reason}"]


def test_another_reason_is_told_but_not_another_number(told: Told) -> None:
    told.note(GOOD, "ledger")
    assert told.note(Part("degraded", "3 rows are lost"), "ledger")
    assert told.note(Part("degraded", "14 rows are lost"), "ledger") == []
    (line,) = told.note(Part("degraded", "the disk is full"), "ledger")
    assert line == "WARNING ledger is degraded: the disk is full"


def test_controls_are_several(told: Told) -> None:
    told.note(GOOD, "controls")
    (line,) = told.note(Part("degraded", "stuck closed: roll"), "controls")
    assert line == "WARNING controls are degraded: stuck closed: roll"


def test_a_part_that_comes_and_goes_does_not_flood_the_log(told: Told) -> None:
    told.note(GOOD)
    lines = []
    for count in range(1, 1000):
        lines += told.note(GONE if count % 2 else GOOD)
    assert len(lines) == MOST_LINES
    assert lines[-1].endswith("from now on it is told more rarely")
    told.wait(ANOTHER)
    assert told.note(GOOD) == []
    (line,) = told.note(GONE)
    assert line.startswith("WARNING display is lost")
    assert told.note(GOOD) == []
    told.wait(ANOTHER)
    (line,) = told.note(GOOD)
    assert line.startswith("INFO display is ok again")
    told.wait(ANOTHER * MOST_LINES)
    assert sum(len(told.note(part)) for part in [GONE, GOOD] * MOST_LINES) == MOST_LINES


def test_one_part_that_comes_and_goes_does_not_silence_another(told: Told) -> None:
    for part in [GOOD, GONE] * MOST_LINES:
        told.note(part)
        told.note(GOOD, "entropy")
    assert told.note(Part("degraded", "hwrng ended"), "entropy")


def test_whoever_looks_at_the_parts_lets_it_know() -> None:
    seen: list[tuple[str, Part]] = []
    vitals = Vitals(
        {"one": lambda: GONE}, VirtualClock(Nanoseconds(0)), lambda *each: seen.append(each)
    )
    vitals.news()
    vitals.news()
    assert seen == [("one", GONE)] * 2
