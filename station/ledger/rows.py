"""One row of the ledger: its columns, its canonical bytes and the link of the chain.

A row is never changed. What happens to a roll later is a further row that points at it.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from enum import StrEnum
from typing import Any

from rules.frozen import frozen

HASH_BYTES = 32
"""Bytes of a SHA-256."""

FIRST_PREV = bytes(HASH_BYTES)
"""What the first row of a ledger has for the hash of the row before."""


PATCH = "patch"
"""The member of `detail` that says how a row changed the table's state; see `patch`."""


class Kind(StrEnum):
    """What a row says."""

    START = "start"
    """The station was started; the first row of every run."""
    DRAWN = "drawn"
    """Some faces of a roll that needs more of them, or a choice, before its verdict."""
    ROLL = "roll"
    """A roll with all its faces and its outcome; `of` is its first `drawn` row, if it had one."""
    DECISION = "decision"
    """Choices for the roll `of`, and the outcome with them."""
    VOID = "void"
    """The roll `of` does not count."""
    REVEAL = "reveal"
    """The hidden roll `of` was shown."""
    CHANGE = "change"
    """The table's state was changed by something other than a roll."""
    CARRIED = "carried"
    """The rows above were read from a damaged ledger, which is kept aside."""


@frozen
class Row:
    """A row as it stands in the database, in the order of its columns.

    Attributes:
        seq: its number, from 1.
        kind: a `Kind`.
        of: the seq of the row it points at.
        time: UTC, ISO 8601, or None while the clock was never set.
        boot: how many times the station had been started, from 1.
        uptime_ms: the monotonic clock (ms).
        request: JSON of what was asked.
        faces: JSON list of faces (1–6 pips), all so far.
        choices: JSON of the decisions taken.
        source: where the newly drawn faces came from.
        outcome: JSON of what the dice decided.
        state: SHA-256 (hex) of the table's state from this row on, where the row changed it.
        detail: JSON object of everything else.
        prev: the hash of the row before.
        hash: SHA-256 of `prev` and the canonical bytes of all columns above.
    """

    seq: int
    kind: str
    of: int | None
    time: str | None
    boot: int
    uptime_ms: int
    request: str | None
    faces: str | None
    choices: str | None
    source: str | None
    outcome: str | None
    state: str | None
    detail: str
    prev: bytes
    hash: bytes

    def document(self, column: str) -> Any:
        """Return the data in a JSON column, or None where it is empty."""
        text: str | None = getattr(self, column)
        return None if text is None else json.loads(text)

    @property
    def pips(self) -> tuple[int, ...]:
        """All faces so far (1–6 pips)."""
        return () if self.faces is None else tuple(json.loads(self.faces))

    @property
    def columns(self) -> tuple[int | str | None, ...]:
        """What the hash covers beside the hash before."""
        return astuple(self)[:HASHED]


COLUMNS = tuple(field.name for field in fields(Row))
"""The columns' names, in order."""

HASHED = len(COLUMNS) - 2
"""How many columns, from the first, the hash covers as canonical bytes."""


@frozen
class Moment:
    """When something happened.

    Attributes:
        uptime_ms: the monotonic clock (ms, ≥ 0).
        time: UTC, ISO 8601, ending in Z; None while the clock was never set.
    """

    uptime_ms: int
    time: str | None = None


_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False, check_circular=False
)


def canonical(data: object) -> str:
    """Return the one JSON text of some data: members sorted, no spaces, ASCII."""
    return _ENCODER.encode(data)


def sha256_hex(text: str) -> str:
    """Return the SHA-256 of an ASCII text, in hex; bytes that are none count as they were read."""
    return hashlib.sha256(text.encode("ascii", "surrogateescape")).hexdigest()


def link(prev: bytes, columns: Sequence[int | str | None]) -> bytes:
    """Return a row's hash: SHA-256 of the hash before and of its columns as a JSON list."""
    return hashlib.sha256(prev + _ENCODER.encode(columns).encode("ascii")).digest()


@frozen(kw_only=True)
class Entry:
    """What is to be written; made by the functions below, numbered and linked by the ledger."""

    kind: Kind
    of: int | None = None
    request: str | None = None
    faces: tuple[int, ...] | None = None
    choices: str | None = None
    source: str | None = None
    outcome: str | None = None
    detail: tuple[tuple[str, Any], ...] = ()


def _detail(members: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return members as pairs, without those that say nothing."""
    said = {k: v for k, v in members.items() if v is not None and v is not False and v != ""}
    return tuple(said.items())


def drawn(
    request: Mapping[str, Any],
    faces: Sequence[int],
    source: str,
    *,
    of: int | None = None,
    **detail: Any,
) -> Entry:
    """Return the entry for faces of a roll that needs more before its verdict.

    Args:
        request: what was asked, as plain data.
        faces: all faces so far (1–6 pips), those of earlier `drawn` rows included.
        source: where the new ones came from.
        of: the first `drawn` row of this roll; None when this is it.
        detail: `note`, `hidden`, `mode` of the entropy, and what else the row should say.
    """
    return Entry(
        kind=Kind.DRAWN,
        of=of,
        request=canonical(request),
        faces=tuple(faces),
        source=source,
        detail=_detail(detail),
    )


def rolled(
    request: Mapping[str, Any],
    faces: Sequence[int],
    source: str | None,
    outcome: Mapping[str, Any],
    *,
    of: int | None = None,
    choices: Mapping[str, Any] | None = None,
    **detail: Any,
) -> Entry:
    """Return the entry for a roll with its outcome; arguments as for `drawn`.

    `faces` are all of them, `of` is the first `drawn` row if there was one, and `source` is
    None where no dice were rolled.
    """
    return Entry(
        kind=Kind.ROLL,
        of=of,
        request=canonical(request),
        faces=tuple(faces),
        choices=None if choices is None else canonical(choices),
        source=source,
        outcome=canonical(outcome),
        detail=_detail(detail),
    )


def decided(
    roll: int, choices: Mapping[str, Any], outcome: Mapping[str, Any], **detail: Any
) -> Entry:
    """Return the entry for all choices taken so far of a roll, and the outcome with them."""
    return Entry(
        kind=Kind.DECISION,
        of=roll,
        choices=canonical(choices),
        outcome=canonical(outcome),
        detail=_detail(detail),
    )


def voided(roll: int, reason: str, **detail: Any) -> Entry:
    """Return the entry for a roll (or a `drawn` row, with what follows it) that does not count."""
    return Entry(kind=Kind.VOID, of=roll, detail=_detail({"reason": reason, **detail}))


def revealed(roll: int, **detail: Any) -> Entry:
    """Return the entry for a hidden roll that was shown."""
    return Entry(kind=Kind.REVEAL, of=roll, detail=_detail(detail))


def changed(act: Mapping[str, Any], *, of: int | None = None, **detail: Any) -> Entry:
    """Return the entry for a change of the table's state, `of` the row that it comes from."""
    return Entry(kind=Kind.CHANGE, of=of, detail=_detail({"change": dict(act), **detail}))
