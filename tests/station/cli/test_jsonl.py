"""One line out for each line in: ``resolve --jsonl`` and ``odds --jsonl``."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from station.cli import lines

VECTORS = Path(__file__).parents[2] / "vectors"
BASIC = {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "difficulty": 9}
GLORY = {"system": "wrath-and-glory", "kind": "test", "pool": 3}


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


def sent(*values: object) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


def answers(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def same(found: Any, expected: Any) -> bool:
    """Whether every field that a case gives is there; numbers and truth values are not mixed."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return all(name in found and same(found[name], expected[name]) for name in expected)
    if isinstance(expected, list) and isinstance(found, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    return type(found) is type(expected) and found == expected


def exact(odds: Any) -> Any:
    """The odds with numerators and denominators only, once each float is what they say."""
    if isinstance(odds, list):
        return [exact(item) for item in odds]
    if isinstance(odds, dict) and "n" in odds:
        if "p" in odds:
            assert odds["p"] == pytest.approx(float(Fraction(int(odds["n"]), int(odds["d"]))))
        return odds["n"], odds["d"]
    return {name: exact(value) for name, value in odds.items()} if isinstance(odds, dict) else odds


def test_the_comparison_of_cases_can_fail() -> None:
    assert same({"a": [{"b": 1, "c": 2}]}, {"a": [{"b": 1}]})
    for expected in ({"a": 2}, {"b": 1}, {"a": True}, {"a": [1]}):
        assert not same({"a": 1}, expected)
    assert not same({"a": [1, 2]}, {"a": [1]})


def test_every_outcome_field_of_all_cases(run: Any) -> None:
    given_cases = cases("resolve.jsonl")
    ran = run(
        "resolve",
        "--jsonl",
        stdin=sent(*({k: v for k, v in case.items() if k != "outcome"} for case in given_cases)),
    )
    assert (ran.status, ran.err) == (0, "")
    for case, answer in zip(given_cases, answers(ran.out), strict=True):
        assert list(answer) == ["request", "faces", "outcome"]
        assert (answer["request"], answer["faces"]) == (case["request"], case["faces"])
        assert same(answer["outcome"], case["outcome"]), case


def test_all_odds_are_exactly_those_of_the_cases(run: Any) -> None:
    given_cases = cases("odds.jsonl")
    requests = sent(*({"request": case["request"]} for case in given_cases))
    ran = run("odds", "--jsonl", stdin=requests)
    assert (ran.status, ran.err) == (0, "")
    for case, answer in zip(given_cases, answers(ran.out), strict=True):
        assert list(answer) == ["request", "odds"]
        assert answer["request"] == case["request"]
        found, expected = exact(answer["odds"]), exact(case["odds"])
        assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("command", ["resolve", "odds"])
def test_answers_may_be_sent_again_and_come_back_alike(run: Any, command: str) -> None:
    first = run(command, "--jsonl", stdin=sent({"request": BASIC, "faces": [6, 5, 1]}))
    again = run(command, "--jsonl", stdin=first.out)
    assert first.status == again.status == 0
    assert again.out == first.out


def test_choices_are_taken(run: Any) -> None:
    line = {"request": GLORY, "faces": [6, 6, 6], "choices": {"shifts": {"glory": 1}}}
    ran = run("resolve", "--jsonl", stdin=sent(line, {**line, "choices": None}))
    chosen, default = answers(ran.out)
    assert ran.status == 0
    assert (chosen["outcome"]["glory"], default["outcome"]["glory"]) == (2, 1)


def test_the_request_is_echoed_as_it_was_sent(run: Any) -> None:
    request = {"difficulty": 9, "bonus": 0, "kind": "basic", "name": None, "rank": 3}
    request["system"] = "seven-kingdoms"
    ran = run("odds", "--jsonl", stdin=sent({"request": request}))
    (answer,) = answers(ran.out)
    assert list(answer["request"].items()) == list(request.items())


BadLine = tuple[str | bytes, str | None, object, str]

BAD: list[BadLine] = [
    ("{bad", None, "{bad", "JSON"),
    ("3D vs 9", None, "3D vs 9", "JSON"),
    ("[1]", None, [1], "an object with request"),
    ("null", None, None, "an object with request"),
    ("{}", "request", None, "an object with request"),
    (sent({**BASIC, "faces": [1, 2, 3]}), "system", "seven-kingdoms", "an object with request"),
    (sent({"request": BASIC, "faces": [1, 2, 3], "seed": 1}), "seed", 1, "an object with request"),
    (sent({"request": 5, "faces": []}), "request", 5, "an object with system and kind"),
    (sent({"request": [BASIC], "faces": []}), "request", None, "an object with"),
    (sent({"request": {}, "faces": []}), "system", None, "seven-kingdoms, wrath-and-glory"),
    (sent({"request": {"system": "sk"}, "faces": []}), "system", "sk", "seven-kingdoms"),
    (sent({"request": {**BASIC, "kind": 1}, "faces": []}), "kind", 1, "basic"),
    *(
        (sent({"request": {**BASIC, "rank": value}, "faces": []}), "rank", shown, "1–20")
        for value, shown in [
            (0, 0),
            (21, 21),
            (3.0, 3.0),
            (True, True),
            ("3", "3"),
            (None, None),
            (float("nan"), "NaN"),
            (float("inf"), "Infinity"),
            (10**30, "a number of about 31 digits"),
            ({}, "an object"),
        ]
    ),
    (sent({"request": {**BASIC, "rnak": 3}, "faces": []}), "rnak", 3, "rank, bonus"),
    (sent({"request": {**BASIC, "name": "\ud800"}, "faces": []}), "name", "\ufffd", "printable"),
    (
        '{"request":{"system":"seven-kingdoms","rank":3,"rank":3},"faces":[]}',
        "rank",
        3,
        "one value",
    ),
    ('{"request":{"rank":' + "9" * 9000 + '},"request":{},"faces":[]}', "request", None, "one"),
    ('{"request":' + '{"a":' * 16 + "1" + "}" * 17, None, None, "16"),
    ("[" * 200_000, None, None, "16"),
    (" " * lines.LONGEST + "{}", None, None, f"lines of at most {lines.LONGEST} bytes"),
    (b'{"request":"\xff"}', None, '{"request":"\ufffd"}', "UTF-8"),
    (b"\x00", None, "\ufffd", "JSON"),
]


@pytest.mark.parametrize("command", ["resolve", "odds"])
@pytest.mark.parametrize("bad_line", BAD)
def test_a_bad_line_is_answered_with_its_error_and_the_next_one_is_read(
    run: Any, command: str, bad_line: BadLine
) -> None:
    line, field, value, allowed = bad_line
    bad = (line if isinstance(line, bytes) else line.encode()).rstrip(b"\n")
    good = sent({"request": BASIC, "faces": [6, 5, 1]}).encode()
    ran = run(command, "--jsonl", stdin=good + bad + b"\n" + good)
    before, answer, after = answers(ran.out)
    assert (ran.status, ran.err) == (2, "")
    assert before == after
    assert list(answer) == ["error"]
    error = answer["error"]
    assert list(error) == ["field", "value", "allowed", "message"]
    assert allowed in error["allowed"]
    assert error["allowed"] in error["message"]
    if field is not None:
        assert error["field"] == field
        assert error["message"].startswith(field)
    if value is not None:
        assert (type(error["value"]), error["value"]) == (type(value), value)
    assert len(error["message"]) < 400


@pytest.mark.parametrize(
    ("more", "field", "value"),
    [
        ({}, "faces", None),
        ({"faces": [6, 5]}, "faces", [6, 5]),
        ({"faces": [6, 5, 7]}, "faces[2]", 7),
        ({"faces": [6, 5, True]}, "faces[2]", True),
        ({"faces": [6, float("nan"), 1]}, "faces[1]", "NaN"),
        ({"faces": [6, 5, 10**400]}, "faces[2]", "a number of about 401 digits"),
        ({"faces": "651"}, "faces", "651"),
        ({"faces": None}, "faces", None),
        ({"faces": [1] * 5000}, "faces", "a long list"),
        ({"faces": [6, 6, 6], "choices": 1}, "choices", 1),
        ({"faces": [6, 6, 6], "choices": []}, "choices", []),
        ({"faces": [6, 6, 6], "choices": "shifts"}, "choices", "shifts"),
        ({"faces": [6, 6, 6], "choices": {"luck": 1}}, "choices.luck", 1),
        ({"faces": [6, 6, 6], "choices": {"shifts": {"glory": 2}}}, "choices.shifts.glory", 2),
        (
            {"faces": [6, 6, 6], "choices": {"shifts": {"glory": True}}},
            "choices.shifts.glory",
            True,
        ),
    ],
)
def test_faces_and_choices_that_do_not_fit_are_named(
    run: Any, more: dict[str, Any], field: str, value: object
) -> None:
    ran = run("resolve", "--jsonl", stdin=sent({"request": GLORY, **more}))
    (answer,) = answers(ran.out)
    assert ran.status == 2
    assert answer["error"]["field"] == field
    assert (type(answer["error"]["value"]), answer["error"]["value"]) == (type(value), value)


@pytest.mark.parametrize("choices", [3, "struck", ["struck"], True, {"struck": 5}, {"x": 1}])
def test_choices_of_a_pool_that_make_no_sense_are_refused(run: Any, choices: object) -> None:
    line = {"request": {**BASIC, "discard_penalty": 1}, "faces": [2, 2, 1], "choices": choices}
    ran = run("resolve", "--jsonl", stdin=sent(line))
    (answer,) = answers(ran.out)
    assert ran.status == 2
    assert answer["error"]["field"].startswith("choices")


def test_a_contestant_is_named_by_place(run: Any) -> None:
    request = {
        "system": "seven-kingdoms",
        "kind": "competition",
        "contestants": [{"name": "Arya", "rank": 3}, {"rank": 0}],
    }
    (answer,) = answers(run("odds", "--jsonl", stdin=sent({"request": request})).out)
    assert answer["error"] == {
        "field": "contestants[1].rank",
        "value": 0,
        "allowed": "a whole number 1–20",
        "message": "contestants[1].rank is 0; allowed: a whole number 1–20",
    }


def test_blank_lines_are_ignored_and_any_line_end_will_do(run: Any) -> None:
    line = json.dumps({"request": BASIC})
    ran = run("odds", "--jsonl", stdin=f"\n  \t\r\n{line}\r\n\r\n{line}")
    assert ran.status == 0
    assert len(ran.out.splitlines()) == 2


def test_no_lines_are_no_error(run: Any) -> None:
    assert run("resolve", "--jsonl").status == 0


def test_output_is_ascii(run: Any) -> None:
    ran = run("odds", "--jsonl", stdin=sent({"request": {**BASIC, "name": "Brân"}}, {}))
    assert ran.out.isascii()
    assert answers(ran.out)[0]["request"]["name"] == "Brân"


def test_the_longest_line_is_read_and_one_byte_more_is_not(run: Any) -> None:
    line = sent({"request": BASIC}).strip()
    fits = line + " " * (lines.LONGEST - len(line))
    ran = run("odds", "--jsonl", stdin=f"{fits}\n{fits} \n{fits} ")
    first, second, third = answers(ran.out)
    assert "odds" in first
    assert "error" in second
    assert "error" in third


LINES = (
    st.binary(max_size=60).map(lambda data: data.replace(b"\n", b""))
    | st.text(max_size=60).map(lambda text: text.replace("\n", "").encode(errors="ignore"))
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["request", "faces", "choices", "rank", "kind", "struck", "x"]),
                inner,
            )
        ),
        max_leaves=6,
    ).map(lambda value: json.dumps(value).encode())
    | st.builds(
        lambda request, faces, choices: json.dumps(
            {"request": request, "faces": faces, "choices": choices}
        ).encode(),
        st.dictionaries(
            st.sampled_from(["system", "kind", "rank", "difficulty", "pool", "attacker", "name"]),
            st.sampled_from(["seven-kingdoms", "wrath-and-glory", "basic", "test", 3, 0.5, None]),
        ),
        st.lists(st.integers(0, 7), max_size=4),
        st.none() | st.dictionaries(st.sampled_from(["struck", "shifts"]), st.integers()),
    )
)


@given(command=st.sampled_from(["resolve", "odds"]), sent_lines=st.lists(LINES, max_size=4))
def test_any_line_gives_exactly_one_line(run: Any, command: str, sent_lines: list[bytes]) -> None:
    ran = run(command, "--jsonl", stdin=b"".join(line + b"\n" for line in sent_lines))
    told = answers(ran.out)
    assert len(told) == sum(bool(line.strip(lines.BLANK)) for line in sent_lines)
    assert ran.status == (2 if any("error" in answer for answer in told) else 0)
    assert ran.err == ""


def test_a_file_may_begin_with_a_byte_order_mark(run: Any) -> None:
    line = b'{"request":{"system":"wrath-and-glory","kind":"test","pool":1},"faces":[6]}'
    for data in (b"\xef\xbb\xbf" + line, b"\xef\xbb\xbf\n" + line):
        ran = run("resolve", "--jsonl", stdin=data)
        assert ran.status == 0
        assert json.loads(ran.out)["outcome"]["icons"] == 2
    assert run("resolve", "--jsonl", stdin=line + b"\n\xef\xbb\xbf" + line).status == 2
