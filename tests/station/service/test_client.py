"""The client asks once and gets its own answer, whatever the line does."""

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hardware.serialport.errors import PortLostError
from hardware.serialport.local import LocalPort
from hardware.serialport.port import SerialPort
from hardware.serialport.simulated import Cable
from rules.pool_kinds import BasicTest
from station.client import (
    ClientError,
    Hello,
    NoAnswerError,
    RefusedError,
    Roll,
    Station,
    StationEvent,
    line_to,
)
from station.protocol.check import with_check
from station.protocol.events import Event, EventName
from station.service import PortConfig, Service

SOON = 5.0
POOL = {"system": "wrath-and-glory", "kind": "test", "pool": 6}


@pytest.fixture
def service(serve: Callable[..., Service], tmp_path: Path) -> Service:
    return serve(socket=tmp_path / "socket")


@pytest.fixture
def station(service: Service, tmp_path: Path) -> Any:
    assert service
    with Station(tmp_path / "socket") as station:
        yield station


def test_opening_a_line_begins_a_session(station: Station) -> None:
    hello = station.hello
    assert isinstance(hello, Hello)
    assert (hello.station, hello.protocol, hello.max_in) == ("small", 1, 4096)
    assert "check" in hello.capabilities


def test_a_roll_is_keyed_and_typed(station: Station, methods: Any) -> None:
    roll = station.roll(POOL)
    assert roll == Roll(
        seq=1,
        time=None,
        request=POOL,
        faces=(6,),
        outcome={"total": 6},
        source=None,
        hash=None,
        recorded=True,
        keyed=True,
        replayed=False,
    )
    assert len(methods.rolls) == 1


def test_a_key_of_one_s_own_may_be_asked_for_again(station: Station, methods: Any) -> None:
    first = station.roll(POOL, key="my-own-key")
    again = station.roll(POOL, key="my-own-key")
    assert (first.replayed, again.replayed, first.seq) == (False, True, again.seq)
    with pytest.raises(RefusedError, match="with other params") as refused:
        station.roll({**POOL, "pool": 7}, key="my-own-key")
    assert (refused.value.code, refused.value.data["field"]) == (-32002, "key")
    assert len(methods.rolls) == 1


def test_a_short_key_is_refused_as_trying_again_begins_a_session_where_it_is_new(
    station: Station, methods: Any
) -> None:
    """A roll whose answer was lost would be rolled again for the same short key."""
    for ask in (
        lambda: station.roll(POOL, key=7),  # type: ignore[arg-type] # as a program may
        lambda: station.call("roll", {"request": POOL, "key": 7}),
    ):
        with pytest.raises(ClientError, match=r"key is 7; allowed: text of 8–64 printable"):
            ask()
    assert not methods.rolls


def test_what_no_line_can_tell_is_refused_before_it_is_sent(station: Station, methods: Any) -> None:
    for value, said in (
        (float("nan"), "can't be told in JSON"),
        ({1}, "can't be told in JSON"),
        ("x" * 4096, r"roll takes 42\d\d bytes; allowed: 4091"),
    ):
        with pytest.raises(ClientError, match=said):
            station.roll({**POOL, "pool": value})
    assert not methods.rolls


def test_a_roll_tells_what_is_unusual_about_it() -> None:
    roll = Roll.of({"seq": 3, "faces": None, "outcome": None, "hidden": True, "test": True})
    assert (roll.hidden, roll.test, roll.truncated) == (True, True, False)
    assert Roll.of({"seq": 3, "outcome": {"truncated": True}}).truncated
    assert Roll.of({"seq": 3, "truncated": True}).truncated


def test_a_request_of_the_rules_may_be_given_as_it_is(station: Station) -> None:
    roll = station.roll(BasicTest(rank=3, difficulty=9), note="door", hidden=True)
    assert roll.request["rank"] == 3


def test_every_method_has_its_place(station: Station) -> None:
    assert station.systems("seven-kingdoms") == {"method": "systems", "system": "seven-kingdoms"}
    assert station.odds(POOL) == {"method": "odds", "request": POOL}
    assert station.resolve(POOL, [6]) == {"faces": [6], "outcome": {}}
    assert station.select(POOL)["request"] == POOL
    assert station.selection()["method"] == "selection"
    assert station.state()["method"] == "state"
    assert station.health()["method"] == "health"
    assert station.fairness("table")["source"] == "table"
    station.roll(POOL)
    history = station.history(limit=5)
    assert (len(history.rolls), history.more) == (1, False)
    assert Roll.of(history.rolls[0]).seq == 1
    for refused in (
        lambda: station.record(POOL, [6], note="by hand"),
        lambda: station.decide(1, {"shifts": {"glory": 1}}),
        lambda: station.change("wound", character="Arya", count=1),
        lambda: station.void(1, "wrong dice"),
        lambda: station.call("decide", {"seq": 1, "choices": {}}),
    ):
        with pytest.raises(RefusedError, match="here"):
            refused()


