"""A small station for crash tests: reads keys, rolls once for each, says what it recorded.

    python keyed_roller.py FOLDER

It prints ``ready`` once the ledger is open; then for each line ``KEY`` on standard input one line
``KEY SEQ HASH``, after the roll is on the disk. Every third roll is drawn in two parts; every roll
changes the table's state with it.
"""

import os
import sys
import time
from pathlib import Path

from rules.engine import resolve
from rules.model import outcome_plain
from rules.registry import DEFAULT, request_plain
from station.ledger import TABLE, Key, Ledger, Moment, Row, drawn, open_ledger, rolled

OPPOSED = DEFAULT.request(
    {
        "system": "opposed-attribute",
        "kind": "opposed",
        "attribute": "Strength",
        "attacker": {"name": "A", "score": 3},
        "defender": {"name": "B", "score": 1},
    }
)
BASIC = DEFAULT.request(
    {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "bonus": 2, "difficulty": 9}
)
HALF, WHOLE, POOL = 4, 8, 5


def faces(count: int) -> tuple[int, ...]:
    return tuple(byte % 6 + 1 for byte in os.urandom(count))


def roll(ledger: Ledger, text: str) -> Row:
    """Roll for a key, or find what was rolled for it, or go on with what was cut off."""
    key = Key.of(text, "", "roll", {})
    known = ledger.find(key)
    if known is not None and known.kind == "roll":
        return known
    if int(text) % 3 or known is not None:
        return written(ledger, key, known)
    first = ledger.append(drawn(request_plain(OPPOSED), faces(HALF), "urandom"), now(), key=key).row
    return written(ledger, key, first)


def written(ledger: Ledger, key: Key, first: Row | None) -> Row:
    request, had = (BASIC, ()) if first is None else (OPPOSED, first.pips)
    fallen = had + faces((POOL if first is None else WHOLE) - len(had))
    outcome = outcome_plain(resolve(DEFAULT.of(request), request, fallen))
    of = None if first is None else first.seq
    entry = rolled(request_plain(request), fallen, "urandom", outcome, of=of)
    state = ledger.document(TABLE) or {"rolls": 0}
    state["rolls"] += 1
    receipt = ledger.append(entry, now(), key=None if of else key, table=state)
    if receipt.row is None:
        raise SystemExit(f"not recorded: {receipt.fault}")
    return receipt.row


def now() -> Moment:
    return Moment(time.monotonic_ns() // 1_000_000)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    ledger = open_ledger(Path(sys.argv[1]), now(), "crash-test").ledger
    if not isinstance(ledger, Ledger):
        raise SystemExit(str(ledger.fault))
    say("ready")
    for line in sys.stdin:
        row = roll(ledger, line.strip())
        say(f"{line.strip()} {row.seq} {row.hash.hex()}")


if __name__ == "__main__":
    main()
