"""What an act changed in the table's state, as data, so that it can be taken back later.

A change lists the places whose value differs, with the value before and after. Tallies (Glory,
wounds, points of Reserve …) are taken back by their difference, so that a change can be undone
though others came after it; anything else only while it still is as the change left it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from rules.acts import Act, apply
from rules.errors import RulesError, shown
from rules.fields import Fielded, Series, specs
from rules.frozen import frozen
from rules.table import Table, table_from_plain

Leaf: TypeAlias = str | int | None
"""A value at one place of the state; None where there is nothing."""

TALLIES = frozenset(
    {"glory", "turn", "wounds", "injuries", "lost", "residual", "gained", "rolls", "count"}
)
"""The fields that count something; the others say how something is."""

_KEYS: Mapping[str, str] = {
    "characters": "name",
    "reserves": "attribute",
    "progress": "name",
    "costs": "label",
}
"""The field that names each part of a list."""

LATER = "a later change rests on it and must be undone first"
"""Why a change can't be taken back."""


@frozen
class Difference:
    """One place of the state that an act changed: where, and its value before and after."""

    path: tuple[str, ...]
    before: Leaf
    after: Leaf


@frozen
class Change:
    """All that an act changed; empty where it changed nothing."""

    differences: tuple[Difference, ...] = ()

    @property
    def inverse(self) -> "Change":
        """The change that leads back."""
        return Change(tuple(Difference(d.path, d.after, d.before) for d in self.differences))


def changed(table: Table, act: Act) -> tuple[Table, Change]:
    """Return the state after an act, and what the act changed.

    Raises:
        RulesError: the act is refused.
    """
    after = apply(table, act)
    return after, between(table, after)


def between(before: Table, after: Table) -> Change:
    """Return what differs between two states."""
    old, new = _leaves(before), _leaves(after)
    return Change(
        tuple(
            Difference(path, old.get(path), new.get(path))
            for path in dict.fromkeys((*old, *new))
            if old.get(path) != new.get(path)
        )
    )


def undone(table: Table, change: Change) -> Table:
    """Return the state without a change that was made earlier, whatever came after it.

    Raises:
        RulesError: a later change rests on it and must be undone first.
    """
    leaves = _leaves(table)
    for difference in change.differences:
        value = _taken_back(leaves.get(difference.path), difference)
        if value is None:
            leaves.pop(difference.path, None)
        else:
            leaves[difference.path] = value
    return _table(leaves)


def _taken_back(now: Leaf, difference: Difference) -> Leaf:
    if now == difference.after:
        return difference.before
    match now, difference.before, difference.after:
        case int(), int() as before, int() as after if difference.path[-1] in TALLIES:
            return now - after + before
        case _:
            allowed = f"as it was left, {shown(difference.after)}"
            raise RulesError(difference.path, now, allowed, LATER)


def _leaves(table: Table) -> dict[tuple[str, ...], Leaf]:
    return dict(_walk(table, ()))


def _walk(part: Fielded, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Leaf]]:
    """Yield each value with its place; a part of a list is placed by its name."""
    for name, spec in specs(type(part)).items():
        value, here = getattr(part, name), (*path, name)
        if isinstance(spec, Series):
            for item in value:
                yield from _walk(item, (*here, getattr(item, _KEYS[name]) or ""))
        elif value is not None:
            yield here, value


def _table(leaves: Mapping[tuple[str, ...], Leaf]) -> Table:
    data: dict[str, Any] = {}
    for path, value in leaves.items():
        _put(data, path, value)
    try:
        return table_from_plain(_listed(Table, data))
    except RulesError as error:
        raise RulesError(error.path, error.value, error.allowed, LATER) from None


def _put(data: dict[str, Any], path: tuple[str, ...], value: Leaf) -> None:
    for step in path[:-1]:
        data = data.setdefault(step, {})
    data[path[-1]] = value


def _listed(part: type[Fielded], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested places as JSON, where the parts of a list no longer stand by their names."""
    lists = {
        name: [_listed(spec.part, item) for item in data.get(name, {}).values()]
        for name, spec in specs(part).items()
        if isinstance(spec, Series)
    }
    return {**data, **lists}


def change_plain(change: Change) -> list[list[object]]:
    """Return a change as JSON: a list of ``[path, before, after]``."""
    return [[list(d.path), d.before, d.after] for d in change.differences]


def change_from_plain(data: object) -> Change:
    """Return the change that a JSON form describes.

    Raises:
        RulesError: it is no list of ``[path, before, after]``.
    """
    if not isinstance(data, list | tuple):
        raise RulesError((), data, "a list of [path, before, after]")
    return Change(tuple(_difference(place, item) for place, item in enumerate(data)))


def _difference(place: int, item: object) -> Difference:
    match item:
        case [[str(), *_] as path, str() | int() | None as before, str() | int() | None as after]:
            return Difference(_steps(place, path), before, after)
        case _:
            raise RulesError((place,), item, "[path, before, after]")


def _steps(place: int, path: Sequence[object]) -> tuple[str, ...]:
    steps = tuple(step for step in path if isinstance(step, str))
    if len(steps) != len(path):
        raise RulesError((place, 0), path, "a list of names")
    return steps
