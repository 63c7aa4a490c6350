"""Tests of one pool against a number: basic, extended and conflict tests of the Seven Kingdoms.

"To perform a test, you roll your pool of dice, sum the highest retained dice, and compare the
result to what the test demands." (The Core of Every Test)
"""

from collections.abc import Sequence
from dataclasses import replace

from rules.difficulty import DEGREES, degree_name, degrees_of
from rules.engine import checked_faces, chosen_of, faces_of
from rules.errors import RulesError
from rules.model import (
    Answer,
    AskChoice,
    AskDice,
    Chance,
    Choices,
    Chosen,
    Consequence,
    Fate,
    Outcome,
    Spread,
    Step,
    Verdict,
)
from rules.pool_kinds import (
    MOST_ROLLS,
    MOST_SUCCESSES,
    ExtendedOutcome,
    ExtendedTest,
    PoolOutcome,
    PoolTest,
)
from rules.pool_odds import PoolOdds, test_odds
from rules.pool_words import explain
from rules.retain import Hand, fates
from rules.struck import (
    STRIKE_PROMPT,
    choose_struck,
    dice_of,
    groups_of,
    offers,
    open_ties,
    picked,
)


def advance(request: PoolTest, answers: Sequence[Answer]) -> Step:
    """Return what comes next: dice to roll, the tie of a discard to settle, or the verdict.

    Raises:
        RulesError: not as many faces as dice, or a die struck that does not tie.
    """
    if request.obstacle or request.automatic:
        return Verdict(_unrolled(request))
    if not answers:
        return AskDice(groups_of(request))
    faces = checked_faces(faces_of(answers))
    if len(faces) != request.dice:
        raise RulesError("faces", list(faces), f"exactly {request.dice} faces")
    hand = hand_of(request, faces)
    picks = picked((hand,), chosen_of(answers))
    outcome = _rolled(request, hand, picks)
    (options,) = offers((hand,), picks)
    return AskChoice("struck", STRIKE_PROMPT, options, outcome) if options else Verdict(outcome)


def hand_of(request: PoolTest, faces: tuple[int, ...]) -> Hand:
    """Return the dice of a test as they fell."""
    return Hand(
        faces,
        request.test_dice,
        request.discard_penalty,
        before_keep=request.discard_order == "before_keep",
    )


def _unrolled(request: PoolTest) -> Outcome:
    automatic = request.obstacle is None
    outcome = PoolOutcome(
        attempted=automatic,
        reason=request.obstacle,
        automatic=automatic,
        test_dice=request.test_dice,
        total=None,
        difficulty=request.difficulty,
        difficulty_name=request.difficulty_name,
        minimum_rank=request.minimum_rank,
        margin=None,
        success=automatic,
        degrees=int(automatic),
        degree_name=degree_name(int(automatic)),
        complication=False,
        shared_failure=False,
    )
    return _finished(request, outcome)


def _rolled(request: PoolTest, hand: Hand, picks: frozenset[int]) -> Outcome:
    dice = dice_of(hand, fates(hand, picks))
    total = sum(die.face for die in dice if die.fate == Fate.KEPT) + request.flat
    margin = total - request.difficulty
    degrees = degrees_of(margin)
    outcome = PoolOutcome(
        dice=dice,
        open=open_ties(hand, picks),
        automatic=False,
        test_dice=request.test_dice,
        total=total,
        difficulty=request.difficulty,
        difficulty_name=request.difficulty_name,
        minimum_rank=request.minimum_rank,
        margin=margin,
        success=margin >= 0,
        degrees=degrees,
        degree_name=degree_name(degrees),
        # "When a test fails and any die came up 1" - kept, dropped or struck alike
        complication=margin < 0 and 1 in hand.faces,
        # "a failed test is both your failures"
        shared_failure=margin < 0 and request.aided,
    )
    return _finished(request, outcome)


def _finished(request: PoolTest, outcome: PoolOutcome) -> Outcome:
    outcome = replace(outcome, explanation=explain(request, outcome))
    if not isinstance(request, ExtendedTest):
        return outcome
    won = outcome.degrees if request.extended_counts == "degrees" else int(outcome.success)
    gained = request.gained + won
    told = {name: getattr(outcome, name) for name in PoolOutcome.__dataclass_fields__}
    return ExtendedOutcome(
        **told, gained=gained, needed=request.needed, complete=gained >= request.needed
    )


def choose(request: PoolTest, faces: tuple[int, ...], choices: Choices) -> tuple[Chosen, ...]:
    """Return the answers that JSON choices stand for; see `rules.struck.choose_struck`."""
    return choose_struck((hand_of(request, faces),) if faces else (), choices)


def odds(request: PoolTest) -> PoolOdds:
    """Return the exact odds: success, complication, degrees and the whole total."""
    return test_odds(
        request,
        request.difficulty,
        before_keep=request.discard_order == "before_keep",
        reason=request.obstacle,
        automatic=request.automatic,
    )


def chances(request: PoolTest) -> tuple[Chance, ...]:
    """Return the chances that the dial shows."""
    found = odds(request)
    degrees = (Chance(DEGREES[n - 1], p) for n, p in found.degrees.items())
    return (
        Chance("Success", found.success),
        Chance("Complication", found.complication),
        *degrees,
    )


def spread(request: PoolTest) -> Spread:
    """Return the distribution of the total."""
    return Spread("total", tuple(Chance(str(total), p) for total, p in odds(request).total.items()))


def consequences(request: PoolTest, outcome: PoolOutcome) -> tuple[Consequence, ...]:
    """Return what an outcome does to the table's state: an extended test's progress."""
    if not isinstance(request, ExtendedTest) or not isinstance(outcome, ExtendedOutcome):
        return ()
    return (
        Consequence(
            "progress",
            (
                ("name", request.name or ""),
                ("gained", outcome.gained),
                ("needed", outcome.needed),
                ("roll_number", request.roll_number),
                ("cost", request.cost or ""),
            ),
        ),
    )


def continued(request: PoolTest, outcome: PoolOutcome) -> PoolTest | None:
    """Return the next roll of an extended test; once it is complete, the first of a new one."""
    if not isinstance(request, ExtendedTest) or not isinstance(outcome, ExtendedOutcome):
        return None
    if outcome.complete or request.roll_number == MOST_ROLLS:
        return replace(request, gained=0, roll_number=1)
    gained = min(outcome.gained, MOST_SUCCESSES)
    return replace(request, gained=gained, roll_number=request.roll_number + 1)
