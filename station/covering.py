"""The table's state as it may be seen: what hidden rolls did to it is covered."""

from typing import Any

from rules.table import Table, state_plain
from station.book import Book
from station.events import Changed
from station.ledger.absent import NoLedger
from station.ledger.errors import UnavailableError
from station.ledger.faults import AnyLedger
from station.ledger.followers import covered_changes

COVERED = ("gained", "complete")
"""What is null of an extended test while its last roll is hidden."""


def shown_state(ledger: AnyLedger, table: Table) -> dict[str, Any]:
    """Return a state of the table with the progress covered that a hidden roll tells.

    Raises:
        UnavailableError: the ledger can't be read.
    """
    told: dict[str, Any] = state_plain(table)
    covered = covered_tests(ledger, table)
    told["progress"] = [
        _covered(test) if test["name"] in covered else test for test in told["progress"]
    ]
    return told


def changed(book: Book, told: str = "", void: tuple[int, str] | None = None) -> Changed:
    """Return what a panel is told once the table's state changed, or what is covered of it."""
    try:
        covered = covered_tests(book.ledger, book.table)
    except UnavailableError:
        covered = frozenset()
    return Changed(book.table, told, covered, void)


def covered_tests(ledger: AnyLedger, table: Table) -> frozenset[str | None]:
    """Return the names of the extended tests whose last roll is hidden.

    Raises:
        UnavailableError: the ledger can't be read.
    """
    if not table.progress or isinstance(ledger, NoLedger):
        return frozenset()
    hidden = {
        (row.document("request").get("name"), row.document("outcome").get("gained"))
        for row in covered_changes(ledger)
    }
    return frozenset(test.name for test in table.progress if (test.name, test.gained) in hidden)


def _covered(test: dict[str, Any]) -> dict[str, Any]:
    return {**test, **dict.fromkeys(COVERED), "hidden": True}
