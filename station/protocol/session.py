"""One client at the other end of a line: what it may ask, what it is told, and when to be silent.

Bytes go in, actions come out; a call that the station must make is answered later:

    receive(bytes) -> Call -> answer(result) -> Reply

One request at a time is in work. Our own speech is never answered, so that two ends that hear
each other fall silent; nonsense is answered five times.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from hardware.clock import Nanoseconds
from rules.frozen import frozen
from station.protocol import jsonrpc, typed, typed_replies
from station.protocol.arrangement import Arrangement, SessionSettings
from station.protocol.check import Check, split, with_check
from station.protocol.errors import Code, MethodError
from station.protocol.events import EVENT_NAMES, EventQueue, Waiting
from station.protocol.exchange import (
    ROOM,
    Exchange,
    JsonExchange,
    TypedExchange,
    begins_own,
)
from station.protocol.lines import BOM, BadLine, Line, LineReader
from station.protocol.listening import Form
from station.protocol.seam import SIGNATURES, Call, Signature
from station.protocol.sizes import LINE_END, fitted, told_least

PATIENCE = 5
"""Lines of nonsense that are answered, without a valid one between."""

_IDENTIFY = "*IDN?"
_SHOWN = 64
"""Characters of a method's name that an error repeats."""


@frozen
class Reply:
    """Send these lines. `fresh`: they begin a session, so what was left unread is stale."""

    data: bytes
    fresh: bool = False


@frozen
class Echo:
    """Show the person who types what was typed."""

    data: bytes


Action: TypeAlias = Reply | Echo | Call


