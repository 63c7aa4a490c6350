"""Competition tests: everyone rolls, the highest total wins.

"Everyone rolls, and the character with the highest total result wins. Margin in a competition is
the difference between your total and the next-best result." (Competition Tests)
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import prod
from typing import Any, ClassVar

from rules import pools
from rules.difficulty import degree_name, degrees_of
from rules.engine import checked_faces, chosen_of
from rules.errors import RulesError
from rules.fields import choice, series, text
from rules.frozen import frozen
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
    Die,
    Fate,
    Headline,
    Odds,
    Open,
    Outcome,
    Request,
    Rolled,
    Row,
    Spread,
    Step,
    Tone,
    Verdict,
)
from rules.pool_odds import ALWAYS, NEVER, counts_of
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
    own_picks,
    picked,
)

CONTESTANTS = (2, 12)
"""The fewest and the most that compete."""


@frozen(kw_only=True)
class Contestant(Pool):
    """One who competes, with a pool of their own."""

    name: str | None = text("Name", NAME_LENGTH)

    @property
    def reason(self) -> str | None:
        """Why this one takes no part, or None."""
        return "dead" if self.dead else None if self.test_dice else "no_test_dice"


@frozen(kw_only=True)
class Competition(Request):
    """Two or more "competing directly against each other", each with a pool of their own."""

    system: ClassVar[str] = "seven-kingdoms"
    kind: ClassVar[str] = "competition"
    title: ClassVar[str] = "Competition"
    decisions: ClassVar[tuple[str, ...]] = ("struck",)

    contestants: tuple[Contestant, ...] = series("Contestants", Contestant, *CONTESTANTS)
    discard_order: str = choice("Discard", "after_keep", "before_keep", recorded=True)
    name: str | None = text("Name", NAME_LENGTH)

    @property
    def before_keep(self) -> bool:
        """Whether discard penalties strike before the highest are retained."""
        return self.discard_order == "before_keep"

    @property
    def able(self) -> tuple[int, ...]:
        """The indices of those who can roll."""
        return tuple(i for i, each in enumerate(self.contestants) if each.reason is None)

    def called(self, index: int) -> str:
        """Return how a contestant is called: the name, or the place from 1."""
        return self.contestants[index].name or f"No. {index + 1}"


@frozen
class Placed:
    """How one contestant did: `total` in points and `place` from 1, None for no part taken."""

    name: str | None
    total: int | None
    place: int | None
    complication: bool
    reason: str | None


@frozen(kw_only=True)
class CompetitionOutcome(Outcome):
    """Who won and by how much: an index or None, points, and 0–4 degrees."""

    contestants: tuple[Placed, ...]
    winner: int | None
    tied: tuple[int, ...]
    margin: int | None
    degrees: int
    degree_name: str | None


@frozen(kw_only=True)
class CompetitionOdds(Odds):
    """Each contestant's chance to win, in their order, and that of a tie for the best."""

    win: tuple[Fraction, ...]
    tie: Fraction


def advance(request: Competition, answers: Sequence[Answer]) -> Step:
    """Return what comes next: the next contestant's dice, a tie to settle, or the verdict.

    Raises:
        RulesError: not as many faces as dice, or a die struck that does not tie.
    """
    handfuls = tuple(answer.faces for answer in answers if isinstance(answer, Rolled))
    if len(handfuls) < len(request.able):
        index = request.able[len(handfuls)]
        name = request.called(index)
        so_far = _reached(request, handfuls) if handfuls else ""
        return AskDice(groups_of(request.contestants[index], name), name, so_far)
    hands = _hands(request, handfuls)
    picks = picked(hands, chosen_of(answers))
    outcome = _outcome(request, hands, picks)
    for options in offers(hands, picks):
        if options:
            return AskChoice("struck", STRIKE_PROMPT, options, outcome)
    return Verdict(outcome)


def _reached(request: Competition, handfuls: Sequence[tuple[int, ...]]) -> str:
    """Return what the last handful came to; which of equal dice is struck does not matter here."""
    index = request.able[len(handfuls) - 1]
    each = request.contestants[index]
    hand = _hand(request, each, handfuls[-1])
    kept = sum(die.face for die in dice_of(hand, fates(hand)) if die.fate == Fate.KEPT)
    return f"{request.called(index)} {kept + each.flat}"


