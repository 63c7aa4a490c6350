"""What the station tells of itself, its systems, its ledger and its dial."""

from fractions import Fraction
from typing import Any

import pytest

from rules.registry import DEFAULT
from station.part import Part
from station.protocol.errors import Code
from station.protocol.jsonrpc import encode
from station.protocol.sizes import MAX_OUT

BASIC = {
    "system": "seven-kingdoms",
    "kind": "basic",
    "rank": 3,
    "bonus": 2,
    "difficulty": 9,
    "discard_order": "after_keep",
}
DICE = (2, 5, 1, 6, 3)


def test_hello_tells_what_the_station_is(station: Any, blind: Any) -> None:
    told = station.ask("hello")
    assert told["station"] == "table 1"
    assert told["systems"] == [system.id for system in DEFAULT]
    assert told["entropy"]["state"] == "ok"
    assert "ledger" in told["capabilities"]
    assert "panel" in told["capabilities"]
    assert "ledger" not in blind.ask("hello")["capabilities"]


def test_systems_tell_the_defaults_that_a_request_gets_at_this_table(made: Any) -> None:
    station = made(options={("seven-kingdoms", "discard_order"): "before_keep"})
    kinds = station.ask("systems", system="seven-kingdoms")["systems"][0]["kinds"]
    defaults = {
        field["name"]: field["default"]
        for field in kinds[0]["fields"]
        if field["type"] == "string" and "values" in field
    }
    told = station.ask("resolve", request={**BASIC, "discard_order": None} | defaults, faces=DICE)
    assert defaults == {"discard_order": "before_keep"}
    assert told["request"]["discard_order"] == "before_keep"


def test_systems_are_told_all_or_one_and_fit_a_line(station: Any) -> None:
    every = station.ask("systems")["systems"]
    assert [each["id"] for each in every] == [system.id for system in DEFAULT]
    assert len(encode(every)) < MAX_OUT
    (one,) = station.ask("systems", system="wrath-and-glory")["systems"]
    assert one == every[1]
    error = station.refused(Code.INVALID_PARAMS, "systems", system="wrath-and-glori")
    assert "did you mean wrath-and-glory" in error.message


def test_odds_are_exact(station: Any) -> None:
    request = {"system": "wrath-and-glory", "kind": "test", "pool": 1, "dn": 1}
    success = station.ask("odds", request=request)["success"]
    assert Fraction(int(success["n"]), int(success["d"])) == Fraction(1, 2)
    station.refused(Code.INVALID_PARAMS, "odds", request={**request, "dn": 41})


def test_the_largest_odds_fit_a_line(station: Any) -> None:
    largest: list[dict[str, Any]] = [
        {"system": "seven-kingdoms", "kind": "competition",
         "contestants": [{"rank": 20, "bonus": 20}] * 12},
        {**BASIC, "rank": 20, "bonus": 20, "difficulty": 50},
        {"system": "wrath-and-glory", "kind": "attack", "pool": 40, "dn": 3},
    ]  # fmt: skip
    for request in largest:
        assert len(encode(station.ask("odds", request=request))) < MAX_OUT


def test_resolving_records_nothing(station: Any) -> None:
    told = station.ask("resolve", request=BASIC, faces=list(DICE))
    assert told["request"] == BASIC
    assert told["outcome"]["total"] == 14
    assert len(station.rows()) == 1
    assert station.published == []
    error = station.refused(Code.INVALID_PARAMS, "resolve", request=BASIC, faces=[1])
    assert error.data["field"] == "faces"
    station.refused(Code.INVALID_PARAMS, "resolve", request=BASIC, faces=list(DICE), choices=3)


