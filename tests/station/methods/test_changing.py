"""Changing the table's state over a line."""

from typing import Any

import pytest

from rules.acts import ACTS
from station.protocol.errors import Code

KEY = "5d1c2f3e-board-1"
OPPOSED = {
    "system": "opposed-attribute",
    "kind": "opposed",
    "attribute": "Strength",
    "attacker": {"name": "Arya", "score": 3},
    "defender": {"name": "Bran", "score": 1},
}
CRITICAL = {"system": "wrath-and-glory", "kind": "test", "pool": 2, "dn": 1}


def test_a_change_is_answered_with_its_number_and_the_state(station: Any) -> None:
    station.ask("change", act="add", character="Arya", endurance=3)
    told = station.ask("change", act="wound", character="Arya", count=2, port="board")
    row = station.rows("change")[-1]
    assert told["change"] == row.seq
    assert told["state"]["characters"][0]["wounds"] == 2
    assert told["state"] == station.ask("state")
    event = station.events("changed")[-1]
    assert event.params["act"] == {"act": "wound", "character": "Arya", "count": 2}
    assert event.origin == "board"
    assert event.params["state"] == told["state"]
    assert event.brief is not None
    assert "state" not in event.brief


def test_a_change_with_a_key_happens_once_and_its_reply_is_the_first(station: Any) -> None:
    first = station.ask("change", act="glory", count=2, key=KEY)
    station.ask("change", act="glory", count=5)
    again = station.ask("change", act="glory", count=2, key=KEY)
    assert again == {**first, "replayed": True}
    assert again["state"]["glory"] == 2
    assert station.ask("state")["glory"] == 7


def test_every_act_of_the_protocol_can_be_done_and_undone(station: Any) -> None:
    acts: list[dict[str, Any]] = [
        {"act": "add", "character": "Arya", "endurance": 5,
         "scores": [{"attribute": "Strength", "score": 2}]},
        {"act": "wound", "character": "Arya"},
        {"act": "injury", "character": "Arya", "count": 2},
        {"act": "heal_wound", "character": "Arya"},
        {"act": "heal_injury", "character": "Arya"},
        {"act": "glory", "count": 3},
        {"act": "glory", "count": -1},
        {"act": "reserve", "character": "Arya", "attribute": "Strength", "count": 12},
        {"act": "heal_reserve", "character": "Arya", "attribute": "Strength", "count": 2},
        {"act": "end_turn"},
        {"act": "edit", "character": "Arya", "endurance": 6},
        {"act": "remove", "character": "Arya"},
    ]  # fmt: skip
    states = [station.ask("state")]
    states += [station.ask("change", **act)["state"] for act in acts]
    for before in reversed(states[:-1]):
        assert station.ask("change", act="undo")["state"] == before
    error = station.refused(Code.NOT_POSSIBLE, "change", act="undo")
    assert "no change left" in error.message


def test_a_roll_is_applied_once_until_it_is_undone(station: Any) -> None:
    for name in ("Arya", "Bran"):
        station.ask(
            "change", act="add", character=name, scores=[{"attribute": "Strength", "score": 3}]
        )
    roll = station.ask("roll", request=OPPOSED, dice=(1, 1, 6, 6, 2, 1, 3, 4))
    applied = station.ask("change", act="apply", seq=roll["seq"])
    assert applied["of"] == roll["seq"]
    assert [each["reserves"][0]["lost"] for each in applied["state"]["characters"]] == [7, 3]
    station.refused(Code.NOT_POSSIBLE, "change", act="apply", seq=roll["seq"])
    undone = station.ask("change", act="undo", change=applied["change"])
    assert undone["of"] == applied["change"]
    assert [each["reserves"][0]["lost"] for each in undone["state"]["characters"]] == [0, 0]
    station.refused(Code.NOT_POSSIBLE, "change", act="undo", change=applied["change"])
    station.ask("change", act="apply", seq=roll["seq"])


def test_a_critical_gives_glory_when_it_is_applied(station: Any) -> None:
    roll = station.ask("roll", request=CRITICAL, dice=(6, 1))
    assert station.ask("state")["glory"] == 0
    assert station.ask("change", act="apply", seq=roll["seq"], key=KEY)["state"]["glory"] == 1
    assert station.ask("change", act="apply", seq=roll["seq"], key=KEY)["replayed"] is True
    assert station.ask("state")["glory"] == 1


