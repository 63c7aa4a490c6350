"""Resolve, decide and replay: thin wrappers that play a system's `advance` to its end."""

from collections.abc import Sequence

from rules.errors import RulesError
from rules.frozen import frozen
from rules.model import (
    FACES,
    Answer,
    AskChoice,
    AskDice,
    Choices,
    Chosen,
    Outcome,
    Request,
    Rolled,
    RuleSystem,
    Verdict,
)

MOST_DICE = 1000
"""Faces that one resolution takes; a list longer than this is refused before it is read."""


@frozen
class Resolution:
    """A request resolved: the answers that led there and the outcome they gave."""

    answers: tuple[Answer, ...]
    outcome: Outcome


def resolve(
    system: RuleSystem, request: Request, faces: Sequence[int], choices: Choices | None = None
) -> Outcome:
    """Return the outcome of a request whose dice fell so.

    Args:
        system: the rules.
        request: what was asked.
        faces: 1–6 pips each, in the system's face order; exactly as many as it asks for.
        choices: decisions already taken; without them each stands at its default.

    Raises:
        RulesError: a wrong number of faces, a face that no die has, a choice not to be had.
    """
    return play(system, request, faces, choices).outcome


def play(
    system: RuleSystem, request: Request, faces: Sequence[int], choices: Choices | None = None
) -> Resolution:
    """Return the outcome as `resolve` does, with the answers that lead to it."""
    fallen = checked_faces(faces)
    answers = handfuls(system, request, fallen)
    if isinstance(system.advance(request, answers), AskDice):
        raise _wrong_count(system, request, fallen)
    if choices is not None:
        for chosen in system.choose(request, fallen, choices):
            answers = (*answers, chosen)
    return Resolution(answers, _standing(system, request, answers))


def checked_faces(faces: object) -> tuple[int, ...]:
    """Return faces as a tuple, each 1–6 pips.

    Raises:
        RulesError: it is no list, too long a one, or holds what no die shows.
    """
    if not isinstance(faces, list | tuple) or len(faces) > MOST_DICE:
        raise RulesError("faces", faces, f"a list of up to {MOST_DICE} whole numbers 1–{FACES}")
    for place, face in enumerate(faces):
        if type(face) is not int or not 1 <= face <= FACES:
            raise RulesError(("faces", place), face, f"a whole number 1–{FACES}")
    return tuple(faces)


def dice_asked(system: RuleSystem, request: Request) -> int:
    """Return how many dice a request rolls when no face leads to further ones."""
    answers: tuple[Answer, ...] = ()
    while isinstance(step := system.advance(request, answers), AskDice):
        answers = (*answers, Rolled((1,) * step.count))
    return sum(len(answer.faces) for answer in answers if isinstance(answer, Rolled))


def handfuls(system: RuleSystem, request: Request, faces: Sequence[int]) -> tuple[Answer, ...]:
    """Return faces (1–6 pips) as answers to the handfuls of dice a request asks for, in turn.

    A roll that was cut off has faces for the first handfuls only.

    Raises:
        RulesError: there are faces left that fill no handful.
    """
    fallen = checked_faces(faces)
    answers: tuple[Answer, ...] = ()
    taken = 0
    while taken < len(fallen) and isinstance(step := system.advance(request, answers), AskDice):
        answers = (*answers, Rolled(fallen[taken : taken + step.count]))
        taken += step.count
    if taken != len(fallen):
        raise _wrong_count(system, request, fallen)
    return answers


def _wrong_count(system: RuleSystem, request: Request, faces: tuple[int, ...]) -> RulesError:
    asked = dice_asked(system, request)
    wanted = "no faces" if asked == 0 else f"exactly {asked} faces" if asked > 1 else "one face"
    return RulesError("faces", list(faces), wanted, f"{len(faces)} given")


def _standing(system: RuleSystem, request: Request, answers: Sequence[Answer]) -> Outcome:
    match system.advance(request, answers):
        case Verdict(outcome):
            return outcome
        case AskChoice(standing=outcome):
            return outcome
        case AskDice():
            raise RulesError("faces", None, "more dice", "the choice leads to a further roll")


def faces_of(answers: Sequence[Answer]) -> tuple[int, ...]:
    """Return all faces rolled so far, in order."""
    return tuple(face for answer in answers if isinstance(answer, Rolled) for face in answer.faces)


def chosen_of(answers: Sequence[Answer]) -> tuple[str, ...]:
    """Return the ids of all options taken so far, in order."""
    return tuple(answer.option for answer in answers if isinstance(answer, Chosen))
