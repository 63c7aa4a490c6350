"""What every transition works with, and the small steps that many of them share."""

from dataclasses import field, replace
from typing import TypeAlias

from rules.frozen import frozen
from rules.model import AskChoice, AskDice, Outcome, Request, RuleSystem, Step, Verdict
from rules.registry import Registry
from station.dialling import Dial
from station.effects import Effect, KeepDial, Record
from station.panel import Panel
from station.rolls import Roll, Stage
from station.state import Dialling, Recording, Screen, State

Result: TypeAlias = tuple[State, tuple[Effect, ...]]
"""The state after something happened, and what is to be done."""

MOST_UNFINISHED = 8
"""Rolls that can wait to be gone on with; an older one stays in the ledger alone."""


@frozen
class Context:
    """The systems there are, and the panel that pages are laid out for."""

    registry: Registry
    panel: Panel = field(default_factory=Panel)

    def system(self, request: Request) -> RuleSystem:
        """Return the system that a request belongs to."""
        return self.registry.of(request)

    def advance(self, roll: Roll) -> Step:
        """Return what a roll needs next, or its verdict."""
        return self.system(roll.request).advance(roll.request, roll.answers)

    def outcome(self, roll: Roll) -> Outcome | None:
        """Return a roll's outcome as it stands, or None while dice are still to be rolled."""
        match self.advance(roll):
            case Verdict(outcome=outcome) | AskChoice(standing=outcome):
                return outcome
            case AskDice():
                return None


def show(state: State, screen: Screen) -> State:
    """Return the state with another screen."""
    return replace(state, screen=screen)


def just(state: State, screen: Screen) -> Result:
    """Return the state with another screen, and nothing to do."""
    return show(state, screen), ()


def record(state: State, roll: Roll, stage: Stage) -> Result:
    """Return the state in which a roll is on its way to the ledger."""
    return show(state, Recording(roll, stage)), (Record(roll, stage),)


def dialled(state: State, dial: Dial) -> Result:
    """Return the state with the dial showing so, kept if anything on it changed."""
    shown = replace(state, dial=dial, screen=Dialling())
    if dial.requests == state.dial.requests and dial.active == state.dial.active:
        return shown, ()
    return shown, (KeepDial(dial.requests, dial.active),)


def set_aside(state: State, roll: Roll) -> State:
    """Return the state with a roll that waits to be gone on with."""
    return replace(state, unfinished=(*state.unfinished, roll)[-MOST_UNFINISHED:])


def moved(cursor: int, places: int, count: int) -> int:
    """Return a cursor moved by so many places within a list, stopping at either end."""
    return min(count - 1, max(0, cursor + places))
