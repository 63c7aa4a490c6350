"""Wrath & Glory: a pool of dice becomes Icons, and one of them is the Wrath Die.

"When an outcome is uncertain and interesting, you roll. Everything in Wrath & Glory resolves the
same way." Sentences in quotes are the rule text's own (Tests, Icons & Difficulty).

Face order: the Wrath Die, then the others.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

from rules.engine import checked_faces, chosen_of, faces_of
from rules.errors import MissingFieldError, RulesError
from rules.fields import number, text
from rules.frozen import frozen
from rules.icons import (
    EXALTED,
    EXALTED_ICONS,
    ICONS,
    MOST_DICE,
    WrathOdds,
    counted,
    dn_name,
    shifts_available,
    worth,
)
from rules.icons import odds as icon_odds
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
    DiceGroup,
    Die,
    Fate,
    Headline,
    Open,
    Option,
    Outcome,
    Request,
    Role,
    RuleSystem,
    Spread,
    Step,
    Tone,
    Verdict,
)
from rules.shifts import (
    SHIFT_LABELS,
    SHIFTS,
    STOP,
    Shifts,
    allocated,
    allocation,
    chosen_shifts,
    shifted,
)

SYSTEM_ID = "wrath-and-glory"


@frozen(kw_only=True)
class WrathRequest(Request):
    """A test of Wrath & Glory.

    "Your pool is Attribute + Skill, plus any bonus dice you've earned", or given whole as `pool`;
    1–40 dice in all. "Bonuses come as extra dice. Penalties come as a higher DN. They are not
    interchangeable."
    """

    system: ClassVar[str] = SYSTEM_ID
    decisions: ClassVar[tuple[str, ...]] = (SHIFTS,)
    needs: ClassVar[tuple[tuple[str, ...], ...]] = (("pool",), ("attribute", "skill"))
    buys: ClassVar[str]

    pool: int | None = number(
        "Pool", 1, MOST_DICE, optional=True, start=6, main=True, dialled_with="pool"
    )
    attribute: int | None = number(
        "Attribute", 0, MOST_DICE, optional=True, main=True, dialled_with="attribute"
    )
    skill: int | None = number(
        "Skill", 0, MOST_DICE, optional=True, main=True, dialled_with="skill"
    )
    bonus_dice: int = number("Bonus dice", 0, MOST_DICE, default=0, dialled_with="attribute")
    dn: int = number("DN", 1, MOST_DICE, default=3, main=True)
    dn_penalty: int = number("DN penalty", 0, MOST_DICE, default=0)
    name: str | None = text("Name", NAME_LENGTH)

    def check_together(self) -> None:
        """Raise RulesError unless the pool is given once, in one way, and holds 1–40 dice."""
        if self.pool is not None:
            self._check_pool_alone()
            return
        if self.attribute is None and self.skill is None:
            raise MissingFieldError("pool", None, "1–40 dice, or an attribute and a skill instead")
        for name in ("attribute", "skill"):
            if getattr(self, name) is None:
                raise MissingFieldError(name, None, "an attribute and a skill, or a pool instead")
        if not 1 <= self.dice <= MOST_DICE:
            wanted = f"attribute, skill and bonus dice that make 1–{MOST_DICE} dice"
            raise RulesError("attribute", self.attribute, wanted, f"{self.dice} dice in all")

    def _check_pool_alone(self) -> None:
        for name in ("attribute", "skill"):
            if getattr(self, name) is not None:
                raise RulesError(name, getattr(self, name), "none beside a pool")
        if self.bonus_dice:
            raise RulesError("bonus_dice", self.bonus_dice, "0 beside a pool")

    @property
    def dice(self) -> int:
        """Dice in the pool: "six dice total, one of which is the Wrath Die"."""
        return self.pool or (self.attribute or 0) + (self.skill or 0) + self.bonus_dice

    @property
    def effective_dn(self) -> int:
        """Icons needed, 1–80: the base DN and its penalty."""
        return self.dn + self.dn_penalty


@frozen(kw_only=True)
class WrathTest(WrathRequest):
    """A test out of combat: "an extra detail, a better result, a faster one"."""

    kind: ClassVar[str] = "test"
    title: ClassVar[str] = "Test"
    buys: ClassVar[str] = "detail"
    choice_forms: ClassVar[Mapping[str, Mapping[str, object]]] = allocation(buys)


@frozen(kw_only=True)
class WrathAttack(WrathRequest):
    """A test in combat: "an Extra Damage Die on the attack"."""

    kind: ClassVar[str] = "attack"
    title: ClassVar[str] = "Attack"
    buys: ClassVar[str] = "damage"
    choice_forms: ClassVar[Mapping[str, Mapping[str, object]]] = allocation(buys)


@frozen(kw_only=True)
class WrathOutcome(Outcome):
    """What the pool gave.

    Attributes:
        icons: Icons rolled, before any Shift.
        dn: Icons needed, penalty included; `dn_name` is its row in the table.
        shifts_available: Exalted Icons that could be shifted before any was.
        shifts: how they were spent so far.
        wrath: the Wrath Die's face, 1–6 pips.
        glory: what the group gains by this test, Wrath Critical and Shift together.
    """

    icons: int
    dn: int
    dn_name: str
    success: bool
    shifts_available: int
    shifts: Shifts
    wrath: int
    wrath_critical: bool
    critical_hit: bool
    complication: bool
    glory: int


def advance(request: WrathRequest, answers: Sequence[Answer]) -> Step:
    """Return what comes next: the dice, then Shifts while there are any, then the verdict.

    Raises:
        RulesError: not as many faces as dice, or a Shift that is not to be had.
    """
    faces, chosen = checked_faces(faces_of(answers)), chosen_of(answers)
    if not answers:
        groups = (DiceGroup(Role.WRATH, 1), DiceGroup(Role.ICON, request.dice - 1))
        return AskDice(groups, "Roll the pool, the Wrath Die apart")
    if len(faces) != request.dice:
        raise RulesError("faces", list(faces), f"exactly {request.dice} faces")
    outcome = _rolled(request, faces)
    shifts, offered = shifted(request.buys, outcome.shifts_available, chosen)
    return _next(_with_shifts(outcome, shifts), offered)


def _rolled(request: WrathRequest, faces: tuple[int, ...]) -> WrathOutcome:
    """Return the outcome before any Shift.

    "Add the Icons. Meet or beat the DN and you succeed." "A 6 is a Wrath Critical. Your group
    gains 1 Glory. If the Test was a successful attack, you have also scored a Critical Hit."
    "A 1 is a Complication. The Test still succeeds or fails on its Icons." "Both trigger whether
    you passed or failed."
    """
    icons = worth(faces)
    success = icons >= request.effective_dn
    critical = faces[0] == EXALTED
    roles = (Role.WRATH, *(Role.ICON for _ in faces[1:]))
    return WrathOutcome(
        dice=tuple(Die(face, role, Fate.COUNTED) for face, role in zip(faces, roles, strict=True)),
        explanation=_explained(faces, icons, request.effective_dn),
        icons=icons,
        dn=request.effective_dn,
        dn_name=dn_name(request.effective_dn),
        success=success,
        shifts_available=shifts_available(icons, request.effective_dn, faces.count(EXALTED)),
        shifts=Shifts(),
        wrath=faces[0],
        wrath_critical=critical,
        critical_hit=critical and success and isinstance(request, WrathAttack),
        complication=faces[0] == 1,
        glory=int(critical),
    )


def _explained(faces: tuple[int, ...], icons: int, dn: int) -> str:
    """Return the arithmetic: "the GM will show the arithmetic"."""
    values = "+".join(str(ICONS[face - 1]) for face in faces)
    verdict = "success" if icons >= dn else "failure"
    return f"{' '.join(map(str, faces))} → {values} = {counted(icons)} vs DN {dn}: {verdict}"


def _with_shifts(outcome: WrathOutcome, shifts: Shifts) -> WrathOutcome:
    if not shifts.total:
        return outcome
    shifted_outcome = replace(outcome, shifts=shifts, glory=outcome.glory + shifts.glory)
    told = f"shifted {shifts.bought()}, {_left_told(shifted_outcome)}"
    return replace(shifted_outcome, explanation=f"{outcome.explanation}; {told}")


def _left(outcome: WrathOutcome) -> int:
    """Return the Icons that Shifts did not spend."""
    return outcome.icons - EXALTED_ICONS * outcome.shifts.total


def _left_told(outcome: WrathOutcome) -> str:
    return f"{counted(_left(outcome))} left"


def _next(outcome: WrathOutcome, offered: tuple[str, ...]) -> Step:
    if not offered:
        return Verdict(outcome)
    left = outcome.shifts_available - outcome.shifts.total
    kinds = tuple(kind for kind in offered if kind != STOP)
    standing = replace(outcome, open=(Open(SHIFTS, left, 0, kinds),))
    prompt = "1 Shift left" if left == 1 else f"{left} Shifts left"
    options = tuple(Option(kind, SHIFT_LABELS[kind], kind == STOP) for kind in offered)
    return AskChoice(SHIFTS, prompt, options, standing, f"{_left(outcome)} vs {outcome.dn}")


def choose(request: WrathRequest, faces: tuple[int, ...], choices: Choices) -> tuple[Chosen, ...]:
    """Return an allocation such as ``{"shifts": {"damage": 1, "glory": 1}}`` as answers.

    Raises:
        RulesError: no object, another choice, a kind that does not fit, or more than there are.
    """
    options = allocated(request.buys, _rolled(request, faces).shifts_available, choices)
    return tuple(Chosen(option) for option in options)


def odds(request: WrathRequest) -> WrathOdds:
    """Return the exact chances of a request."""
    return icon_odds(request.dice, request.effective_dn, attack=isinstance(request, WrathAttack))


def chances(request: WrathRequest) -> tuple[Chance, ...]:
    """Return the chances that the dial shows."""
    exact = odds(request)
    hit = (Chance("Critical Hit", exact.critical_hit),) if isinstance(request, WrathAttack) else ()
    return (
        Chance("Success", exact.success),
        *hit,
        Chance("Shift", 1 - exact.shifts.get(0, Fraction(0))),
        Chance("Complication", exact.complication),
    )


def spread(request: WrathRequest) -> Spread:
    """Return the distribution of Icons."""
    bars = odds(request).icons.items()
    return Spread("Icons", tuple(Chance(str(icons), p) for icons, p in bars))


def headline(request: WrathRequest, outcome: WrathOutcome) -> Headline:  # noqa: ARG001 - one shape for all systems
    """Return the verdict at a glance."""
    margin = _margin_told(outcome.icons - outcome.dn)
    return Headline(
        word="Success" if outcome.success else "Failure",
        tone=Tone.SUCCESS if outcome.success else Tone.FAILURE,
        success=outcome.success,
        value=outcome.icons,
        need=outcome.dn,
        detail=_left_told(outcome) if outcome.shifts.total else margin,
        marks=_marks(outcome),
        critical=outcome.wrath_critical,
        complication=outcome.complication,
    )


def _margin_told(margin: int) -> str:
    if margin == 0:
        return "exactly"
    return f"{margin} to spare" if margin > 0 else f"{-margin} short"


def _marks(outcome: WrathOutcome) -> tuple[str, ...]:
    marks = (
        (outcome.critical_hit, "Critical Hit"),
        (outcome.wrath_critical, "Wrath Critical"),
        (outcome.complication, "Complication"),
        (outcome.glory > 0, f"+{outcome.glory} Glory"),
        (outcome.shifts.damage > 0, f"+{outcome.shifts.damage} damage"),
        (outcome.shifts.detail > 0, f"+{outcome.shifts.detail} detail"),
    )
    return tuple(mark for holds, mark in marks if holds)


def caption(request: WrathRequest) -> Caption:
    """Return the request at a glance, and a warning where no roll can reach the DN."""
    dn, most = request.effective_dn, EXALTED_ICONS * request.dice
    pool = f"{request.dice} dice" if request.dice > 1 else "1 die"
    warning = f"at most {counted(most)}" if most < dn else ""
    return Caption(pool, f"DN {dn} {dn_name(dn)}", warning)


def consequences(request: WrathRequest, outcome: WrathOutcome) -> tuple[Consequence, ...]:  # noqa: ARG001 - one shape for all systems
    """Return the Glory that the group gains, each point by itself; also on a failed test.

    "A 6 is a Wrath Critical. Your group gains 1 Glory."
    """
    return tuple(Consequence("glory", (("count", 1),)) for _ in range(outcome.glory))


_NOTATION = re.compile(
    r"(?P<first>\d{1,4})(?:\s*\+\s*(?P<skill>\d{1,4}))?(?:\s*\+\s*(?P<bonus>\d{1,4}))?"
    r"(?:\s+vs\s+(?P<dn>\d{1,4}))?",
    re.ASCII | re.IGNORECASE,
)


def parse(kind: str, notation: str) -> dict[str, Any]:  # noqa: ARG001 - both kinds are written alike
    """Return the fields of ``6 vs 3`` or ``3+3+1 vs 4`` (attribute, skill, bonus dice, DN).

    Raises:
        RulesError: it is neither.
    """
    if not notation.strip():
        return {}
    found = _NOTATION.fullmatch(notation.strip())
    if found is None:
        raise RulesError((), notation, "a pool and a DN such as 6 vs 3 or 3+3+1 vs 4")
    first = "pool" if found["skill"] is None else "attribute"
    words = ((first, "first"), ("skill", "skill"), ("bonus_dice", "bonus"), ("dn", "dn"))
    return {field: int(found[word]) for field, word in words if found[word] is not None}


def formatted(request: WrathRequest) -> str:
    """Return the pool and the base DN as `parse` takes them."""
    if request.pool is not None:
        return f"{request.pool} vs {request.dn}"
    bonus = f"+{request.bonus_dice}" if request.bonus_dice else ""
    return f"{request.attribute}+{request.skill}{bonus} vs {request.dn}"


SYSTEM: RuleSystem = RuleSystem(
    id=SYSTEM_ID,
    title="Wrath & Glory",
    alias="wg",
    kinds=(WrathTest, WrathAttack),
    advance=advance,
    choose=choose,
    choices=chosen_shifts,
    odds=odds,
    chances=chances,
    spread=spread,
    headline=headline,
    caption=caption,
    consequences=consequences,
    parse=parse,
    format=formatted,
)
