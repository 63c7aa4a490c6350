"""Rolls from the station's own controls, into the ledger and out of it again."""

from datetime import UTC, datetime
from typing import Any

from hardware.clock import MILLISECOND, Clock
from rules.engine import chosen_of, handfuls
from rules.errors import RulesError
from rules.model import AskDice, outcome_plain
from rules.registry import Registry, request_plain
from station.dialling import Dial, at_first_stop, first_dial, with_request
from station.ledger.faults import AnyLedger
from station.ledger.rows import Entry, Moment, decided, drawn, rolled
from station.pages import settled
from station.state import Roll, Stage

DIAL = "dial"
"""The name of the document that keeps what is dialled."""

CLOCK_SET = datetime(2025, 1, 1, tzinfo=UTC)
"""A wall clock that is before this was never set: a Pi without a battery starts in 1970."""


def moment(clock: Clock) -> Moment:
    """Return the time for a row: monotonic, and the wall clock's if it was ever set."""
    now = datetime.now(UTC)
    told = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return Moment(clock() // MILLISECOND, told if now >= CLOCK_SET else None)


class Recorder:
    """Writes what the machine wants recorded, and finds what a power cut left over.

    Args:
        registry: the systems.
        ledger: where to write.
        clock: the monotonic clock.
        mode: the mode of the entropy, for the rows.
    """

    def __init__(self, registry: Registry, ledger: AnyLedger, clock: Clock, mode: str) -> None:
        self._registry = registry
        self._ledger = ledger
        self._clock = clock
        self._mode = mode

    def record(self, roll: Roll, stage: Stage) -> int | None:
        """Commit a roll and return its row's number once it is on the disk; None if it is not."""
        if stage is Stage.DECISION and roll.seq is None:
            return None
        receipt = self._ledger.append(self._entry(roll, stage), moment(self._clock))
        return receipt.row.seq if receipt.row is not None else None

    def _entry(self, roll: Roll, stage: Stage) -> Entry:
        request = request_plain(roll.request)
        detail: dict[str, Any] = {"mode": self._mode, "test": roll.foretold}
        if stage is Stage.DRAWN:
            return drawn(request, roll.faces, roll.source, of=roll.first, **detail)
        outcome = outcome_plain(settled(self._registry, roll))
        if stage is Stage.DECISION and roll.seq is not None:
            choices = self._registry.of(roll.request).choices(chosen_of(roll.answers))
            return decided(roll.seq, choices, outcome)
        source = roll.source or None
        return rolled(request, roll.faces, source, outcome, of=roll.first, **detail)

    def unfinished(self) -> tuple[Roll, ...]:
        """Return the rolls that were cut off, with the faces that had been drawn for them."""
        return tuple(
            roll
            for pending in self._ledger.pending()
            if (roll := self._resumed(pending.first.seq, pending.latest)) is not None
        )

    def _resumed(self, first: int, latest: Any) -> Roll | None:
        try:
            request = self._registry.request(latest.document("request"))
            system = self._registry.of(request)
            answers = handfuls(system, request, latest.pips)
        except RulesError:
            return None
        waits = isinstance(system.advance(request, answers), AskDice)
        return Roll(request, answers, first, source=latest.source or "") if waits else None

    def keep_dial(self, dial: Dial) -> None:
        """Keep what is dialled across a power cut."""
        requests = [request_plain(request) for request in dial.requests]
        self._ledger.put(DIAL, {"requests": requests, "active": dial.request.system})

    def dial(self, *, roll_button: bool) -> Dial:
        """Return the dial as it was left, or a fresh one."""
        dial = first_dial(self._registry, roll_button=roll_button)
        kept = self._ledger.document(DIAL)
        if not isinstance(kept, dict):
            return dial
        active = kept.get("active")
        requests = sorted(kept.get("requests", ()), key=lambda data: data.get("system") == active)
        for data in requests:
            try:
                dial = with_request(dial, self._registry.request(data))
            except RulesError:
                continue
        return at_first_stop(dial)
