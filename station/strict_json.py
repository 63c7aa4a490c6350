"""JSON as every reader understands it: what readers disagree about is refused.

Repeated members, strange member names and deep nesting are refused at once, as is what is no JSON.
NaN, Infinity, numbers beyond 53 bits and lone surrogates are first handed on as values that no
field of a request takes, so that the field itself says what it allows; `check_values` refuses
them wherever no field did.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, Self

from rules.errors import LONGEST_SHOWN, WHOLE_NUMBER_LIMIT, Path, RulesError

DEEPEST = 16
"""Objects and lists that may stand in one another."""

LONGEST_NAME = LONGEST_SHOWN
"""Characters of a member's name, so that an error shows it whole."""

MOST_DIGITS = 40
"""Digits of an integer that is read as it is; of a longer one only its length is kept."""

NAMES = f"names of 1–{LONGEST_NAME} printable characters"
"""What an object's members may be called."""


class JsonError(RulesError):
    """Text that is no JSON, or JSON that readers would understand differently."""


class _Repeated(dict[str, Any]):
    """An object in which a name stands more than once."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        counts = Counter(name for name, _ in pairs)
        self.name = next(name for name, count in counts.items() if count > 1)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _Repeated(pairs)


def _integer(digits: str) -> int:
    if len(digits) <= MOST_DIGITS:
        return int(digits)
    # As long as what was sent, without the quadratic cost of reading it.
    stand_in = (1 << int(len(digits.lstrip("-")) * math.log2(10))) - 1
    return -stand_in if digits.startswith("-") else stand_in


class Written(float):
    """A number with a fraction or an exponent; `text` is what stood there, such as ``1e2``."""

    __slots__ = ("text",)

    def __new__(cls, text: str) -> Self:
        """Return the number that a text stands for."""
        made = super().__new__(cls, text)
        made.text = text
        return made

    text: str


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=Written, parse_constant=float
)


def loads(text: str | bytes) -> Any:
    """Return what a JSON text (bytes in UTF-8) says; see the module's text for odd values.

    Raises:
        JsonError: it is no JSON, repeats a member, names one strangely, or nests deeper than
            16; `path` leads there, and is empty where the text is no JSON at all.
    """
    plain = text if isinstance(text, str) else _decoded(text)
    try:
        value = _DECODER.decode(plain)
    except json.JSONDecodeError as error:
        because = f"{error.msg[:1].lower()}{error.msg[1:]} at character {error.pos + 1}"
        raise JsonError((), plain, "JSON", because) from None
    except RecursionError:
        raise _too_deep((), plain) from None
    for path, container in _containers(value):
        _check_shape(path, container)
    return value


def check_values(value: object) -> None:
    """Refuse numbers and texts that not every JSON reader takes, anywhere in a value.

    Raises:
        JsonError: one is NaN, infinite, beyond 53 bits, or no Unicode text.
    """
    for path, inner in ((), value), *_containers(value):
        for step, item in _items(inner) if isinstance(inner, dict | list) else [(None, inner)]:
            _check_scalar(path if step is None else (*path, step), item)


def _decoded(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        because = f"byte {error.start + 1} is not UTF-8"
        raise JsonError((), text.decode(errors="replace"), "JSON in UTF-8", because) from None


def _items(container: dict[str, Any] | list[Any]) -> Iterator[tuple[str | int, Any]]:
    yield from container.items() if isinstance(container, dict) else enumerate(container)


def _containers(value: object) -> Iterator[tuple[Path, dict[str, Any] | list[Any]]]:
    """Yield each object and list with its path, those outside before those inside."""
    waiting: list[tuple[Path, Any]] = [((), value)]
    while waiting:
        path, container = waiting.pop()
        if isinstance(container, dict | list):
            yield path, container
            inner = ((k, v) for k, v in _items(container) if isinstance(v, dict | list))
            waiting += (((*path, step), item) for step, item in inner)


def _check_shape(path: Path, container: dict[str, Any] | list[Any]) -> None:
    if len(path) >= DEEPEST:
        raise _too_deep(path, container)
    if isinstance(container, list):
        return
    for name in container:
        if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
            raise JsonError(path, name, NAMES, "the name of a member")
    if isinstance(container, _Repeated):
        name = container.name
        raise JsonError((*path, name), container[name], "one value", "given twice")


def _check_scalar(path: Path, value: object) -> None:
    match value:
        case int() if abs(value) >= WHOLE_NUMBER_LIMIT:
            raise JsonError(path, value, "whole numbers of at most 53 bits")
        case float() if not math.isfinite(value):
            raise JsonError(path, value, "numbers that JSON has")
        case str() if not _is_unicode(value):
            raise JsonError(path, value, "Unicode text", "half of a surrogate pair")
        case _:
            pass


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _too_deep(path: Path, value: object) -> JsonError:
    return JsonError(path, value, f"at most {DEEPEST} objects and lists in one another", "too deep")
