"""A client of a station, for programs: over a serial port, a socket or a URL of pyserial.

    with Station("/dev/ttyUSB0") as station:
        print(station.roll({"system": "wrath-and-glory", "kind": "test", "pool": 6}).outcome)

Whatever changes something is sent with a key, so that asking again over a bad line never does it
twice; every line carries a check, so that a damaged one is never believed.
"""

import stat
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeAlias

from hardware.clock import Clock, monotonic
from hardware.serialport.interface import Transport
from hardware.serialport.local import LocalPort
from hardware.serialport.port import DEFAULT_BAUDRATE, SerialPort
from rules.frozen import frozen
from rules.model import Request
from rules.registry import request_plain
from station.dialogue import (
    ClientError,
    Dialogue,
    NoAnswerError,
    RefusedError,
    StationEvent,
    Tries,
)
from station.protocol.errors import LONG_KEY_TEXT

TIMEOUT = 3.0
"""Seconds that one try may take."""

ATTEMPTS = 10
"""Tries before a request is given up."""

GREET_EVERY = 15.0
"""Seconds without an event after which a station that was restarted is looked for."""

Asked: TypeAlias = Request | Mapping[str, Any]
"""What is asked of the dice: a request of `rules`, or its JSON form."""

__all__ = [
    "ClientError",
    "Hello",
    "History",
    "NoAnswerError",
    "RefusedError",
    "Roll",
    "Station",
    "StationEvent",
]


@frozen
class Hello:
    """What a station says of itself; see `hello` in the protocol."""

    station: str | None
    version: str | None
    protocol: int
    capabilities: tuple[str, ...]
    max_in: int
    max_out: int
    systems: tuple[Any, ...]
    entropy: Any
    session: str


@frozen
class Roll:
    """A roll as it was answered.

    Attributes:
        seq: its number in the ledger; None where it is not recorded.
        time: UTC, ISO 8601; None while the station's clock was never set.
        request: what was asked, with what differs from the defaults.
        faces: 1–6 pips each, in face order.
        outcome: what the dice decided.
        source: where the faces came from.
        hash: the ledger row's; None where it is not recorded.
        recorded: whether it is in the ledger.
        keyed: whether a key protects it.
        replayed: whether this is the stored answer to an earlier request with the same key.
        hidden: whether it is covered for others; to them `faces` and `outcome` are empty.
        test: whether the faces could be foretold, as only a test of the station's are.
        truncated: whether it was too large to be told whole.
    """

    seq: int | None
    time: str | None
    request: dict[str, Any]
    faces: tuple[int, ...]
    outcome: dict[str, Any]
    source: str | None
    hash: str | None
    recorded: bool
    keyed: bool
    replayed: bool
    hidden: bool = False
    test: bool = False
    truncated: bool = False

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """Return the roll that an answer, an event or a line of history tells."""
        outcome = dict(told.get("outcome") or {})
        return cls(
            seq=told.get("seq"),
            time=told.get("time"),
            request=dict(told.get("request") or {}),
            faces=tuple(told.get("faces") or ()),
            outcome=outcome,
            source=told.get("source"),
            hash=told.get("hash"),
            recorded=bool(told.get("recorded", told.get("seq") is not None)),
            keyed=bool(told.get("keyed", False)),
            replayed=bool(told.get("replayed", False)),
            hidden=bool(told.get("hidden", False)),
            test=bool(told.get("test", False)),
            truncated=bool(told.get("truncated", outcome.get("truncated", False))),
        )


@frozen
class History:
    """Rolls of the past, and whether there are more beyond them."""

    rolls: tuple[dict[str, Any], ...]
    more: bool


def line_to(where: str | Path | Transport, baudrate: int = DEFAULT_BAUDRATE) -> Transport:
    """Return the line to a station: a Unix socket, or else a serial port or URL."""
    if not isinstance(where, str | Path):
        return where
    path = Path(where)
    if isinstance(where, Path) or "://" not in where:
        try:
            if stat.S_ISSOCK(path.stat().st_mode):
                return LocalPort(path)
        except OSError:
            # The serial port's own error will say what is wrong with it.
            pass
    return SerialPort(str(where), baudrate)


