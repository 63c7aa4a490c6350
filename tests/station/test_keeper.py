"""A ledger that could not be opened is tried again; one that proves damaged is set aside."""

import shutil
from collections.abc import Callable, Iterator
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
from station.ledger.faults import DATABASE, LOCK
from station.ledger.reader import Reader
from station.ledger.store import Condition, Ledger, Standing
from station.ledger.verify import verify

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


class Table:
    """A keeper on a folder, and a book that writes to what it keeps."""

    def __init__(self, folder: Path, clock: VirtualClock) -> None:
        self.folder = folder
        self.keeper = Keeper(folder, clock, "0.1")
        self.book = Book(DEFAULT, self.keeper.ledger, clock, "urandom")

    def beat(self) -> bool:
        """Do as a heartbeat does."""
        if found := self.keeper.mend():
            self.book.use(self.keeper.ledger)
        return found

    def glory(self) -> int:
        """Write a row; return its number."""
        return self.book.change(GLORY).seq

    def close(self) -> None:
        self.keeper.close()


@pytest.fixture
def table(tmp_path: Path, clock: VirtualClock) -> Iterator[Table]:
    with closing(Table(tmp_path / "state", clock)) as found:
        yield found


def removed(table: Table) -> None:
    (table.folder / DATABASE).unlink()


def moved(table: Table) -> None:
    (table.folder / DATABASE).rename(table.folder / "old.db")


def all_removed(table: Table) -> None:
    shutil.rmtree(table.folder)


def folder_moved(table: Table) -> None:
    table.folder.rename(table.folder.with_name("old"))


@pytest.mark.parametrize("displace", [removed, moved, all_removed, folder_moved])
def test_a_file_that_is_not_there_any_more_is_put_back_with_all_its_rows(
    table: Table, displace: Callable[[Table], None]
) -> None:
    table.glory()
    displace(table)
    last = table.glory()
    assert table.beat()
    assert not table.beat()
    assert table.book.table.glory == 4
    assert table.glory() == last + 2
    assert table.keeper.condition.standing is Standing.DEGRADED
    told = "ledger.db was moved or removed while in use; it was put back with all its rows"
    assert table.keeper.condition.reason == told
    table.close()
    left = {path.name for path in table.folder.iterdir()}
    assert left - {"old.db"} == {DATABASE, LOCK}
    checked = verify(table.folder / DATABASE, workers=1)
    assert checked.problem is None
    with Reader.open(table.folder / DATABASE) as reader:
        assert reader.head().seq == last + 2


def test_a_file_that_took_its_place_is_used_and_the_rows_are_kept(
    table: Table, tmp_path: Path, clock: VirtualClock
) -> None:
    with closing(Table(tmp_path / "other", clock)) as other:
        for _ in range(5):
            last = other.glory()
    table.glory()
    (tmp_path / "other" / DATABASE).replace(table.folder / DATABASE)
    own = table.glory()
    assert table.beat()
    assert table.book.table.glory == 10
    assert table.glory() == last + 2
    assert table.keeper.condition.reason.endswith("rows until then: displaced-1.db")
    table.close()
    for name, head in ((DATABASE, last + 2), ("displaced-1.db", own)):
        assert verify(table.folder / name, workers=1).problem is None
        with Reader.open(table.folder / name) as reader:
            assert reader.head().seq == head


def test_rows_that_cannot_be_kept_yet_stay_where_they_are_until_they_can(
    table: Table, clock: VirtualClock
) -> None:
    table.glory()
    removed(table)
    blocked = table.folder / "ledger.displaced"
    blocked.mkdir()
    assert not table.beat()
    assert "ledger.db was moved or removed, and can't be put back: " in (
        table.keeper.condition.reason
    )
    last = table.glory()
    blocked.rmdir()
    assert not table.beat()
    clock.advance(RETRY)
    assert table.beat()
    assert table.glory() == last + 2
    table.close()
    assert verify(table.folder / DATABASE, workers=1).problem is None


def log_removed(table: Table) -> None:
    (table.folder / f"{DATABASE}-wal").unlink()


def linked(table: Table) -> None:
    table.folder.with_name("old").mkdir()
    elsewhere = (table.folder / DATABASE).rename(table.folder.with_name("old") / DATABASE)
    (table.folder / DATABASE).symlink_to(elsewhere)


