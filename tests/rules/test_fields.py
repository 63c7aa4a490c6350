"""Fields: what each takes, how it is dialled, and its JSON form."""

import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from rules.errors import MissingFieldError, RulesError, UnknownFieldError
from rules.fields import (
    Fielded,
    Series,
    build,
    choice,
    describe,
    flag,
    group,
    number,
    plain,
    series,
    specs,
    started,
    text,
)
from rules.frozen import frozen
from rules.leaves import Number, range_text


@frozen(kw_only=True)
class Die(Fielded):
    sides: int = number("Sides", 2, 20, required=True, start=6)
    label: str | None = text("Label", 5)


@frozen(kw_only=True)
class Throw(Fielded):
    count: int = number("Count", 1, 9, required=True, start=2)
    luck: int | None = number("Luck", -3, 3, optional=True)
    spare: int = number("Spare", 0, 3, default=1)
    loud: bool = flag("Loud")
    hand: str = choice("Hand", "left", "right")
    order: str = choice("Order", "up", "down", recorded=True)
    note: str = text("Note", default="none")
    first: Die = group("First", Die)
    rest: tuple[Die, ...] = series("Rest", Die, 1, 3)

    def check_together(self) -> None:
        if self.spare > self.count:
            raise RulesError("spare", self.spare, f"0–{self.count}", "no more than the count")


SMALLEST = {"count": 2, "first": {"sides": 6}, "rest": [{"sides": 4}]}


def thrown(**more: Any) -> Throw:
    return build(Throw, SMALLEST | more)


def test_what_is_left_out_has_its_default() -> None:
    throw = thrown()
    assert (throw.luck, throw.spare, throw.loud, throw.hand) == (None, 1, False, "left")
    assert (throw.note, throw.first.label, throw.rest) == ("none", None, (Die(sides=4),))


@pytest.mark.parametrize(
    ("field", "good"),
    [
        ("count", [1, 9]),
        ("luck", [-3, 3, 0, None]),
        ("loud", [True, False]),
        ("hand", ["left", "right"]),
        ("note", ["x", "é ß — 骰", "x" * 60]),
    ],
)
def test_the_ends_of_each_range_are_taken(field: str, good: list[object]) -> None:
    for value in good:
        assert getattr(thrown(**{field: value}), field) == value


@pytest.mark.parametrize(
    ("field", "bad", "allowed"),
    [
        ("count", [0, 10, -1, True, 2.0, "2", None, [], 10**30], "a whole number 1–9"),
        ("luck", [-4, 4, False, 0.0], "a whole number −3…+3"),
        ("spare", [None, -1, 4], "a whole number 0–3"),
        ("loud", [0, 1, "yes", None], "true or false"),
        ("hand", ["", "LEFT", None, 0, ["left"], {}], "left or right"),
        (
            "note",
            ["", " ", "\t", "a\nb", "\x00", "\ud800", "x" * 61, 3, None],
            "text of 1–60 printable characters",
        ),
        (
            "rest",
            [[], [{"sides": 2}] * 4, None, {}, "x"],
            'a list of 1–3 objects such as {"sides": 6}',
        ),
    ],
)
def test_everything_else_is_refused_with_the_field_and_its_range(
    field: str, bad: list[object], allowed: str
) -> None:
    for value in bad:
        with pytest.raises(RulesError) as caught:
            thrown(**{field: value})
        assert (caught.value.field, caught.value.allowed) == (field, allowed)


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({"first": {"sides": 1}}, "first.sides"),
        ({"first": {}}, "first.sides"),
        ({"first": {"sides": 6, "size": 1}}, "first.size"),
        ({"first": {"sides": 6, "label": "long label"}}, "first.label"),
        ({"first": 6}, "first"),
        ({"first": None}, "first"),
        ({"rest": [{"sides": 6}, {"sides": 21}]}, "rest[1].sides"),
        ({"rest": [{"sides": 6}, 3]}, "rest[1]"),
        ({"rest": [None]}, "rest[0]"),
    ],
)
def test_a_fault_inside_a_part_is_named_with_its_path(more: dict[str, object], path: str) -> None:
    with pytest.raises(RulesError) as caught:
        thrown(**more)
    assert caught.value.field == path


def test_an_overlong_list_is_refused_before_its_parts_are_read() -> None:
    with pytest.raises(RulesError) as caught:
        thrown(rest=[{"nonsense": 1}] * 1000)
    assert caught.value.field == "rest"


@pytest.mark.parametrize("part", [None, 3, "x", [("count", 2)]])
def test_only_an_object_is_a_request(part: object) -> None:
    with pytest.raises(RulesError) as caught:
        build(Throw, part)
    assert (caught.value.field, caught.value.allowed) == (None, "an object")


def test_an_unknown_field_is_named_with_what_may_have_been_meant() -> None:
    with pytest.raises(UnknownFieldError) as caught:
        thrown(cuont=2)
    assert (caught.value.field, caught.value.because) == ("cuont", "did you mean count?")
    assert caught.value.allowed == "count, luck, spare, loud, hand, order, note, first, rest"
    with pytest.raises(UnknownFieldError) as caught:
        thrown(**{"": 2})
    assert caught.value.because == ""


def test_a_name_that_is_no_text_is_an_unknown_field() -> None:
    with pytest.raises(UnknownFieldError, match="7 is no field"):
        build(Die, {"sides": 6, 7: 1})


