"""Turning a request by its knob: which values can be dialled, and the request after a turn."""

from dataclasses import dataclass, replace
from typing import Any

from rules.errors import Path, RulesError
from rules.fields import Choice, Fielded, Flag, Group, Number, Series, Spec, specs, started
from rules.model import Request


@dataclass(frozen=True, slots=True)
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
                    found += controls(item, _name(item, f"{place + 1}"), (*here, place))
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

    Each value stops at the ends of its range. A turn that would contradict another field, such
    as more injuries than Endurance, leaves the request as it is.
    """
    try:
        result: Request = _turned(request, path, detents)
    except RulesError:
        return request
    return result


def _turned(part: Any, path: Path, detents: int) -> Any:
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        return (*part[:step], _turned(part[step], rest, detents), *part[step + 1 :])
    value = getattr(part, step)
    if rest:
        return replace(part, **{step: _turned(value, rest, detents)})
    match specs(type(part))[step]:
        case Series() as spec:
            return replace(part, **{step: spec.resized(value, detents)})
        case Number() | Flag() | Choice() as spec:
            return replace(part, **{step: spec.turned(value, detents)})
        case spec:
            raise RulesError(path, value, f"a value that can be dialled, not {spec.label}")


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
