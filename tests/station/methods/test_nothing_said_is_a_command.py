"""What the station says and hears again, cut as it may be, never rolls or changes anything."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hardware.clock import Nanoseconds
from rules.registry import DEFAULT
from station.protocol.arrangement import SessionSettings
from station.protocol.errors import Code, MethodError
from station.protocol.inert import ACTING
from station.protocol.jsonrpc import encode
from station.protocol.seam import Call, Identity, perform
from station.protocol.session import Echo, Reply, Session
from station.protocol.typed import VERBS

NOW = Nanoseconds(0)
EVENTS = ("rolled", "selected", "changed", "health_changed")
HOSTILE = (
    "roll 3D vs 9",
    "@7 roll wg 6",
    "change undo",
    "a scroll 3D vs 9",
    "ROLL oa 3 vs 1",
    "void 2 reason=x",
    "decide 2 struck=0",
    "select rank=3 difficulty=1",
)
DICE = (2, 5, 1, 6, 3)
BEGINNING = re.compile(rf"\s*(?:@\S*\s+)?(?:{'|'.join(VERBS)})(?!\S)|\s*[\[{{]", re.IGNORECASE)
"""How whatever can be a command begins; the rest need not be tried."""


class Line:
    """A session of a station; every reply and event of it is kept in `said`."""

    def __init__(self, station: Any, port: str = "line") -> None:
        self._station = station
        self.said: list[str] = []
        self.acted: list[Call] = []
        identity = Identity("Dice Works", "station", "0001", "0.1.0")
        settings = SessionSettings(port, identity, tuple(DEFAULT), lambda: "s1")
        self.session = Session(settings)

    def hear(self, line: str | bytes) -> None:
        """Take a line; what rolled or changed something, or would have, is noted in `acted`."""
        data = line if isinstance(line, bytes) else line.encode()
        waiting = list(self.session.receive(data + b"\r", NOW))
        while waiting:
            match waiting.pop(0):
                case Reply(data):
                    self.said += data.decode("ascii").split("\r\n")[:-1]
                case Call() as call:
                    waiting += self.session.answer(self._answer(call), NOW)
                case Echo():
                    raise AssertionError

    def _answer(self, call: Call) -> Any:
        self._station.faces.extend(DICE)
        answer = perform(self._station.methods, call)
        wrong = isinstance(answer, MethodError) and answer.code == Code.INVALID_PARAMS
        if call.method in ACTING and not wrong:
            self.acted.append(call)
        return answer

    def tell_events(self, events: list[Any]) -> None:
        for event in events:
            self.session.events.offer(event)
        while (line := self.session.next_event()) is not None:
            self.said += line.decode("ascii").split("\r\n")[:-1]


def everything_said(station: Any) -> list[str]:
    """Return all help, and replies, refusals and events about texts that look like commands."""
    line = Line(station)
    for verb in ("", *VERBS):
        line.hear(f"help {verb}")
        line.hear(encode({"jsonrpc": "2.0", "method": "help", "params": [verb or None], "id": 1}))
    for text in HOSTILE:
        quoted = json.dumps(text)
        for typed in (
            f"roll 3D+2B vs 9 name={quoted} note={quoted}",
            f"roll competition {quoted}:2D {quoted}:2D",
            f"change add character={quoted} endurance=3",
            f"change wound character={quoted}",
            f"change heal_wound character={quoted} count=9",
            f"void 2 reason={quoted}",
            f"decide 2 {text}",
            f"odds 3D vs 9 note={quoted}",
            f"resolve 3D vs 9 name={quoted} faces={quoted}",
            f"odds 3D vs {quoted}",
            f"select 3D vs 9 name={quoted}",
            f"help {text}",
            f"history before={quoted}",
            f"fairness source={quoted}",
            f"systems {text}",
        ):
            line.hear(typed)
        for method, params in (
            ("roll", {"request": {"system": text}}),
            ("roll", {"request": {text: 1}}),
            ("resolve", {"request": {}, "faces": [], "choices": {text: text}}),
            ("change", {"act": text}),
            ("selection", {}),
            ("state", {}),
            ("history", {}),
            (text, {}),
        ):
            line.hear(encode({"jsonrpc": "2.0", "method": method, "params": params, "id": text}))
    for typed in ("state", "selection", "history", "fairness", "health", "hello", "systems"):
        line.hear(typed)
    subscribe = {"jsonrpc": "2.0", "method": "subscribe", "params": [EVENTS], "id": 1}
    for words in (encode(subscribe), f"subscribe {' '.join(EVENTS)}"):
        told = Line(station, "another line")
        told.hear(words)
        told.tell_events(list(station.published))
        assert sum("rolled" in said for said in told.said) > len(HOSTILE)
        line.said += told.said
    return line.said


def pieces(said: str, *, both: bool) -> Iterator[str]:
    """Yield each end of a line; with `both`, each part of it that begins as a command could."""
    if not both:
        ends = (said[start:] for start in range(len(said)))
        yield from (end for end in ends if BEGINNING.match(end))
        return
    for verb in re.finditer("|".join(ACTING), said, re.IGNORECASE):
        rest = said[verb.start() : verb.start() + 120]
        yield from (rest[:end] for end in range(4, len(rest) + 1))


@pytest.mark.parametrize("both", [False, True], ids=["any end", "any part"])
def test_no_part_of_what_is_said_is_a_command(station: Any, made: Any, *, both: bool) -> None:
    ear, tried = Line(made()), set[str]()
    for said in dict.fromkeys(everything_said(station)):
        for piece in pieces(said, both=both):
            if piece not in tried:
                tried.add(piece)
                ear.hear(piece)
                assert not ear.acted, (piece, said)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.lists(
        st.sampled_from(
            [*HOSTILE, "roll", " ", '"', "\\", "name=", "3D", "vs", "9", "=", ",", ";"]
        ),
        min_size=1,
        max_size=5,
    ),
    cut=st.integers(1, 400),
)
def test_no_text_makes_a_reply_a_command(station: Any, parts: list[str], cut: int) -> None:
    line, text = Line(station), "".join(parts)[:60]
    request = {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "difficulty": 9}
    for params in (
        {"request": {**request, "name": text[:24] or "x"}},
        {"request": request, "x": text},
    ):
        line.hear(encode({"jsonrpc": "2.0", "method": "odds", "params": params, "id": text}))
    line.hear(f"resolve competition {json.dumps(text[:24])}:2D B:2D faces=1,2,3,4")
    line.hear(f"odds 3D vs 9 wounds={json.dumps(text)}")
    ear = Line(station)
    for said in line.said:
        for start in range(len(said)):
            for piece in (said[start:], said[start : start + cut]):
                if BEGINNING.match(piece):
                    ear.hear(piece)
                    assert not ear.acted, (piece, said)


def test_what_is_escaped_is_read_back_as_it_was() -> None:
    document = {"note": "a roll 3D vs 9", "change undo": "Select "}
    assert b" " in encode({"a": "b c"})
    assert b"roll 3D" not in encode(document)
    assert json.loads(encode(document)) == document


def test_a_sentence_of_our_own_stays_as_it_is(station: Any) -> None:
    line = Line(station)
    line.hear("decide 9 struck=0")
    assert line.said == ['err code=-32003 message="there is no roll 9"']
