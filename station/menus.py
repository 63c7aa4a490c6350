"""The menu: its pages, their headings, and what each offers."""

from dataclasses import replace

from rules.dial import fresh, turned
from rules.errors import Path
from rules.fields import specs
from rules.leaves import Choice
from rules.model import Request, RuleSystem
from rules.registry import Registry
from rules.seats import words as words_of
from station import people, words
from station.actions import (
    CHOSEN,
    FURTHER,
    Begin,
    Item,
    Leave,
    Look,
    Open,
    Resume,
    Set,
    SetKind,
    SetRequest,
    SetSystem,
    ShutDown,
    Subject,
)
from station.dialling import Dial
from station.pages import badge
from station.settings import DARK_AFTER, DIM_AFTER, Settings, Sound, following
from station.state import Browsing, Page, State


def title(registry: Registry, state: State, screen: Browsing) -> str:
    """Return the heading of a page."""
    match screen.page:
        case Page.TOP:
            return "Menu"
        case Page.KIND:
            return registry.of(state.dial.request).title
        case Page.SYSTEM:
            return "System"
        case Page.TABLE:
            return "People & table"
        case Page.CHARACTER | Page.POOLS:
            return screen.subject
        case Page.RESERVE:
            return f"{screen.subject}: {screen.detail}"
        case Page.TESTS:
            return "Running tests"
        case Page.TEST:
            return screen.subject or people.UNNAMED
        case Page.WORDS:
            return "Who and what"
        case Page.WORD:
            return words.label(state, screen.detail)
        case Page.SETTINGS:
            return "Settings"
        case Page.POWER:
            return "Power off?"


def items(registry: Registry, state: State, screen: Browsing) -> tuple[Item, ...]:
    """Return the lines of a page; there is always at least one."""
    system, subject = registry.of(state.dial.request), screen.subject
    match screen.page:
        case Page.TOP:
            return _top(state, system)
        case Page.KIND:
            return tuple(
                Item(kind.title, _here(type(state.dial.request) is kind), SetKind(kind))
                for kind in system.kinds
            )
        case Page.SYSTEM:
            return tuple(
                Item(each.title, _here(each is system), SetSystem(index))
                for index, each in enumerate(registry)
            )
        case Page.TABLE:
            return people.table(state)
        case Page.CHARACTER:
            return people.character(registry, state, subject)
        case Page.POOLS:
            return people.pools(registry, state, subject)
        case Page.RESERVE:
            return people.reserve(registry, state, subject, screen.detail)
        case Page.TESTS:
            return people.tests(state)
        case Page.TEST:
            return people.test(registry, state, subject)
        case Page.WORDS:
            return words.listed(state)
        case Page.WORD:
            return words.offered(registry, state, screen.detail)
        case Page.SETTINGS:
            return _settings(state.settings)
        case Page.POWER:
            return (Item("No, go back", "", Leave()), Item("Power off now", "", ShutDown()))


def texts(state: State) -> tuple[str, ...]:
    """Return all that people wrote and a page may show: only these are ever shortened."""
    own = (reserve.attribute for each in state.table.characters for reserve in each.reserves)
    pools = (preset.name for preset in state.presets)
    costs = (cost.label for test in state.table.progress for cost in test.costs)
    tests = (test.name or "" for test in state.table.progress)
    told = (word.text or "" for word in words_of(state.dial.request))
    found = (*people.names(state), *own, *pools, *costs, *tests, *told)
    return tuple(text for text in found if text)


def _here(chosen: bool) -> str:  # noqa: FBT001 - one word for one fact
    return CHOSEN if chosen else ""


def _top(state: State, system: RuleSystem) -> tuple[Item, ...]:
    resume = tuple(Item("Resume roll", badge(r), Resume(r)) for r in state.unfinished)
    named = (Item("Who and what", FURTHER, Open(Page.WORDS)),)
    return (
        *resume,
        Item(f"Kind: {state.dial.request.title.removesuffix(' test')}", FURTHER, Open(Page.KIND)),
        Item(system.title, FURTHER, Open(Page.SYSTEM)),
        Item("People & table", FURTHER, Open(Page.TABLE)),
        Item("History", FURTHER, Look(Subject.HISTORY)),
        Item("Roll hidden now", "", Begin(hidden=True)),
        Item("Dice by hand", "", Begin(by_hand=True)),
        *(named if words_of(state.dial.request) else ()),
        *_options(state.dial),
        Item("Fairness", FURTHER, Look(Subject.FAIRNESS)),
        Item("Settings", FURTHER, Open(Page.SETTINGS)),
        Item("Reset dial", "", SetRequest(fresh(type(state.dial.request)), stay=False)),
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