def test_events_come_while_one_waits_and_while_one_asks(station: Station, service: Service) -> None:
    station.subscribe("rolled")
    service.publish(Event(EventName.ROLLED, {"seq": 1}))
    station.state()
    service.publish(Event(EventName.ROLLED, {"seq": 2}))
    events = station.events(SOON)
    assert [next(events), next(events)] == [
        StationEvent("rolled", {"seq": 1}),
        StationEvent("rolled", {"seq": 2}),
    ]
    assert list(station.events(0.0)) == []
    station.unsubscribe()
    service.publish(Event(EventName.ROLLED, {"seq": 3}))
    assert list(station.events(0.0)) == []


def test_nobody_there_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(NoAnswerError, match="can't be opened"), Station(tmp_path / "nothing"):
        pass


def test_nobody_who_answers_is_given_up(cable: Cable) -> None:
    with (
        pytest.raises(NoAnswerError, match=r"given up after 2 tries: no answer to hello"),
        Station(cable.path, timeout=0.05, attempts=2),
    ):
        pass


@pytest.mark.parametrize("check", [True, False])
def test_a_line_with_and_without_checks(service: Service, tmp_path: Path, *, check: bool) -> None:
    assert service
    with Station(tmp_path / "socket", check=check) as station:
        assert station.roll(POOL).seq == 1


def test_a_line_that_is_cut_and_plugged_in_again_rolls_once(
    served: Service, cable: Cable, methods: Any, owner: Any, states: Any
) -> None:
    """The client and the station share one pty: the client takes the cable's far end."""
    assert served
    line = FarEnd(cable)
    with Station(line, timeout=0.5) as station:
        station.subscribe("rolled")
        owner.may_work.clear()
        waiting = threading.Thread(target=lambda: rolls.append(station.roll(POOL)))
        rolls: list[Roll] = []
        waiting.start()
        while owner.asked.get(timeout=SOON).method != "roll":
            pass
        cable.unplug()
        owner.may_work.set()
        cable.plug()
        while not states.get(timeout=SOON).is_open:
            pass
        waiting.join(SOON)
        assert [roll.seq for roll in rolls] == [1]
        assert len(methods.rolls) == 1
        served.publish(Event(EventName.ROLLED, {"seq": 1}))
        assert next(station.events(SOON)).params == {"seq": 1}


class FarEnd:
    """The far end of a cable as a line for a client; what is cut is an error and comes back."""

    name = "far end"

    def __init__(self, cable: Cable) -> None:
        self._cable = cable

    def open(self) -> None:
        self._cable.receive(0.0)

    def read(self, timeout: float | None, *, or_writable: bool = False) -> bytes:
        assert not or_writable
        try:
            return self._cable.receive(SOON if timeout is None else min(timeout, SOON))
        except OSError as error:
            raise PortLostError(str(error)) from error

    def write(self, data: bytes, patience: float) -> int:
        try:
            return self._cable.send(data, patience)
        except OSError as error:
            raise PortLostError(str(error)) from error

    def discard(self) -> None: ...
    def freshen(self) -> None: ...
    def wake(self) -> None: ...
    def close(self) -> None: ...


class Scripted(FarEnd):
    """A line on which each request is answered as a function says."""

    def __init__(self, answer: Callable[[str, int], list[bytes]]) -> None:
        self._answer = answer
        self._out = b""
        self.sent: list[str] = []
        self.opened = 0

    def open(self) -> None:
        self.opened += 1

    def read(self, timeout: float | None, *, or_writable: bool = False) -> bytes:
        assert not or_writable
        assert timeout is None or timeout > 0
        out, self._out = self._out, b""
        return out

    def write(self, data: bytes, patience: float) -> int:
        assert patience > 0
        self.sent.append(data.decode())
        number = data.decode().partition('"id":"')[2].partition('"')[0]
        lines = self._answer(number, len(self.sent))
        self._out += b"".join(line + b"\r\n" for line in lines)
        return len(data)


