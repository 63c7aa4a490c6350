"""Whatever is wrong with disk or file: the station goes on, says what it is, loses nothing."""

import errno
import hashlib
import os
import random
import resource
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from station.ledger import (
    TABLE,
    Cause,
    InUseError,
    Key,
    Ledger,
    Moment,
    NoLedger,
    Opened,
    Standing,
    UnavailableError,
    drawn,
    open_ledger,
    reopen_damaged,
)
from station.ledger.errors import fault_of
from station.ledger.faults import DATABASE, LOCK
from station.ledger.reader import Reader
from station.ledger.salvage import carry_over
from station.ledger.verify import verify

KEY = Key("6d0c2f1e-0000-4000-8000-000000000001", "a" * 64)
NOW = Moment(1, "2026-02-01T20:00:00.000Z")


def started(folder: Path) -> Opened:
    return open_ledger(folder, NOW, "0.1")


@contextmanager
def station(folder: Path) -> Iterator[Ledger | NoLedger]:
    """A station's ledger from its start to its end."""
    opened = started(folder)
    try:
        yield opened.ledger
    finally:
        opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def full_of_rolls(folder: Path, table: Any) -> Path:
    """A state folder whose ledger has rows of every kind, closed in good order."""
    with station(folder) as ledger:
        assert isinstance(ledger, Ledger)
        table.fill(ledger, 200)
    return folder


