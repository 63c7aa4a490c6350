"""A roll under way: what was asked, what was answered, and what becomes of it."""

from enum import StrEnum

from rules.engine import faces_of
from rules.frozen import frozen
from rules.model import Answer, Request

BY_HAND = "table"
"""The source of faces that were rolled by hand."""


class Stage(StrEnum):
    """What a row of the ledger says of a roll."""

    DRAWN = "drawn"
    """Some of its dice; more are to come."""
    ROLL = "roll"
    """All its dice, and its outcome as it stands."""
    DECISION = "decision"
    """What was chosen after the roll, and the outcome with it."""


@frozen
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
        hidden: whether faces and verdict are covered.
        by_hand: whether its dice are rolled by hand and entered.
        applied: whether what it does to those at the table was done.
        void: why it does not count; empty where it does.
    """

    request: Request
    answers: tuple[Answer, ...] = ()
    first: int | None = None
    seq: int | None = None
    source: str = ""
    notice: str = ""
    foretold: bool = False
    hidden: bool = False
    by_hand: bool = False
    applied: bool = False
    void: str = ""

    @property
    def faces(self) -> tuple[int, ...]:
        """All faces so far, 1–6 pips each."""
        return faces_of(self.answers)
