"""Turning a request by its knob."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.competition import Competition, Contestant
from rules.dial import Control, controls, fresh, rekinded, turned
from rules.model import Request
from rules.opposed_attribute import Opposed, Side
from rules.pool_kinds import BasicTest, ConflictTest, ExtendedTest
from rules.registry import SYSTEMS
from rules.wrath_and_glory import WrathAttack, WrathTest

KINDS = [kind for system in SYSTEMS for kind in system.kinds]


def labels(request: Request) -> list[str]:
    return [f"{control.whose} {control.label}".strip() for control in controls(request)]


def control(request: Request, label: str) -> Control:
    return next(found for found in controls(request) if found.label == label)


def test_the_main_values_of_a_test_come_first() -> None:
    found = controls(BasicTest(rank=3, difficulty=9))
    assert [c.label for c in found] == [
        "Rank",
        "Bonus",
        "Difficulty",
        "Pool penalty",
        "Discard",
        "Wounds",
        "Injuries",
        "Aided",
        "Modifier",
        "Endurance",
        "Interference",
    ]
    assert [c.main for c in found] == [True] * 3 + [False] * 8


def test_a_control_says_its_value_its_span_and_whether_it_was_changed() -> None:
    request = BasicTest(rank=3, difficulty=9, modifier=-2, aided=True)
    assert control(request, "Modifier") == Control(
        ("modifier",), "Modifier", "", "-2", 198, main=False, changed=True
    )
    assert control(request, "Aided").shown == "yes"
    assert control(request, "Aided").span == 1
    assert control(request, "Endurance").shown == "–"
    assert (control(request, "Wounds").shown, control(request, "Wounds").changed) == ("0", False)


def test_the_parts_of_an_opposed_test_are_told_apart_by_name() -> None:
    request = Opposed(attacker=Side(name="Ana", score=3), defender=Side(score=1))
    assert labels(request) == ["Ana Score", "Ana Modifiers", "Defender Score", "Defender Modifiers"]
    after = turned(request, ("defender", "score"), -2)
    assert after == Opposed(attacker=Side(name="Ana", score=3), defender=Side(score=-1))


def test_contestants_come_and_go_and_are_dialled_each() -> None:
    request = fresh(Competition)
    assert control(request, "Contestants").shown == "2"
    assert control(request, "Contestants").span == 10
    three = turned(request, ("contestants",), 1)
    assert isinstance(three, Competition)
    assert len(three.contestants) == 3
    third = turned(three, ("contestants", 2, "rank"), 4)
    assert isinstance(third, Competition)
    assert [each.rank for each in third.contestants] == [3, 3, 7]
    assert [c.whose for c in controls(third) if c.label == "Rank"] == ["No. 1", "No. 2", "No. 3"]
    assert turned(third, ("contestants",), -9) == request


def test_a_number_that_another_way_of_asking_makes_idle_is_not_dialled() -> None:
    assert labels(WrathTest(pool=6)) == ["Pool", "DN", "DN penalty"]
    assert labels(WrathTest(attribute=3, skill=2)) == [
        "Attribute",
        "Skill",
        "DN",
        "Bonus dice",
        "DN penalty",
    ]


@pytest.mark.parametrize(
    ("request_", "path", "detents", "after"),
    [
        (BasicTest(rank=3, difficulty=9), ("rank",), 1, {"rank": 4}),
        (BasicTest(rank=3, difficulty=9), ("rank",), 99, {"rank": 20}),
        (BasicTest(rank=3, difficulty=9), ("rank",), -99, {"rank": 1}),
        (BasicTest(rank=3, difficulty=9), ("rank",), 0, {"rank": 3}),
        (BasicTest(rank=3, difficulty=9), ("rank",), 10**9, {"rank": 20}),
        (BasicTest(rank=3, difficulty=9), ("difficulty",), 10**9, {"difficulty": 99}),
        (BasicTest(rank=3, difficulty=9), ("discard_order",), 1, {"discard_order": "before_keep"}),
        # text and whole parts are not dialled
        (BasicTest(rank=3, difficulty=9, name="A"), ("name",), 1, {"name": "A"}),
        # short of what would contradict: injuries can not exceed Endurance
        (BasicTest(rank=3, difficulty=9, endurance=3), ("injuries",), 5, {"injuries": 3}),
        (
            BasicTest(rank=3, difficulty=9, endurance=3, injuries=3),
            ("injuries",),
            1,
            {"injuries": 3},
        ),
        (
            BasicTest(rank=3, difficulty=9, endurance=9, injuries=3),
            ("endurance",),
            -5,
            {"endurance": 4},
        ),
        (
            BasicTest(rank=3, difficulty=9, endurance=5, injuries=3),
            ("endurance",),
            -4,
            {"endurance": 3},
        ),
        # or beyond it, where nothing lies short of it
        (BasicTest(rank=3, difficulty=9, injuries=3), ("endurance",), 1, {"endurance": 3}),
        (
            BasicTest(rank=3, difficulty=9, injuries=3, endurance=3),
            ("endurance",),
            -1,
            {"endurance": None},
        ),
        # a pool is never turned to nothing
        (WrathTest(pool=6), ("pool",), -10, {"pool": 1}),
        (WrathTest(pool=1), ("pool",), -1, {"pool": 1}),
        (WrathTest(attribute=1, skill=0), ("attribute",), -3, {"attribute": 1}),
        (WrathTest(attribute=20, skill=15), ("skill",), 10, {"skill": 20}),
    ],
)
def test_a_turn_ends_where_the_request_still_makes_sense(
    request_: Request, path: tuple[str, ...], detents: int, after: dict[str, Any]
) -> None:
    result = turned(request_, path, detents)
    assert {name: getattr(result, name) for name in after} == after


def test_a_part_as_a_whole_is_not_dialled() -> None:
    request = fresh(Opposed)
    assert turned(request, ("attacker",), 1) == request


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.system} {kind.kind}")
def test_every_control_turns_to_both_ends_and_back(kind: type[Request]) -> None:
    request = fresh(kind)
    for found in controls(request):
        whole = found.span + 1  # unset, where a value can be so, lies one below the lowest
        values = {turned(request, found.path, n) for n in range(-whole, whole + 1)}
        top = turned(request, found.path, whole)
        bottom = turned(top, found.path, -whole)
        assert turned(top, found.path, 1) == top, found
        assert turned(bottom, found.path, -1) == bottom, found
        assert {top, bottom} <= values, found
        assert top != bottom, found


@given(st.data(), st.sampled_from(KINDS))
def test_however_it_is_turned_a_request_stays_a_request(
    data: st.DataObject, kind: type[Request]
) -> None:
    request = fresh(kind)
    for _ in range(data.draw(st.integers(1, 12))):
        found = data.draw(st.sampled_from(controls(request)))
        detents = data.draw(st.integers(-30, 30))
        request = turned(request, found.path, detents)
        assert type(request) is kind
        # constructing it again checks every range
        assert replace(request) == request


def test_another_kind_keeps_what_both_have() -> None:
    request = ExtendedTest(rank=5, bonus=2, difficulty=12, needed=7, name="Arya", wounds=1)
    conflict = rekinded(request, ConflictTest)
    assert conflict == ConflictTest(rank=5, bonus=2, difficulty=12, name="Arya", wounds=1)
    assert rekinded(conflict, ExtendedTest) == ExtendedTest(
        rank=5, bonus=2, difficulty=12, needed=3, name="Arya", wounds=1
    )
    contest = rekinded(request, Competition)
    assert isinstance(contest, Competition)
    assert (contest.name, contest.contestants) == ("Arya", (Contestant(rank=3),) * 2)


def test_another_kind_keeps_a_pool_given_in_parts() -> None:
    request = WrathTest(attribute=3, skill=4, bonus_dice=1, dn=5)
    assert rekinded(request, WrathAttack) == WrathAttack(attribute=3, skill=4, bonus_dice=1, dn=5)


def test_what_another_system_can_not_hold_is_left_at_its_start() -> None:
    """Both have an `attribute`, but one means a number and the other a name."""
    opposed = Opposed(attribute="Wits", name="A", attacker=Side(score=1), defender=Side(score=2))
    test = rekinded(opposed, WrathTest)
    assert test == WrathTest(pool=6, name="A")
    back = rekinded(WrathTest(attribute=3, skill=2, name="B"), Opposed)
    assert back == Opposed(name="B", attacker=Side(score=0), defender=Side(score=0))
