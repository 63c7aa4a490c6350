"""The station's language on all its lines: serial ports, and a socket for local programs.

    port ── Link ──┐
    port ── Link ──┼── submit ── the station's one owner thread
    socket ─ Link ─┘

Each line has a thread and a session of its own.
"""

import logging
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Self

from hardware.clock import Clock, monotonic
from hardware.serialport.errors import PortLostError, SerialPortError
from hardware.serialport.interface import Transport
from hardware.serialport.local import LocalListener
from hardware.serialport.port import SerialPort
from rules.model import RuleSystem
from station.link import Link, LinkState, Submit
from station.ports import PortConfig, ServiceConfig
from station.protocol import jsonrpc
from station.protocol.arrangement import SessionSettings
from station.protocol.errors import Code, MethodError
from station.protocol.events import Event
from station.protocol.listening import Listening
from station.protocol.seam import Identity
from station.protocol.session import Session
from station.protocol.sizes import LINE_END

MOST_CLIENTS = 16
"""Local programs that are served at once; a further one is turned away."""

_FIRST_WORDS = 0.5
"""Seconds in which a program that is turned away may ask something."""

AGAIN = 10.0
"""Seconds from one attempt to make the local socket to the next."""

_SESSION_BYTES = 8
"""Random bytes of a session's id: enough that none is ever given twice."""

_log = logging.getLogger(__name__)


Opener = Callable[[PortConfig], Transport]


def serial_port(config: PortConfig) -> Transport:
    """Return the line of a serial port."""
    return SerialPort(config.path, config.baudrate)


def random_session() -> str:
    """Return an id that no session ever had."""
    return secrets.token_hex(_SESSION_BYTES)


class Service:
    """Serves every line from `start` to `stop`; a context manager does both.

    Args:
        config: the lines.
        submit: takes each call to the station's owner, with where its answer goes. It must not
            wait; the answer may come at any time, from any thread.
        identity: what `*IDN?` tells.
        systems: the systems of rules that can be typed, the one that needs no alias first.
        clock: monotonic time.
        open_port: makes the line of a port.
        listener: listens at the socket; where it is None it is made at the start, or once it can
            be: a socket that cannot costs the local programs, and nothing else.
        new_session: gives an id that no session ever had.
        on_change: told of each line that opens or is lost, on that line's thread.
    """

    def __init__(
        self,
        config: ServiceConfig,
        submit: Submit,
        *,
        identity: Identity,
        systems: tuple[RuleSystem, ...],
        clock: Clock = monotonic,
        open_port: Opener = serial_port,
        listener: LocalListener | None = None,
        new_session: Callable[[], str] = random_session,
        on_change: Callable[[LinkState], None] | None = None,
    ) -> None:
        self._config = config
        self._submit = submit
        self._identity = identity
        self._systems = systems
        self._clock = clock
        self._open_port = open_port
        self._new_session = new_session
        self._on_change = on_change
        self._listener = listener
        self._lock = threading.Lock()
        self._threads: dict[Link, threading.Thread] = {}
        self._accepting: threading.Thread | None = None
        self._ending = threading.Event()

    def start(self) -> None:
        """Begin to serve; a socket or a serial port that is not there is waited for."""
        self._ending.clear()
        if self._config.socket is not None:
            path = self._config.socket
            told = "" if self._listener is not None else self._listen(path)
            self._accepting = threading.Thread(
                target=self._accept, args=(path, told), name="clients"
            )
            self._accepting.start()
        for port in self._config.ports:
            self._serve(self._open_port(port), port.listening, comes_back=True)

    def stop(self) -> None:
        """Serve no more: every line is closed and every thread has ended when this returns."""
        self._ending.set()
        if (listener := self._listener) is not None:
            listener.wake()
        if self._accepting is not None:
            self._accepting.join()
            self._accepting = None
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        with self._lock:
            threads = dict(self._threads)
        for link in threads:
            link.stop()
        for thread in threads.values():
            thread.join()

    def mend(self) -> None:
        """Have the socket made anew if its path no longer leads to it; from any thread."""
        listener = self._listener
        if listener is not None and not listener.is_there():
            listener.wake()

    def publish(self, event: Event) -> None:
        """Tell every client that wants to know; from any thread, and never waiting."""
        for link in self._links():
            link.publish(event)

    def states(self) -> tuple[LinkState, ...]:
        """Return how each line is."""
        return tuple(link.state for link in self._links())

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _links(self) -> tuple[Link, ...]:
        with self._lock:
            return tuple(self._threads)

    def _listen(self, path: Path, told: str = "") -> str:
        """Make the socket; return why it can't be made, which is logged unless it was `told`."""
        try:
            self._listener = LocalListener(path, self._clock)
        except SerialPortError as error:
            if str(error) != told:
                _log.error("no program on this machine can connect: %s", error)
            return str(error)
        return ""

    def _wait_for_socket(self, path: Path, told: str) -> LocalListener | None:
        """Return what listens at the socket once it can be made; None once the service ends."""
        while self._listener is None and not self._ending.wait(AGAIN):
            told = self._listen(path, told)
            if not told:
                _log.info("programs can connect at %s", path)
        # Whoever ends the service may have looked for it before it was there.
        return None if self._ending.is_set() else self._listener

    def _accept(self, path: Path, told: str) -> None:
        while (listener := self._wait_for_socket(path, told)) is not None:
            self._take_clients(listener)
            if not self._ending.is_set():
                _log.warning("the socket %s was moved or removed; it is made anew", path)
                listener.close()
                self._listener = None
                told = self._listen(path)

    def _take_clients(self, listener: LocalListener) -> None:
        """Serve whoever connects until the listener is woken."""
        while (line := listener.accept()) is not None:
            if len(self._links()) - len(self._config.ports) >= MOST_CLIENTS:
                _log.warning("%s is turned away: %d clients are served", line.name, MOST_CLIENTS)
                _turn_away(line)
            else:
                self._serve(line, Listening(), comes_back=False)

    def _serve(self, line: Transport, listening: Listening, *, comes_back: bool) -> None:
        settings = SessionSettings(
            port=line.name,
            identity=self._identity,
            systems=self._systems,
            new_session=self._new_session,
            listening=listening,
        )
        link = Link(
            line,
            Session(settings),
            self._submit,
            clock=self._clock,
            patience=self._config.patience,
            comes_back=comes_back,
            on_change=self._on_change,
        )
        run = link.run if comes_back else partial(self._run_once, link)
        thread = threading.Thread(target=run, name=f"line {line.name}")
        with self._lock:
            self._threads[link] = thread
        thread.start()

    def _run_once(self, link: Link) -> None:
        try:
            link.run()
        finally:
            with self._lock:
                del self._threads[link]


def _turn_away(line: Transport) -> None:
    """Tell a program that there is no room for it, and close its line."""
    sentence = f"{MOST_CLIENTS} programs are connected already; try again when one has gone"
    told = jsonrpc.error_reply(None, MethodError(Code.NOT_POSSIBLE, sentence))
    with suppress(PortLostError):
        line.open()
        # Who still writes when the line is closed would never read why.
        line.read(_FIRST_WORDS)
        line.write(told + LINE_END, 0.0)
    line.close()
