"""Shifts: what Exalted Icons buy after the roll, one by one or as a whole allocation.

Sentences in quotes are the rule text's own (Tests, Icons & Difficulty, "Shifting").
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from rules.errors import Path, RulesError
from rules.frozen import frozen

SHIFTS = "shifts"
STOP = "stop"
GLORY = "glory"
SHIFT_LABELS: Mapping[str, str] = MappingProxyType(
    {
        "damage": "Extra Damage Die",
        "detail": "Better or faster",
        GLORY: "+1 Glory",
        STOP: "No more Shifts",
    }
)


def allocation(buys: str) -> Mapping[str, Mapping[str, object]]:
    """Return what ``shifts`` is in JSON, for other programs, of a test that may buy that."""
    form = {
        "type": "object",
        "names": [buys, GLORY],
        "limits": {GLORY: 1},
        "values": "how many of each, 0 where it is left out",
        "example": {buys: 1, GLORY: 1},
    }
    return MappingProxyType({SHIFTS: form})


@frozen
class Shifts:
    """What Exalted Icons were spent on: how many of each."""

    damage: int = 0
    detail: int = 0
    glory: int = 0

    @property
    def total(self) -> int:
        """Exalted Icons spent."""
        return self.damage + self.detail + self.glory

    def plus(self, kind: str) -> "Shifts":
        """Return these with one more of a kind."""
        return replace(self, **{kind: getattr(self, kind) + 1})

    def bought(self) -> str:
        """Return what was bought in a few words, such as ``1 damage, 1 glory``."""
        counts = (("damage", self.damage), ("detail", self.detail), (GLORY, self.glory))
        return ", ".join(f"{count} {kind}" for kind, count in counts if count)


def offered(buys: str, most: int, shifts: Shifts) -> tuple[str, ...]:
    """Return what one more Shift may buy, or stopping; nothing when none is left.

    "In combat — an Extra Damage Die on the attack. On a knowledge or social Test — an extra
    detail, a better result, a faster one. Anywhere — 1 point of Glory for the group, once per
    Test."
    """
    if shifts.total >= most:
        return ()
    return (buys, STOP) if shifts.glory else (buys, GLORY, STOP)


def shifted(buys: str, most: int, chosen: Sequence[str]) -> tuple[Shifts, tuple[str, ...]]:
    """Return what was bought by options taken in turn, and what is on offer next.

    Raises:
        RulesError: an option that was not on offer.
    """
    shifts = Shifts()
    options = offered(buys, most, shifts)
    for option in chosen:
        if option not in options:
            raise RulesError(("choices", SHIFTS), option, ", ".join(options) or "no further Shift")
        shifts = shifts if option == STOP else shifts.plus(option)
        options = () if option == STOP else offered(buys, most, shifts)
    return shifts, options


def allocated(buys: str, most: int, choices: object) -> tuple[str, ...]:
    """Return ``{"shifts": {"damage": 1, "glory": 1}}`` as options taken in turn.

    Args:
        buys: what this kind of test may buy beside Glory.
        most: how many Exalted Icons may be shifted.
        choices: the decisions as JSON; without shifts among them nothing is decided.

    Raises:
        RulesError: no object, another choice, a kind that does not fit, or more than there are.
    """
    wanted = _wanted(choices)
    if wanted is None:
        return ()
    _check_allocation(buys, most, wanted)
    bought = tuple(kind for kind in (buys, GLORY) for _ in range(wanted.get(kind, 0)))
    return bought if len(bought) == most else (*bought, STOP)


def _wanted(choices: object) -> Mapping[str, Any] | None:
    if not isinstance(choices, Mapping):
        raise RulesError("choices", choices, "an object with shifts")
    for key in choices:
        if key != SHIFTS:
            raise RulesError(("choices", str(key)), choices[key], SHIFTS, "no choice of this test")
    if SHIFTS not in choices:
        return None
    if not isinstance(choices[SHIFTS], Mapping):
        raise RulesError(("choices", SHIFTS), choices[SHIFTS], "an object of counts")
    found: Mapping[str, Any] = choices[SHIFTS]
    return found


def _check_allocation(buys: str, most: int, wanted: Mapping[str, Any]) -> None:
    left = most
    for kind, count in wanted.items():
        here = ("choices", SHIFTS, str(kind))
        if kind not in ("damage", "detail", GLORY):
            raise RulesError(here, count, f"{buys} and {GLORY}", "no kind of Shift")
        _check_count(here, count, _limit(buys, kind, left))
        left -= count


def _limit(buys: str, kind: str, left: int) -> tuple[int, str]:
    if kind == GLORY:
        return (1, "once per test") if left else (0, "no Exalted Icon to shift")
    if kind != buys:
        return 0, "bought on an attack only" if kind == "damage" else "not on an attack"
    return left, "more would leave the DN unmet" if left else "no Exalted Icon is left to shift"


def _check_count(here: Path, count: object, limit: tuple[int, str]) -> None:
    most, because = limit
    if type(count) is not int or count < 0:
        raise RulesError(here, count, f"a whole number 0–{most}" if most else "0")
    if count > most:
        raise RulesError(here, count, f"0–{most}" if most else "0", because)


def chosen_shifts(options: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return the JSON choices that options taken one by one amount to."""
    bought = [option for option in options if option != STOP]
    return {SHIFTS: {kind: bought.count(kind) for kind in sorted(set(bought))}}
