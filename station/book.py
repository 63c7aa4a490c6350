"""The table's book: the ledger and the table's state, written together or not at all.

Whoever rolls or changes anything, at the table or over a line, does it here. What a row changes
of the state stands in the same transaction as the row.
"""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from hardware.clock import Clock
from rules.acts import Act, act_plain
from rules.changes import undone
from rules.engine import resolve
from rules.errors import RulesError
from rules.frozen import frozen
from rules.model import Choices, Outcome, Request, outcome_plain
from rules.registry import Registry, request_plain
from rules.table import Table, table_plain
from station.consequences import after, at_once, on_request
from station.ledger import rows
from station.ledger.absent import NoLedger
from station.ledger.errors import Cause, NotPossibleError, UnavailableError, fault
from station.ledger.faults import AnyLedger
from station.ledger.reader import Record
from station.ledger.rows import Entry, Kind, Row
from station.ledger.store import Key, Ledger, Receipt
from station.moments import moment
from station.remembered import table_left
from station.told import told_change
from station.trail import (
    APPLY,
    SETTINGS,
    UNDO,
    act_of_row,
    applied_by,
    change_of,
    differences,
    is_act,
    standing_changes,
    state_after,
    was_undone,
)


@frozen(kw_only=True)
class Cast:
    """Dice that fell for a request, to be written.

    Attributes:
        faces: 1–6 pips each, all so far.
        source: where they came from; None where none were rolled.
        choices: decisions taken together with the roll.
        first: the row that the roll began with, where it was drawn in stages.
        test: whether the faces could be foretold.
        note: what whoever rolled wanted kept; `hidden`: whether it is covered for now.
    """

    request: Request
    faces: tuple[int, ...] = ()
    source: str | None = None
    choices: Choices | None = None
    first: int | None = None
    test: bool = False
    note: str | None = None
    hidden: bool = False


@frozen
class Written:
    """A roll as it was written, or could not be: its receipt, outcome and time.

    `unapplied` says why an extended test's progress is not kept count of; mostly empty.
    """

    cast: Cast
    receipt: Receipt
    outcome: dict[str, Any] = field(default_factory=dict)
    time: str | None = None
    unapplied: str = ""