def sums(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_folder_that_is_not_there_is_made(folder: Path, table: Any) -> None:
    with station(folder / "deeper") as ledger:
        assert ledger.condition.standing is Standing.OK
        assert ledger.append(table.any_roll(), NOW).recorded


class TestTwoDaemons:
    def test_the_second_is_told_who_the_first_is(self, folder: Path) -> None:
        with station(folder), pytest.raises(InUseError, match="already keeps") as caught:
            started(folder)
        assert caught.value.pid == os.getpid()
        assert f"process {os.getpid()} already keeps the ledger in {folder}" in str(caught.value)

    def test_a_lock_ends_with_its_process_however_it_ends(self, folder: Path) -> None:
        code = (
            "import os, pathlib, sys\n"
            "from station.ledger import Moment, open_ledger\n"
            "opened = open_ledger(pathlib.Path(sys.argv[1]), Moment(1), '0.1')\n"
            "os.kill(os.getpid(), 9)\n"
        )
        run = subprocess.run([sys.executable, "-c", code, str(folder)], check=False)  # noqa: S603 - our own code
        assert run.returncode == -9
        assert (folder / LOCK).read_text(encoding="ascii").strip().isdigit()
        with station(folder) as ledger:
            assert ledger.condition.standing is Standing.OK

    def test_a_second_station_changes_nothing(self, folder: Path, table: Any) -> None:
        with station(folder) as ledger:
            ledger.append(table.any_roll(), NOW)
            with pytest.raises(InUseError):
                started(folder)
            assert ledger.append(table.any_roll(), NOW).recorded
            assert ledger.head().seq == 3


def refuses_keys_but_rolls_on(ledger: Ledger | NoLedger, roll: Any, cause: Cause) -> None:
    """A ledger that can't be written to answers as the protocol promises."""
    receipt = ledger.append(roll, NOW)
    assert not receipt.recorded
    assert receipt.fault is not None
    assert receipt.fault.cause is cause
    with pytest.raises(UnavailableError) as caught:
        ledger.append(roll, NOW, key=KEY)
    assert caught.value.fault.cause is cause
    assert ledger.condition.standing is Standing.LOST
    assert ledger.condition.reason == receipt.fault.message
    if cause is not Cause.FULL:  # where a small document may still find room
        assert not ledger.put("dial", {})


class TestNoLedger:
    @pytest.mark.usefixtures("needs_mounts")
    def test_a_read_only_folder(self, full_of_rolls: Path, table: Any, small_disk: Any) -> None:
        disk = small_disk(8)
        shutil.copytree(full_of_rolls, disk / "state")
        small_disk.remount("ro")
        with station(disk / "state") as ledger:
            refuses_keys_but_rolls_on(ledger, table.any_roll(), Cause.READ_ONLY)
            with pytest.raises(UnavailableError):
                ledger.find(KEY)
            assert ledger.history().records, "what is there can still be read"
            assert ledger.pending() == ()
            assert "not recorded" in ledger.condition.reason

    @pytest.mark.usefixtures("needs_mounts")
    def test_a_read_only_folder_without_any_ledger(self, table: Any, small_disk: Any) -> None:
        disk = small_disk(8)
        small_disk.remount("ro")
        with station(disk / "state") as ledger:
            refuses_keys_but_rolls_on(ledger, table.any_roll(), Cause.READ_ONLY)
            assert ledger.history().records == ()
            assert ledger.head().seq == 0
            assert ledger.row(1) is ledger.record(1) is ledger.document(TABLE) is None
            everything = ledger.fairness()
            assert everything is not None
            assert everything.dice == 0
            assert ledger.fairness("hwrng") is None
            assert ledger.fairness_all() == (everything,)

    def test_a_folder_that_can_not_be_made(self, tmp_path: Path, table: Any) -> None:
        (tmp_path / "file").write_text("not a folder", encoding="ascii")
        with station(tmp_path / "file" / "state") as ledger:
            assert isinstance(ledger, NoLedger)
            refuses_keys_but_rolls_on(ledger, table.any_roll(), ledger.fault.cause)
        assert (tmp_path / "file").read_text(encoding="ascii") == "not a folder"

    def test_a_newer_layout_is_neither_written_to_nor_set_aside(
        self, full_of_rolls: Path, table: Any
    ) -> None:
        with closing(sqlite3.connect(full_of_rolls / DATABASE)) as db:
            db.execute("PRAGMA user_version = 99")
            db.execute("DROP TABLE tally")
            db.execute("ALTER TABLE entry RENAME COLUMN faces TO pips")
        before = sums(full_of_rolls / DATABASE)
        with station(full_of_rolls) as ledger:
            refuses_keys_but_rolls_on(ledger, table.any_roll(), Cause.NEWER)
        assert sums(full_of_rolls / DATABASE) == before
        assert {path.name for path in full_of_rolls.iterdir()} <= {
            DATABASE,
            f"{DATABASE}-shm",
            f"{DATABASE}-wal",
            LOCK,
        }


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_folder(path: Path) -> None:
    path.mkdir()


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def a_device(path: Path) -> None:
    path.symlink_to("/dev/null")


@pytest.mark.timeout(30)
@pytest.mark.parametrize("thing", [a_pipe, a_folder, a_socket, a_device])
def test_what_is_no_file_is_named_and_never_opened(
    tmp_path_factory: pytest.TempPathFactory, table: Any, thing: Callable[[Path], None]
) -> None:
    folder = tmp_path_factory.mktemp("f")  # a socket's path must be short
    thing(folder / DATABASE)
    what = thing.__name__.replace("_", " ")
    with station(folder) as ledger:
        refuses_keys_but_rolls_on(ledger, table.any_roll(), Cause.NO_FILE)
        told = f"ledger.db is {what}, not a file; rolls are not recorded"
        assert ledger.condition.reason == told
    with pytest.raises(UnavailableError) as caught:
        Reader.open(folder / DATABASE)
    assert caught.value.fault.to_reader == "what lies in the ledger's place is no file"
    assert [path.name for path in folder.iterdir() if path.name.startswith("damaged")] == []


class TestLocked:
    def test_another_program_s_lock_is_told_and_passes(
        self, full_of_rolls: Path, table: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("station.ledger.store.LOCK_TIMEOUT", 0.01)
        other = sqlite3.connect(full_of_rolls / DATABASE, isolation_level=None)
        with closing(other), station(full_of_rolls) as ledger:
            other.execute("BEGIN IMMEDIATE")
            refuses_keys_but_rolls_on(ledger, table.any_roll(), Cause.LOCKED)
            other.execute("COMMIT")
            assert ledger.append(table.any_roll(), NOW, key=KEY).recorded
            assert ledger.condition.standing is Standing.OK

    def test_a_lock_at_the_start_is_no_damage(
        self, full_of_rolls: Path, table: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("station.ledger.store.LOCK_TIMEOUT", 0.01)
        other = sqlite3.connect(full_of_rolls / DATABASE, isolation_level=None)
        with closing(other):
            other.execute("BEGIN EXCLUSIVE")
            with station(full_of_rolls) as ledger:
                refuses_keys_but_rolls_on(ledger, table.any_roll(), Cause.LOCKED)
        with station(full_of_rolls) as ledger:
            assert ledger.condition.standing is Standing.OK


class SmallDisk:
    """A small disk in memory, for filling up and for making read-only."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._mounted = False

    def __call__(self, mebibytes: int) -> Path:
        self._place.mkdir()
        options = f"size={mebibytes}m"
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(self._place)]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own command
        self._mounted = True
        return self._place

    def remount(self, mode: str) -> None:
        command = ["mount", "-o", f"remount,{mode}", str(self._place)]
        subprocess.run(command, check=True)  # noqa: S603 - our own command

    def unmount(self) -> None:
        if self._mounted:
            subprocess.run(["umount", str(self._place)], check=True)  # noqa: S603, S607 - our own command


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    disk = SmallDisk(tmp_path / "disk")
    yield disk
    disk.unmount()


@pytest.fixture
def needs_mounts(tmp_path: Path) -> None:
    """Skip where this process may not mount a disk in memory."""
    disk = SmallDisk(tmp_path / "try")
    try:
        disk(1)
    except (subprocess.CalledProcessError, FileNotFoundError):
        pytest.skip("mounting a tmpfs needs root")
    disk.unmount()


def until_it_fails(ledger: Ledger, table: Any) -> int:
    """Roll until a roll is not recorded; return the last recorded row's number."""
    for number in range(20_000):
        receipt = ledger.append(table.big_roll(), NOW)
        if not receipt.recorded:
            assert receipt.fault is not None
            assert receipt.fault.cause is Cause.FULL, receipt.fault
            return number + 1
    raise AssertionError("the disk never filled up")


class TestFull:
    @pytest.mark.usefixtures("needs_mounts")
    def test_a_full_disk_is_told_until_there_is_room_again(
        self, small_disk: SmallDisk, table: Any
    ) -> None:
        disk = small_disk(1)
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(300_000))
        with station(disk / "state") as ledger:
            assert isinstance(ledger, Ledger)
            last = until_it_fails(ledger, table)
            refuses_keys_but_rolls_on(ledger, table.big_roll(), Cause.FULL)
            assert ledger.head().seq == last
            assert ledger.history().records
            ballast.unlink()
            assert ledger.append(table.any_roll(), NOW, key=KEY).recorded
            assert ledger.condition.standing is Standing.OK
        assert verify(disk / "state" / DATABASE).problem is None

    @pytest.mark.usefixtures("needs_mounts")
    def test_a_disk_that_is_full_at_the_start(
        self, small_disk: SmallDisk, full_of_rolls: Path, table: Any
    ) -> None:
        disk = small_disk(1)
        shutil.copytree(full_of_rolls, disk / "state")
        with (
            (disk / "ballast").open("wb", buffering=0) as ballast,
            pytest.raises(OSError, match="No space"),
        ):
            ballast.writelines([bytes(4096)] * 500)
        before = sums(disk / "state" / DATABASE)
        with station(disk / "state") as ledger:
            refuses_keys_but_rolls_on(ledger, table.big_roll(), Cause.FULL)
        assert sums(disk / "state" / DATABASE) == before
        (disk / "ballast").unlink()
        with station(disk / "state") as ledger:
            assert ledger.condition.standing is Standing.OK
            assert ledger.append(table.any_roll(), NOW).recorded

    def test_a_database_that_may_not_grow_is_full(self, folder: Path, table: Any) -> None:
        with station(folder) as ledger:
            assert isinstance(ledger, Ledger)
            pages = ledger._db.execute("PRAGMA page_count").fetchone()[0]  # noqa: SLF001 - no other way without a full disk
            ledger._db.execute(f"PRAGMA max_page_count = {pages + 4}")  # noqa: SLF001 - likewise
            last = until_it_fails(ledger, table)
            refuses_keys_but_rolls_on(ledger, table.big_roll(), Cause.FULL)
            ledger._db.execute("PRAGMA max_page_count = 100000")  # noqa: SLF001 - likewise
            assert ledger.append(table.any_roll(), NOW, key=KEY).row is not None
            assert ledger.head().seq == last + 1
            assert ledger.condition.standing is Standing.OK
        assert verify(folder / DATABASE).problem is None

    def test_a_limit_on_the_size_of_files_loses_nothing(self, folder: Path, table: Any) -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        with station(folder) as ledger:
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
            try:
                recorded = 1
                while ledger.append(table.any_roll(), NOW).recorded:
                    recorded += 1
                assert ledger.condition.standing is Standing.LOST
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            assert ledger.head().seq == recorded
            assert ledger.append(table.any_roll(), NOW).recorded
        assert verify(folder / DATABASE).problem is None


def overwrite(path: Path, offset: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def flip_bit_in_row(database: Path, seq: int) -> None:
    """Flip a bit of a row's last text column where it lies in the file."""
    with Reader.open(database) as reader:
        row = reader.row(seq)
    assert row is not None
    content = database.read_bytes()
    place = content.rindex(row.prev + row.hash) - 1
    overwrite(database, place, bytes([content[place] ^ 4]))


class TestDamaged:
    @pytest.mark.parametrize("content", [b"not a database, but long enough" * 400, b"short"])
    def test_a_file_that_is_no_database_is_kept_aside(
        self, folder: Path, table: Any, content: bytes
    ) -> None:
        folder.mkdir()
        (folder / DATABASE).write_bytes(content)
        with station(folder) as ledger:
            assert ledger.condition.standing is Standing.DEGRADED
            assert ledger.condition.reason == (
                "the ledger's file is no database of this program; "
                "it is kept in damaged-1, 0 rows carried over"
            )
            assert ledger.append(table.any_roll(), NOW, key=KEY).recorded
        assert (folder / "damaged-1" / DATABASE).read_bytes() == content
        assert verify(folder / DATABASE).problem is None

    def test_another_program_s_database_is_kept_aside(self, folder: Path) -> None:
        folder.mkdir()
        with closing(sqlite3.connect(folder / DATABASE)) as db:
            db.execute("CREATE TABLE recipes(cake)")
        before = sums(folder / DATABASE)
        with station(folder) as ledger:
            assert ledger.condition.standing is Standing.DEGRADED
        assert sums(folder / "damaged-1" / DATABASE) == before

    def test_the_fresh_chain_names_the_old_file_and_its_hash(self, folder: Path) -> None:
        folder.mkdir()
        (folder / DATABASE).write_bytes(b"?" * 9000)
        with station(folder) as ledger:
            row = ledger.row(1)
            assert row is not None
            assert row.kind == "carried"
            assert row.document("detail") == {
                "aside": f"damaged-1/{DATABASE}",
                "sha256": sums(folder / "damaged-1" / DATABASE),
                "rows": 0,
                "lost": [],
            }

    def test_a_page_in_the_middle_costs_its_rows_and_no_others(
        self, full_of_rolls: Path, table: Any
    ) -> None:
        database = full_of_rolls / DATABASE
        with Reader.open(database) as reader:
            before = {row.seq: row for row in reader.rows()}
            state = reader.document(TABLE)
        marks = range(0, database.stat().st_size, 4096)
        page = next(o for o in marks if b'"seven-kingdoms"' in database.read_bytes()[o : o + 4096])
        overwrite(database, page, b"\xff" * 4096)
        opened = started(full_of_rolls)
        assert opened.ledger.condition.standing is Standing.OK  # too deep for the look at the start
        with pytest.raises(UnavailableError):
            list(opened.ledger.rows())
        opened = reopen_damaged(opened, full_of_rolls, NOW, "0.1")
        ledger = opened.ledger
        assert isinstance(ledger, Ledger)
        with closing(opened):
            after = {row.seq: row for row in ledger.rows()}
            carried = after[max(before) + 2]
            aside = full_of_rolls / "damaged-1" / DATABASE
            assert carried.document("detail")["sha256"] == sums(aside)
            lost = set(before) - set(after)
            assert 0 < len(lost) < 10
            assert all(after[seq] == before[seq] for seq in set(before) - lost)
            assert f"rows carried over, {len(lost)} lost" in ledger.condition.reason
            assert ledger.document(TABLE) == state
            assert ledger.append(table.any_roll(), NOW, key=KEY).recorded
        assert verify(full_of_rolls / DATABASE).problem is None

    def test_a_bit_in_the_last_rows_is_seen_at_the_start(
        self, full_of_rolls: Path, table: Any
    ) -> None:
        database = full_of_rolls / DATABASE
        with Reader.open(database) as reader:
            last = reader.head().seq
        flip_bit_in_row(database, last - 9)
        damaged = sums(database)
        with station(full_of_rolls) as ledger:
            assert sums(full_of_rolls / "damaged-1" / DATABASE) == damaged
            assert ledger.condition.standing is Standing.DEGRADED
            assert "1 lost" in ledger.condition.reason
            assert ledger.row(last - 9) is None
            assert ledger.row(last) is not None
            assert ledger.append(table.any_roll(), NOW).row.seq == last + 3  # type: ignore[union-attr] # a None here fails the test as it should
        assert verify(full_of_rolls / DATABASE).problem is None

    @pytest.mark.parametrize("place", [*range(0, 18, 3), 21, 44, 56, 70, 100, 103])
    def test_a_bit_in_the_header_costs_no_row(self, full_of_rolls: Path, place: int) -> None:
        """Some of these bits SQLite does not mind; with the others nothing could be read."""
        database = full_of_rolls / DATABASE
        with Reader.open(database) as reader:
            before = list(reader.rows())
        flipped = database.read_bytes()[place] ^ 0x10
        overwrite(database, place, bytes([flipped]))
        damaged = sums(database)
        with station(full_of_rolls) as ledger:
            if place < 100:  # beyond the header the layout itself is hit, and all is kept aside
                assert [row for row in ledger.rows() if row.seq <= before[-1].seq] == before
            asides = list(full_of_rolls.glob("damaged-*"))
            assert all(sums(aside / DATABASE) == damaged for aside in asides)
            assert not list(full_of_rolls.glob("*/mended"))
        assert verify(database).problem is None

    @pytest.mark.parametrize(
        ("place", "cause"), [(18, Cause.READ_ONLY), (61, Cause.NEWER)], ids=["write", "version"]
    )
    def test_a_bit_that_says_hands_off_is_obeyed(
        self, full_of_rolls: Path, table: Any, place: int, cause: Cause
    ) -> None:
        """Such a file may as well come from a newer program, so it is left as it is."""
        database = full_of_rolls / DATABASE
        overwrite(database, place, bytes([database.read_bytes()[place] ^ 0x10]))
        before = sums(database)
        with station(full_of_rolls) as ledger:
            refuses_keys_but_rolls_on(ledger, table.any_roll(), cause)
        assert sums(database) == before

    def test_lost_numbers_are_not_given_to_new_rolls(self, full_of_rolls: Path) -> None:
        """The last rows are lost: their numbers were shown to people, so they stay theirs."""
        with closing(sqlite3.connect(full_of_rolls / DATABASE, isolation_level=None)) as db:
            db.execute("DROP TRIGGER entry_no_update")
            last = db.execute("SELECT max(seq) FROM entry").fetchone()[0]
            db.execute("UPDATE entry SET outcome = '{}' WHERE seq > ?", (last - 5,))
        with station(full_of_rolls) as ledger:
            carried = ledger.row(last + 1)
            assert carried is not None
            assert carried.document("detail")["lost"] == [[last - 4, last]]
        assert verify(full_of_rolls / DATABASE).problem is None

    def test_keys_and_rolls_that_wait_are_carried_over(
        self, folder: Path, table: Any, requests: Any
    ) -> None:
        with station(folder) as ledger:
            keyed = ledger.append(table.any_roll(), NOW, key=KEY).row
            other = Key("7", "b" * 64, "session")
            waits = ledger.append(drawn(requests[4], (1, 2, 3, 4), "urandom"), NOW, key=other).row
            ledger.put("dial", requests[0])
        assert keyed is not None
        with closing(sqlite3.connect(folder / DATABASE)) as db:
            db.execute("DROP TABLE key")
            db.execute("DROP TABLE pending")
        opened = started(folder)
        opened = reopen_damaged(opened, folder, NOW, "0.1")
        with closing(opened):
            assert opened.ledger.find(KEY) == keyed
            assert opened.ledger.find(other) == waits
            assert [each.first for each in opened.ledger.pending()] == [waits]
            assert opened.ledger.document("dial") == requests[0]

    def test_a_cut_while_it_is_set_aside_is_finished_at_the_next_start(
        self, full_of_rolls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with Reader.open(full_of_rolls / DATABASE) as reader:
            rows = reader.head().seq
        flip_bit_in_row(full_of_rolls / DATABASE, rows - 9)
        steps = 0
        while True:
            work = tmp_path / f"cut-{steps}"
            shutil.copytree(full_of_rolls, work)
            (work / f"{DATABASE}-wal").write_bytes(b"the log goes with its database")
            if not cut_after(work, steps, monkeypatch):
                break
            with station(work) as ledger:
                assert isinstance(ledger, Ledger)
                assert ledger.head().seq > rows
            logs = [path.read_bytes()[:7] for path in work.glob(f"*/{DATABASE}-wal")]
            assert logs == [b"the log"]
            assert verify(work / DATABASE).problem is None
            steps += 1
        assert steps >= 5

    def test_the_next_damage_gets_a_folder_of_its_own(self, folder: Path) -> None:
        for number in (1, 2, 3):
            folder.mkdir(exist_ok=True)
            (folder / DATABASE).write_bytes(b"%d" % number * 500)
            with station(folder):
                pass
            assert (folder / f"damaged-{number}" / DATABASE).read_bytes() == b"%d" % number * 500


class Cut(BaseException):
    """The power goes."""


def cut_after(folder: Path, steps: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Set a ledger aside with the power cut after so many steps; return whether it was cut."""
    left = steps

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            nonlocal left
            if left == 0:
                raise Cut
            left -= 1
            return real(*args)

        return call

    with monkeypatch.context() as patched:
        for name in ("mkdir", "rename", "replace"):
            patched.setattr(Path, name, counted(getattr(Path, name)))
        patched.setattr("station.ledger.salvage.carry_over", counted(carry_over))
        try:
            started(folder).close()
        except Cut:
            return True
    return False


class TestTornLog:
    """The write-ahead log, cut or scribbled over anywhere after its last sync."""

    @pytest.fixture
    def crashed(self, folder: Path, tmp_path: Path, table: Any) -> Path:
        """A state folder as a crash leaves it: everything still in the log."""
        opened = started(folder)
        for _ in range(20):
            opened.ledger.append(table.any_roll(), NOW)
        copy = tmp_path / "crashed"
        copy.mkdir()
        for part in (DATABASE, f"{DATABASE}-wal"):
            shutil.copy(folder / part, copy / part)
        opened.close()
        return copy

    def test_cut_anywhere_it_leaves_whole_rows_and_a_good_chain(
        self, crashed: Path, tmp_path: Path, table: Any
    ) -> None:
        log = (crashed / f"{DATABASE}-wal").read_bytes()
        chance = random.Random(3)  # noqa: S311 - the same cuts each time
        ends = set()
        for number, size in enumerate(sorted(chance.sample(range(len(log)), 25))):
            work = tmp_path / str(number)
            shutil.copytree(crashed, work)
            (work / f"{DATABASE}-wal").write_bytes(log[:size])
            with station(work) as ledger:
                assert ledger.condition.standing is Standing.OK
                ends.add(ledger.head().seq)
                assert ledger.append(table.any_roll(), NOW).recorded
            assert verify(work / DATABASE).problem is None
        assert len(ends) > 10

    def test_a_flipped_bit_costs_no_more_than_one_row(self, crashed: Path, tmp_path: Path) -> None:
        """SQLite alone would take the log to end there, and silently drop all that follows."""
        log = (crashed / f"{DATABASE}-wal").read_bytes()
        before = dict(hashes(shutil.copytree(crashed, tmp_path / "before")))
        chance = random.Random(4)  # noqa: S311 - the same bits each time
        aside = 0
        for number, place in enumerate([*range(0, 32, 4), *chance.sample(range(len(log)), 40)]):
            scribbled = bytearray(log)
            scribbled[place] ^= 1 << chance.randrange(8)
            work = shutil.copytree(crashed, tmp_path / str(number))
            (work / f"{DATABASE}-wal").write_bytes(scribbled)
            with station(work) as ledger:
                assert isinstance(ledger, Ledger)
                assert ledger.append(drawn({}, (1,), "urandom"), NOW).recorded
                lost = before.items() - dict(hashes(work)).items()
                assert len(lost) <= 1, place
                assert lost <= {max(before.items())} or "lost" in ledger.notices[0]
            for kept in work.glob(f"damaged-*/{DATABASE}-wal"):
                assert kept.read_bytes() == scribbled
                aside += 1
        assert aside > 30

    def test_verify_names_a_log_that_hides_rows(self, crashed: Path) -> None:
        assert verify(crashed / DATABASE).problem is None
        log = crashed / f"{DATABASE}-wal"
        with log.open("r+b") as file:
            file.seek(log.stat().st_size // 2)
            file.write(b"scribble")
        found = verify(crashed / DATABASE).problem
        assert found is not None
        assert str(found) == "a damaged place in its log hides rows that were committed"


def hashes(folder: Path) -> Iterator[tuple[int, bytes]]:
    with Reader.open(folder / DATABASE) as reader:
        yield from ((row.seq, row.hash) for row in reader.rows())


@pytest.mark.parametrize("below", ["", "below"])
def test_a_folder_that_can_not_be_made_is_no_failed_disk(folder: Path, below: str) -> None:
    folder.write_text("a file")
    with station(folder / below if below else folder) as ledger:
        assert isinstance(ledger, NoLedger)
        assert ledger.fault.cause is Cause.NO_FOLDER
        assert ledger.fault.message == (
            "the folder for the ledger can't be made; rolls are not recorded"
        )
        assert "Errno" not in ledger.fault.detail


def test_a_missing_permission_is_called_so() -> None:
    found = fault_of(PermissionError(errno.EACCES, "Permission denied", "/somewhere/ledger.lock"))
    assert found.cause is Cause.NO_PERMISSION
    assert found.message == (
        "this user has no permission to write the ledger; rolls are not recorded"
    )
    assert found.to_reader == "this user has no permission to read the ledger"
    assert found.detail == "Permission denied"
