"""High Die: a small game, added to the station from this one file by the tests.

Draw: roll a few dice, the highest counts; while it is short of the target, each coin spent adds
one. Duel: each side rolls one die and adds its edge, the higher wins; where both show a six, both
roll once more and the second dice count instead.

Face order: a draw's dice; in a duel the challenger's, the rival's, then the roll-off's likewise.
"""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

from rules.engine import chosen_of, faces_of
from rules.errors import RulesError, UnknownFieldError
from rules.fields import Fielded, choice, flag, group, number, text
from rules.frozen import frozen
from rules.leaves import NAME_LENGTH
from rules.model import (
    FACES,
    Answer,
    AskChoice,
    AskDice,
    Caption,
    Chance,
    Choices,
    Chosen,
    Consequence,
    DiceGroup,
    Die,
    Fate,
    Headline,
    Odds,
    Open,
    Option,
    Outcome,
    Request,
    Row,
    RuleSystem,
    Spread,
    Step,
    Tone,
    Verdict,
)

SYSTEM_ID = "high-die"
HIGH = "high"
"""The one role that dice have here; no other system knows it."""

SPEND = Option("spend", "Spend a coin: +1")
STOP = Option("stop", "Leave it")


@frozen(kw_only=True)
class Draw(Request):
    """The highest of a few dice against a target."""

    system: ClassVar[str] = SYSTEM_ID
    kind: ClassVar[str] = "draw"
    title: ClassVar[str] = "Draw"
    decisions: ClassVar[tuple[str, ...]] = ("coins",)

    dice: int = number("Dice", 1, 6, required=True, start=2, main=True)
    target: int = number("Target", 1, 9, required=True, start=5, main=True)
    coins: int = number("Coins", 0, 3, default=0)
    blessed: bool = flag("Blessed")
    ones: str = choice("Ones", "count", "spoil", recorded=True)
    name: str | None = text("Name", NAME_LENGTH)

    def check_together(self) -> None:
        """Raise RulesError where a single die is both blessed and spoilt by ones."""
        if self.blessed and self.ones == "spoil" and self.dice == 1:
            raise RulesError("blessed", self.blessed, "false for a single die that ones spoil")


@frozen(kw_only=True)
class Duellist(Fielded):
    """One side of a duel; `edge` is added to its die."""

    name: str | None = text("Name", NAME_LENGTH)
    edge: int = number("Edge", 0, 3, default=0, main=True)


@frozen(kw_only=True)
class Duel(Request):
    """Two sides, a die each."""

    system: ClassVar[str] = SYSTEM_ID
    kind: ClassVar[str] = "duel"
    title: ClassVar[str] = "Duel"

    challenger: Duellist = group("Challenger", Duellist)
    rival: Duellist = group("Rival", Duellist)
    name: str | None = text("Name", NAME_LENGTH)

    @property
    def names(self) -> tuple[str, str]:
        """What to call the sides."""
        return self.challenger.name or "Challenger", self.rival.name or "Rival"


@frozen(kw_only=True)
class DrawOutcome(Outcome):
    """What a draw reached, coins included."""

    total: int
    target: int
    success: bool
    spent: int


@frozen(kw_only=True)
class DuelOutcome(Outcome):
    """What both sides of a duel reached, and who won: "challenger", "rival" or None."""

    challenger: int
    rival: int
    winner: str | None


@frozen(kw_only=True)
class DrawOdds(Odds):
    """Chances of a draw in which no coin is spent."""

    success: Fraction
    total: Mapping[int, Fraction]


@frozen(kw_only=True)
class DuelOdds(Odds):
    """Chances of a duel, its roll-off included."""

    challenger: Fraction
    draw: Fraction
    rival: Fraction


def advance(request: Draw | Duel, answers: Sequence[Answer]) -> Step:
    """Return what comes next."""
    faces, chosen = faces_of(answers), chosen_of(answers)
    return _draw(request, faces, chosen) if isinstance(request, Draw) else _duel(request, faces)


def _draw(request: Draw, faces: tuple[int, ...], chosen: Sequence[str]) -> Step:
    if not faces:
        return AskDice((DiceGroup(HIGH, request.dice),), "Draw")
    spent = 0
    for option in chosen:
        if option not in (SPEND.id, STOP.id) or spent >= _spendable(request, faces):
            raise RulesError(("choices", "coins"), option, "an option that was offered")
        if option == STOP.id:
            return Verdict(_drawn(request, faces, spent, stopped=True))
        spent += 1
    outcome = _drawn(request, faces, spent, stopped=False)
    if not outcome.open:
        return Verdict(outcome)
    return AskChoice("coins", "Spend a coin?", (SPEND, STOP), outcome)


