"""What the station tells unasked: rolls, changes, what was put on the dial, and its health."""

from collections.abc import Callable, Mapping
from typing import Any

from rules.model import Request
from rules.registry import request_plain
from rules.table import Table
from station.book import Book, Written
from station.covering import shown_state
from station.ledger.rows import Row
from station.methods.told import brief, covered, recorded_roll, test_mark, written_roll
from station.protocol.events import Event, EventName

Publish = Callable[[Event], None]
"""Where events go: to whoever subscribed. It must return at once, and may be called by the owner
of the station's state alone."""


def nobody(_: Event) -> None:
    """Publish to nobody."""


class Announcer:
    """Makes events of what happened; `origin` is the port that asked, empty for the table."""

    def __init__(self, book: Book, publish: Publish = nobody) -> None:
        self._book = book
        self._publish = publish

    def rolled(self, written: Written, origin: str = "") -> None:
        """Tell of a roll, covered while it is hidden."""
        told = written_roll(written)
        self._rolled(covered(told) if written.cast.hidden else told, origin)

    def revealed(self, roll: Row, origin: str = "") -> None:
        """Tell of a hidden roll that was shown."""
        self._rolled(recorded_roll(roll) | {"hidden": False, "revealed": True}, origin)

    def _rolled(self, told: dict[str, Any], origin: str) -> None:
        self._publish(Event(EventName.ROLLED, told, brief(self._book.registry, told), origin))

    def changed(self, row: Row, table: Table, origin: str = "") -> None:
        """Tell of a row that changed the state, or what became of a roll."""
        detail = row.document("detail")
        said = {
            "act": detail.get("change"),
            "reason": detail.get("reason"),
            "outcome": None if row.kind == "roll" else row.document("outcome"),
        }
        told: dict[str, Any] = {"seq": row.seq, "kind": row.kind, "of": row.of}
        told |= {name: value for name, value in said.items() if value is not None}
        told |= test_mark(self._book.ledger, row)
        full = {**told, "state": shown_state(self._book.ledger, table)}
        self._publish(Event(EventName.CHANGED, full, told, origin))

    def selected(self, request: Request, origin: str = "") -> None:
        """Tell of a request that was put on the dial."""
        told = {"request": request_plain(request)}
        self._publish(Event(EventName.SELECTED, told, None, origin))

    def health(self, parts: Mapping[str, Any]) -> None:
        """Tell of a part of the station that fares otherwise than before."""
        self._publish(Event(EventName.HEALTH_CHANGED, dict(parts)))
