"""Basic, extended and conflict tests of the Seven Kingdoms: the worked cases and each ruling."""

from collections.abc import Iterable
from typing import Any

import pytest

from rules.engine import dice_asked, resolve
from rules.errors import RulesError
from rules.model import AskChoice, AskDice, Chosen, Consequence, Request, Rolled, Tone, Verdict
from rules.pool_kinds import BasicTest, ConflictTest, ExtendedOutcome, ExtendedTest, PoolOutcome
from rules.registry import DEFAULT
from rules.seven_kingdoms import SYSTEM


def resolved(request: Request, faces: Iterable[int] = (), **choices: Any) -> PoolOutcome:
    outcome = resolve(SYSTEM, request, tuple(faces), choices or None)
    assert isinstance(outcome, PoolOutcome)
    return outcome


def fates(outcome: PoolOutcome) -> str:
    """Return the dice's fates by first letter: k, d or s."""
    return "".join(die.fate[0] for die in outcome.dice)


def basic(rank: int, difficulty: int, **more: Any) -> BasicTest:
    return BasicTest(rank=rank, difficulty=difficulty, **more)


@pytest.mark.parametrize(
    ("request_", "faces", "wanted", "dice"),
    [
        (
            basic(3, 9, bonus=2),
            (2, 5, 1, 6, 3),
            {"total": 14, "margin": 5, "degrees": 2, "degree_name": "Great Success"},
            "dkdkk",
        ),
        (
            basic(3, 9, bonus=1, discard_penalty=1),
            (4, 4, 2, 6),
            {"total": 8, "margin": -1, "success": False, "degrees": 0, "complication": False},
            "kkds",
        ),
        (
            basic(3, 9, bonus=1, discard_penalty=1, discard_order="before_keep"),
            (4, 4, 2, 6),
            {"total": 10, "margin": 1, "degree_name": "Marginal Success"},
            "kkks",
        ),
        (
            basic(3, 6, wounds=1, injuries=2),
            (6, 5),
            {"total": 9, "margin": 3, "degrees": 1, "test_dice": 2, "success": True},
            "kk",
        ),
        (
            basic(2, 9),
            (1, 6),
            {"total": 7, "margin": -2, "complication": True, "degree_name": None},
            "kk",
        ),
        (
            basic(1, 21),
            (),
            {
                "attempted": False,
                "reason": "below_minimum_rank",
                "minimum_rank": 4,
                "difficulty_name": "Heroic",
                "total": None,
                "margin": None,
                "success": False,
                "degrees": 0,
            },
            "",
        ),
        (
            basic(4, 0),
            (),
            {
                "automatic": True,
                "success": True,
                "total": None,
                "margin": None,
                "degrees": 1,
                "degree_name": "Marginal Success",
                "reason": None,
                "attempted": True,
            },
            "",
        ),
        # a modifier is added once, not once for each die kept
        (basic(3, 9, modifier=4), (1, 2, 3), {"total": 10, "margin": 1}, "kkk"),
        (basic(3, 9, modifier=-99), (6, 6, 6), {"total": -81, "margin": -90}, "kkk"),
        # as many penalties as test dice: rolled all the same, and nothing is left
        (
            basic(2, 6, bonus=1, discard_penalty=2, modifier=6),
            (6, 1, 3),
            {"total": 6, "margin": 0, "degrees": 1, "complication": False},
            "sds",
        ),
        (basic(1, 0, interference=True, discard_penalty=20), (4,), {"total": 0}, "s"),
        # a dropped or a struck die that shows 1 complicates a failure as a kept one does
        (basic(1, 6, bonus=1), (5, 1), {"success": False, "complication": True}, "kd"),
        (basic(1, 6, discard_penalty=1), (1,), {"success": False, "complication": True}, "s"),
        (basic(1, 3, bonus=1), (5, 1), {"success": True, "complication": False}, "kd"),
        # bonus dice are rolled although penalties exceed them
        (basic(3, 9, bonus=2, pool_penalty=2), (1, 6, 5), {"test_dice": 1, "total": 6}, "dkd"),
        # a helper adds one bonus die, and shares a failure
        (basic(2, 9, aided=True), (4, 4, 5), {"total": 9, "shared_failure": False}, "kdk"),
        (basic(2, 9, aided=True), (2, 4, 3), {"total": 7, "shared_failure": True}, "dkk"),
        (basic(2, 9), (2, 4), {"total": 6, "shared_failure": False}, "kk"),
    ],
)
def test_worked_cases(
    request_: BasicTest, faces: tuple[int, ...], wanted: dict[str, object], dice: str
) -> None:
    outcome = resolved(request_, faces)
    assert {name: getattr(outcome, name) for name in wanted} == wanted
    assert fates(outcome) == dice


