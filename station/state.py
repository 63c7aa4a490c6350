"""What the station is at a moment: the dial, the screen that shows, and rolls under way."""

from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from typing import TypeAlias

from hardware.clock import Nanoseconds
from rules.engine import faces_of
from rules.model import Answer, AskChoice, AskDice, Request
from station.dialling import Dial


class Stage(StrEnum):
    """What a row of the ledger says of a roll."""

    DRAWN = "drawn"
    """Some of its dice; more are to come."""
    ROLL = "roll"
    """All its dice, and its outcome as it stands."""
    DECISION = "decision"
    """What was chosen after the roll, and the outcome with it."""


class Page(Enum):
    """A page of the menu."""

    TOP = auto()
    KIND = auto()
    SYSTEM = auto()


@dataclass(frozen=True, slots=True)
class Roll:
    """A roll from the press on.

    Attributes:
        request: what was asked.
        answers: what the dice and the players have answered so far.
        first: the number of its first row in the ledger, while it waits for more dice.
        seq: the number of the row with its outcome; None before, and where it is not recorded.
        source: where its faces came from.
        notice: what the players must know of the source or the ledger; empty when all is well.
        foretold: whether its faces could be foretold, as only a test of the station's are.
    """

    request: Request
    answers: tuple[Answer, ...] = ()
    first: int | None = None
    seq: int | None = None
    source: str = ""
    notice: str = ""
    foretold: bool = False

    @property
    def faces(self) -> tuple[int, ...]:
        """All faces so far, 1–6 pips each."""
        return faces_of(self.answers)


@dataclass(frozen=True, slots=True)
class Dialling:
    """The dial shows."""


@dataclass(frozen=True, slots=True)
class Browsing:
    """A menu shows, with the cursor at one of its items."""

    page: Page
    cursor: int = 0


@dataclass(frozen=True, slots=True)
class Drawing:
    """Dice are asked of the source."""

    roll: Roll
    ask: AskDice


@dataclass(frozen=True, slots=True)
class Recording:
    """What was drawn or chosen is on its way to the ledger; nothing of it shows before."""

    roll: Roll
    stage: Stage


@dataclass(frozen=True, slots=True)
class Revealing:
    """The dice fall, one after the other, since a time in ns; `shown` of them have fallen."""

    roll: Roll
    since: Nanoseconds
    shown: int = 0


@dataclass(frozen=True, slots=True)
class Waiting:
    """The roll goes on with someone else's dice, when they press."""

    roll: Roll
    ask: AskDice


@dataclass(frozen=True, slots=True)
class Choosing:
    """A decision is to be taken, with the cursor at one of its options."""

    roll: Roll
    ask: AskChoice
    cursor: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """The verdict shows, at one of its pages."""

    roll: Roll
    page: int = 0


@dataclass(frozen=True, slots=True)
class Notice:
    """Something went wrong and nothing was rolled: a title, one sentence, and the way back."""

    title: str
    text: str
    unfinished: Roll | None = None


Screen: TypeAlias = (
    Dialling | Browsing | Drawing | Recording | Revealing | Waiting | Choosing | Reading | Notice
)
"""What can show."""


@dataclass(frozen=True, slots=True)
class State:
    """The whole station.

    Attributes:
        dial: what is dialled.
        screen: what shows.
        unfinished: rolls that were left before all their dice were rolled.
        touched: when a control was last used, in ns.
    """

    dial: Dial
    screen: Screen = field(default_factory=Dialling)
    unfinished: tuple[Roll, ...] = ()
    touched: Nanoseconds = Nanoseconds(0)  # noqa: RUF009 - a number
