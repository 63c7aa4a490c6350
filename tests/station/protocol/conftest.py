"""What the protocol's tests share: a small station, and a wire to a session of its."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from hardware.clock import SECOND, Nanoseconds
from rules.engine import dice_asked, resolve
from rules.model import odds_plain, outcome_plain
from rules.registry import DEFAULT, request_plain, system_plain
from station.ledger.errors import KeyReusedError
from station.protocol.arrangement import Listening, SessionSettings
from station.protocol.errors import Code, MethodError
from station.protocol.jsonrpc import encode
from station.protocol.seam import SIGNATURES, Call, Caller, Identity, perform
from station.protocol.session import Action, Echo, Reply, Session

IDENTITY = Identity("Dice Works", "station", "0001", "0.1.0")


class SmallStation:
    """Rolls, keeps keys, and counts what it was asked: the methods behind a session."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.rolls: list[dict[str, Any]] = []
        self._keys: dict[tuple[str, str], tuple[bytes, dict[str, Any]]] = {}
        self._dice = random.Random(7)  # noqa: S311 - the same in each run

    def call(self, method: str, params: dict[str, Any], caller: Caller) -> Any:
        self.calls.append(Call(method, params, caller))
        match method:
            case "hello":
                return {
                    "station": "table 1",
                    "version": "0.1.0",
                    "capabilities": ["ledger"],
                    "systems": [system.id for system in DEFAULT],
                    "entropy": {"state": "ok", "source": "urandom"},
                }
            case "roll":
                return self._once(params, caller)
            case "resolve":
                return self._resolved(params["request"], params["faces"], params.get("choices"))
            case "odds":
                request = DEFAULT.request(params["request"])
                return odds_plain(DEFAULT.of(request).odds(request))
            case "history":
                return {"rolls": self.rolls[::-1][: params.get("limit", 100)], "more": False}
            case "systems":
                wanted = params.get("system")
                known = DEFAULT if wanted is None else [DEFAULT.system(wanted)]
                return {"systems": [system_plain(system) for system in known]}
            case "selection":
                return {"request": {"system": "wrath-and-glory", "kind": "test", "pool": 6}}
            case "fairness":
                raise RuntimeError("a fault that no one foresaw")
            case _:
                raise MethodError(Code.NOT_POSSIBLE, f"no {method} here")

    def _once(self, params: dict[str, Any], caller: Caller) -> dict[str, Any]:
        key = params.get("key")
        scope = (caller.session if isinstance(key, int) else "", str(key))
        asked = encode({name: params[name] for name in sorted(params)})
        if key is not None and scope in self._keys:
            before, reply = self._keys[scope]
            if before != asked:
                raise KeyReusedError(key, reply["seq"])
            return {**reply, "replayed": True}
        request = DEFAULT.request(params["request"])
        count = dice_asked(DEFAULT.of(request), request)
        faces = [self._dice.randint(1, 6) for _ in range(count)]
        roll = self._resolved(params["request"], faces, None)
        roll = {"seq": len(self.rolls) + 1, "time": None, **roll, "source": "urandom"}
        roll |= {"hash": "00", "recorded": True, "keyed": key is not None, "replayed": False}
        self.rolls.append(roll)
        if key is not None:
            self._keys[scope] = (asked, roll)
        return roll

    def _resolved(self, asked: Any, faces: Any, choices: Any) -> dict[str, Any]:
        request = DEFAULT.request(asked)
        outcome = resolve(DEFAULT.of(request), request, faces, choices)
        return {
            "request": request_plain(request),
            "faces": list(faces),
            "outcome": outcome_plain(outcome),
        }


class Wire:
    """A session and whoever is at its other end; time passes only when told."""

    def __init__(
        self,
        methods: Any,
        port: str = "wire",
        listening: Listening | None = None,
        signatures: Any = SIGNATURES,
    ) -> None:
        self.methods = methods
        self.now = Nanoseconds(0)
        self.echoed = b""
        self.actions: list[Action] = []
        self._hellos = 0
        settings = SessionSettings(
            port, IDENTITY, tuple(DEFAULT), self._new_session, listening or Listening()
        )
        self.session = Session(settings, signatures)

    def _new_session(self) -> str:
        self._hellos += 1
        return f"session-{self._hellos}"

    def send(self, data: bytes) -> bytes:
        """Send bytes, have every call made at once, and return what came back."""
        out = b""
        waiting = list(self.session.receive(data, self.now))
        while waiting:
            action = waiting.pop(0)
            self.actions.append(action)
            match action:
                case Reply():
                    out += action.data
                case Echo():
                    self.echoed += action.data
                case Call():
                    answer = perform(self.methods, action)
                    waiting += self.session.answer(answer, self.now)
        return out

    def say(self, line: str | bytes) -> list[str]:
        """Send a line, and return the lines that came back."""
        data = line if isinstance(line, bytes) else line.encode()
        return lines_of(self.send(data + b"\r"))

    def wait(self, seconds: float) -> None:
        self.now = Nanoseconds(self.now + int(seconds * SECOND))


def lines_of(data: bytes) -> list[str]:
    """Take apart what the station sent; each of its lines ends in CRLF and is ASCII."""
    text = data.decode("ascii")
    assert text == "" or text.endswith("\r\n")
    lines = text.split("\r\n")[:-1]
    assert not any("\r" in line or "\n" in line for line in lines)
    return lines


@pytest.fixture
def station() -> SmallStation:
    return SmallStation()


@pytest.fixture
def wire(station: SmallStation) -> Wire:
    return Wire(station)


@pytest.fixture(scope="session")
def make_station() -> type[SmallStation]:
    return SmallStation


@pytest.fixture(scope="session")
def make_wire() -> Callable[..., Wire]:
    return Wire
