"""Looking things up: recorded rolls, fairness, what the station is; and spelling a name."""

from dataclasses import replace
from typing import assert_never

from rules.acts import AddCharacter
from station.effects import Change, LookBack
from station.events import Changed, Counted, Found, Refused, Told
from station.flow.context import Context, Result, just, moved, show
from station.flow.intents import Back, Intent, LongPress, Press, Push, Turn
from station.state import (
    Asking,
    Browsing,
    Covered,
    Dialling,
    Facts,
    Notice,
    Page,
    Past,
    Reading,
    Spelling,
    State,
    Tallies,
)

DELETE = "←"
DONE = "OK"
LETTERS = (*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", *"abcdefghijklmnopqrstuvwxyz", *"0123456789'-", " ")
KEYS = (*LETTERS, DELETE, DONE)
"""What the knob chooses from while a name is spelled."""

LONGEST_NAME = 24
"""Characters of a name."""


def answered(state: State, event: Found | Counted | Told) -> Result:
    """Return the state that shows what was looked up; nobody waits for it any more elsewhere."""
    if not isinstance(state.screen, Asking):
        return state, ()
    match event:
        case Found(rolls=(), older=_):
            return just(state, Notice("History", "No roll is recorded yet."))
        case Found(rolls=rolls, older=older):
            return just(state, Past(rolls, older))
        case Counted(fairness=()):
            return just(state, Notice("Fairness", "No dice are recorded yet."))
        case Counted(fairness=fairness):
            return just(state, Tallies(fairness))
        case Told(lines=lines):
            return just(state, Facts(lines))
        case _:
            assert_never(event)


def changed(state: State, event: Changed) -> Result:
    """Return the state with the table as it is now; told where no menu shows it anyway."""
    after = replace(state, table=event.table)
    if event.told and not isinstance(state.screen, Browsing):
        return just(after, Notice("Done", event.told, _resting(state)))
    return after, ()


def refused(state: State, event: Refused) -> Result:
    """Return the state that says why something can't be."""
    return just(state, Notice("Not possible", event.reason, _resting(state)))


def _resting(state: State) -> Browsing | Dialling | Past:
    match state.screen:
        case Browsing() | Past() as screen:
            return screen
        case _:
            return Dialling()


def past(state: State, screen: Past, intent: Intent) -> Result:
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
            return just(state, Browsing(Page.TOP))
        case _:
            assert_never(intent)


def tallies(state: State, screen: Tallies, intent: Intent) -> Result:
    """Take what a person does in front of the counts of faces."""
    match intent:
        case Turn(places=places):
            place = moved(screen.place, places, len(screen.fairness))
            return just(state, replace(screen, place=place))
        case Push() | Press() | LongPress() | Back():
            return just(state, Browsing(Page.TOP))
        case _:
            assert_never(intent)


def facts(context: Context, state: State, screen: Facts, intent: Intent) -> Result:
    """Take what a person does in front of what the station says of itself."""
    match intent:
        case Turn(places=places):
            most = max(1, len(screen.lines) - context.panel.lines + 1)
            return just(state, replace(screen, top=moved(screen.top, places, most)))
        case Push() | Press() | LongPress() | Back():
            return just(state, Browsing(Page.TOP))
        case _:
            assert_never(intent)


def spell(state: State, screen: Spelling, intent: Intent) -> Result:
    """Take what a person does while a name is spelled: a push takes the letter, a hold leaves."""
    match intent:
        case Turn(places=places):
            letter = (screen.letter + places) % len(KEYS)
            return just(state, replace(screen, letter=letter))
        case Push() | Press() | LongPress():
            return _key(state, screen, KEYS[screen.letter])
        case Back():
            return just(state, Browsing(Page.TABLE))
        case _:
            assert_never(intent)


def _key(state: State, screen: Spelling, key: str) -> Result:
    if key == DELETE:
        return just(state, replace(screen, text=screen.text[:-1]))
    if key != DONE:
        longer = (screen.text + key)[:LONGEST_NAME]
        return just(state, replace(screen, text=longer))
    name = screen.text.strip()
    after = show(state, Browsing(Page.TABLE))
    return after, ((Change(AddCharacter(character=name)),) if name else ())
