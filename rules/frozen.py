"""Frozen dataclasses with slots, defined in a quarter of the time.

``@dataclass(frozen=True, slots=True)`` compiles six functions for every class; for some two hundred
classes that is half of all that the station computes until it is ready. Here only `__init__` is
compiled, once an instance is made, and everything else is shared. Whoever uses such a class has a
dataclass: `field`, `fields`, `replace`, `asdict`, `match`, `__post_init__` and inheritance all
work.
"""

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

T = TypeVar("T")

_ALLOWED = "its fields never change"


@overload
def frozen(cls: type[T], /) -> type[T]: ...


@overload
def frozen(*, kw_only: bool = False) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def frozen(cls: type[Any] | None = None, /, *, kw_only: bool = False) -> Any:
    """Make a class a dataclass: equal by its fields, hashable, and never changed once it is made.

    Args:
        cls: the class; its annotated names are the fields.
        kw_only: whether all fields are given by name.
    """
    if cls is None:
        return lambda decorated: _made(decorated, kw_only=kw_only)
    return _made(cls, kw_only=kw_only)


def _made(cls: type[Any], *, kw_only: bool) -> type[Any]:
    if cls.__doc__ is None:
        cls.__doc__ = ""  # else dataclass works out a signature for it
    made: type[Any] = dataclasses.dataclass(
        init=False, repr=False, eq=False, slots=True, kw_only=kw_only
    )(cls)
    names = tuple(field.name for field in dataclasses.fields(made) if field.compare)
    shared: dict[str, Any] = {
        "__init__": _late_init(made),
        "__setattr__": _refuse_to_set,
        "__delattr__": _refuse_to_delete,
        "__getstate__": _state,
        "__setstate__": _restore,
        "__repr__": _told,
        **_compared(names),
    }
    for name, function in shared.items():
        if name not in cls.__dict__:
            setattr(made, name, function)
    return made


def _late_init(made: type[Any]) -> Any:
    """Return an `__init__` that has the real one compiled when the first instance is made."""

    def __init__(self: Any, *args: Any, **named: Any) -> None:  # noqa: N807 - what it stands for
        compiled = _init(dataclasses.fields(made), checked=hasattr(made, "__post_init__"))
        made.__init__ = compiled
        compiled(self, *args, **named)

    return __init__


def _init(fields: tuple[dataclasses.Field[Any], ...], *, checked: bool) -> Any:
    """Compile an `__init__`; what it needs beside its arguments are its globals."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_absent": dataclasses.MISSING}
    positional: list[str] = []
    named: list[str] = []
    body: list[str] = []
    for field in fields:
        name, value = field.name, field.name
        argument = name
        if field.default is not dataclasses.MISSING:
            known[f"_of_{name}"] = field.default
            argument = f"{name}=_of_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            known[f"_of_{name}"] = field.default_factory
            argument = f"{name}=_absent"
            value = f"_of_{name}() if {name} is _absent else {name}"
        (named if field.kw_only else positional).append(argument)
        body.append(f"_set(self, {name!r}, {value})")
    if checked:
        body.append("self.__post_init__()")
    arguments = ", ".join(["self", *positional, *(["*", *named] if named else [])])
    text = f"def __init__({arguments}):\n " + "\n ".join(body or ["pass"])
    exec(text, known)  # noqa: S102 - the names are those of attributes, as in `dataclasses`
    return known["__init__"]


def _compared(names: tuple[str, ...]) -> dict[str, Any]:
    """Return what compares and hashes by these attributes."""
    values: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: ()

    def same(self: Any, other: object) -> Any:
        if other.__class__ is self.__class__:
            return values(self) == values(other)
        return NotImplemented

    return {"__eq__": same, "__hash__": lambda self: hash(values(self))}


def _refuse_to_set(self: Any, name: str, _: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"{type(self).__name__}.{name} can't be set: {_ALLOWED}")


def _refuse_to_delete(self: Any, name: str) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"{type(self).__name__}.{name} can't go: {_ALLOWED}")


def _state(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, field.name) for field in dataclasses.fields(self))


def _restore(self: Any, state: tuple[Any, ...]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


def _told(self: Any) -> str:
    shown = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self))
    return f"{type(self).__qualname__}({', '.join(shown)})"
