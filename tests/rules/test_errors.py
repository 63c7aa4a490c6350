"""Errors of the rules: one clear sentence each, whatever was put in."""

import json
import pickle
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.errors import MissingFieldError, RulesError, UnknownFieldError, plain_value, shown


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a request, whose class is nobody's business but ours."""

    rank: int = 3


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (RulesError("rank", 0, "a whole number 1–20"), "rank is 0; allowed: a whole number 1–20"),
        (
            RulesError("injuries", 3, "0–2", "Endurance is the limit"),
            "injuries is 3 (Endurance is the limit); allowed: 0–2",
        ),
        (RulesError((), [], "an object"), "the input is []; allowed: an object"),
        (
            RulesError(("contestants", 1, "rank"), "x", "a whole number 1–20"),
            'contestants[1].rank is "x"; allowed: a whole number 1–20',
        ),
        (
            RulesError(("faces", 2), 7, "a whole number 1–6"),
            "faces[2] is 7; allowed: a whole number 1–6",
        ),
        (
            MissingFieldError("rank", None, "a whole number 1–20"),
            "rank is missing; allowed: a whole number 1–20",
        ),
        (
            UnknownFieldError("rnak", 3, "rank, bonus", "did you mean rank?"),
            "rnak is no field of this request (did you mean rank?); allowed: rank, bonus",
        ),
        (
            UnknownFieldError("x", 3, "rank, bonus"),
            "x is no field of this request; allowed: rank, bonus",
        ),
    ],
)
def test_the_sentence_names_the_field_the_value_and_what_is_allowed(
    error: RulesError, sentence: str
) -> None:
    assert str(error) == sentence
    assert error.plain()["message"] == sentence


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (3, "3"),
        (3.0, "3.0"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        (2**63, "9223372036854775808"),
        (2**64, "a number of about 20 digits"),
        pytest.param(-(10**5000), "a number of about 5001 digits", id="too long to print"),
        ("3", '"3"'),
        ("two\nlines\x1b[2J\ud800", '"two�lines�[2J�"'),
        ("x" * 60, f'"{"x" * 60}"'),
        ("x" * 61, f'"{"x" * 59}…"'),
        ({"rank": 3}, "an object"),
        ([1, "a", None, True, [2], {}], '[1, "a", null, true, a list, an object]'),
        ((1, 2), "[1, 2]"),
        ((Part(), Part()), "[an object, an object]"),
        ([10**5000], "[a number of about 5001 digits]"),
        ([0] * 12, "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]"),
        ([0] * 13, "a long list"),
        (["x" * 50, "y" * 50], f'["{"x" * 50}", "{"y" * 3}…'),
        (b"\x00", r"b'\x00'"),
    ],
)
def test_a_bad_value_is_shown_short_and_printable(value: object, text: str) -> None:
    assert shown(value) == text


def test_a_list_within_lists_does_not_reach_the_sentence() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert shown(deep) == "[a list]"


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (-(2**53) + 1, -(2**53) + 1),
        (2**53, "9007199254740992"),
        pytest.param(10**5000, "a number of about 5001 digits", id="too long to print"),
        (1.5, 1.5),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        ("a\tb", "a�b"),
        ("x" * 100, "x" * 59 + "…"),
        ([1, 2], [1, 2]),
        ([1, 2**60, float("inf")], [1, "1152921504606846976", "Infinity"]),
        ([[1]], "[a list]"),
        ([0] * 13, "a long list"),
        ({"a": 1}, "an object"),
    ],
)
def test_a_bad_value_is_told_as_json_that_every_reader_takes(value: object, plain: object) -> None:
    assert plain_value(value) == plain
    assert type(plain_value(value)) is type(plain)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.lists(st.text() | st.integers(0, 999), max_size=4), JSON)
def test_any_error_is_one_printable_line_and_strict_json(path: list[str | int], value: Any) -> None:
    error = RulesError(tuple(path), value, "something else")
    assert str(error).isprintable()
    assert len(str(error)) < 400
    told = json.dumps(error.plain(), allow_nan=False)
    told.encode("utf-8")
    assert json.loads(told) == error.plain()


@pytest.mark.parametrize("kind", [RulesError, MissingFieldError, UnknownFieldError])
def test_a_part_passes_its_error_on_under_its_own_place(kind: type[RulesError]) -> None:
    inner = kind("rank", 0, "1–20", "why")
    outer = inner.under(1).under("contestants")
    assert type(outer) is kind
    assert outer.field == "contestants[1].rank"
    assert outer.path == ("contestants", 1, "rank")
    assert (outer.value, outer.allowed, outer.because) == (0, "1–20", "why")
    assert inner.field == "rank"


def test_an_error_about_the_whole_has_no_field() -> None:
    error = RulesError((), "nonsense", "an object")
    assert error.field is None
    assert error.plain() == {
        "field": None,
        "value": "nonsense",
        "allowed": "an object",
        "message": 'the input is "nonsense"; allowed: an object',
    }


def test_a_field_s_name_that_someone_made_up_is_shown_short_and_printable() -> None:
    error = UnknownFieldError("\x1b[2J" + "x" * 5000, 1, "rank")
    assert str(error) == f"�[2J{'x' * 55}… is no field of this request; allowed: rank"


def test_an_error_is_a_value_error_and_survives_pickling() -> None:
    error = RulesError(("a", 0), 1, "2", "3")
    assert isinstance(error, ValueError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)  # noqa: S301 - our own bytes
