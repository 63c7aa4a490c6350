"""Turning a request by its knob: which values can be dialled, and the request after a turn."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rules.errors import Path, RulesError
from rules.fields import Fielded, Group, Series, Spec, specs, started
from rules.frozen import frozen
from rules.leaves import Choice, Flag, Number, Text
from rules.model import Request


@frozen
class Control:
    """One value of a request that the knob can change.

    Attributes:
        path: where it stands in the request.
        label: its name for people.
        whose: the side or contestant it belongs to, or empty.
        shown: its value as people read it.
        span: how many steps lie between its lowest and its highest value.
        main: whether every roll is dialled by it, rather than now and then.
        changed: whether it differs from what it is when left out.
    """

    path: Path
    label: str
    whose: str
    shown: str
    span: int
    main: bool
    changed: bool


def controls(part: Fielded, whose: str = "", path: Path = ()) -> tuple[Control, ...]:
    """Return all that can be dialled in a request: main fields first, then as declared."""
    found: list[Control] = []
    for name, spec in sorted(specs(type(part)).items(), key=_main_first):
        value = getattr(part, name)
        here = (*path, name)
        match spec:
            case Series():
                found.append(_control(here, spec, whose, value))
                for place, item in enumerate(value):
                    found += controls(item, _name(item, f"No. {place + 1}"), (*here, place))
            case Group():
                found += controls(value, _name(value, spec.label), here)
            case Number() if spec.dialled_with and getattr(part, spec.dialled_with) is None:
                pass
            case Number() | Flag() | Choice() if spec.dialled:
                found.append(_control(here, spec, whose, value))
            case _:
                pass
    return tuple(found)


def _control(path: Path, spec: Number | Flag | Choice | Series, whose: str, value: Any) -> Control:
    return Control(
        path,
        spec.label,
        whose,
        shown=str(len(value)) if isinstance(spec, Series) else spec.text(value),
        span=_span(spec),
        main=_is_main(spec),
        changed=value != spec.default,
    )


def _main_first(item: tuple[str, Spec]) -> bool:
    return not _is_main(item[1])


def _is_main(spec: Spec) -> bool:
    return isinstance(spec, Series) or (isinstance(spec, Number) and spec.main)


def _name(part: Fielded, otherwise: str) -> str:
    return getattr(part, "name", None) or otherwise


def _span(spec: Number | Flag | Choice | Series) -> int:
    match spec:
        case Number() | Series():
            return spec.high - spec.low
        case Flag():
            return 1
        case Choice():
            return len(spec.values) - 1


def turned(request: Request, path: Path, detents: int) -> Request:
    """Return the request after the knob turned one value by so many detents.

    Each value stops at the ends of its range. Values that would contradict another field, such as
    more injuries than Endurance, are passed over: the turn ends short of them or, where it began
    beside them, on the first beyond. Where there is none the request stays as it is.
    """
    spec, value = specs(type(_at(request, path[:-1])))[str(path[-1])], _at(request, path)
    if isinstance(spec, Text | Group):
        return request
    for tried in _turns(spec, detents):
        try:
            result: Request = _replaced(request, path, _after(spec, value, tried))
        except RulesError:
            continue
        return result
    return request


def _at(part: Any, path: Path) -> Any:
    for step in path:
        part = part[step] if isinstance(step, int) else getattr(part, step)
    return part


def _turns(spec: Number | Flag | Choice | Series, detents: int) -> Iterator[int]:
    """Yield the turn itself, then ever shorter ones, then longer ones as far as the range goes."""
    # Unset is one step more: it lies below the lowest value.
    steps = _span(spec) + (isinstance(spec, Number) and spec.optional)
    turn = min(steps, abs(detents))
    way = 1 if detents > 0 else -1
    if turn:
        yield from (way * size for size in (*range(turn, 0, -1), *range(turn + 1, steps + 1)))


def _after(spec: Number | Flag | Choice | Series, value: Any, detents: int) -> object:
    return spec.resized(value, detents) if isinstance(spec, Series) else spec.turned(value, detents)


def _replaced(part: Any, path: Path, value: object) -> Any:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        return (*part[:step], _replaced(part[step], rest, value), *part[step + 1 :])
    return replace(part, **{step: _replaced(getattr(part, step), rest, value)})


def fresh(kind: type[Request]) -> Request:
    """Return a request of that kind as a fresh dial shows it."""
    return started(kind)


def rekinded(request: Request, kind: type[Request]) -> Request:
    """Return a request of another kind that keeps every value both kinds have."""
    target = started(kind)
    kept = {name: getattr(request, name) for name in specs(kind) if hasattr(request, name)}
    try:
        # All at once first: fields that stand in for each other are wrong one by one.
        return replace(target, **kept)
    except RulesError:
        pass
    for name, value in kept.items():
        try:
            target = replace(target, **{name: value})
        except RulesError:
            continue
    return target
