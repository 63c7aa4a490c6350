"""The canonical text of an outcome, fast enough to check a million of them.

It is the text of ``canonical(outcome_plain(outcome))``; tests hold the two together. The JSON
encoder meets each part of the outcome once, instead of after a copy of the whole was made.
"""

import json
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any

from rules.model import Die, Open, Outcome


@cache
def _names(part: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(part))


def _part(value: Any) -> dict[str, Any]:
    """Return a part of an outcome as the encoder takes it; dice and decisions leave out None."""
    kind: Any = type(value)
    if kind in (Die, Open):
        return {n: item for n in _names(kind) if (item := getattr(value, n)) is not None}
    if isinstance(value, Mapping):
        return {str(key): item for key, item in value.items()}
    return {n: getattr(value, n) for n in _names(kind)}


_ENCODER = json.JSONEncoder(
    sort_keys=True,
    separators=(",", ":"),
    ensure_ascii=True,
    allow_nan=False,
    check_circular=False,
    default=_part,
)


def outcome_text(outcome: Outcome) -> str:
    """Return an outcome's canonical JSON text."""
    return _ENCODER.encode(outcome)