class Book:
    """Writes rolls and what becomes of them. All methods belong to one thread.

    Args:
        registry: the systems.
        ledger: where to write.
        clock: the monotonic clock.
        mode: the mode of the entropy, for the rows.
        table: the table's state as the ledger has it, where it was read already.
    """

    def __init__(
        self,
        registry: Registry,
        ledger: AnyLedger,
        clock: Clock,
        mode: str,
        table: Table | None = None,
    ) -> None:
        self.registry = registry
        self.ledger = ledger
        self._clock = clock
        self._mode = mode
        self._table = table_left(ledger) if table is None else table

    @property
    def table(self) -> Table:
        """The table's state."""
        return self._table

    def use(self, ledger: AnyLedger) -> None:
        """Write to another ledger from now on, and take the table's state from it."""
        self.ledger = ledger
        self._table = table_left(ledger)

    # Rolls

    def draw(self, cast: Cast) -> Receipt:
        """Write some faces of a roll that needs more of them.

        Raises:
            NotPossibleError: the roll it goes on from takes none.
        """
        entry = rows.drawn(
            request_plain(cast.request),
            cast.faces,
            cast.source or "",
            of=cast.first,
            **self._detail(cast),
        )
        return self._append(entry)

    def roll(self, cast: Cast, key: Key | None = None) -> Written:
        """Write a roll with its outcome, and what it does to the state at once.

        Raises:
            RulesError: the faces or the choices are not to be had.
            NotPossibleError: the roll it goes on from takes no more faces.
            KeyReusedError: the key is known with other params.
            UnavailableError: it has a key, and can't be written.
        """
        system = self.registry.of(cast.request)
        outcome = resolve(system, cast.request, cast.faces, cast.choices)
        plain: dict[str, Any] = outcome_plain(outcome)
        table, unapplied = self._tried(at_once(system, cast.request, outcome))
        changes = {} if table is None else differences(self._table, table)
        entry = rows.rolled(
            request_plain(cast.request),
            cast.faces,
            cast.source,
            plain,
            of=cast.first,
            choices=cast.choices,
            unapplied=unapplied,
            **self._detail(cast),
            **changes,
        )
        now = moment(self._clock)
        receipt = self._append(entry, key, table, now)
        return Written(cast, receipt, plain, now.time, unapplied)

    def _tried(self, acts: tuple[Act, ...]) -> tuple[Table | None, str]:
        """Return the state after acts that must not keep a roll from being written."""
        if not acts:
            return None, ""
        try:
            return after(self._table, acts), ""
        except RulesError as error:
            return None, str(error)

    def _detail(self, cast: Cast) -> dict[str, Any]:
        return {"mode": self._mode, "test": cast.test, "note": cast.note, "hidden": cast.hidden}

    # What becomes of a roll

    def decide(self, seq: int, choices: Choices, key: Key | None = None) -> Row:
        """Write choices that a roll left open, and return the row.

        Raises:
            RulesError: what is chosen is not to be had.
            NotPossibleError: there is no such roll, or nothing of that is open.
            KeyReusedError: the key is known with other params.
            UnavailableError: it can't be written.
        """
        record = self._uncovered(seq)
        before = self._outcome(record)
        together = _together(record, before, choices)
        request = self.registry.request(record.roll.document("request"))
        system = self.registry.of(request)
        outcome = resolve(system, request, record.roll.pips, together)
        if on_request(system, request, outcome) != on_request(system, request, before):
            self._check_unapplied(record, "undo that before you decide")
        return self._sure(rows.decided(seq, together, outcome_plain(outcome)), key)

    def void(self, seq: int, reason: str, key: Key | None = None) -> Row:
        """Write that a roll does not count, take back what it applied, and return the row.

        Raises:
            NotPossibleError: there is no such roll, or a later change rests on what it applied.
            KeyReusedError: the key is known with other params.
            UnavailableError: it can't be written.
        """
        record = self.ledger.record(seq)
        table = self._table
        if record is not None and record.void is None:
            for row in reversed(applied_by(self._writable(), record.roll)):
                table = self._without(table, row)
        if table == self._table:
            return self._sure(rows.voided(seq, reason), key)
        entry = rows.voided(seq, reason, **differences(self._table, table))
        return self._sure(entry, key, table)

    def reveal(self, seq: int) -> Row:
        """Write that a hidden roll was shown, and return the row.

        Raises:
            NotPossibleError: there is no such roll, or nothing to uncover.
            UnavailableError: it can't be written.
        """
        if not self._record(seq).hidden:
            raise NotPossibleError(f"roll {seq} is not hidden")
        return self._sure(rows.revealed(seq), None)

    # Changes of the state

    def change(self, act: Act, key: Key | None = None) -> Row:
        """Write an act and the state after it, and return the row.

        Raises:
            RulesError: the rules refuse the act.
            KeyReusedError: the key is known with other params.
            UnavailableError: it can't be written.
        """
        return self._change(act_plain(act), after(self._table, (act,)), key)

    def apply(self, seq: int, key: Key | None = None) -> Row:
        """Write what a roll does to those at the table, and return the row.

        Raises:
            RulesError: it befalls someone who is not at the table.
            NotPossibleError: there is no such roll, it does nothing, or did it already.
            KeyReusedError: the key is known with other params.
            UnavailableError: it can't be written.
        """
        record = self._uncovered(seq)
        request = self.registry.request(record.roll.document("request"))
        acts = on_request(self.registry.of(request), request, self._outcome(record))
        self._check_unapplied(record, "undo that to apply it anew")
        if not acts:
            raise NotPossibleError(f"roll {seq} has no consequences to apply")
        return self._change({"act": APPLY}, after(self._table, acts), key, of=seq)

    def undo(self, seq: int | None = None, key: Key | None = None) -> Row:
        """Write that a change (the last one, if none is named) is taken back; return the row.

        Raises:
            NotPossibleError: there is no such change, it was taken back already, or a later
                one rests on it.
            KeyReusedError: the key is known with other params.
            UnavailableError: it can't be written.
        """
        row = self._last_change() if seq is None else self._named_change(seq)
        return self._change({"act": UNDO}, self._without(self._table, row), key, of=row.seq)

    def limit_glory(self, cap: int | None) -> None:
        """Let the state have that limit of Glory from now on, as the settings say."""
        if cap != self._table.glory_cap and isinstance(self.ledger, Ledger):
            limited = replace(self._table, glory_cap=cap)
            entry = rows.changed(
                {"act": SETTINGS, "glory_cap": cap}, **differences(self._table, limited)
            )
            self._append(entry, None, limited)

    def state_after(self, seq: int) -> Table:
        """Return the state as it was once a row was written.

        Raises:
            NotPossibleError: rows in between are lost.
        """
        try:
            return state_after(self._writable(), self._table, seq)
        except RulesError as error:
            raise NotPossibleError(f"the state after row {seq} can't be told any more") from error

    def _change(
        self, act: Mapping[str, Any], table: Table, key: Key | None, of: int | None = None
    ) -> Row:
        entry = rows.changed(act, of=of, **differences(self._table, table))
        return self._sure(entry, key, table)

    def _last_change(self) -> Row:
        for row in standing_changes(self._writable()):
            if row.kind == Kind.CHANGE and not is_act(row, SETTINGS):
                return row
        raise NotPossibleError("there is no change left to undo")

    def _named_change(self, seq: int) -> Row:
        ledger = self._writable()
        row = ledger.row(seq)
        if row is None or row.kind != Kind.CHANGE or act_of_row(row).get("act") in (UNDO, SETTINGS):
            raise NotPossibleError(f"row {seq} is no change that can be undone")
        roll = ledger.record(row.of) if is_act(row, APPLY) and row.of is not None else None
        if was_undone(ledger, seq) or (roll is not None and roll.void is not None):
            raise NotPossibleError(f"change {seq} was already taken back")
        return row

    def _without(self, table: Table, row: Row) -> Table:
        try:
            return undone(table, change_of(row))
        except RulesError as error:
            resting = self._resting_on(row)
            first = (
                "a later change rests on it"
                if resting is None
                else f"first undo “{told_change(resting)}”: row {resting.seq} rests on it"
            )
            raise NotPossibleError(first) from error

    def _resting_on(self, row: Row) -> Row | None:
        """Return the newest later change of anything that a row changed, or None."""
        parts = _parts(row)
        for later in standing_changes(self._writable(), row.seq):
            if parts & _parts(later):
                return later
        return None

    # Rows

    def _record(self, seq: int) -> Record:
        record = self.ledger.record(seq)
        if record is None:
            raise NotPossibleError(f"there is no roll {seq}")
        return record

    def _uncovered(self, seq: int) -> Record:
        record = self._record(seq)
        if record.void is not None:
            raise NotPossibleError(f"roll {seq} was marked as not counting")
        if record.hidden:
            raise NotPossibleError(f"roll {seq} is hidden until it is revealed at the station")
        return record

    def _outcome(self, record: Record) -> Outcome:
        request = self.registry.request(record.roll.document("request"))
        system = self.registry.of(request)
        return resolve(system, request, record.roll.pips, record.choices)

    def _check_unapplied(self, record: Record, way_out: str) -> None:
        for row in applied_by(self._writable(), record.roll):
            if row.seq != record.roll.seq:
                raise NotPossibleError(
                    f"roll {record.roll.seq} was already applied by change {row.seq}; {way_out}"
                )

    def _writable(self) -> Ledger:
        if isinstance(self.ledger, NoLedger):
            raise UnavailableError(self.ledger.fault)
        return self.ledger

    def _sure(self, entry: Entry, key: Key | None, table: Table | None = None) -> Row:
        """Write what must not be lost, and return the row."""
        receipt = self._append(entry, key, table)
        if receipt.row is None:
            raise UnavailableError(receipt.fault or fault(Cause.INPUT_OUTPUT))
        return receipt.row

    def _append(
        self,
        entry: Entry,
        key: Key | None = None,
        table: Table | None = None,
        now: rows.Moment | None = None,
    ) -> Receipt:
        receipt = self.ledger.append(
            entry,
            now or moment(self._clock),
            key=key,
            table=None if table is None else table_plain(table),
        )
        if table is not None and receipt.recorded and not receipt.replayed:
            self._table = table
        return receipt


def _parts(row: Row) -> set[tuple[str, ...]]:
    """Return which tallies, characters and extended tests a row changed."""
    return {each.path[:2] for each in change_of(row).differences}


def _together(record: Record, outcome: Outcome, choices: Choices) -> dict[str, Any]:
    """Return choices together with those taken before; refuse what is not open any more."""
    if not isinstance(choices, Mapping) or not choices:
        raise RulesError("choices", choices, "an object with what is decided")
    before = record.choices or {}
    still_open = {each.choice for each in outcome.open}
    for name in choices:
        if name not in still_open:
            taken = "was already taken" if name in before else "is not open"
            raise NotPossibleError(f"the decision {name} of roll {record.roll.seq} {taken}")
    return {**before, **{name: _added(before.get(name), choices[name]) for name in choices}}


def _added(before: Any, more: Any) -> Any:
    """Return a choice with what is added: ties of several contestants are struck one by one."""
    return [*before, *more] if isinstance(before, list) and isinstance(more, list) else more
