"""The checker that needs none of our code agrees with ours, on good ledgers and bad ones."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from station.ledger import Ledger, Moment, open_ledger
from station.ledger.faults import DATABASE

CHECKER = Path(__file__).parents[3] / "examples" / "check_ledger.py"

LONGEST = 30
"""Lines that the example may have, so that a reader takes it in at a glance."""


def checked(path: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-I", str(CHECKER), str(path)]
    return subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - our own example


def test_it_imports_nothing_but_the_standard_library_and_is_short() -> None:
    text = CHECKER.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    imported = [line.split()[1] for line in text.splitlines() if line.startswith("import ")]
    assert imported == ["hashlib", "json", "sqlite3", "sys"]


def test_it_finds_a_good_ledger_good_and_tells_its_head(
    filled: Callable[[int], Ledger], path: Path
) -> None:
    ledger = filled(60)
    done = checked(path)
    assert done.stdout == f"good: {ledger.head().seq} rows, head {ledger.head()}\n"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE entry SET boot = 2 WHERE seq = 7", "row 7: its contents and its hash differ"),
        ("UPDATE entry SET source = CAST(x'ff' AS TEXT) WHERE seq = 7", "row 7: its contents"),
        ("UPDATE entry SET prev = hash WHERE seq = 7", "row 7 does not follow"),
        ("DELETE FROM entry WHERE seq = 7", "row 7 is missing"),
    ],
)
def test_it_names_the_first_bad_row(
    filled: Callable[[int], Ledger], path: Path, change: str, told: str
) -> None:
    filled(60).close()
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("DROP TRIGGER entry_no_update; DROP TRIGGER entry_no_delete")
    db.execute(change)
    db.close()
    done = checked(path)
    assert done.returncode == 1
    assert done.stderr.startswith(told)


def test_it_knows_rows_that_were_lost_with_a_damaged_file(
    filled: Callable[[int], Ledger], path: Path
) -> None:
    filled(60).close()
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("DROP TRIGGER entry_no_update")
    db.execute("UPDATE entry SET boot = 2 WHERE seq IN (20, 21, 60)")
    db.close()
    assert path.name == DATABASE
    opened = open_ledger(path.parent, Moment(1), "0.1")
    assert "3 lost" in opened.ledger.condition.reason
    opened.close()
    assert checked(path).stdout.startswith("good: ")