class Station:
    """A station at the other end of a line; a context manager opens and closes it.

    All methods belong to one thread. Each but `open`, `close` and `events` raises RefusedError
    where the station refuses, and NoAnswerError where no answer came in `attempts` tries.

    Args:
        where: a serial port, a Unix socket, a URL of pyserial, or a line not yet open.
        baudrate: bits per second, where it is a serial port.
        timeout: seconds (above 0) that one try may take.
        attempts: tries (1 or more) of each request.
        check: whether lines carry a check; only a wire that can't fail needs none.
        client: what the station may call this program.
        clock: monotonic time.
        wait: waits so many seconds before a lost line is opened again.
    """

    def __init__(
        self,
        where: str | Path | Transport,
        *,
        baudrate: int = DEFAULT_BAUDRATE,
        timeout: float = TIMEOUT,
        attempts: int = ATTEMPTS,
        check: bool = True,
        client: str = "station.client",
        clock: Clock = monotonic,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        self._check = check
        self._client = client
        self._listening: dict[str, Any] | None = None
        self._dialogue = Dialogue(
            line_to(where, baudrate),
            self._greet,
            Tries(timeout, attempts, wait),
            check=check,
            clock=clock,
        )
        self.hello: Hello | None = None
        """What the station said of itself when the line was last opened."""

    def open(self) -> None:
        """Open the line and begin a session.

        Raises:
            NoAnswerError: it can't be opened, or no station answers.
        """
        self._dialogue.open()

    def close(self) -> None:
        """Close the line."""
        self._dialogue.close()

    def __enter__(self) -> Self:
        try:
            self.open()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """Return what a method of the protocol gives for these params.

        It is sent again where no answer comes, so give what changes something a key: text of
        8–64 characters. A short one would be new in the session that trying again begins.

        Raises:
            ClientError: the key is no text, or the params are no JSON or too large for a line.
        """
        asked = dict(params or {})
        if not isinstance(key := asked.get("key", ""), str):
            raise ClientError(f"key is {key!r}; allowed: {LONG_KEY_TEXT}, or none at all")
        return self._dialogue.ask(method, asked)

    def systems(self, system: str | None = None) -> Any:
        """Return the systems of rules, or one: enough to build a user interface from."""
        return self.call("systems", _given(system=system))

    def odds(self, request: Asked) -> dict[str, Any]:
        """Return the exact chances of a request."""
        return dict(self.call("odds", {"request": _plain(request)}))

    def roll(
        self,
        request: Asked,
        *,
        key: str | None = None,
        note: str | None = None,
        hidden: bool = False,
    ) -> Roll:
        """Roll once, however often the line fails.

        Args:
            request: what to roll.
            key: one of your own, to be able to ask again after a crash; else a fresh one.
            note: for the ledger.
            hidden: whether panel and events cover it until someone reveals it at the station.
        """
        params = {"request": _plain(request), "key": _key(key), **_given(note=note)}
        return Roll.of(self.call("roll", {**params, "hidden": True} if hidden else params))

    def resolve(
        self, request: Asked, faces: Sequence[int], choices: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return what faces rolled elsewhere would give; nothing is recorded."""
        params = {"request": _plain(request), "faces": list(faces), **_given(choices=choices)}
        return dict(self.call("resolve", params))

    def record(
        self,
        request: Asked,
        faces: Sequence[int],
        choices: Mapping[str, Any] | None = None,
        *,
        key: str | None = None,
        note: str | None = None,
    ) -> Roll:
        """Record dice that the table rolled by hand."""
        more = _given(choices=choices, note=note)
        params = {"request": _plain(request), "faces": list(faces), "key": _key(key), **more}
        return Roll.of(self.call("record", params))

    def decide(
        self, seq: int, choices: Mapping[str, Any], *, key: str | None = None
    ) -> dict[str, Any]:
        """Take a decision that a roll left open."""
        params = {"seq": seq, "choices": dict(choices), "key": _key(key)}
        return dict(self.call("decide", params))

    def select(self, request: Asked) -> Any:
        """Put a request on the station's dial, for a person to press."""
        return self.call("select", {"request": _plain(request)})

    def selection(self) -> Any:
        """Return what the dial shows."""
        return self.call("selection")

    def state(self) -> Any:
        """Return characters, Glory, Reserves and running tests."""
        return self.call("state")

    def change(self, act: str, *, key: str | None = None, **fields: Any) -> Any:
        """Change the table's state: ``change("wound", character="Arya", count=1)``."""
        return self.call("change", {"act": act, "key": _key(key), **fields})

    def void(self, seq: int, reason: str, *, key: str | None = None) -> Any:
        """Mark a roll as not counting, and undo what it applied."""
        return self.call("void", {"seq": seq, "reason": reason, "key": _key(key)})

    def history(
        self, *, before: int | None = None, after: int | None = None, limit: int | None = None
    ) -> History:
        """Return rolls, the newest first, or from `after` onwards the oldest first."""
        told = self.call("history", _given(before=before, after=after, limit=limit))
        return History(tuple(told["rolls"]), bool(told.get("more", False)))

    def fairness(self, source: str | None = None) -> Any:
        """Return how often each face came up, and what chi-square makes of it."""
        return self.call("fairness", _given(source=source))

    def health(self) -> Any:
        """Return how entropy, display, controls and ledger are."""
        return self.call("health")

    def subscribe(self, *events: str, brief: bool = False) -> None:
        """Be told of these events, also after the line was lost and came back."""
        wanted = {*events, *((self._listening or {}).get("events", ()))}
        listening = {"events": sorted(wanted), "brief": brief}
        self.call("subscribe", listening)
        self._listening = listening

    def unsubscribe(self) -> None:
        """Be told no more."""
        self._listening = None
        self.call("unsubscribe")

    def events(self, timeout: float | None = None) -> Iterator[StationEvent]:
        """Yield events as they come, until none came for `timeout` seconds (None: for ever).

        While the line was lost, or the station restarted, there may have been more; `history` with
        `after` fills the gap. After each 15 s without any the station is greeted again, in case
        it was restarted and has forgotten who listens.

        Raises:
            NoAnswerError: the line is gone and does not come back.
        """
        left = timeout
        while True:
            wait = GREET_EVERY if left is None else min(left, GREET_EVERY)
            event = self._dialogue.next_event(wait)
            if event is not None:
                yield event
                left = timeout
                continue
            left = None if left is None else left - wait
            if left is not None and left <= 0:
                return
            if self._listening is not None:
                self._dialogue.greet_again()

    def _greet(self) -> None:
        params = {"client": self._client, "check": self._check}
        self.hello = _hello(self._dialogue.ask_once("hello", params))
        if self._listening is not None:
            self._dialogue.ask_once("subscribe", self._listening)


def _hello(told: Mapping[str, Any]) -> Hello:
    return Hello(
        station=told.get("station"),
        version=told.get("version"),
        protocol=told["protocol"],
        capabilities=tuple(told.get("capabilities", ())),
        max_in=told["max_in"],
        max_out=told["max_out"],
        systems=tuple(told.get("systems", ())),
        entropy=told.get("entropy"),
        session=told["session"],
    )


def _plain(request: Asked) -> dict[str, Any]:
    return request_plain(request) if isinstance(request, Request) else dict(request)


def _key(key: str | None) -> str:
    return str(uuid.uuid4()) if key is None else key


def _given(**params: Any) -> dict[str, Any]:
    return {name: value for name, value in params.items() if value is not None}
