"""The client's side of a line: a request out, its own answer back, and nothing believed twice.

Each request has an id that no other has, so that a late answer to an earlier one is never taken
for this one's. Lines that are damaged are passed over; the request is then sent again, which is
safe because whatever changes something carries a key. On a line that may do damage a refusal is
believed once it has been repeated.
"""

import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from hardware.clock import SECOND, Clock, Nanoseconds
from hardware.serialport.backoff import Backoff
from hardware.serialport.errors import PortLostError
from hardware.serialport.interface import Transport
from rules.frozen import frozen
from station.errors import StationError
from station.protocol import jsonrpc
from station.protocol.check import CHECK_BYTES, Check, split, with_check
from station.protocol.errors import Code
from station.protocol.events import EVENT_NAMES
from station.protocol.lines import MAX_IN, Line, LineReader
from station.protocol.sizes import LINE_END, MAX_OUT
from station.strict_json import JsonError, loads

MOST_EVENTS = 1024
"""Events kept until someone asks for them; of more, the oldest are dropped and counted."""


class ClientError(StationError):
    """A request came to nothing; the message is one sentence."""


class NoAnswerError(ClientError):
    """No answer came, or the line is gone: whether it was done is not known, unless it has a key.

    Sending it again with the same key tells, and does nothing twice.
    """


class RefusedError(ClientError):
    """The station refused, and did nothing.

    Attributes:
        code: as in the protocol's table of errors.
        data: what it says of the field at fault.
    """

    def __init__(self, code: int, message: str, data: dict[str, Any]) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


@frozen
class StationEvent:
    """Something that happened at the station.

    Attributes:
        name: ``rolled``, ``selected``, ``changed`` or ``health_changed``.
        params: what it carries.
        dropped: how many events before it were lost because they were not read in time.
    """

    name: str
    params: dict[str, Any]
    dropped: int = 0


@frozen
class Tries:
    """How long to wait and how often to try.

    Attributes:
        timeout: seconds (above 0) that one try may take.
        attempts: tries (1 or more) before it is given up.
        wait: waits so many seconds before a lost line is opened again.
    """

    timeout: float
    attempts: int
    wait: Callable[[float], object]


class _Damaged(Exception):  # noqa: N818 - no fault: the reason to send again at once
    """The station could not make out what was sent."""


@dataclass(slots=True)
class _Heard:
    """Events that came while something else was waited for."""

    events: deque[StationEvent] = field(default_factory=lambda: deque(maxlen=MOST_EVENTS))
    dropped: int = 0

    def add(self, event: StationEvent) -> None:
        self.dropped += len(self.events) == MOST_EVENTS
        self.events.append(event)

    def take(self) -> StationEvent | None:
        if not self.events:
            return None
        event, lost = self.events.popleft(), self.dropped
        self.dropped = 0
        return StationEvent(event.name, event.params, event.dropped + lost)


