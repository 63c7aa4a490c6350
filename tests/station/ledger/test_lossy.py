"""A disk that keeps only what was synced loses no roll that was acknowledged, wherever it is cut.

The real writes of a real ledger are recorded (`recorded_roller.py`). For a cut after each of them,
the disk is rebuilt as it may then stand: all that was synced, and of what was not any part, in
any order, a write perhaps only half; a file that was made may be missing until its folder was
synced. Then the ledger is opened as the station opens it.
"""

import pickle
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from station.ledger import TABLE, Ledger, Moment, open_ledger
from station.ledger.chain import Chain, gaps
from station.ledger.faults import DATABASE
from station.ledger.patch import patched

RECORDER = Path(__file__).with_name("recorded_roller.py")
NO_LIBRARY = 3

Step = tuple[Any, ...]


@dataclass
class File:
    """A file's content that is safe, and what was done to it since its last sync."""

    safe: bytes = b""
    since: list[Step] = field(default_factory=list)

    def whole(self) -> bytes:
        return played(self.safe, self.since)

    def sync(self) -> None:
        self.safe, self.since = self.whole(), []


def played(content: bytes, steps: Sequence[Step]) -> bytes:
    """Return a file's content after writes and truncations."""
    data = bytearray(content)
    for kind, *told in steps:
        if kind == "truncate":
            del data[told[0] :]
        else:
            offset, written = told
            data.extend(bytes(max(0, offset - len(data))))
            data[offset : offset + len(written)] = written
    return bytes(data)


class Disk:
    """A folder on a disk that promises only what was synced."""

    def __init__(self) -> None:
        self._names: dict[str, File] = {}
        self._safe_names: dict[str, File] = {}

    def take(self, step: Step) -> None:
        """Carry out one step of the trace."""
        match step:
            case ("open", name, True):
                self._names[name] = File()
            case ("open", name, False):
                pass
            case ("write" | "truncate" as kind, name, *told):
                self._names[name].since.append((kind, *told))
            case ("sync", name):
                self._names[name].sync()
                if name != DATABASE:  # SQLite syncs the folder of a log or journal it has made
                    self._safe_names = dict(self._names)
            case ("delete", name, synced):
                del self._names[name]
                if synced:
                    self._safe_names = dict(self._names)
            case _:
                raise AssertionError(step)

    def after_cut(self, chance: random.Random | None) -> dict[str, bytes]:
        """Return the files as they may stand after a cut: only what is safe, or some of the rest.

        Args:
            chance: decides what of the rest is there; None for nothing of it.
        """
        if chance is None:
            return {name: file.safe for name, file in self._safe_names.items()}
        names = self._names if chance.random() < 0.5 else self._safe_names
        return {name: played(f.safe, survivors(f.since, chance)) for name, f in names.items()}


def survivors(steps: Sequence[Step], chance: random.Random) -> list[Step]:
    """Return some of the steps, some of the writes only in part."""
    share = chance.choice((0.1, 0.5, 0.9, 1.0))
    kept: list[Step] = []
    for step in steps:
        if chance.random() < share:
            torn = step[0] == "write" and chance.random() < 0.2
            kept.append((*step[:2], step[2][: chance.randrange(len(step[2]))]) if torn else step)
    return kept


def recorded(folder: Path, rolls: int, *synchronous: str) -> list[Step]:
    """Return the trace of so many rolls."""
    trace = folder / "trace"
    command = [sys.executable, str(RECORDER), str(folder / "state"), str(trace), str(rolls)]
    done = subprocess.run(  # noqa: S603 - our own command
        [*command, *synchronous], check=False, capture_output=True, text=True
    )
    if done.returncode == NO_LIBRARY:
        pytest.skip("this Python has its SQLite built in, out of reach of the recorder")
    assert done.returncode == 0, done.stderr
    steps: list[Step] = pickle.loads(trace.read_bytes())  # noqa: S301 - our own trace
    return steps


def cuts(
    steps: Sequence[Step], tries: int, seed: int = 1
) -> Iterator[tuple[dict[str, bytes], dict[str, tuple[int, bytes]]]]:
    """Yield the disk at each cut, in several ways, and what had been acknowledged by then."""
    chance = random.Random(seed)  # noqa: S311 - the same cuts each time
    disk = Disk()
    acknowledged: dict[str, tuple[int, bytes]] = {}
    for step in steps:
        if step[0] == "ack":
            acknowledged[step[1]] = (step[2], step[3])
            continue
        disk.take(step)
        for number in range(tries):
            yield disk.after_cut(chance if number else None), acknowledged


def lost_after(files: dict[str, bytes], acknowledged: dict[str, Any], folder: Path) -> list[str]:
    """Open a ledger from what a cut left; return the acknowledged keys that it does not hold."""
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    with closing(open_ledger(folder, Moment(0), "after")) as opened:
        ledger = opened.ledger
        assert isinstance(ledger, Ledger), ledger.condition
        assert ledger.notices == ()
        chain = Chain(gaps(ledger._db))  # noqa: SLF001 - the chain is followed as verify does
        state = None
        held = {}
        for row in ledger.rows():
            assert chain.problem((*row.columns, row.prev, row.hash)) is None
            detail = row.document("detail")
            state = patched(state, detail["patch"]) if "patch" in detail else state
            if "key" in detail:
                assert detail["key"] not in held
                held[detail["key"]] = (row.seq, row.hash)
        assert state == ledger.document(TABLE)
        fairness = ledger.fairness()
        assert fairness is not None
        assert fairness.dice % 9 == 0
        return [key for key, row in acknowledged.items() if held.get(key) != row]


def losses(steps: Sequence[Step], tries: int, folder: Path) -> Iterator[str]:
    """Yield every key that a cut loses."""
    for number, (files, acknowledged) in enumerate(cuts(steps, tries)):
        yield from lost_after(files, acknowledged, folder / str(number))


def test_no_acknowledged_roll_is_lost_at_any_cut(tmp_path: Path) -> None:
    steps = recorded(tmp_path, 6)
    assert sum(step[0] == "ack" for step in steps) == 6
    assert any(step[0] == "delete" for step in steps), "the log was emptied and removed once"
    assert list(losses(steps, 2, tmp_path / "cuts")) == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_no_acknowledged_roll_is_lost_at_any_of_thousands_of_cuts(tmp_path: Path) -> None:
    steps = recorded(tmp_path, 60)
    assert list(losses(steps, 8, tmp_path / "cuts")) == []


@pytest.mark.parametrize("synchronous", ["OFF", "NORMAL"])
def test_a_ledger_that_does_not_sync_each_roll_loses_some(tmp_path: Path, synchronous: str) -> None:
    """The test itself: with less than synchronous=FULL, rolls are lost, and this sees it."""
    steps = recorded(tmp_path, 8, synchronous)
    assert any(losses(steps, 1, tmp_path / "cuts"))
