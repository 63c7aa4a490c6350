"""What the rules and the rest of the station say to each other.

A system's heart is one stateless function, ``advance(request, answers)``: given what was asked
and all that has been answered so far, it says what comes next: dice, a choice, or the verdict.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields, is_dataclass, replace
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, TypeAlias

from rules.fields import Fielded, specs
from rules.frozen import frozen
from rules.table import Character

FACES = 6
"""Pips on the highest face; every system here rolls six-sided dice."""


class Role(StrEnum):
    """What a die is in its test."""

    TEST = "test"
    BONUS = "bonus"
    WRATH = "wrath"
    ICON = "icon"
    PLUS = "plus"
    MINUS = "minus"


class Fate(StrEnum):
    """What became of a die."""

    KEPT = "kept"
    DROPPED = "dropped"
    STRUCK = "struck"
    COUNTED = "counted"


@frozen
class Die:
    """One die as it fell: its face (1–6 pips), role and fate, and whose it was among several."""

    face: int
    role: str
    fate: str
    contestant: int | None = None
    side: str | None = None


@frozen(kw_only=True)
class Request(Fielded):
    """What was asked of the dice; every kind of test is a subclass with fields of its own.

    Attributes:
        system: the id of the system it belongs to.
        kind: its name in requests; `title`: its name for people.
        decisions: the choices that may be open after the roll.
        needs: sets of optional fields; where there are any, exactly one set must be given whole.
        choice_forms: the JSON form of a decision, where it is not the same for all its system.
    """

    system: ClassVar[str]
    kind: ClassVar[str]
    title: ClassVar[str]
    decisions: ClassVar[tuple[str, ...]] = ()
    needs: ClassVar[tuple[tuple[str, ...], ...]] = ()
    choice_forms: ClassVar[Mapping[str, Mapping[str, object]]] = MappingProxyType({})


@frozen
class DiceGroup:
    """Dice to roll that share a meaning: `count` of them (0 or more), and whose they are."""

    role: str
    count: int
    whose: str = ""


@frozen
class AskDice:
    """Roll these, in this order; `prompt` says who rolls what.

    `so_far` says in a few words what the dice just before came to, where that can be said.
    """

    groups: tuple[DiceGroup, ...]
    prompt: str = ""
    so_far: str = ""

    @property
    def count(self) -> int:
        """How many dice are to be rolled."""
        return sum(group.count for group in self.groups)


@frozen
class Option:
    """One way to decide: its id, what a person reads, and whether it leaves all as it stands."""

    id: str
    label: str
    declines: bool = False


@frozen
class Open:
    """A decision still to be taken.

    Attributes:
        choice: the key under which `decide` takes it, such as ``shifts`` or ``struck``.
        most: how many may be chosen.
        least: how many must be chosen once anyone decides.
        options: what may be chosen: kinds of shift, or positions in `faces`.
        contestant: whose it is, in a competition.
    """

    choice: str
    most: int
    least: int
    options: tuple[str | int, ...]
    contestant: int | None = None


@frozen(kw_only=True)
class Outcome:
    """What the dice decided; every kind of test adds fields of its own.

    Attributes:
        attempted: False when the test could not even be rolled; `reason` then says why.
        dice: every die in the order of the faces.
        open: decisions still to be taken; the outcome stands as it is until someone does.
        explanation: the arithmetic in one line, as players say it.
    """

    attempted: bool = True
    reason: str | None = None
    dice: tuple[Die, ...] = ()
    open: tuple[Open, ...] = ()
    explanation: str = ""


@frozen
class AskChoice:
    """Choose one of these; until someone does, `standing` is the outcome.

    `note` says in a few words how the roll stands, where its headline does not say it.
    """

    choice: str
    prompt: str
    options: tuple[Option, ...]
    standing: Outcome
    note: str = ""


@frozen
class Verdict:
    """Nothing more is needed."""

    outcome: Outcome


Step: TypeAlias = AskDice | AskChoice | Verdict
"""What a system can say next."""


@frozen
class Rolled:
    """The faces (1–6 pips) that came up for an `AskDice`, in its order."""

    faces: tuple[int, ...]


@frozen
class Chosen:
    """The id of the option taken in an `AskChoice`."""

    option: str


Answer: TypeAlias = Rolled | Chosen
"""What a system can be told."""


class Tone(StrEnum):
    """How a verdict feels, for the LED, the buzzer and the frame around the word."""

    SUCCESS = "success"
    FAILURE = "failure"
    NEUTRAL = "neutral"


@frozen
class Row:
    """One line of a verdict among several: a contestant or a side."""

    name: str
    value: int | None
    note: str = ""


@frozen
class Headline:
    """A verdict at a glance, the same shape for every system.

    Attributes:
        word: the verdict in a word or two.
        tone: how it feels.
        success: whether whoever rolled got what was asked; None where that has no meaning.
        value: what was reached (a total, Icons, a Degree of Success).
        need: what had to be reached.
        detail: degree and margin, or what else belongs beside the word.
        marks: complication, critical and the like, each a word or two.
        critical: whether luck went beyond the test; complication: whether it went against it.
        rows: the contestants or sides, best first where there is an order.
    """

    word: str
    tone: Tone
    success: bool | None = None
    value: int | None = None
    need: int | None = None
    detail: str = ""
    marks: tuple[str, ...] = ()
    critical: bool = False
    complication: bool = False
    rows: tuple[Row, ...] = ()


@frozen
class Caption:
    """A request at a glance: the pool, what it is up against, and a warning where one is due."""

    pool: str
    target: str
    warning: str = ""


@frozen(kw_only=True)
class Odds:
    """Exact chances of a request; every kind of test adds fields of its own."""

    attempted: bool = True
    reason: str | None = None


@frozen
class Chance:
    """One probability worth showing beside the dial."""

    label: str
    probability: Fraction


@frozen
class Spread:
    """A whole distribution: what it is of, and each value's chance in ascending order."""

    title: str
    bars: tuple[Chance, ...]