def test_history_goes_back_and_fills_gaps(station: Any) -> None:
    rolled = [station.ask("roll", request=BASIC, dice=DICE)["seq"] for _ in range(5)]

    def seqs(**params: Any) -> tuple[list[int], bool]:
        page = station.ask("history", **params)
        return [roll["seq"] for roll in page["rolls"]], page["more"]

    assert seqs() == (rolled[::-1], False)
    assert seqs(limit=2) == (rolled[:-3:-1], True)
    assert seqs(before=rolled[2]) == (rolled[1::-1], False)
    assert seqs(after=rolled[1]) == (rolled[2:], False)
    assert seqs(after=0) == (rolled, False)
    assert seqs(after=0, limit=2) == (rolled[:2], True)
    assert seqs(after=rolled[0], limit=2) == (rolled[1:3], True)
    newest = station.ask("history", limit=1)["rolls"][0]
    assert newest["outcome"]["total"] == 14
    assert newest["recorded"] is True


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"limit": True}, "limit"),
        ({"before": 0}, "before"),
        ({"after": -1}, "after"),
        ({"after": False}, "after"),
        ({"before": 3, "after": 1}, "after"),
        ({"since": 3}, "since"),
    ],
)
def test_a_page_that_can_not_be_is_named(station: Any, params: dict[str, Any], field: str) -> None:
    assert station.refused(Code.INVALID_PARAMS, "history", **params).data["field"] == field


def test_fairness_is_told_in_all_or_of_one_source(station: Any) -> None:
    station.ask("roll", request=BASIC, dice=DICE)
    station.ask("record", request=BASIC, faces=[1, 1, 1, 1, 1])
    told = station.ask("fairness")
    assert told["counts"] == [1, 1, 1, 0, 1, 1]
    assert told["degrees_of_freedom"] == 5
    assert told["sources"] == ["table", "urandom"]
    assert station.ask("fairness", source="table")["counts"] == [5, 0, 0, 0, 0, 0]
    error = station.refused(Code.INVALID_PARAMS, "fairness", source="hwrng")
    assert error.data["allowed"] == "table, urandom"


def test_health_names_each_part_with_reason_and_since(station: Any) -> None:
    told = station.ask("health")
    assert {name: part["state"] for name, part in told.items()} == {
        "entropy": "ok",
        "ledger": "ok",
        "display": "ok",
    }
    assert told["entropy"]["source"] == "urandom"
    assert all(part["reason"] is None and part["seconds"] == 0 for part in told.values())


def test_whoever_subscribed_hears_of_a_part_that_fares_otherwise(station: Any) -> None:
    station.ask("health")
    station.parts["display"] = Part("lost", "nothing answers at 0x3C")
    station.clock.advance(3_000_000_000)
    told = station.ask("state")
    assert told["glory"] == 0
    (event,) = station.events("health_changed")
    assert list(event.params) == ["display"]
    assert event.params["display"]["state"] == "lost"
    station.clock.advance(2_000_000_000)
    display = station.ask("health")["display"]
    assert (display["reason"], display["seconds"]) == ("nothing answers at 0x3C", 2)
    assert len(station.events("health_changed")) == 1


def test_dice_that_fail_are_told_at_once(station: Any) -> None:
    station.ask("health")
    station.refused(Code.ENTROPY_UNAVAILABLE, "roll", request=BASIC)
    (event,) = station.events("health_changed")
    assert event.params["entropy"]["state"] == "lost"
    station.ask("roll", request=BASIC, dice=DICE)
    assert station.events("health_changed")[-1].params["entropy"]["state"] == "ok"


def test_a_request_is_put_on_the_dial_and_read_there(station: Any) -> None:
    assert station.ask("select", request=BASIC, port="board") == {"request": BASIC}
    (told,) = station.panel.told
    assert told.request == DEFAULT.request(BASIC)
    assert station.ask("selection") == {"request": BASIC}
    (event,) = station.events("selected")
    assert (event.params, event.origin) == ({"request": BASIC}, "board")
    station.refused(Code.INVALID_PARAMS, "select", request={**BASIC, "rank": 0})


def test_unknown_methods_and_params_are_named(station: Any) -> None:
    error = station.refused(Code.METHOD_NOT_FOUND, "dance")
    assert "roll" in error.data["allowed"]
    for method in ("state", "health", "selection"):
        assert station.refused(Code.INVALID_PARAMS, method, luck=1).data["field"] == "luck"


def test_an_earlier_runs_rolls_can_be_read_where_nothing_can_be_written(blind: Any) -> None:
    assert blind.ask("history") == {"rolls": [], "more": False}
    assert blind.ask("fairness")["dice"] == 0
    assert blind.ask("health")["ledger"]["state"] == "lost"
