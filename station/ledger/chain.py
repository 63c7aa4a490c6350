"""The chain: each row's number and hash follow from the row before, wherever it can be read."""

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from station.ledger.rows import COLUMNS, FIRST_PREV, HASHED, link

TAIL = 64
"""Rows at the end of the chain that are checked at every start; a constant, so starts stay fast."""

Gaps = Mapping[int, int]
"""First to last number of rows that were lost with a damaged file, as `carried` rows say."""

_PREV, _HASH = HASHED, HASHED + 1
_SELECT = f"SELECT {', '.join(COLUMNS)} FROM entry"  # noqa: S608 - our own names, no input


class Chain:
    """Follows the chain row by row and says where it breaks."""

    def __init__(self, gaps: Gaps, seq: int = 0, end: bytes = FIRST_PREV) -> None:
        self._gaps = gaps
        self.seq = seq
        """The number of the row that was followed last."""
        self.hash = end
        """Its hash."""

    def problem(self, values: tuple[Any, ...]) -> str | None:
        """Follow the chain to a further row; return what is wrong there, or None."""
        seq, prev, found = values[0], values[_PREV], values[_HASH]
        wanted = self.seq + 1
        after_gap = wanted in self._gaps and seq == self._gaps[wanted] + 1
        if seq != wanted and not after_gap:
            return f"row {wanted} is missing" if seq > wanted else "its number is out of order"
        if prev != self.hash and not after_gap:
            return "it does not follow from the row before: hash and previous hash differ"
        if not agrees(values):
            return "its contents and its hash differ"
        self.seq, self.hash = seq, found
        return None


def tolerant_text(data: bytes) -> str:
    """Return a text column's bytes as text, so that damaged ones reach the check."""
    return data.decode("ascii", "surrogateescape")


def gaps(db: sqlite3.Connection) -> dict[int, int]:
    """Return the numbers that were lost with damaged files."""
    found: dict[int, int] = {}
    for (detail,) in db.execute("SELECT detail FROM entry WHERE kind = 'carried'"):
        found.update(lost_in(detail))
    return found


def last_loss(db: sqlite3.Connection) -> int:
    """Return the number of the last `carried` row that names lost rows, 0 without one.

    It holds the table's state whole, since the changes before it can't all be replayed.
    """
    carried = db.execute("SELECT seq, detail FROM entry WHERE kind = 'carried'")
    return max((seq for seq, detail in carried if lost_in(detail)), default=0)


def lost_in(detail: str) -> dict[int, int]:
    """Return the gaps that a `carried` row names, none where its text can't be read."""
    try:
        return {int(first): int(last) for first, last in json.loads(detail)["lost"]}
    except (ValueError, KeyError, TypeError):
        return {}


def tail_problem(db: sqlite3.Connection) -> str | None:
    """Return what is wrong with the last rows of the chain, or None."""
    query = f"{_SELECT} ORDER BY seq DESC LIMIT ?"
    last = db.execute(query, (TAIL + 1,)).fetchall()[::-1]
    if not last:
        return None
    chain = Chain(gaps(db))
    if len(last) > TAIL:
        first = last.pop(0)
        chain = Chain(gaps(db), first[0], first[_HASH])
    for values in last:
        if wrong := chain.problem(values):
            return f"row {values[0]}: {wrong}"
    return None


def agrees(values: tuple[Any, ...]) -> bool:
    """Return whether a row agrees with its own hash, whatever became of its neighbours."""
    try:
        return bool(link(values[_PREV], values[:HASHED]) == values[_HASH])
    except (TypeError, ValueError):
        return False  # a damaged page can yield values of any type
