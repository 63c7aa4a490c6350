"""Opposed Attribute: two sides each add luck to a Score, and the greater result wins.

Sentences in quotes are the rule text's own (Opposed Attribute Score Test).

Face order: the attacker's two plus dice and two minus dice, then the defender's likewise.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from rules.degrees import (
    ATTACKER,
    DEFENDER,
    ROLES,
    OpposedOdds,
    clamped,
    reserve_damage,
    winner_of,
)
from rules.degrees import odds as degree_odds
from rules.engine import checked_faces, chosen_of, faces_of
from rules.errors import RulesError
from rules.fields import Fielded, group, number, text
from rules.frozen import frozen
from rules.leaves import NAME_LENGTH
from rules.model import (
    Answer,
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
    Outcome,
    Request,
    Role,
    Row,
    RuleSystem,
    Spread,
    Step,
    Tone,
    Verdict,
)
from rules.scores import LIMIT
from rules.table import Character

SYSTEM_ID = "opposed-attribute"

UNNAMED_ATTRIBUTE = "Attribute"
"""Whose Reserve is damaged where the request does not name the attribute."""


def signed(value: int) -> str:
    """Return a number as a sheet shows it: ``+3``, ``0``, ``−5``."""
    return f"{value:+d}".replace("-", "−") if value else "0"


@frozen(kw_only=True)
class Side(Fielded):
    """One side: its current Attribute Score and the Guide's modifiers."""

    name: str | None = text("Name", NAME_LENGTH)
    score: int = number("Score", -LIMIT, LIMIT, required=True, start=0, main=True, show=signed)
    modifiers: int = number("Modifiers", -LIMIT, LIMIT, default=0, show=signed)

    @property
    def standing(self) -> int:
        """What the luck is added to, −20…+20."""
        return self.score + self.modifiers


@frozen(kw_only=True)
class Opposed(Request):
    """One round: "an adventurer tests an ability against another adventurer"."""

    system: ClassVar[str] = SYSTEM_ID
    kind: ClassVar[str] = "opposed"
    title: ClassVar[str] = "Opposed test"

    attribute: str | None = text("Attribute")
    attacker: Side = group("Attacker", Side)
    defender: Side = group("Defender", Side)
    name: str | None = text("Name", NAME_LENGTH)

    @property
    def sides(self) -> tuple[Side, Side]:
        """The attacker, then the defender."""
        return self.attacker, self.defender

    @property
    def names(self) -> tuple[str, str]:
        """What to call them."""
        return self.attacker.name or "Attacker", self.defender.name or "Defender"


@frozen(kw_only=True)
class SideOutcome:
    """How one side fared.

    Attributes:
        roll: its luck, 2d6 − 2d6, −10…+10.
        degree: its Degree of Success, clamped to −10…+10.
        success: whether its own task was accomplished, whoever won the round.
        reserve_damage: Reserve points it loses, 0–10.
        residual: whether it loses a further point each turn until healed.
    """

    name: str | None
    score: int
    modifiers: int
    roll: int
    degree: int
    success: bool
    reserve_damage: int
    residual: bool


@frozen(kw_only=True)
class OpposedOutcome(Outcome):
    """How the round went: both sides, and the winner's ("attacker", "defender" or None)."""

    attacker: SideOutcome
    defender: SideOutcome
    winner: str | None