@frozen
class Consequence:
    """What a roll does to the table's state: an act of `rules.acts` and what it needs."""

    act: str
    detail: tuple[tuple[str, str | int | bool], ...]


Choices: TypeAlias = Mapping[str, Any]
"""Decisions as JSON: ``{"shifts": {"damage": 1}}`` or ``{"struck": [0, 3]}``."""


HARM = ("name", "wounds", "injuries", "endurance")
"""Fields of a request that say who rolls and what hinders them."""


def played_with_harm(request: Request, character: Character) -> Request:
    """Return a request by a character: each field of `HARM` that it has, from their state."""
    known = specs(type(request))
    return replace(request, **{n: getattr(character, n) for n in HARM if n in known})


@frozen
class RuleSystem:
    """Everything that one system of rules states about itself.

    The last four have answers that fit most systems; the others every system must give.

    Attributes:
        id: its name in requests; `title`: its name for people; `alias`: its name when typed.
        kinds: the classes of request it takes, the usual one first.
        advance: the heart; see the module's text.
        choose: JSON choices to answers, given the request and all faces; raises RulesError.
        choices: the ids of the options taken, in order, to JSON choices; the inverse of `choose`.
        odds: the exact chances of a request.
        chances: the few of them that the dial shows, the most wanted first.
        spread: the whole distribution of what may be reached.
        headline: the verdict at a glance.
        caption: the request at a glance.
        consequences: what the outcome does to the table's state.
        parse: the notation's words of a kind to the request's fields; raises RulesError.
        format: the request as notation that `parse` takes.
        continued: the request to dial after an outcome, where one roll follows from another.
        played_by: the request as a character of the table makes it, with their harm.
        choice_forms: the JSON form of each decision, for other programs, with an example.
        expectations: the odds that tell how much is to be expected, not how likely something is.
    """

    id: str
    title: str
    alias: str
    kinds: tuple[type[Request], ...]
    advance: Callable[[Any, Sequence[Answer]], Step]
    choose: Callable[[Any, tuple[int, ...], Choices], tuple[Chosen, ...]]
    choices: Callable[[Sequence[str]], Choices]
    odds: Callable[[Any], Odds]
    chances: Callable[[Any], tuple[Chance, ...]]
    spread: Callable[[Any], Spread]
    headline: Callable[[Any, Any], Headline]
    caption: Callable[[Any], Caption]
    consequences: Callable[[Any, Any], tuple[Consequence, ...]]
    parse: Callable[[str, str], dict[str, Any]]
    format: Callable[[Any], str]
    continued: Callable[[Any, Any], Request | None] = lambda _request, _outcome: None
    played_by: Callable[[Any, Character], Request] = played_with_harm
    choice_forms: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    expectations: tuple[str, ...] = ()


def outcome_plain(value: object) -> Any:
    """Return an outcome, or any part of one, as JSON-able data in its declared order."""
    if isinstance(value, Die | Open):
        return {
            f.name: outcome_plain(part)
            for f in fields(value)
            if (part := getattr(value, f.name)) is not None
        }
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: outcome_plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, tuple):
        return [outcome_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): outcome_plain(item) for key, item in value.items()}
    return str(value) if isinstance(value, StrEnum) else value


def probability_plain(value: Fraction) -> dict[str, object]:
    """Return a probability in lowest terms: n and d as decimal strings, p as a float."""
    n, d = value.numerator, value.denominator
    return {"n": str(n), "d": str(d), "p": n / d}


def odds_plain(odds: Odds) -> dict[str, Any]:
    """Return odds as JSON-able data; `attempted` and `reason` only where there is no test."""
    told = fields(odds)[0 if not odds.attempted else 2 :]
    return {f.name: _odds_part(getattr(odds, f.name)) for f in told}


def _odds_part(value: Any) -> Any:
    if isinstance(value, Fraction):
        return probability_plain(value)
    if isinstance(value, Mapping):
        return {str(key): probability_plain(value[key]) for key in sorted(value)}
    if isinstance(value, tuple):
        return [probability_plain(item) for item in value]
    return value
