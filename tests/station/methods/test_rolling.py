"""Rolling over a line: what is answered, what is told to others, and what happens only once."""

from typing import Any

import pytest

from rules.registry import DEFAULT
from station.book import Cast
from station.events import RolledElsewhere
from station.ledger.verify import verify
from station.protocol.errors import Code
from station.protocol.jsonrpc import encode

BASIC = {
    "system": "seven-kingdoms",
    "kind": "basic",
    "rank": 3,
    "bonus": 2,
    "difficulty": 9,
}
ATTACK = {"system": "wrath-and-glory", "kind": "attack", "pool": 3, "dn": 1}
OPPOSED = {
    "system": "opposed-attribute",
    "kind": "opposed",
    "attacker": {"score": 3},
    "defender": {"score": 1},
}
EXTENDED = {"system": "seven-kingdoms", "kind": "extended", "rank": 3, "difficulty": 9, "needed": 3}
IMPOSSIBLE = {"system": "seven-kingdoms", "kind": "basic", "rank": 1, "difficulty": 21}
DICE = (2, 5, 1, 6, 3)
KEY = "5d1c2f3e-board-1"


def test_a_roll_is_answered_as_the_protocol_says(station: Any) -> None:
    told = station.ask("roll", request=BASIC, dice=DICE)
    row = station.rows("roll")[0]
    assert told["seq"] == row.seq
    assert told["hash"] == row.hash.hex()
    assert told["request"] == {**BASIC, "discard_order": "after_keep"}
    assert told["faces"] == list(DICE)
    assert told["source"] == "urandom"
    assert told["outcome"]["total"] == 14
    assert told["outcome"]["degree_name"] == "Great Success"
    assert (told["recorded"], told["keyed"], told["replayed"]) == (True, False, False)
    assert told["time"] == row.time
    assert told["time"].endswith("Z")


def test_a_roll_in_several_handfuls_is_one_row(station: Any) -> None:
    told = station.ask("roll", request=OPPOSED, dice=(1, 1, 3, 4, 2, 1, 3, 4))
    assert told["outcome"]["winner"] == "attacker"
    assert [row.kind for row in station.rows()] == ["start", "roll"]


def test_a_test_that_can_not_be_rolled_is_a_row_like_any_other(station: Any) -> None:
    told = station.ask("roll", request=IMPOSSIBLE, key=KEY)
    assert told["outcome"]["reason"] == "below_minimum_rank"
    assert (told["faces"], told["source"]) == ([], None)
    assert station.ask("roll", request=IMPOSSIBLE, key=KEY)["replayed"] is True


def test_the_brief_form_is_brief(station: Any) -> None:
    told = station.ask("roll", request=BASIC, brief=True, dice=DICE)
    assert told == {
        "seq": 2,
        "success": True,
        "value": 14,
        "need": 9,
        "faces": list(DICE),
        "keyed": False,
    }
    assert len(encode(told)) < 100
    keyed = station.ask("roll", request=BASIC, brief=True, key=KEY, dice=DICE)
    assert len(encode(keyed)) < 100
    again = station.ask("roll", request=BASIC, brief=True, key=KEY)
    assert again == {**keyed, "replayed": True}


def test_a_key_rolls_once(station: Any) -> None:
    first = station.ask("roll", request=BASIC, key=KEY, note="for the gate", dice=DICE)
    again = station.ask("roll", request=BASIC, key=KEY, note="for the gate")
    assert first["keyed"] is True
    assert again == {**first, "replayed": True}
    assert len(station.rows("roll")) == 1
    assert len(station.events("rolled")) == 1


def test_what_is_repeated_is_the_first_reply_whatever_came_after(station: Any) -> None:
    first = station.ask("roll", request=ATTACK, key=KEY, dice=(6, 6, 6))
    station.ask("decide", seq=first["seq"], choices={"shifts": {"damage": 2}})
    station.ask("void", seq=first["seq"], reason="the wrong foe")
    assert station.ask("roll", request=ATTACK, key=KEY) == {**first, "replayed": True}


def test_without_a_key_a_repeat_rolls_again(station: Any) -> None:
    for _ in range(2):
        station.ask("roll", request=BASIC, dice=DICE)
    assert len(station.rows("roll")) == 2


