"""What comes after the dice: decisions, reading the verdict, and what it does to the table."""

from dataclasses import replace
from typing import assert_never

from rules.model import AskChoice, AskDice, Chosen, Rolled, Verdict
from station.consequences import on_request
from station.effects import Draw, Signal
from station.flow.context import Context, Result, just, moved, record, show
from station.flow.intents import Back, Intent, LongPress, Press, Push, Turn
from station.pages import page_count
from station.rolls import Roll, Stage
from station.state import Apply, Choosing, Dialling, Drawing, Offer, Offering, Reading, State, Void
from station.told import told_acts

REASONS = ("Mistake", "Wrong pool", "Wrong target", "Cocked die")
"""The reasons to choose from for a roll that is not to count."""


def verdict(context: Context, state: State, roll: Roll) -> Result:
    """Return the state in which a roll's verdict is read, and seen and heard."""
    outcome = context.outcome(roll)
    headline = context.system(roll.request).headline(roll.request, outcome)
    signal = Signal(headline.tone, headline.critical, headline.complication)
    return show(state, Reading(roll)), (signal,)


def question(context: Context, roll: Roll) -> Choosing | None:
    """Return the next decision of a roll whose options differ, or None."""
    roll = past_equals(context, roll)
    step = context.advance(roll)
    return Choosing(roll, step, _first_cursor(step)) if isinstance(step, AskChoice) else None


def _first_cursor(ask: AskChoice) -> int:
    """Return where the cursor stands at first: a careless push is to spend nothing."""
    declining = (place for place, option in enumerate(ask.options) if option.declines)
    return next(declining, 0)


def past_equals(context: Context, roll: Roll) -> Roll:
    """Return a roll with each decision between equals settled as the rules' default has it."""
    while isinstance(step := context.advance(roll), AskChoice):
        if worth_asking(step):
            break
        roll = answered(roll, step, 0)
    return roll


def worth_asking(ask: AskChoice) -> bool:
    """Return whether the options differ for a person: which of two equal dice goes does not."""
    return len({option.label for option in ask.options}) > 1


def answered(roll: Roll, ask: AskChoice, option: int) -> Roll:
    """Return a roll with the option of that index taken."""
    return replace(roll, answers=(*roll.answers, Chosen(ask.options[option].id)))


def undecided(roll: Roll) -> Roll:
    """Return a roll without the choices of a decision that was broken off."""
    return replace(roll, answers=tuple(a for a in roll.answers if isinstance(a, Rolled)))


def choose(context: Context, state: State, screen: Choosing, intent: Intent) -> Result:
    """Take what a person does in front of a decision."""
    match intent:
        case Turn(places=places):
            cursor = moved(screen.cursor, places, len(screen.ask.options))
            return just(state, replace(screen, cursor=cursor))
        case Push():
            return _chosen(context, state, screen)
        case Press() | LongPress():
            return state, ()  # who presses ROLL once too often decides nothing
        case Back():
            return verdict(context, state, undecided(screen.roll))
        case _:
            assert_never(intent)


def _chosen(context: Context, state: State, screen: Choosing) -> Result:
    chosen = answered(screen.roll, screen.ask, screen.cursor)
    if (further := question(context, chosen)) is not None:
        return just(state, further)
    roll = past_equals(context, chosen)
    match context.advance(roll):
        case AskChoice() | Verdict():
            return record(state, roll, Stage.DECISION)
        case AskDice() as ask:
            return show(state, Drawing(roll, ask)), (Draw(ask.count),)


def read(context: Context, state: State, screen: Reading, intent: Intent) -> Result:
    """Take what a person does in front of a verdict."""
    match intent:
        case Turn(places=places):
            count = page_count(context.registry, screen.roll, context.panel)
            return just(state, replace(screen, page=moved(screen.page, places, count)))
        case Push() if (asked := question(context, screen.roll)) is not None:
            return just(state, asked)
        case Push() if offers := offered(context, screen):
            return just(state, Offering(screen, offers))
        case Push() | Press() | LongPress() | Back():
            return just(state, screen.back or Dialling())
        case _:
            assert_never(intent)


def offered(context: Context, screen: Reading) -> tuple[Offer, ...]:
    """Return what can be done with a roll that was read; empty if nothing can.

    A fresh roll offers what it does to those at the table; one looked up in the history also
    offers not to count, and there the way back comes first.
    """
    roll, outcome = screen.roll, context.outcome(screen.roll)
    if roll.seq is None or outcome is None or roll.void:
        return ()
    acts = on_request(context.system(roll.request), roll.request, outcome)
    told = told_acts(acts)
    apply = (Offer("Yes, apply", Apply(roll.seq), told),) if told and not roll.applied else ()
    if screen.back is None:
        return (*apply, Offer("No, go on", None)) if apply else ()
    void = tuple(Offer(f"Void: {reason}", Void(roll.seq, reason)) for reason in REASONS)
    return (Offer("Leave it so", None), *apply, *void)


def offer(state: State, screen: Offering, intent: Intent) -> Result:
    """Take what a person does in front of what a roll offers."""
    match intent:
        case Turn(places=places):
            cursor = moved(screen.cursor, places, len(screen.offers))
            return just(state, replace(screen, cursor=cursor))
        case Push() | Press() | LongPress():
            after = screen.reading.back or Dialling()
            effect = screen.offers[screen.cursor].effect
            return show(state, after), (() if effect is None else (effect,))
        case Back():
            return just(state, screen.reading)
        case _:
            assert_never(intent)
