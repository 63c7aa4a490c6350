"""Where the protocol meets the rest of the station."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

from rules.frozen import frozen
from station.protocol.errors import MethodError, answered, wrong

PROTOCOL_VERSION = 1

_UNPRINTABLE = "printable ASCII without a comma"


@frozen
class Identity:
    """What `*IDN?` tells: four parts of printable ASCII, none with a comma.

    Raises:
        ValueError: a part is empty or holds what would break the line.
    """

    maker: str
    model: str
    serial: str
    version: str

    def __post_init__(self) -> None:
        """Check that the answer is one line of four parts."""
        for name in ("maker", "model", "serial", "version"):
            part = getattr(self, name)
            if not part or not part.isascii() or not part.isprintable() or "," in part:
                raise ValueError(f"{name} is {part!r}; allowed: {_UNPRINTABLE}")

    @property
    def line(self) -> bytes:
        """The answer to ``*IDN?``."""
        return f"{self.maker},{self.model},{self.serial},{self.version}".encode("ascii")


@frozen
class Caller:
    """Who asks: the port, and the session that its last `hello` opened (None before one)."""

    port: str
    session: str | None = None


@frozen
class Call:
    """A method that the station is to call; the answer goes to `Session.answer`.

    Attributes:
        method: its name; one of the session's signatures.
        params: by name; only names that the signature has. A key has been checked.
        caller: who asks.
    """

    method: str
    params: dict[str, Any]
    caller: Caller

    @property
    def key(self) -> str | int | None:
        """The key that makes it happen once, if it has one."""
        key: str | int | None = self.params.get("key")
        return key


class Methods(Protocol):
    """The station's methods.

    `hello` is called with `client`, and gives the station's part of the answer: `station`,
    `version`, `capabilities`, `systems` and `entropy`.
    """

    def call(self, method: str, params: dict[str, Any], caller: Caller) -> Any:
        """Return what the method gives, as JSON-able data.

        Raises:
            MethodError: it was refused. What `errors.as_method_error` knows may be raised too.
        """


def perform(methods: Methods, call: Call) -> Any:
    """Return what a call gives, or the `MethodError` that it ended in; nothing is raised."""
    return answered(lambda: methods.call(call.method, call.params, call.caller))


@frozen
class Signature:
    """The parameters of a method.

    Attributes:
        names: in the order in which a list of params gives them.
        required: how many of them, from the first, must be given.
        open: whether further ones are left to the method.
    """

    names: tuple[str, ...] = ()
    required: int = 0
    open: bool = False

    def named(self, params: Mapping[str, Any] | list[Any]) -> dict[str, Any]:
        """Return params by name.

        Raises:
            MethodError: one is unknown, one is missing, or there are too many.
        """
        if isinstance(params, list):
            if len(params) > len(self.names):
                raise wrong("params", len(params), self._allowed, self._too_many(len(params)))
            params = dict(zip(self.names, params, strict=False))
        for name in params:
            if name not in self.names and not self.open:
                message = f"there is no param {name}; allowed: {self._allowed}"
                raise wrong(name, params[name], self._allowed, message)
        for name in self.names[: self.required]:
            if name not in params:
                raise wrong(name, None, self._allowed, f"{name} is missing")
        return dict(params)

    @property
    def _allowed(self) -> str:
        return ", ".join(self.names) or "no params"

    def _too_many(self, count: int) -> str:
        return f"there are {count} params; allowed: {self._allowed}"


SIGNATURES: Mapping[str, Signature] = MappingProxyType(
    {
        "hello": Signature(("client", "check")),
        "systems": Signature(("system",)),
        "odds": Signature(("request",), 1),
        "roll": Signature(("request", "key", "note", "brief", "hidden"), 1),
        "resolve": Signature(("request", "faces", "choices"), 2),
        "record": Signature(("request", "faces", "choices", "key", "note"), 2),
        "decide": Signature(("seq", "choices", "key"), 2),
        "select": Signature(("request",), 1),
        "selection": Signature(),
        "state": Signature(),
        "change": Signature(("act", "key"), 1, open=True),
        "void": Signature(("seq", "reason", "key"), 2),
        "history": Signature(("before", "after", "limit")),
        "fairness": Signature(("source",)),
        "subscribe": Signature(("events", "brief"), 1),
        "unsubscribe": Signature(("events",)),
        "health": Signature(),
        "help": Signature(("verb",)),
    }
)
"""Every method of the protocol."""

__all__ = [
    "PROTOCOL_VERSION",
    "SIGNATURES",
    "Call",
    "Caller",
    "Identity",
    "MethodError",
    "Methods",
    "Signature",
    "perform",
]