def advance(request: Opposed, answers: Sequence[Answer]) -> Step:
    """Return what comes next: the attacker's dice, the defender's, the verdict.

    "The Attacker rolls 2d6-2d6 to determine their circumstance or luck modifier"; so does the
    Defender.

    Raises:
        RulesError: not four faces for each side, or a choice where none was asked.
    """
    faces, each = checked_faces(faces_of(answers)), len(ROLES)
    if len(faces) not in (0, each, 2 * each):
        raise RulesError("faces", list(faces), f"{each} faces for each side")
    if chosen := chosen_of(answers):
        raise RulesError("choices", chosen[0], "no choice in this test")
    if len(faces) == 2 * each:
        return Verdict(_decided(request, faces))
    name = request.names[len(faces) // each]
    return AskDice(
        (DiceGroup(Role.PLUS, 2, name), DiceGroup(Role.MINUS, 2, name)),
        f"{name} rolls 2d6 − 2d6",
        _reached(request, faces) if faces else "",
    )


def _reached(request: Opposed, faces: tuple[int, ...]) -> str:
    """Return what the attacker's dice came to."""
    return f"{request.names[0]} {signed(_fared(request.attacker, faces).degree)}"


def _decided(request: Opposed, faces: tuple[int, ...]) -> OpposedOutcome:
    """Return the outcome: "Compare the Attacker's and Defender's results"."""
    each = len(ROLES)
    handfuls = faces[:each], faces[each:]
    attacker, defender = map(_fared, request.sides, handfuls)
    winner = winner_of(attacker.degree, defender.degree)
    return OpposedOutcome(
        dice=tuple(
            Die(face, role, Fate.COUNTED, side=side)
            for side, handful in zip((ATTACKER, DEFENDER), handfuls, strict=True)
            for face, role in zip(handful, ROLES, strict=True)
        ),
        explanation=_explained(request, (attacker, defender), handfuls, winner),
        attacker=attacker,
        defender=defender,
        winner=winner,
    )


def _fared(side: Side, faces: tuple[int, ...]) -> SideOutcome:
    """Return how a side fared.

    "A Degree of Success result from 0 to +10 succeeds and the attempted task completes." "On a
    particularly bad failure of -10 ... it continues to add Residual Reserve Damage by 1
    additional point each turn until healed or repaired."
    """
    roll = faces[0] + faces[1] - faces[2] - faces[3]
    degree = clamped(side.standing + roll)
    return SideOutcome(
        name=side.name,
        score=side.score,
        modifiers=side.modifiers,
        roll=roll,
        degree=degree,
        success=degree >= 0,
        reserve_damage=reserve_damage(degree),
        residual=degree == -LIMIT,
    )


def _explained(
    request: Opposed,
    sides: tuple[SideOutcome, SideOutcome],
    handfuls: tuple[tuple[int, ...], tuple[int, ...]],
    winner: str | None,
) -> str:
    sums = map(_sum, request.names, sides, handfuls)
    return f"{'; '.join(sums)}; {_verdict(request, winner)}"


def _sum(name: str, side: SideOutcome, faces: tuple[int, ...]) -> str:
    plus_a, plus_b, minus_a, minus_b = faces
    luck = f"({plus_a}+{plus_b}−{minus_a}−{minus_b})"
    guide = f" {signed(side.modifiers)}" if side.modifiers else ""
    reached = side.score + side.modifiers + side.roll
    limit = f" → {signed(side.degree)}" if reached != side.degree else ""
    return f"{name} {signed(side.score)}{guide} + {luck} = {signed(reached)}{limit}{_cost(side)}"


def _cost(side: SideOutcome) -> str:
    if side.success:
        return ""
    return f", loses {side.reserve_damage} Reserve{' and 1 each turn' if side.residual else ''}"


def _verdict(request: Opposed, winner: str | None) -> str:
    attacker, defender = request.names
    if winner is None:
        return "a draw"
    return f"{attacker if winner == ATTACKER else defender} wins"


def choose(request: Opposed, faces: tuple[int, ...], choices: Choices) -> tuple[Chosen, ...]:  # noqa: ARG001 - one shape for all systems
    """Return no answer: nothing is decided after this roll.

    Raises:
        RulesError: a choice was given.
    """
    if not isinstance(choices, Mapping):
        raise RulesError("choices", choices, "an object")
    for key in choices:
        raise RulesError(("choices", str(key)), choices[key], "no choice in this test")
    return ()


def odds(request: Opposed) -> OpposedOdds:
    """Return the exact chances of a request."""
    return degree_odds(request.attacker.standing, request.defender.standing)


def chances(request: Opposed) -> tuple[Chance, ...]:
    """Return the chances that the dial shows."""
    exact, (attacker, defender) = odds(request), request.names
    return (
        Chance(f"{attacker} wins", exact.attacker),
        Chance("Draw", exact.draw),
        Chance(f"{defender} wins", exact.defender),
        Chance(f"{attacker} fails", exact.attacker_fails),
        Chance(f"{defender} fails", exact.defender_fails),
    )


def spread(request: Opposed) -> Spread:
    """Return the distribution of the attacker's Degree of Success."""
    bars = odds(request).attacker_degree.items()
    return Spread(
        f"{request.names[0]}'s degree", tuple(Chance(signed(degree), p) for degree, p in bars)
    )


def headline(request: Opposed, outcome: OpposedOutcome) -> Headline:
    """Return the verdict at a glance: who won, and for each side how its own task went."""
    rows = [
        Row(name, side.degree, _note(side))
        for name, side in zip(request.names, (outcome.attacker, outcome.defender), strict=True)
    ]
    if outcome.winner == DEFENDER:
        rows.reverse()
    marks = ("residual damage",) if outcome.attacker.residual or outcome.defender.residual else ()
    return Headline(
        word="Draw" if outcome.winner is None else f"{rows[0].name} wins",
        tone=Tone.NEUTRAL,
        value=outcome.attacker.degree,
        need=outcome.defender.degree,
        detail=request.attribute or "",
        marks=marks,
        rows=tuple(rows),
    )


def _note(side: SideOutcome) -> str:
    if side.success:
        return "no loss"
    return f"−{side.reserve_damage} Reserve"


def caption(request: Opposed) -> Caption:
    """Return the request at a glance: each side's Score and modifiers."""
    attacker, defender = map(_side_caption, request.names, request.sides)
    return Caption(attacker, defender, "")


def _side_caption(name: str, side: Side) -> str:
    modifiers = f" ({signed(side.modifiers)})" if side.modifiers else ""
    return f"{name} {signed(side.score)}{modifiers}"


def consequences(request: Opposed, outcome: OpposedOutcome) -> tuple[Consequence, ...]:
    """Return the Reserve that each named side loses, "whomever scores a Degree below zero".

    "The normal consequence for a failed Opposed Attribute Score Test is Attribute Reserve
    Damage." A side without a name has no Reserve at the table to lose from.
    """
    attribute = request.attribute or UNNAMED_ATTRIBUTE
    return tuple(
        _loses(side.name, attribute, side)
        for side in (outcome.attacker, outcome.defender)
        if side.name and not side.success
    )


def _loses(name: str, attribute: str, side: SideOutcome) -> Consequence:
    return Consequence(
        "reserve",
        (
            ("character", name),
            ("attribute", attribute),
            ("count", side.reserve_damage),
            ("residual", side.residual),
        ),
    )


_NOTATION = re.compile(
    r"(?P<attacker>[+\-−]?\s?\d{1,4})\s+vs\s+(?P<defender>[+\-−]?\s?\d{1,4})",
    re.ASCII | re.IGNORECASE,
)


def parse(kind: str, notation: str) -> dict[str, Any]:  # noqa: ARG001 - there is one kind
    """Return the fields of ``3 vs 1`` or ``+3 vs −2``: the Scores of attacker and defender.

    Raises:
        RulesError: it is nothing like that.
    """
    if not notation.strip():
        return {}
    found = _NOTATION.fullmatch(notation.strip())
    if found is None:
        raise RulesError((), notation, "two Scores such as 3 vs 1 or +3 vs -2")
    return {side: {"score": _score(found[side])} for side in (ATTACKER, DEFENDER)}


def _score(word: str) -> int:
    return int(word.replace("−", "-").replace(" ", ""))


def formatted(request: Opposed) -> str:
    """Return both Scores as `parse` takes them."""
    return f"{request.attacker.score:+d} vs {request.defender.score:+d}"


def played_by(request: Opposed, character: Character) -> Opposed:
    """Return a test in which a character attacks, with the current Score of what is tested.

    "Take the Attacker's current Attribute Score for the ability being tested."
    """
    known = {reserve.attribute: reserve.current for reserve in character.reserves}
    score = known.get(request.attribute or "", request.attacker.score)
    attacker: Side = replace(request.attacker, name=character.name, score=score)
    return replace(request, attacker=attacker)


SYSTEM: RuleSystem = RuleSystem(
    id=SYSTEM_ID,
    title="Opposed Attribute",
    alias="oa",
    kinds=(Opposed,),
    advance=advance,
    choose=choose,
    choices=lambda _: {},
    odds=odds,
    chances=chances,
    spread=spread,
    headline=headline,
    caption=caption,
    consequences=consequences,
    parse=parse,
    format=formatted,
    played_by=played_by,
    expectations=("attacker_loss", "defender_loss"),
)
