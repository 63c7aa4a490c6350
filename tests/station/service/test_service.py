"""The station's language over real lines: ptys, sockets, threads."""

import json
import logging
import queue
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hardware.clock import Clock
from hardware.serialport.errors import PortLostError, SerialPortError
from hardware.serialport.local import LocalListener
from hardware.serialport.simulated import Cable
from station import service as lines
from station.client import NoAnswerError, Station
from station.link import Link, LinkState
from station.protocol.events import Event, EventName
from station.protocol.listening import Form, Listening
from station.protocol.seam import Identity
from station.service import PortConfig, Service, ServiceConfig, random_session

SOON = 5.0


def rpc(method: str, number: Any = 1, **params: Any) -> bytes:
    document = {"jsonrpc": "2.0", "method": method, "params": params, "id": number}
    return json.dumps(document).encode() + b"\r\n"


def test_a_person_and_a_program_share_a_line(served: Service, cable: Cable) -> None:
    cable.send(b"*IDN?\r")
    assert cable.receive_line() == b"Dice Works,station,0001,0.1.0"
    cable.send(rpc("roll", 5, request={}))
    assert json.loads(cable.receive_line())["result"]["seq"] == 1
    cable.send(b"roll 3D vs 9\r")
    assert cable.receive_line() == b"ok seq=2 total=6 faces=6 keyed=no"
    assert [state.is_open for state in served.states()] == [True]


def test_nothing_is_sent_unasked(served: Service, cable: Cable) -> None:
    served.publish(Event(EventName.ROLLED, {"seq": 1}))
    cable.send(b"*IDN?\r")
    assert cable.receive_line() == b"Dice Works,station,0001,0.1.0"


def test_echo_comes_as_one_types(served: Service, cable: Cable) -> None:
    assert served
    cable.send(b"echo on\r")
    assert cable.receive_line() == b"ok echo=on"
    cable.send(b"*IDN\x08N?\r")
    assert cable.receive_line() == b"*IDN\b \bN?"
    assert cable.receive_line() == b"Dice Works,station,0001,0.1.0"


def test_a_subscriber_hears_of_presses_at_the_table_and_of_other_ports(
    serve: Callable[..., Service], cable: Cable, tmp_path: Path, states: Any
) -> None:
    with Cable(tmp_path / "other") as other:
        service = serve(PortConfig(cable.path), PortConfig(other.path))
        assert {states.get(timeout=SOON).is_open for _ in range(2)} == {True}
        for each in (cable, other):
            each.send(rpc("subscribe", events=["rolled"]))
            each.receive_line()
        service.publish(Event(EventName.ROLLED, {"seq": 1}))
        service.publish(Event(EventName.ROLLED, {"seq": 2}, origin=cable.path))
        heard = [json.loads(other.receive_line())["params"]["seq"] for _ in range(2)]
        assert heard == [1, 2]
        # The event is waited for first: nothing says that it overtakes the reply to a request.
        assert json.loads(cable.receive_line())["params"] == {"seq": 1}
        cable.send(rpc("state"))
        assert json.loads(cable.receive_line())["id"] == 1


def test_a_listener_is_told_as_its_port_is_configured(
    serve: Callable[..., Service], cable: Cable, states: Any
) -> None:
    listening = Listening(frozenset({"rolled"}), form=Form.TYPED)
    service = serve(PortConfig(cable.path, listening=listening))
    states.get(timeout=SOON)
    service.publish(Event(EventName.ROLLED, {"seq": 7}))
    assert cable.receive_line() == b"ev event=rolled seq=7"


def test_no_event_comes_between_a_request_and_its_reply(
    served: Service, owner: Any, cable: Cable
) -> None:
    cable.send(rpc("subscribe", events=["rolled"]))
    cable.receive_line()
    owner.may_work.clear()
    cable.send(rpc("state", 2))
    owner.asked.get(timeout=SOON)
    served.publish(Event(EventName.ROLLED, {"seq": 1}))
    owner.may_work.set()
    assert json.loads(cable.receive_line())["id"] == 2
    assert json.loads(cable.receive_line())["method"] == "rolled"


def test_a_port_that_vanishes_comes_back_with_a_new_session(
    served: Service, cable: Cable, states: Any
) -> None:
    cable.send(b"hello\r")
    assert cable.receive_line().startswith(b"ok station=small")
    cable.unplug()
    lost = states.get(timeout=SOON)
    assert not lost.is_open
    assert cable.path in lost.reason
    cable.plug()
    while not states.get(timeout=SOON).is_open:
        pass
    cable.send(b"@7 roll 3D vs 9\r")
    assert cable.receive_line().startswith(b"err @7 code=-32006")
    assert served.states()[0].is_open


