"""What a client at the line may ask, and when the station is silent."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from hardware.entropy.dice import EntropyUnavailable
from rules.errors import RulesError
from rules.registry import DEFAULT
from station.ledger.errors import (
    Cause,
    KeyReusedError,
    NotPossibleError,
    UnavailableError,
    fault,
)
from station.protocol.check import with_check
from station.protocol.errors import MethodError
from station.protocol.events import Event, EventName
from station.protocol.exchange import TypedExchange
from station.protocol.listening import Form, Listening
from station.protocol.seam import Call, Caller, Identity
from station.protocol.session import Reply
from station.protocol.sizes import MAX_OUT, fitted
from station.protocol.typed import TypedRequest

BASIC = {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "bonus": 2, "difficulty": 9}


def rpc(method: str, number: Any = 1, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": number})


def checked(line: str) -> bytes:
    return with_check(line.encode())


def answer(lines: list[str]) -> Any:
    (line,) = lines
    return json.loads(line)


def error(lines: list[str]) -> dict[str, Any]:
    return dict(answer(lines)["error"])


# What there is to see on the line


def test_nothing_is_said_before_anyone_asks(wire: Any) -> None:
    assert wire.send(b"") == b""
    assert wire.session.next_event() is None


def test_the_courtesy_that_instrument_software_asks_for(wire: Any) -> None:
    assert wire.say("*IDN?") == ["Dice Works,station,0001,0.1.0"]
    assert wire.say(b"*idn?\r\n") == ["Dice Works,station,0001,0.1.0"]
    assert wire.say(checked("*IDN?")) == [checked("Dice Works,station,0001,0.1.0").decode()]


@pytest.mark.parametrize("part", ["", "a,b", "é", "line\n"])
def test_an_identity_is_one_line_of_four_parts(part: str) -> None:
    with pytest.raises(ValueError, match=r"model is .*; allowed: printable ASCII"):
        Identity("maker", part, "1", "0.1")


def test_hello_says_what_the_station_is_and_can(wire: Any) -> None:
    told = answer(wire.say(rpc("hello", client="a test")))["result"]
    assert told == {
        "station": "table 1",
        "version": "0.1.0",
        "protocol": 1,
        "capabilities": ["batch", "check", "echo", "events", "typed", "ledger"],
        "max_in": 4096,
        "max_out": 16384,
        "systems": ["seven-kingdoms", "wrath-and-glory", "opposed-attribute"],
        "entropy": {"state": "ok", "source": "urandom"},
        "session": "session-1",
    }
    assert next(a for a in wire.actions if isinstance(a, Reply)).fresh


def test_help_refuses_what_is_no_word(wire: Any) -> None:
    assert error(wire.say(rpc("help", verb=5)))["data"]["field"] == "verb"


@pytest.mark.parametrize(
    ("params", "field"),
    [({"check": 1}, "check"), ({"client": ""}, "client"), ({"client": 5}, "client")],
)
def test_hello_refuses_what_it_can_t_use(wire: Any, params: dict[str, Any], field: str) -> None:
    assert error(wire.say(rpc("hello", **params)))["data"]["field"] == field


def test_a_hello_that_the_station_refuses_begins_no_session(make_wire: Callable[..., Any]) -> None:
    class Refusing:
        def call(self, *_: object) -> Any:
            raise MethodError(-32003, "not now")

    wire = make_wire(Refusing())
    assert error(wire.say(rpc("hello")))["code"] == -32003
    assert error(wire.say(rpc("roll", request=BASIC, key=7)))["code"] == -32006


def test_json_and_typing_may_be_mixed_line_by_line(wire: Any) -> None:
    assert answer(wire.say(rpc("resolve", request=BASIC, faces=[2, 5, 1, 6, 3])))["id"] == 1
    assert wire.say("resolve 3D+2B vs 9 faces=2,5,1,6,3") == [
        (
            'ok success=yes total=14 difficulty=9 margin=5 degrees=2 degree_name="Great Success" '
            "kept=6,5,3 dropped=2,1"
        )
    ]


def test_a_fault_that_no_one_foresaw_is_still_answered(
    wire: Any, caplog: pytest.LogCaptureFixture
) -> None:
    assert error(wire.say(rpc("fairness")))["code"] == -32603
    assert "no one foresaw" in caplog.text


def test_a_refusal_of_the_rules_names_field_value_and_allowed(wire: Any) -> None:
    refused = error(wire.say(rpc("roll", request={**BASIC, "rank": 21})))
    assert refused["code"] == -32602
    assert refused["data"] == {"field": "rank", "value": 21, "allowed": "a whole number 1–20"}


def test_an_unknown_method_is_told_which_there_are(wire: Any) -> None:
    refused = error(wire.say(rpc("rol", 9)))
    assert refused["message"] == "Method not found"
    assert refused["data"]["value"] == "rol"
    assert "roll" in refused["data"]["allowed"]


def test_only_what_is_typed_can_be_echoed(wire: Any) -> None:
    assert error(wire.say(rpc("echo", echo=True)))["code"] == -32601


@pytest.mark.parametrize(
    ("raised", "code", "data"),
    [
        (RulesError(("request", "rank"), 0, "1–20"), -32602, "request.rank"),
        (KeyReusedError("key-0001", 7), -32002, "key"),
        (NotPossibleError("there is no roll 9"), -32003, None),
        (UnavailableError(fault(Cause.FULL)), -32004, None),
        (EntropyUnavailable("hwrng: no bytes came"), -32005, None),
        (MethodError(-32003, "already taken"), -32003, None),
    ],
)
def test_every_part_of_the_station_refuses_with_its_own_code(
    make_wire: Callable[..., Any], raised: Exception, code: int, data: str | None
) -> None:
    class Refusing:
        def call(self, *_: object) -> Any:
            raise raised

    refused = error(make_wire(Refusing()).say(rpc("state")))
    assert refused["code"] == code
    assert (refused.get("data") or {}).get("field") == data
    assert str(refused["message"])


def test_a_call_tells_its_key() -> None:
    assert Call("roll", {"key": 7}, Caller("wire")).key == 7
    assert Call("roll", {}, Caller("wire")).key is None


# Keys


def test_a_key_rolls_once_and_then_replays(wire: Any, station: Any) -> None:
    first = answer(wire.say(rpc("roll", 1, request=BASIC, key="a-long-key")))["result"]
    again = answer(wire.say(rpc("roll", 2, request=BASIC, key="a-long-key")))["result"]
    assert again == {**first, "replayed": True}
    assert len(station.rolls) == 1


def test_a_key_with_other_params_is_refused(wire: Any, station: Any) -> None:
    wire.say(rpc("roll", request=BASIC, key="a-long-key"))
    refused = error(wire.say(rpc("roll", request={**BASIC, "rank": 4}, key="a-long-key")))
    assert (refused["code"], refused["data"]["field"]) == (-32002, "key")
    assert len(station.rolls) == 1


@pytest.mark.parametrize("key", ["seven c", "x" * 65, "with\ta tab", True, 1.5, None, [], 2**53])
def test_what_is_no_key_is_refused(wire: Any, station: Any, key: object) -> None:
    refused = error(wire.say(rpc("roll", request=BASIC, key=key)))
    assert (refused["code"], refused["data"]["field"]) == (-32602, "key")
    assert station.rolls == []


def test_a_short_key_belongs_to_the_session_that_hello_opened(wire: Any, station: Any) -> None:
    assert error(wire.say(rpc("roll", request=BASIC, key=7)))["code"] == -32006
    assert wire.say("@7 roll 3D vs 9")[0].startswith("err @7 code=-32006 message=")
    assert station.rolls == []
    wire.say(rpc("hello"))
    wire.say(rpc("roll", request=BASIC, key=7))
    assert answer(wire.say(rpc("roll", request=BASIC, key=7)))["result"]["replayed"]
    wire.say("hello")
    assert not answer(wire.say(rpc("roll", request=BASIC, key=7)))["result"]["replayed"]
    assert len(station.rolls) == 2


def test_a_reopened_port_needs_a_new_hello(wire: Any) -> None:
    wire.say("hello")
    wire.session.reopened()
    assert error(wire.say(rpc("roll", request=BASIC, key=7)))["code"] == -32006


def test_a_key_that_changes_nothing_is_only_a_mark_on_a_typed_line(wire: Any) -> None:
    assert wire.say("@7 resolve 1D vs 1 faces=6")[0].startswith("ok @7 success=yes")


# The check


def test_a_wrong_check_rolls_nothing_and_repeats_no_id(wire: Any, station: Any) -> None:
    told = answer([line.rsplit("*", 1)[0] for line in wire.say(rpc("roll", 5) + "*0000")])
    assert told["error"]["code"] == -32001
    assert told["id"] is None
    (line,) = wire.say("@7 roll 3D vs 9*0000")
    assert line.startswith("err code=-32001 message=")
    assert station.calls == []


def test_a_checked_request_gets_a_checked_reply(wire: Any) -> None:
    (line,) = wire.say(checked("resolve 1D vs 1 faces=6"))
    assert line.encode() == with_check(line.rsplit("*", 1)[0].encode())
    (line,) = wire.say("resolve 1D vs 1 faces=6")
    assert "*" not in line


def test_hello_makes_the_check_compulsory(wire: Any, station: Any) -> None:
    (line,) = wire.say(rpc("hello", check=True))
    assert line.encode() == with_check(line.rsplit("*", 1)[0].encode())
    (line,) = wire.say("roll 3D vs 9")
    assert line.startswith("err code=-32001")
    assert line.encode() == with_check(line.rsplit("*", 1)[0].encode())
    assert station.rolls == []
    (line,) = wire.say(checked("roll 3D vs 9"))
    assert line.startswith("ok seq=1")


def test_a_compulsory_check_is_in_events_too(wire: Any) -> None:
    wire.say(rpc("hello", check=True))
    wire.say(checked(rpc("subscribe", events=["rolled"])))
    wire.session.events.offer(Event(EventName.ROLLED, {"seq": 1}))
    line = wire.session.next_event().removesuffix(b"\r\n")
    assert line == with_check(line[:-5])


def test_whoever_comes_next_can_begin_without_a_check(wire: Any) -> None:
    wire.say(rpc("hello", check=True))
    assert "*" not in wire.say("hello")[0]
    assert wire.say("resolve 1D vs 1 faces=6")[0].startswith("ok success=yes")


# Silence


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","result":19,"id":1}',
        '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}',
        '[{"jsonrpc":"2.0","result":7,"id":"1"},{"jsonrpc":"2.0","result":8,"id":"2"}]',
        '{"jsonrpc":"2.0","method":"rolled","params":{"seq":1}}',
        "ok seq=1",
        "ok",
        "OK",
        "ok . roll DICE",
        'err @7 code=-32001 message="the check at the end of the line is wrong"',
        "ev event=rolled seq=1",
        "Dice Works,station,0001,0.1.0",
    ],
)
def test_own_speech_is_never_answered(wire: Any, line: str) -> None:
    for _ in range(10):
        assert wire.say(line) == []
        assert wire.say(checked(line)) == []
        assert wire.say(f"{line}*0000") == []


def test_own_speech_is_not_answered_where_a_check_is_compulsory(wire: Any) -> None:
    wire.say("hello check=yes")
    assert wire.say("ok seq=1") == []
    assert wire.say('{"jsonrpc":"2.0","result":19,"id":1}') == []


@pytest.mark.parametrize(
    "nonsense",
    ["{", '{"foo":1}', "[1]", "rol 3D", "roll 3D vs 9*0000", "x" * 5000, "AT+GCAP", "\x00\xff"],
)
def test_nonsense_is_answered_five_times(wire: Any, nonsense: str) -> None:
    assert [len(wire.say(nonsense)) for _ in range(8)] == [1] * 5 + [0] * 3
    assert len(wire.say("resolve 1D vs 1 faces=6")) == 1
    assert len(wire.say(nonsense)) == 1


@pytest.mark.parametrize(
    "line",
    ["roll 3D vs", rpc("nothing"), rpc("roll", request={}), '{"jsonrpc":"2.0","method":"state"}'],
)
def test_a_well_formed_request_is_always_understood(wire: Any, line: str) -> None:
    wanted = 0 if '"id"' not in line and line.startswith("{") else 1
    for _ in range(10):
        wire.say("gibberish")
        assert len(wire.say(line)) == wanted
        assert len(wire.say("gibberish")) == 1


def test_own_speech_longer_than_a_line_in_is_known_by_its_beginning(wire: Any) -> None:
    systems = wire.say(rpc("systems"))[0]
    said = [systems, f"[{systems}]"]
    said += ['{"jsonrpc":"2.0","method":"rolled","params":' + "x" * 5000, "ok x=" + "9" * 5000]
    for line in said:
        assert len(line) > 4096
        assert wire.say(line) == []


def test_two_stations_that_hear_each_other_fall_silent(
    make_wire: Callable[..., Any], make_station: Callable[[], Any]
) -> None:
    left, right = make_wire(make_station()), make_wire(make_station())
    line, exchanged = b"boot garbage {\r", 0
    ears = [left, right]
    while line:
        line = ears[exchanged % 2].send(line)
        exchanged += 1
    assert exchanged == 2
    assert left.methods.calls == right.methods.calls == []


# One request at a time


def test_the_next_line_waits_for_the_answer(wire: Any) -> None:
    session = wire.session
    both = f"{rpc('state', 1)}\r{rpc('state', 2)}\r".encode()
    (first,) = session.receive(both, wire.now)
    assert isinstance(first, Call)
    assert session.busy
    assert session.receive(b"*IDN?\r", wire.now) == []
    reply, second = session.answer({"done": 1}, wire.now)
    assert json.loads(reply.data) == {"jsonrpc": "2.0", "result": {"done": 1}, "id": 1}
    assert isinstance(second, Call)
    last = session.answer({"done": 2}, wire.now)
    assert [json.loads(last[0].data)["id"], last[1].data] == [
        2,
        b"Dice Works,station,0001,0.1.0\r\n",
    ]


def test_an_answer_to_nothing_is_a_fault_of_the_program(wire: Any) -> None:
    with pytest.raises(RuntimeError, match="no call is in work"):
        wire.session.answer({}, wire.now)


def test_nothing_else_is_sent_between_a_request_and_its_reply(wire: Any) -> None:
    wire.say(rpc("subscribe", events=["rolled"]))
    (call,) = wire.session.receive(b"state\r", wire.now)
    assert isinstance(call, Call)
    wire.session.events.offer(Event(EventName.ROLLED, {"seq": 1}))
    assert wire.session.next_event() is None
    wire.session.answer({}, wire.now)
    assert wire.session.next_event() is not None


def test_forgetting_a_session_drops_input_to_the_line_s_end(wire: Any, station: Any) -> None:
    wire.say("hello")
    wire.say("subscribe rolled")
    wire.send(b"roll 3D v")
    wire.session.forget()
    assert wire.send(b"s 9\r") == b""
    assert wire.say("@7 roll 3D vs 9")[0].startswith("err @7 code=-32006")
    wire.session.events.offer(Event(EventName.ROLLED, {"seq": 1}))
    assert wire.session.next_event() is None
    assert station.rolls == []


# Events


def test_a_subscriber_is_told_and_the_port_that_asked_is_not(wire: Any) -> None:
    told = answer(wire.say(rpc("subscribe", events=["rolled", "changed"])))
    assert told["result"] == {"events": ["rolled", "changed"], "brief": False}
    events = wire.session.events
    assert not events.offer(Event(EventName.ROLLED, {"seq": 1}, origin="wire"))
    assert not events.offer(Event(EventName.SELECTED, {}))
    assert events.offer(Event(EventName.ROLLED, {"seq": 2}, origin="another"))
    assert (
        wire.session.next_event() == b'{"jsonrpc":"2.0","method":"rolled","params":{"seq":2}}\r\n'
    )
    assert wire.session.next_event() is None


def test_a_typed_subscriber_is_told_in_typed_lines(wire: Any) -> None:
    assert wire.say("subscribe rolled brief=yes") == ["ok events=rolled brief=yes"]
    brief = {"seq": 9, "success": True, "value": 14, "need": 9, "faces": [6, 5, 3]}
    wire.session.events.offer(Event(EventName.ROLLED, {"seq": 9, "outcome": {}}, brief))
    assert wire.session.next_event() == (
        b"ev event=rolled seq=9 success=yes value=14 need=9 faces=6,5,3\r\n"
    )


def test_of_too_many_events_the_oldest_are_dropped_and_counted(wire: Any) -> None:
    wire.say(rpc("subscribe", events=["rolled"]))
    for seq in range(100):
        wire.session.events.offer(Event(EventName.ROLLED, {"seq": seq}))
    told = []
    while (line := wire.session.next_event()) is not None:
        told.append(json.loads(line)["params"])
    assert told[0] == {"seq": 36, "dropped": 36}
    assert told[1:] == [{"seq": seq} for seq in range(37, 100)]


def test_unsubscribing_ends_some_or_all(wire: Any) -> None:
    wire.say(rpc("subscribe", events=["rolled", "changed", "selected"]))
    told = answer(wire.say(rpc("unsubscribe", events=["changed"])))
    assert told["result"] == {"events": ["rolled", "selected"]}
    wire.session.events.offer(Event(EventName.ROLLED, {"seq": 1}))
    assert answer(wire.say(rpc("unsubscribe")))["result"] == {"events": []}
    assert wire.session.next_event() is None


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"events": []}, "events"),
        ({"events": "rolled"}, "events"),
        ({"events": ["rolled", "rold"]}, "events[1]"),
        ({"events": ["rolled"], "brief": 1}, "brief"),
        ({}, "events"),
    ],
)
def test_a_wrong_subscription_is_refused(wire: Any, params: dict[str, Any], field: str) -> None:
    assert error(wire.say(rpc("subscribe", **params)))["data"]["field"] == field


def test_a_listener_that_cannot_subscribe_is_told_by_configuration(
    make_wire: Callable[..., Any], station: Any
) -> None:
    wire = make_wire(station, listening=Listening(frozenset({"rolled"}), form=Form.TYPED))
    wire.session.events.offer(Event(EventName.ROLLED, {"seq": 3}))
    assert wire.session.next_event() == b"ev event=rolled seq=3\r\n"
    wire.session.forget()
    wire.session.events.offer(Event(EventName.ROLLED, {"seq": 4}))
    assert wire.session.next_event() == b"ev event=rolled seq=4\r\n"


def test_a_configured_event_must_exist() -> None:
    with pytest.raises(ValueError, match="events has 'rold'; allowed: rolled, selected"):
        Listening(frozenset({"rold"}))


# Sizes


BIG = {
    "system": "seven-kingdoms",
    "kind": "competition",
    "contestants": [{"rank": 20, "bonus": 20} for _ in range(12)],
}


def test_an_outcome_too_large_leaves_out_its_dice(wire: Any) -> None:
    line = wire.say(rpc("roll", request=BIG))[0]
    assert len(line) + 2 <= MAX_OUT
    outcome = json.loads(line)["result"]["outcome"]
    assert outcome["truncated"] is True
    assert "dice" not in outcome
    assert len(json.loads(line)["result"]["faces"]) == 480


def test_a_byte_order_mark_before_json_is_ignored(wire: Any) -> None:
    (line,) = wire.say("\ufeff" + rpc("state"))
    assert json.loads(line)["error"]["code"] == -32003


def test_a_number_that_json_lacks_is_named_as_any_other_field(wire: Any) -> None:
    """As `rank` is when it is merely out of range, and not by its place in the params."""
    for rank in ("NaN", "99"):
        line = rpc("odds", request=BASIC).replace('"rank": 3', f'"rank": {rank}')
        assert json.loads(wire.say(line)[0])["error"]["data"]["field"] == "rank"


def test_a_batch_shares_the_room_of_its_line(wire: Any) -> None:
    batch = f"[{','.join(rpc('roll', n, request=BIG) for n in range(2))}]"
    (line,) = wire.say(checked(batch))
    assert len(line) + 2 <= MAX_OUT
    results = json.loads(line.rsplit("*", 1)[0])
    assert all(each["result"]["outcome"]["truncated"] for each in results)


@pytest.mark.parametrize("name", ["A", "\u6f22" * 24])
def test_a_batch_of_rolls_is_never_refused_once_they_were_made(wire: Any, name: str) -> None:
    """Eight rolls share a line whose room is an eighth of what each would take."""
    many = {**BIG, "contestants": [{"name": name, "rank": 20}] * 9}
    (line,) = wire.say(f"[{','.join(rpc('roll', n, request=BIG) for n in range(8))}]")
    told = json.loads(line)
    assert [each["result"]["seq"] for each in told] == list(range(1, 9))
    assert all(each["result"]["outcome"]["truncated"] for each in told)
    (line,) = wire.say(f"[{rpc('roll', 1, request=many)}]")
    assert json.loads(line)[0]["result"]["seq"] == 9


SIMPLE = {"seq": 8, "faces": [6] * 40, "keyed": True}


def test_what_was_written_is_told_in_any_room() -> None:
    roll = {"seq": 8, "faces": [6] * 40, "request": {"a": "x" * 900}, "keyed": True}
    roll["outcome"] = {"success": True, "explanation": "y" * 900, "dice": [{}] * 900}
    assert [json.loads(fitted(roll, room)) for room in (900, 200, 60)] == [
        {**SIMPLE, "outcome": {"success": True, "truncated": True}},
        {**SIMPLE, "outcome": {"success": True, "truncated": True}},
        {"seq": 8, "keyed": True, "truncated": True},
    ]
    change = {"change": 7, "state": {"characters": ["x" * 900]}, "replayed": False}
    assert json.loads(fitted(change, 100)) == {"change": 7, "replayed": False, "truncated": True}


def test_a_typed_change_too_large_for_a_line_is_told_by_its_number() -> None:
    exchange = TypedExchange(TypedRequest("change", {}, key=None), tuple(DEFAULT))
    exchange.answer({"change": 7, "state": {"glory": 1, "names": ["x" * 9] * 2000}})
    assert exchange.reply() == [b"ok change=7 truncated=yes"]


def test_a_batch_that_fits_its_line_is_told_whole(wire: Any) -> None:
    (line,) = wire.say(f"[{rpc('hello', 1)},{rpc('systems', 2)}]")
    hello, systems = json.loads(line)
    assert hello["result"]["protocol"] == 1
    assert len(systems["result"]["systems"]) == 3


def test_history_gives_as_many_rolls_as_fit(wire: Any, station: Any) -> None:
    for _ in range(60):
        wire.say(rpc("roll", request=BASIC))
    line = wire.say(rpc("history"))[0]
    told = json.loads(line)["result"]
    assert told["more"] is True
    assert MAX_OUT - 1000 < len(line) + 2 <= MAX_OUT
    assert told["rolls"] == station.rolls[::-1][: len(told["rolls"])]


def test_one_roll_of_history_always_comes(wire: Any) -> None:
    wire.say(rpc("roll", request=BIG))
    told = json.loads(wire.say(rpc("history"))[0])["result"]
    assert told["rolls"][0]["outcome"]["truncated"] is True


def test_large_rolls_of_history_leave_out_their_dice_so_that_several_fit(wire: Any) -> None:
    for _ in range(4):
        wire.say(rpc("roll", request=BIG))
    told = json.loads(wire.say(rpc("history"))[0])["result"]
    assert len(told["rolls"]) > 1


def test_an_answer_that_can_t_be_cut_is_an_error(wire: Any) -> None:
    batch = f"[{','.join(rpc('systems', n) for n in range(8))}]"
    (line,) = wire.say(batch)
    assert {each["error"]["code"] for each in json.loads(line)} == {-32603}


def test_an_event_too_large_is_cut_like_its_roll(wire: Any, station: Any) -> None:
    wire.say(rpc("roll", request=BIG))
    wire.say(rpc("subscribe", events=["rolled", "changed"]))
    wire.session.events.offer(Event(EventName.ROLLED, station.rolls[0]))
    line = wire.session.next_event()
    assert len(line) <= MAX_OUT
    assert json.loads(line)["params"]["outcome"]["truncated"] is True
    wire.session.events.offer(Event(EventName.CHANGED, {"seq": 8, "state": "x" * MAX_OUT}))
    assert json.loads(wire.session.next_event())["params"] == {"seq": 8, "truncated": True}


def test_every_system_can_be_described_on_one_line(wire: Any) -> None:
    assert len(wire.say(rpc("systems"))[0]) + 2 <= MAX_OUT


def test_a_program_can_ask_for_help_with_every_kind_of_test(wire: Any) -> None:
    (line,) = wire.say(rpc("help", verb="roll"))
    titles = [kind.title for system in DEFAULT for kind in system.kinds]
    assert [title for title in titles if title not in line] == []


# Blanks


@pytest.mark.parametrize("blanks", [" ", "\t", "   "])
@pytest.mark.parametrize(
    "line",
    ["*IDN?", "resolve 3D vs 9 faces=6,5,1", "@7 resolve 3D vs 9 faces=6,5,1", rpc("help")],
)
def test_blanks_around_a_line_never_matter(wire: Any, line: str, blanks: str) -> None:
    plain = wire.say(line)
    assert plain
    assert not plain[0].startswith("err")
    for around in (f"{blanks}{line}", f"{line}{blanks}", f"{blanks}{line}{blanks}"):
        assert wire.say(around) == plain
        assert wire.say(with_check(around.encode()) + blanks.encode()) == [
            *plain[:-1],
            with_check(plain[-1].encode()).decode(),
        ]


@pytest.mark.parametrize("line", ["ok seq=1", '{"jsonrpc":"2.0","result":1,"id":1}', "ev x=1"])
def test_own_speech_with_blanks_around_it_is_never_answered(wire: Any, line: str) -> None:
    own = "Dice Works,station,0001,0.1.0"
    for said in (line, own, f"{line} {'x' * 5000}"):
        assert wire.say(f"  {said} ") == []


def test_a_wrong_check_with_blanks_behind_it_is_seen(wire: Any, station: Any) -> None:
    (line,) = wire.say("roll 3D vs 9*0000  ")
    assert line.startswith("err code=-32001")
    assert wire.say("roll 3D vs 9 name=x*0000 ")[0].startswith("err code=-32001")
    assert station.rolls == []


# Keys in errors


def test_a_key_in_an_error_is_the_value_that_was_sent(wire: Any) -> None:
    refused = error(wire.say(rpc("roll", request=BASIC, key=7)))
    assert (refused["code"], refused["data"]["field"], refused["data"]["value"]) == (
        -32006,
        "key",
        7,
    )
    assert "hello" in refused["data"]["allowed"]
    wire.say("hello")
    for key in (7, "a-long-key", "12345678"):
        wire.say(rpc("roll", request=BASIC, key=key))
        refused = error(wire.say(rpc("roll", request={**BASIC, "rank": 4}, key=key)))
        assert refused["code"] == -32002
        assert refused["data"]["value"] == key
        assert type(refused["data"]["value"]) is type(key)
        assert refused["data"]["allowed"]
