"""A station outlives whatever hands, programs and faults do to it, and grows by nothing."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).with_name("soak.py")
MIB = 1 << 20
GROWTH = 2 * MIB
"""Bytes that a process may grow by from a tenth of the way to the end, where it is long."""
TO_END = 2.0
"""Seconds within which a station that is told to end has gone dark and let go of everything."""
KINDS = ("panel", "generator", "full", "failing", "locked", "unplugged")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory with a short name: a million steps on a disk would test the disk."""
    memory = Path("/dev/shm")  # noqa: S108 - where Linux has its memory as a disk
    with tempfile.TemporaryDirectory(prefix="soak-", dir=memory if memory.is_dir() else None) as at:
        yield Path(at)


def soaked(folder: Path, steps: int, seed: int, *mode: str) -> dict[str, Any]:
    """Return what a soak found, once nothing is wrong with it."""
    command = [sys.executable, str(PROGRAM), str(folder), str(steps), str(seed), *mode]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own program
    assert ran.returncode == 0, ran.stderr[-4000:]
    found: dict[str, Any] = json.loads(ran.stdout)
    assert found["offences"] == []
    assert found["wrong"] == [], "rolls that were acknowledged are not in the ledger as told"
    assert found["verified"] is None
    assert found["acknowledged"] > steps / 20
    assert found["seconds_to_end"] < TO_END
    assert all(found["done"].get(f"fault {kind}") for kind in KINDS), found["done"]
    told = " ".join(found["log"])
    assert all(f"{part} is lost" in told for part in ("display", "ledger")), found["log"]
    assert "hwrng.*" in told, found["log"]
    held = [each for _, each in found["held"]]
    # A client that was just served may not be forgotten yet: its end closes a moment later.
    assert {each["threads"] for each in held} == {held[0]["threads"]}
    descriptors = [each["descriptors"] for each in held]
    assert max(descriptors[1:]) - min(descriptors[1:]) <= 1, descriptors
    return found


def growth(found: dict[str, Any]) -> int:
    """Return by how many bytes it grew from a tenth of the way to its end."""
    resident = [each["resident"] for _, each in found["held"]]
    grown: int = resident[-1] - resident[len(resident) // 10]
    return grown


@pytest.mark.parametrize("mode", ["hwrng+urandom", "hwrng-only"])
def test_an_evening_of_faults_leaves_no_trace_but_in_the_ledger(folder: Path, mode: str) -> None:
    soaked(folder, 1000, 1, mode)


@pytest.mark.slow
@pytest.mark.timeout(4 * 3600)
def test_a_million_steps_neither_harm_nor_swell_it(folder: Path) -> None:
    found = soaked(folder, 1_000_000, 1)
    assert growth(found) < GROWTH, found["held"]


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", [2, 3])
def test_dice_from_the_hardware_alone_are_no_different(folder: Path, seed: int) -> None:
    found = soaked(folder, 100_000, seed, "hwrng-only")
    assert growth(found) < 2 * GROWTH, found["held"]