def test_a_port_that_is_not_there_yet_is_waited_for(
    serve: Callable[..., Service], cable: Cable, states: Any
) -> None:
    cable.unplug()
    serve(PortConfig(cable.path))
    assert "can't be opened" in states.get(timeout=SOON).reason
    cable.plug()
    while not states.get(timeout=SOON).is_open:
        pass
    cable.send(b"*IDN?\r")
    assert cable.receive_line().startswith(b"Dice Works")


def test_a_client_that_never_reads_loses_its_session_and_no_one_else_notices(
    served: Service, cable: Cable, caplog: pytest.LogCaptureFixture
) -> None:
    cable.send(rpc("hello"))
    cable.receive_line()
    with caplog.at_level(logging.WARNING):
        # Enough replies to fill every buffer on the way, and more.
        while "its session is forgotten" not in caplog.text:
            cable.send(rpc("state", "x" * 3000), timeout=0.05)
    served.publish(Event(EventName.ROLLED, {"seq": 1}))
    while cable.receive(0.5):
        pass
    # The first end of a line is where it listens again.
    cable.send(b"\r@7 roll 3D vs 9\r")
    lines = [cable.receive_line()]
    while not lines[-1].startswith(b"err @7 code=-32006"):
        lines.append(cable.receive_line())


def test_events_for_a_client_that_does_not_read_are_dropped_and_counted(
    served: Service, cable: Cable
) -> None:
    cable.send(rpc("subscribe", events=["rolled"]))
    cable.receive_line()
    for seq in range(1000):
        served.publish(Event(EventName.ROLLED, {"seq": seq, "note": "x" * 400}))
    cable.send(rpc("state", "still here"))
    heard, dropped = [], 0
    while True:
        told = json.loads(cable.receive_line())
        if told.get("id") == "still here":
            break
        heard.append(told["params"]["seq"])
        dropped += told["params"].get("dropped", 0)
    served.publish(Event(EventName.ROLLED, {"seq": 1000}))
    while not heard or heard[-1] != 1000:
        told = json.loads(cable.receive_line())
        heard.append(told["params"]["seq"])
        dropped += told["params"].get("dropped", 0)
    assert heard == sorted(set(heard))
    assert dropped > 0
    assert dropped + len(heard) == 1001