def _hands(request: Competition, handfuls: Sequence[tuple[int, ...]]) -> tuple[Hand, ...]:
    wanted = [each.dice for each in _rolling(request)]
    if [len(checked_faces(faces)) for faces in handfuls] != wanted:
        raise RulesError("faces", handfuls, f"as many faces for each as dice: {wanted}")
    return tuple(
        _hand(request, each, faces) for each, faces in zip(_rolling(request), handfuls, strict=True)
    )


def _hand(request: Competition, each: Contestant, faces: tuple[int, ...]) -> Hand:
    return Hand(faces, each.test_dice, each.discard_penalty, before_keep=request.before_keep)


def _rolling(request: Competition) -> tuple[Contestant, ...]:
    return tuple(request.contestants[index] for index in request.able)


def _outcome(request: Competition, hands: Sequence[Hand], picks: frozenset[int]) -> Outcome:
    totals: dict[int, int] = {}
    dice: list[Die] = []
    opened: list[Open] = []
    for index, hand in zip(request.able, hands, strict=True):
        own = own_picks(hand, len(dice), picks)
        opened += open_ties(hand, own, len(dice), index)
        fallen = dice_of(hand, fates(hand, own), index)
        kept = sum(die.face for die in fallen if die.fate == Fate.KEPT)
        totals[index] = kept + request.contestants[index].flat
        dice += fallen
    best = max(totals.values(), default=None)
    tied = tuple(index for index, total in totals.items() if total == best)
    winner = tied[0] if len(tied) == 1 else None
    margin = _margin(totals, winner)
    degrees = 0 if winner is None else 1 if margin is None else degrees_of(margin)
    placed = tuple(
        _placed(request, i, totals, dice, winner) for i in range(len(request.contestants))
    )
    return CompetitionOutcome(
        attempted=bool(totals),
        reason=None if totals else _nobody(request),
        dice=tuple(dice),
        open=tuple(opened),
        explanation=explain(request, dice, totals, winner, margin),
        contestants=placed,
        winner=winner,
        tied=() if winner is not None else tied,
        margin=margin,
        degrees=degrees,
        degree_name=degree_name(degrees),
    )


def _nobody(request: Competition) -> str:
    return "dead" if all(each.dead for each in request.contestants) else "no_test_dice"


def _margin(totals: dict[int, int], winner: int | None) -> int | None:
    """Return the points between the best and the next-best total: 0 where the best tie."""
    if winner is None:
        return 0 if totals else None
    others = [total for index, total in totals.items() if index != winner]
    return totals[winner] - max(others) if others else None


def _placed(
    request: Competition,
    index: int,
    totals: dict[int, int],
    dice: Sequence[Die],
    winner: int | None,
) -> Placed:
    each = request.contestants[index]
    total = totals.get(index)
    place = None if total is None else 1 + sum(other > total for other in totals.values())
    ones = any(die.face == 1 for die in dice if die.contestant == index)
    return Placed(each.name, total, place, ones and index != winner, each.reason)


def explain(
    request: Competition,
    dice: Sequence[Die],
    totals: dict[int, int],
    winner: int | None,
    margin: int | None,
) -> str:
    """Return the arithmetic of all contestants in one line, the verdict last."""
    parts = [
        f"{request.called(index)} "
        + arithmetic(
            [d for d in dice if d.contestant == index], request.contestants[index].flat, total
        )
        for index, total in totals.items()
    ]
    if not totals:
        return "No one can roll"
    if winner is None:
        return f"{'; '.join(parts)}: a tie"
    by = "" if margin is None else f" by {margin}, {degree_name(degrees_of(margin))}"
    return f"{'; '.join(parts)}: {request.called(winner)} wins{by}"


def choose(request: Competition, faces: tuple[int, ...], choices: Choices) -> tuple[Chosen, ...]:
    """Return the answers that JSON choices stand for; see `rules.struck.choose_struck`."""
    handfuls = []
    first = 0
    for each in _rolling(request):
        handfuls.append(faces[first : first + each.dice])
        first += each.dice
    return choose_struck(_hands(request, handfuls), choices)


