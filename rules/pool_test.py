"""Tests of one pool against a number: basic, extended and conflict tests of the Seven Kingdoms.

"To perform a test, you roll your pool of dice, sum the highest retained dice, and compare the
result to what the test demands." (The Core of Every Test)
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from rules import pools
from rules.difficulty import DEGREES, HIGHEST, degree_name, degrees_of, difficulty_row, signed
from rules.engine import checked_faces, chosen_of, faces_of
from rules.errors import RulesError
from rules.fields import choice, flag, number, text
from rules.leaves import NAME_LENGTH
from rules.model import (
    Answer,
    AskChoice,
    AskDice,
    Caption,
    Chance,
    Choices,
    Chosen,
    Consequence,
    Fate,
    Headline,
    Outcome,
    Request,
    Row,
    Spread,
    Step,
    Tone,
    Verdict,
)
from rules.pool_odds import PoolOdds, test_odds
from rules.pools import Pool
from rules.retain import Hand, fates
from rules.struck import (
    STRIKE_PROMPT,
    arithmetic,
    choose_struck,
    dice_of,
    groups_of,
    offers,
    open_ties,
    picked,
)

MOST_SUCCESSES = 99
"""Successes that an extended test can need."""

MOST_ROLLS = 999
"""Rolls that an extended test can take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolTest(Pool, Request):
    """A test of one pool against a number; "you are measuring yourself against the world"."""

    system: ClassVar[str] = "seven-kingdoms"
    decisions: ClassVar[tuple[str, ...]] = ("struck",)

    difficulty: int = number("Difficulty", 0, HIGHEST, required=True, start=9, main=True)
    discard_order: str = choice("Discard", "after_keep", "before_keep", recorded=True)
    name: str | None = text("Name", NAME_LENGTH)

    @property
    def minimum_rank(self) -> int | None:
        """The rank below which the difficulty can't be attempted; None where there is none."""
        return difficulty_row(self.difficulty).minimum_rank

    @property
    def difficulty_name(self) -> str | None:
        """The name of the difficulty; None where it is another character's Defense."""
        return difficulty_row(self.difficulty).name

    @property
    def automatic(self) -> bool:
        """Whether it "succeeds without a roll"."""
        return False

    @property
    def obstacle(self) -> str | None:
        """Why the test can't be attempted: dead, then below the minimum rank, then no test dice."""
        if self.dead:
            return "dead"
        if self.minimum_rank is not None and self.rank < self.minimum_rank:
            return "below_minimum_rank"
        return None if self.test_dice else "no_test_dice"


