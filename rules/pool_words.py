"""Tests of one pool in words: the arithmetic, the verdict, the request, and its notation."""

import re
from typing import Any

from rules import pools
from rules.difficulty import HIGHEST, difficulty_row, signed
from rules.errors import RulesError
from rules.model import Caption, Headline, Row, Tone
from rules.pool_kinds import ConflictTest, ExtendedOutcome, ExtendedTest, PoolOutcome, PoolTest
from rules.struck import arithmetic


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


def headline(request: PoolTest, outcome: PoolOutcome) -> Headline:
    """Return the verdict at a glance."""
    if outcome.reason is not None:
        word = "Dead" if outcome.reason == "dead" else "Not attempted"
        return Headline(word, Tone.FAILURE, success=False, detail=outcome.explanation)
    margin = "" if outcome.margin is None else f"margin {signed(outcome.margin)}"
    degree = "" if outcome.degree_name is None else outcome.degree_name.split()[0]
    progress = ""
    if isinstance(outcome, ExtendedOutcome):
        progress = f"{outcome.gained}/{outcome.needed}{' done' if outcome.complete else ''}"
    return Headline(
        "Success" if outcome.success else "Failure",
        Tone.SUCCESS if outcome.success else Tone.FAILURE,
        success=outcome.success,
        value=outcome.total,
        need=outcome.difficulty,
        detail=" · ".join(part for part in (progress, degree, margin) if part),
        marks=marks_of(outcome),
        complication=outcome.complication,
        rows=_progress(request, outcome),
    )


def _progress(request: PoolTest, outcome: PoolOutcome) -> tuple[Row, ...]:
    """Return how far an extended test has come; nothing for any other."""
    if not isinstance(request, ExtendedTest) or not isinstance(outcome, ExtendedOutcome):
        return ()
    cost = f"costs {request.cost}" if request.cost else ""
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