def _reached(request: Draw, faces: tuple[int, ...]) -> int:
    spoilt = request.ones == "spoil" and 1 in faces
    return 1 if spoilt else max(faces) + request.blessed


def _spendable(request: Draw, faces: tuple[int, ...]) -> int:
    return min(request.coins, max(0, request.target - _reached(request, faces)))


def _drawn(request: Draw, faces: tuple[int, ...], spent: int, *, stopped: bool) -> DrawOutcome:
    total = _reached(request, faces) + spent
    left = 0 if stopped else _spendable(request, faces) - spent
    highest = faces.index(max(faces))
    return DrawOutcome(
        dice=tuple(
            Die(face, HIGH, Fate.KEPT if place == highest else Fate.DROPPED)
            for place, face in enumerate(faces)
        ),
        open=(Open("coins", left, 0, (SPEND.id,)),) if left else (),
        explanation=f"{' '.join(map(str, faces))} → {total} vs {request.target}",
        total=total,
        target=request.target,
        success=total >= request.target,
        spent=spent,
    )


def _duel(request: Duel, faces: tuple[int, ...]) -> Step:
    if len(faces) < 2:
        name = request.names[len(faces)]
        return AskDice((DiceGroup(HIGH, 1, name),), name)
    if faces == (FACES, FACES):
        return AskDice(tuple(DiceGroup(HIGH, 1, name) for name in request.names), "Roll-off")
    mine = faces[-2] + request.challenger.edge
    theirs = faces[-1] + request.rival.edge
    return Verdict(
        DuelOutcome(
            dice=tuple(
                Die(
                    face,
                    HIGH,
                    Fate.COUNTED if place >= len(faces) - 2 else Fate.DROPPED,
                    side=("challenger", "rival")[place % 2],
                )
                for place, face in enumerate(faces)
            ),
            explanation=f"{request.names[0]} {mine}; {request.names[1]} {theirs}",
            challenger=mine,
            rival=theirs,
            winner=None if mine == theirs else "challenger" if mine > theirs else "rival",
        )
    )


def choose(request: Draw | Duel, faces: tuple[int, ...], choices: Choices) -> tuple[Chosen, ...]:
    """Return the answers that ``{"coins": 2}`` stands for."""
    if not isinstance(choices, Mapping):
        raise RulesError("choices", choices, "an object")
    most = _spendable(request, faces) if isinstance(request, Draw) else 0
    for name, count in choices.items():
        if name != "coins" or isinstance(request, Duel):
            raise UnknownFieldError(("choices", str(name)), count, ", ".join(request.decisions))
        if type(count) is not int or not 0 <= count <= most:
            raise RulesError(("choices", "coins"), count, f"a whole number 0–{most}")
    if "coins" not in choices:
        return ()
    spent = (Chosen(SPEND.id),) * choices["coins"]
    return spent if len(spent) == most else (*spent, Chosen(STOP.id))


def decided(options: Sequence[str]) -> dict[str, int]:
    """Return the JSON choices that options taken one by one amount to."""
    return {"coins": options.count(SPEND.id)} if options else {}


def odds(request: Draw | Duel) -> DrawOdds | DuelOdds:
    """Return the exact chances, by counting every way in which the dice fall."""
    return _draw_odds(request) if isinstance(request, Draw) else _duel_odds(request)


def _draw_odds(request: Draw) -> DrawOdds:
    ways: dict[int, int] = {}
    for highest in range(1, FACES + 1):
        # all dice at or below this face, less those all below it; no ones where they spoil
        lowest = 1 if request.ones == "spoil" and highest > 1 else 0
        reached = _reached(request, (highest,))
        at_most = (highest - lowest) ** request.dice
        ways[reached] = at_most - (highest - lowest - 1) ** request.dice if highest > 1 else 1
    every = FACES**request.dice
    ways[1] = ways.get(1, 0) + every - sum(ways.values())
    return DrawOdds(
        success=Fraction(sum(n for total, n in ways.items() if total >= request.target), every),
        total={total: Fraction(ways[total], every) for total in sorted(ways) if ways[total]},
    )