HELLO = '{"protocol":1,"max_in":4096,"max_out":16384,"session":"s"}'


def result(number: str, text: str) -> bytes:
    return with_check(f'{{"jsonrpc":"2.0","result":{text},"id":"{number}"}}'.encode())


def conversation(*answers: Callable[[str], list[bytes]]) -> tuple[Station, Scripted]:
    """Return an opened client whose n-th request after hello gets the n-th answer."""

    def answer(number: str, count: int) -> list[bytes]:
        return [result(number, HELLO)] if count == 1 else answers[count - 2](number)

    line = Scripted(answer)
    ticks = iter(range(0, 10**12, 10**7))
    station = Station(line, timeout=0.1, attempts=3, clock=lambda: next(ticks))  # type: ignore[arg-type,return-value] # time passes by looking
    station.open()
    return station, line


def test_an_answer_to_another_request_is_never_taken_for_one_s_own() -> None:
    station, _ = conversation(
        lambda number: [
            result("ffffffff-1", '{"seq":1}'),
            result("1", '{"seq":2}'),
            b"ok seq=3",
            b'{"jsonrpc":"2.0","result":{"seq":4},"id":"%s"}' % number.encode(),
            result(number, '{"seq":5}')[:-1] + b"0" + b"\xff",
            with_check(b"{not json"),
            with_check(b"[1]"),
            result(number, '{"seq":6}'),
        ]
    )
    assert station.state() == {"seq": 6}
    station.close()


def test_a_damaged_request_is_sent_again_with_the_same_key() -> None:
    failed = '{"jsonrpc":"2.0","error":{"code":-32001,"message":"the check is wrong"},"id":null}'
    station, line = conversation(
        lambda _: [with_check(failed.encode())], lambda number: [result(number, '{"seq":1}')]
    )
    assert station.roll(POOL).seq == 1
    keys = {sent.partition('"key":"')[2].partition('"')[0] for sent in line.sent[1:]}
    ids = {sent.partition('"id":"')[2].partition('"')[0] for sent in line.sent[1:]}
    assert (len(keys), len(ids)) == (1, 2)
    station.close()


def test_after_a_silence_it_greets_again_since_it_may_have_been_forgotten() -> None:
    station, line = conversation(
        lambda _: [],
        lambda number: [result(number, HELLO)],
        lambda number: [result(number, '{"seq":1}')],
    )
    assert station.state() == {"seq": 1}
    methods = [sent.partition('"method":"')[2].partition('"')[0] for sent in line.sent]
    assert methods == ["hello", "state", "hello", "state"]
    station.close()


def test_what_is_never_answered_is_given_up() -> None:
    station, _ = conversation(*[lambda _: []] * 10)
    with pytest.raises(NoAnswerError, match="given up after 3 tries: no answer to hello"):
        station.state()
    station.close()


def test_a_refusal_carries_the_station_s_sentence() -> None:
    told = (
        '{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found",'
        '"data":{"field":"method","message":"there is no method x"}},"id":"%s"}'
    )
    station, _ = conversation(*[lambda number: [with_check((told % number).encode())]] * 2)
    with pytest.raises(RefusedError, match="there is no method x") as refused:
        station.call("x")
    assert refused.value.code == -32601
    station.close()


def test_events_that_no_one_takes_are_counted() -> None:
    event = b'{"jsonrpc":"2.0","method":"rolled","params":{"seq":%d,"dropped":1}}'
    station, _ = conversation(
        lambda number: [
            *(with_check(event % seq) for seq in range(1100)),
            result(number, "{}"),
        ]
    )
    station.state()
    first = next(station.events(0.0))
    assert first == StationEvent("rolled", {"seq": 76}, dropped=77)
    station.close()


def test_a_line_that_takes_nothing_is_opened_again() -> None:
    station, line = conversation(
        lambda number: [result(number, HELLO)], lambda number: [result(number, "{}")]
    )
    write, full = line.write, [True]

    def stuck(data: bytes, patience: float) -> int:
        return 0 if full and full.pop() else write(data, patience)

    line.write = stuck  # type: ignore[method-assign] # nobody reads, once
    assert station.state() == {}
    assert line.opened == 2
    station.close()


