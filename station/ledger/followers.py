"""Rows found by what they did: those that point at a row, and those that changed the table.

Both are found by an index, so that their cost does not grow with the ledger.
"""

from collections.abc import Iterator
from typing import Any

from station.ledger.errors import boundary
from station.ledger.reader import SELECT, Reader
from station.ledger.rows import Row

_COVERED = """
WHERE seq IN (SELECT seq FROM entry WHERE state IS NOT NULL ORDER BY seq DESC LIMIT ?)
AND kind = 'roll' AND json_extract(detail, '$.hidden') AND NOT EXISTS (
  SELECT 1 FROM entry AS later WHERE later.of = entry.seq AND later.kind IN ('reveal', 'void')
)
"""

LATELY = 200
"""Changes among which a covered one is looked for: its cost must not grow with the ledger."""

PAGE = 50
"""Rows fetched in one go on the way back through the changes."""


def pointing_at(reader: Reader, seq: int) -> tuple[Row, ...]:
    """Return the rows that point at a row, oldest first.

    Raises:
        UnavailableError: the ledger can't be read.
    """
    query = f"{SELECT} WHERE of = ? ORDER BY seq"
    with boundary():
        return tuple(Row(*values) for values in _all(reader, query, (seq,)))


def covered_changes(reader: Reader) -> tuple[Row, ...]:
    """Return the hidden rolls that changed the table's state lately, count, and are not shown.

    Raises:
        UnavailableError: the ledger can't be read.
    """
    with boundary():
        return tuple(Row(*values) for values in _all(reader, f"{SELECT} {_COVERED}", (LATELY,)))


def newest_changes(reader: Reader, after: int = 0) -> Iterator[Row]:
    """Yield the rows that changed the table's state, newest first, down to beyond a number.

    Raises:
        UnavailableError: the ledger can't be read.
    """
    query = (
        f"{SELECT} WHERE state IS NOT NULL AND seq > ? AND seq < ? ORDER BY seq DESC LIMIT {PAGE}"
    )
    before = 2**62
    while True:
        with boundary():
            found = [Row(*values) for values in _all(reader, query, (after, before))]
        yield from found
        if len(found) < PAGE:
            return
        before = found[-1].seq


def _all(reader: Reader, query: str, values: tuple[int, ...]) -> list[tuple[Any, ...]]:
    db = reader._db  # noqa: SLF001 - these are queries of the ledger, kept apart by their purpose
    return db.execute(query, values).fetchall()
