"""JSON that readers would understand differently is refused, and the place is named."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.errors import RulesError
from station.strict_json import DEEPEST, JsonError, check_values, loads


def test_plain_json_is_read_as_the_standard_library_reads_it() -> None:
    text = '{"a":[1,-2,0.5,true,false,null,"é\\u00e9"],"b":{"a":{}}}'
    assert loads(text) == json.loads(text)
    assert loads(text.encode()) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        ("", None, "expecting value"),
        ("{", None, "double quotes"),
        ("[1,]", None, "JSON"),
        ("1 2", None, "extra data"),
        ("nan", None, "expecting value"),
        ("'a'", None, "expecting value"),
        ('"a\x00b"', None, "control character"),
        ('{"a":1,"a":1}', "a", "given twice"),
        ('{"x":[{"b":0},{"a":1,"b":2,"a":3}]}', "x[1].a", "given twice"),
        ('{"x":{"":1}}', "x", "name of a member"),
        ('{"\\ud800":1}', None, "name of a member"),
        ('{"a\\u001b":1}', None, "name of a member"),
        ('{"' + "n" * 61 + '":1}', None, "name of a member"),
        ("[" * 17 + "]" * 17, "[0]" * 16, "too deep"),
        ('{"a":' * 17 + "1" + "}" * 17, ".".join("a" * 16), "too deep"),
        ("[" * 100_000, None, "too deep"),
        ('{"a":' * 100_000, None, "too deep"),
    ],
)
def test_what_is_refused_at_once(text: str, field: str | None, words: str) -> None:
    with pytest.raises(JsonError, match=words) as caught:
        loads(text)
    assert caught.value.field == field
    assert isinstance(caught.value, RulesError)


def test_bytes_that_are_no_utf8_are_refused_with_their_place() -> None:
    with pytest.raises(JsonError, match="byte 4 is not UTF-8"):
        loads(b'{"a\xff":1}')


def test_the_deepest_nesting_allowed_is_read() -> None:
    text = "[" * DEEPEST + "]" * DEEPEST
    assert loads(text) == json.loads(text)


def test_repeated_members_among_very_many_are_found_quickly() -> None:
    members = ",".join(f'"{place}":0' for place in (*range(100_000), 99_999))
    with pytest.raises(JsonError, match="given twice") as caught:
        loads("{" + members + "}")
    assert caught.value.field == "99999"


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('{"a":NaN}', "a"),
        ('{"a":[0,Infinity]}', "a[1]"),
        ("[-Infinity]", "[0]"),
        ('{"a":1e999}', "a"),
        ("9007199254740992", None),
        ('{"a":-9007199254740992}', "a"),
        ('{"a":' + "9" * 5000 + "}", "a"),
        ('{"a":{"b":-' + "9" * 1_000_000 + "}}", "a.b"),
        ('{"a":"\\ud800"}', "a"),
        ('["\\udfff\\ud800"]', "[0]"),
    ],
)
def test_odd_values_are_handed_on_and_refused_when_checked(text: str, field: str | None) -> None:
    value = loads(text)
    with pytest.raises(JsonError) as caught:
        check_values(value)
    assert caught.value.field == field
    assert len(str(caught.value)) < 200


def test_a_huge_integer_keeps_sign_and_size() -> None:
    (positive, negative) = loads("[" + "9" * 5000 + ",-" + "9" * 5000 + "]")
    assert positive == -negative
    assert positive.bit_length() * math.log10(2) == pytest.approx(5000, abs=1)


@pytest.mark.parametrize(
    "value", [0, True, None, 2**53 - 1, -(2**53) + 1, 0.5, "é😀", [], {"a": [1]}]
)
def test_what_every_reader_takes_passes(value: object) -> None:
    check_values(value)
    assert loads(json.dumps(value)) == value


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_what_passes_both_checks_is_read_back_alike(value: Any) -> None:
    text = json.dumps(value)
    try:
        read = loads(text)
        check_values(read)
    except JsonError:
        return
    assert read == value
    assert json.loads(json.dumps(read, allow_nan=False)) == read


@given(st.text() | st.binary())
def test_any_text_is_read_or_refused(text: str | bytes) -> None:
    try:
        loads(text)
    except JsonError as error:
        json.dumps(error.plain(), allow_nan=False)