class Session:
    """The protocol at one port. All methods belong to one thread; `events.offer` to any."""

    def __init__(
        self, settings: SessionSettings, signatures: Mapping[str, Signature] = SIGNATURES
    ) -> None:
        self._settings = settings
        self._signatures = signatures
        self._reader = LineReader()
        self._arranged = Arrangement(settings)
        self._calling: Call | None = None
        self._exchange: Exchange | None = None
        self._form = Form.JSON
        self._checked = False
        self._fresh = False
        self._nonsense = 0

    @property
    def events(self) -> EventQueue:
        """Events on their way to the client."""
        return self._arranged.events

    @property
    def busy(self) -> bool:
        """Whether a call is in work; nothing should be read from the port meanwhile."""
        return self._calling is not None

    def receive(self, data: bytes, now: Nanoseconds) -> list[Action]:
        """Return what is to be done about bytes that came in at that time."""
        self._reader.push(data, now)
        return [] if self.busy else self._work([])

    def answer(self, answer: Any, now: Nanoseconds) -> list[Action]:
        """Return what is to be done once a call gave this, or ended in a `MethodError`.

        Raises:
            RuntimeError: no call is in work.
        """
        call, exchange = self._calling, self._exchange
        if call is None or exchange is None:
            raise RuntimeError("no call is in work")
        self._calling = None
        self._reader.listen(now)
        if call.method == "hello" and not isinstance(answer, MethodError):
            answer = self._arranged.begin(call, answer)
            self._fresh = True
        exchange.answer(answer)
        actions: list[Action] = []
        self._go_on(exchange, actions)
        return actions if self.busy else self._work(actions)

    def next_event(self) -> bytes | None:
        """Return the line of the next event to send, or None; also None while a call is in work."""
        waiting = None if self.busy else self.events.take()
        if waiting is None:
            return None
        self._checked = False
        return self._out([self._event_line(waiting)])

    def forget(self) -> None:
        """End the session: a reply could not be delivered. Input up to a line's end is dropped."""
        self._end()
        self._reader.drop_to_end()

    def reopened(self) -> None:
        """End the session: the port was opened anew, and nothing is left of what came before."""
        self._end()
        self._reader.reset()

    def _end(self) -> None:
        self._arranged.end()
        self._calling = None
        self._exchange = None
        self._fresh = False
        self._nonsense = 0

    def _work(self, actions: list[Action]) -> list[Action]:
        while not self.busy:
            line = self._reader.next()
            if echo := self._reader.take_echo():
                actions.append(Echo(echo))
            if line is None:
                break
            self._read(line, actions)
        return actions

    # From a line to an exchange

    def _read(self, line: Line | BadLine, actions: list[Action]) -> None:
        self._form = Form.JSON if line.is_json else Form.TYPED
        if isinstance(line, BadLine):
            if begins_own(line.start):
                return
            self._checked = line.checked
            data = {"field": None, "value": None, "allowed": "one line of UTF-8 text"}
            self._refuse(MethodError(Code.PARSE_ERROR, line.reason, data), actions)
            return
        body, check = split(line.data)
        self._checked = check is not Check.ABSENT
        read = self._read_json if line.is_json else self._read_typed
        read(body.removeprefix(BOM), check, actions)

    def _read_json(self, body: bytes, check: Check, actions: list[Action]) -> None:
        message = jsonrpc.read(body, EVENT_NAMES)
        if not message.parts:
            return
        if (error := self._distrust(check, hello=_is_hello(message))) is not None:
            self._refuse(error, actions)
        elif message.has_request:
            self._nonsense = 0
            self._go_on(JsonExchange(message), actions)
        elif self._tolerates():
            self._go_on(JsonExchange(message), actions)

    def _read_typed(self, body: bytes, check: Check, actions: list[Action]) -> None:
        text = body.decode().strip()
        if not text or text.encode() == self._settings.identity.line or typed.is_own(text):
            return
        if (error := self._distrust(check, hello=typed.verb_of(text) == "hello")) is not None:
            self._refuse(error, actions)
        elif text.upper() == _IDENTIFY:
            self._nonsense = 0
            actions.append(Reply(self._out([self._settings.identity.line])))
        else:
            self._read_command(text, actions)

    def _read_command(self, text: str, actions: list[Action]) -> None:
        try:
            request = typed.read(self._settings.systems, text)
        except typed.UnknownVerbError as unknown:
            self._refuse(unknown.error, actions, typed.key_of(text)[0])
            return
        except MethodError as error:
            self._nonsense = 0
            actions.append(Reply(self._out([self._typed_error(error, typed.key_of(text)[0])])))
            return
        self._nonsense = 0
        if request.key is not None and "key" in self._signature(request.method).names:
            request.params["key"] = request.key
        self._go_on(TypedExchange(request, self._settings.systems), actions)

    def _distrust(self, check: Check, *, hello: bool) -> MethodError | None:
        """Return why a line is not to be trusted, or None.

        A `hello` needs no check: else whoever comes after a client that asked for checks, and
        knows nothing of them, could never begin.
        """
        if check is Check.WRONG:
            return MethodError(Code.CHECK_FAILED, "the check at the end of the line is wrong")
        if check is Check.ABSENT and self._arranged.check and not hello:
            return MethodError(
                Code.CHECK_FAILED,
                "this session asks for a check at the end of each line; hello begins another",
            )
        return None

    def _tolerates(self) -> bool:
        """Return whether this line of nonsense is still answered."""
        self._nonsense += 1
        return self._nonsense <= PATIENCE

    def _refuse(
        self, error: MethodError, actions: list[Action], key: str | int | None = None
    ) -> None:
        if not self._tolerates():
            return
        is_json = self._form is Form.JSON
        line = jsonrpc.error_reply(None, error) if is_json else self._typed_error(error, key)
        actions.append(Reply(self._out([line])))

    def _typed_error(self, error: MethodError, key: str | int | None) -> bytes:
        told = key if typed.may_be_repeated(key) else None
        return typed_replies.err(told, error, self._settings.systems)

    # From an exchange to calls

    def _go_on(self, exchange: Exchange, actions: list[Action]) -> None:
        """Answer requests until the station is needed for one, or all are answered."""
        self._exchange = exchange
        while (request := exchange.next()) is not None:
            try:
                answer = self._answer(request)
            except MethodError as error:
                answer = error
            if isinstance(answer, Call):
                self._calling = answer
                actions.append(answer)
                return
            exchange.answer(answer)
        self._exchange = None
        fresh, self._fresh = self._fresh, False
        if data := self._out(exchange.reply()):
            actions.append(Reply(data, fresh))

    def _signature(self, method: str) -> Signature:
        return self._signatures.get(method, Signature())

    def _answer(self, request: jsonrpc.Request) -> Any:
        """Return what a method of the session itself gives, or the call that the station makes."""
        method = request.method
        if method == "echo" and self._form is Form.TYPED and isinstance(request.params, dict):
            return self._echo(on=request.params["echo"])
        if method not in self._signatures:
            known = ", ".join(self._signatures)
            data = {"field": "method", "value": method[:_SHOWN], "allowed": known}
            message = f"there is no method {method[:_SHOWN]}"
            raise MethodError(Code.METHOD_NOT_FOUND, message, data)
        params = self._signature(method).named(request.params)
        if "key" in params:
            self._arranged.check_key(params["key"])
        match method:
            case "hello":
                return self._arranged.hello(params)
            case "subscribe":
                return self._arranged.subscribe(params, self._form)
            case "unsubscribe":
                return self._arranged.unsubscribe(params)
            case "help":
                return self._arranged.help(params)
            case _:
                return Call(method, params, self._arranged.caller)

    def _echo(self, *, on: bool) -> dict[str, Any]:
        self._reader.echo = on
        return {"echo": "on" if on else "off"}

    # Lines out

    def _out(self, lines: Iterable[bytes]) -> bytes:
        checked = self._checked or self._arranged.check
        return b"".join((with_check(line) if checked else line) + LINE_END for line in lines)

    def _event_line(self, waiting: Waiting) -> bytes:
        listening, event = self._arranged.listening, waiting.event
        told = event.params if event.brief is None or not listening.brief else event.brief
        params = {**told, "dropped": waiting.dropped} if waiting.dropped else told
        if listening.form is Form.TYPED:
            return typed_replies.ev(event.name, params, self._settings.systems)
        return jsonrpc.notification(event.name, _fitted_event(event.name, params))


def _is_hello(message: jsonrpc.Message) -> bool:
    parts = message.parts
    return len(parts) == 1 and isinstance(parts[0], jsonrpc.Request) and parts[0].method == "hello"


def _fitted_event(name: str, params: dict[str, Any]) -> bytes:
    room = ROOM - len(jsonrpc.notification(name, b""))
    try:
        return fitted(params, room)
    except MethodError:
        # The client can ask for what does not fit.
        return jsonrpc.encode(told_least(params))
