"""Every layout there ever was opens, with all its rows, and a step is whole or not done."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from station.ledger import schema
from station.ledger.chain import tail_problem
from station.ledger.errors import Cause, UnavailableError
from station.ledger.reader import Reader
from station.ledger.rows import Moment
from station.ledger.store import Ledger

EARLIER = range(1, schema.VERSION)
ROWS_IN_DUMPS = 28
COUNTS_IN_DUMPS = (30, 19, 18, 23, 26, 19)
"""Ones to sixes of the dump's rolls, counted from its text; rows that were only drawn repeat."""


def dump_of(version: int) -> Path:
    return Path(__file__).with_name(f"schema_{version}.sql")


@pytest.fixture
def restored(path: Path) -> Callable[[int], None]:
    def restore(version: int) -> None:
        with closing(sqlite3.connect(path)) as db:
            db.executescript(dump_of(version).read_text(encoding="ascii"))

    return restore


@pytest.mark.parametrize("version", EARLIER)
def test_a_ledger_of_an_earlier_layout_is_brought_up_to_date_whole(
    version: int, path: Path, restored: Callable[[int], None], table: Any, now: Moment
) -> None:
    restored(version)
    with Ledger.begin(path, now, "0.2") as ledger:
        assert ledger.head().seq == ROWS_IN_DUMPS + 1
        fairness = ledger.fairness()
        assert fairness is not None
        assert fairness.counts == COUNTS_IN_DUMPS
        assert ledger.append(table.any_roll(), now).recorded
        assert ledger.history(limit=50).records
    with closing(sqlite3.connect(path)) as db:
        assert schema.version(db) == schema.VERSION
        assert tail_problem(db) is None


@pytest.mark.parametrize("version", EARLIER)
def test_a_step_that_is_cut_off_leaves_the_earlier_layout(
    version: int, path: Path, restored: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    restored(version)

    step = schema.MIGRATIONS[version]

    def half(db: sqlite3.Connection) -> None:
        step(db)
        raise KeyboardInterrupt

    cut = (*schema.MIGRATIONS[:version], half, *schema.MIGRATIONS[version + 1 :])
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        with monkeypatch.context() as patched:
            patched.setattr(schema, "MIGRATIONS", cut)
            with pytest.raises(KeyboardInterrupt):
                schema.migrate(db)
        assert schema.version(db) == version
        schema.migrate(db)
        assert schema.version(db) == schema.VERSION


def test_reading_does_not_change_the_layout(path: Path, restored: Callable[[int], None]) -> None:
    restored(1)
    with pytest.raises(UnavailableError, match="starting the station") as caught:
        Reader.open(path)
    assert caught.value.fault.cause is Cause.OLDER


def test_a_newer_layout_is_left_alone(ledger: Ledger, path: Path, now: Moment) -> None:
    ledger.close()
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    before = path.read_bytes()
    with pytest.raises(UnavailableError) as caught:
        Ledger.begin(path, now, "0.1")
    assert caught.value.fault.cause is Cause.NEWER
    assert path.read_bytes() == before
