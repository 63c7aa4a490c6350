"""Competitions: places, ties, margins, those who can't take part, and exact odds."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.competition import Competition, CompetitionOdds, CompetitionOutcome, Contestant
from rules.engine import dice_asked, resolve
from rules.errors import RulesError
from rules.model import AskChoice, AskDice, Chosen, Rolled, Tone, Verdict
from rules.registry import DEFAULT
from rules.seven_kingdoms import SYSTEM


def of(*contestants: Contestant, **more: Any) -> Competition:
    return Competition(contestants=contestants, **more)


def one(rank: int, name: str | None = None, **more: Any) -> Contestant:
    return Contestant(rank=rank, name=name, **more)


def resolved(request: Competition, faces: Sequence[int] = (), **choices: Any) -> CompetitionOutcome:
    outcome = resolve(SYSTEM, request, tuple(faces), choices or None)
    assert isinstance(outcome, CompetitionOutcome)
    return outcome


def places(outcome: CompetitionOutcome) -> list[int | None]:
    return [each.place for each in outcome.contestants]


def totals(outcome: CompetitionOutcome) -> list[int | None]:
    return [each.total for each in outcome.contestants]


def test_what_each_reached_is_told_before_the_next_rolls() -> None:
    request = of(one(2, "Arya", bonus=1, modifier=3, discard_penalty=1), one(2), one(1))
    told = []
    answers: tuple[Rolled, ...] = ()
    for faces in ((6, 6, 2), (4, 1)):
        answers = (*answers, Rolled(faces))
        step = SYSTEM.advance(request, answers)
        assert isinstance(step, AskDice)
        told.append(step.so_far)
    assert told[0] == "Arya 9"
    assert told[1].endswith(" 5")


@pytest.mark.parametrize(
    ("modifiers", "faces", "ranked", "winner", "tied", "margin", "degrees", "name"),
    [
        ((0, 0), (6, 2), [1, 2], 0, (), 4, 1, "Marginal Success"),
        ((0, 0), (2, 6), [2, 1], 1, (), 4, 1, "Marginal Success"),
        ((0, 5), (3, 3), [2, 1], 1, (), 5, 2, "Great Success"),
        ((10, 0), (3, 3), [1, 2], 0, (), 10, 3, "Incredible Success"),
        ((15, 0), (3, 3), [1, 2], 0, (), 15, 4, "Astonishing Success"),
        ((0, 0), (4, 4), [1, 1], None, (0, 1), 0, 0, None),
        ((0, 0, 0), (4, 4, 2), [1, 1, 3], None, (0, 1), 0, 0, None),
        ((0, 0, 0), (4, 2, 4), [1, 3, 1], None, (0, 2), 0, 0, None),
        ((0, 0, 0), (2, 4, 2), [2, 1, 2], 1, (), 2, 1, "Marginal Success"),
        ((0, 0, 0), (5, 5, 5), [1, 1, 1], None, (0, 1, 2), 0, 0, None),
        ((0, 0, 0, 0), (6, 3, 3, 1), [1, 2, 2, 4], 0, (), 3, 1, "Marginal Success"),
        ((-9, -9), (1, 2), [2, 1], 1, (), 1, 1, "Marginal Success"),
    ],
)
def test_the_highest_total_wins_by_the_difference_to_the_next_best(
    *,
    modifiers: tuple[int, ...],
    faces: tuple[int, ...],
    ranked: list[int],
    winner: int | None,
    tied: tuple[int, ...],
    margin: int,
    degrees: int,
    name: str | None,
) -> None:
    outcome = resolved(of(*(one(1, modifier=points) for points in modifiers)), faces)
    assert places(outcome) == ranked
    assert (outcome.winner, outcome.tied, outcome.margin) == (winner, tied, margin)
    assert (outcome.degrees, outcome.degree_name) == (degrees, name)
    assert outcome.attempted


def test_twelve_compete() -> None:
    outcome = resolved(of(*(one(1, modifier=n) for n in range(12))), (3,) * 12)
    assert places(outcome) == list(range(12, 0, -1))
    assert (outcome.winner, outcome.margin) == (11, 1)


@pytest.mark.parametrize("count", [0, 1, 13])
def test_fewer_than_two_or_more_than_twelve_do_not(count: int) -> None:
    with pytest.raises(RulesError) as caught:
        of(*(one(1) for _ in range(count)))
    assert caught.value.field == "contestants"
    assert caught.value.allowed == 'a list of 2–12 objects such as {"rank": 3}'


def test_faces_are_each_contestants_test_dice_then_bonus_dice() -> None:
    request = of(one(2, bonus=1), one(3, wounds=2, aided=True), one(2, wounds=2), one(1))
    outcome = resolved(request, (1, 2, 3, 4, 5, 6))
    assert [(die.face, die.contestant, die.role) for die in outcome.dice] == [
        (1, 0, "test"),
        (2, 0, "test"),
        (3, 0, "bonus"),
        (4, 1, "test"),
        (5, 1, "bonus"),
        (6, 3, "test"),
    ]
    assert totals(outcome) == [5, 5, None, 6]
    assert places(outcome) == [2, 2, None, 1]
    assert dice_asked(SYSTEM, request) == 6


def test_the_contestants_roll_in_turn_by_name() -> None:
    request = of(one(2, "Arya", bonus=1), one(2, wounds=2), one(1))
    first = SYSTEM.advance(request, ())
    assert isinstance(first, AskDice)
    assert first.prompt == "Arya"
    assert [(g.role, g.count, g.whose) for g in first.groups] == [
        ("test", 2, "Arya"),
        ("bonus", 1, "Arya"),
    ]
    second = SYSTEM.advance(request, (Rolled((1, 2, 3)),))
    assert isinstance(second, AskDice)
    assert (second.prompt, second.count) == ("No. 3", 1)
    assert isinstance(SYSTEM.advance(request, (Rolled((1, 2, 3)), Rolled((4,)))), Verdict)


@pytest.mark.parametrize(
    "handfuls", [((1, 2), (3,)), ((1,), (2, 3)), ((1,), (2,), (3,)), ((1,), (7,))]
)
def test_handfuls_that_were_not_asked_for_are_refused(
    handfuls: tuple[tuple[int, ...], ...],
) -> None:
    with pytest.raises(RulesError, match="faces"):
        SYSTEM.advance(of(one(1), one(1)), tuple(map(Rolled, handfuls)))


@pytest.mark.parametrize(
    ("barred", "reason"),
    [
        (one(2, wounds=2), "no_test_dice"),
        (one(2, endurance=1, wounds=1), "dead"),
        (one(2, endurance=2, wounds=2), "dead"),
    ],
)
def test_one_who_can_not_roll_takes_no_part(barred: Contestant, reason: str) -> None:
    outcome = resolved(of(barred, one(1), one(1)), (3, 5))
    assert (outcome.contestants[0].total, outcome.contestants[0].place) == (None, None)
    assert outcome.contestants[0].reason == reason
    assert not outcome.contestants[0].complication
    assert (outcome.winner, outcome.margin) == (2, 2)


def test_the_only_one_who_can_roll_wins_without_a_margin() -> None:
    outcome = resolved(of(one(2, wounds=2), one(1, "Bran", modifier=-9)), (1,))
    assert (outcome.winner, outcome.margin, outcome.tied) == (1, None, ())
    assert (outcome.degrees, outcome.degree_name) == (1, "Marginal Success")
    assert places(outcome) == [None, 1]
    assert totals(outcome) == [None, -8]
    assert not outcome.contestants[1].complication
    assert outcome.explanation == "Bran 1−9 = −8: Bran wins"


@pytest.mark.parametrize(
    ("contestants", "reason"),
    [
        ((one(2, wounds=2), one(1, pool_penalty=3)), "no_test_dice"),
        ((one(2, endurance=1, wounds=1), one(1, pool_penalty=3)), "no_test_dice"),
        ((one(2, endurance=1, wounds=1), one(3, endurance=2, wounds=2)), "dead"),
    ],
)
def test_with_no_one_able_to_roll_it_is_not_attempted(
    contestants: tuple[Contestant, ...], reason: str
) -> None:
    request = of(*contestants)
    outcome = resolved(request)
    assert (outcome.attempted, outcome.reason, outcome.dice) == (False, reason, ())
    assert (outcome.winner, outcome.tied, outcome.margin, outcome.degrees) == (None, (), None, 0)
    assert places(outcome) == [None, None]
    assert outcome.explanation == "No one can roll"
    head = SYSTEM.headline(request, outcome)
    assert (head.word, head.tone) == ("Not attempted", Tone.FAILURE)
    assert SYSTEM.caption(request).warning == "no one can roll"


@pytest.mark.parametrize(
    ("faces", "wanted"),
    [
        ((6, 1, 1), [False, True, True]),
        ((1, 1, 1), [True, True, True]),
        ((2, 1, 1), [False, True, True]),
        ((1, 5, 5), [True, False, False]),
    ],
)
def test_a_one_complicates_matters_for_whoever_did_not_win(
    faces: tuple[int, ...], wanted: list[bool]
) -> None:
    outcome = resolved(of(one(1), one(1), one(1)), faces)
    assert [each.complication for each in outcome.contestants] == wanted


def test_a_dropped_one_complicates_too_but_not_for_the_winner() -> None:
    outcome = resolved(of(one(1, bonus=1), one(1, bonus=1)), (1, 6, 5, 1))
    assert [each.complication for each in outcome.contestants] == [False, True]


TIED = of(one(2, "A", discard_penalty=1), one(1, "B"), one(2, "C", bonus=1, discard_penalty=1))
TIED_FACES = (5, 5, 4, 2, 3, 3)
"""A's fives tie for the discard, and so do C's threes: the last is a bonus die."""


def fates(outcome: CompetitionOutcome) -> str:
    return "".join(die.fate[0] for die in outcome.dice)


def test_the_ties_of_several_contestants_are_open_each_on_its_own() -> None:
    outcome = resolved(TIED, TIED_FACES)
    assert [(tie.contestant, tie.options, tie.most) for tie in outcome.open] == [
        (0, (0, 1), 1),
        (2, (4, 5), 1),
    ]
    assert fates(outcome) == "skkdsk"


@pytest.mark.parametrize(
    ("struck", "wanted", "left"),
    [
        ([1], "kskdsk", [2]),
        ([5], "skkdks", [0]),
        ([1, 5], "kskdks", []),
        ([4, 0], "skkdsk", []),
        ([], "skkdsk", [0, 2]),
    ],
)
def test_positions_count_through_the_faces_of_all(
    struck: list[int], wanted: str, left: list[int]
) -> None:
    outcome = resolved(TIED, TIED_FACES, struck=struck)
    assert fates(outcome) == wanted
    assert [tie.contestant for tie in outcome.open] == left
    assert totals(outcome) == [5, 4, 3]


@pytest.mark.parametrize(
    ("struck", "allowed"),
    [
        ([2], "nothing, as no dice tie for the discard"),
        ([3], "1 of the tied positions 4, 5"),
        ([0, 1], "1 of the tied positions 0, 1"),
        ([0, 2], "nothing, as no dice tie for the discard"),
        ([0, 6], "only the positions of dice that tie for the discard"),
        ([6], "only the positions of dice that tie for the discard"),
    ],
)
def test_a_wrong_position_is_an_error_whoever_it_belongs_to(
    struck: list[int], allowed: str
) -> None:
    with pytest.raises(RulesError) as caught:
        resolved(TIED, TIED_FACES, struck=struck)
    assert caught.value.allowed == allowed


def test_ties_are_settled_one_contestant_after_the_other() -> None:
    handfuls = (Rolled((5, 5)), Rolled((4,)), Rolled((2, 3, 3)))
    first = SYSTEM.advance(TIED, handfuls)
    assert isinstance(first, AskChoice)
    assert [option.id for option in first.options] == ["0", "1"]
    second = SYSTEM.advance(TIED, (*handfuls, Chosen("1")))
    assert isinstance(second, AskChoice)
    assert [(option.id, option.label) for option in second.options] == [
        ("4", "test 3"),
        ("5", "bonus 3"),
    ]
    done = SYSTEM.advance(TIED, (*handfuls, Chosen("1"), Chosen("5")))
    assert isinstance(done, Verdict)
    assert done.outcome == resolved(TIED, TIED_FACES, **SYSTEM.choices(("1", "5")))
    with pytest.raises(RulesError, match="struck"):
        SYSTEM.advance(TIED, (*handfuls, Chosen("3")))


def test_the_order_of_discarding_holds_for_all() -> None:
    pool: dict[str, Any] = {"bonus": 1, "discard_penalty": 1}
    kept_first = resolved(of(one(1, **pool), one(1, **pool)), (6, 5, 4, 3))
    struck_first = resolved(
        of(one(1, **pool), one(1, **pool), discard_order="before_keep"), (6, 5, 4, 3)
    )
    assert totals(kept_first) == [0, 0]
    assert totals(struck_first) == [5, 3]


def test_more_injuries_than_endurance_are_named_with_the_contestant() -> None:
    with pytest.raises(RulesError) as caught:
        DEFAULT.request(
            {
                "system": "seven-kingdoms",
                "kind": "competition",
                "contestants": [{"rank": 3}, {"rank": 3, "endurance": 2, "injuries": 3}],
            }
        )
    assert str(caught.value) == (
        "contestants[1].injuries is 3 (Endurance is the limit); allowed: 0–2"
    )


def test_the_arithmetic_and_the_ranking() -> None:
    request = of(one(2, "Arya", injuries=1), one(1), one(1, "Bran"), one(1, "Cat", wounds=1))
    outcome = resolved(request, (6, 5, 1, 4))
    assert outcome.explanation == (
        "Arya 6+5−1 = 10; No. 2 1; Bran 4: Arya wins by 6, Great Success"
    )
    head = SYSTEM.headline(request, outcome)
    assert (head.word, head.tone, head.value) == ("Arya wins", Tone.SUCCESS, 10)
    assert head.detail == "Great · margin +6"
    assert [(row.name, row.value, row.note) for row in head.rows] == [
        ("Arya", 10, ""),
        ("Bran", 4, ""),
        ("No. 2", 1, "complication"),
        ("Cat", None, "no test dice"),
    ]
    assert SYSTEM.consequences(request, outcome) == ()


def test_the_headline_of_a_tie_and_of_a_lone_winner() -> None:
    request = of(one(1, "A"), one(1, "B"))
    outcome = resolved(request, (4, 4))
    head = SYSTEM.headline(request, outcome)
    assert (head.word, head.tone, head.value) == ("Tie", Tone.NEUTRAL, 4)
    assert outcome.explanation == "A 4; B 4: a tie"
    alone = of(one(1, "A"), one(1, "B", wounds=1))
    head = SYSTEM.headline(alone, resolved(alone, (4,)))
    assert (head.word, head.detail) == ("A wins", "Marginal")


def test_the_caption_counts_who_competes() -> None:
    caption = SYSTEM.caption(of(one(1), one(1), one(1)))
    assert (caption.pool, caption.target, caption.warning) == (
        "3 compete",
        "highest total wins",
        "",
    )


def test_notation_of_a_competition() -> None:
    request = of(
        one(3, "Arya", bonus=1), one(4, 'Bran "the" \\S'), one(2, discard_penalty=1, pool_penalty=1)
    )
    written = SYSTEM.format(request)
    assert written == '"Arya":3D+1B "Bran \\"the\\" \\\\S":4D :2D-1D-1P'
    told = SYSTEM.parse("competition", written)
    assert DEFAULT.request({"system": "seven-kingdoms", "kind": "competition", **told}) == request
    assert SYSTEM.parse("competition", "Arya:3D+1B Bran: 4d − 1p") == {
        "contestants": [
            {"name": "Arya", "rank": 3, "bonus": 1},
            {"name": "Bran", "rank": 4, "discard_penalty": 1},
        ]
    }
    assert SYSTEM.parse("competition", " ") == {"contestants": []}


@pytest.mark.parametrize("words", ["Arya", "Arya:3D Bran", "3D vs 9", '"Arya:3D', "Arya:3Dx", ":"])
def test_what_is_no_list_of_contestants_is_refused(words: str) -> None:
    with pytest.raises(RulesError, match=r"^contestants is ") as caught:
        SYSTEM.parse("competition", words)
    assert "name and pool, like Arya:3D+1B" in str(caught.value)


def odds(request: Competition) -> CompetitionOdds:
    found = SYSTEM.odds(request)
    assert isinstance(found, CompetitionOdds)
    return found


@pytest.mark.parametrize("order", ["after_keep", "before_keep"])
@pytest.mark.parametrize(
    "contestants",
    [
        (one(1), one(1)),
        (one(2), one(1)),
        (one(1, modifier=6), one(1)),
        (one(1, modifier=99), one(2, modifier=-99)),
        (one(1, bonus=1), one(2, discard_penalty=1)),
        (one(1, bonus=1, discard_penalty=1), one(1, aided=True)),
        (one(2, discard_penalty=2), one(1, injuries=1), one(1, injuries=6)),
        (one(1), one(1), one(1), one(1)),
        (one(2, wounds=1), one(1), one(2, wounds=2), one(1, endurance=1, wounds=1)),
        (one(1), one(1, wounds=1)),
        (one(1, wounds=1), one(1, wounds=1)),
    ],
)
def test_odds_are_the_share_of_all_ways_in_which_each_wins(
    contestants: tuple[Contestant, ...], order: str
) -> None:
    request = of(*contestants, discard_order=order)
    dice = sum(each.dice for each in contestants if each.reason is None)
    ways = [resolved(request, faces) for faces in product(range(1, 7), repeat=dice)]
    found = odds(request)
    assert found.win == tuple(
        Fraction(sum(way.winner == index for way in ways), len(ways))
        for index in range(len(contestants))
    )
    assert found.tie == Fraction(sum(len(way.tied) > 1 for way in ways), len(ways))
    assert (found.attempted, found.reason) == (ways[0].attempted, ways[0].reason)


def distribution(each: Contestant) -> dict[int, Fraction]:
    """The chances of a contestant's totals, die by die, for pools without bonus or penalty."""
    spread = {each.flat: Fraction(1)}
    for _ in range(each.test_dice):
        further: dict[int, Fraction] = {}
        for total, chance in spread.items():
            for face in range(1, 7):
                further[total + face] = further.get(total + face, Fraction(0)) + chance / 6
        spread = further
    return spread


