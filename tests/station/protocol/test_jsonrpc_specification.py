"""Every example of the JSON-RPC 2.0 specification (section 7), and the rules beside them.

The methods are the specification's own, in a small table. Where an answer is an error, what the
specification shows must be there; `data` may say more.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from station.protocol.seam import Caller, Signature


class Examples:
    """subtract, sum, update, notify_hello, notify_sum and get_data."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def call(self, method: str, params: dict[str, Any], caller: Caller) -> Any:
        assert caller.port == "wire"
        self.heard.append(method)
        match method:
            case "subtract":
                return params["minuend"] - params["subtrahend"]
            case "sum":
                return sum(params.values())
            case "get_data":
                return ["hello", 5]
            case _:
                return None


SIGNATURES = {
    "subtract": Signature(("minuend", "subtrahend"), 2),
    "sum": Signature(("a", "b", "c")),
    "update": Signature(("a", "b", "c", "d", "e")),
    "foobar": Signature(open=True),
    "notify_hello": Signature(("count",)),
    "notify_sum": Signature(("a", "b", "c")),
    "get_data": Signature(),
}
KNOWN = {name: signature for name, signature in SIGNATURES.items() if name != "foobar"}

INVALID = {
    "jsonrpc": "2.0",
    "error": {"code": -32600, "message": "Invalid Request"},
    "id": None,
}
UNREADABLE = {"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": None}
UNKNOWN = {"code": -32601, "message": "Method not found"}

EXAMPLES: list[tuple[str, str, Any]] = [
    (
        "positional parameters",
        '{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}',
        {"jsonrpc": "2.0", "result": 19, "id": 1},
    ),
    (
        "positional parameters, the other way round",
        '{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}',
        {"jsonrpc": "2.0", "result": -19, "id": 2},
    ),
    (
        "named parameters",
        (
            '{"jsonrpc": "2.0", "method": "subtract", '
            '"params": {"subtrahend": 23, "minuend": 42}, "id": 3}'
        ),
        {"jsonrpc": "2.0", "result": 19, "id": 3},
    ),
    (
        "named parameters in another order",
        (
            '{"jsonrpc": "2.0", "method": "subtract", '
            '"params": {"minuend": 42, "subtrahend": 23}, "id": 4}'
        ),
        {"jsonrpc": "2.0", "result": 19, "id": 4},
    ),
    (
        "a notification",
        '{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}',
        None,
    ),
    (
        "a notification of a method not there",
        '{"jsonrpc": "2.0", "method": "foobar"}',
        None,
    ),
    (
        "a method that is not there",
        '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}',
        {"jsonrpc": "2.0", "error": UNKNOWN, "id": "1"},
    ),
    (
        "invalid JSON",
        '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]',
        UNREADABLE,
    ),
    ("an invalid request", '{"jsonrpc": "2.0", "method": 1, "params": "bar"}', INVALID),
    (
        "a batch of invalid JSON",
        (
            '[ {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},'
            ' {"jsonrpc": "2.0", "method" ]'
        ),
        UNREADABLE,
    ),
    ("an empty array", "[]", INVALID),
    ("an invalid batch that is not empty", "[1]", [INVALID]),
    ("an invalid batch", "[1,2,3]", [INVALID, INVALID, INVALID]),
    (
        "a batch",
        (
            '[ {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},'
            ' {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},'
            ' {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},'
            ' {"foo": "boo"},'
            ' {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},'
            ' {"jsonrpc": "2.0", "method": "get_data", "id": "9"} ]'
        ),
        [
            {"jsonrpc": "2.0", "result": 7, "id": "1"},
            {"jsonrpc": "2.0", "result": 19, "id": "2"},
            INVALID,
            {"jsonrpc": "2.0", "error": UNKNOWN, "id": "5"},
            {"jsonrpc": "2.0", "result": ["hello", 5], "id": "9"},
        ],
    ),
    (
        "a batch of notifications",
        (
            '[ {"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},'
            ' {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]} ]'
        ),
        None,
    ),
]


@pytest.fixture
def examples() -> Examples:
    return Examples()


@pytest.fixture
def line(make_wire: Callable[..., Any], examples: Examples) -> Any:
    return make_wire(examples, signatures=KNOWN)


def without_data(answer: Any) -> Any:
    """Leave out what the specification allows beside what its examples show."""
    if isinstance(answer, list):
        return [without_data(each) for each in answer]
    if "error" not in answer:
        return answer
    error = {name: value for name, value in answer["error"].items() if name != "data"}
    return {**answer, "error": error}


@pytest.mark.parametrize(
    ("asked", "expected"), [each[1:] for each in EXAMPLES], ids=[each[0] for each in EXAMPLES]
)
def test_an_example_of_the_specification(line: Any, asked: str, expected: Any) -> None:
    answers = [without_data(json.loads(each)) for each in line.say(asked)]
    assert answers == ([] if expected is None else [expected])


def test_notifications_are_carried_out(line: Any, examples: Examples) -> None:
    for _, asked, expected in EXAMPLES:
        if expected is None:
            line.say(asked)
    assert examples.heard == ["update", "notify_sum", "notify_hello"]


