"""Dice drawn for a request in one go, until nothing is left to roll."""

from collections.abc import Sequence

from hardware.entropy.dice import Dice, Draw
from rules.model import Answer, AskDice, Request, Rolled, RuleSystem


def drawn(system: RuleSystem, request: Request, dice: Dice) -> tuple[Draw, ...]:
    """Return the draws that a request asks for.

    Raises:
        EntropyUnavailable: no source may be used; what was drawn counts for nothing.
    """
    draws: tuple[Draw, ...] = ()
    while isinstance(step := system.advance(request, answers_of(draws)), AskDice):
        draws = (*draws, dice.draw(step.count))
    return draws


def answers_of(draws: Sequence[Draw]) -> tuple[Answer, ...]:
    """Return draws as answers to a system."""
    return tuple(Rolled(draw.faces) for draw in draws)


def faces_of(draws: Sequence[Draw]) -> tuple[int, ...]:
    """Return all faces, in the order drawn."""
    return tuple(face for draw in draws for face in draw.faces)


def source_of(draws: Sequence[Draw]) -> str | None:
    """Return where the faces came from; None where none were drawn."""
    return " then ".join(dict.fromkeys(draw.source for draw in draws)) or None


def notice_of(draws: Sequence[Draw]) -> str:
    """Return what the players must know of the source; empty when all is well."""
    told = (draw.change or draw.reason for draw in draws)
    return ", ".join(dict.fromkeys(text for text in told if text))
