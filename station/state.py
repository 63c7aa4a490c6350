"""What the station is at a moment: the dial, the screen that shows, and rolls under way."""

from dataclasses import field
from enum import Enum, auto
from typing import TypeAlias

from hardware.clock import Nanoseconds
from rules.frozen import frozen
from rules.model import AskChoice, AskDice, Request
from rules.table import EMPTY, Character, Table
from station.dialling import Dial
from station.idle import Idle
from station.ledger.fairness import Fairness
from station.rolls import Roll, Stage
from station.settings import Settings


class Page(Enum):
    """A page of the menu."""

    TOP = auto()
    KIND = auto()
    SYSTEM = auto()
    TABLE = auto()
    CHARACTER = auto()
    POOLS = auto()
    RESERVE = auto()
    TESTS = auto()
    TEST = auto()
    WORDS = auto()
    WORD = auto()
    SETTINGS = auto()
    POWER = auto()


@frozen
class Dialling:
    """The dial shows."""


@frozen
class Greeting:
    """The station says what it is, a line each, until it is touched or some time has passed."""

    lines: tuple[str, ...]


@frozen
class Browsing:
    """A menu shows, with the cursor at one of its items.

    `subject` is whom or what a page is about, `detail` which part of it.
    """

    page: Page
    cursor: int = 0
    subject: str = ""
    detail: str = ""


@frozen
class Drawing:
    """Dice are asked of the source."""

    roll: Roll
    ask: AskDice


@frozen
class Recording:
    """What was drawn or chosen is on its way to the ledger; nothing of it shows before."""

    roll: Roll
    stage: Stage


@frozen
class Revealing:
    """The dice fall, one after the other, since a time in ns; `shown` of them have fallen."""

    roll: Roll
    since: Nanoseconds
    shown: int = 0


@frozen
class Waiting:
    """The roll goes on with someone else's dice, when they press."""

    roll: Roll
    ask: AskDice


@frozen
class Choosing:
    """A decision is to be taken, with the cursor at one of its options."""

    roll: Roll
    ask: AskChoice
    cursor: int = 0


@frozen
class Covered:
    """A hidden roll is covered; `back` is where it was looked up, None for a fresh one."""

    roll: Roll
    back: "Past | None" = None


@frozen
class Entering:
    """Faces of dice rolled by hand are entered; `face` (1–6 pips) is under the knob."""

    roll: Roll
    ask: AskDice
    entered: tuple[int, ...] = ()
    face: int = 1


@frozen
class Reading:
    """The verdict shows, at one of its pages; `back` is where it was looked up, None for fresh."""

    roll: Roll
    page: int = 0
    back: "Past | None" = None


@frozen
class Apply:
    """Let a roll do to those at the table what it does."""

    seq: int


@frozen
class Void:
    """Let a roll not count, for a reason."""

    seq: int
    reason: str


@frozen
class Offer:
    """Something that can be done with a roll, and the effect of it; None only leads on.

    `told` says in full what it does, where the label does not.
    """

    label: str
    effect: Apply | Void | None
    told: str = ""


@frozen
class Offering:
    """What can be done with a roll that was read, with the cursor at one of it."""

    reading: Reading
    offers: tuple[Offer, ...]
    cursor: int = 0


@frozen
class Asking:
    """Something is being looked up."""


@frozen
class Past:
    """Recorded rolls show, the newest first, with the cursor at one; `older`: there are more."""

    rolls: tuple[Roll, ...]
    older: bool
    cursor: int = 0


@frozen
class Tallies:
    """How often each face fell shows, for one source at a time."""

    fairness: tuple[Fairness, ...]
    place: int = 0


@frozen
class Facts:
    """What the station is and how it fares shows, a line each; the first line is at `top`."""

    lines: tuple[str, ...]
    top: int = 0


class Purpose(Enum):
    """What a word is spelled for."""

    CHARACTER = auto()
    RENAMED = auto()
    ATTRIBUTE = auto()
    WORD = auto()


@frozen
class Spelling:
    """A word is spelled, letter by letter; `letter` is the index of the one under the knob.

    `back` is the page that it is spelled for.
    """

    back: Browsing
    purpose: Purpose = Purpose.CHARACTER
    text: str = ""
    letter: int = 0


class Measure(Enum):
    """What a number is set for."""

    ENDURANCE = auto()
    SCORE = auto()
    LOSS = auto()
    HEALING = auto()


@frozen
class Quantity:
    """A number of someone's that is set by the knob, low…high; `attribute` where it is of one."""

    measure: Measure
    character: str
    low: int
    high: int
    attribute: str = ""


@frozen
class Setting:
    """A number is set; `value` is under the knob, `back` the page that it is set for."""

    back: Browsing
    quantity: Quantity
    value: int


@frozen
class Standing:
    """A change of the table's state that stands: its row's number, what it was, and whose."""

    seq: int
    told: str
    names: tuple[str, ...] = ()


@frozen
class Changes:
    """Changes that can be undone show, the newest first, with the cursor at one."""

    changes: tuple[Standing, ...]
    cursor: int = 0


@frozen
class Notice:
    """Something is told: a title, a sentence, and the screen that a push leads back to.

    Its text shows from the line `top` on; a `passing` one goes by itself.
    """

    title: str
    text: str
    back: "Dialling | Browsing | Past | Changes | None" = None
    top: int = 0
    passing: bool = False


Screen: TypeAlias = (
    Dialling
    | Greeting
    | Browsing
    | Drawing
    | Recording
    | Revealing
    | Waiting
    | Choosing
    | Covered
    | Entering
    | Reading
    | Offering
    | Asking
    | Past
    | Tallies
    | Facts
    | Spelling
    | Setting
    | Changes
    | Notice
)
"""What can show."""


@frozen
class Preset:
    """A finished pool from the roster: whose, what for, and the request that it dials."""

    character: str
    name: str
    request: Request


@frozen
class State:
    """The whole station.

    Attributes:
        dial: what is dialled.
        screen: what shows.
        unfinished: rolls that were left before all their dice were rolled.
        idle: how long nothing was touched.
        settings: how the station looks and sounds.
        table: the characters, Glory, Reserves and running tests.
        presets: the finished pools of the roster; `roster`: its characters, unharmed.
        covered: the names of the extended tests whose last roll is hidden: how far they came is
            not told.
        resting: whether the dial was left alone for a while.
        settles: until when, in ns, a push that would roll is one too many: a verdict was just left.
    """

    dial: Dial
    screen: Screen = field(default_factory=Dialling)
    unfinished: tuple[Roll, ...] = ()
    idle: Idle = field(default_factory=Idle)
    settings: Settings = field(default_factory=Settings)
    table: Table = EMPTY
    presets: tuple[Preset, ...] = ()
    roster: tuple[Character, ...] = ()
    covered: frozenset[str | None] = frozenset()
    resting: bool = False
    settles: Nanoseconds = Nanoseconds(0)