@pytest.mark.parametrize(
    ("margin", "degrees", "name"),
    [
        (-1, 0, None),
        (0, 1, "Marginal Success"),
        (4, 1, "Marginal Success"),
        (5, 2, "Great Success"),
        (9, 2, "Great Success"),
        (10, 3, "Incredible Success"),
        (14, 3, "Incredible Success"),
        (15, 4, "Astonishing Success"),
        (99, 4, "Astonishing Success"),
    ],
)
def test_degrees_by_margin(margin: int, degrees: int, name: str | None) -> None:
    outcome = resolved(ConflictTest(rank=1, difficulty=4, modifier=margin), (4,))
    assert (outcome.margin, outcome.degrees, outcome.degree_name) == (margin, degrees, name)


@pytest.mark.parametrize(
    ("numbers", "name", "minimum"),
    [
        ((0, 1, 2), "Automatic", 1),
        ((3, 4, 5), "Easy", 1),
        ((6, 8), "Routine", 1),
        ((9, 10, 11), "Challenging", 2),
        ((12, 14), "Formidable", 2),
        ((15, 17), "Hard", 3),
        ((18, 20), "Very Hard", 3),
        ((21, 22, 50, 99), "Heroic", 4),
    ],
)
def test_a_difficulty_has_the_name_and_the_minimum_rank_of_the_row_below(
    numbers: tuple[int, ...], name: str, minimum: int
) -> None:
    for number in numbers:
        for rank in range(1, 21):
            request = basic(rank, number)
            assert (request.difficulty_name, request.minimum_rank) == (name, minimum)
            assert (request.obstacle == "below_minimum_rank") is (rank < minimum)


def test_the_minimum_is_asked_of_the_rank_untouched_by_wounds_and_penalties() -> None:
    request = basic(4, 21, wounds=2, pool_penalty=1)
    assert resolved(request, (6,)).total == 6
    assert resolved(basic(3, 21, bonus=20, aided=True)).reason == "below_minimum_rank"


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (basic(1, 21, endurance=2, wounds=2), "dead"),
        (basic(1, 21, wounds=2), "below_minimum_rank"),
        (basic(2, 9, wounds=2), "no_test_dice"),
        (basic(2, 9, pool_penalty=5, bonus=20), "no_test_dice"),
        (basic(4, 0, endurance=1, wounds=1), "dead"),
        (basic(4, 0, wounds=4), "no_test_dice"),
        (ConflictTest(rank=1, difficulty=99, wounds=1), "no_test_dice"),
        (ConflictTest(rank=5, difficulty=0, wounds=3, endurance=3), "dead"),
        (ExtendedTest(rank=1, difficulty=9, needed=2, gained=1), "below_minimum_rank"),
    ],
)
def test_reasons_are_looked_for_in_their_order(request_: Request, reason: str) -> None:
    outcome = resolved(request_)
    assert (outcome.attempted, outcome.reason, outcome.dice) == (False, reason, ())
    assert (outcome.success, outcome.degrees, outcome.automatic) == (False, 0, False)
    assert (outcome.total, outcome.margin, outcome.degree_name) == (None, None, None)
    assert (outcome.complication, outcome.shared_failure) == (False, False)
    with pytest.raises(RulesError, match="no faces"):
        resolved(request_, (6,))


def test_only_exactly_nought_is_automatic_and_not_when_something_interferes() -> None:
    assert dice_asked(SYSTEM, basic(3, 0)) == 0
    assert dice_asked(SYSTEM, basic(3, 1)) == 3
    assert dice_asked(SYSTEM, basic(3, 2)) == 3
    assert dice_asked(SYSTEM, basic(3, 0, interference=True)) == 3
    outcome = resolved(basic(1, 0, interference=True, injuries=3), (2,))
    assert (outcome.automatic, outcome.total, outcome.success) == (False, -1, False)
    assert not resolved(basic(1, 0, interference=True), (2,)).automatic


def test_interference_changes_nothing_where_a_roll_is_due_anyway() -> None:
    assert resolved(basic(2, 9, interference=True), (4, 5)).total == 9


