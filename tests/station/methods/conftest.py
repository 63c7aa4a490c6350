"""A station without a panel of its own: methods on a real ledger, with dice that are told."""

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hardware.clock import SECOND, Nanoseconds
from hardware.controls.simulated import VirtualClock
from hardware.entropy.dice import Dice, EntropyMode
from hardware.entropy.simulated import SimulatedSource
from hardware.entropy.sources import SourceFailed
from rules.model import Request
from rules.registry import DEFAULT
from station.announce import Announcer
from station.book import Book
from station.events import Event, Selected
from station.ledger.absent import NoLedger
from station.ledger.errors import Cause, fault
from station.ledger.faults import AnyLedger
from station.ledger.reader import Reader
from station.ledger.rows import Moment, Row
from station.ledger.store import Ledger
from station.methods.means import Means
from station.methods.table import StationMethods
from station.part import Part
from station.protocol import events as protocol
from station.protocol.errors import MethodError
from station.protocol.seam import Call, Caller, perform
from station.vitals import Vitals, of_entropy, of_ledger

START = Moment(5_000, "2026-01-02T20:00:00.000Z")
NO_DICE = "the generator is unplugged"


class Panel:
    """A panel that notes what it was told, and shows what was selected."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.told: list[Event] = []

    def dialled(self) -> Request:
        return self.request

    def tell(self, event: Event) -> None:
        self.told.append(event)
        if isinstance(event, Selected):
            self.request = event.request


class Station:
    """Methods and all they need; `faces` are what the dice will show."""

    def __init__(
        self, ledger: AnyLedger, options: dict[tuple[str, str], str] | None = None
    ) -> None:
        self.ledger = ledger
        self.clock = VirtualClock(Nanoseconds(9 * SECOND))
        self.faces: deque[int] = deque()
        self.published: list[protocol.Event] = []
        self.parts = {"display": Part("ok")}
        self.panel = Panel(
            DEFAULT.request({"system": "wrath-and-glory", "kind": "test", "pool": 6})
        )
        source = SimulatedSource(self._stream(), self.clock, self.clock.advance, "urandom")
        source.test = False
        self.dice = Dice(
            EntropyMode.URANDOM,
            source,
            self.clock,
            Nanoseconds(SECOND),
            on_change=lambda _: None,
        )
        self._source = source
        self.book = Book(DEFAULT, ledger, self.clock, "urandom")
        probes = {
            "entropy": lambda: of_entropy(self.dice.health()),
            "ledger": lambda: of_ledger(self.ledger.condition),
            "display": lambda: self.parts["display"],
        }
        means = Means(
            book=self.book,
            dice=self.dice,
            announcer=Announcer(self.book, self.published.append),
            vitals=Vitals(probes, self.clock),
            front=self.panel,
            name="table 1",
            version="0.1",
            options=options or {},
            clock=self.clock,
        )
        self.methods = StationMethods(means)

    def _stream(self) -> Iterator[int]:
        while self.faces:
            yield self.faces.popleft() - 1
        raise SourceFailed(NO_DICE)

    def ask(
        self, method: str, /, port: str = "usb", session: str | None = "s1", **params: Any
    ) -> Any:
        """Call a method as a line would; return its result, or the error it was refused with."""
        faces = params.pop("dice", ())
        self.faces.extend(faces)
        self._source.stream = self._stream()
        return perform(self.methods, Call(method, params, Caller(port, session)))

    def refused(self, code: int, method: str, /, **params: Any) -> MethodError:
        """Call a method that must be refused with that code."""
        answer = self.ask(method, **params)
        assert isinstance(answer, MethodError), answer
        assert answer.code == code, answer
        return answer

    def rows(self, *kinds: str) -> list[Row]:
        """Return the ledger's rows of these kinds, or all."""
        assert isinstance(self.ledger, Reader)
        return [row for row in self.ledger.rows() if not kinds or row.kind in kinds]

    def events(self, name: str) -> list[protocol.Event]:
        return [event for event in self.published if event.name == name]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.begin(tmp_path / "ledger.db", START, "0.1") as ledger:
        yield ledger


@pytest.fixture
def station(ledger: Ledger) -> Iterator[Station]:
    station = Station(ledger)
    with station.dice:
        yield station


@pytest.fixture
def blind() -> Iterator[Station]:
    """A station that has no ledger to write to."""
    station = Station(NoLedger(fault(Cause.READ_ONLY)))
    with station.dice:
        yield station


@pytest.fixture
def made(ledger: Ledger) -> Iterator[Callable[..., Station]]:
    """Make a station over the ledger: ``made(options=…)``."""
    stations: list[Station] = []

    def make(**more: Any) -> Station:
        stations.append(Station(ledger, **more))
        return stations[-1]

    yield make
    for station in stations:
        station.dice.close()
