"""The fields of a request: what each may hold, how it is dialled, and how it is told to others.

A request is a frozen dataclass whose attributes are made with `number`, `flag`, `choice`, `text`,
`group` and `series`. That one declaration serves validation, the dial, the JSON form and the
description that other programs build a user interface from.
"""

import dataclasses
import difflib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, ClassVar, TypeAlias, TypeVar

from rules.errors import MissingFieldError, RulesError, UnknownFieldError

NAME_LENGTH = 24
"""Characters of a name, so that it fits the panel."""

TEXT_LENGTH = 60
"""Characters of any other free text."""

UNSET = "–"
"""How the dial shows a number that is not given."""


def range_text(low: int, high: int) -> str:
    """Return a closed range as people write it: ``1–20``, ``−10…+10``."""
    if low < 0:
        return f"{low:+d}…{high:+d}".replace("-", "−")
    return f"{low}–{high}"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A whole number in a closed range; `optional` ones may be left unset (None).

    `main` ones come first on the dial, whatever their place in the request. With `dialled_with`
    one is dialled only while the field of that name, its own or another, is set.
    """

    label: str
    low: int
    high: int
    default: int | None = None
    start: int | None = None
    required: bool = False
    optional: bool = False
    dialled: bool = True
    main: bool = False
    dialled_with: str = ""
    show: Callable[[int], str] = str

    def check(self, name: str, value: object) -> None:
        """Raise RulesError unless the value is a whole number in range (bool is none)."""
        if value is None and self.optional:
            return
        if type(value) is not int or not self.low <= value <= self.high:
            raise RulesError(name, value, self.allowed)

    def read(self, value: object) -> object:
        """Return the value found in JSON as the request holds it."""
        return value

    @property
    def allowed(self) -> str:
        """What the field takes, in words."""
        return f"a whole number {range_text(self.low, self.high)}"

    def first(self) -> int | None:
        """Return the value that a fresh dial shows."""
        return self.default if self.start is None else self.start

    def turned(self, value: object, detents: int) -> int | None:
        """Return the value after that many detents, kept in range; unset lies below the lowest."""
        lowest = self.low - 1 if self.optional else self.low
        current = lowest if not isinstance(value, int) else value
        result = min(self.high, max(lowest, current + detents))
        return None if result < self.low else result

    def text(self, value: object) -> str:
        """Return the value as the dial shows it."""
        return self.show(value) if isinstance(value, int) else UNSET

    def describe(self) -> dict[str, object]:
        """Return the field as JSON-able data."""
        return {"type": "integer", "min": self.low, "max": self.high}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """Yes or no."""

    label: str
    default: bool = False
    required: ClassVar[bool] = False
    dialled: bool = True
    allowed: ClassVar[str] = "true or false"

    def check(self, name: str, value: object) -> None:
        """Raise RulesError unless the value is a bool."""
        if type(value) is not bool:
            raise RulesError(name, value, self.allowed)

    def read(self, value: object) -> object:
        """Return the value found in JSON as the request holds it."""
        return value

    def first(self) -> bool:
        """Return the value that a fresh dial shows."""
        return self.default

    def turned(self, value: object, detents: int) -> bool:  # noqa: ARG002 - one shape for all fields
        """Return yes for a turn to the right, no for one to the left."""
        return detents > 0

    def text(self, value: object) -> str:
        """Return the value as the dial shows it."""
        return "yes" if value else "no"

    def describe(self) -> dict[str, object]:
        """Return the field as JSON-able data."""
        return {"type": "boolean"}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of a few named values; `recorded` ones are always written out, even when default."""

    label: str
    values: tuple[str, ...]
    default: str
    required: ClassVar[bool] = False
    dialled: bool = False
    recorded: bool = False

    def check(self, name: str, value: object) -> None:
        """Raise RulesError unless the value is one of those named."""
        if not isinstance(value, str) or value not in self.values:
            raise RulesError(name, value, self.allowed)

    def read(self, value: object) -> object:
        """Return the value found in JSON as the request holds it."""
        return value

    @property
    def allowed(self) -> str:
        """What the field takes, in words."""
        return " or ".join(self.values)

    def first(self) -> str:
        """Return the value that a fresh dial shows."""
        return self.default

    def turned(self, value: object, detents: int) -> str:
        """Return the value that many places further on, stopping at either end."""
        place = self.values.index(str(value)) + detents
        return self.values[min(len(self.values) - 1, max(0, place))]

    def text(self, value: object) -> str:
        """Return the value as the dial shows it."""
        return str(value).replace("_", " ")

    def describe(self) -> dict[str, object]:
        """Return the field as JSON-able data."""
        return {"type": "string", "values": list(self.values)}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Free text of one line, 1 character at least, or None; it is never dialled."""

    label: str
    longest: int = TEXT_LENGTH
    default: str | None = None
    required: ClassVar[bool] = False
    dialled: ClassVar[bool] = False

    def check(self, name: str, value: object) -> None:
        """Raise RulesError unless the value is None or printable text of the allowed length."""
        if value is None and self.default is None:
            return
        if not isinstance(value, str) or not 1 <= len(value) <= self.longest:
            raise RulesError(name, value, self.allowed)
        if not value.isprintable() or not value.strip():
            raise RulesError(name, value, self.allowed)

    def read(self, value: object) -> object:
        """Return the value found in JSON as the request holds it."""
        return value

    @property
    def allowed(self) -> str:
        """What the field takes, in words."""
        return f"text of 1–{self.longest} printable characters"

    def first(self) -> str | None:
        """Return the value that a fresh dial shows."""
        return self.default

    def text(self, value: object) -> str:
        """Return the value as the dial shows it."""
        return UNSET if value is None else str(value)

    def describe(self) -> dict[str, object]:
        """Return the field as JSON-able data."""
        return {"type": "string", "max_length": self.longest}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A part with fields of its own, such as one side of an opposed test."""

    label: str
    part: type["Fielded"]
    default: None = None
    required: ClassVar[bool] = True
    dialled: ClassVar[bool] = True
    allowed: ClassVar[str] = "an object"

    def check(self, name: str, value: object) -> None:
        """Raise RulesError unless the value is such a part."""
        if not isinstance(value, self.part):
            raise RulesError(name, value, self.allowed)

    def read(self, value: object) -> object:
        """Return the part built from its JSON object."""
        return build(self.part, value)

    def first(self) -> "Fielded":
        """Return the part that a fresh dial shows."""
        return started(self.part)

    def describe(self) -> dict[str, object]:
        """Return the field as JSON-able data."""
        return {"type": "object", "fields": describe(self.part)}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Several parts of one sort, `low` to `high` of them."""

    label: str
    part: type["Fielded"]
    low: int
    high: int
    default: None = None
    required: ClassVar[bool] = True
    dialled: ClassVar[bool] = True

    def check(self, name: str, value: object) -> None:
        """Raise RulesError unless the value is a tuple of the allowed number of parts."""
        if not isinstance(value, tuple) or not self.low <= len(value) <= self.high:
            raise RulesError(name, value, self.allowed)
        for place, part in enumerate(value):
            if not isinstance(part, self.part):
                raise RulesError((name, place), part, "an object")

    @property
    def allowed(self) -> str:
        """What the field takes, in words."""
        return f"a list of {range_text(self.low, self.high)} objects"

    def read(self, value: object) -> object:
        """Return the parts built from their JSON list; a wrong length is left to `check`."""
        if not isinstance(value, list | tuple) or len(value) > self.high:
            return value
        return tuple(self._read_part(place, part) for place, part in enumerate(value))

    def _read_part(self, place: int, part: object) -> "Fielded":
        try:
            return build(self.part, part)
        except RulesError as error:
            raise error.under(place) from None

    def first(self) -> tuple["Fielded", ...]:
        """Return the parts that a fresh dial shows: as few as allowed."""
        return tuple(started(self.part) for _ in range(self.low))

    def resized(self, parts: tuple["Fielded", ...], detents: int) -> tuple["Fielded", ...]:
        """Return the parts with that many more or fewer, kept in range."""
        count = min(self.high, max(self.low, len(parts) + detents))
        fresh = tuple(started(self.part) for _ in range(count - len(parts)))
        return parts[:count] + fresh

    def describe(self) -> dict[str, object]:
        """Return the field as JSON-able data."""
        return {
            "type": "array",
            "min_items": self.low,
            "max_items": self.high,
            "fields": describe(self.part),
        }


Spec: TypeAlias = Number | Flag | Choice | Text | Group | Series
"""Any field."""

_KEY = "spec"


def _made(spec: Spec) -> Any:
    if spec.required:
        return dataclasses.field(metadata={_KEY: spec})
    return dataclasses.field(default=spec.default, metadata={_KEY: spec})


def number(label: str, low: int, high: int, **more: Any) -> Any:
    """Declare a whole-number field; see `Number`."""
    return _made(Number(label=label, low=low, high=high, **more))


def flag(label: str, **more: Any) -> Any:
    """Declare a yes-or-no field; see `Flag`."""
    return _made(Flag(label=label, **more))


def choice(label: str, *values: str, **more: Any) -> Any:
    """Declare a field with a few named values, the first of them the default; see `Choice`."""
    return _made(Choice(label=label, values=values, default=values[0], **more))


def text(label: str, longest: int = TEXT_LENGTH, default: str | None = None) -> Any:
    """Declare a free-text field; see `Text`."""
    return _made(Text(label=label, longest=longest, default=default))


def group(label: str, part: type["Fielded"]) -> Any:
    """Declare a part with fields of its own; see `Group`."""
    return _made(Group(label=label, part=part))


def series(label: str, part: type["Fielded"], low: int, high: int) -> Any:
    """Declare a list of parts; see `Series`."""
    return _made(Series(label=label, part=part, low=low, high=high))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Fielded:
    """Anything made of declared fields; an object that breaks a range can't be constructed."""

    def __post_init__(self) -> None:
        """Check each field alone, then what they say together.

        Raises:
            RulesError: naming the field, its value and what is allowed.
        """
        for name, spec in specs(type(self)).items():
            spec.check(name, getattr(self, name))
        self.check_together()

    def check_together(self) -> None:
        """Raise RulesError where fields that are right alone contradict each other."""