@pytest.mark.parametrize(
    "number",
    [
        *("7", '"seven"', "null", "-1", "1.5", '"\\u00e9"', "0", '""', "9007199254740991"),
        *("1.0", "1e2", "-1.50E-3", "0.1000000000000000000001", r'"a\"\\\n"', '"roll\\u00203D"'),
    ],
)
def test_an_id_comes_back_as_it_was(line: Any, number: str) -> None:
    asked = f'{{"jsonrpc":"2.0","method":"get_data","id":{number}}}'
    (answer,) = line.say(asked)
    assert answer == f'{{"jsonrpc":"2.0","result":["hello",5],"id":{number}}}'


@pytest.mark.parametrize(
    "number", ["true", "[1]", "{}", "NaN", "Infinity", "1e999", "9" * 41, '"\\ud800"']
)
def test_what_is_no_id_is_no_request(line: Any, examples: Examples, number: str) -> None:
    (answer,) = line.say(f'{{"jsonrpc":"2.0","method":"get_data","id":{number}}}')
    assert json.loads(answer)["error"]["code"] == -32600
    assert json.loads(answer)["id"] is None
    assert examples.heard == []


@pytest.mark.parametrize("number", ["9007199254740992", "-100000000000000000001", "9" * 40])
def test_an_id_beyond_53_bits_is_refused_with_that_very_id(line: Any, number: str) -> None:
    for _ in range(10):
        (answer,) = line.say(f'{{"jsonrpc":"2.0","method":"get_data","id":{number}}}')
        assert answer.endswith(f',"id":{number}}}')
        error = json.loads(answer)["error"]
        assert (error["code"], error["data"]["field"]) == (-32600, "id")
        assert "53 bits" in error["data"]["allowed"]


@pytest.mark.parametrize(
    "asked",
    [
        '{"jsonrpc":"1.0","method":"get_data","id":5}',
        '{"method":"get_data","id":5}',
        '{"jsonrpc":"2.0","id":5}',
        '{"jsonrpc":"2.0","method":"get_data","params":"bar","id":5}',
        '{"jsonrpc":"2.0","method":"get_data","params":null,"id":5}',
        '{"jsonrpc":"2.0","method":"get_data","parms":[],"id":5}',
    ],
)
def test_an_invalid_request_is_told_its_id_where_it_has_one(line: Any, asked: str) -> None:
    for _ in range(10):  # its sender waits for that id, so it is never passed over as nonsense
        (answer,) = line.say(asked)
        told = json.loads(answer)
        assert (told["id"], told["error"]["code"]) == (5, -32600)
        assert set(told["error"]["data"]) == {"field", "value", "allowed", "message"}


@pytest.mark.parametrize(
    "asked",
    [
        '{"id":5,"temperature":21}',
        '{"jsonrpc":"2.0","method":1,"id":null}',
        '{"jsonrpc":"2.0","method":1}',
        '{"jsonrpc":"2.0","method":1,"id":[]}',
    ],
)
def test_what_no_one_waits_for_counts_as_nonsense(line: Any, asked: str) -> None:
    assert [len(line.say(asked)) for _ in range(8)] == [1] * 5 + [0] * 3


def test_a_batch_has_eight_requests_at_the_most(line: Any, examples: Examples) -> None:
    request = '{"jsonrpc":"2.0","method":"get_data","id":1}'
    (eight,) = line.say(f"[{','.join([request] * 8)}]")
    assert len(json.loads(eight)) == 8
    (nine,) = line.say(f"[{','.join([request] * 9)}]")
    assert json.loads(nine)["error"]["data"]["allowed"] == "1–8 requests"
    assert len(examples.heard) == 8


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ('{"minuend":1}', "subtrahend"),
        ('{"minuend":1,"subtrahend":2,"extra":3}', "extra"),
        ("[1,2,3]", "params"),
        ('{"minuend":1e400,"subtrahend":2}', "minuend"),
        ('{"minuend":9007199254740992,"subtrahend":2}', "minuend"),
        ('{"minuend":1,"subtrahend":"\\ud800"}', "subtrahend"),
    ],
)
def test_wrong_params_are_named(line: Any, examples: Examples, params: str, field: str) -> None:
    (answer,) = line.say(f'{{"jsonrpc":"2.0","method":"subtract","params":{params},"id":1}}')
    error = json.loads(answer)["error"]
    assert error["code"] == -32602
    assert error["data"]["field"] == field
    assert examples.heard == []


@pytest.mark.parametrize(
    "asked",
    [
        '{"jsonrpc":"2.0","method":"get_data","id":1,"id":2}',
        '{"jsonrpc":"2.0","method":"subtract","params":{"minuend":1,"minuend":2},"id":1}',
        '{"jsonrpc":"2.0","method":"sum","params":[' + "[" * 20 + "]" * 20 + '],"id":1}',
        "[" * 4000,
        '{"a":' * 800,
    ],
)
def test_what_readers_would_understand_differently_is_refused(
    line: Any, examples: Examples, asked: str
) -> None:
    (answer,) = line.say(asked)
    assert json.loads(answer)["error"]["code"] == -32700
    assert examples.heard == []
