"""From the press to the verdict: dice drawn or entered, recorded, revealed, waited for."""

from dataclasses import replace
from typing import assert_never

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from rules.model import FACES, AskChoice, AskDice, Rolled, Verdict
from station.dialling import with_request
from station.effects import Draw, KeepDial, Reveal
from station.events import Drawn, Recorded, RolledElsewhere
from station.flow import verdicts
from station.flow.context import Context, Result, just, record, set_aside, show
from station.flow.intents import Back, Intent, LongPress, Press, Push, Turn
from station.idle import woken
from station.pages import badge
from station.rolls import BY_HAND, Roll, Stage
from station.state import (
    Browsing,
    Covered,
    Dialling,
    Drawing,
    Entering,
    Greeting,
    Notice,
    Reading,
    Recording,
    Revealing,
    State,
    Waiting,
)

DIE_FALLS = Nanoseconds(60 * MILLISECOND)
"""Time from one die to the next while they are revealed."""

LONGEST_REVEAL = Nanoseconds(900 * MILLISECOND)
"""The reveal of many dice is squeezed into this."""

NOT_RECORDED = "not recorded"
"""What each verdict says while there is no ledger to write to."""

STILL_AT_IT = Nanoseconds(5 * SECOND)
"""So long after a touch a person is at the station, and no other program takes the panel."""

HIDDEN = "Rolled by another program, and covered until it is revealed here."
"""What is told of another program's hidden roll."""


def begin(context: Context, state: State, *, hidden: bool = False, by_hand: bool = False) -> Result:
    """Return the state in which what is dialled is being rolled."""
    folded = replace(state, dial=replace(state.dial, expanded=False))
    return go_on(context, folded, Roll(state.dial.request, hidden=hidden, by_hand=by_hand))


def go_on(context: Context, state: State, roll: Roll) -> Result:
    """Return the state in which a roll's next dice are asked for, or its end is recorded."""
    match context.advance(roll):
        case AskDice() as ask if roll.by_hand:
            return just(state, Entering(roll, ask))
        case AskDice() as ask:
            return show(state, Drawing(roll, ask)), (Draw(ask.count),)
        case Verdict() | AskChoice():
            return record(state, roll, Stage.ROLL)


def drawn(context: Context, state: State, event: Drawn) -> Result:
    """Return the state in which drawn faces are on their way to the ledger."""
    if not isinstance(state.screen, Drawing):
        return state, ()
    roll = replace(
        state.screen.roll,
        source=event.source,
        notice=event.notice,
        foretold=state.screen.roll.foretold or event.foretold,
    )
    return _fallen(context, state, roll, event.faces)


def _fallen(context: Context, state: State, roll: Roll, faces: tuple[int, ...]) -> Result:
    rolled = replace(roll, answers=(*roll.answers, Rolled(faces)))
    stage = Stage.DRAWN if context.outcome(rolled) is None else Stage.ROLL
    return record(state, rolled, stage)


def draw_failed(state: State, reason: str) -> Result:
    """Return the state that says why nothing was drawn; a roll that was begun waits."""
    if not isinstance(state.screen, Drawing):
        return state, ()
    roll = state.screen.roll
    kept = set_aside(state, roll) if roll.answers else state
    return just(kept, Notice("Nothing rolled", reason))


def recorded(context: Context, state: State, event: Recorded) -> Result:
    """Return the state in which what is on the disk now is shown."""
    if not isinstance(state.screen, Recording):
        return state, ()
    stage = state.screen.stage
    roll = recorded_as(state.screen.roll, stage, event.seq)
    after, effects = _continued(context, state, roll, stage)
    if roll.hidden:
        step = context.advance(roll)
        covered = Waiting(roll, step) if isinstance(step, AskDice) else Covered(roll)
        return show(after, covered), effects
    if stage is Stage.DECISION or not roll.faces:
        shown, signals = verdicts.verdict(context, after, roll)
        return shown, (*effects, *signals)
    return show(after, Revealing(roll, event.at)), effects


def _continued(context: Context, state: State, roll: Roll, stage: Stage) -> Result:
    """Return the state with the dial at the roll that follows, as in an extended test."""
    outcome = context.outcome(roll)
    if stage is not Stage.ROLL or outcome is None:
        return state, ()
    following = context.system(roll.request).continued(roll.request, outcome)
    if following is None:
        return state, ()
    dial = with_request(state.dial, following)
    return replace(state, dial=dial), (KeepDial(dial.requests, dial.active),)