class Dialogue:
    """Requests and answers over one line, opened again where it is lost.

    Args:
        transport: the line, not yet open.
        greet: what to ask, with `ask_once`, whenever the line has been opened.
        tries: how long, and how often.
        check: whether each line carries a check, and is believed only with one.
        clock: monotonic time.
    """

    def __init__(
        self,
        transport: Transport,
        greet: Callable[[], None],
        tries: Tries,
        *,
        check: bool,
        clock: Clock,
    ) -> None:
        self._transport = transport
        self._greet = greet
        self._tries = tries
        self._check = check
        self._clock = clock
        self._reader = LineReader(MAX_OUT)
        self._is_open = False
        self._in_doubt = False
        self._heard = _Heard()
        self._mark = secrets.token_hex(4)
        self._numbers = count(1)

    def open(self) -> None:
        """Open the line and greet.

        Raises:
            NoAnswerError: it can't be opened, or nobody answers.
        """
        try:
            self._reopen()
        except PortLostError as lost:
            raise NoAnswerError(str(lost)) from lost
        self._tried(self._greet)

    def close(self) -> None:
        """Close the line."""
        self._is_open = False
        self._transport.close()

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """Return what a method gives, asking again where no answer comes.

        Raises:
            ClientError: it can't be sent.
            RefusedError: the station refused.
            NoAnswerError: no answer came, however often it was asked.
        """
        return self._tried(lambda: self.ask_once(method, params))

    def ask_once(self, method: str, params: dict[str, Any]) -> Any:
        """Return what a method gives, asking once.

        Raises:
            ClientError: it can't be sent.
            RefusedError: the station refused.
            NoAnswerError: no answer came in time.
            PortLostError: the line is gone.
        """
        number = f"{self._mark}-{next(self._numbers)}"
        self._send(_written(method, params, number))
        deadline = self._deadline(self._tries.timeout)
        while (line := self._next_line(deadline)) is not None:
            answer = self._understood(line)
            if answer is not None and self._is_for(answer, number):
                return _result(answer)
        self._in_doubt = True
        raise NoAnswerError(f"no answer to {method} within {self._tries.timeout} s")

    def greet_again(self) -> None:
        """Greet once more, as the station may have been restarted; silence means nothing yet.

        Raises:
            NoAnswerError: the line is gone and does not come back.
        """
        try:
            self._greet()
        except (ClientError, _Damaged):
            return
        except PortLostError:
            self._is_open = False
            self._tried(self._nothing)

    def next_event(self, timeout: float | None) -> StationEvent | None:
        """Return the next event, or None if none came in that many seconds.

        Raises:
            NoAnswerError: the line is gone and does not come back.
        """
        deadline = None if timeout is None else self._deadline(timeout)
        while (event := self._heard.take()) is None:
            try:
                line = self._next_line(deadline)
            except PortLostError:
                self._is_open = False
                self._tried(self._nothing)
                continue
            if line is None:
                return None
            self._understood(line)
        return event

    def _nothing(self) -> None:
        """Ask nothing: the line need only be there."""

    def _tried(self, ask: Callable[[], Any]) -> Any:
        """Return what `ask` gives, with as many tries as it may take."""
        backoff = Backoff()
        reason: Exception = NoAnswerError("the line is not open")
        said = ""
        for attempt in range(self._tries.attempts):
            try:
                self._be_ready(attempt)
                return ask()
            except RefusedError as refused:
                # One damaged line in 65,536 has a right check: it must refuse twice.
                if not self._check or isinstance(reason, RefusedError):
                    raise
                reason = refused
            except _Damaged as damaged:
                reason = NoAnswerError(str(damaged))
                said = f"; the station said: {damaged}"
            except NoAnswerError as silent:
                reason = silent
                said = ""
            except PortLostError as lost:
                reason = lost
                self._is_open = False
                if attempt + 1 < self._tries.attempts:
                    self._tries.wait(backoff.next())
        if isinstance(reason, RefusedError):
            raise reason
        times = f"{self._tries.attempts} tries" if self._tries.attempts > 1 else "one try"
        more = said if isinstance(reason, PortLostError) else ""
        raise NoAnswerError(f"given up after {times}: {reason}{more}") from reason

    def _be_ready(self, attempt: int) -> None:
        """Open the line if it was lost; greet again where the station may have forgotten us."""
        if not self._is_open:
            self._reopen()
        elif not (self._in_doubt and attempt):
            return
        self._in_doubt = False
        self._greet()

    def _reopen(self) -> None:
        self._transport.close()
        self._transport.open()
        self._is_open = True
        self._in_doubt = False
        self._reader.reset()

    def _send(self, line: bytes) -> None:
        # An empty line ends whatever half line stands before; it costs nothing elsewhere.
        data = LINE_END + (with_check(line) if self._check else line) + LINE_END
        if self._transport.write(data, self._tries.timeout) < len(data):
            raise PortLostError(f"{self._transport.name} takes no more: nobody reads there")

    def _next_line(self, deadline: Nanoseconds | None) -> bytes | None:
        """Return the next line that can be believed, without its check; None after the time."""
        while True:
            while (line := self._reader.next()) is not None:
                if isinstance(line, Line) and (body := self._believed(line.data)) is not None:
                    return body
            left = None if deadline is None else (deadline - self._clock()) / SECOND
            if left is not None and left <= 0:
                return None
            self._reader.push(self._transport.read(left), self._clock())

    def _believed(self, data: bytes) -> bytes | None:
        body, check = split(data)
        wanted = (Check.RIGHT,) if self._check else (Check.RIGHT, Check.ABSENT)
        return body if check in wanted else None

    def _understood(self, line: bytes) -> dict[str, Any] | None:
        """Return an answer; keep an event for later, and pass over anything else."""
        try:
            document = loads(line)
        except JsonError:
            return None
        if not isinstance(document, dict) or document.get("jsonrpc") != "2.0":
            return None
        if document.get("method") in EVENT_NAMES:
            params = dict(document.get("params") or {})
            dropped = params.pop("dropped", 0)
            self._heard.add(StationEvent(document["method"], params, dropped))
            return None
        return document if "result" in document or "error" in document else None

    def _is_for(self, answer: dict[str, Any], number: str) -> bool:
        """Return whether it answers this request; one to a line nobody understood may be ours."""
        if answer.get("id") is None and "error" in answer:
            raise _Damaged(str(answer["error"].get("message")))
        return answer.get("id") == number

    def _deadline(self, timeout: float) -> Nanoseconds:
        return Nanoseconds(self._clock() + int(timeout * SECOND))


def _written(method: str, params: dict[str, Any], number: str) -> bytes:
    """Return a request as a line that a station takes."""
    try:
        line = jsonrpc.request(method, params, number)
    except (TypeError, ValueError, RecursionError) as error:
        raise ClientError(f"{method} can't be told in JSON: {error}") from error
    if len(line) + CHECK_BYTES > MAX_IN:
        raise ClientError(f"{method} takes {len(line)} bytes; allowed: {MAX_IN - CHECK_BYTES}")
    return line


def _result(answer: dict[str, Any]) -> Any:
    if "error" not in answer:
        return answer["result"]
    error = answer["error"]
    data = error.get("data") or {}
    message = data.get("message") or error.get("message", "refused")
    raise RefusedError(error.get("code", Code.INTERNAL_ERROR), message, data)
