"""The menu: what each page offers, and what each item does when it is pressed."""

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TypeAlias

from rules.acts import (
    Act,
    EndTurn,
    GiveGlory,
    HealInjury,
    HealReserve,
    HealWound,
    Injury,
    LoseReserve,
    RemoveCharacter,
    Wound,
)
from rules.dial import fresh, turned
from rules.errors import Path
from rules.fields import specs
from rules.leaves import Choice
from rules.model import Request, RuleSystem
from rules.registry import Registry
from rules.table import Character, Reserve
from station.dialling import Dial
from station.pages import badge
from station.settings import DARK_AFTER, DIM_AFTER, Settings, Sound, following
from station.state import Page, Roll, State

FURTHER = ">"
"""The value of an item that leads to another page."""

CHOSEN = "●"
"""The value of the item that is in force on its page."""


@dataclass(frozen=True, slots=True)
class Open:
    """Show another page, about someone where it is about anyone."""

    page: Page
    subject: str = ""


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
    """Dial this request; `stay` on the page, or go to the dial."""

    request: Request
    stay: bool = True


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on with a roll that was left before all its dice were rolled."""

    roll: Roll


@dataclass(frozen=True, slots=True)
class Begin:
    """Roll what is dialled, covered or by hand."""

    hidden: bool = False
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Do:
    """Change the table's state."""

    act: Act


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Take the last change of the table's state back."""


class Subject(Enum):
    """What can be looked up."""

    HISTORY = auto()
    FAIRNESS = auto()
    ABOUT = auto()


@dataclass(frozen=True, slots=True)
class Look:
    """Look something up."""

    what: Subject


@dataclass(frozen=True, slots=True)
class Set:
    """Set the station otherwise."""

    settings: Settings


@dataclass(frozen=True, slots=True)
class Spell:
    """Spell the name of a new character."""


@dataclass(frozen=True, slots=True)
class ShutDown:
    """Shut the whole machine down."""


@dataclass(frozen=True, slots=True)
class Leave:
    """Go back to the dial."""