def test_a_key_with_other_params_is_refused(station: Any) -> None:
    first = station.ask("roll", request=BASIC, key=KEY, dice=DICE)
    others: tuple[tuple[str, dict[str, Any]], ...] = (
        ("roll", {"request": {**BASIC, "difficulty": 12}}),
        ("roll", {"request": BASIC, "note": "another"}),
        ("record", {"request": BASIC, "faces": list(DICE)}),
        ("change", {"act": "end_turn"}),
    )
    for method, params in others:
        error = station.refused(Code.KEY_REUSED, method, **params, key=KEY)
        assert error.data["seq"] == first["seq"]
    assert len(station.rows()) == 2


def test_a_short_key_belongs_to_its_session(station: Any) -> None:
    first = station.ask("roll", request=BASIC, key=1, session="a", dice=DICE)
    other = station.ask("roll", request=BASIC, key=1, session="b", dice=DICE)
    again = station.ask("roll", request=BASIC, key=1, session="a")
    assert other["seq"] != first["seq"]
    assert again == {**first, "replayed": True}
    station.refused(Code.NO_SESSION, "roll", request=BASIC, key=1, session=None)
    assert len(station.rows("roll")) == 2


def test_the_members_of_a_request_may_come_in_any_order(station: Any) -> None:
    first = station.ask("roll", request=BASIC, key=KEY, dice=DICE)
    turned = dict(reversed(BASIC.items()))
    assert station.ask("roll", key=KEY, request=turned) == {**first, "replayed": True}


def test_dice_that_fail_leave_no_row(station: Any) -> None:
    error = station.refused(Code.ENTROPY_UNAVAILABLE, "roll", request=OPPOSED, dice=(1, 1, 3, 4))
    assert "unplugged" in error.message
    station.refused(Code.ENTROPY_UNAVAILABLE, "roll", request=BASIC, key=KEY)
    assert [row.kind for row in station.rows()] == ["start"]
    assert station.ask("roll", request=BASIC, key=KEY, dice=DICE)["replayed"] is False


def test_without_a_ledger_rolls_go_on_and_keys_are_refused(blind: Any) -> None:
    told = blind.ask("roll", request=BASIC, note="on the road", dice=DICE)
    assert (told["recorded"], told["seq"], told["hash"]) == (False, None, None)
    assert told["outcome"]["total"] == 14
    assert told["note"] == "on the road"
    error = blind.refused(Code.LEDGER_UNAVAILABLE, "roll", request=BASIC, key=KEY, dice=DICE)
    assert error.data["cause"] == "read_only"
    assert list(blind.faces) == list(DICE)
    blind.faces.clear()
    brief = blind.ask("roll", request=BASIC, brief=True, dice=DICE)
    assert brief["recorded"] is False


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"request": {**BASIC, "rank": 21}}, "rank"),
        ({"request": {**BASIC, "luck": 1}}, "luck"),
        ({"request": {**BASIC, "rank": 3.0}}, "rank"),
        ({"request": {"system": "chess"}}, "system"),
        ({"request": 7}, None),
        ({"request": BASIC, "brief": 1}, "brief"),
        ({"request": BASIC, "hidden": "yes"}, "hidden"),
        ({"request": BASIC, "note": ""}, "note"),
        ({"request": BASIC, "note": "a\nb"}, "note"),
        ({"request": BASIC, "note": "x" * 61}, "note"),
        ({"request": BASIC, "luck": 1}, "luck"),
        ({}, "request"),
    ],
)
def test_wrong_params_are_named_and_nothing_is_rolled(
    station: Any, params: dict[str, Any], field: str | None
) -> None:
    error = station.refused(Code.INVALID_PARAMS, "roll", **params)
    assert error.data["field"] == field
    assert error.data["allowed"]
    assert len(station.rows()) == 1


def test_dice_rolled_by_hand_are_recorded_as_the_tables_own(station: Any) -> None:
    told = station.ask(
        "record",
        request=ATTACK,
        faces=[6, 6, 6],
        choices={"shifts": {"glory": 1}},
        note="real dice",
        key=KEY,
    )
    assert told["source"] == "table"
    assert told["outcome"]["shifts"]["glory"] == 1
    assert told["choices"] == {"shifts": {"glory": 1}}
    again = station.ask(
        "record",
        request=ATTACK,
        faces=[6, 6, 6],
        choices={"shifts": {"glory": 1}},
        note="real dice",
        key=KEY,
    )
    assert again == {**told, "replayed": True}
    error = station.refused(Code.INVALID_PARAMS, "record", request=ATTACK, faces=[6, 6])
    assert error.data["field"] == "faces"
    station.refused(Code.INVALID_PARAMS, "record", request=ATTACK, faces=[6, 6, 7])
    station.refused(Code.INVALID_PARAMS, "record", request=ATTACK, faces=[6, 6, 6], choices=[1])


