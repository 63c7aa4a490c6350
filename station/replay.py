"""The table's state from the rows alone: every act done again, by the rules.

This is independent of what the rows say they changed: it repeats what was done.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from rules.acts import act_from_plain, apply
from rules.changes import Change, between, undone
from rules.engine import resolve
from rules.model import Outcome, Request, RuleSystem
from rules.registry import DEFAULT, Registry
from rules.table import EMPTY, Table, table_from_plain
from station.consequences import after, at_once, on_request
from station.ledger.patch import patched
from station.ledger.rows import PATCH, Kind, Row
from station.trail import APPLY, SETTINGS, UNDO, act_of_row


def replayed_state(rows: Iterable[Row], registry: Registry = DEFAULT) -> Table:
    """Return the state that rows lead to, from the first on, in order.

    Raises:
        RulesError: a row did what the rules refuse.
        ValueError: a row points at what is not there.
    """
    table = EMPTY
    for _, changed in replayed_states(rows, registry):
        table = changed
    return table


def replayed_states(
    rows: Iterable[Row], registry: Registry = DEFAULT
) -> Iterator[tuple[Row, Table]]:
    """Yield each row that changed the state, and the state after it; raises as above.

    All rolls are held in memory meanwhile, since any of them may be applied or voided later.
    """
    replay = _Replay(registry)
    for row in rows:
        replay.follow(row)
        if row.state is not None:
            yield row, replay.table


@dataclass(slots=True)
class _Rolled:
    """A roll, and the rows by which it changed the state."""

    request: str
    faces: tuple[int, ...]
    choices: str | None
    applied: list[int] = field(default_factory=list)


class _Replay:
    def __init__(self, registry: Registry) -> None:
        self.table = EMPTY
        self._registry = registry
        self._rolls: dict[int, _Rolled] = {}
        self._changes: dict[int, Change] = {}
        self._applied: dict[int, _Rolled] = {}

    def follow(self, row: Row) -> None:
        if row.kind == Kind.ROLL:
            self._rolls[row.seq] = _Rolled(str(row.request), row.pips, row.choices)
        elif row.kind == Kind.DECISION:
            self._roll(row.of).choices = row.choices
        if row.state is None:
            return
        before = self.table
        self.table = self._changed(row)
        self._changes[row.seq] = between(before, self.table)

    def _changed(self, row: Row) -> Table:
        match row.kind:
            case Kind.ROLL:
                roll = self._roll(row.seq)
                roll.applied.append(row.seq)
                return after(self.table, at_once(*self._resolved(roll)))
            case Kind.CHANGE:
                return self._acted(row, act_of_row(row))
            case Kind.VOID:
                return self._voided(self._roll(row.of))
            case Kind.CARRIED:
                return table_from_plain(patched(None, row.document("detail")[PATCH]))
            case _:
                raise ValueError(f"row {row.seq}: a {row.kind} changes no state")

    def _acted(self, row: Row, act: dict[str, Any]) -> Table:
        match act.get("act"):
            case name if name == APPLY:
                roll = self._roll(row.of)
                roll.applied.append(row.seq)
                self._applied[row.seq] = roll
                return after(self.table, on_request(*self._resolved(roll)))
            case name if name == UNDO:
                if row.of in self._applied:
                    self._applied.pop(row.of).applied.remove(row.of)
                return undone(self.table, self._change(row.of))
            case name if name == SETTINGS:
                return replace(self.table, glory_cap=act["glory_cap"])
            case _:
                return apply(self.table, act_from_plain(act))

    def _voided(self, roll: _Rolled) -> Table:
        table = self.table
        for seq in reversed(roll.applied):
            table = undone(table, self._change(seq))
        roll.applied.clear()
        return table

    def _resolved(self, roll: _Rolled) -> tuple[RuleSystem, Request, Outcome]:
        request = self._registry.request(json.loads(roll.request))
        system = self._registry.of(request)
        choices = None if roll.choices is None else json.loads(roll.choices)
        return system, request, resolve(system, request, roll.faces, choices)

    def _roll(self, seq: int | None) -> _Rolled:
        if seq not in self._rolls:
            raise ValueError(f"there is no roll {seq} among the rows")
        return self._rolls[seq]

    def _change(self, seq: int | None) -> Change:
        if seq not in self._changes:
            raise ValueError(f"no row {seq} changed the state")
        return self._changes[seq]
