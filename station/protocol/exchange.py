"""One line in work: its requests one after the other, and the one reply that they make."""

from collections.abc import Iterable
from typing import Any, Protocol

from rules.model import RuleSystem
from station.protocol import jsonrpc, typed, typed_replies
from station.protocol.check import CHECK_BYTES
from station.protocol.errors import Code, MethodError
from station.protocol.events import EVENT_NAMES
from station.protocol.jsonrpc import Id, Refused, Request
from station.protocol.sizes import LINE_END, MAX_OUT, fitted, shares, told_least
from station.protocol.typed import TypedRequest

ROOM = MAX_OUT - CHECK_BYTES - len(LINE_END)
"""Bytes of a line out, without its check and its end."""

_BRACKETS = len("[]")

_OWN_JSON = tuple(
    bracket + start
    for start in (
        b'{"jsonrpc":"2.0","result":',
        b'{"jsonrpc":"2.0","error":',
        *(jsonrpc.notification(name, b"")[:-1] for name in EVENT_NAMES),
    )
    for bracket in (b"", b"[")
)
"""How each of our own lines of JSON begins."""


class Exchange(Protocol):
    """A line in work."""

    def next(self) -> Request | None:
        """Return the next request to be answered, or None after the last one."""

    def answer(self, answer: Any) -> None:
        """Take what the request gave, or the `MethodError` that it ended in."""

    def reply(self) -> list[bytes]:
        """Return the lines of the reply, without checks and ends."""


class JsonExchange:
    """A line of JSON-RPC 2.0: a request, or a batch of them."""

    def __init__(self, message: jsonrpc.Message) -> None:
        self._waiting = list(reversed(message.parts))
        self._is_batch = message.is_batch
        self._asked: Request | None = None
        self._answers: list[tuple[Id, Any]] = []

    def next(self) -> Request | None:
        """Return the next request; what can't be called is answered on the way."""
        while self._waiting:
            part = self._waiting.pop()
            if isinstance(part, Request):
                self._asked = part
                return part
            self._refuse(part)
        return None

    def answer(self, answer: Any) -> None:
        """Take what the request gave."""
        asked, self._asked = self._asked, None
        if asked is not None and asked.wants_reply:
            self._answers.append((asked.id, answer))

    def reply(self) -> list[bytes]:
        """Return the reply; none where all were notifications."""
        if not self._is_batch:
            return [_reply_to(number, answer, ROOM) for number, answer in self._answers]
        if not self._answers:
            return []
        whole = [len(_reply_to(number, answer, None)) for number, answer in self._answers]
        # The brackets of the batch, and a comma for each of its replies.
        rooms = shares(whole, ROOM - _BRACKETS - len(self._answers))
        parts = zip(self._answers, rooms, strict=True)
        replies = [_reply_to(number, answer, room) for (number, answer), room in parts]
        return [b"[" + b",".join(replies) + b"]"]

    def _refuse(self, part: Refused) -> None:
        if part.wants_reply:
            self._answers.append((part.id, part.error))


def _reply_to(number: Id, answer: Any, room: int | None) -> bytes:
    """Return a reply in at most so many bytes (None: in as many as it takes)."""
    if isinstance(answer, MethodError):
        return jsonrpc.error_reply(number, answer)
    if room is None:
        return jsonrpc.result_reply(number, jsonrpc.encode(answer))
    envelope = len(jsonrpc.result_reply(number, b""))
    try:
        return jsonrpc.result_reply(number, fitted(answer, room - envelope))
    except MethodError as error:
        return jsonrpc.error_reply(number, error)


class TypedExchange:
    """A typed line: one request, answered by one line or, for some, by several."""

    def __init__(self, request: TypedRequest, systems: Iterable[RuleSystem]) -> None:
        self._request: TypedRequest | None = request
        self._method = request.method
        self._key = request.key
        self._systems = tuple(systems)
        self._lines: list[bytes] = []

    def next(self) -> Request | None:
        """Return the request, once."""
        request, self._request = self._request, None
        return None if request is None else Request(request.method, request.params)

    def answer(self, answer: Any) -> None:
        """Take what the request gave."""
        if isinstance(answer, MethodError):
            self._lines = [typed_replies.err(self._key, answer, self._systems)]
            return
        body, pairs = self._told(answer)
        last = typed_replies.ok(self._key, pairs)
        if len(last) > ROOM and ("seq" in answer or "change" in answer):
            body, pairs = self._told(told_least(answer))
            last = typed_replies.ok(self._key, pairs)
        elif len(last) > ROOM:
            message = f"the answer has {len(last)} bytes, more than a line; JSON tells it in parts"
            error = MethodError(Code.INTERNAL_ERROR, message)
            body, last = [], typed_replies.err(self._key, error, self._systems)
        self._lines = [*body, last]

    def reply(self) -> list[bytes]:
        """Return the reply, the line that begins with ``ok`` or ``err`` last."""
        return self._lines

    def _told(self, answer: Any) -> tuple[list[bytes], typed_replies.Pairs]:
        match self._method:
            case "help":
                return [typed_replies.body(line) for line in answer["help"]], []
            case "history":
                more = [("more", "yes")] if answer.get("more") else []
                return typed_replies.history(answer["rolls"], self._systems), more
            case "systems":
                return [], typed_replies.systems(answer)
            case _:
                return [], typed_replies.told(answer, self._systems)


def begins_own(start: bytes) -> bool:
    """Return whether a line that was dropped whole began as our own lines do.

    Ours may be longer than a line in, and come back to us from an end that echoes.
    """
    start = start.lstrip(b" \t")
    if start.startswith(_OWN_JSON):
        return True
    return typed.is_own(start.decode("ascii", errors="replace"))