def test_a_conflict_asks_for_no_rank_and_is_never_automatic() -> None:
    outcome = resolved(ConflictTest(rank=1, difficulty=21, defense_name="Intrigue Defense"), (5,))
    assert (outcome.minimum_rank, outcome.difficulty_name) == (None, None)
    assert (outcome.attempted, outcome.margin) == (True, -16)
    assert outcome.explanation == "5 vs Intrigue Defense 21: margin −16, failure"
    assert dice_asked(SYSTEM, ConflictTest(rank=2, difficulty=0)) == 2
    assert not resolved(ConflictTest(rank=1, difficulty=0), (5,)).automatic


@pytest.mark.parametrize(
    ("counts", "faces", "gained", "complete"),
    [
        ("tests", (6, 6, 6, 6), 4, False),
        ("degrees", (6, 6, 6, 6), 7, True),
        ("degrees", (3, 3, 3, 3), 4, False),
        ("degrees", (1, 2, 2, 3), 3, False),
        ("tests", (1, 2, 2, 3), 3, False),
    ],
)
def test_an_extended_test_counts_successes_or_degrees(
    counts: str, faces: tuple[int, ...], gained: int, *, complete: bool
) -> None:
    request = ExtendedTest(rank=4, difficulty=9, needed=5, gained=3, extended_counts=counts)
    outcome = resolved(request, faces)
    assert isinstance(outcome, ExtendedOutcome)
    assert (outcome.gained, outcome.needed, outcome.complete) == (gained, 5, complete)


def test_an_extended_test_is_complete_at_what_is_needed() -> None:
    request = ExtendedTest(rank=4, difficulty=9, needed=5, gained=4)
    done = resolved(request, (6, 6, 6, 6))
    assert isinstance(done, ExtendedOutcome)
    assert (done.gained, done.complete) == (5, True)
    # whoever was complete before the roll still is after a failure
    again = resolved(ExtendedTest(rank=4, difficulty=9, needed=2, gained=2), (1, 1, 1, 1))
    assert isinstance(again, ExtendedOutcome)
    assert (again.gained, again.complete) == (2, True)


def test_an_extended_test_not_attempted_gains_nothing_and_an_automatic_one_does() -> None:
    barred = resolved(ExtendedTest(rank=1, difficulty=9, needed=5, gained=2))
    assert isinstance(barred, ExtendedOutcome)
    assert (barred.gained, barred.complete) == (2, False)
    for counts in ("tests", "degrees"):
        free = resolved(
            ExtendedTest(rank=1, difficulty=0, needed=3, gained=2, extended_counts=counts)
        )
        assert isinstance(free, ExtendedOutcome)
        assert (free.gained, free.complete) == (3, True)


def test_an_extended_test_needs_one_success_where_nothing_is_said() -> None:
    request = DEFAULT.request(
        {"system": "seven-kingdoms", "kind": "extended", "rank": 4, "difficulty": 9}
    )
    assert isinstance(request, ExtendedTest)
    assert (request.needed, request.gained, request.roll_number, request.cost) == (1, 0, 1, None)


def test_the_progress_of_an_extended_test_is_its_only_consequence() -> None:
    request = ExtendedTest(
        rank=4, difficulty=9, needed=5, gained=2, roll_number=3, cost="one day", name="Arya"
    )
    outcome = resolved(request, (6, 6, 6, 6))
    assert SYSTEM.consequences(request, outcome) == (
        Consequence(
            "progress",
            (
                ("name", "Arya"),
                ("gained", 3),
                ("needed", 5),
                ("roll_number", 3),
                ("cost", "one day"),
            ),
        ),
    )
    assert SYSTEM.consequences(basic(2, 9), resolved(basic(2, 9), (6, 6))) == ()


TIE = basic(4, 9, discard_penalty=2)
TIE_FACES = (5, 6, 5, 5)
"""The six is struck in any case, and one of the three fives: positions 0, 2 and 3."""


def test_a_tie_of_the_discard_stays_open_at_its_default() -> None:
    outcome = resolved(TIE, TIE_FACES)
    assert fates(outcome) == "sskk"
    (tie,) = outcome.open
    assert (tie.choice, tie.options, tie.least, tie.most) == ("struck", (0, 2, 3), 1, 1)


@pytest.mark.parametrize(
    ("struck", "wanted"),
    [([0], "sskk"), ([2], "kssk"), ([3], "ksks"), ([1, 3], "ksks"), ([3, 1], "ksks")],
)
def test_tied_dice_are_chosen_alone_or_with_all_that_are_struck(
    struck: list[int], wanted: str
) -> None:
    outcome = resolved(TIE, TIE_FACES, struck=struck)
    assert fates(outcome) == wanted
    assert outcome.open == ()
    assert outcome.total == 10