def _duel_odds(request: Duel) -> DuelOdds:
    won: dict[str | None, int] = {"challenger": 0, "rival": 0, None: 0}
    pairs = tuple(product(range(1, FACES + 1), repeat=2))
    sixes = (FACES, FACES)
    for faces in (*pairs, *(sixes + off for off in pairs)):
        step = _duel(request, faces)
        if isinstance(step, Verdict) and isinstance(step.outcome, DuelOutcome):
            won[step.outcome.winner] += len(pairs) if len(faces) == len(sixes) else 1
    ways = len(pairs) ** 2
    return DuelOdds(
        challenger=Fraction(won["challenger"], ways),
        draw=Fraction(won[None], ways),
        rival=Fraction(won["rival"], ways),
    )


def chances(request: Draw | Duel) -> tuple[Chance, ...]:
    """Return the chances that the dial shows."""
    found = odds(request)
    if isinstance(found, DrawOdds):
        return (Chance("Reached", found.success),)
    mine, theirs = request.names if isinstance(request, Duel) else ("", "")
    return Chance(mine, found.challenger), Chance("Draw", found.draw), Chance(theirs, found.rival)


def spread(request: Draw | Duel) -> Spread:
    """Return the distribution of the total, or of the winner."""
    found = odds(request)
    if isinstance(found, DuelOdds):
        return Spread("winner", chances(request))
    return Spread("total", tuple(Chance(str(total), p) for total, p in found.total.items()))


def headline(request: Draw | Duel, outcome: DrawOutcome | DuelOutcome) -> Headline:
    """Return the verdict at a glance."""
    if isinstance(outcome, DrawOutcome):
        return Headline(
            "Reached" if outcome.success else "Missed",
            Tone.SUCCESS if outcome.success else Tone.FAILURE,
            success=outcome.success,
            value=outcome.total,
            need=outcome.target,
            marks=(f"{outcome.spent} spent",) if outcome.spent else (),
        )
    names = request.names if isinstance(request, Duel) else ("", "")
    rows = (Row(names[0], outcome.challenger), Row(names[1], outcome.rival))
    if outcome.winner is None:
        return Headline("Draw", Tone.NEUTRAL, rows=rows)
    ranked = rows if outcome.winner == "challenger" else rows[::-1]
    return Headline(f"{ranked[0].name} wins", Tone.NEUTRAL, rows=ranked)


def caption(request: Draw | Duel) -> Caption:
    """Return the request at a glance."""
    if isinstance(request, Duel):
        return Caption(request.names[0], f"against {request.names[1]}")
    most = FACES + request.blessed + request.coins
    warning = f"at most {most}" if most < request.target else ""
    return Caption(f"{request.dice}H", f"target {request.target}", warning)


def consequences(request: Draw | Duel, outcome: Outcome) -> tuple[Consequence, ...]:
    """Return the Glory that a duel won brings."""
    won = isinstance(request, Duel) and isinstance(outcome, DuelOutcome) and outcome.winner
    return (Consequence("glory", (("count", 1),)),) if won else ()


def parse(kind: str, words: str) -> dict[str, Any]:
    """Return the fields of ``3H vs 5``, or of a duel's edges ``1 vs 2``."""
    letter = "h" if kind == Draw.kind else ""
    pattern = rf"(\d{{1,3}}){letter}\s+vs\s+(\d{{1,3}})"
    found = re.fullmatch(pattern, words.strip(), re.ASCII | re.IGNORECASE)
    if found is None:
        raise RulesError((), words, "3H vs 5, or a duel's edges such as 1 vs 2")
    first, second = map(int, found.groups())
    if kind == Draw.kind:
        return {"dice": first, "target": second}
    return {"challenger": {"edge": first}, "rival": {"edge": second}}


def written(request: Draw | Duel) -> str:
    """Return the request as `parse` takes it."""
    if isinstance(request, Draw):
        return f"{request.dice}H vs {request.target}"
    return f"{request.challenger.edge} vs {request.rival.edge}"


SYSTEM = RuleSystem(
    id=SYSTEM_ID,
    title="High Die",
    alias="hd",
    kinds=(Draw, Duel),
    advance=advance,
    choose=choose,
    choices=decided,
    choice_forms={"coins": {"type": "number", "example": 1}},
    odds=odds,
    chances=chances,
    spread=spread,
    headline=headline,
    caption=caption,
    consequences=consequences,
    parse=parse,
    format=written,
)
"""The system as a registry takes it."""