Action: TypeAlias = (
    Open
    | SetKind
    | SetSystem
    | SetRequest
    | Resume
    | Begin
    | Do
    | TakeBack
    | Look
    | Set
    | Spell
    | ShutDown
    | Leave
)
"""What an item of the menu can do."""


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the menu: its name, its present value, and what pressing it does."""

    label: str
    value: str
    action: Action


def title(registry: Registry, state: State, page: Page, subject: str) -> str:
    """Return the heading of a page."""
    match page:
        case Page.TOP:
            return "Menu"
        case Page.KIND:
            return registry.of(state.dial.request).title
        case Page.SYSTEM:
            return "System"
        case Page.TABLE:
            return "Table"
        case Page.CHARACTER | Page.POOLS:
            return subject
        case Page.TESTS:
            return "Running tests"
        case Page.SETTINGS:
            return "Settings"
        case Page.POWER:
            return "Power off?"


def items(registry: Registry, state: State, page: Page, subject: str) -> tuple[Item, ...]:
    """Return the lines of a page; there is always at least one."""
    system = registry.of(state.dial.request)
    match page:
        case Page.TOP:
            return _top(state, system)
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
        case Page.TABLE:
            return _table(state)
        case Page.CHARACTER:
            return _character(registry, state, subject)
        case Page.POOLS:
            return _pools(registry, state, subject)
        case Page.TESTS:
            return _tests(state)
        case Page.SETTINGS:
            return _settings(state.settings)
        case Page.POWER:
            return (Item("No, go back", "", Leave()), Item("Power off now", "", ShutDown()))


def _here(chosen: bool) -> str:  # noqa: FBT001 - one word for one fact
    return CHOSEN if chosen else ""


def _top(state: State, system: RuleSystem) -> tuple[Item, ...]:
    resume = tuple(Item("Resume roll", badge(r), Resume(r)) for r in state.unfinished)
    several = (Item(state.dial.request.title, FURTHER, Open(Page.KIND)),)
    return (
        *resume,
        *(several if len(system.kinds) > 1 else ()),
        Item(system.title, FURTHER, Open(Page.SYSTEM)),
        *_options(state.dial),
        Item("Table", FURTHER, Open(Page.TABLE)),
        Item("Hidden roll", "", Begin(hidden=True)),
        Item("Dice by hand", "", Begin(by_hand=True)),
        Item("History", FURTHER, Look(Subject.HISTORY)),
        Item("Fairness", FURTHER, Look(Subject.FAIRNESS)),
        Item("Settings", FURTHER, Open(Page.SETTINGS)),
        Item("Reset dial", "", SetRequest(fresh(type(state.dial.request)))),
        Item("About", FURTHER, Look(Subject.ABOUT)),
        Item("Power off", FURTHER, Open(Page.POWER)),
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


def names(state: State) -> tuple[str, ...]:
    """Return everyone known, at the table or in the roster, in order."""
    roster = {preset.character for preset in state.presets}
    return tuple(sorted({*roster, *(each.name for each in state.table.characters)}))


def _table(state: State) -> tuple[Item, ...]:
    people = tuple(Item(name, FURTHER, Open(Page.CHARACTER, name)) for name in names(state))
    spend = (Item("Glory −1", "", Do(GiveGlory(count=-1))),) if state.table.glory else ()
    running = (Item("Running tests", FURTHER, Open(Page.TESTS)),) if state.table.progress else ()
    return (
        *people,
        Item("Glory +1", str(state.table.glory), Do(GiveGlory(count=1))),
        *spend,
        Item("End of turn", "", Do(EndTurn())),
        *running,
        Item("Undo last change", "", TakeBack()),
        Item("New character", FURTHER, Spell()),
        Item("Back", "", Open(Page.TOP)),
    )


def _seated(state: State, name: str) -> Character | None:
    return next((each for each in state.table.characters if each.name == name), None)


def _character(registry: Registry, state: State, name: str) -> tuple[Item, ...]:
    character = _seated(state, name)
    pools = any(preset.character == name for preset in state.presets)
    dial = (
        Item(
            "Roll for them",
            "",
            SetRequest(_for(registry, state, state.dial.request, name), stay=False),
        ),
    )
    return (
        *((Item("Pools", FURTHER, Open(Page.POOLS, name)),) if pools else ()),
        *dial,
        *(() if character is None else _harm(character)),
        Item("Back", "", Open(Page.TABLE)),
    )


def _harm(character: Character) -> tuple[Item, ...]:
    who, limit = character.name, character.endurance
    of = "" if limit is None else f"/{limit}"
    heal = (
        *((Item("Wound −1", "", Do(HealWound(character=who))),) if character.wounds else ()),
        *((Item("Injury −1", "", Do(HealInjury(character=who))),) if character.injuries else ()),
    )
    return (
        Item("Wound +1", f"{character.wounds}{of}", Do(Wound(character=who))),
        Item("Injury +1", f"{character.injuries}{of}", Do(Injury(character=who))),
        *heal,
        *(item for reserve in character.reserves for item in _reserve(who, reserve)),
        Item("Leaves the table", "", Do(RemoveCharacter(character=who))),
    )


def _reserve(who: str, reserve: Reserve) -> tuple[Item, ...]:
    name = reserve.attribute
    told = f"{reserve.current:+d} {reserve.left}/10".replace("-", "−")
    lose = Item(f"{name} −1", told, Do(LoseReserve(character=who, attribute=name, count=1)))
    heal = HealReserve(character=who, attribute=name, count=1, end_residual=True)
    hurt = reserve.lost or reserve.residual
    return (lose, Item(f"{name} +1", "", Do(heal))) if hurt else (lose,)


def _pools(registry: Registry, state: State, name: str) -> tuple[Item, ...]:
    found = tuple(
        Item(
            preset.name,
            registry.of(preset.request).caption(preset.request).pool,
            SetRequest(_for(registry, state, preset.request, name), stay=False),
        )
        for preset in state.presets
        if preset.character == name
    )
    return (*found, Item("Back", "", Open(Page.CHARACTER, name)))


def _for(registry: Registry, state: State, request: Request, name: str) -> Request:
    """Return a request as a character rolls it, with their harm where they are at the table."""
    character = _seated(state, name) or Character(name=name, reserves=())
    found: Request = registry.of(request).played_by(request, character)
    return found


def _tests(state: State) -> tuple[Item, ...]:
    running = tuple(
        Item(each.name or "Unnamed", f"{each.gained}/{each.needed}", Open(Page.TESTS))
        for each in state.table.progress
    )
    return (*running, Item("Back", "", Open(Page.TABLE)))


def _settings(settings: Settings) -> tuple[Item, ...]:
    timeouts = settings.timeouts
    dim = replace(timeouts, dim=following(timeouts.dim, DIM_AFTER))
    dark = replace(timeouts, dark=following(timeouts.dark, DARK_AFTER))
    sound = following(settings.sound, tuple(Sound))
    return (
        Item("Sound", str(settings.sound), Set(replace(settings, sound=sound))),
        Item("Lamp", _yes(settings.lamp), Set(replace(settings, lamp=not settings.lamp))),
        Item("Bright", _yes(settings.bright), Set(replace(settings, bright=not settings.bright))),
        Item(
            "Upside down",
            _yes(settings.upside_down),
            Set(replace(settings, upside_down=not settings.upside_down)),
        ),
        Item("Dims after", _span(timeouts.dim), Set(replace(settings, timeouts=dim))),
        Item("Dark after", _span(timeouts.dark), Set(replace(settings, timeouts=dark))),
        Item("Back", "", Open(Page.TOP)),
    )


def _yes(value: bool) -> str:  # noqa: FBT001 - one word for one fact
    return "yes" if value else "no"


def _span(seconds: int) -> str:
    if seconds == 0:
        return "never"
    return f"{seconds} s" if seconds < 60 else f"{seconds // 60} min"  # noqa: PLR2004 - a minute