def test_the_tie_of_a_roll_struck_before_retaining_is_among_all_dice() -> None:
    request = basic(2, 9, bonus=2, discard_penalty=1, discard_order="before_keep")
    outcome = resolved(request, (2, 6, 6, 5))
    assert (fates(outcome), outcome.total, outcome.open[0].options) == ("dskk", 11, (1, 2))
    chosen = resolved(request, (2, 6, 6, 5), struck=[2])
    assert (fates(chosen), chosen.total) == ("dksk", 11)
    # retained first, the five is no longer there, and the sixes tie alone
    after = resolved(basic(2, 9, bonus=2, discard_penalty=1), (2, 6, 6, 5), struck=[2])
    assert (fates(after), after.total) == ("dksd", 6)


@pytest.mark.parametrize(
    ("struck", "allowed"),
    [
        ([1], "1 of the tied positions 0, 2, 3"),
        ([0, 2], "1 of the tied positions 0, 2, 3"),
        ([0, 1, 2], "1 of the tied positions 0, 2, 3"),
        ([4], "only the positions of dice that tie for the discard"),
        ([0, 4], "only the positions of dice that tie for the discard"),
        ([-1], "a list of positions in faces, each at most once"),
        ([0, 0], "a list of positions in faces, each at most once"),
        ([True], "a list of positions in faces, each at most once"),
        ([0.0], "a list of positions in faces, each at most once"),
        (["0"], "a list of positions in faces, each at most once"),
        (0, "a list of positions in faces, each at most once"),
        ("0", "a list of positions in faces, each at most once"),
        (None, "a list of positions in faces, each at most once"),
        ({"0": 1}, "a list of positions in faces, each at most once"),
    ],
)
def test_a_choice_that_is_not_among_the_tied_dice_is_an_error(struck: object, allowed: str) -> None:
    with pytest.raises(RulesError) as caught:
        resolved(TIE, TIE_FACES, struck=struck)
    assert caught.value.field == "choices.struck"
    assert caught.value.allowed == allowed


@pytest.mark.parametrize(
    ("request_", "faces", "allowed"),
    [
        (basic(3, 9, discard_penalty=1), (6, 5, 5), "nothing, as no dice tie for the discard"),
        (basic(3, 9), (5, 5, 5), "nothing, as no dice tie for the discard"),
        (basic(2, 9, discard_penalty=2), (5, 5), "nothing, as no dice tie for the discard"),
        (basic(1, 9), (), "only the positions of dice that tie for the discard"),
    ],
)
def test_where_nothing_ties_nothing_can_be_chosen(
    request_: Request, faces: tuple[int, ...], allowed: str
) -> None:
    with pytest.raises(RulesError) as caught:
        resolved(request_, faces, struck=[0])
    assert caught.value.allowed == allowed
    assert resolved(request_, faces, struck=[]) == resolved(request_, faces)


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        (
            {"shifts": {"glory": 1}},
            "choices.shifts is no field of this request; allowed: struck",
        ),
        ([0], "choices is [0]; allowed: an object with struck"),
        (3, "choices is 3; allowed: an object with struck"),
        ("struck", 'choices is "struck"; allowed: an object with struck'),
    ],
)
def test_other_choices_are_errors(choices: Any, sentence: str) -> None:
    with pytest.raises(RulesError) as caught:
        resolve(SYSTEM, TIE, TIE_FACES, choices)
    assert str(caught.value) == sentence


def test_tied_dice_are_offered_one_by_one_until_enough_are_chosen() -> None:
    request = basic(3, 9, bonus=1, discard_penalty=2)
    answers = (Rolled((6, 2, 6, 6)),)
    first = SYSTEM.advance(request, answers)
    assert isinstance(first, AskChoice)
    assert [(o.id, o.label) for o in first.options] == [
        ("0", "test 6"),
        ("2", "test 6"),
        ("3", "bonus 6"),
    ]
    assert first.standing.open[0].most == 2
    second = SYSTEM.advance(request, (*answers, Chosen("3")))
    assert isinstance(second, AskChoice)
    assert [o.id for o in second.options] == ["0", "2"]
    assert second.standing.open[0].most == 1
    third = SYSTEM.advance(request, (*answers, Chosen("3"), Chosen("2")))
    assert isinstance(third, Verdict)
    assert isinstance(third.outcome, PoolOutcome)
    assert fates(third.outcome) == "kdss"
    assert third.outcome == resolved(request, (6, 2, 6, 6), **SYSTEM.choices(("3", "2")))


