"""The kinds of test of one pool against a number, and their outcomes."""

from typing import ClassVar

from rules.difficulty import HIGHEST, difficulty_row
from rules.fields import choice, flag, number, text
from rules.frozen import frozen
from rules.leaves import NAME_LENGTH
from rules.model import Outcome, Request
from rules.pools import Pool

MOST_SUCCESSES = 99
"""Successes that an extended test can need."""

MOST_ROLLS = 999
"""Rolls that an extended test can take."""


@frozen(kw_only=True)
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


@frozen(kw_only=True)
class BasicTest(PoolTest):
    """A test "against a static difficulty set by the Narrator"."""

    kind: ClassVar[str] = "basic"
    title: ClassVar[str] = "Basic test"

    interference: bool = flag("Interference")

    @property
    def automatic(self) -> bool:
        """Whether it "succeeds without a roll": difficulty 0 when nothing "still interferes"."""
        return self.difficulty == 0 and not self.interference


@frozen(kw_only=True)
class ExtendedTest(BasicTest):
    """A test of "a set number of successes across several successive rolls over time"."""

    kind: ClassVar[str] = "extended"
    title: ClassVar[str] = "Extended test"

    needed: int = number("Needed", 1, MOST_SUCCESSES, default=1, start=3)
    gained: int = number("Gained", 0, MOST_SUCCESSES, default=0)
    roll_number: int = number("Roll", 1, MOST_ROLLS, default=1)
    cost: str | None = text("Cost")
    extended_counts: str = choice("Counts", "tests", "degrees", recorded=True)


@frozen(kw_only=True)
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


@frozen(kw_only=True)
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


@frozen(kw_only=True)
class ExtendedOutcome(PoolOutcome):
    """The outcome of one roll of an extended test, with the successes gained so far."""

    gained: int
    needed: int
    complete: bool
