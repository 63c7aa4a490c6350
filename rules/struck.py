"""Dice with their fates, and the tie of a discard as a decision.

"if two dice tie for the discard, you choose which one goes." (Penalty Dice)
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType

from rules.errors import RulesError, UnknownFieldError
from rules.model import Choices, Chosen, DiceGroup, Die, Fate, Open, Option, Role
from rules.pools import Pool
from rules.retain import Hand, Tie, forced, tie_for_discard

STRUCK: Mapping[str, object] = MappingProxyType(
    {"type": "array", "items": "position in faces, from 0", "example": [0, 3]}
)
"""What ``struck`` is in JSON, for other programs."""

STRIKE_PROMPT = "Which die is struck?"
"""What a player is asked."""


def groups_of(pool: Pool, whose: str = "") -> tuple[DiceGroup, ...]:
    """Return the dice of a pool to roll: "penalty dice strip test dice", never bonus dice."""
    return (
        DiceGroup(Role.TEST, pool.test_dice, whose),
        DiceGroup(Role.BONUS, pool.bonus_dice, whose),
    )


def dice_of(hand: Hand, fates: Sequence[Fate], contestant: int | None = None) -> tuple[Die, ...]:
    """Return the dice of a hand with their roles and fates, in the order of the faces."""
    return tuple(
        Die(face, Role.TEST if place < hand.test_dice else Role.BONUS, fate, contestant)
        for place, (face, fate) in enumerate(zip(hand.faces, fates, strict=True))
    )


def arithmetic(dice: Sequence[Die], flat: int, total: int) -> str:
    """Return the sum as players say it: ``6+5+3 = 14``, ``6+5−2 = 9``, one die just ``5``.

    Struck dice come first, as they went first: ``strike 6: 4+4 = 8``.
    """
    struck = _faces(dice, Fate.STRUCK)
    if struck:
        left = arithmetic([die for die in dice if die.fate != Fate.STRUCK], flat, total)
        return f"strike {' '.join(map(str, struck))}: {left}"
    sums = "+".join(map(str, _faces(dice, Fate.KEPT))) or "0"
    points = f"{flat:+d}".replace("-", "−") if flat else ""
    whole = str(total).replace("-", "−")
    return whole if sums == whole else f"{sums}{points} = {whole}"


def _faces(dice: Sequence[Die], fate: Fate) -> list[int]:
    return sorted((die.face for die in dice if die.fate == fate), reverse=True)


def remaining(hand: Hand, picks: frozenset[int]) -> Tie | None:
    """Return what is left of a hand's tie after some picks, or None once it is settled."""
    tie = tie_for_discard(hand)
    if tie is None:
        return None
    left = tuple(place for place in tie.places if place not in picks)
    count = tie.count - (len(tie.places) - len(left))
    return Tie(left, count) if count > 0 else None


def own_picks(hand: Hand, first: int, picks: frozenset[int]) -> frozenset[int]:
    """Return the places in a hand of those picks that lie in it; it begins at `first`."""
    return frozenset(p - first for p in picks if first <= p < first + len(hand.faces))


def offers(hands: Sequence[Hand], picks: frozenset[int]) -> tuple[tuple[Option, ...], ...]:
    """Return for each hand the dice one of which is to be struck next.

    Their ids, like the picks made so far, are positions that count through the faces of all hands.
    """
    firsts = accumulate((len(hand.faces) for hand in hands), initial=0)
    return tuple(
        _offer(hand, first, own_picks(hand, first, picks))
        for hand, first in zip(hands, firsts, strict=False)
    )


def picked(hands: Sequence[Hand], chosen: Sequence[str]) -> frozenset[int]:
    """Return the positions of the dice that options taken in turn struck.

    Raises:
        RulesError: an option that no tie offered.
    """
    picks: frozenset[int] = frozenset()
    for option in chosen:
        offered = [offer.id for hand in offers(hands, picks) for offer in hand]
        if option not in offered:
            wanted = ", ".join(offered) or "nothing, as no dice tie for the discard"
            raise RulesError(("choices", "struck"), option, wanted)
        picks |= {int(option)}
    return picks


def _offer(hand: Hand, first: int, picks: frozenset[int]) -> tuple[Option, ...]:
    tie = remaining(hand, picks)
    if tie is None:
        return ()
    return tuple(
        Option(str(first + place), f"{_role(hand, place)} {hand.faces[place]}")
        for place in tie.places
    )


def _role(hand: Hand, place: int) -> str:
    return Role.TEST if place < hand.test_dice else Role.BONUS


def open_ties(
    hand: Hand, picks: frozenset[int], first: int = 0, contestant: int | None = None
) -> tuple[Open, ...]:
    """Return the decision that a hand leaves open, with positions in all faces."""
    tie = remaining(hand, picks)
    if tie is None:
        return ()
    places = tuple(first + place for place in tie.places)
    return (Open("struck", tie.count, tie.count, places, contestant),)


def choose_struck(hands: Sequence[Hand], choices: Choices) -> tuple[Chosen, ...]:
    """Return the answers that ``{"struck": [0, 3]}`` stands for.

    The positions count through the faces of all hands. They are either those picked among a
    hand's tied dice or all of that hand's struck dice; hands left out keep their default.

    Raises:
        RulesError: nothing is tied, or what is chosen is not what a tie allows.
    """
    if not isinstance(choices, Mapping):
        raise RulesError("choices", choices, "an object with struck")
    for name in choices:
        if name != "struck":
            raise UnknownFieldError(("choices", str(name)), choices[name], "struck")
    if "struck" not in choices:
        return ()
    positions = _positions(choices["struck"])
    found: list[int] = []
    first = 0
    for hand in hands:
        own = own_picks(hand, first, frozenset(positions))
        found += (first + place for place in _picks(hand, own, first))
        first += len(hand.faces)
    if any(position >= first for position in positions):
        raise _refused(positions, "only the positions of dice that tie for the discard")
    return tuple(Chosen(str(place)) for place in found)


def _positions(value: object) -> tuple[int, ...]:
    wanted = "a list of positions in faces, each at most once"
    if not isinstance(value, list | tuple) or not all(type(p) is int and p >= 0 for p in value):
        raise RulesError(("choices", "struck"), value, wanted)
    if len(set(value)) != len(value):
        raise RulesError(("choices", "struck"), value, wanted)
    return tuple(value)


def _picks(hand: Hand, own: frozenset[int], first: int) -> tuple[int, ...]:
    if not own:
        return ()
    tie = tie_for_discard(hand)
    if tie is None:
        raise _refused(_shifted(own, first), "nothing, as no dice tie for the discard")
    picks = own - frozenset(forced(hand)) if own > frozenset(forced(hand)) else own
    if len(picks) != tie.count or not picks <= frozenset(tie.places):
        places = ", ".join(str(first + place) for place in tie.places)
        raise _refused(_shifted(own, first), f"{tie.count} of the tied positions {places}")
    return tuple(sorted(picks))


def _shifted(own: frozenset[int], first: int) -> tuple[int, ...]:
    return tuple(sorted(first + place for place in own))


def _refused(positions: Sequence[int], allowed: str) -> RulesError:
    return RulesError(("choices", "struck"), list(positions), allowed)


def struck_choices(options: Sequence[str]) -> dict[str, list[int]]:
    """Return the JSON choices that options taken one by one amount to."""
    return {"struck": [int(option) for option in options]}
