"""What the tests of lines share: an owner thread with a few methods, and a service around it."""

import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hardware.serialport.simulated import Cable
from rules.registry import DEFAULT
from station.ledger.errors import KeyReusedError
from station.link import LinkState
from station.protocol.errors import Code, MethodError
from station.protocol.seam import Call, Caller, Identity, perform
from station.service import PortConfig, Service, ServiceConfig

SOON = 5.0
"""Seconds within which something must have come; only a failing test waits so long."""


class Counting:
    """Methods that count: each roll is the next number, and a known key gives the old one."""

    def __init__(self) -> None:
        self.rolls: list[dict[str, Any]] = []
        self.sessions: list[str | None] = []
        self._keys: dict[tuple[str | None, Any], tuple[Any, dict[str, Any]]] = {}

    def call(self, method: str, params: dict[str, Any], caller: Caller) -> Any:
        match method:
            case "hello":
                self.sessions.append(caller.session)
                return {"station": "small", "version": "1", "systems": [], "entropy": None}
            case "roll":
                return self._roll(params, caller)
            case "history":
                return {"rolls": self.rolls[::-1], "more": False}
            case "resolve":
                return {"faces": params["faces"], "outcome": {}}
            case "odds" | "state" | "health" | "systems" | "select" | "selection" | "fairness":
                return {"method": method, **params}
            case _:
                raise MethodError(Code.NOT_POSSIBLE, f"no {method} here", {"field": "seq"})

    def _roll(self, params: dict[str, Any], caller: Caller) -> dict[str, Any]:
        key = params.get("key")
        scope = (caller.session if isinstance(key, int) else None, key)
        if key is not None and scope in self._keys:
            asked, roll = self._keys[scope]
            if asked != params["request"]:
                raise KeyReusedError(key, roll["seq"])
            return {**roll, "replayed": True}
        roll = {
            "seq": len(self.rolls) + 1,
            "request": params["request"],
            "faces": [6],
            "outcome": {"total": 6},
            "recorded": True,
            "keyed": key is not None,
            "replayed": False,
        }
        self.rolls.append(roll)
        if key is not None:
            self._keys[scope] = (params["request"], roll)
        return roll


class Owner:
    """The one thread that calls the methods; while it is held, calls wait."""

    def __init__(self, methods: Counting) -> None:
        self.methods = methods
        self.may_work = threading.Event()
        self.may_work.set()
        self.asked: queue.SimpleQueue[Call] = queue.SimpleQueue()
        self._calls: queue.SimpleQueue[tuple[Call, Callable[[Any], None]] | None] = (
            queue.SimpleQueue()
        )
        self._thread = threading.Thread(target=self._work, name="owner")
        self._thread.start()

    def submit(self, call: Call, reply: Callable[[Any], None]) -> None:
        self._calls.put((call, reply))

    def end(self) -> None:
        self.may_work.set()
        self._calls.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (item := self._calls.get()) is not None:
            call, reply = item
            self.asked.put(call)
            self.may_work.wait(SOON)
            reply(perform(self.methods, call))


@pytest.fixture
def methods() -> Counting:
    return Counting()


@pytest.fixture
def owner(methods: Counting) -> Iterator[Owner]:
    owner = Owner(methods)
    yield owner
    owner.end()


@pytest.fixture
def cable(tmp_path: Path) -> Iterator[Cable]:
    with Cable(tmp_path / "port") as cable:
        yield cable


@pytest.fixture
def states() -> "queue.SimpleQueue[LinkState]":
    """Every state of every line, as it comes."""
    return queue.SimpleQueue()


@pytest.fixture
def serve(owner: Owner, states: "queue.SimpleQueue[LinkState]") -> Iterator[Callable[..., Service]]:
    """Start a service on the given ports and socket; it is stopped after the test."""
    running: list[Service] = []

    def start(*ports: PortConfig, **config: Any) -> Service:
        identity = Identity("Dice Works", "station", "0001", "0.1.0")
        service = Service(
            ServiceConfig(ports, **config),
            owner.submit,
            identity=identity,
            systems=tuple(DEFAULT),
            on_change=states.put,
        )
        service.start()
        running.append(service)
        return service

    yield start
    for service in running:
        service.stop()


@pytest.fixture
def served(
    serve: Callable[..., Service], cable: Cable, states: "queue.SimpleQueue[LinkState]"
) -> Service:
    """Give a service on one cable, its port open."""
    service = serve(PortConfig(cable.path), patience=0.2)
    assert states.get(timeout=SOON).is_open
    return service