def test_a_roll_that_befalls_a_stranger_says_who_is_at_the_table(station: Any) -> None:
    roll = station.ask("roll", request=OPPOSED, dice=(1, 1, 6, 6, 2, 1, 3, 4))
    error = station.refused(Code.INVALID_PARAMS, "change", act="apply", seq=roll["seq"])
    assert error.data["value"] == "Arya"
    assert station.rows("change") == []


@pytest.mark.parametrize(
    ("params", "code", "field"),
    [
        ({}, Code.INVALID_PARAMS, "act"),
        ({"act": "dance"}, Code.INVALID_PARAMS, "act"),
        ({"act": ["wound"]}, Code.INVALID_PARAMS, "act"),
        ({"act": "progress", "gained": 1, "needed": 2}, Code.INVALID_PARAMS, "act"),
        ({"act": "wound"}, Code.INVALID_PARAMS, "character"),
        ({"act": "wound", "character": "Nobody"}, Code.INVALID_PARAMS, "character"),
        ({"act": "glory", "count": -1}, Code.INVALID_PARAMS, "count"),
        ({"act": "glory", "count": 1, "luck": 2}, Code.INVALID_PARAMS, "luck"),
        ({"act": "apply"}, Code.INVALID_PARAMS, "seq"),
        ({"act": "apply", "seq": "2"}, Code.INVALID_PARAMS, "seq"),
        ({"act": "apply", "seq": 1, "luck": 2}, Code.INVALID_PARAMS, "luck"),
        ({"act": "undo", "change": 0}, Code.INVALID_PARAMS, "change"),
        ({"act": "undo", "seq": 2}, Code.INVALID_PARAMS, "seq"),
        ({"act": "end_turn", "turns": 2}, Code.INVALID_PARAMS, "turns"),
    ],
)
def test_wrong_changes_are_named_and_nothing_changes(
    station: Any, params: dict[str, Any], code: Code, field: str
) -> None:
    error = station.refused(code, "change", **params)
    assert error.data["field"] == field
    assert error.data["allowed"]
    assert len(station.rows()) == 1


def test_what_does_not_exist_can_be_neither_applied_nor_undone(station: Any) -> None:
    station.refused(Code.NOT_POSSIBLE, "change", act="apply", seq=1)
    station.refused(Code.NOT_POSSIBLE, "change", act="undo", change=1)


def test_the_acts_that_are_refused_name_all_that_there_are(station: Any) -> None:
    allowed = station.refused(Code.INVALID_PARAMS, "change", act="?").data["allowed"].split(", ")
    assert set(allowed) == (set(ACTS) - {"progress"}) | {"apply", "undo"}


def test_without_a_ledger_nothing_is_changed(blind: Any) -> None:
    for key in ({}, {"key": KEY}):
        error = blind.refused(Code.LEDGER_UNAVAILABLE, "change", act="glory", count=1, **key)
        assert error.data["cause"] == "read_only"
    blind.refused(Code.LEDGER_UNAVAILABLE, "change", act="undo")
    assert blind.ask("state")["glory"] == 0


def test_scores_may_stand_as_in_the_roster_or_as_a_list(station: Any) -> None:
    as_list = [{"attribute": "Agility", "score": -1}, {"attribute": "Strength", "score": 3}]
    station.ask("change", act="add", character="Arya", scores={"Strength": 3, "Agility": -1})
    station.ask("change", act="add", character="Bran", scores=as_list)
    arya, bran = station.ask("state")["characters"]
    assert arya["reserves"] == bran["reserves"]
    station.ask("change", act="edit", character="Arya", scores={"Strength": 4})
    assert station.ask("state")["characters"][0]["reserves"][1]["score"] == 4


@pytest.mark.parametrize("scores", [3, "Strength", ["Strength"], [["Strength", 3]], None])
def test_scores_of_another_shape_are_told_the_right_one(station: Any, scores: object) -> None:
    error = station.refused(
        Code.INVALID_PARAMS, "change", act="add", character="Arya", scores=scores
    )
    assert error.data["field"] == "scores"
    assert '{"Strength": 3}' in error.data["allowed"]
