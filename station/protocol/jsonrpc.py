"""The envelope of JSON-RPC 2.0 (jsonrpc.org/specification), one message a line.

Reading never fails: what is no request comes back as the refusal to answer it with. Quoted
sentences are the specification's.
"""

import json
from collections.abc import Collection
from typing import Any, TypeAlias

from rules.errors import RulesError
from rules.frozen import frozen
from station.protocol import inert
from station.protocol.errors import Code, MethodError, of_rules
from station.strict_json import MOST_DIGITS, JsonError, Written, check_values, loads

MOST_IN_BATCH = 8
"""Requests of a batch on one line."""

Id: TypeAlias = str | int | float | None
"""What a client tells its answers apart by."""

_MEMBERS = ("jsonrpc", "method", "params", "id")


@frozen
class Request:
    """A well-formed request; `wants_reply` is False for a notification."""

    method: str
    params: dict[str, Any] | list[Any]
    id: Id = None
    wants_reply: bool = True


@frozen
class Refused:
    """What can't be called, and how it is to be answered.

    `well_formed` tells a request that is wrong, but whose sender waits for the answer to its id,
    from what is no request at all.
    """

    error: MethodError
    id: Id = None
    wants_reply: bool = True
    well_formed: bool = False


Part: TypeAlias = Request | Refused


@frozen
class Message:
    """What a line says: its requests in order, none where it is our own speech."""

    parts: tuple[Part, ...]
    is_batch: bool = False

    @property
    def has_request(self) -> bool:
        """Whether anything in it is a request, be it a wrong one."""
        return any(isinstance(part, Request) or part.well_formed for part in self.parts)


def read(data: bytes, events: Collection[str] = (), most: int = MOST_IN_BATCH) -> Message:
    """Return what a line says.

    Args:
        data: the line, without its end and its check.
        events: the names of our own events, which are never requests.
        most: requests of a batch at the most.
    """
    try:
        document = loads(data)
    except JsonError as error:
        return Message((Refused(_unreadable(error)),))
    if not isinstance(document, list):
        return Message(() if is_own(document, events) else (_part(document),))
    if not document or len(document) > most:
        # "If the batch rpc call itself fails to be recognized as an valid JSON or as an Array
        # with at least one value, the response ... MUST be a single Response object."
        return Message((Refused(_bad_batch(len(document), most)),))
    parts = tuple(_part(each) for each in document if not is_own(each, events))
    return Message(parts, is_batch=True)


def is_own(document: object, events: Collection[str]) -> bool:
    """Return whether this is what the station itself says: a response or one of its events."""
    if not isinstance(document, dict):
        return False
    method = document.get("method")
    return "result" in document or "error" in document or _is_in(method, events)


def _is_in(method: object, events: Collection[str]) -> bool:
    return isinstance(method, str) and method in events


def _unreadable(error: JsonError) -> MethodError:
    told = error.plain()
    return MethodError(Code.PARSE_ERROR, str(told.pop("message")), told)


def _invalid(field: str | None, value: object, allowed: str) -> MethodError:
    told = RulesError(field or (), value, allowed).plain()
    return MethodError(Code.INVALID_REQUEST, str(told.pop("message")), told)


def _bad_batch(count: int, most: int) -> MethodError:
    return _invalid("batch", count, f"1–{most} requests")


def _part(document: object) -> Part:
    if not isinstance(document, dict):
        return Refused(_invalid(None, document, "a request object"))
    # "If there was an error in detecting the id in the Request object ... it MUST be Null."
    number = document.get("id") if _is_detected(document.get("id")) else None
    if (fault := _fault(document)) is not None:
        asks = number is not None and ("jsonrpc" in document or "method" in document)
        return Refused(fault, number, well_formed=asks)
    params = document.get("params", {})
    # "A Notification is a Request object without an "id" member."
    wants_reply = "id" in document
    try:
        check_values(params)
    except JsonError as error:
        return Refused(of_rules(_of_request(error)), number, wants_reply, well_formed=True)
    return Request(document["method"], params, number, wants_reply)


def _of_request(error: JsonError) -> RulesError:
    """Return a fault of a request's field with the path that each other fault of it has."""
    if error.path[:1] != ("request",):
        return error
    return RulesError(error.path[1:], error.value, error.allowed, error.because)


def _is_id(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        return False
    try:
        check_values(value)
    except JsonError:
        return False
    return True


def _is_detected(value: object) -> bool:
    """Return whether an id can be repeated exactly, also one that is no right id."""
    return _is_id(value) or (type(value) is int and abs(value) < 10**MOST_DIGITS)


def _fault(document: dict[str, Any]) -> MethodError | None:
    """Return why an object is no request, or None."""
    for name, value in document.items():
        if name not in _MEMBERS:
            return _invalid(name, value, ", ".join(_MEMBERS))
    if document.get("jsonrpc") != "2.0":
        return _invalid("jsonrpc", document.get("jsonrpc"), '"2.0"')
    if not isinstance(document.get("method"), str):
        return _invalid("method", document.get("method"), "the name of a method")
    if not isinstance(document.get("params", {}), dict | list):
        return _invalid("params", document["params"], "an object or a list")
    if not _is_id(document.get("id")):
        return _invalid("id", document["id"], "text, a number of at most 53 bits, or null")
    return None


_ENCODER = json.JSONEncoder(
    separators=(",", ":"), ensure_ascii=True, allow_nan=False, check_circular=False
)


def encode(document: object) -> bytes:
    """Return JSON in ASCII, on one line without spaces, no part of which is a command."""
    return inert.in_json(_ENCODER.encode(document).encode("ascii"))


def result_reply(number: Id, result: bytes) -> bytes:
    """Return the response with a result that has already been encoded."""
    return b'{"jsonrpc":"2.0","result":' + result + b',"id":' + _encoded_id(number) + b"}"


def error_reply(number: Id, error: MethodError) -> bytes:
    """Return the response with an error."""
    told = encode(error.plain())
    return b'{"jsonrpc":"2.0","error":' + told + b',"id":' + _encoded_id(number) + b"}"


def _encoded_id(number: Id) -> bytes:
    """Return an id as it was sent: ``1e2`` and ``1.0`` remain what they are."""
    return number.text.encode("ascii") if isinstance(number, Written) else encode(number)


def notification(method: str, params: bytes) -> bytes:
    """Return a notification with params that have already been encoded."""
    return b'{"jsonrpc":"2.0","method":' + encode(method) + b',"params":' + params + b"}"


def request(method: str, params: dict[str, Any], number: Id) -> bytes:
    """Return a request, for the client's side."""
    return encode({"jsonrpc": "2.0", "method": method, "params": params, "id": number})
