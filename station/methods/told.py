"""Rolls as other programs read them: whole, brief, and covered."""

from collections.abc import Mapping
from typing import Any

from rules.engine import resolve
from rules.registry import Registry, request_plain
from station.book import Written
from station.ledger.faults import AnyLedger
from station.ledger.reader import Record
from station.ledger.rows import Row

COVERED = ("faces", "outcome", "hash", "choices")
"""What is null while a roll is hidden; the hash too, as few dice can be guessed from it."""


def written_roll(written: Written) -> dict[str, Any]:
    """Return the reply to a roll, recorded or not."""
    row = written.receipt.row
    if row is not None:
        return recorded_roll(row, replayed=written.receipt.replayed)
    cast = written.cast
    told = {
        "seq": None,
        "time": written.time,
        "request": request_plain(cast.request),
        "faces": list(cast.faces),
        "outcome": written.outcome,
        "source": cast.source,
        "hash": None,
        "recorded": False,
        "keyed": False,
        "replayed": False,
    }
    more = {"choices": cast.choices, "note": cast.note, "hidden": cast.hidden}
    return told | _said(more | {"test": cast.test, "unapplied": written.unapplied})


def recorded_roll(row: Row, *, replayed: bool = False) -> dict[str, Any]:
    """Return the reply to a roll from its row, the same at whatever time it is asked for."""
    detail = row.document("detail")
    told = {
        "seq": row.seq,
        "time": row.time,
        "request": row.document("request"),
        "faces": list(row.pips),
        "outcome": row.document("outcome"),
        "source": row.source,
        "hash": row.hash.hex(),
        "recorded": True,
        "keyed": "key" in detail,
        "replayed": replayed,
    }
    more = {name: detail.get(name) for name in ("note", "hidden", "test", "unapplied")}
    return told | _said({"choices": row.document("choices")} | more)


def test_mark(ledger: AnyLedger, row: Row) -> dict[str, Any]:
    """Return the mark of what became of a roll whose faces could be foretold, else nothing."""
    record = None if row.of is None else ledger.record(row.of)
    return {"test": True} if record is not None and record.foretold else {}


def in_history(record: Record) -> dict[str, Any]:
    """Return a roll as `history` tells it, with what became of it; covered while it is hidden."""
    told = {**record.plain(), "recorded": True}
    return covered(told) if record.hidden else told


def covered(roll: Mapping[str, Any]) -> dict[str, Any]:
    """Return a roll without what must not be seen yet."""
    return {name: None if name in COVERED else value for name, value in roll.items()}


def brief(registry: Registry, roll: Mapping[str, Any]) -> dict[str, Any]:
    """Return a roll in about 100 bytes: number, success, what was reached and needed, faces."""
    if roll["outcome"] is None:
        return {"seq": roll["seq"], "hidden": True} | _said({"test": roll.get("test")})
    request = registry.request(roll["request"])
    system = registry.of(request)
    outcome = resolve(system, request, roll["faces"], roll.get("choices"))
    headline = system.headline(request, outcome)
    told = {
        "seq": roll["seq"],
        "success": headline.success,
        "value": headline.value,
        "need": headline.need,
        "faces": roll["faces"],
        "keyed": roll["keyed"],
    }
    unusual = {} if roll["recorded"] else {"recorded": False}
    more = {name: roll.get(name) for name in ("replayed", "hidden", "test")}
    return told | unusual | _said(more)


def _said(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return members without those that say nothing."""
    return {name: value for name, value in members.items() if value not in (None, False, "")}