def test_a_decision_is_answered_once_and_told(station: Any) -> None:
    roll = station.ask("roll", request=ATTACK, dice=(6, 6, 6))
    assert [each["choice"] for each in roll["outcome"]["open"]] == ["shifts"]
    asked = {"seq": roll["seq"], "choices": {"shifts": {"damage": 1}}, "key": KEY}
    told = station.ask("decide", **asked)
    assert told["of"] == roll["seq"]
    assert told["outcome"]["shifts"]["damage"] == 1
    assert station.ask("decide", **asked) == {**told, "replayed": True}
    event = station.events("changed")[-1]
    assert event.params["kind"] == "decision"
    assert event.params["of"] == roll["seq"]
    error = station.refused(
        Code.NOT_POSSIBLE, "decide", seq=roll["seq"], choices={"shifts": {"damage": 1}}
    )
    assert "already taken" in error.message
    station.refused(Code.NOT_POSSIBLE, "decide", seq=99, choices={"shifts": {}})
    station.refused(Code.INVALID_PARAMS, "decide", seq=roll["seq"], choices={})
    station.refused(Code.INVALID_PARAMS, "decide", seq=0, choices={"shifts": {}})
    station.refused(Code.INVALID_PARAMS, "decide", seq=True, choices={"shifts": {}})


def test_voiding_takes_back_and_is_answered_once(station: Any) -> None:
    roll = station.ask("roll", request=EXTENDED, dice=(6, 6, 6))
    assert len(station.ask("state")["progress"]) == 1
    asked = {"seq": roll["seq"], "reason": "the wrong test", "key": KEY}
    told = station.ask("void", **asked)
    assert (told["of"], told["undone"]) == (roll["seq"], True)
    assert station.ask("void", **asked) == {**told, "replayed": True}
    assert station.ask("state")["progress"] == []
    assert station.events("changed")[-1].params["reason"] == "the wrong test"
    station.refused(Code.NOT_POSSIBLE, "void", seq=roll["seq"], reason="again")
    station.refused(Code.NOT_POSSIBLE, "void", seq=99, reason="no such roll")
    station.refused(Code.INVALID_PARAMS, "void", seq=roll["seq"], reason=None)


def test_a_roll_that_a_later_one_rests_on_says_so(station: Any) -> None:
    first = station.ask("roll", request=EXTENDED, dice=(6, 6, 6))
    second = station.ask(
        "roll", request={**EXTENDED, "gained": 1, "roll_number": 2}, dice=(6, 6, 6)
    )
    error = station.refused(Code.NOT_POSSIBLE, "void", seq=first["seq"], reason="no")
    assert f"row {second['seq']} rests on it" in error.message


def test_others_are_told_of_a_roll_and_its_port_is_named(station: Any) -> None:
    told = station.ask("roll", request=EXTENDED, port="board", dice=(6, 6, 6))
    (event,) = station.events("rolled")
    assert event.params == told
    assert event.origin == "board"
    assert event.brief is not None
    assert event.brief["value"] == 18
    assert station.events("changed")[0].params["state"]["progress"][0]["gained"] == 1


def test_the_panel_is_told_of_a_roll_with_its_dice(station: Any) -> None:
    told = station.ask("roll", request=BASIC, dice=DICE)
    (shown,) = station.panel.told
    assert isinstance(shown, RolledElsewhere)
    assert (shown.roll.seq, shown.roll.faces, shown.hidden) == (told["seq"], DICE, False)
    assert shown.at == station.clock()
    station.ask("record", request=ATTACK, faces=[6, 6, 6], choices={"shifts": {"damage": 1}})
    decided = station.panel.told[-1]
    system = DEFAULT.of(decided.roll.request)
    assert len(decided.roll.answers) > 1
    assert system.id == "wrath-and-glory"


def test_what_is_decided_of_a_foretold_roll_is_marked_as_it_is(station: Any) -> None:
    cast = Cast(request=DEFAULT.request(ATTACK), faces=(6, 6, 6), source="seeded", test=True)
    seq = station.book.roll(cast).receipt.row.seq
    decided = station.ask("decide", seq=seq, choices={"shifts": {"glory": 1}}, key=KEY)
    again = station.ask("decide", seq=seq, choices={"shifts": {"glory": 1}}, key=KEY)
    (changed,) = station.events("changed")
    assert [each["test"] for each in (decided, again, changed.params)] == [True] * 3


