"""Keeping the highest dice and striking the best of them: which die goes, and exact counts.

Seven Kingdoms, "The Core of Every Test": "sum the highest retained dice"; "Penalty Dice":
"Discard penalties force you to discard your highest-rolling dice from the result after the roll
... if two dice tie for the discard, you choose which one goes."
"""

from functools import lru_cache
from math import comb

from rules.frozen import frozen
from rules.model import FACES, Fate


@frozen
class Hand:
    """Dice that were rolled together, before any is judged.

    Attributes:
        faces: 1–6 pips each, the test dice first.
        test_dice: how many of them are test dice; as many are retained.
        discard_penalty: how many of the highest are struck.
        before_keep: strike from all dice rolled, then retain; otherwise retain, then strike.
    """

    faces: tuple[int, ...]
    test_dice: int
    discard_penalty: int
    before_keep: bool

    def best_first(self, places: range | tuple[int, ...]) -> tuple[int, ...]:
        """Return places in `faces`, the highest face first.

        Of equal faces a test die goes before a bonus die and the earlier before the later; as the
        test dice come first in `faces`, the place alone settles both.
        """
        return tuple(sorted(places, key=lambda place: (-self.faces[place], place)))

    def strikable(self) -> tuple[int, ...]:
        """Return the places that a discard penalty may strike, the highest face first."""
        ranked = self.best_first(range(len(self.faces)))
        return ranked if self.before_keep else ranked[: self.test_dice]


@frozen
class Tie:
    """Dice that tie for the discard: `count` of `places` are struck, fewer than there are."""

    places: tuple[int, ...]
    count: int


def forced(hand: Hand) -> tuple[int, ...]:
    """Return the places that are struck whatever anyone chooses."""
    struck = hand.strikable()[: hand.discard_penalty]
    tie = tie_for_discard(hand)
    return struck if tie is None else tuple(place for place in struck if place not in tie.places)


def tie_for_discard(hand: Hand) -> Tie | None:
    """Return the tie that a player may settle, or None where the dice leave no choice."""
    candidates = hand.strikable()
    struck = candidates[: hand.discard_penalty]
    if not struck:
        return None
    lowest_struck = hand.faces[struck[-1]]
    equal = tuple(sorted(p for p in candidates if hand.faces[p] == lowest_struck))
    count = sum(hand.faces[place] == lowest_struck for place in struck)
    return Tie(equal, count) if count < len(equal) else None


def fates(hand: Hand, picks: frozenset[int] = frozenset()) -> tuple[Fate, ...]:
    """Return the fate of each die: kept, dropped or struck.

    Args:
        hand: the dice.
        picks: those of the tied places that the player chose to be struck; where the choice is
            not complete, the default order fills it up.
    """
    struck = set(_struck(hand, picks))
    if hand.before_keep:
        left = hand.best_first(tuple(p for p in range(len(hand.faces)) if p not in struck))
        kept = set(left[: hand.test_dice])
    else:
        kept = set(hand.strikable()) - struck
    return tuple(
        Fate.STRUCK if place in struck else Fate.KEPT if place in kept else Fate.DROPPED
        for place in range(len(hand.faces))
    )


def _struck(hand: Hand, picks: frozenset[int]) -> tuple[int, ...]:
    tie = tie_for_discard(hand)
    if tie is None:
        return hand.strikable()[: hand.discard_penalty]
    picked = tuple(place for place in tie.places if place in picks)
    others = tuple(place for place in tie.places if place not in picks)
    return (*forced(hand), *(picked + others)[: tie.count])


@frozen
class SumCounts:
    """How many of all 6^n ways give each sum.

    Attributes:
        dice: n.
        lowest: the sum that the first entry of both tuples counts.
        ways: ways by sum, ascending.
        ways_without_ones: those of them in which no die shows a 1.
    """

    dice: int
    lowest: int
    ways: tuple[int, ...]
    ways_without_ones: tuple[int, ...]


@lru_cache(maxsize=128)
def sum_counts(test_dice: int, bonus: int, discard_penalty: int, *, before_keep: bool) -> SumCounts:
    """Count the sums of what is left of a roll of test_dice + bonus dice, exactly.

    With the dice in descending order, both orders of discarding leave one window of places:
    retain then strike leaves [P, T), strike then retain leaves [P, P + T).
    """
    dice = test_dice + bonus
    first = min(discard_penalty, dice)
    last = min(first + test_dice, dice) if before_keep else max(first, test_dice)
    packed, packed_without_ones = _packed_window(dice, first, last)
    slots = FACES * (last - first) + 1
    ways = _unpacked(packed, slots, _slot_bytes(dice))
    without = _unpacked(packed_without_ones, slots, _slot_bytes(dice))
    lowest = last - first
    return SumCounts(dice, lowest, ways[lowest:], without[lowest:])


def _slot_bytes(dice: int) -> int:
    return (3 * dice + 7) // 8


def _packed_window(dice: int, first: int, last: int) -> tuple[int, int]:
    """Return the counts by sum of the dice at places [first, last) in descending order.

    The dice are placed face by face from the six downwards: of those not yet placed, choose the
    ones that show the face. A polynomial in the sum is one integer with a slot of three bits a
    die for each coefficient (6 < 2³), so that adding pips is a shift.
    """
    bits = 8 * _slot_bytes(dice)
    placed = [0] * (dice + 1)
    placed[0] = 1
    for face in range(FACES, 1, -1):
        further = [0] * (dice + 1)
        for before, ways in enumerate(placed):
            if ways:
                for after in range(before, dice + 1):
                    counted = max(0, min(after, last) - max(before, first))
                    chosen = ways * comb(dice - before, after - before)
                    further[after] += chosen << (bits * face * counted)
        placed = further
    with_ones = sum(
        ways << (bits * max(0, last - max(before, first))) for before, ways in enumerate(placed)
    )
    return with_ones, placed[dice]


def _unpacked(packed: int, slots: int, slot_bytes: int) -> tuple[int, ...]:
    data = packed.to_bytes(slots * slot_bytes, "little")
    return tuple(
        int.from_bytes(data[start : start + slot_bytes], "little")
        for start in range(0, slots * slot_bytes, slot_bytes)
    )