@dataclass(frozen=True, slots=True, kw_only=True)
class BasicTest(PoolTest):
    """A test "against a static difficulty set by the Narrator"."""

    kind: ClassVar[str] = "basic"
    title: ClassVar[str] = "Basic test"

    interference: bool = flag("Interference")

    @property
    def automatic(self) -> bool:
        """Whether it "succeeds without a roll": difficulty 0 when nothing "still interferes"."""
        return self.difficulty == 0 and not self.interference


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtendedTest(BasicTest):
    """A test of "a set number of successes across several successive rolls over time"."""

    kind: ClassVar[str] = "extended"
    title: ClassVar[str] = "Extended test"

    needed: int = number("Needed", 1, MOST_SUCCESSES, default=1, start=3)
    gained: int = number("Gained", 0, MOST_SUCCESSES, default=0)
    roll_number: int = number("Roll", 1, MOST_ROLLS, default=1)
    cost: str | None = text("Cost")
    extended_counts: str = choice("Counts", "tests", "degrees", recorded=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictTest(PoolTest):
    """A test "against a foe's Defense": it asks for no rank and is never automatic."""

    kind: ClassVar[str] = "conflict"
    title: ClassVar[str] = "Conflict test"

    defense_name: str | None = text("Defense name", NAME_LENGTH)

    @property
    def minimum_rank(self) -> None:
        """None: a Defense asks for no rank."""

    @property
    def difficulty_name(self) -> None:
        """None: a Defense has no row in the table of difficulties."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolOutcome(Outcome):
    """The outcome of a basic or conflict test; points, but `test_dice` and `minimum_rank` dice."""

    automatic: bool
    test_dice: int
    total: int | None
    difficulty: int
    difficulty_name: str | None
    minimum_rank: int | None
    margin: int | None
    success: bool
    degrees: int
    degree_name: str | None
    complication: bool
    shared_failure: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtendedOutcome(PoolOutcome):
    """The outcome of one roll of an extended test, with the successes gained so far."""

    gained: int
    needed: int
    complete: bool


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


def explain(request: PoolTest, outcome: PoolOutcome) -> str:
    """Return the arithmetic as the players say it, in one line."""
    if outcome.reason is not None:
        return unattempted(request, outcome.reason)
    if outcome.total is None or outcome.margin is None:
        return "Automatic: succeeds without a roll"
    needed = f"{target_name(request)} {request.difficulty}"
    verdict = outcome.degree_name or "failure"
    marks = "".join(f", {mark.lower()}" for mark in marks_of(outcome))
    sums = arithmetic(outcome.dice, request.flat, outcome.total)
    return f"{sums} vs {needed}: margin {signed(outcome.margin)}, {verdict}{marks}"


def unattempted(request: PoolTest, reason: str) -> str:
    """Return why a test can't be attempted, in one line."""
    match reason:
        case "dead":
            return f"Dead: {request.wounds} wounds reach Endurance {request.endurance}"
        case "below_minimum_rank":
            return (
                f"{request.difficulty_name} needs rank {request.minimum_rank}, not {request.rank}"
            )
        case _:
            return "No test dice are left: nothing to roll"


def target_name(request: PoolTest) -> str:
    """Return the name of what the test is up against."""
    if isinstance(request, ConflictTest):
        return request.defense_name or "Defense"
    return difficulty_row(request.difficulty).name


def marks_of(outcome: PoolOutcome) -> tuple[str, ...]:
    """Return what else the dice said: complication, shared failure."""
    told = (("Complication", outcome.complication), ("Shared failure", outcome.shared_failure))
    return tuple(mark for mark, holds in told if holds)


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


def headline(request: PoolTest, outcome: PoolOutcome) -> Headline:
    """Return the verdict at a glance."""
    if outcome.reason is not None:
        word = "Dead" if outcome.reason == "dead" else "Not attempted"
        return Headline(word, Tone.FAILURE, success=False, detail=outcome.explanation)
    margin = "" if outcome.margin is None else f"margin {signed(outcome.margin)}"
    degree = "" if outcome.degree_name is None else outcome.degree_name.split()[0]
    progress = ""
    if isinstance(outcome, ExtendedOutcome):
        progress = "complete" if outcome.complete else f"{outcome.gained}/{outcome.needed}"
    return Headline(
        "Success" if outcome.success else "Failure",
        Tone.SUCCESS if outcome.success else Tone.FAILURE,
        success=outcome.success,
        value=outcome.total,
        need=outcome.difficulty,
        detail=" · ".join(part for part in (degree, margin, progress) if part),
        marks=marks_of(outcome),
        complication=outcome.complication,
        rows=_progress(request, outcome),
    )


def _progress(request: PoolTest, outcome: PoolOutcome) -> tuple[Row, ...]:
    """Return how far an extended test has come; nothing for any other."""
    if not isinstance(request, ExtendedTest) or not isinstance(outcome, ExtendedOutcome):
        return ()
    cost = f"each {request.cost}" if request.cost else ""
    return (
        Row("Successes", outcome.gained, f"of {outcome.needed}"),
        Row("Rolls", request.roll_number, cost),
    )


def caption(request: PoolTest) -> Caption:
    """Return the request at a glance."""
    target = f"{target_name(request)} {request.difficulty}"
    if isinstance(request, ExtendedTest):
        target = f"{target} · {request.gained}/{request.needed}"
    warnings = {
        "dead": "dead",
        "below_minimum_rank": f"needs rank {request.minimum_rank}",
        "no_test_dice": "no test dice left",
        None: "no roll needed" if request.automatic else "",
    }
    return Caption(pools.shown(request), target, warnings[request.obstacle])


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


def parse(words: str) -> dict[str, Any]:
    """Return the fields that ``3D+2B-1P vs 9`` tells.

    Raises:
        RulesError: it is no pool against a number.
    """
    pool, target = pools.parse_versus(words)
    found: dict[str, Any] = dict(pools.parse(pool))
    if target is not None:
        if not re.fullmatch("[0-9]{1,6}", target):
            raise RulesError("difficulty", target, f"a whole number 0–{HIGHEST}")
        found["difficulty"] = int(target)
    return found


def written(request: PoolTest) -> str:
    """Return the request's pool and difficulty as notation."""
    return f"{pools.written(request)} vs {request.difficulty}"


def continued(request: PoolTest, outcome: PoolOutcome) -> PoolTest | None:
    """Return the next roll of an extended test; once it is complete, the first of a new one."""
    if not isinstance(request, ExtendedTest) or not isinstance(outcome, ExtendedOutcome):
        return None
    if outcome.complete or request.roll_number == MOST_ROLLS:
        return replace(request, gained=0, roll_number=1)
    gained = min(outcome.gained, MOST_SUCCESSES)
    return replace(request, gained=gained, roll_number=request.roll_number + 1)
