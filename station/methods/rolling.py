"""Methods that roll, or write what becomes of a roll."""

from collections.abc import Mapping
from typing import Any

from rules.engine import checked_faces, handfuls
from rules.errors import RulesError
from rules.model import Request
from station.book import Cast, Written
from station.drawing import drawn, faces_of, notice_of, source_of
from station.events import RolledElsewhere
from station.ledger.rows import Row
from station.ledger.store import Key
from station.ledger.tally import HAND_ROLLED
from station.methods import params as checked
from station.methods.means import Asked, Means, once
from station.methods.told import brief, recorded_roll, test_mark, written_roll
from station.protocol.errors import wrong
from station.protocol.seam import Caller
from station.rolls import Roll

Params = Mapping[str, Any]


class Rolling:
    """The methods `roll`, `record`, `decide` and `void`."""

    def __init__(self, means: Means) -> None:
        self._means = means

    def roll(self, params: Params, caller: Caller) -> dict[str, Any]:
        """Roll dice, and return how they fell once that is on the disk."""
        request = self._means.request(params["request"])
        note, hidden = checked.text(params, "note"), checked.flag(params, "hidden")
        is_brief = checked.flag(params, "brief")

        def do(key: Key | None) -> dict[str, Any]:
            cast, notice = self._drawn(request, note, hidden=hidden)
            return self._written(cast, notice, key, caller)

        told = once(self._means, Asked("roll", params, caller), do, _again)
        return brief(self._means.registry, told) if is_brief else told

    def record(self, params: Params, caller: Caller) -> dict[str, Any]:
        """Write dice that people rolled by hand."""
        request = self._means.request(params["request"])
        cast = Cast(
            request=request,
            faces=checked_faces(params["faces"]),
            source=HAND_ROLLED,
            choices=checked.choices(params),
            note=checked.text(params, "note"),
        )

        def do(key: Key | None) -> dict[str, Any]:
            return self._written(cast, "", key, caller)

        return once(self._means, Asked("record", params, caller), do, _again)

    def decide(self, params: Params, caller: Caller) -> dict[str, Any]:
        """Write a decision that a roll left open."""
        seq, choices = checked.seq(params), checked.choices(params)
        if not choices:
            raise RulesError("choices", params["choices"], "an object with what is decided")

        def do(key: Key | None) -> dict[str, Any]:
            row = self._means.book.decide(seq, choices, key)
            self._means.changed(row, caller)
            return _decided(row, replayed=False) | test_mark(self._means.book.ledger, row)

        def again(row: Row) -> dict[str, Any]:
            return _decided(row, replayed=True) | test_mark(self._means.book.ledger, row)

        return once(self._means, Asked("decide", params, caller), do, again)

    def void(self, params: Params, caller: Caller) -> dict[str, Any]:
        """Write that a roll does not count, and take back what it applied."""
        seq, reason = checked.seq(params), checked.text(params, "reason")
        if reason is None:
            raise wrong("reason", None, "text that says why the roll does not count")

        def do(key: Key | None) -> dict[str, Any]:
            row = self._means.book.void(seq, reason, key)
            self._means.changed(row, caller)
            return _voided(row, replayed=False)

        def again(row: Row) -> dict[str, Any]:
            return _voided(row, replayed=True)

        return once(self._means, Asked("void", params, caller), do, again)

    def _drawn(self, request: Request, note: str | None, *, hidden: bool) -> tuple[Cast, str]:
        """Return dice that were drawn, and what the players must know of their source."""
        draws = drawn(self._means.system_of(request), request, self._means.dice)
        cast = Cast(
            request=request,
            faces=faces_of(draws),
            source=source_of(draws),
            test=any(draw.test for draw in draws),
            note=note,
            hidden=hidden,
        )
        return cast, notice_of(draws)

    def _written(self, cast: Cast, notice: str, key: Key | None, caller: Caller) -> dict[str, Any]:
        book, announcer = self._means.book, self._means.announcer
        written = book.roll(cast, key)
        announcer.rolled(written, caller.port)
        row = written.receipt.row
        if row is not None and row.state is not None:
            self._means.changed(row, caller)
        shown = self._roll(written, notice)
        self._means.front.tell(RolledElsewhere(shown, self._means.clock(), cast.hidden))
        return written_roll(written)

    def _roll(self, written: Written, notice: str) -> Roll:
        """Return a roll as the panel shows it."""
        cast, row = written.cast, written.receipt.row
        system = self._means.system_of(cast.request)
        answers = handfuls(system, cast.request, cast.faces)
        if cast.choices is not None:
            answers = (*answers, *system.choose(cast.request, cast.faces, cast.choices))
        return Roll(
            cast.request,
            answers,
            seq=None if row is None else row.seq,
            source=cast.source or "",
            notice=notice,
            foretold=cast.test,
            hidden=cast.hidden,
        )


def _again(row: Row) -> dict[str, Any]:
    return recorded_roll(row, replayed=True)


def _decided(row: Row, *, replayed: bool) -> dict[str, Any]:
    return {
        "seq": row.seq,
        "of": row.of,
        "choices": row.document("choices"),
        "outcome": row.document("outcome"),
        "keyed": "key" in row.document("detail"),
        "replayed": replayed,
    }


def _voided(row: Row, *, replayed: bool) -> dict[str, Any]:
    detail = row.document("detail")
    return {
        "seq": row.seq,
        "of": row.of,
        "reason": detail["reason"],
        "undone": "differences" in detail,
        "keyed": "key" in detail,
        "replayed": replayed,
    }
