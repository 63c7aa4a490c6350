"""Params of methods, checked one by one: a wrong one is named, with what would be right."""

from collections.abc import Mapping
from typing import Any

from rules.errors import RulesError
from rules.leaves import TEXT_LENGTH
from station.protocol.errors import wrong

MOST_ROWS = 2**53 - 1
"""The greatest number of a row that JSON readers agree about."""


def whole(params: Mapping[str, Any], name: str, low: int, high: int) -> int:
    """Return a param that is a whole number in a closed range.

    Raises:
        MethodError: it is none.
    """
    value = params.get(name)
    if type(value) is not int or not low <= value <= high:
        raise wrong(name, value, f"a whole number {low}–{high}")
    return value


def seq(params: Mapping[str, Any], name: str = "seq", lowest: int = 1) -> int:
    """Return a param that is the number of a row; raises MethodError if it is none."""
    return whole(params, name, lowest, MOST_ROWS)


def flag(params: Mapping[str, Any], name: str) -> bool:
    """Return a param that is true or false, false where it is left out.

    Raises:
        MethodError: it is neither.
    """
    value = params.get(name, False)
    if type(value) is not bool:
        raise wrong(name, value, "true or false")
    return value


def text(params: Mapping[str, Any], name: str) -> str | None:
    """Return a param that is text of one line, None where it is left out.

    Raises:
        MethodError: it is no text, too long, or not printable.
    """
    value = params.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not 1 <= len(value) <= TEXT_LENGTH:
        raise wrong(name, value, f"text of 1–{TEXT_LENGTH} printable characters")
    if not value.isprintable() or not value.strip():
        raise wrong(name, value, f"text of 1–{TEXT_LENGTH} printable characters")
    return value


def choices(params: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the decisions among the params, None where they are left out.

    Raises:
        RulesError: they are no object.
    """
    value = params.get("choices")
    if value is not None and not isinstance(value, dict):
        raise RulesError("choices", value, "an object")
    return value
