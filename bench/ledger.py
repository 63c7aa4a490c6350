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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
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


def requests() -> list[dict[str, object]]:
    """Return what a table asks in an evening: 40 requests of all three systems."""
    return [
        *(
            {"system": "seven-kingdoms", "kind": "basic", "rank": rank, "bonus": bonus, **more}
            for rank in (2, 3, 4, 5)
            for bonus in (0, 1, 2)
            for more in ({"difficulty": 6}, {"difficulty": 9})
        ),
        *(
            {"system": "wrath-and-glory", "kind": kind, "pool": pool, "dn": dn}
            for kind in ("test", "attack")
            for pool in (4, 6)
            for dn in (3, 5)
        ),
        *(
            {
                "system": "opposed-attribute",
                "kind": "opposed",
                "attribute": "Strength",
                "attacker": {"name": "A", "score": score},
                "defender": {"name": "B", "score": 1},
            }
            for score in range(8)
        ),
    ]


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


def median_ms(work: Callable[[int], object], rounds: int) -> float:
    """Return the median time of so many calls, in ms."""
    times = []
    for number in range(rounds):
        begun = time.perf_counter_ns()
        work(number)
        times.append(time.perf_counter_ns() - begun)
    return statistics.median(times) / 1e6


@contextmanager
def copied(folder: Path) -> Iterator[Path]:
    """A copy of a ledger's folder, so that measuring does not lengthen the ledger."""
    copy = folder.with_name(folder.name + "-copy")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    yield copy
    shutil.rmtree(copy)


def measure(folder: Path, rounds: int) -> dict[str, float]:
    """Return what one ledger costs, in ms, and the speed of `verify` in rows/s."""
    found: dict[str, float] = {}
    with copied(folder) as copy:
        entries = list(islice(rolls(seed=0), rounds))
        open_ledger(copy, NOW, "bench").close()
        found["start"] = median_ms(lambda _: open_ledger(copy, NOW, "bench").close(), rounds // 5)
        opened = open_ledger(copy, NOW, "bench")
        ledger = opened.ledger
        found["roll"] = median_ms(lambda n: ledger.append(entries[n], NOW), rounds)
        found["keyed roll"] = median_ms(
            lambda n: ledger.append(entries[n], NOW, key=Key(f"bench-{n}", "0" * 64)), rounds
        )
        found["history"] = median_ms(
            lambda _: [record.plain() for record in ledger.history().records], rounds // 10
        )
        found["fairness"] = median_ms(lambda _: ledger.fairness_all(), rounds // 10)
        opened.close()
    begun = time.perf_counter()
    checked = verify(folder / DATABASE)
    if checked.problem is not None:
        sys.exit(str(checked.problem))
    found["verify rows/s"] = checked.rows / (time.perf_counter() - begun)
    return found


def main() -> int:
    """Make the ledgers, measure them, print a table; return 1 where a promise is not kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--rows", type=int, nargs="+", default=[10, 10_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=300)
    chosen = parser.parse_args()
    base = chosen.folder or Path(tempfile.mkdtemp(prefix="ledger-bench-"))
    results = {}
    for rows in chosen.rows:
        folder = base / str(rows)
        if not folder.exists():
            folder.mkdir(parents=True)
            grow(folder / DATABASE, rows)
        results[rows] = measure(folder, chosen.rounds)
        print(f"{rows:>9} rows ", *(f"{name} {value:.3f}" for name, value in results[rows].items()))
    first, last = results[chosen.rows[0]], results[chosen.rows[-1]]
    ratios = {name: last[name] / first[name] for name in ("start", "roll", "keyed roll")}
    print("longest against shortest", *(f"{name} {value:.2f}x" for name, value in ratios.items()))
    return int(max(ratios.values()) > MOST_RATIO)


if __name__ == "__main__":
    sys.exit(main())
