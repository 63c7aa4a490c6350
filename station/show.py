"""From the station's state to what its screen says."""

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from rules.dial import Control
from rules.model import AskDice, Chance, Headline, Request
from rules.registry import Registry
from rules.seats import NAME
from station import menus, people, rarer
from station.dialling import Dial, Focus, Stop, stops
from station.handfuls import owners, unjudged
from station.names import longest_first, names_in
from station.pages import badge, verdict_pages
from station.panel import Panel
from station.percent import percent, signed
from station.rolls import Roll
from station.state import (
    Asking,
    Browsing,
    Changes,
    Choosing,
    Covered,
    Dialling,
    Drawing,
    Entering,
    Facts,
    Greeting,
    Notice,
    Offering,
    Past,
    Reading,
    Recording,
    Revealing,
    Setting,
    Spelling,
    State,
    Tallies,
    Waiting,
)
from station.views import BusyView, ChoiceView, DialView, DiceView, MenuView, View

STOP_NAMES = {Stop.MORE: "More", Stop.ROLL: "ROLL"}
"""What the cursor shows where there is no value."""

PUSHES: Mapping[Focus, str] = {Stop.MORE: "more", Stop.ROLL: "roll"}
"""What a push does there."""

HINT = "push: next hold: menu"
"""What can be done in front of a value on the dial."""


def view(registry: Registry, state: State, panel: Panel) -> View:
    """Return what the screen says in a state.

    Args:
        registry: the systems.
        state: the station's state.
        panel: the panel it is laid out for.
    """
    match state.screen:
        case Dialling():
            shown = dial_view(registry, state.dial, resting=state.resting)
            return _covered(shown, state)
        case Browsing() as screen:
            heading = menus.title(registry, state, screen)
            items = menus.items(registry, state, screen)
            lines = tuple((item.label, item.value) for item in items)
            cursor = min(screen.cursor, len(lines) - 1)
            return MenuView(heading, lines, cursor, longest_first(menus.texts(state)))
        case Greeting() as screen:
            return rarer.greeting(screen, panel)
        case Setting() as screen:
            return rarer.setting(screen)
        case Changes() as screen:
            return rarer.changes(state, screen)
        case Drawing() | Recording():
            return BusyView("Rolling …")
        case Revealing(roll=roll, shown=shown):
            dice, whose = unjudged(registry, roll), owners(registry, roll)
            heading = _heading(roll, whose[-1] if whose else "")
            return DiceView(heading, dice, shown, names=names_in(roll.request))
        case Waiting(roll=roll, ask=ask):
            dice = unjudged(registry, roll)
            heading = _heading(roll, ask.so_far)
            prompt = f"{_next(ask) or ask.prompt}: push"
            seen = 0 if roll.hidden else len(dice)
            return DiceView(heading, dice, seen, prompt, names_in(roll.request))
        case Choosing(roll=roll, ask=ask, cursor=cursor):
            headline = registry.of(roll.request).headline(roll.request, ask.standing)
            note = ask.note or standing(headline)
            return ChoiceView(ask.prompt, note, tuple(o.label for o in ask.options), cursor)
        case Reading(roll=roll, page=page):
            pages = verdict_pages(registry, roll, panel)
            return pages[min(page, len(pages) - 1)]
        case Covered() as screen:
            return rarer.covered(screen)
        case Entering() as screen:
            return rarer.entering(registry, screen)
        case Offering() as screen:
            return rarer.offering(screen)
        case Asking():
            return BusyView("Looking …")
        case Past() as screen:
            return rarer.past(registry, screen)
        case Tallies() as screen:
            return rarer.tallies(screen)
        case Facts() as screen:
            return rarer.facts(screen, panel)
        case Spelling() as screen:
            return rarer.spelling(state, screen)
        case Notice() as screen:
            return rarer.notice(screen, panel)
        case _:
            assert_never(state.screen)


def dial_view(registry: Registry, dial: Dial, *, resting: bool = False) -> DialView:
    """Return the dial with the exact chance of what is dialled; a resting one has a hint."""
    system = registry.of(dial.request)
    caption = system.caption(dial.request)
    control = dial.control
    best = _chance(system.chances(dial.request), control)
    places = stops(dial)
    usual = type(dial.request) is system.kinds[0]
    return DialView(
        heading=_name(dial.request) or (system.title if usual else ""),
        kind="" if usual else dial.request.title,
        place=places.index(dial.focus),
        places=len(places),
        pool=caption.pool,
        target=caption.target,
        warning=caption.warning,
        whose=control.whose if control else "",
        label=control.label if control else f"push: {PUSHES[dial.focus]} turn: next",
        value=control.shown if control else _stop_name(dial),
        chance_label=best.label,
        chance=percent(best.probability),
        names=names_in(dial.request),
        hint=HINT if resting and control else "",
    )


def _covered(shown: DialView, state: State) -> DialView:
    """Return the dial without the progress that a hidden roll made."""
    request = state.dial.request
    gained, needed = (getattr(request, field, None) for field in ("gained", "needed"))
    if gained is None or getattr(request, NAME, None) not in state.covered:
        return shown
    target = shown.target.replace(f"{gained}/{needed}", f"{people.UNTOLD}/{needed}")
    value = people.UNTOLD if state.dial.focus == ("gained",) else shown.value
    return replace(shown, target=target, value=value)


def _chance(chances: tuple[Chance, ...], control: Control | None) -> Chance:
    """Return the chance to show: of the one under the cursor, where chances are told by name.

    Of labels that begin with the name the shortest is theirs: Ann's is not Ann Lee's.
    """
    whose = control.whose if control else ""
    theirs = (each for each in chances if whose and f"{each.label} ".startswith(f"{whose} "))
    return min(theirs, key=lambda each: len(each.label), default=chances[0])


def _stop_name(dial: Dial) -> str:
    return STOP_NAMES[dial.focus] if isinstance(dial.focus, Stop) else ""


def _name(request: Request) -> str:
    return getattr(request, "name", None) or ""


def standing(headline: Headline) -> str:
    """Return what a roll has reached so far, and what it has to reach where that is a number."""
    numbers = (headline.value, headline.need)
    return " vs ".join(signed(number) for number in numbers if number is not None)


def _heading(roll: Roll, whose: str = "") -> str:
    """Return what stands above dice: whose they are or what they came to, and the roll's number."""
    told = "hidden" if roll.hidden else whose or _name(roll.request)
    return f"{told} {badge(roll)}".strip() or roll.request.title


def _next(ask: AskDice) -> str:
    return next((group.whose for group in ask.groups if group.whose), "")