FieldedT = TypeVar("FieldedT", bound=Fielded)


def specs(part: type[Fielded]) -> dict[str, Spec]:
    """Return the declared fields by name, in the order of declaration."""
    of_any: Any = part
    return _specs(of_any)


@cache
def _specs(part: Any) -> dict[str, Spec]:
    return {field.name: field.metadata[_KEY] for field in dataclasses.fields(part)}


def build(part: type[FieldedT], data: object) -> FieldedT:
    """Build a part from its JSON object.

    Raises:
        RulesError: an unknown, missing or wrong field, named with its path.
    """
    if not isinstance(data, Mapping):
        raise RulesError((), data, "an object")
    known = specs(part)
    for name in data:
        if name not in known:
            raise UnknownFieldError(str(name), data[name], ", ".join(known), _meant(name, known))
    values: dict[str, Any] = {}
    for name, spec in known.items():
        if name in data:
            values[name] = _read(name, spec, data[name])
        elif spec.required:
            raise MissingFieldError(name, None, spec.allowed)
    return part(**values)


def _read(name: str, spec: Spec, value: object) -> object:
    try:
        return spec.read(value)
    except RulesError as error:
        raise error.under(name) from None


def _meant(name: object, known: Mapping[str, Spec]) -> str:
    near = difflib.get_close_matches(str(name)[:NAME_LENGTH], known, n=1)
    return f"did you mean {near[0]}?" if near else ""


def plain(part: Fielded) -> dict[str, object]:
    """Return the JSON form: what equals its default is left out, but for recorded choices."""
    result: dict[str, object] = {}
    for name, spec in specs(type(part)).items():
        value = getattr(part, name)
        if isinstance(value, Fielded):
            result[name] = plain(value)
        elif isinstance(value, tuple):
            result[name] = [plain(item) for item in value]
        elif spec.required or value != spec.default or (isinstance(spec, Choice) and spec.recorded):
            result[name] = value
    return result


def started(part: type[FieldedT]) -> FieldedT:
    """Return a part as a fresh dial shows it."""
    return part(**{name: spec.first() for name, spec in specs(part).items()})


def describe(part: type[Fielded]) -> list[dict[str, object]]:
    """Return the fields as JSON-able data: name, label, type, limits, default, required."""
    return [
        {
            "name": name,
            "label": spec.label,
            **spec.describe(),
            "required": spec.required,
            **({} if spec.required else {"default": spec.default}),
        }
        for name, spec in specs(part).items()
    ]
