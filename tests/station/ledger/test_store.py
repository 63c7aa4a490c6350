"""What is appended is there, once, in a chain; what points nowhere is refused."""

from pathlib import Path

import pytest

from station.ledger.errors import KeyReusedError, NotPossibleError
from station.ledger.reader import Reader
from station.ledger.rows import Kind, Moment, decided, drawn, link, revealed, rolled, voided
from station.ledger.store import Key, Ledger

REQUEST = {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "difficulty": 9}
OUTCOME = {"success": True, "total": 14}
NOW = Moment(5_000, "2026-01-02T20:00:00.000Z")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    with Ledger.begin(tmp_path / "ledger.db", NOW, "0.1") as ledger:
        yield ledger


def test_a_roll_is_read_back_with_all_it_was_given(ledger: Ledger) -> None:
    receipt = ledger.append(rolled(REQUEST, (6, 5, 3), "urandom", OUTCOME, note="door"), NOW)
    assert receipt.recorded
    record = ledger.record(receipt.row.seq)
    assert record is not None
    assert record.plain() == {
        "seq": 2,
        "time": NOW.time,
        "request": REQUEST,
        "faces": [6, 5, 3],
        "choices": None,
        "outcome": OUTCOME,
        "source": "urandom",
        "hash": receipt.row.hash.hex(),
        "note": "door",
        "hidden": False,
        "decisions": [],
        "void": None,
    }
