"""The fields of a request: what each may hold, how it is dialled, and how it is told to others.

A request is a frozen dataclass whose attributes are made with `number`, `flag`, `choice`, `text`,
`group` and `series`. That one declaration serves validation, the dial, the JSON form and the
description that other programs build a user interface from.
"""

import dataclasses
import difflib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, TypeAlias, TypeVar

from rules.errors import MissingFieldError, RulesError, UnknownFieldError
from rules.frozen import frozen
from rules.leaves import NAME_LENGTH, TEXT_LENGTH, Choice, Flag, Number, Text, range_text


@frozen(kw_only=True)
class Group:
    """A part with fields of its own, such as one side of an opposed test."""

    label: str
    part: type["Fielded"]
    default: None = None
    required: ClassVar[bool] = True
    dialled: ClassVar[bool] = True

    @property
    def allowed(self) -> str:
        """What the field takes, in words."""
        return f"an object{_example(self.part)}"

    def check(self, name: str, value: object) -> None:
        """Raise RulesError unless the value is such a part."""
        if not isinstance(value, self.part):
            raise RulesError(name, value, self.allowed)

    def read(self, value: object) -> object:
        """Return the part built from its JSON object."""
        if not isinstance(value, Mapping):
            raise RulesError((), value, self.allowed)
        return build(self.part, value)

    def first(self) -> "Fielded":
        """Return the part that a fresh dial shows."""
        return started(self.part)

    def describe(self) -> dict[str, object]:
        """Return the field as JSON-able data."""
        return {"type": "object", "fields": describe(self.part)}


@frozen(kw_only=True)
class Series:
    """Several parts of one sort, `low` to `high` of them; where `low` is 0, none if left out."""

    label: str
    part: type["Fielded"]
    low: int
    high: int
    default: tuple[()] | None = None
    dialled: ClassVar[bool] = True

    def check(self, name: str, value: object) -> None:
        """Raise RulesError unless the value is a tuple of the allowed number of parts."""
        if not isinstance(value, tuple) or not self.low <= len(value) <= self.high:
            raise RulesError(name, value, self.allowed)
        for place, part in enumerate(value):
            if not isinstance(part, self.part):
                raise RulesError((name, place), part, "an object")

    @property
    def required(self) -> bool:
        """Whether there must be some."""
        return self.low > 0

    @property
    def allowed(self) -> str:
        """What the field takes, in words."""
        return f"a list of {range_text(self.low, self.high)} objects{_example(self.part)}"

    def read(self, value: object) -> object:
        """Return the parts built from their JSON list; a wrong length is left to `check`."""
        if not isinstance(value, list | tuple) or len(value) > self.high:
            return value
        return tuple(self._read_part(place, part) for place, part in enumerate(value))

    def _read_part(self, place: int, part: object) -> "Fielded":
        if not isinstance(part, Mapping):
            raise RulesError((place,), part, f"an object{_example(self.part)}")
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
    default = None if low else ()
    return _made(Series(label=label, part=part, low=low, high=high, default=default))


@frozen(kw_only=True)
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


def _example(part: type[Fielded]) -> str:
    """Return the least that such a part holds, for errors: `` such as {"rank": 3}``."""
    least = {
        name: spec.first()
        for name, spec in specs(part).items()
        if spec.required and isinstance(spec, Number)
    }
    return f" such as {json.dumps(least)}" if least and None not in least.values() else ""


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


def _beside(name: str, spec: Spec) -> dict[str, object]:
    """Return beside which other field alone this one may be given."""
    other = spec.dialled_with if isinstance(spec, Number) else ""
    return {"beside": other} if other not in ("", name) else {}


def describe(part: type[Fielded]) -> list[dict[str, object]]:
    """Return the fields as JSON-able data: name, label, type, limits, default, required."""
    return [
        {
            "name": name,
            "label": spec.label,
            **spec.describe(),
            **_beside(name, spec),
            "required": spec.required,
            **({} if spec.required else {"default": spec.default}),
        }
        for name, spec in specs(part).items()
    ]
