"""A ledger that could not be opened is tried again; one that proves damaged is set aside."""

from contextlib import closing
from pathlib import Path

import pytest

from hardware.clock import Nanoseconds
from hardware.controls.simulated import VirtualClock
from rules.acts import act_from_plain
from rules.registry import DEFAULT
from station.book import Book
from station.keeper import RETRY, Keeper
from station.ledger.absent import NoLedger
from station.ledger.errors import Cause, InUseError, fault
from station.ledger.store import Ledger

GLORY = act_from_plain({"act": "glory", "count": 2})


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(Nanoseconds(0))


def test_a_folder_that_appears_is_used_from_then_on(tmp_path: Path, clock: VirtualClock) -> None:
    blocked = tmp_path / "state"
    blocked.touch()
    with closing(Keeper(blocked, clock, "0.1")) as keeper:
        assert isinstance(keeper.ledger, NoLedger)
        book = Book(DEFAULT, keeper.ledger, clock, "urandom")
        clock.advance(RETRY)
        assert keeper.mend()
        assert isinstance(keeper.ledger, NoLedger)
        blocked.unlink()
        assert not keeper.mend()
        clock.advance(RETRY)
        assert keeper.mend()
        book.use(keeper.ledger)
        assert book.change(GLORY).seq == 2
        clock.advance(RETRY)
        assert not keeper.mend()


def test_a_ledger_that_is_well_is_left_alone(tmp_path: Path, clock: VirtualClock) -> None:
    with closing(Keeper(tmp_path, clock, "0.1")) as keeper:
        ledger = keeper.ledger
        clock.advance(RETRY)
        assert not keeper.mend()
        assert keeper.ledger is ledger
        with pytest.raises(InUseError):
            Keeper(tmp_path, clock, "0.1")


def test_one_that_proves_damaged_is_set_aside_and_carried_over(
    tmp_path: Path, clock: VirtualClock
) -> None:
    with closing(Keeper(tmp_path, clock, "0.1")) as keeper:
        book = Book(DEFAULT, keeper.ledger, clock, "urandom")
        book.change(GLORY)
        assert isinstance(keeper.ledger, Ledger)
        keeper.ledger.fault = fault(Cause.DAMAGED, "row 2")
        assert not keeper.mend()
        clock.advance(RETRY)
        assert keeper.mend()
        book.use(keeper.ledger)
        assert book.table.glory == 2
        assert (tmp_path / "damaged-1").is_dir()
        assert keeper.condition.reason.startswith("the ledger is damaged")


def test_another_program_may_take_what_was_free(tmp_path: Path, clock: VirtualClock) -> None:
    blocked = tmp_path / "state"
    blocked.touch()
    with closing(Keeper(blocked, clock, "0.1")) as keeper:
        blocked.unlink()
        with closing(Keeper(blocked, clock, "0.1")):
            clock.advance(RETRY)
            assert keeper.mend()
            assert "already keeps the ledger" in str(keeper.ledger.fault)
        clock.advance(RETRY)
        assert keeper.mend()
        assert isinstance(keeper.ledger, Ledger)