@pytest.mark.parametrize("options", [("1",), ("9",), ("six",), ("0", "0"), ("0", "2")])
def test_a_die_that_was_not_offered_can_not_be_struck(options: tuple[str, ...]) -> None:
    with pytest.raises(RulesError, match=r"choices\.struck"):
        SYSTEM.advance(TIE, (Rolled(TIE_FACES), *map(Chosen, options)))


@pytest.mark.parametrize("faces", [(), (6,), (6, 6, 6), (0, 1), (7, 1)])
def test_other_faces_than_were_asked_for_are_refused(faces: tuple[int, ...]) -> None:
    with pytest.raises(RulesError, match="faces"):
        SYSTEM.advance(basic(2, 9), (Rolled(faces),))


def test_test_dice_are_asked_for_before_bonus_dice() -> None:
    step = SYSTEM.advance(basic(3, 9, bonus=2, wounds=1, aided=True), ())
    assert isinstance(step, AskDice)
    assert [(group.role, group.count) for group in step.groups] == [("test", 2), ("bonus", 3)]
    assert [die.role for die in resolved(basic(1, 6, bonus=1), (6, 5)).dice] == ["test", "bonus"]


@pytest.mark.parametrize(
    ("request_", "faces", "line"),
    [
        (
            basic(3, 9, bonus=2),
            (2, 5, 1, 6, 3),
            "6+5+3 = 14 vs Challenging 9: margin +5, Great Success",
        ),
        (
            basic(3, 6, wounds=1, injuries=2),
            (6, 5),
            "6+5−2 = 9 vs Routine 6: margin +3, Marginal Success",
        ),
        (
            basic(2, 9, aided=True),
            (1, 3, 1),
            "3+1 = 4 vs Challenging 9: margin −5, failure, complication, shared failure",
        ),
        (basic(1, 5), (5,), "5 vs Easy 5: margin 0, Marginal Success"),
        (
            basic(1, 5, injuries=2, discard_penalty=1),
            (5,),
            "strike 5: 0−2 = −2 vs Easy 5: margin −7, failure",
        ),
        (
            basic(3, 9, bonus=1, discard_penalty=1),
            (4, 4, 2, 6),
            "strike 6: 4+4 = 8 vs Challenging 9: margin −1, failure",
        ),
        (ConflictTest(rank=1, difficulty=5), (5,), "5 vs Defense 5: margin 0, Marginal Success"),
        (basic(4, 0), (), "Automatic: succeeds without a roll"),
        (basic(1, 21), (), "Heroic needs rank 4, not 1"),
        (basic(4, 9, wounds=4), (), "No test dice are left: nothing to roll"),
        (basic(4, 9, wounds=4, endurance=3), (), "Dead: 4 wounds reach Endurance 3"),
    ],
)
def test_the_arithmetic_as_players_say_it(
    request_: Request, faces: tuple[int, ...], line: str
) -> None:
    assert resolved(request_, faces).explanation == line


def test_the_headline_of_a_success_and_of_a_failure() -> None:
    request = basic(3, 9, bonus=2)
    head = SYSTEM.headline(request, resolved(request, (2, 5, 1, 6, 3)))
    assert (head.word, head.tone, head.success) == ("Success", Tone.SUCCESS, True)
    assert (head.value, head.need, head.detail, head.marks) == (14, 9, "Great · margin +5", ())
    request = basic(2, 9, aided=True)
    head = SYSTEM.headline(request, resolved(request, (1, 3, 1)))
    assert (head.word, head.tone, head.success) == ("Failure", Tone.FAILURE, False)
    assert head.detail == "margin −5"
    assert head.marks == ("Complication", "Shared failure")


@pytest.mark.parametrize(
    ("request_", "faces", "word", "detail"),
    [
        (basic(1, 21), (), "Not attempted", "Heroic needs rank 4, not 1"),
        (basic(4, 9, wounds=3, endurance=3), (), "Dead", "Dead: 3 wounds reach Endurance 3"),
        (basic(4, 0), (), "Success", "Marginal"),
        (
            ExtendedTest(rank=2, difficulty=9, needed=5, gained=2),
            (6, 6),
            "Success",
            "3/5 · Marginal · margin +3",
        ),
        (
            ExtendedTest(rank=2, difficulty=9, needed=3, gained=2),
            (6, 6),
            "Success",
            "3/3 done · Marginal · margin +3",
        ),
    ],
)
def test_headlines_of_other_ends(
    request_: Request, faces: tuple[int, ...], word: str, detail: str
) -> None:
    head = SYSTEM.headline(request_, resolved(request_, faces))
    assert (head.word, head.detail) == (word, detail)


