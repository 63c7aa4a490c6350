"""A station that rolled often holds no more than one that rolled a little."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from station.client import Station

MIB = 1 << 20
MOST = 45 * MIB
"""Bytes that the station's process may hold."""
REQUESTS = (
    {"system": "seven-kingdoms", "kind": "basic", "rank": 4, "bonus": 2, "difficulty": 9},
    {"system": "wrath-and-glory", "kind": "attack", "pool": 8, "dn": 3},
    {
        "system": "opposed-attribute",
        "kind": "opposed",
        "attribute": "Strength",
        "attacker": {"score": 3},
        "defender": {"score": -1},
    },
)
SOON = 60.0


@contextmanager
def serving(folder: Path) -> Iterator[int]:
    """Run a station in a folder and give its process id, once it can be talked to."""
    listening = folder / "socket"
    process = subprocess.Popen(  # noqa: S603 - our own program
        [
            *(sys.executable, "-m", "station", "run", "--pins", "mock", "--display", "memory"),
            *("--state", str(folder / "state"), "--socket", str(listening)),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        end = time.monotonic() + SOON
        while not listening.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        yield process.pid
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=SOON)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, told
    assert [line for line in told.splitlines() if not line.startswith("INFO")] == []


def resident(pid: int) -> int:
    """Return the bytes of memory that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


@pytest.mark.parametrize(
    ("rolls", "growth"),
    [
        # A thousand are not yet enough to have met everything once.
        (1000, 4 * MIB),
        pytest.param(100_000, 2 * MIB, marks=[pytest.mark.slow, pytest.mark.timeout(3600)]),
    ],
)
def test_rolls_do_not_swell_the_station(rolls: int, growth: int) -> None:
    """It grows by at most so much from the first tenth of the rolls to the last."""
    memory = Path("/dev/shm")  # noqa: S108 - where Linux has its memory as a disk
    where = memory if memory.is_dir() else None
    held = []
    with (
        tempfile.TemporaryDirectory(prefix="rolls-", dir=where) as name,
        serving(Path(name)) as pid,
        Station(Path(name) / "socket", check=False) as station,
    ):
        for number in range(rolls):
            station.roll(REQUESTS[number % len(REQUESTS)])
            if number % (rolls // 10) == rolls // 10 - 1:
                held.append(resident(pid))
    told = f"{[round(each / MIB, 1) for each in held]} MiB"
    sys.stdout.write(told)
    assert held[-1] - held[0] < growth, told
    assert held[-1] <= MOST, told