@pytest.mark.parametrize("missing", ["count", "first", "rest"])
def test_a_required_field_is_missed(missing: str) -> None:
    with pytest.raises(MissingFieldError) as caught:
        build(Throw, {name: value for name, value in SMALLEST.items() if name != missing})
    assert caught.value.field == missing


def test_fields_that_are_right_alone_can_contradict_each_other() -> None:
    with pytest.raises(RulesError) as caught:
        thrown(count=2, spare=3)
    assert str(caught.value) == "spare is 3 (no more than the count); allowed: 0–2"


def test_a_request_that_breaks_a_range_can_not_be_constructed_by_other_ways() -> None:
    with pytest.raises(RulesError) as caught:
        Throw(count=2, first=Die(sides=6), rest=(Die(sides=6), 3))  # type: ignore[arg-type]  # the point
    assert caught.value.field == "rest[1]"
    with pytest.raises(RulesError):
        Throw(count=2, first=Die(sides=6), rest=[Die(sides=6)])  # type: ignore[arg-type]  # the point
    with pytest.raises(RulesError):
        Throw(count=2, first={"sides": 6}, rest=(Die(sides=6),))  # type: ignore[arg-type]  # the point
    with pytest.raises(FrozenInstanceError):
        thrown().count = 3  # type: ignore[misc]  # the point


def test_the_plain_form_leaves_out_defaults_but_for_recorded_choices() -> None:
    assert plain(thrown()) == {**SMALLEST, "order": "up"}
    full = {
        "count": 3,
        "luck": 0,
        "spare": 0,
        "loud": True,
        "hand": "right",
        "order": "down",
        "note": "x",
        "first": {"sides": 6, "label": "a"},
        "rest": [{"sides": 4}, {"sides": 20, "label": "b"}],
    }
    assert plain(build(Throw, full)) == full
    assert list(plain(build(Throw, full))) == list(specs(Throw))


def test_what_a_fresh_dial_shows() -> None:
    throw = started(Throw)
    assert (throw.count, throw.luck, throw.spare, throw.note) == (2, None, 1, "none")
    assert (throw.first, throw.rest) == (Die(sides=6), (Die(sides=6),))


@pytest.mark.parametrize(
    ("spec", "value", "detents", "after"),
    [
        (Number(label="n", low=1, high=5), 3, 1, 4),
        (Number(label="n", low=1, high=5), 3, 99, 5),
        (Number(label="n", low=1, high=5), 3, -99, 1),
        (Number(label="n", low=1, high=5, optional=True), None, 1, 1),
        (Number(label="n", low=1, high=5, optional=True), None, 3, 3),
        (Number(label="n", low=1, high=5, optional=True), None, -1, None),
        (Number(label="n", low=1, high=5, optional=True), 1, -1, None),
        (Number(label="n", low=1, high=5, optional=True), 5, 1, 5),
        (Number(label="n", low=-3, high=3, optional=True), None, 1, -3),
        (specs(Throw)["loud"], False, 2, True),
        (specs(Throw)["loud"], True, 1, True),
        (specs(Throw)["loud"], True, -1, False),
        (specs(Throw)["hand"], "left", 1, "right"),
        (specs(Throw)["hand"], "right", 5, "right"),
        (specs(Throw)["hand"], "right", -5, "left"),
    ],
)
def test_a_turn_stops_at_either_end(spec: Any, value: object, detents: int, after: object) -> None:
    assert spec.turned(value, detents) == after


def test_a_series_grows_and_shrinks_at_its_end() -> None:
    spec = specs(Throw)["rest"]
    assert isinstance(spec, Series)
    parts = (Die(sides=4), Die(sides=8))
    assert spec.resized(parts, 1) == (*parts, Die(sides=6))
    assert spec.resized(parts, 9) == (*parts, Die(sides=6))
    assert spec.resized(parts, -9) == parts[:1]


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("count", 3, "3"),
        ("luck", None, "–"),
        ("luck", -2, "-2"),
        ("loud", True, "yes"),
        ("loud", False, "no"),
        ("order", "down", "down"),
        ("hand", "after_keep", "after keep"),
        ("note", "x", "x"),
        ("note", None, "–"),
    ],
)
def test_how_the_dial_shows_a_value(field: str, value: object, shown: str) -> None:
    spec: Any = specs(Throw)[field]
    assert spec.text(value) == shown


@pytest.mark.parametrize(
    ("low", "high", "shown"), [(1, 20, "1–20"), (-99, 99, "−99…+99"), (-3, -1, "−3…−1")]
)
def test_how_a_range_is_written(low: int, high: int, shown: str) -> None:
    assert range_text(low, high) == shown


def test_a_description_is_enough_to_build_a_form_from() -> None:
    told = describe(Throw)
    assert json.loads(json.dumps(told)) == told
    by_name = {field["name"]: field for field in told}
    assert by_name["count"] == {
        "name": "count",
        "label": "Count",
        "type": "integer",
        "min": 1,
        "max": 9,
        "required": True,
    }
    assert by_name["luck"]["default"] is None
    assert by_name["loud"] == {
        "name": "loud",
        "label": "Loud",
        "type": "boolean",
        "required": False,
        "default": False,
    }
    assert by_name["hand"]["values"] == ["left", "right"]
    assert (by_name["note"]["max_length"], by_name["note"]["default"]) == (60, "none")
    assert by_name["first"]["type"] == "object"
    assert by_name["first"]["fields"] == describe(Die)
    assert (by_name["rest"]["min_items"], by_name["rest"]["max_items"]) == (1, 3)
    assert by_name["rest"]["fields"] == describe(Die)