@lru_cache(maxsize=64)
def odds(request: Competition) -> CompetitionOdds:
    """Return each contestant's exact chance to have the one highest total.

    Over whole numbers: the ways of a total, times the ways in which all others stay below it.
    """
    count = len(request.contestants)
    able = request.able
    if len(able) < CONTESTANTS[0]:
        win = tuple(ALWAYS if index in able else NEVER for index in range(count))
        reason = None if able else _nobody(request)
        return CompetitionOdds(attempted=bool(able), reason=reason, win=win, tie=NEVER)
    spreads = [_ways_by_total(request, each) for each in _rolling(request)]
    low = min(min(ways) for ways in spreads)
    high = max(max(ways) for ways in spreads)
    below = [
        [0, *accumulate(ways.get(total, 0) for total in range(low, high + 1))] for ways in spreads
    ]
    all_ways = prod(sum(ways.values()) for ways in spreads)
    wins = {}
    for place, index in enumerate(able):
        others = below[:place] + below[place + 1 :]
        won = sum(
            ways * prod(under[total - low] for under in others)
            for total, ways in spreads[place].items()
        )
        wins[index] = Fraction(won, all_ways)
    win = tuple(wins.get(index, NEVER) for index in range(count))
    return CompetitionOdds(win=win, tie=ALWAYS - sum(win))


def _ways_by_total(request: Competition, each: Contestant) -> dict[int, int]:
    counts = counts_of(each, before_keep=request.before_keep)
    lowest = counts.lowest + each.flat
    return {lowest + place: ways for place, ways in enumerate(counts.ways) if ways}


def chances(request: Competition) -> tuple[Chance, ...]:
    """Return each contestant's chance to win, and that of a tie."""
    found = odds(request)
    wins = (Chance(request.called(i), chance) for i, chance in enumerate(found.win))
    return (*wins, Chance("Tie", found.tie))


def spread(request: Competition) -> Spread:
    """Return the chances to win as a distribution."""
    return Spread("winner", chances(request))


def headline(request: Competition, outcome: CompetitionOutcome) -> Headline:
    """Return the ranking at a glance, the best first."""
    if not outcome.attempted:
        return Headline("Not attempted", Tone.FAILURE, detail=outcome.explanation)
    order = sorted(
        range(len(outcome.contestants)),
        key=lambda i: outcome.contestants[i].place or len(outcome.contestants) + 1,
    )
    rows = tuple(_row(request, outcome, index) for index in order)
    best = max(each.total for each in outcome.contestants if each.total is not None)
    if outcome.winner is None:
        return Headline("Tie", Tone.NEUTRAL, value=best, rows=rows)
    degree = "" if outcome.degree_name is None else outcome.degree_name.split()[0]
    by = "" if outcome.margin is None else f" · margin {outcome.margin:+d}"
    word = f"{request.called(outcome.winner)} wins"
    return Headline(word, Tone.SUCCESS, value=best, detail=f"{degree}{by}", rows=rows)


def _row(request: Competition, outcome: CompetitionOutcome, index: int) -> Row:
    placed = outcome.contestants[index]
    note = "complication" if placed.complication else (placed.reason or "").replace("_", " ")
    return Row(request.called(index), placed.total, note)


def caption(request: Competition) -> Caption:
    """Return the request at a glance."""
    warning = "" if request.able else "no one can roll"
    return Caption(f"{len(request.contestants)} compete", "highest total wins", warning)


def consequences(request: Competition, outcome: Outcome) -> tuple[Consequence, ...]:  # noqa: ARG001 - one shape for all kinds
    """Return nothing: a competition changes no one's state."""
    return ()


_CONTESTANT = re.compile(
    r'(?:"(?P<quoted>(?:[^"\\]|\\.)+)"|(?P<plain>[^\s:"]+))?\s*:\s*'
    rf"(?P<pool>{pools.POOL_PATTERN})(?=\s|$)",
    re.IGNORECASE,
)


def parse(words: str) -> dict[str, Any]:
    """Return the fields that ``Arya:3D+1B "Bran Stark":4D`` tells; a name may be left out.

    Raises:
        RulesError: it is no list of names with their pools.
    """
    rest = words.strip()
    found: list[dict[str, Any]] = []
    while rest:
        match = _CONTESTANT.match(rest)
        if match is None:
            raise RulesError("contestants", rest, 'name and pool, like Arya:3D+1B "Bran S":4D')
        quoted = re.sub(r"\\(.)", r"\1", match["quoted"] or "")
        found.append({"name": quoted or match["plain"], **pools.parse(match["pool"])})
        rest = rest[match.end() :].strip()
    return {"contestants": found}


def written(request: Competition) -> str:
    """Return the contestants as notation that `parse` takes back."""
    return " ".join(f"{_quoted(each.name)}:{pools.written(each)}" for each in request.contestants)


def _quoted(name: str | None) -> str:
    return "" if name is None else '"' + re.sub(r'(["\\])', r"\\\1", name) + '"'
