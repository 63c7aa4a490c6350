"""Which die is kept, dropped or struck, against a search through every way to strike."""

from itertools import combinations, product

import pytest

from rules.model import Fate
from rules.retain import Hand, Tie, fates, forced, sum_counts, tie_for_discard

KEPT, DROPPED, STRUCK = Fate.KEPT, Fate.DROPPED, Fate.STRUCK


def hand(faces: tuple[int, ...], test_dice: int, penalty: int, *, before: bool = False) -> Hand:
    return Hand(faces, test_dice, penalty, before_keep=before)


def every_hand() -> list[Hand]:
    """Hands of up to five dice; three or four faces are enough for every order and tie."""
    rolls = [
        *(faces for n in range(1, 4) for faces in product((1, 2, 4, 6), repeat=n)),
        *product((1, 4, 6), repeat=4),
        *product((2, 5), repeat=5),
    ]
    return [
        hand(faces, test_dice, penalty, before=before)
        for faces in rolls
        for test_dice in range(1, len(faces) + 1)
        for penalty in range(len(faces) + 2)
        for before in (False, True)
    ]


def candidates_of(given: Hand) -> list[int]:
    """The dice a discard may take: all rolled, or the retained (test dice first, then earlier)."""
    places = list(range(len(given.faces)))
    if given.before_keep:
        return places
    retained: list[int] = []
    for _ in range(given.test_dice):
        best = max(given.faces[place] for place in places)
        first = next(place for place in places if given.faces[place] == best)
        retained.append(first)
        places.remove(first)
    return retained


def ways_to_strike(given: Hand) -> list[set[int]]:
    """Every set of dice that strikes the highest, however ties are settled."""
    candidates = candidates_of(given)
    count = min(given.discard_penalty, len(candidates))
    highest = sorted((given.faces[place] for place in candidates), reverse=True)[:count]
    return [
        set(chosen)
        for chosen in combinations(candidates, count)
        if sorted((given.faces[place] for place in chosen), reverse=True) == highest
    ]


def test_a_tie_is_open_just_where_there_is_more_than_one_way_to_strike() -> None:
    tied = 0
    for given in every_hand():
        ways = ways_to_strike(given)
        always = set.intersection(*ways)
        sometimes = set.union(*ways) - always
        tie = tie_for_discard(given)
        assert set(forced(given)) == always, given
        if len(ways) == 1:
            assert tie is None, given
        else:
            tied += 1
            assert tie == Tie(tuple(sorted(sometimes)), len(ways[0]) - len(always)), given
    assert tied > 1000


def test_each_way_to_settle_a_tie_strikes_those_dice_and_leaves_the_same_sum() -> None:
    for given in every_hand():
        sums = set()
        for way in ways_to_strike(given):
            found = fates(given, frozenset(way))
            assert {place for place, fate in enumerate(found) if fate == STRUCK} == way, given
            sums.add(sum(f for f, fate in zip(given.faces, found, strict=True) if fate == KEPT))
        assert len(sums) == 1, given


def test_the_number_of_dice_kept_does_not_depend_on_how_they_fell() -> None:
    for given in every_hand():
        found = fates(given)
        dice, penalty = len(given.faces), given.discard_penalty
        if given.before_keep:
            left = min(given.test_dice, max(0, dice - penalty))
        else:
            left = max(0, given.test_dice - penalty)
        assert found.count(KEPT) == left, given


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        # of two of a kind the test die goes before the bonus die
        (hand((5, 6, 6), 2, 1), (DROPPED, STRUCK, KEPT)),
        (hand((6, 5, 6), 2, 1), (STRUCK, DROPPED, KEPT)),
        # of two test dice the one rolled first
        (hand((4, 4, 2), 3, 1), (STRUCK, KEPT, KEPT)),
        # a bonus die that is the highest is struck like any other
        (hand((4, 4, 2, 6), 3, 1), (KEPT, KEPT, DROPPED, STRUCK)),
        (hand((4, 4, 2, 6), 3, 1, before=True), (KEPT, KEPT, KEPT, STRUCK)),
        # where equal dice straddle the cut, test before bonus, earlier before later
        (hand((3, 5, 3, 3), 2, 0), (KEPT, KEPT, DROPPED, DROPPED)),
        (hand((2, 5, 3, 3), 2, 0), (DROPPED, KEPT, KEPT, DROPPED)),
        # as many penalties as test dice, or more, leave nothing; the unretained is only dropped
        (hand((1, 2, 3), 2, 2), (DROPPED, STRUCK, STRUCK)),
        (hand((1, 2, 3), 2, 20), (DROPPED, STRUCK, STRUCK)),
        (hand((1, 2, 3), 2, 2, before=True), (KEPT, STRUCK, STRUCK)),
        (hand((1, 2, 3), 2, 20, before=True), (STRUCK, STRUCK, STRUCK)),
    ],
)
def test_worked_hands(given: Hand, wanted: tuple[Fate, ...]) -> None:
    assert fates(given) == wanted


def test_an_incomplete_choice_is_filled_up_by_the_default_order() -> None:
    given = hand((6, 6, 6, 6), 4, 2)
    assert fates(given, frozenset({3})) == (STRUCK, KEPT, KEPT, STRUCK)


def test_picks_that_do_not_tie_change_nothing() -> None:
    given = hand((6, 5, 5, 2), 4, 2)
    assert fates(given, frozenset({3})) == fates(given) == (STRUCK, STRUCK, KEPT, KEPT)


@pytest.mark.parametrize(
    ("args", "sums"),
    [
        ((1, 0, 0), {1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1}),
        # the higher of two: 2k − 1 ways
        ((1, 1, 0), {1: 1, 2: 3, 3: 5, 4: 7, 5: 9, 6: 11}),
        # the lower of two
        ((2, 0, 1), {1: 11, 2: 9, 3: 7, 4: 5, 5: 3, 6: 1}),
        ((2, 0, 2), {0: 36}),
        ((1, 3, 1), {0: 1296}),
    ],
)
def test_small_counts_are_those_anyone_can_list(
    args: tuple[int, int, int], sums: dict[int, int]
) -> None:
    counts = sum_counts(*args, before_keep=False)
    assert dict(enumerate(counts.ways, counts.lowest)) == sums


@pytest.mark.parametrize("before_keep", [False, True])
@pytest.mark.parametrize("args", [(20, 21, 0), (20, 20, 5), (20, 21, 20), (1, 21, 1), (20, 0, 19)])
def test_counts_of_large_pools_add_up_to_every_way(
    args: tuple[int, int, int], *, before_keep: bool
) -> None:
    counts = sum_counts(*args, before_keep=before_keep)
    assert counts.dice == args[0] + args[1]
    assert sum(counts.ways) == 6**counts.dice
    assert sum(counts.ways_without_ones) == 5**counts.dice
    assert all(0 <= b <= a for a, b in zip(counts.ways, counts.ways_without_ones, strict=True))