@pytest.mark.parametrize(
    ("request_", "pool", "target", "warning"),
    [
        (basic(3, 10, bonus=2, discard_penalty=1), "3D+2B−1P", "Challenging 10", ""),
        (basic(1, 9), "1D", "Challenging 9", "needs rank 2"),
        (basic(2, 9, wounds=2), "2D−2D", "Challenging 9", "no test dice left"),
        (basic(2, 9, wounds=2, endurance=2), "2D−2D", "Challenging 9", "dead"),
        (basic(2, 0, pool_penalty=1), "2D−1D", "Automatic 0", "no roll needed"),
        (ConflictTest(rank=1, difficulty=30, defense_name="Wits"), "1D", "Wits 30", ""),
        (ExtendedTest(rank=2, difficulty=9, needed=5, gained=2), "2D", "Challenging 9 · 2/5", ""),
    ],
)
def test_captions(request_: Request, pool: str, target: str, warning: str) -> None:
    caption = SYSTEM.caption(request_)
    assert (caption.pool, caption.target, caption.warning) == (pool, target, warning)


def test_notation_of_a_test() -> None:
    request = basic(3, 9, bonus=2, discard_penalty=1)
    assert SYSTEM.format(request) == "3D+2B-1P vs 9"
    told = {"rank": 3, "bonus": 2, "discard_penalty": 1, "difficulty": 9}
    assert SYSTEM.parse("basic", "3D + 2B − 1P VS 9") == told
    assert SYSTEM.parse("conflict", "3D") == {"rank": 3}


@pytest.mark.parametrize("target", ["", "nine", "-1", "9.0", "9999999", "9 9", "٩"])
def test_a_difficulty_that_is_no_number_is_refused(target: str) -> None:
    with pytest.raises(RulesError) as caught:
        SYSTEM.parse("basic", f"3D vs {target}")
    assert str(caught.value) == f'difficulty is "{target}"; allowed: a whole number 0–99'


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("rank", 0, "rank is 0; allowed: a whole number 1–20"),
        ("rank", 21, "rank is 21; allowed: a whole number 1–20"),
        ("rank", True, "rank is true; allowed: a whole number 1–20"),
        ("rank", 3.0, "rank is 3.0; allowed: a whole number 1–20"),
        ("rank", "3", 'rank is "3"; allowed: a whole number 1–20'),
        ("rank", None, "rank is null; allowed: a whole number 1–20"),
        ("rank", float("nan"), "rank is NaN; allowed: a whole number 1–20"),
        (
            "difficulty",
            10**100,
            "difficulty is a number of about 101 digits; allowed: a whole number 0–99",
        ),
        ("bonus", -1, "bonus is -1; allowed: a whole number 0–20"),
        ("modifier", 100, "modifier is 100; allowed: a whole number −99…+99"),
        ("aided", 1, "aided is 1; allowed: true or false"),
        (
            "discard_order",
            "never",
            'discard_order is "never"; allowed: after_keep or before_keep',
        ),
        ("endurance", 0, "endurance is 0; allowed: a whole number 1–20"),
        ("name", "", 'name is ""; allowed: text of 1–24 printable characters'),
        (
            "name",
            "x" * 25,
            f'name is "{"x" * 25}"; allowed: text of 1–24 printable characters',
        ),
        ("needed", 3, "needed is no field of this request; allowed: "),
        (
            "dificulty",
            9,
            "dificulty is no field of this request (did you mean difficulty?); allowed: ",
        ),
    ],
)
def test_a_wrong_field_is_named_with_what_is_allowed(
    field: str, value: object, sentence: str
) -> None:
    data = {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "difficulty": 9, field: value}
    with pytest.raises(RulesError) as caught:
        DEFAULT.request(data)
    assert str(caught.value).startswith(sentence)
    assert caught.value.field == field


@pytest.mark.parametrize("missing", ["rank", "difficulty"])
def test_rank_and_difficulty_are_required(missing: str) -> None:
    data: dict[str, object] = {"rank": 3, "difficulty": 9}
    del data[missing]
    with pytest.raises(RulesError, match=f"{missing} is missing; allowed: a whole number"):
        DEFAULT.request({"system": "seven-kingdoms", "kind": "conflict", **data})
