"""Outcomes and odds as JSON."""

import json
from fractions import Fraction
from types import MappingProxyType

import pytest

from rules.competition import Competition, Contestant
from rules.engine import resolve
from rules.frozen import frozen
from rules.model import (
    AskDice,
    DiceGroup,
    Die,
    Fate,
    Open,
    Outcome,
    Role,
    odds_plain,
    outcome_plain,
    probability_plain,
)
from rules.pool_kinds import BasicTest
from rules.seven_kingdoms import SYSTEM


def test_an_outcome_is_told_field_by_field_in_its_order() -> None:
    told = outcome_plain(resolve(SYSTEM, BasicTest(rank=2, bonus=1, difficulty=9), (6, 1, 4)))
    assert told == {
        "attempted": True,
        "reason": None,
        "dice": [
            {"face": 6, "role": "test", "fate": "kept"},
            {"face": 1, "role": "test", "fate": "dropped"},
            {"face": 4, "role": "bonus", "fate": "kept"},
        ],
        "open": [],
        "explanation": "6+4 = 10 vs Challenging 9: margin +1, Marginal Success",
        "automatic": False,
        "test_dice": 2,
        "total": 10,
        "difficulty": 9,
        "difficulty_name": "Challenging",
        "minimum_rank": 2,
        "margin": 1,
        "success": True,
        "degrees": 1,
        "degree_name": "Marginal Success",
        "complication": False,
        "shared_failure": False,
    }
    assert list(told)[:5] == ["attempted", "reason", "dice", "open", "explanation"]
    assert all(type(die["role"]) is type(die["fate"]) is str for die in told["dice"])


def test_a_die_and_a_decision_name_their_owner_only_where_there_are_several() -> None:
    assert outcome_plain(Die(6, Role.PLUS, Fate.COUNTED, side="attacker")) == {
        "face": 6,
        "role": "plus",
        "fate": "counted",
        "side": "attacker",
    }
    assert "contestant" not in outcome_plain(Open("struck", 1, 1, (0, 1)))
    assert outcome_plain(Open("struck", 1, 1, (0, 1), 0)) == {
        "choice": "struck",
        "most": 1,
        "least": 1,
        "options": [0, 1],
        "contestant": 0,
    }


def test_an_outcome_of_another_system_may_hold_a_mapping() -> None:
    @frozen(kw_only=True)
    class Tallied(Outcome):
        tally: MappingProxyType[int, Fate]

    told = outcome_plain(Tallied(tally=MappingProxyType({3: Fate.KEPT})))
    assert told["tally"] == {"3": "kept"}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (Fraction(0), {"n": "0", "d": "1", "p": 0.0}),
        (Fraction(1), {"n": "1", "d": "1", "p": 1.0}),
        (Fraction(6, 8), {"n": "3", "d": "4", "p": 0.75}),
        (Fraction(7649, 7776), {"n": "7649", "d": "7776", "p": 7649 / 7776}),
        (Fraction(1, 6**40), {"n": "1", "d": str(6**40), "p": 6.0**-40}),
    ],
)
def test_a_probability_in_lowest_terms(value: Fraction, told: dict[str, object]) -> None:
    assert probability_plain(value) == pytest.approx(told)


def test_odds_are_told_with_ascending_decimal_keys() -> None:
    told = odds_plain(SYSTEM.odds(BasicTest(rank=2, difficulty=9)))
    assert list(told) == ["success", "complication", "degrees", "total"]
    assert list(told["total"]) == [str(total) for total in range(2, 13)]
    assert list(told["degrees"]) == ["1", "2", "3", "4"]
    assert told["degrees"]["2"] == {"n": "0", "d": "1", "p": 0.0}
    assert json.loads(json.dumps(told)) == told


def test_odds_of_what_is_not_attempted_say_so() -> None:
    told = odds_plain(SYSTEM.odds(BasicTest(rank=1, difficulty=9)))
    assert (told["attempted"], told["reason"]) == (False, "below_minimum_rank")
    assert told["total"] == {}
    assert told["success"] == told["complication"] == {"n": "0", "d": "1", "p": 0.0}


def test_odds_of_a_competition_are_a_list() -> None:
    request = Competition(contestants=(Contestant(rank=1), Contestant(rank=1)))
    told = odds_plain(SYSTEM.odds(request))
    assert [chance["n"] for chance in told["win"]] == ["5", "5"]
    assert told["tie"]["d"] == "6"


def test_dice_asked_for_are_counted_over_all_groups() -> None:
    assert AskDice((DiceGroup("plus", 2), DiceGroup("minus", 2))).count == 4
    assert AskDice(()).count == 0