def test_a_fault_of_the_program_closes_one_line_and_opens_it_again(
    serve: Callable[..., Service],
    cable: Cable,
    states: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = threading.Event()
    carry_out = Link._carry_out  # noqa: SLF001 - the place where a fault would strike

    def faulty(link: Link, actions: Any) -> None:
        if not broken.is_set():
            broken.set()
            raise RuntimeError("no one foresaw this")
        carry_out(link, actions)

    monkeypatch.setattr(Link, "_carry_out", faulty)
    serve(PortConfig(cable.path))
    assert states.get(timeout=SOON).is_open
    cable.send(b"*IDN?\r")
    assert "fault of this program" in states.get(timeout=SOON).reason
    assert states.get(timeout=SOON).is_open
    assert "no one foresaw this" in caplog.text
    cable.send(b"*IDN?\r")
    assert cable.receive_line().startswith(b"Dice Works")


def test_stopping_does_not_wait_for_a_call_in_work(
    serve: Callable[..., Service], owner: Any, cable: Cable, states: Any
) -> None:
    service = serve(PortConfig(cable.path))
    states.get(timeout=SOON)
    owner.may_work.clear()
    cable.send(b"state\r")
    owner.asked.get(timeout=SOON)
    service.stop()
    assert states.get(timeout=SOON) == LinkState(cable.path, is_open=False, reason="stopped")


# The local socket


class Client:
    """A program at the local socket."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(SOON)
        self._socket.connect(str(path))
        self._file = self._socket.makefile("rb")

    def ask(self, line: bytes) -> bytes:
        self._socket.sendall(line)
        return self.hear()

    def hear(self) -> bytes:
        return self._file.readline().removesuffix(b"\r\n")

    def close(self) -> None:
        self._file.close()
        self._socket.close()


def test_many_programs_at_once_each_with_a_session(
    serve: Callable[..., Service], methods: Any, tmp_path: Path
) -> None:
    service = serve(socket=tmp_path / "socket")
    clients = [Client(tmp_path / "socket") for _ in range(5)]
    for client in clients:
        assert json.loads(client.ask(rpc("hello")))["result"]["station"] == "small"
        assert json.loads(client.ask(rpc("roll", request={}, key=1)))["result"]["replayed"] is False
        assert json.loads(client.ask(rpc("roll", request={}, key=1)))["result"]["replayed"] is True
    assert len(methods.rolls) == 5
    assert len(set(methods.sessions)) == 5
    clients[0].ask(rpc("subscribe", events=["rolled"]))
    service.publish(Event(EventName.ROLLED, {"seq": 9}))
    assert json.loads(clients[0].hear())["params"] == {"seq": 9}
    for client in clients:
        client.close()


def test_a_client_that_goes_leaves_nothing_behind(
    serve: Callable[..., Service], tmp_path: Path, states: Any
) -> None:
    service = serve(socket=tmp_path / "socket")
    client = Client(tmp_path / "socket")
    client.ask(b"*IDN?\r\n")
    assert states.get(timeout=SOON).is_open
    client.close()
    while states.get(timeout=SOON).reason != "stopped":
        pass
    threads = {thread.name for thread in threading.enumerate()}
    service.stop()
    assert len([name for name in threads if name.startswith("line ")]) <= 1
    assert service.states() == ()


def test_one_program_too_many_is_turned_away(serve: Callable[..., Service], tmp_path: Path) -> None:
    serve(socket=tmp_path / "socket")
    clients = [Client(tmp_path / "socket") for _ in range(16)]
    for client in clients:
        client.ask(b"*IDN?\r\n")
    turned_away = Client(tmp_path / "socket")
    assert b"16 programs are connected already" in turned_away.hear()
    assert turned_away.hear() == b""
    with (
        pytest.raises(NoAnswerError, match="16 programs are connected already"),
        Station(tmp_path / "socket", check=False, attempts=2, wait=lambda _: None),
    ):
        pass
    for client in (*clients, turned_away):
        client.close()


def test_a_service_ends_with_its_block(owner: Any, tmp_path: Path) -> None:
    identity = Identity("Dice Works", "station", "0001", "0.1.0")
    config = ServiceConfig(socket=tmp_path / "socket")
    with Service(config, owner.submit, identity=identity, systems=()):
        client = Client(tmp_path / "socket")
        assert client.ask(b"*IDN?\r\n") == identity.line
    assert client.hear() == b""
    client.close()
    assert not (tmp_path / "socket").exists()


@pytest.fixture
def listened(monkeypatch: pytest.MonkeyPatch) -> "queue.SimpleQueue[str]":
    """What came of each attempt to make the socket; the next follows at once."""
    attempts: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen(path: Path, clock: Clock) -> LocalListener:
        try:
            listener = LocalListener(path, clock)
        except SerialPortError:
            attempts.put("refused")
            raise
        attempts.put("made")
        return listener

    monkeypatch.setattr(lines, "AGAIN", 0.001)
    monkeypatch.setattr(lines, "LocalListener", listen)
    return attempts


def test_a_socket_that_can_t_be_made_is_said_once_and_the_rest_is_served(
    serve: Callable[..., Service],
    cable: Cable,
    tmp_path: Path,
    listened: "queue.SimpleQueue[str]",
    caplog: pytest.LogCaptureFixture,
) -> None:
    served = serve(PortConfig(cable.path), socket=tmp_path / "missing" / "socket")
    assert [listened.get(timeout=SOON) for _ in range(3)] == ["refused"] * 3
    (told,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert "no program on this machine can connect: can't listen at" in told.getMessage()
    assert len(served.states()) == 1


def test_a_socket_is_made_once_it_can_be(
    serve: Callable[..., Service], tmp_path: Path, listened: "queue.SimpleQueue[str]"
) -> None:
    service = serve(socket=tmp_path / "late" / "socket")
    assert listened.get(timeout=SOON) == "refused"
    (tmp_path / "late").mkdir()
    while listened.get(timeout=SOON) != "made":
        pass
    client = Client(tmp_path / "late" / "socket")
    assert client.ask(b"*IDN?\r\n").startswith(b"Dice Works,")
    client.close()
    service.stop()
    assert not (tmp_path / "late" / "socket").exists()


def test_a_socket_that_was_removed_is_made_anew(
    serve: Callable[..., Service], tmp_path: Path, listened: "queue.SimpleQueue[str]"
) -> None:
    place = tmp_path / "socket"
    service = serve(socket=place)
    assert listened.get(timeout=SOON) == "made"
    before = Client(place)
    before.ask(b"*IDN?\r\n")
    place.unlink()
    service.mend()
    assert listened.get(timeout=SOON) == "made"
    client = Client(place)
    for each in (before, client):
        assert each.ask(b"*IDN?\r\n").startswith(b"Dice Works,")
        each.close()
    service.mend()
    service.stop()
    assert listened.empty()
    assert not place.exists()


def test_a_service_that_waits_for_its_socket_ends_at_once(
    serve: Callable[..., Service], tmp_path: Path
) -> None:
    serve(socket=tmp_path / "missing" / "socket").stop()
    assert [each for each in threading.enumerate() if each.name == "clients"] == []


# A line over which nothing is as it should be


class ScriptedLine:
    """A line whose every move is written down; time does not pass on it."""

    name = "scripted"

    def __init__(self, *reads: bytes | Exception, takes: list[int]) -> None:
        self._reads = list(reads)
        self.takes = takes
        self.written: list[bytes] = []
        self.discarded = 0

    def open(self) -> None:
        if not self._reads:
            raise PortLostError("the script is over")

    def read(self, timeout: float | None, *, or_writable: bool = False) -> bytes:
        assert timeout is None
        assert or_writable in (True, False)
        next_read = self._reads.pop(0) if self._reads else PortLostError("the script is over")
        if isinstance(next_read, Exception):
            raise next_read
        return next_read

    def write(self, data: bytes, patience: float) -> int:
        assert patience >= 0
        taken = min(len(data), self.takes.pop(0) if self.takes else len(data))
        self.written.append(data[:taken])
        return taken

    def discard(self) -> None:
        self.discarded += 1

    def freshen(self) -> None:
        self.written.append(b"(fresh)")

    def wake(self) -> None: ...

    def close(self) -> None: ...


@pytest.fixture
def run_script(owner: Any) -> Callable[..., list[float]]:
    """Run a link over a scripted line until the script is over; return how long it waited."""
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        return len(waits) == 4

    def run(line: ScriptedLine, session: Any) -> list[float]:
        Link(line, session, owner.submit, clock=lambda: 0, wait=wait).run()  # type: ignore[arg-type,return-value] # a clock that stands
        return waits

    return run


@pytest.fixture
def session(served: Service) -> Any:
    """Give a session like that of a served port."""
    (link,) = served._links()  # noqa: SLF001 - the session is made where it is configured
    return link._session  # noqa: SLF001 - likewise


def test_what_follows_a_reply_that_was_cut_begins_on_a_new_line(
    run_script: Callable[..., list[float]], session: Any
) -> None:
    line = ScriptedLine(b"*IDN?\r", b"\r*IDN?\r", takes=[5])
    run_script(line, session)
    whole = b"Dice Works,station,0001,0.1.0\r\n"
    assert line.written == [whole[:5], b"\r\n" + whole]
    assert line.discarded == 1


def test_after_an_undelivered_reply_input_is_dropped_to_the_line_s_end(
    run_script: Callable[..., list[float]], session: Any, methods: Any
) -> None:
    line = ScriptedLine(b"*IDN?\rroll 3D vs 9\rroll ", b"3D vs 9\r*IDN?\r", takes=[0])
    run_script(line, session)
    assert line.written == [b"", b"Dice Works,station,0001,0.1.0\r\n"]
    assert methods.rolls == []


def test_half_an_event_is_finished_before_a_reply(
    run_script: Callable[..., list[float]], session: Any
) -> None:
    line = ScriptedLine(b"subscribe rolled\r", b"", b"*IDN?\r", takes=[100, 7, 3])
    reads = line.read

    def read(timeout: float | None, *, or_writable: bool = False) -> bytes:
        data = reads(timeout, or_writable=or_writable)
        if data.startswith(b"subscribe"):
            session.events.want(frozenset({"rolled"}))
            session.events.offer(Event(EventName.ROLLED, {"seq": 1}))
        return data

    line.read = read  # type: ignore[method-assign] # publishes at a known moment
    run_script(line, session)
    out = b"".join(line.written)
    assert out == (
        b"ok events=rolled brief=no\r\nev event=rolled seq=1\r\nDice Works,station,0001,0.1.0\r\n"
    )


def test_hello_drops_what_was_left_for_no_one(
    run_script: Callable[..., list[float]], session: Any
) -> None:
    line = ScriptedLine(b"*IDN?\r", b"hello\r", takes=[])
    run_script(line, session)
    assert line.written[1] == b"(fresh)"
    assert line.written[2].startswith(b"ok station=small")


def test_a_lost_line_is_tried_again_less_and_less_often(
    run_script: Callable[..., list[float]], session: Any
) -> None:
    line = ScriptedLine(b"*IDN?\r", PortLostError("unplugged"), takes=[])
    assert run_script(line, session) == [0.2, 0.4, 0.8, 1.6]


# Settings


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: PortConfig(""), "path is empty; allowed: the name of a port"),
        (lambda: PortConfig("/dev/serial0", 110), "baudrate is 110; allowed: 300–4000000"),
        (
            lambda: ServiceConfig((PortConfig("a"), PortConfig("b"), PortConfig("a"))),
            r"ports\[2\] is a; allowed: each port once",
        ),
        (lambda: ServiceConfig(patience=0), "patience is 0; allowed: more than 0 seconds"),
    ],
)
def test_a_wrong_setting_is_named(make: Callable[[], object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make()


def test_no_session_is_ever_given_twice() -> None:
    assert len({random_session() for _ in range(1000)}) == 1000


def test_states_come_in_order(states: "queue.SimpleQueue[LinkState]", served: Service) -> None:
    assert states.empty()
    assert [state.reason for state in served.states()] == [""]