@pytest.mark.parametrize("displace", [log_removed, linked])
def test_a_file_that_lost_its_log_gets_all_rows(
    table: Table, displace: Callable[[Table], None]
) -> None:
    table.glory()
    displace(table)
    last = table.glory()
    assert table.beat()
    assert not table.beat()
    assert table.book.table.glory == 4
    assert table.glory() == last + 2
    assert table.keeper.condition.reason.startswith("the log of ledger.db was moved or removed")
    table.close()
    assert verify(table.folder / DATABASE, workers=1).problem is None


@pytest.mark.parametrize("displace", [removed, moved, all_removed, folder_moved, linked])
def test_who_ends_before_a_beat_puts_it_back_all_the_same(
    table: Table, displace: Callable[[Table], None], clock: VirtualClock
) -> None:
    table.glory()
    displace(table)
    last = table.glory()
    table.close()
    with closing(Table(table.folder, clock)) as again:
        assert again.book.table.glory == 4
        assert again.glory() == last + 2


def test_a_link_that_leads_to_itself_is_no_place(table: Table, clock: VirtualClock) -> None:
    table.glory()
    removed(table)
    (table.folder / DATABASE).symlink_to(DATABASE)
    assert not table.beat()
    assert "can't be put back" in table.keeper.condition.reason
    (table.folder / DATABASE).unlink()
    clock.advance(RETRY)
    assert table.beat()
    assert table.book.table.glory == 2


class Cut(BaseException):
    """The power is gone."""


def powers_off(*_: object) -> None:
    raise Cut


@pytest.mark.parametrize("displace", [removed, moved, all_removed])
@pytest.mark.parametrize(
    "at", ["station.ledger.displaced._remove_beside", "station.ledger.store.Ledger.close"]
)
def test_a_cut_while_it_is_put_back_loses_nothing(
    table: Table,
    displace: Callable[[Table], None],
    at: str,
    clock: VirtualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table.glory()
    # What an earlier rescue, and an earlier displacement, left behind is older.
    (table.folder / "damaged-1").mkdir()
    for old in ("damaged-1/ledger.db", "displaced-1.db"):
        shutil.copy(table.folder / DATABASE, table.folder / old)
    displace(table)
    last = table.glory()
    with monkeypatch.context() as cut:
        cut.setattr(at, powers_off)
        with pytest.raises(Cut):
            table.beat()
    assert (table.folder / "ledger.back").is_file()
    kept = table.folder.with_name("kept")
    shutil.copytree(table.folder, kept)
    with closing(Table(kept, clock)) as again:
        assert again.book.table.glory == 4
        assert again.glory() == last + 2
        assert not (kept / "ledger.back").exists()
    assert verify(kept / DATABASE, workers=1).problem is None


def test_a_cut_leaves_a_file_alone_that_took_the_place(
    table: Table, tmp_path: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Table(tmp_path / "other", clock)) as other:
        last = [other.glory() for _ in range(5)][-1]
    table.glory()
    (tmp_path / "other" / DATABASE).replace(table.folder / DATABASE)
    table.glory()
    with monkeypatch.context() as cut:
        cut.setattr("station.ledger.displaced._copy", powers_off)
        with pytest.raises(Cut):
            table.beat()
    kept = table.folder.with_name("kept")
    shutil.copytree(table.folder, kept)
    with closing(Table(kept, clock)) as again:
        assert again.book.table.glory == 10
        assert again.glory() == last + 2


def test_a_log_without_its_file_is_kept(
    table: Table, clock: VirtualClock, caplog: pytest.LogCaptureFixture
) -> None:
    table.glory()
    moved(table)
    killed = table.folder.with_name("kept")
    shutil.copytree(table.folder, killed)
    with closing(Table(killed, clock)) as again:
        assert again.book.table.glory == 0
    assert "its log is kept in damaged-1" in caplog.text
    # Put together again, they have every row.
    aside = (killed / "old.db").rename(killed / "damaged-1" / DATABASE)
    assert verify(aside, workers=1).problem is None
    with Reader.open(aside) as reader:
        assert reader.head().seq == 2


def test_a_disk_that_is_none_is_told_for_each_ledger(
    table: Table, clock: VirtualClock, tmp_path: Path
) -> None:
    table.keeper.weigh(lambda folder: f"{folder.name} is kept in memory")
    assert table.keeper.condition == Condition(Standing.DEGRADED, "state is kept in memory")
    assert table.glory() == 2
    removed(table)
    assert table.beat()
    assert table.keeper.condition.reason.endswith("rows; state is kept in memory")
    blocked = tmp_path / "blocked"
    blocked.touch()
    with closing(Keeper(blocked, clock, "0.1")) as keeper:
        keeper.weigh(lambda _: "in memory")
        assert "in memory" not in keeper.condition.reason