def recorded_as(roll: Roll, stage: Stage, seq: int | None) -> Roll:
    """Return a roll with the number of its new row, or marked where it has none."""
    if seq is None:
        notices = [part for part in (roll.notice, NOT_RECORDED) if part]
        return replace(roll, notice=", ".join(dict.fromkeys(notices)))
    match stage:
        case Stage.DRAWN:
            return replace(roll, first=roll.first or seq)
        case Stage.ROLL:
            return replace(roll, seq=seq)
        case Stage.DECISION:
            return roll
        case _:
            assert_never(stage)


def next_fall(screen: Revealing) -> Nanoseconds:
    """Return when the next die falls, in ns; after the last one, when the reveal is over."""
    dice = len(screen.roll.faces)
    pause = min(DIE_FALLS, LONGEST_REVEAL // dice)
    return Nanoseconds(screen.since + pause * (screen.shown + 1))


def fall(context: Context, state: State, screen: Revealing) -> Result:
    """Return the state after one more die fell."""
    falling = replace(screen, shown=screen.shown + 1)
    if falling.shown > len(falling.roll.faces):
        return revealed(context, state, falling.roll)
    return just(state, falling)


def revealed(context: Context, state: State, roll: Roll) -> Result:
    """Return the state once a roll's dice lie open: further dice, a decision, or the verdict."""
    match context.advance(roll):
        case AskDice() as ask if roll.by_hand:
            return just(state, Entering(roll, ask))
        case AskDice() as ask:
            return just(state, Waiting(roll, ask))
        case AskChoice() | Verdict():
            asked = verdicts.question(context, roll)
            return just(state, asked) if asked else verdicts.verdict(context, state, roll)


def wait(state: State, screen: Waiting, intent: Intent) -> Result:
    """Take what a person does while a roll waits for someone else's dice."""
    match intent:
        case Push() | Press() | LongPress():
            return show(state, Drawing(screen.roll, screen.ask)), (Draw(screen.ask.count),)
        case Back():
            return just(set_aside(state, screen.roll), Dialling())
        case Turn():
            return state, ()
        case _:
            assert_never(intent)


def uncover(context: Context, state: State, screen: Covered, intent: Intent) -> Result:
    """Take what a person does in front of a covered roll: a hold opens it, a push leaves it."""
    match intent:
        case Back() | LongPress():
            return _opened(context, state, screen)
        case Push() | Press():
            return just(state, screen.back or Dialling())
        case Turn():
            return state, ()
        case _:
            assert_never(intent)


def _opened(context: Context, state: State, screen: Covered) -> Result:
    roll = replace(screen.roll, hidden=False)
    told = (Reveal(roll.seq),) if roll.seq is not None else ()
    if (back := screen.back) is not None:
        rolls = tuple(roll if each.seq == roll.seq else each for each in back.rolls)
        return show(state, Reading(roll, back=replace(back, rolls=rolls))), told
    shown, effects = revealed(context, state, roll)
    return shown, (*told, *effects)


def enter(context: Context, state: State, screen: Entering, intent: Intent) -> Result:
    """Take what a person does while the faces of dice rolled by hand are entered."""
    match intent:
        case Turn(detents=detents):
            face = min(FACES, max(1, screen.face + detents))
            return just(state, replace(screen, face=face))
        case Push() | Press() | LongPress():
            entered = (*screen.entered, screen.face)
            if len(entered) < screen.ask.count:
                return just(state, replace(screen, entered=entered))
            return _fallen(context, state, replace(screen.roll, source=BY_HAND), entered)
        case Back() if screen.entered:
            *before, last = screen.entered
            return just(state, replace(screen, entered=tuple(before), face=last))
        case Back():
            kept = set_aside(state, screen.roll) if screen.roll.answers else state
            return just(kept, Dialling())
        case _:
            assert_never(intent)


def rolled_elsewhere(context: Context, state: State, event: RolledElsewhere) -> Result:
    """Return the state that shows another program's roll, where nobody is busy."""
    if is_at_it(state, event.at) or not _can_give_way(context, state):
        return state, ()
    awake = replace(state, idle=woken(state.idle, event.at))
    shown = recorded_as(event.roll, Stage.ROLL, event.roll.seq)
    if event.hidden:
        return just(awake, Notice(f"Hidden roll {badge(shown)}".strip(), HIDDEN))
    return verdicts.verdict(context, awake, shown)


def is_at_it(state: State, at: Nanoseconds) -> bool:
    """Return whether someone used a control just now; while the station greets, nobody has."""
    return at - state.idle.touched < STILL_AT_IT and not isinstance(state.screen, Greeting)


def _can_give_way(context: Context, state: State) -> bool:
    match state.screen:
        case Reading(roll=roll):
            return verdicts.question(context, roll) is None
        case Dialling() | Greeting() | Browsing() | Notice():
            return True
        case _:
            return False
