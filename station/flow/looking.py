"""Looking things up: rolls, changes, fairness, what the station is; and what it has to tell."""

from dataclasses import replace
from typing import assert_never

from station import dialling, menus
from station.actions import Look, Subject
from station.effects import LookBack, Undo
from station.events import Changed, Counted, Found, Listed, Refused, Told
from station.flow.context import Context, Result, dialled, just, moved, show
from station.flow.intents import Back, Intent, LongPress, Press, Push, Turn
from station.panel import told_lines
from station.state import (
    Asking,
    Browsing,
    Changes,
    Covered,
    Dialling,
    Facts,
    Notice,
    Page,
    Past,
    Reading,
    State,
    Tallies,
)


def menu_with(context: Context, state: State, subject: Subject) -> Browsing:
    """Return the page of the menu from which something is looked up, the cursor at that item."""
    page = Browsing(Page.TABLE if subject is Subject.CHANGES else Page.TOP)
    lines = menus.items(context.registry, state, page)
    found = (place for place, item in enumerate(lines) if item.action == Look(subject))
    return replace(page, cursor=next(found, 0))


def answered(context: Context, state: State, event: Found | Counted | Listed | Told) -> Result:
    """Return the state that shows what was looked up; nobody waits for it any more elsewhere."""
    if not isinstance(state.screen, Asking):
        return state, ()
    match event:
        case Found(rolls=(), older=_):
            return just(state, Notice("History", "No roll is recorded yet."))
        case Found(rolls=rolls, older=older):
            return just(state, Past(rolls, older))
        case Listed(changes=()):
            nothing = "There is no change left to undo."
            back = menu_with(context, state, Subject.CHANGES)
            return just(state, Notice("Undo", nothing, back))
        case Listed(changes=changes):
            return just(state, Changes(changes))
        case Counted(fairness=()):
            return just(state, Notice("Fairness", "No dice are recorded yet."))
        case Counted(fairness=fairness):
            return just(state, Tallies(fairness))
        case Told(lines=lines):
            return just(state, Facts(lines))
        case _:
            assert_never(event)


def changed(context: Context, state: State, event: Changed) -> Result:
    """Return the state with the table as it is now; told where no menu shows it anyway."""
    dial = dialling.followed(state.dial, state.table, event.table)
    kept, effects = dialled(state, dial)
    after = replace(kept, table=event.table, screen=state.screen, covered=event.covered)
    if event.told and not _seen(context, state, after):
        back = _brought_up_to_date(context, after, event)
        return show(after, Notice("Done", event.told, back, passing=True)), effects
    return after, effects


def _brought_up_to_date(
    context: Context, state: State, event: Changed
) -> Browsing | Dialling | Past:
    """Return the screen to come back to, without what does not hold any more."""
    match _resting(state):
        case Changes():
            return menu_with(context, state, Subject.CHANGES)
        case Past(rolls=rolls) as screen:
            seq, reason = event.void or (None, "")
            marked = (replace(each, void=reason) if each.seq == seq else each for each in rolls)
            return replace(screen, rolls=tuple(marked))
        case screen:
            return screen


def _seen(context: Context, before: State, after: State) -> bool:
    """Return whether a menu shows that something changed: under its cursor, or by its lines."""
    screen = before.screen
    if not isinstance(screen, Browsing):
        return False
    lines = [menus.items(context.registry, state, screen) for state in (before, after)]
    if len(lines[0]) != len(lines[1]):
        return True
    values = [items[moved(screen.cursor, 0, len(items))] for items in lines]
    return values[0].label == values[1].label and values[0].value != values[1].value


def refused(state: State, event: Refused) -> Result:
    """Return the state that says why something can't be."""
    return just(state, Notice("Not possible", event.reason, _resting(state)))


def _resting(state: State) -> Browsing | Dialling | Past | Changes:
    match state.screen:
        case Browsing() | Past() | Changes() as screen:
            return screen
        case Notice(back=back):
            return back or Dialling()
        case _:
            return Dialling()


def past(context: Context, state: State, screen: Past, intent: Intent) -> Result:
    """Take what a person does in front of recorded rolls."""
    count = len(screen.rolls) + screen.older
    match intent:
        case Turn(places=places):
            return just(state, replace(screen, cursor=moved(screen.cursor, places, count)))
        case Push() | Press() | LongPress() if screen.cursor == len(screen.rolls):
            return show(state, Asking()), (LookBack(screen.rolls[-1].seq),)
        case Push() | Press() | LongPress():
            roll = screen.rolls[screen.cursor]
            hidden = roll.hidden
            return just(state, Covered(roll, screen) if hidden else Reading(roll, back=screen))
        case Back():
            return just(state, menu_with(context, state, Subject.HISTORY))
        case _:
            assert_never(intent)


def changes(context: Context, state: State, screen: Changes, intent: Intent) -> Result:
    """Take what a person does in front of the changes that can be undone."""
    match intent:
        case Turn(places=places):
            cursor = moved(screen.cursor, places, len(screen.changes))
            return just(state, replace(screen, cursor=cursor))
        case Push() | Press() | LongPress():
            return state, (Undo(screen.changes[screen.cursor].seq),)
        case Back():
            return just(state, menu_with(context, state, Subject.CHANGES))
        case _:
            assert_never(intent)


def notice(context: Context, state: State, screen: Notice, intent: Intent) -> Result:
    """Take what a person does in front of a notice: a turn reads a long one, all else leaves."""
    match intent:
        case Turn(places=places) if (most := _tops(context, screen)) > 1:
            return just(state, replace(screen, top=moved(screen.top, places, most)))
        case _:
            return just(state, screen.back or Dialling())


def _tops(context: Context, screen: Notice) -> int:
    """Return how many lines a notice can begin with until its last one shows."""
    return len(told_lines(screen.text, context.panel)) - context.panel.lines + 1


def tallies(context: Context, state: State, screen: Tallies, intent: Intent) -> Result:
    """Take what a person does in front of the counts of faces."""
    match intent:
        case Turn(places=places):
            place = moved(screen.place, places, len(screen.fairness))
            return just(state, replace(screen, place=place))
        case Push() | Press() | LongPress() | Back():
            return just(state, menu_with(context, state, Subject.FAIRNESS))
        case _:
            assert_never(intent)


def facts(context: Context, state: State, screen: Facts, intent: Intent) -> Result:
    """Take what a person does in front of what the station says of itself."""
    match intent:
        case Turn(places=places):
            most = max(1, len(screen.lines) - context.panel.lines + 1)
            return just(state, replace(screen, top=moved(screen.top, places, most)))
        case Push() | Press() | LongPress() | Back():
            return just(state, menu_with(context, state, Subject.ABOUT))
        case _:
            assert_never(intent)
