"""Measure the ledger at 10, 10^4 and 10^6 rows: start-up, one roll, history, fairness, verify.

    python bench/ledger.py [FOLDER] [--rows 10 10000 1000000] [--rounds 200]

The ledgers are made in FOLDER (a temporary one by default) and kept there for the next run.
"""

import argparse
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

from rules.engine import dice_asked, resolve
from rules.model import outcome_plain
from rules.registry import DEFAULT, request_plain
from station.ledger import Entry, Ledger, Moment, open_ledger, rolled
from station.ledger.faults import DATABASE
from station.ledger.store import Key
from station.ledger.verify import verify

NAMESPACE = UUID(int=1)
"""Where the keys of the ledgers come from: spread like those that clients make, but the same."""

NOW = Moment(1, "2026-01-01T20:00:00.000Z")

MOST_RATIO = 1.3
"""What one roll or start may cost at the longest ledger against the shortest."""


def requests() -> list[dict[str, Any]]:
    """Return what a table asks in an evening: 40 requests of all three systems."""
    basic = [
        {"system": "seven-kingdoms", "kind": "basic", "rank": rank, "bonus": bonus, "difficulty": d}
        for rank in (2, 3, 4, 5)
        for bonus in (0, 1, 2)
        for d in (6, 9)
    ]
    icons = [
        {"system": "wrath-and-glory", "kind": kind, "pool": pool, "dn": dn}
        for kind in ("test", "attack")
        for pool in (4, 6)
        for dn in (3, 5)
    ]
    opposed: list[dict[str, Any]] = [
        {
            "system": "opposed-attribute",
            "kind": "opposed",
            "attribute": "Strength",
            "attacker": {"name": "A", "score": score},
            "defender": {"name": "B", "score": 1},
        }
        for score in range(8)
    ]
    return [*basic, *icons, *opposed]


def rolls(seed: int) -> Iterator[Entry]:
    """Yield rolls of those requests for ever, each with faces of its own."""
    chance = random.Random(seed)  # noqa: S311 - the same ledgers each time
    asked = [DEFAULT.request(request) for request in requests()]
    while True:
        request = chance.choice(asked)
        system = DEFAULT.of(request)
        faces = tuple(chance.choices(range(1, 7), k=dice_asked(system, request)))
        outcome = outcome_plain(resolve(system, request, faces))
        yield rolled(request_plain(request), faces, "urandom", outcome)


def grow(path: Path, rows: int) -> None:
    """Make a ledger of so many rows, every tenth with a key, with one commit for all."""
    entries = rolls(seed=rows)
    with Ledger.begin(path, NOW, "bench") as ledger:
        db = ledger._db  # noqa: SLF001 - many rows a commit is what only a benchmark wants
        db.execute("PRAGMA cache_size = -200000")
        db.execute("BEGIN")
        for number, entry in enumerate(islice(entries, rows - 1)):
            key = Key(str(uuid5(NAMESPACE, str(number))), "0" * 64) if number % 10 == 0 else None
            ledger._insert(entry, NOW, key, None)  # noqa: SLF001 - as above
        db.execute("COMMIT")


class Subject:
    """A copy of one ledger, open, with what was measured on it (ns)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.with_name(folder.name + "-copy")
        shutil.rmtree(self._folder, ignore_errors=True)
        shutil.copytree(folder, self._folder)
        self._opened = open_ledger(self._folder, NOW, "bench")
        self._times: dict[str, list[int]] = {}

    def restart(self) -> None:
        """Close the ledger and measure how long it takes to open."""
        self._opened.close()
        begun = time.perf_counter_ns()
        self._opened = open_ledger(self._folder, NOW, "bench")
        self._note("start", begun)

    def roll(self, entry: Entry, number: int) -> None:
        """Measure a roll without a key and one with a key."""
        for name, key in (("roll", None), ("keyed roll", Key(f"bench-{number}", "0" * 64))):
            begun = time.perf_counter_ns()
            if not self._opened.ledger.append(entry, NOW, key=key).recorded:
                sys.exit(f"not recorded: {self._opened.ledger.fault}")
            self._note(name, begun)

    def read(self) -> None:
        """Measure a full page of history, ready to be sent, and the fairness of all sources."""
        begun = time.perf_counter_ns()
        for record in self._opened.ledger.history().records:
            record.plain()
        self._note("history", begun)
        begun = time.perf_counter_ns()
        for finding in self._opened.ledger.fairness_all():
            finding.plain()
        self._note("fairness", begun)

    def medians(self) -> dict[str, float]:
        """Return the medians in ms."""
        return {name: statistics.median(times) / 1e6 for name, times in self._times.items()}

    def close(self) -> None:
        """Close and remove the copy."""
        self._opened.close()
        shutil.rmtree(self._folder)

    def _note(self, name: str, begun: int) -> None:
        self._times.setdefault(name, []).append(time.perf_counter_ns() - begun)


def measured(folders: list[Path], rounds: int) -> list[dict[str, float]]:
    """Return the medians for each ledger, measured in turn so that a busy disk is fair to all."""
    subjects = [Subject(folder) for folder in folders]
    entries = rolls(seed=0)
    for number in range(rounds):
        entry = next(entries)
        for subject in subjects:
            subject.roll(entry, number)
            if number % 4 == 0:
                subject.restart()
                subject.read()
    found = [subject.medians() for subject in subjects]
    for subject in subjects:
        subject.close()
    return found


def verify_speed(path: Path) -> float:
    """Return how many rows a second are verified."""
    begun = time.perf_counter()
    checked = verify(path)
    if checked.problem is not None:
        sys.exit(f"{path}: {checked.problem}")
    return checked.rows / (time.perf_counter() - begun)


def main() -> int:
    """Make the ledgers, measure them, print a table; return 1 where a promise is not kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--rows", type=int, nargs="+", default=[10, 10_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=400)
    chosen = parser.parse_args()
    base = chosen.folder or Path(tempfile.mkdtemp(prefix="ledger-bench-"))
    folders = [base / str(rows) for rows in chosen.rows]
    for rows, folder in zip(chosen.rows, folders, strict=True):
        if not folder.exists():
            folder.mkdir(parents=True)
            grow(folder / DATABASE, rows)
    found = measured(folders, chosen.rounds)
    for rows, medians in zip(chosen.rows, found, strict=True):
        print(f"{rows:>9} rows ", *(f" {name} {value:.3f} ms" for name, value in medians.items()))
    ratios = {name: found[-1][name] / found[0][name] for name in ("start", "roll", "keyed roll")}
    print("longest against shortest:", *(f" {name} {value:.2f}x" for name, value in ratios.items()))
    print(f"verify: {verify_speed(folders[-1] / DATABASE):,.0f} rows/s")
    return int(max(ratios.values()) > MOST_RATIO)


if __name__ == "__main__":
    sys.exit(main())
