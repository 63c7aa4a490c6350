"""The menu: moving through its pages, and carrying out what an item does."""

from dataclasses import replace
from typing import assert_never

from station import actions, dialling, menus
from station.effects import (
    AskFacts,
    Change,
    CountFaces,
    KeepSettings,
    ListChanges,
    LookBack,
    PowerOff,
)
from station.flow import rolling, setting
from station.flow.context import Context, Result, dialled, just, moved, show
from station.flow.intents import Back, Intent, LongPress, Press, Push, Turn
from station.state import Asking, Browsing, Dialling, Page, Setting, State

PARENTS = {
    Page.CHARACTER: Page.TABLE,
    Page.POOLS: Page.CHARACTER,
    Page.RESERVE: Page.CHARACTER,
    Page.TESTS: Page.TABLE,
    Page.TEST: Page.TESTS,
    Page.WORD: Page.WORDS,
}
"""The page that a page was reached from; the menu's top for all others."""


def browse(context: Context, state: State, screen: Browsing, intent: Intent) -> Result:
    """Take what a person does in front of a page of the menu."""
    lines = menus.items(context.registry, state, screen)
    match intent:
        case Turn(places=places):
            return just(state, replace(screen, cursor=moved(screen.cursor, places, len(lines))))
        case Push() | Press() | LongPress():
            item = lines[moved(screen.cursor, 0, len(lines))]
            return act(context, state, screen, item.action)
        case Back() if screen.page is Page.TOP:
            return just(state, Dialling())
        case Back():
            return just(state, entered(context, state, parent(screen), screen))
        case _:
            assert_never(intent)


def parent(screen: Browsing) -> Browsing:
    """Return the page that a page was reached from."""
    page = PARENTS.get(screen.page, Page.TOP)
    return Browsing(page, 0, screen.subject if page is Page.CHARACTER else "")


def entered(context: Context, state: State, page: Browsing, below: Browsing) -> Browsing:
    """Return a page with the cursor at the item that leads to another page, if there is one."""
    leads = actions.Open(below.page, below.subject, below.detail)
    lines = menus.items(context.registry, state, page)
    found = (place for place, item in enumerate(lines) if item.action == leads)
    return replace(page, cursor=next(found, 0))


def act(context: Context, state: State, screen: Browsing, action: actions.Action) -> Result:
    """Carry out what an item of the menu does."""
    match action:
        case actions.Open():
            return just(state, _opened(context, state, screen, action))
        case actions.SetKind(kind=kind):
            return dialled(state, dialling.with_kind(state.dial, kind))
        case actions.SetSystem(index=index):
            return dialled(state, dialling.with_system(state.dial, index))
        case actions.SetRequest(request=request, stay=stay):
            dial = dialling.with_request(state.dial, request)
            changed, effects = dialled(state, dial if stay else dialling.at_first_stop(dial))
            return show(changed, screen if stay else Dialling()), effects
        case actions.SetWord(request=request):
            changed, effects = dialled(state, dialling.with_request(state.dial, request))
            return show(changed, entered(context, changed, parent(screen), screen)), effects
        case actions.Resume(roll=roll):
            left = tuple(each for each in state.unfinished if each is not roll)
            return rolling.revealed(context, replace(state, unfinished=left), roll)
        case actions.Begin(hidden=hidden, by_hand=by_hand):
            return rolling.begin(context, state, hidden=hidden, by_hand=by_hand)
        case actions.Do(act=wanted, leave=leave):
            return show(state, parent(screen) if leave else screen), (Change(wanted),)
        case actions.Look(what=what):
            return show(state, Asking()), (_looking(what),)
        case actions.Set(settings=settings):
            return replace(state, settings=settings), (KeepSettings(settings),)
        case actions.Spell(purpose=purpose):
            return just(state, setting.begun(screen, purpose))
        case actions.Adjust(quantity=quantity, value=value):
            return just(state, Setting(screen, quantity, value))
        case actions.ShutDown():
            return state, (PowerOff(),)
        case actions.Leave():
            return just(state, Dialling())
        case _:
            assert_never(action)


def _opened(context: Context, state: State, screen: Browsing, action: actions.Open) -> Browsing:
    """Return the page that an item leads to: back up it stands where it was left."""
    page = Browsing(action.page, 0, action.subject, action.detail)
    if (action.page, action.subject, action.detail) == (
        screen.page,
        screen.subject,
        screen.detail,
    ):
        return screen
    above = parent(screen)
    up = (above.page, above.subject, above.detail) == (page.page, page.subject, page.detail)
    return entered(context, state, page, screen) if up else _at_chosen(context, state, page)


def _at_chosen(context: Context, state: State, page: Browsing) -> Browsing:
    """Return a page with the cursor at the item that holds now, if there is one."""
    lines = menus.items(context.registry, state, page)
    chosen = (place for place, item in enumerate(lines) if item.value == actions.CHOSEN)
    return replace(page, cursor=next(chosen, 0))


def _looking(what: actions.Subject) -> LookBack | CountFaces | AskFacts | ListChanges:
    match what:
        case actions.Subject.HISTORY:
            return LookBack()
        case actions.Subject.FAIRNESS:
            return CountFaces()
        case actions.Subject.ABOUT:
            return AskFacts()
        case actions.Subject.CHANGES:
            return ListChanges()
        case _:
            assert_never(what)
