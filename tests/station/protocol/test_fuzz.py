"""Garbage in: no crash, no roll that nobody asked for, and the next good line is answered."""

import itertools
import json
import random
import re
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from station.protocol.check import Check, split, with_check
from station.protocol.sizes import MAX_OUT

LINES_EACH = 50
"""Lines of garbage in one example."""

BASIC = {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "bonus": 2, "difficulty": 9}

SEEDS: list[bytes] = [
    b"*IDN?",
    b"hello",
    b"hello check=yes",
    b"@7 roll 3D+2B vs 9",
    b"roll 3D+2B-1P vs 9",
    b"roll wg attack 3+3+1 vs 4",
    b'roll competition Arya:3D+1B "Bran S":4D name=x',
    b"resolve 3D vs 9 faces=6,5,1",
    b"decide 812 shifts=damage:1,glory:1",
    b"history 5",
    b"help roll",
    b"subscribe rolled brief=yes",
    b"unsubscribe",
    b"echo on",
    b"echo off",
    b"odds 4D+1B vs 9",
    b"systems",
    b"change wound character=Arya count=2",
    b'{"jsonrpc":"2.0","method":"hello","params":{"check":false},"id":1}',
    b'{"jsonrpc":"2.0","method":"state","id":"x"}',
    b'{"jsonrpc":"2.0","method":"resolve","params":{"request":{},"faces":[1]},"id":2}',
    b'{"jsonrpc":"2.0","method":"subscribe","params":{"events":["rolled"]},"id":null}',
    b'[{"jsonrpc":"2.0","method":"health","id":1},{"jsonrpc":"2.0","method":"health"}]',
    b'{"jsonrpc":"2.0","result":{"seq":1},"id":1}',
    b"ok seq=1 success=yes",
    json.dumps(
        {"jsonrpc": "2.0", "method": "roll", "params": {"request": BASIC, "key": 7}, "id": 3}
    ).encode(),
    json.dumps({"jsonrpc": "2.0", "method": "roll", "params": {"request": BASIC}}).encode(),
]

MONSTERS: list[bytes] = [
    b"[" * 4000,
    b'{"a":' * 800,
    b'{"jsonrpc":"2.0","method":"state","id":' + b"9" * 4000 + b"}",
    b"roll " + b"9" * 4000 + b"D vs 9",
    b"roll 3D vs 9 rank=" + b"9" * 4000,
    b"@" + b"9" * 4000 + b" roll 3D vs 9",
    b'{"jsonrpc":"2.0","method":"roll","params":{"request":{"rank":1e999}},"id":1}',
    b"x" * 5000,
    b"\xff\xfe" * 20,
    '{"jsonrpc":"2.0","method":"état","id":"\U0001f3b2"}'.encode(),
]

_ROLL_TYPED = re.compile(rb"(@\S*\s+)?roll(\s|$)", re.IGNORECASE)


def garbage(dice: random.Random) -> bytes:
    """Return one line: a seed, mutated or not, a monster, or noise; sometimes with a check."""
    match dice.randrange(12):
        case 0:
            return dice.randbytes(dice.randrange(40))
        case 1:
            return dice.choice(MONSTERS)
        case 2:
            line = dice.choice(SEEDS)[: dice.randrange(60)]
        case 3:
            line = dice.choice(SEEDS) + dice.choice(SEEDS)
        case 4 | 5 | 6:
            line = dice.choice(SEEDS)
        case _:
            line = mutated(dice.choice(SEEDS), dice)
    match dice.randrange(6):
        case 0:
            return with_check(line)
        case 1:
            return line + b"*%04X" % dice.randrange(65536)
        case _:
            return line


def mutated(line: bytes, dice: random.Random) -> bytes:
    data = bytearray(line)
    for _ in range(dice.randrange(1, 4)):
        place = dice.randrange(len(data) + 1)
        match dice.randrange(4):
            case 0:
                data[place : place + 1] = b""
            case 1:
                data.insert(place, dice.randrange(256))
            case 2:
                data[place : place + 1] = bytes([dice.randrange(256)])
            case _:
                end = place + dice.randrange(6)
                data[place:place] = data[place:end] * dice.randrange(1, 4)
    return bytes(data)


def asks_for_a_roll(line: bytes) -> bool:
    """Say whether any of what stands between ends of lines asks for a roll, judged apart."""
    return any(_asks(part) for part in re.split(rb"[\r\n]", line))


def _asks(line: bytes) -> bool:
    body, check = split(line.rstrip(b" \t"))
    if check is Check.WRONG or len(line) > 4096:
        return False
    if not line.lstrip(b" \t").startswith((b"{", b"[")):
        return _ROLL_TYPED.match(body.strip()) is not None
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return False
    parts = document if isinstance(document, list) else [document]
    return any(isinstance(part, dict) and part.get("method") == "roll" for part in parts)


