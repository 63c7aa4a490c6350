"""Every method by its name: the one way from other programs to the station."""

from collections.abc import Callable, Mapping
from typing import Any

from station.methods.asking import Asking, Pure
from station.methods.changing import Changing
from station.methods.means import Means
from station.methods.rolling import Rolling
from station.protocol.errors import Code, MethodError
from station.protocol.seam import SIGNATURES, Caller

Handler = Callable[[Mapping[str, Any], Caller], dict[str, Any]]


class StationMethods:
    """The station's methods, for the thread that owns its state; `pure` ones for any thread."""

    def __init__(self, means: Means) -> None:
        pure, asking, rolling = Pure(means), Asking(means), Rolling(means)
        self._means = means
        self._pure: Mapping[str, Handler] = {
            "systems": pure.systems,
            "odds": pure.odds,
            "resolve": pure.resolve,
        }
        self._handlers: Mapping[str, Handler] = {
            **self._pure,
            "hello": asking.hello,
            "history": asking.history,
            "fairness": asking.fairness,
            "health": asking.health,
            "state": asking.state,
            "selection": asking.selection,
            "select": asking.select,
            "roll": rolling.roll,
            "record": rolling.record,
            "decide": rolling.decide,
            "void": rolling.void,
            "change": Changing(means).change,
        }

    def is_pure(self, method: str) -> bool:
        """Return whether any thread may call a method."""
        return method in self._pure

    def call(self, method: str, params: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Return what a method gives, as JSON-able data.

        Raises:
            MethodError: there is no such method or param; what else it raises,
                `protocol.errors.as_method_error` knows.
        """
        handler = self._handlers.get(method)
        if handler is None:
            data = {"field": "method", "value": method, "allowed": ", ".join(self._handlers)}
            raise MethodError(Code.METHOD_NOT_FOUND, f"there is no method {method}", data)
        named = SIGNATURES[method].named(params)
        if self.is_pure(method):
            return handler(named, caller)
        if method in ("health", "hello"):
            self.look()
        try:
            return handler(named, caller)
        finally:
            self.look()

    def look(self) -> None:
        """Look how the station's parts fare, and tell of what changed."""
        if news := self._means.vitals.news():
            self._means.announcer.health(news)
