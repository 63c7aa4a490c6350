"""What the station keeps: its folder, its ledger, and the time."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from station.config.settings import Config
from station.doctor.account import EXECUTE, READ, WRITE, Account
from station.doctor.findings import Finding, bad, good, weak
from station.doctor.machine import Machine
from station.ledger.chain import tail_problem
from station.ledger.errors import UnavailableError, boundary, require_file
from station.ledger.faults import DATABASE, LOCK
from station.ledger.reader import read_only
from station.ledger.schema import check
from station.moments import CLOCK_SET
from station.mounts import Mount, mount_of

LEAST_FREE = 16 * 1024 * 1024
"""Bytes; a million rolls take about thirty times as much."""


def folder_findings(machine: Machine, account: Account, config: Config) -> Iterator[Finding]:
    """Yield whether the state folder, or the one it is to be made in, can be written to."""
    wanted = str(config.state_folder)
    here = _nearest(machine, wanted)
    owned, disk = machine.owned(here), machine.disk(here)
    mend = f"sudo install -d -o {account.name} {wanted}"
    if owned is None or not owned.folder:
        yield bad("state", f"{here} is no folder, so {wanted} cannot be made", f"sudo rm {here}")
        return
    if disk is not None and disk.read_only:
        remount = f"sudo mount -o remount,rw {_mount(machine, here).place}"
        yield bad("state", f"{wanted} is on a read-only disk: rolls are not recorded", remount)
        return
    if not account.may(owned, WRITE | EXECUTE):
        yield bad("state", f"{account.name} may not write to {here}", mend)
        return
    if disk is not None and disk.free_bytes < LEAST_FREE:
        free = disk.free_bytes // 1024 // 1024
        yield bad("state", f"{here} has {free} MiB left", "sudo journalctl --vacuum-size=16M")
        return
    mount = _mount(machine, here)
    if mount.in_memory:
        text = f"{wanted} is on {mount.kind}: the ledger may end with the power"
        yield weak("state", text, f"mount a disk on {wanted}")
    else:
        yield good("state", f"{wanted} can be written to")


def _nearest(machine: Machine, path: str) -> str:
    """Return the folder itself, or the deepest above it that is there."""
    for candidate in (path, *(str(parent) for parent in PurePosixPath(path).parents)):
        if machine.owned(candidate) is not None:
            return candidate
    return "/"


def _mount(machine: Machine, path: str) -> Mount:
    """Return where the disk of a path is mounted, and its kind, as /proc/mounts has them."""
    return mount_of(path, (machine.read("/proc/mounts") or b"").decode("utf-8", "replace"))


def owner_findings(machine: Machine, account: Account, config: Config) -> Iterator[Finding]:
    """Yield whether the account may write to the ledger's files, where they are there.

    What root has made or put back there is root's, and would lock the service out.
    """
    barred = []
    for name in (LOCK, *(f"{DATABASE}{part}" for part in ("", "-wal", "-shm"))):
        owned = machine.owned(str(config.state_folder / name))
        if owned is not None and not account.may(owned, READ | WRITE):
            barred.append(f"{name} ({owned.mode:04o}, user {owned.uid})")
    if barred:
        text = f"{account.name} may not write to {', '.join(barred)}: rolls are not recorded"
        yield bad("ledger", text, f"sudo chown -R {account.name}: {config.state_folder}")


def ledger_findings(machine: Machine, config: Config) -> Iterator[Finding]:
    """Yield what a quick look at the ledger's layout and last rows finds."""
    path = machine.place(str(config.state_folder / DATABASE))
    try:
        if not path.exists():
            yield good("ledger", "there is none yet")
            return
        with boundary(), closing(_looked_at(path)) as db:
            check(db)
            problem = tail_problem(db)
    except UnavailableError as error:
        yield bad("ledger", str(error), "sudo dice-station doctor")
        return
    except OSError as error:
        text = f"it cannot be looked at: {error.strerror}"
        yield weak("ledger", text, "sudo dice-station doctor")
        return
    if problem:
        yield bad("ledger", f"the ledger is damaged: {problem}", "dice-station verify")
    else:
        yield good("ledger", "its layout and its last rows are good")


def _looked_at(path: Path) -> sqlite3.Connection:
    """Connect to a ledger without leaving anything beside it.

    Even a reader makes the index of a write-ahead log. Where there is no log, nobody writes, and
    the file can be read as one that does not change.
    """
    require_file(path)
    if path.with_name(f"{path.name}-wal").exists():
        return read_only(path)
    return sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1", uri=True)


def clock_findings(machine: Machine) -> Iterator[Finding]:
    """Yield whether the wall clock was ever set, and stays so."""
    if machine.now() < CLOCK_SET:
        text = "the clock was never set: rolls are recorded without a time"
        yield weak("clock", text, "sudo timedatectl set-ntp true")
        return
    ran = machine.run("timedatectl", "show", "--property=NTPSynchronized", "--value")
    if ran is not None and ran.output == "no" and machine.owned("/dev/rtc0") is None:
        text = "the clock is not kept by the network, and there is no battery clock"
        yield weak("clock", text, "sudo timedatectl set-ntp true")
    else:
        yield good("clock", "the clock is set")