def test_a_line_lost_while_one_waits_for_events_comes_back() -> None:
    event = with_check(b'{"jsonrpc":"2.0","method":"rolled","params":{"seq":1}}')
    station, line = conversation(
        lambda number: [result(number, "{}")],
        lambda number: [result(number, HELLO)],
        lambda number: [result(number, "{}"), event],
    )
    station.subscribe("rolled")
    read, cut = line.read, [True]

    def unplugged(timeout: float | None, *, or_writable: bool = False) -> bytes:
        if cut and cut.pop():
            raise PortLostError("unplugged")
        return read(timeout, or_writable=or_writable)

    line.read = unplugged  # type: ignore[method-assign] # pulled once, while nothing is asked
    assert next(station.events(1.0)).params == {"seq": 1}
    methods = [sent.partition('"method":"')[2].partition('"')[0] for sent in line.sent]
    assert methods == ["hello", "subscribe", "hello", "subscribe"]
    station.close()


def test_a_station_that_was_restarted_on_an_unbroken_line_is_greeted_again() -> None:
    """It has forgotten who listens, and nothing on the line says so."""
    event = with_check(b'{"jsonrpc":"2.0","method":"rolled","params":{"seq":1}}')
    station, line = conversation(
        lambda number: [result(number, "{}")],
        lambda _: [],
        lambda number: [result(number, HELLO)],
        lambda number: [result(number, "{}"), event],
    )
    station.subscribe("rolled")
    assert next(station.events(60.0)).params == {"seq": 1}
    methods = [sent.partition('"method":"')[2].partition('"')[0] for sent in line.sent]
    assert methods == ["hello", "subscribe", "hello", "hello", "subscribe"]
    station.close()


def test_a_line_is_chosen_by_what_is_there(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        assert isinstance(line_to(str(tmp_path / "socket")), LocalPort)
    assert isinstance(line_to(tmp_path), SerialPort)
    assert isinstance(line_to("socket://localhost:1"), SerialPort)
    port = SerialPort("loop://")
    assert line_to(port) is port


def test_over_a_network_socket(service: Service, tmp_path: Path, methods: Any) -> None:
    """``socket://`` on the client's side, joined to the local socket by a plain relay."""
    assert service
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as inner:
        inner.connect(str(tmp_path / "socket"))
        relays = []

        def relay(source: socket.socket, sink: socket.socket) -> None:
            while data := source.recv(4096):
                sink.sendall(data)

        def accept() -> None:
            outer, _ = server.accept()
            pairs = ((outer, inner), (inner, outer))
            threads = [threading.Thread(target=relay, args=pair) for pair in pairs]
            relays.extend(threads)
            for thread in threads:
                thread.start()
            threads[0].join()
            inner.shutdown(socket.SHUT_RDWR)
            threads[1].join()
            outer.close()

        accepting = threading.Thread(target=accept)
        accepting.start()
        with Station(f"socket://127.0.0.1:{server.getsockname()[1]}") as station:
            assert station.roll(POOL).seq == 1
        accepting.join(SOON)
    assert len(methods.rolls) == 1


def test_a_port_of_its_own_is_served_under_its_name(
    serve: Callable[..., Service], cable: Cable, states: Any
) -> None:
    service = serve(PortConfig(cable.path))
    assert states.get(timeout=SOON).is_open
    assert [state.name for state in service.states()] == [cable.path]


def test_on_a_line_that_may_do_damage_a_refusal_is_believed_once_it_is_repeated() -> None:
    told = '{"jsonrpc":"2.0","error":{"code":-32602,"message":"rank is 90"},"id":"%s"}'

    def refusal(number: str) -> list[bytes]:
        return [with_check((told % number).encode())]

    station, line = conversation(refusal, lambda number: [result(number, '{"seq":1}')])
    assert station.roll(POOL).seq == 1
    keys = {sent.partition('"key":"')[2].partition('"')[0] for sent in line.sent[1:]}
    assert (len(line.sent), len(keys)) == (3, 1)
    station.close()
    station, line = conversation(refusal, refusal)
    with pytest.raises(RefusedError, match="rank is 90"):
        station.roll(POOL)
    assert len(line.sent) == 3
    station.close()


def test_where_nothing_can_be_damaged_a_refusal_is_believed_at_once(
    service: Service, tmp_path: Path, owner: Any
) -> None:
    assert service
    with Station(tmp_path / "socket", check=False) as station:
        with pytest.raises(RefusedError):
            station.void(1, "no such roll")
        station.state()
    assert [owner.asked.get(timeout=SOON).method for _ in range(3)] == ["hello", "void", "state"]
