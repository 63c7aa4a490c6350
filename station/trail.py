"""How the ledger's rows changed the table's state, and which of these changes still stand.

Each row that changed it says so twice: by the ledger's own patch, from which the state can be
made again, and by its `differences`, each place with its value before and after, by which it can
be taken back.
"""

from collections.abc import Iterator
from typing import Any

from rules.changes import Change, between, change_from_plain, change_plain, undone
from rules.table import Table
from station.ledger.followers import newest_changes, pointing_at
from station.ledger.reader import Reader
from station.ledger.rows import Kind, Row

DIFFERENCES = "differences"
"""The member of a row's detail with what the row changed."""

APPLY, UNDO, SETTINGS = "apply", "undo", "settings"
"""Acts of `change` rows that are none of the rules' own."""


def differences(before: Table, after: Table) -> dict[str, Any]:
    """Return what a row's detail says of a change; nothing where nothing changed hands."""
    return {DIFFERENCES: change_plain(between(before, after))}


def change_of(row: Row) -> Change:
    """Return what a row changed; empty where it changed nothing."""
    return change_from_plain(row.document("detail").get(DIFFERENCES, []))


def act_of_row(row: Row) -> dict[str, Any]:
    """Return the act that a `change` row holds."""
    act: dict[str, Any] = row.document("detail").get("change", {})
    return act


def is_act(row: Row, name: str) -> bool:
    """Return whether a row is a change by that act."""
    return row.kind == Kind.CHANGE and act_of_row(row).get("act") == name


def standing_changes(reader: Reader, after: int = 0) -> Iterator[Row]:
    """Yield rolls and changes that changed the state and were not taken back, newest first."""
    gone: set[int | None] = set()
    void: set[int | None] = set()
    for row in newest_changes(reader, after):
        if row.kind == Kind.VOID:
            void.add(row.of)
        elif is_act(row, UNDO):
            gone.add(row.of)
        elif row.kind not in (Kind.ROLL, Kind.CHANGE):
            continue
        elif row.seq not in gone | void and not (is_act(row, APPLY) and row.of in void):
            yield row


def applied_by(reader: Reader, roll: Row) -> tuple[Row, ...]:
    """Return the rows by which a roll changed the state and that still stand, oldest first.

    That is the roll itself, where it changed something at once, and the row that applied it.
    """
    own = (roll,) if roll.state is not None else ()
    applied = (row for row in pointing_at(reader, roll.seq) if is_act(row, APPLY))
    return (*own, *(row for row in applied if not was_undone(reader, row.seq)))


def was_undone(reader: Reader, seq: int) -> bool:
    """Return whether an undo points at a change."""
    return any(is_act(row, UNDO) for row in pointing_at(reader, seq))


def state_after(reader: Reader, now: Table, seq: int) -> Table:
    """Return the state as it was once a row was written, from the state now.

    Raises:
        RulesError: rows in between are lost, so that nobody can tell.
    """
    table = now
    for row in newest_changes(reader, seq):
        if row.kind != Kind.CARRIED:
            table = undone(table, change_of(row))
    return table
