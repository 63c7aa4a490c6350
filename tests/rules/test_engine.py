"""Resolving: the right faces in the right number, choices, and what is asked for."""

from typing import Any

import pytest

from rules.engine import (
    MOST_DICE,
    Resolution,
    checked_faces,
    chosen_of,
    dice_asked,
    faces_of,
    play,
    resolve,
)
from rules.errors import RulesError
from rules.model import (
    AskChoice,
    AskDice,
    Chosen,
    DiceGroup,
    Option,
    Outcome,
    Request,
    Rolled,
    RuleSystem,
    Step,
    Verdict,
)
from rules.pool_kinds import BasicTest
from rules.registry import Registry
from rules.seven_kingdoms import SYSTEM

THREE_DICE = BasicTest(rank=2, bonus=1, difficulty=9)
ONE_DIE = BasicTest(rank=1, difficulty=3)
NO_DICE = BasicTest(rank=1, difficulty=0)


@pytest.mark.parametrize(
    ("request_", "faces", "sentence"),
    [
        (THREE_DICE, (1, 2), "faces is [1, 2] (2 given); allowed: exactly 3 faces"),
        (THREE_DICE, (1, 2, 3, 4), "faces is [1, 2, 3, 4] (4 given); allowed: exactly 3 faces"),
        (THREE_DICE, (), "faces is [] (0 given); allowed: exactly 3 faces"),
        (ONE_DIE, (1, 2), "faces is [1, 2] (2 given); allowed: one face"),
        (NO_DICE, (6,), "faces is [6] (1 given); allowed: no faces"),
        (THREE_DICE, (1, 2, 7), "faces[2] is 7; allowed: a whole number 1–6"),
        (THREE_DICE, (0, 2, 3), "faces[0] is 0; allowed: a whole number 1–6"),
        (THREE_DICE, (1, True, 3), "faces[1] is true; allowed: a whole number 1–6"),
        (THREE_DICE, (1, 2.0, 3), "faces[1] is 2.0; allowed: a whole number 1–6"),
        (THREE_DICE, (1, "2", 3), 'faces[1] is "2"; allowed: a whole number 1–6'),
        (THREE_DICE, (1, None, 3), "faces[1] is null; allowed: a whole number 1–6"),
        (THREE_DICE, "653", 'faces is "653"; allowed: a list of up to 1000 whole numbers 1–6'),
        (THREE_DICE, None, "faces is null; allowed: a list of up to 1000 whole numbers 1–6"),
        (THREE_DICE, {1, 2}, "faces is {1, 2}; allowed: a list of up to 1000 whole numbers 1–6"),
        (
            THREE_DICE,
            [1] * 1001,
            "faces is a long list; allowed: a list of up to 1000 whole numbers 1–6",
        ),
        (
            THREE_DICE,
            [1] * 1000,
            "faces is a long list (1000 given); allowed: exactly 3 faces",
        ),
    ],
)
def test_wrong_faces_are_refused_in_one_sentence(
    request_: Request, faces: Any, sentence: str
) -> None:
    with pytest.raises(RulesError) as caught:
        resolve(SYSTEM, request_, faces)
    assert str(caught.value) == sentence


def test_faces_are_taken_as_a_list_or_a_tuple() -> None:
    assert checked_faces([1, 6]) == checked_faces((1, 6)) == (1, 6)
    assert checked_faces([]) == ()
    assert len(checked_faces([1] * MOST_DICE)) == MOST_DICE


def test_the_answers_that_lead_to_an_outcome_lead_there_again() -> None:
    request = BasicTest(rank=3, difficulty=9, discard_penalty=1)
    found = play(SYSTEM, request, (6, 6, 2), {"struck": [1]})
    assert found.answers == (Rolled((6, 6, 2)), Chosen("1"))
    assert SYSTEM.advance(request, found.answers) == Verdict(found.outcome)
    assert resolve(SYSTEM, request, (6, 6, 2), {"struck": [1]}) == found.outcome
    assert faces_of(found.answers) == (6, 6, 2)
    assert chosen_of(found.answers) == ("1",)


def test_without_a_choice_the_outcome_stands_at_its_default() -> None:
    request = BasicTest(rank=3, difficulty=9, discard_penalty=1)
    undecided = play(SYSTEM, request, (6, 6, 2))
    assert undecided.answers == (Rolled((6, 6, 2)),)
    assert undecided.outcome.open
    assert play(SYSTEM, request, (6, 6, 2), {}) == undecided


def test_what_is_rolled_without_dice_has_no_answers() -> None:
    assert play(SYSTEM, NO_DICE, ()) == Resolution((), resolve(SYSTEM, NO_DICE, ()))


def test_dice_asked_counts_all_handfuls() -> None:
    assert dice_asked(SYSTEM, THREE_DICE) == 3
    assert dice_asked(SYSTEM, NO_DICE) == 0


def test_dice_that_lead_to_further_dice_are_taken_from_the_same_faces(
    toy_registry: Registry,
) -> None:
    """In the toy's duel a pair of sixes is rolled off; other pairs are not."""
    toy = toy_registry.system("high-die")
    duel = toy_registry.request(
        {"system": "high-die", "kind": "duel", "challenger": {}, "rival": {}}
    )
    assert dice_asked(toy, duel) == 2
    assert play(toy, duel, (5, 6)).answers == (Rolled((5,)), Rolled((6,)))
    rolled_off = play(toy, duel, (6, 6, 2, 1))
    assert rolled_off.answers == (Rolled((6,)), Rolled((6,)), Rolled((2, 1)))
    for faces in ((5, 6, 1, 1), (6, 6), (6, 6, 1)):
        with pytest.raises(RulesError, match=f"{len(faces)} given"):
            resolve(toy, duel, faces)


def test_a_choice_that_leads_to_a_further_roll_is_refused_while_its_faces_are_missing() -> None:
    def advance(_: Request, answers: Any) -> Step:
        if len(answers) == 1:
            return AskChoice("again", "Again?", (Option("yes", "Yes"),), Outcome())
        return AskDice((DiceGroup("high", 1),))

    again = RuleSystem(
        **{
            **{name: getattr(SYSTEM, name) for name in RuleSystem.__dataclass_fields__},
            "advance": advance,
            "choose": lambda *_: (Chosen("yes"),),
        }
    )
    assert resolve(again, ONE_DIE, (3,)) == Outcome()
    with pytest.raises(RulesError, match="the choice leads to a further roll"):
        resolve(again, ONE_DIE, (3,), {"again": True})
