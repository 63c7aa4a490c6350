"""The ledger as files that other programs read: rows as JSON Lines, rolls as CSV."""

import csv
import io
from collections.abc import Iterator
from dataclasses import asdict
from enum import StrEnum
from typing import Any

from station.ledger.reader import MOST_ROLLS, Reader, Record
from station.ledger.rows import Row, canonical

CSV_COLUMNS = (
    "seq",
    "time",
    "boot",
    "system",
    "kind",
    "name",
    "request",
    "faces",
    "source",
    "success",
    "explanation",
    "choices",
    "outcome",
    "note",
    "hidden",
    "void",
    "hash",
)
"""The first line of the CSV form."""

_JSON_COLUMNS = ("request", "faces", "choices", "outcome", "detail")

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet compute a cell; texts that begin so get an apostrophe before them."""


class Form(StrEnum):
    """How the ledger is written out."""

    JSONL = "jsonl"
    """Every row as it stands, one JSON object a line: enough to check the chain again."""
    CSV = "csv"
    """Every roll as it counts now, with its last decision and whether it is void."""


def exported(reader: Reader, form: Form) -> Iterator[str]:
    """Yield the whole ledger in a form, line by line with their ends."""
    match form:
        case Form.JSONL:
            return (canonical(row_plain(row)) + "\n" for row in reader.rows())
        case Form.CSV:
            return _csv_lines(reader)


def row_plain(row: Row) -> dict[str, Any]:
    """Return a row as JSON-able data: JSON columns as data, hashes in hex."""
    told: dict[str, Any] = asdict(row)
    for column in _JSON_COLUMNS:
        told[column] = row.document(column)
    return told | {"prev": row.prev.hex(), "hash": row.hash.hex()}


def _csv_lines(reader: Reader) -> Iterator[str]:
    yield _csv_line(CSV_COLUMNS)
    for record in all_records(reader):
        yield _csv_line(_cells(record))


def all_records(reader: Reader) -> Iterator[Record]:
    """Yield every roll with what became of it, oldest first."""
    last = 0
    while True:
        page = reader.history(after=last, limit=MOST_ROLLS)
        yield from page.records
        if not page.more:
            return
        last = page.records[-1].roll.seq


def _cells(record: Record) -> tuple[Any, ...]:
    told = record.plain()
    request, outcome = told["request"], told["outcome"]
    return (
        record.roll.seq,
        record.roll.time,
        record.roll.boot,
        request["system"],
        request["kind"],
        _text(request.get("name")),
        record.roll.request,
        " ".join(map(str, record.roll.pips)),
        record.roll.source,
        outcome.get("success"),
        _text(outcome.get("explanation")),
        None if told["choices"] is None else canonical(told["choices"]),
        canonical(outcome),
        _text(told["note"]),
        told["hidden"],
        _text(told["void"]),
        told["hash"],
    )


def _text(text: str | None) -> str | None:
    return f"'{text}" if text and text.startswith(_FORMULA) else text


def _csv_line(cells: tuple[Any, ...]) -> str:
    """Return one line of CSV (RFC 4180), its end included."""
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()
