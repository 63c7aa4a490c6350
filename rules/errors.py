"""The one tree of errors that the rules raise, and how a bad value is shown in a sentence."""

import json
import math
from typing import TypeAlias

LONGEST_SHOWN = 60
"""Characters of a bad value that an error repeats; the rest would only bury the sentence."""

LONGEST_LIST = 12
"""Items of a bad list that an error repeats."""

MACHINE_WORD = 64
"""Bits of the longest integer that an error repeats digit by digit."""

WHOLE_NUMBER_LIMIT = 2**53
"""Integers from here on are not exact in every JSON reader, so no field takes them."""


Path: TypeAlias = tuple[str | int, ...]
"""Where in a request something is: names of fields and places in lists, from the outside in."""


def path_text(path: Path) -> str | None:
    """Return a path as people write it, ``contestants[1].rank``, or None for the whole."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or None


class RulesError(ValueError):
    """A request, an answer or a notation that the rules do not allow.

    Attributes:
        path: where the fault lies; empty when it is not in one field.
        value: the value found there.
        allowed: what would have been right, in a few words.
        because: why the value is wrong, where its range alone does not say it.
    """

    def __init__(self, path: Path | str, value: object, allowed: str, because: str = "") -> None:
        self.path: Path = (path,) if isinstance(path, str) else path
        self.value = value
        self.allowed = allowed
        self.because = because
        super().__init__(path, value, allowed, because)

    def __str__(self) -> str:
        return f"{self.fault()}; allowed: {self.allowed}"

    def fault(self) -> str:
        """Return the first half of the sentence: the field, the value and why it is wrong."""
        reason = f" ({self.because})" if self.because else ""
        return f"{self.field or 'the input'} is {shown(self.value)}{reason}"

    @property
    def field(self) -> str | None:
        """The field's path as people write it, or None when the fault is not in one field."""
        clean = (shown_text(step) if isinstance(step, str) else step for step in self.path)
        return path_text(tuple(clean))

    def under(self, step: str | int) -> "RulesError":
        """Return the same error for a part that lies at that step of a larger whole."""
        return type(self)((step, *self.path), self.value, self.allowed, self.because)

    def plain(self) -> dict[str, object]:
        """Return the error as JSON-able data: field, value, allowed, message."""
        return {
            "field": self.field,
            "value": plain_value(self.value),
            "allowed": self.allowed,
            "message": str(self),
        }


class MissingFieldError(RulesError):
    """A field that has no default was left out."""

    def fault(self) -> str:
        """Return the first half of the sentence."""
        return f"{self.field} is missing"


class UnknownFieldError(RulesError):
    """A field that this kind of test does not have."""

    def fault(self) -> str:
        """Return the first half of the sentence."""
        reason = f" ({self.because})" if self.because else ""
        return f"{self.field} is no field of this request{reason}"


def plain_value(value: object) -> object:
    """Return a bad value as JSON that every reader takes: what is long or not plain is told."""
    if isinstance(value, list | tuple) and _is_short(value):
        return [plain_value(item) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < WHOLE_NUMBER_LIMIT else shown(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else shown(value)
    return shown_text(value) if isinstance(value, str) else shown(value)


def _is_short(values: list[object] | tuple[object, ...]) -> bool:
    plain = (value is None or isinstance(value, str | int | float) for value in values)
    return len(values) <= LONGEST_LIST and all(plain)


def shown_text(text: str) -> str:
    """Return a text cut to what an error repeats, with nothing in it that can't be printed."""
    short = text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in short)


def shown(value: object) -> str:
    """Return any value as short printable text for an error's sentence."""
    match value:
        case None | bool() | float():
            text = json.dumps(value)
        case int() if value.bit_length() > MACHINE_WORD:
            text = f"a number of about {math.ceil(value.bit_length() * math.log10(2))} digits"
        case str():
            text = f'"{shown_text(value)}"'
        case dict():
            text = "an object"
        case _ if hasattr(value, "__dataclass_fields__"):
            # What `dataclasses.is_dataclass` looks at, without an import that doubles the start.
            text = "an object"
        case list() | tuple() if len(value) > LONGEST_LIST:
            text = "a long list"
        case list() | tuple():
            text = shown_text(f"[{', '.join(map(_shown_inside, value))}]")
        case _:
            text = shown_text(repr(value))
    return text


def _shown_inside(value: object) -> str:
    return "a list" if isinstance(value, list | tuple) else shown(value)
