"""What a request can be refused with: a code, a sentence, and data for a program."""

import logging
from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any

from hardware.entropy.dice import EntropyUnavailable
from rules.errors import RulesError, plain_value
from station.ledger.errors import KeyReusedError, NotPossibleError, UnavailableError

_log = logging.getLogger(__name__)


class Code(IntEnum):
    """The codes of JSON-RPC 2.0 (section 5.1), and the station's own."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    CHECK_FAILED = -32001
    KEY_REUSED = -32002
    NOT_POSSIBLE = -32003
    LEDGER_UNAVAILABLE = -32004
    ENTROPY_UNAVAILABLE = -32005
    NO_SESSION = -32006


_STANDARD: Mapping[int, str] = {
    Code.PARSE_ERROR: "Parse error",
    Code.INVALID_REQUEST: "Invalid Request",
    Code.METHOD_NOT_FOUND: "Method not found",
}
"""Sentences that JSON-RPC 2.0 gives itself; ours then stands in `data`."""


LONG_KEY = range(8, 65)
"""Characters of a key that is global."""

LONG_KEY_TEXT = f"text of {LONG_KEY.start}–{LONG_KEY.stop - 1} printable characters"
KEY = f"{LONG_KEY_TEXT}, or a whole number"
KEY_BEFORE_HELLO = f"{LONG_KEY_TEXT} before hello"
KEY_AGAIN = "a key that was not used before, or the params that it was used with"
"""What a key may be, in words: a long one, any, outside a session, and once it has been used."""


class MethodError(Exception):
    """A request that was refused; nothing was rolled.

    Attributes:
        code: a `Code`, or another number.
        message: one sentence for a person.
        data: what a program needs: where a field is at fault, `field`, `value` and `allowed`.
    """

    def __init__(self, code: int, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(code, message, data)
        self.code = int(code)
        self.message = message
        self.data = data

    def __str__(self) -> str:
        return self.message

    def plain(self) -> dict[str, Any]:
        """Return the error object of JSON-RPC 2.0."""
        standard = _STANDARD.get(self.code)
        data = self.data
        if standard is not None:
            data = {**(data or {}), "message": self.message}
        told: dict[str, Any] = {"code": self.code, "message": standard or self.message}
        return told if data is None else {**told, "data": data}


def wrong(field: str | None, value: object, allowed: str, message: str = "") -> MethodError:
    """Return the error for a parameter that is not as it should be."""
    data = {"field": field, "value": plain_value(value), "allowed": allowed}
    sentence = message or str(RulesError(field or (), value, allowed))
    return MethodError(Code.INVALID_PARAMS, sentence, data)


def no_session(key: int) -> MethodError:
    """Return the error for a short key outside a session."""
    data = {"field": "key", "value": key, "allowed": KEY_BEFORE_HELLO}
    sentence = f"the short key {key} needs a session; hello begins one"
    return MethodError(Code.NO_SESSION, sentence, data)


def of_rules(error: RulesError) -> MethodError:
    """Return a refusal of the rules, or of the reading of JSON, as the protocol tells it."""
    told = error.plain()
    return MethodError(Code.INVALID_PARAMS, str(told.pop("message")), told)


def as_method_error(error: Exception) -> MethodError:
    """Return what a method raised as the protocol tells it; what no one foresaw is logged."""
    match error:
        case MethodError():
            return error
        case RulesError():
            return of_rules(error)
        case KeyReusedError():
            data = {"field": "key", "value": plain_value(error.key), "allowed": KEY_AGAIN}
            return MethodError(Code.KEY_REUSED, str(error), {**data, "seq": error.seq})
        case NotPossibleError():
            return MethodError(Code.NOT_POSSIBLE, str(error))
        case UnavailableError():
            return MethodError(Code.LEDGER_UNAVAILABLE, str(error), dict(error.fault.plain()))
        case EntropyUnavailable():
            return MethodError(Code.ENTROPY_UNAVAILABLE, error.reason)
        case _:
            _log.error("a method failed in a way that no one foresaw", exc_info=error)
            return MethodError(Code.INTERNAL_ERROR, "internal error; the station's log says more")


def answered(call: Callable[[], Any]) -> Any:
    """Return what a call returns, or the `MethodError` that it ended in."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - the client waits for an answer, whatever happened
        return as_method_error(error)
