"""The menu: what each page offers, and what each item does when it is pressed."""

from dataclasses import dataclass
from typing import TypeAlias

from rules.dial import fresh, turned
from rules.errors import Path
from rules.fields import specs
from rules.leaves import Choice
from rules.model import Request, RuleSystem
from rules.registry import Registry
from station.dialling import Dial
from station.state import Page, Roll, State

FURTHER = ">"
"""The value of an item that leads to another page."""

CHOSEN = "●"
"""The value of the item that is in force on its page."""


@dataclass(frozen=True, slots=True)
class Open:
    """Show another page."""

    page: Page


@dataclass(frozen=True, slots=True)
class SetKind:
    """Dial another kind of test."""

    kind: type[Request]


@dataclass(frozen=True, slots=True)
class SetSystem:
    """Dial by another system: its index in the registry."""

    index: int


@dataclass(frozen=True, slots=True)
class SetRequest:
    """Dial this request: an option of the rules was switched, or everything reset."""

    request: Request


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on with a roll that was left before all its dice were rolled."""

    roll: Roll


@dataclass(frozen=True, slots=True)
class Leave:
    """Go back to the dial."""


Action: TypeAlias = Open | SetKind | SetSystem | SetRequest | Resume | Leave
"""What an item of the menu can do."""


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the menu: its name, its present value, and what pressing it does."""

    label: str
    value: str
    action: Action


def title(registry: Registry, state: State, page: Page) -> str:
    """Return the heading of a page."""
    match page:
        case Page.TOP:
            return "Menu"
        case Page.KIND:
            return registry.of(state.dial.request).title
        case Page.SYSTEM:
            return "System"


def items(registry: Registry, state: State, page: Page) -> tuple[Item, ...]:
    """Return the lines of a page; there is always at least one."""
    system = registry.of(state.dial.request)
    match page:
        case Page.TOP:
            return _top(registry, state, system)
        case Page.KIND:
            return tuple(
                Item(kind.title, _here(isinstance(state.dial.request, kind)), SetKind(kind))
                for kind in system.kinds
            )
        case Page.SYSTEM:
            return tuple(
                Item(each.title, _here(each is system), SetSystem(index))
                for index, each in enumerate(registry)
            )


def _here(chosen: bool) -> str:  # noqa: FBT001 - one word for one fact
    return CHOSEN if chosen else ""


def _top(registry: Registry, state: State, system: RuleSystem) -> tuple[Item, ...]:
    resume = tuple(
        Item("Go on with roll", registry.of(roll.request).caption(roll.request).pool, Resume(roll))
        for roll in state.unfinished
    )
    several = (Item(state.dial.request.title, FURTHER, Open(Page.KIND)),)
    return (
        *resume,
        *(several if len(system.kinds) > 1 else ()),
        Item(system.title, FURTHER, Open(Page.SYSTEM)),
        *_options(state.dial),
        Item("Reset dial", "", SetRequest(fresh(type(state.dial.request)))),
        Item("Back", "", Leave()),
    )


def _options(dial: Dial) -> tuple[Item, ...]:
    """Return the rules' own options that the dialled kind of test has, each to be switched."""
    found = specs(type(dial.request)).items()
    return tuple(
        _option(dial.request, (name,), spec)
        for name, spec in found
        if isinstance(spec, Choice) and spec.recorded
    )


def _option(request: Request, path: Path, spec: Choice) -> Item:
    value = getattr(request, str(path[0]))
    step = 1 if value != spec.values[-1] else 1 - len(spec.values)
    return Item(spec.label, spec.text(value), SetRequest(turned(request, path, step)))
