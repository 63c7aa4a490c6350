"""From the station's state to what its screen says."""

from typing import assert_never

from rules.dial import Control
from rules.model import AskDice, Chance, Die, Fate, Request, Rolled
from rules.registry import Registry
from station import menus
from station.dialling import Dial, Stop, stops
from station.pages import badge, verdict_pages
from station.panel import Panel
from station.percent import percent
from station.state import (
    Browsing,
    Choosing,
    Dialling,
    Drawing,
    Notice,
    Reading,
    Recording,
    Revealing,
    Roll,
    State,
    Waiting,
)
from station.views import BusyView, ChoiceView, DialView, DiceView, MenuView, TextView, View

STOP_NAMES = {Stop.MORE: "More …", Stop.ROLL: "ROLL"}
"""What the cursor shows where there is no value."""


def view(registry: Registry, state: State, panel: Panel) -> View:
    """Return what the screen says in a state.

    Args:
        registry: the systems.
        state: the station's state.
        panel: the panel it is laid out for.
    """
    match state.screen:
        case Dialling():
            return dial_view(registry, state.dial)
        case Browsing(page=page, cursor=cursor):
            heading = menus.title(registry, state, page)
            items = menus.items(registry, state, page)
            return MenuView(heading, tuple((i.label, i.value) for i in items), cursor)
        case Drawing() | Recording():
            return BusyView("Rolling …")
        case Revealing(roll=roll, shown=shown):
            return DiceView(_heading(roll), unjudged(registry, roll), shown)
        case Waiting(roll=roll, ask=ask):
            dice = unjudged(registry, roll)
            return DiceView(_heading(roll), dice, len(dice), f"{_next(ask)}: press")
        case Choosing(roll=roll, ask=ask, cursor=cursor):
            headline = registry.of(roll.request).headline(roll.request, ask.standing)
            note = f"{headline.value} vs {headline.need}"
            return ChoiceView(ask.prompt, note, tuple(o.label for o in ask.options), cursor)
        case Reading(roll=roll, page=page):
            pages = verdict_pages(registry, roll, panel)
            return pages[min(page, len(pages) - 1)]
        case Notice(title=title, text=text):
            return TextView(title, text)
        case _:
            assert_never(state.screen)


def dial_view(registry: Registry, dial: Dial) -> DialView:
    """Return the dial with the exact chance of what is dialled."""
    system = registry.of(dial.request)
    caption = system.caption(dial.request)
    control = dial.control
    best = _chance(system.chances(dial.request), control)
    places = stops(dial)
    return DialView(
        heading=_name(dial.request) or system.title,
        place=places.index(dial.focus),
        places=len(places),
        pool=caption.pool,
        target=caption.target,
        warning=caption.warning,
        whose=control.whose if control else "",
        label=control.label if control else "",
        value=control.shown if control else _stop_name(dial),
        chance_label=best.label,
        chance=percent(best.probability),
    )


def _chance(chances: tuple[Chance, ...], control: Control | None) -> Chance:
    """Return the chance to show: of the one under the cursor, where chances are told by name."""
    whose = control.whose if control else ""
    return next((each for each in chances if whose and each.label.startswith(whose)), chances[0])


def _stop_name(dial: Dial) -> str:
    return STOP_NAMES[dial.focus] if isinstance(dial.focus, Stop) else ""


def _name(request: Request) -> str:
    return getattr(request, "name", None) or ""


def _heading(roll: Roll) -> str:
    name = _name(roll.request)
    return f"{name} {badge(roll)}".strip() or roll.request.title


def _next(ask: AskDice) -> str:
    return next((group.whose for group in ask.groups if group.whose), ask.prompt)


def unjudged(registry: Registry, roll: Roll) -> tuple[Die, ...]:
    """Return a roll's dice so far, each counting as what it was rolled for."""
    system = registry.of(roll.request)
    dice: list[Die] = []
    for place, answer in enumerate(roll.answers):
        asked = system.advance(roll.request, roll.answers[:place])
        if isinstance(asked, AskDice) and isinstance(answer, Rolled):
            dice += _handful(asked, answer.faces, place)
    return tuple(dice)


def _handful(ask: AskDice, faces: tuple[int, ...], turn: int) -> tuple[Die, ...]:
    roles = [group.role for group in ask.groups for _ in range(group.count)]
    return tuple(
        Die(face, role, Fate.COUNTED, turn) for face, role in zip(faces, roles, strict=True)
    )
