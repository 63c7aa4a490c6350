"""The method that changes the table's state."""

from collections.abc import Mapping
from typing import Any

from rules.acts import ACTS, act_from_plain
from rules.errors import MissingFieldError, RulesError, UnknownFieldError
from rules.fields import specs
from station.covering import shown_state
from station.ledger.rows import Row
from station.ledger.store import Key
from station.methods import params as checked
from station.methods.means import Asked, Means, once
from station.protocol.seam import Caller
from station.trail import APPLY, UNDO

Params = Mapping[str, Any]

EVERY_ACT = (*(name for name in ACTS if name != "progress"), APPLY, UNDO)
"""What `change` does; the progress of a test comes with its rolls alone."""


SCORES = '{"Strength": 3}, or a list such as [{"attribute": "Strength", "score": 3}]'
"""What scores look like."""


class Changing:
    """The method `change`."""

    def __init__(self, means: Means) -> None:
        self._means = means

    def change(self, params: Params, caller: Caller) -> dict[str, Any]:
        """Change the state, and return it once that is on the disk."""
        asked = _listed({name: value for name, value in params.items() if name != "key"})
        if asked.get("act") not in EVERY_ACT:
            raise RulesError("act", asked.get("act"), ", ".join(EVERY_ACT))

        def do(key: Key | None) -> dict[str, Any]:
            row = self._done(asked, key)
            self._means.changed(row, caller)
            return self._told(row, replayed=False)

        def again(row: Row) -> dict[str, Any]:
            return self._told(row, replayed=True)

        return once(self._means, Asked("change", params, caller), do, again)

    def _done(self, asked: Params, key: Key | None) -> Row:
        book = self._means.book
        match asked["act"]:
            case name if name == APPLY:
                _only(asked, "seq")
                if "seq" not in asked:
                    raise MissingFieldError("seq", None, "the number of a roll")
                return book.apply(checked.seq(asked), key)
            case name if name == UNDO:
                _only(asked, "change")
                named = checked.seq(asked, "change") if "change" in asked else None
                return book.undo(named, key)
            case _:
                if not specs(ACTS[asked["act"]]):
                    _only(asked, "")
                return book.change(act_from_plain(asked), key)

    def _told(self, row: Row, *, replayed: bool) -> dict[str, Any]:
        """Return the reply to a change, the same at whatever time it is asked for."""
        book = self._means.book
        state = book.state_after(row.seq) if replayed else book.table
        of = {} if row.of is None else {"of": row.of}
        return {
            "change": row.seq,
            **of,
            "state": shown_state(book.ledger, state),
            "keyed": "key" in row.document("detail"),
            "replayed": replayed,
        }


def _listed(asked: dict[str, Any]) -> dict[str, Any]:
    """Return what was asked with its scores as a list; they may stand as in the roster, by name."""
    match asked.get("scores", []):
        case Mapping() as by_name:
            scores = [{"attribute": name, "score": score} for name, score in by_name.items()]
            return {**asked, "scores": scores}
        case list() as scores if all(isinstance(each, Mapping) for each in scores):
            return asked
        case wrong:
            raise RulesError("scores", wrong, SCORES)


def _only(asked: Params, name: str) -> None:
    for each in asked:
        if each not in ("act", name):
            raise UnknownFieldError(each, asked[each], name or "nothing beside act")
