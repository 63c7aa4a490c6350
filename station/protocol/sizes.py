"""Results cut to what a line out may hold, so that the cut is told and nothing else is lost."""

from typing import Any

from station.protocol.errors import Code, MethodError
from station.protocol.jsonrpc import encode

MAX_OUT = 16 * 1024
"""Bytes of a line out at the most, its end and its check included."""

LINE_END = b"\r\n"
"""What ends a line out: terminal programs print a bare LF as a staircase."""

_MORE = len('"more":false')
_COMMA = 1


def fitted(result: Any, room: int) -> bytes:
    """Return a result as JSON of at most `room` bytes.

    Of a history, as many rolls are given as fit, and `more` is true; an outcome that is too
    large leaves out `dice` and says `truncated`.

    Raises:
        MethodError: even so it is too large.
    """
    data = encode(result)
    if len(data) <= room:
        return data
    if isinstance(result, dict):
        cut = _with_fewer_rolls(result, room) if "rolls" in result else without_dice(result)
        data = encode(cut)
        if len(data) <= room:
            return data
    raise MethodError(
        Code.INTERNAL_ERROR,
        f"the answer has {len(data)} bytes; this line has room for {room}",
        {"field": "result", "value": len(data), "allowed": f"0–{room} bytes"},
    )


def without_dice(result: dict[str, Any]) -> dict[str, Any]:
    """Return what a roll gave with its outcome cut, if there is one to cut."""
    outcome = result.get("outcome")
    if not isinstance(outcome, dict) or "dice" not in outcome:
        return result
    cut = {name: value for name, value in outcome.items() if name != "dice"}
    return {**result, "outcome": {**cut, "truncated": True}}


def _with_fewer_rolls(result: dict[str, Any], room: int) -> dict[str, Any]:
    left = room - len(encode({**result, "rolls": []})) - _MORE
    rolls: list[Any] = []
    for roll in result["rolls"]:
        fitting = _fitting(roll, left, first=not rolls)
        if fitting is None:
            break
        rolls.append(fitting[0])
        left -= fitting[1] + _COMMA
    return {**result, "rolls": rolls, "more": True}


def _fitting(roll: Any, left: int, *, first: bool) -> tuple[Any, int] | None:
    """Return a roll that fits, and its size; only the first is cut, so that one always comes."""
    size = len(encode(roll))
    if size > left and first and isinstance(roll, dict):
        roll = without_dice(roll)
        size = len(encode(roll))
    return (roll, size) if size <= left else None
