"""State folder, ledger and clock, as the doctor finds them."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from station.doctor.findings import Finding
from station.doctor.machine import Disk
from station.ledger import Moment, open_ledger

Look = Callable[..., list[Finding]]

STATE = "/home/pi/.local/state/dice-station"
NTP = ("timedatectl", "show", "--property=NTPSynchronized", "--value")


def only(found: list[Finding]) -> Finding:
    (finding,) = found
    return finding


def keep(machine: Any) -> Path:
    """Begin a ledger in the machine's state folder; return its file."""
    folder: Path = machine.place(STATE)
    open_ledger(folder, Moment(1, None), "1.0").close()
    return folder / "ledger.db"


def test_a_folder_that_is_yet_to_be_made(zero: Any, look: Look) -> None:
    assert look(zero) == []
    zero.place(STATE).mkdir(parents=True)
    assert look(zero) == []


def test_a_folder_of_somebody_elses(zero: Any, look: Look) -> None:
    zero.place(STATE).mkdir(parents=True)
    zero.owners[STATE] = ("root", 0o755)
    finding = only(look(zero))
    assert finding.text == f"pi may not write to {STATE}"
    assert finding.mend == f"sudo install -d -o pi {STATE}"


def test_a_read_only_disk(zero: Any, look: Look) -> None:
    zero.disks["/home/pi"] = Disk(read_only=True, free_bytes=10**9)
    finding = only(look(zero))
    assert finding.level == "fail"
    assert finding.text.endswith("is on a read-only disk: rolls are not recorded")
    assert finding.mend == "sudo mount -o remount,rw /"


def test_a_full_disk(zero: Any, look: Look) -> None:
    zero.disks["/home/pi"] = Disk(read_only=False, free_bytes=3 * 1024 * 1024)
    assert only(look(zero)).text == "/home/pi has 3 MiB left"


@pytest.mark.parametrize("kind", ["overlay", "tmpfs"])
def test_a_ledger_in_memory(zero: Any, look: Look, kind: str) -> None:
    zero.write("/proc/mounts", f"overlay / {kind} rw 0 0\n/dev/sda1 /boot vfat rw 0 0\n")
    finding = only(look(zero))
    assert (finding.level, finding.topic) == ("warn", "state")
    zero.write("/proc/mounts", f"x / {kind} rw 0 0\n/dev/sda2 /home/pi ext4 rw 0 0\n")
    assert look(zero) == []


def test_a_file_where_the_folder_should_be(zero: Any, look: Look) -> None:
    zero.write("/home/pi/.local")
    finding = only(look(zero))
    assert finding.text.startswith("/home/pi/.local is no folder")


def test_a_good_ledger(zero: Any, look: Look) -> None:
    keep(zero)
    assert look(zero) == []


def test_a_ledger_that_is_being_kept(zero: Any, look: Look) -> None:
    opened = open_ledger(zero.place(STATE), Moment(1, None), "1.0")
    try:
        assert look(zero) == []
    finally:
        opened.close()


def test_a_ledger_that_is_no_database(zero: Any, look: Look) -> None:
    keep(zero).write_bytes(b"no database, but long enough to look at" * 40)
    finding = only(look(zero))
    assert (finding.level, finding.topic) == ("fail", "ledger")


@pytest.mark.parametrize("name", ["ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.lock"])
def test_a_file_that_root_has_made_locks_the_service_out(zero: Any, look: Look, name: str) -> None:
    opened = open_ledger(zero.place(STATE), Moment(1, None), "1.0")
    try:
        zero.owners[f"{STATE}/{name}"] = ("root", 0o644)
        finding = only(look(zero))
        assert (finding.level, finding.topic) == ("fail", "ledger")
        assert finding.text == f"pi may not write to {name} (0644, user 0): rolls are not recorded"
        assert finding.mend == f"sudo chown -R pi: {STATE}"
        zero.name = "root"
        zero.account(name="root")
        assert look(zero) == []
    finally:
        opened.close()


def test_a_ledger_that_is_a_pipe_is_not_waited_for(zero: Any, look: Look) -> None:
    ledger = keep(zero)
    ledger.unlink()
    os.mkfifo(ledger)
    finding = only(look(zero))
    assert finding.level == "fail"
    assert finding.text == "ledger.db is a pipe, not a file; rolls are not recorded"


def test_a_ledger_with_a_changed_row(zero: Any, look: Look) -> None:
    file = keep(zero)
    data = file.read_bytes()
    assert data.count(b'"1.0"') == 1
    file.write_bytes(data.replace(b'"1.0"', b'"9.9"'))
    finding = only(look(zero))
    assert finding.text.startswith("the ledger is damaged: ")
    assert finding.mend == "dice-station verify"


def test_a_clock_that_was_never_set(zero: Any, look: Look) -> None:
    zero.time = datetime(1970, 1, 1, tzinfo=UTC)
    finding = only(look(zero))
    assert (finding.level, finding.mend) == ("warn", "sudo timedatectl set-ntp true")


def test_a_clock_that_nothing_keeps(zero: Any, look: Look) -> None:
    zero.answers[NTP] = "no"
    assert only(look(zero)).topic == "clock"
    zero.device("/dev/rtc0")
    assert look(zero) == []
    zero.lose("/dev/rtc0")
    zero.answers[NTP] = "yes"
    assert look(zero) == []
