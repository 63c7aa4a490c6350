"""The menu: moving through its pages, and carrying out what an item does."""

from dataclasses import replace
from typing import assert_never

from station import dialling, menus
from station.effects import (
    AskFacts,
    Change,
    CountFaces,
    KeepSettings,
    LookBack,
    PowerOff,
    Undo,
)
from station.flow import rolling
from station.flow.context import Context, Result, dialled, just, moved, show
from station.flow.intents import Back, Intent, LongPress, Press, Push, Turn
from station.state import Asking, Browsing, Dialling, Page, Spelling, State

PARENTS = {Page.CHARACTER: Page.TABLE, Page.POOLS: Page.CHARACTER, Page.TESTS: Page.TABLE}
"""The page that a page was reached from; the menu's top for all others."""


def browse(context: Context, state: State, screen: Browsing, intent: Intent) -> Result:
    """Take what a person does in front of a page of the menu."""
    lines = menus.items(context.registry, state, screen.page, screen.subject)
    match intent:
        case Turn(places=places):
            return just(state, replace(screen, cursor=moved(screen.cursor, places, len(lines))))
        case Push() | Press() | LongPress():
            item = lines[moved(screen.cursor, 0, len(lines))]
            return act(context, state, screen, item.action)
        case Back() if screen.page is Page.TOP:
            return just(state, Dialling())
        case Back():
            return just(state, parent(screen))
        case _:
            assert_never(intent)


def parent(screen: Browsing) -> Browsing:
    """Return the page that a page was reached from."""
    page = PARENTS.get(screen.page, Page.TOP)
    return Browsing(page, 0, screen.subject if page is Page.CHARACTER else "")


def act(context: Context, state: State, screen: Browsing, action: menus.Action) -> Result:
    """Carry out what an item of the menu does."""
    match action:
        case menus.Open(page=page, subject=subject):
            return just(state, Browsing(page, 0, subject))
        case menus.SetKind(kind=kind):
            return dialled(state, dialling.with_kind(state.dial, kind))
        case menus.SetSystem(index=index):
            return dialled(state, dialling.with_system(state.dial, index))
        case menus.SetRequest(request=request, stay=stay):
            changed, effects = dialled(state, dialling.with_request(state.dial, request))
            return show(changed, screen if stay else Dialling()), effects
        case menus.Resume(roll=roll):
            left = tuple(each for each in state.unfinished if each is not roll)
            return rolling.revealed(context, replace(state, unfinished=left), roll)
        case menus.Begin(hidden=hidden, by_hand=by_hand):
            return rolling.begin(context, state, hidden=hidden, by_hand=by_hand)
        case menus.Do(act=wanted):
            return state, (Change(wanted),)
        case menus.TakeBack():
            return state, (Undo(),)
        case menus.Look(what=what):
            return show(state, Asking()), (_looking(what),)
        case menus.Set(settings=settings):
            return replace(state, settings=settings), (KeepSettings(settings),)
        case menus.Spell():
            return just(state, Spelling())
        case menus.ShutDown():
            return state, (PowerOff(),)
        case menus.Leave():
            return just(state, Dialling())
        case _:
            assert_never(action)


def _looking(what: menus.Subject) -> LookBack | CountFaces | AskFacts:
    match what:
        case menus.Subject.HISTORY:
            return LookBack()
        case menus.Subject.FAIRNESS:
            return CountFaces()
        case menus.Subject.ABOUT:
            return AskFacts()
        case _:
            assert_never(what)
