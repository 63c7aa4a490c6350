"""The pool of a Seven Kingdoms test: what it holds, and its notation both ways.

Notation as in the table of "Test Dice and Bonus Dice": ``3D + 1B − 1P``. A bare P is a discard
penalty; a pool penalty is fewer D and may be written so: ``4D-1D+2B``.
"""

import re

from rules.errors import RulesError
from rules.fields import Fielded, flag, number
from rules.frozen import frozen

MOST_DICE = 20
"""Test dice of the highest rank, and bonus dice of the highest specialty."""

NOTATION = "dice like 3D, 3D+2B or 4D-1D+1B-1P"
"""What a pool looks like, for errors."""

POOL_PATTERN = r"[0-9]{1,6}\s*D(?:\s*[-+−–]\s*[0-9]{1,6}\s*[DBP])*"
"""A pool as a regular expression, to be used without regard to case."""

_TERMS = {"-D": "pool_penalty", "+B": "bonus", "-P": "discard_penalty"}


@frozen(kw_only=True)
class Notated(Fielded):
    """The part of a pool that its notation tells; all counts are dice."""

    rank: int = number("Rank", 1, MOST_DICE, required=True, start=3, main=True)
    bonus: int = number("Bonus", 0, MOST_DICE, default=0, main=True)
    pool_penalty: int = number("Pool penalty", 0, MOST_DICE, default=0)
    discard_penalty: int = number("Discard", 0, MOST_DICE, default=0)


@frozen(kw_only=True)
class Pool(Notated):
    """The dice of one character in one test, with all that cuts them.

    `wounds` are dice, `injuries` and `modifier` points of the total, `endurance` is a rank.
    """

    wounds: int = number("Wounds", 0, MOST_DICE, default=0)
    injuries: int = number("Injuries", 0, MOST_DICE, default=0)
    aided: bool = flag("Aided")
    modifier: int = number("Modifier", -99, 99, default=0, show="{:+d}".format)
    endurance: int | None = number("Endurance", 1, MOST_DICE, optional=True)

    def check_together(self) -> None:
        """Raise RulesError if there are more injuries than Endurance.

        "Harm": an injury "cannot exceed your Endurance rank".
        """
        if self.endurance is not None and self.injuries > self.endurance:
            raise RulesError(
                "injuries", self.injuries, f"0–{self.endurance}", "Endurance is the limit"
            )

    @property
    def test_dice(self) -> int:
        """Test dice rolled: "every wound is a standing pool penalty on all tests"."""
        return max(0, self.rank - self.pool_penalty - self.wounds)

    @property
    def bonus_dice(self) -> int:
        """Bonus dice rolled: "Penalty dice never take bonus dice directly"; a helper adds one."""
        return self.bonus + self.aided

    @property
    def dice(self) -> int:
        """All dice rolled, test and bonus dice together."""
        return self.test_dice + self.bonus_dice

    @property
    def flat(self) -> int:
        """Points added to the sum: "each injury subtracts 1 from the result"."""
        return self.modifier - self.injuries

    @property
    def dead(self) -> bool:
        """Whether "your wounds reach your Endurance rank"."""
        return self.endurance is not None and self.wounds >= self.endurance


def parse_versus(text: str) -> tuple[str, str | None]:
    """Return the two halves of ``3D+2B vs 9``; the second is None where there is no ``vs``."""
    halves = re.split(r"\s+(?:vs\.?|against)\s+", f"{text} ", maxsplit=1, flags=re.IGNORECASE)
    return halves[0].strip(), halves[1].strip() if len(halves) > 1 else None


def parse(text: str) -> dict[str, int]:
    """Return the fields that a pool's notation tells; ranges are left to the request.

    Raises:
        RulesError: it is no pool.
    """
    plain = text.replace("−", "-").replace("–", "-").strip().upper()
    if not re.fullmatch(POOL_PATTERN, plain):
        raise RulesError("pool", text, NOTATION)
    found: dict[str, int] = {}
    for sign, count, letter in re.findall(r"([+-]?)\s*([0-9]+)\s*([DBP])", plain):
        name = _TERMS.get(sign + letter) if sign else "rank"
        if name is None:
            raise RulesError("pool", text, NOTATION, f"{sign}{count}{letter} has no meaning")
        found[name] = found.get(name, 0) + int(count)
    return found


def read(text: str) -> Notated:
    """Return the pool that a notation tells, such as ``3D+2B-1P``.

    Raises:
        RulesError: it is no pool, or a count is out of range.
    """
    return Notated(**parse(text))


def written(pool: Notated) -> str:
    """Return a pool as notation that `parse` takes back."""
    return _terms(pool.rank, pool.pool_penalty, pool.bonus, pool.discard_penalty)


def _terms(rank: int, pool_penalty: int, bonus: int, discard_penalty: int) -> str:
    return "".join(
        (
            f"{rank}D",
            f"-{pool_penalty}D" if pool_penalty else "",
            f"+{bonus}B" if bonus else "",
            f"-{discard_penalty}P" if discard_penalty else "",
        )
    )


def shown(pool: Pool) -> str:
    """Return a pool as people read it, with all that harm, help and modifiers make of it.

    A wound is one more pool penalty, aid one more bonus die; points of the total stand last.
    """
    penalty = pool.pool_penalty + pool.wounds
    terms = _terms(pool.rank, penalty, pool.bonus_dice, pool.discard_penalty)
    points = f"{pool.flat:+d}" if pool.flat else ""
    return f"{terms}{points}".replace("-", "−")