def fuzz(wire: Any, dice: random.Random) -> None:
    station = wire.methods
    for _ in range(LINES_EACH):
        line, rolls = garbage(dice), len(station.rolls)
        out = b""
        if dice.random() < 0.3:
            cut = dice.randrange(len(line) + 1)
            out = wire.send(line[:cut])
            line_end = line[cut:]
        else:
            line_end = line
        out += wire.send(line_end + dice.choice([b"\r", b"\n", b"\r\n"]))
        assert out.isascii()
        assert all(len(each) + 2 <= MAX_OUT for each in out.split(b"\r\n"))
        # With echo on, some keys edit the line: only what the station kept can be judged.
        if len(station.rolls) > rolls and not set(line) & {0x03, 0x08, 0x1B, 0x7F}:
            assert asks_for_a_roll(line), line
    key = f"key-{dice.getrandbits(64):016x}"
    good = {"jsonrpc": "2.0", "method": "roll", "params": {"request": BASIC, "key": key}, "id": key}
    replies = []
    for _ in range(2):
        (reply,) = wire.say(with_check(json.dumps(good).encode()))
        replies.append(json.loads(reply.rsplit("*", 1)[0]))
    assert [reply["id"] for reply in replies] == [key, key]
    assert [reply["result"]["replayed"] for reply in replies] == [False, True]


@settings(max_examples=400)
@given(seed=st.integers(0, 2**64))
def test_twenty_thousand_lines_of_garbage(
    make_wire: Callable[..., Any], make_station: Callable[[], Any], seed: int
) -> None:
    fuzz(make_wire(make_station()), random.Random(seed))  # noqa: S311 - repeatable by its seed


@pytest.mark.slow
@settings(max_examples=20_000)
@given(seed=st.integers(0, 2**64))
def test_a_million_lines_of_garbage(
    make_wire: Callable[..., Any], make_station: Callable[[], Any], seed: int
) -> None:
    fuzz(make_wire(make_station()), random.Random(seed))  # noqa: S311 - repeatable by its seed


@settings(max_examples=200)
@given(
    data=st.lists(st.one_of(st.sampled_from(SEEDS), st.binary(max_size=20)), max_size=6),
    cuts=st.lists(st.integers(0, 600), max_size=10),
)
def test_how_bytes_are_cut_never_matters(
    make_wire: Callable[..., Any],
    make_station: Callable[[], Any],
    data: list[bytes],
    cuts: list[int],
) -> None:
    stream = b"\r".join(data) + b"\r"
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    whole, pieces = make_wire(make_station()), make_wire(make_station())
    said = b"".join(pieces.send(stream[a:b]) for a, b in itertools.pairwise(places))
    assert said == whole.send(stream)
    assert pieces.echoed == whole.echoed


@settings(max_examples=200)
@given(data=st.lists(st.one_of(st.sampled_from(SEEDS), st.binary(max_size=20)), max_size=8))
def test_own_output_fed_back_is_never_answered_and_never_rolls(
    make_wire: Callable[..., Any], make_station: Callable[[], Any], data: list[bytes]
) -> None:
    station = make_station()
    wire = make_wire(station)
    for line in data:
        said = b"".join(each.encode() + b"\r\n" for each in wire.say(line))
        calls = len(station.calls)
        if b"echo on" not in line.lower():
            assert wire.send(said) == b""
            assert len(station.calls) == calls


@pytest.mark.parametrize("monster", MONSTERS, ids=[repr(line[:24]) for line in MONSTERS])
def test_a_monster_is_answered_once_and_harms_nothing(wire: Any, monster: bytes) -> None:
    assert len(wire.say(monster)) == 1
    assert wire.methods.rolls == []
    assert wire.say("resolve 1D vs 1 faces=6")[0].startswith("ok success=yes")


@pytest.mark.parametrize(
    "flood",
    [b"x", b"[", b'{"a":', b"9", b"\xff", b"\x00"],
    ids=["letters", "brackets", "objects", "digits", "no UTF-8", "zeros"],
)
def test_ten_megabytes_without_an_end_need_little_memory(wire: Any, flood: bytes) -> None:
    chunk = flood * (4096 // len(flood))
    wire.say("hello")
    tracemalloc.start()
    try:
        for _ in range(10 * 1024 * 1024 // len(chunk)):
            assert wire.send(chunk) == b""
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 256 * 1024
    assert len(wire.send(b"\r").splitlines()) == 1
    assert wire.say("resolve 1D vs 1 faces=6")[0].startswith("ok success=yes")


def test_ten_thousand_brackets_and_a_hundred_thousand_digits_at_once(wire: Any) -> None:
    for line in (b"[" * 10_000 + b"]" * 10_000, b'{"id":' + b"7" * 100_000 + b"}"):
        assert json.loads(wire.say(line)[0])["error"]["code"] == -32700
    assert wire.say("resolve 1D vs 1 faces=6")[0].startswith("ok success=yes")
