"""How long exact odds take: first call in a fresh process, import apart, and the second call.

``python bench/odds.py [--runs N]``. The peer is a plain integer dynamic programme, below.
"""

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from statistics import median
from time import perf_counter_ns
from typing import Any

NANOSECONDS = 1e6
"""Of them in a millisecond."""


@dataclass(frozen=True, slots=True)
class Case:
    """A pool of so many test, bonus and penalty dice, and the time its first call may take."""

    name: str
    rank: int
    bonus: int
    penalty: int
    difficulty: int
    limit: float


CASES = (
    Case("10D+10B-3P vs 30", 10, 10, 3, 30, 4.0),
    Case("20D+20B-5P vs 60", 20, 20, 5, 60, 25.0),
)


def station_odds(case: Case) -> Callable[[], Any]:
    """Return the station's own call, with everything it needs imported."""
    from rules.registry import DEFAULT  # noqa: PLC0415 - imported apart from what is timed

    fields = {
        "system": "seven-kingdoms",
        "kind": "basic",
        "rank": case.rank,
        "bonus": case.bonus,
        "discard_penalty": case.penalty,
        "difficulty": case.difficulty,
    }
    request = DEFAULT.request(fields)
    return lambda: DEFAULT.of(request).odds(request)


def peer_odds(case: Case) -> Callable[[], Any]:
    """Return the peer's call for the same answer."""
    return lambda: plain_odds(case)


def plain_odds(case: Case) -> tuple[Any, ...]:
    """Return success, complication, degrees and the distribution of the total, as fractions.

    Of the dice from the highest down, those at places [penalty, rank) are summed. Face by face
    from the six, choose how many of the dice not yet placed show it.
    """
    dice = case.rank + case.bonus
    table: dict[tuple[int, int], int] = {(0, 0): 1}
    for face in range(6, 1, -1):
        further: dict[tuple[int, int], int] = {}
        for (placed, total), ways in table.items():
            for more in range(dice - placed + 1):
                after = placed + more
                counted = max(0, min(after, case.rank) - max(placed, case.penalty))
                key = after, total + face * counted
                further[key] = further.get(key, 0) + ways * comb(dice - placed, more)
        table = further
    totals: dict[int, int] = {}
    without_ones: dict[int, int] = {}
    for (placed, total), ways in table.items():
        value = total + max(0, case.rank - max(placed, case.penalty))
        totals[value] = totals.get(value, 0) + ways
        if placed == dice:
            without_ones[value] = without_ones.get(value, 0) + ways
    every = 6**dice
    degrees = [0] * 5
    ones = 0
    for value, ways in totals.items():
        margin = value - case.difficulty
        degrees[0 if margin < 0 else min(4, 1 + margin // 5)] += ways
        ones += ways - without_ones.get(value, 0) if margin < 0 else 0
    return (
        Fraction(sum(degrees[1:]), every),
        Fraction(ones, every),
        {n: Fraction(degrees[n], every) for n in range(1, 5)},
        {value: Fraction(totals[value], every) for value in sorted(totals)},
    )


WHO: dict[str, Callable[[Case], Callable[[], Any]]] = {"station": station_odds, "peer": peer_odds}


def timed(call: Callable[[], Any]) -> float:
    """Return how many milliseconds a call takes."""
    start = perf_counter_ns()
    call()
    return (perf_counter_ns() - start) / NANOSECONDS


def measured_here(who: str, case: Case) -> list[float]:
    """Return the milliseconds of the first and of the second call in this process."""
    call = WHO[who](case)
    return [timed(call), timed(call)]


def measured_afresh(who: str, case: Case, runs: int) -> list[list[float]]:
    """Return the milliseconds of both calls in each of several fresh processes."""
    command = [sys.executable, __file__, "--one", who, case.name]
    return [
        json.loads(subprocess.run(command, check=True, capture_output=True).stdout)  # noqa: S603 - this very file
        for _ in range(runs)
    ]


def check_agreement(case: Case) -> None:
    """Stop where the two do not give the same fractions: a time would then mean nothing."""
    found = station_odds(case)()
    if (found.success, found.complication, found.degrees, found.total) != plain_odds(case):
        sys.exit(f"{case.name}: the station and the peer disagree")


def report(runs: int) -> bool:
    """Print the table; return whether every first call kept within its limit."""
    print(f"Python {platform.python_version()}, {platform.machine()}, {runs} fresh processes each")
    print("milliseconds: min / median")
    print(f"{'pool':<18}{'first call':>16}{'limit':>8}{'second call':>18}{'peer':>17}{'ratio':>8}")
    kept = True
    for case in CASES:
        check_agreement(case)
        ours = measured_afresh("station", case, runs)
        peer = [first for first, _ in measured_afresh("peer", case, runs)]
        first, second = ([run[call] for run in ours] for call in (0, 1))
        kept = kept and median(first) < case.limit
        print(
            f"{case.name:<18}{min(first):8.2f} /{median(first):6.2f}{case.limit:8.0f}"
            f"{min(second):9.4f} /{median(second):7.4f}{min(peer):9.2f} /{median(peer):6.2f}"
            f"{median(first) / median(peer):8.2f}"
        )
    return kept


def main() -> int:
    """Run the benchmark, or in a child process one measurement of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15, help="fresh processes for each (15)")
    parser.add_argument("--one", nargs=2, metavar=("WHO", "CASE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        who, name = options.one
        print(json.dumps(measured_here(who, next(case for case in CASES if case.name == name))))
        return 0
    return 0 if report(options.runs) else 1


if __name__ == "__main__":
    sys.exit(main())
