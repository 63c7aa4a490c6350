"""Results cut to what a line out may hold, so that the cut is told and nothing else is lost."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from station.protocol.errors import Code, MethodError
from station.protocol.jsonrpc import encode

MAX_OUT = 16 * 1024
"""Bytes of a line out at the most, its end and its check included."""

LINE_END = b"\r\n"
"""What ends a line out: terminal programs print a bare LF as a staircase."""

_MORE = len('"more":false')
_COMMA = 1


_NAMED = ("seq", "change", "of", "dropped", "keyed", "replayed")
"""What is told, however little room there is, of something that was written."""

_LARGE = 8
"""A roll that takes more than this part of a page of history leaves out its dice."""


def shares(sizes: Sequence[int], room: int) -> list[int]:
    """Return how many bytes each of several parts gets: what it needs, or an equal share."""
    given = [0] * len(sizes)
    for rank, place in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        given[place] = min(sizes[place], (room - sum(given)) // (len(sizes) - rank))
    return given


def fitted(result: Any, room: int) -> bytes:
    """Return a result as JSON of at most `room` bytes.

    Of a history, as many rolls are given as fit, and `more` is true. What a roll or a change gave
    leaves out more and more, and says `truncated`: first the outcome's `dice`, at last all but
    the number of its row.

    Raises:
        MethodError: it is something else, and too large.
    """
    data = encode(result)
    size = len(data)
    forms = iter(_smaller(result, room))
    while len(data) > room:
        form = next(forms, None)
        if form is None:
            raise MethodError(
                Code.INTERNAL_ERROR,
                f"the answer has {size} bytes; this line has room for {room}",
                {"field": "result", "value": size, "allowed": f"0–{room} bytes"},
            )
        data = encode(form)
    return data


def _smaller(result: Any, room: int) -> Iterator[dict[str, Any]]:
    """Yield forms of a result, each smaller than the one before."""
    if not isinstance(result, dict):
        return
    if "rolls" in result:
        yield _with_fewer_rolls(result, room)
        return
    yield without_dice(result)
    if "seq" in result or "change" in result:
        yield _simple(result)
        yield told_least(result)


def without_dice(result: dict[str, Any]) -> dict[str, Any]:
    """Return what a roll gave with its outcome cut, if there is one to cut."""
    outcome = result.get("outcome")
    if not isinstance(outcome, dict) or "dice" not in outcome:
        return result
    cut = {name: value for name, value in outcome.items() if name != "dice"}
    return {**result, "outcome": {**cut, "truncated": True}}


def told_least(result: dict[str, Any]) -> dict[str, Any]:
    """Return the number of what was written, and that the rest is left out."""
    return {name: result[name] for name in _NAMED if name in result} | {"truncated": True}


def _simple(result: dict[str, Any]) -> dict[str, Any]:
    """Return what was written without its objects; of an outcome, what has no parts of its own."""
    kept = {name: value for name, value in result.items() if not isinstance(value, dict)}
    outcome = result.get("outcome")
    if not isinstance(outcome, dict):
        return {**kept, "truncated": True}
    plain = {
        name: value
        for name, value in outcome.items()
        if name != "explanation" and not isinstance(value, dict | list)
    }
    return {**kept, "outcome": {**plain, "truncated": True}}


def _with_fewer_rolls(result: dict[str, Any], room: int) -> dict[str, Any]:
    left = room - len(encode({**result, "rolls": []})) - _MORE
    large = left // _LARGE
    rolls: list[Any] = []
    for each in result["rolls"]:
        roll = each if len(encode(each)) <= large else without_dice(each)
        data = encode(roll)
        if len(data) > left and not rolls:
            # One roll always comes, so that who pages on gets somewhere.
            data = fitted(roll, left)
        if len(data) > left:
            break
        rolls.append(json.loads(data))
        left -= len(data) + _COMMA
    return {**result, "rolls": rolls, "more": True}
