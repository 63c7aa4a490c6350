"""The table's state as other programs may see it: what hidden rolls did to it is covered."""

from typing import Any

from rules.table import Table, state_plain
from station.ledger.absent import NoLedger
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
    if table.progress and not isinstance(ledger, NoLedger):
        covered = {
            _key(row.document("request"), row.document("outcome"))
            for row in covered_changes(ledger)
        }
        told["progress"] = [
            _covered(test) if _key(test, test) in covered else test for test in told["progress"]
        ]
    return told


def _key(of: dict[str, Any], reached: dict[str, Any]) -> tuple[str | None, int]:
    return of.get("name"), reached["gained"]


def _covered(test: dict[str, Any]) -> dict[str, Any]:
    return {**test, **dict.fromkeys(COVERED), "hidden": True}