def wins_one_after_the_other(contestants: Sequence[Contestant]) -> tuple[list[Fraction], Fraction]:
    """The chances to win and of a tie, kept as (best total so far, who alone has it)."""
    standing: dict[tuple[int, int | None], Fraction] = {(-1000, None): Fraction(1)}
    for index, each in enumerate(contestants):
        further: dict[tuple[int, int | None], Fraction] = {}
        for (best, who), chance in standing.items():
            for total, share in distribution(each).items():
                now = (total, index) if total > best else (best, None if total == best else who)
                further[now] = further.get(now, Fraction(0)) + chance * share
        standing = further
    wins = [
        sum((chance for (_, who), chance in standing.items() if who == index), Fraction(0))
        for index in range(len(contestants))
    ]
    return wins, sum((chance for (_, who), chance in standing.items() if who is None), Fraction(0))


def test_odds_of_twelve_agree_with_playing_them_one_after_the_other() -> None:
    contestants = [one(1 + n % 4, modifier=n % 3, injuries=n % 2) for n in range(12)]
    wins, tie = wins_one_after_the_other(contestants)
    found = odds(of(*contestants))
    assert list(found.win) == wins
    assert found.tie == tie


def test_twelve_alike_have_like_chances() -> None:
    found = odds(of(*(one(20, bonus=20, discard_penalty=5) for _ in range(12))))
    assert len(set(found.win)) == 1
    assert sum(found.win) + found.tie == 1
    assert 0 < found.tie < 1


@given(
    st.lists(
        st.builds(
            Contestant,
            rank=st.integers(1, 20),
            bonus=st.integers(0, 20),
            discard_penalty=st.integers(0, 20),
            wounds=st.integers(0, 20),
            modifier=st.integers(-20, 20),
        ),
        min_size=2,
        max_size=12,
    ),
    st.sampled_from(["after_keep", "before_keep"]),
)
def test_odds_of_any_competition_add_up(contestants: list[Contestant], order: str) -> None:
    found = odds(of(*contestants, discard_order=order))
    assert sum(found.win) + found.tie == (1 if found.attempted else 0)
    assert all(0 <= chance <= 1 for chance in (*found.win, found.tie))


def test_the_dial_shows_each_ones_chance_and_that_of_a_tie() -> None:
    chances = SYSTEM.chances(of(one(1, "A"), one(1)))
    assert [(c.label, c.probability) for c in chances] == [
        ("A", Fraction(15, 36)),
        ("No. 2", Fraction(15, 36)),
        ("Tie", Fraction(6, 36)),
    ]
    assert SYSTEM.spread(of(one(1, "A"), one(1))).bars == chances