def test_a_hidden_roll_is_covered_for_all_but_who_asked(station: Any) -> None:
    told = station.ask("roll", request=BASIC, hidden=True, note="Varys", dice=DICE)
    assert told["faces"] == list(DICE)
    assert told["hidden"] is True
    (event,) = station.events("rolled")
    assert event.params["hidden"] is True
    assert event.brief == {"seq": told["seq"], "hidden": True}
    (in_history,) = station.ask("history")["rolls"]
    for seen in (event.params, in_history):
        assert (seen["faces"], seen["outcome"], seen["hash"]) == (None, None, None)
        assert seen["seq"] == told["seq"]
    assert station.panel.told[0].hidden is True
    station.refused(Code.NOT_POSSIBLE, "change", act="apply", seq=told["seq"])
    station.book.reveal(told["seq"])
    (shown,) = station.ask("history")["rolls"]
    assert shown["faces"] == list(DICE)
    assert shown["hidden"] is False


def test_what_a_hidden_roll_did_to_an_extended_test_is_covered_until_it_is_revealed(
    station: Any,
) -> None:
    """Else the progress in the state would tell the verdict at once."""
    request = {**EXTENDED, "name": "Varys", "needed": 3}
    told = station.ask("roll", request=request, hidden=True, dice=(6, 5, 4))
    assert told["outcome"]["gained"] == 1
    covered = {"name": "Varys", "gained": None, "needed": 3, "complete": None, "hidden": True}
    changed = station.ask("change", act="glory", count=1)
    seen = [event.params["state"] for event in station.events("changed")]
    assert len(seen) == 2
    for state in (*seen, changed["state"], station.ask("state")):
        (test,) = state["progress"]
        assert covered.items() <= test.items()
    station.book.reveal(told["seq"])
    (test,) = station.ask("state")["progress"]
    assert (test["gained"], test["complete"], "hidden" in test) == (1, False, False)


def test_the_table_plays_as_its_settings_say_unless_a_request_says_otherwise(made: Any) -> None:
    options = {
        ("seven-kingdoms", "discard_order"): "before_keep",
        ("seven-kingdoms", "extended_counts"): "degrees",
    }
    station = made(options=options)
    plain = station.ask("roll", request=BASIC, dice=DICE)
    assert plain["request"]["discard_order"] == "before_keep"
    assert "extended_counts" not in plain["request"]
    said = station.ask("roll", request={**BASIC, "discard_order": "after_keep"}, dice=DICE)
    assert said["request"]["discard_order"] == "after_keep"
    counted = station.ask("roll", request=EXTENDED, dice=(6, 6, 6))
    assert counted["outcome"]["gained"] == 2
    assert station.ask("roll", request=ATTACK, dice=(6, 6, 6))["outcome"]["icons"] == 6


def test_all_that_was_rolled_can_be_verified(station: Any, tmp_path: Any) -> None:
    for _ in range(3):
        station.ask("roll", request=BASIC, dice=DICE)
    roll = station.ask("roll", request=ATTACK, dice=(6, 6, 6))
    station.ask("decide", seq=roll["seq"], choices={"shifts": {"glory": 1}})
    station.ask("change", act="apply", seq=roll["seq"])
    station.ask("void", seq=roll["seq"], reason="a rehearsal")
    found = verify(tmp_path / "ledger.db", workers=1)
    assert (found.problem, found.rolls) == (None, 4)


def test_a_key_covers_what_is_rolled_not_how_its_reply_looks(station: Any) -> None:
    first = station.ask("roll", request=BASIC, key=KEY, dice=DICE)
    short = station.ask("roll", request=BASIC, key=KEY, brief=True)
    assert short["seq"] == first["seq"]
    assert short["replayed"] is True
    assert station.ask("roll", request=BASIC, key=KEY, brief=False) == {**first, "replayed": True}
    assert len(station.rows("roll")) == 1


def test_a_reused_key_is_told_as_it_was_sent(station: Any) -> None:
    for key in (7, KEY, "12345678"):
        station.ask("roll", request=BASIC, key=key, dice=DICE)
        error = station.refused(Code.KEY_REUSED, "roll", request=ATTACK, key=key)
        assert error.data["field"] == "key"
        assert error.data["value"] == key
        assert type(error.data["value"]) is type(key)
        assert error.data["allowed"]
    error = station.refused(Code.NO_SESSION, "roll", request=BASIC, key=7, session=None)
    assert (error.data["field"], error.data["value"]) == ("key", 7)
