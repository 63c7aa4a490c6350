"""What the methods work with, and how a request that must happen once is told from a new one."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Protocol

from hardware.clock import Clock, monotonic
from hardware.entropy.dice import Dice
from rules.errors import RulesError
from rules.fields import specs
from rules.frozen import frozen
from rules.model import Request, RuleSystem
from rules.registry import Registry
from station.announce import Announcer
from station.book import Book
from station.events import Changed, Event
from station.ledger.rows import Row
from station.ledger.store import Key
from station.protocol.errors import no_session
from station.protocol.seam import Caller
from station.vitals import Vitals

_NOT_DONE = ("key", "brief")
"""Params that say nothing of what is done: what a reply looks like may differ from its repeat."""


class Front(Protocol):
    """The station's panel, as far as the methods are concerned with it."""

    def dialled(self) -> Request | None:
        """Return what is dialled; None where there is no panel."""

    def tell(self, event: Event) -> None:
        """Let the panel know of what happened elsewhere."""


class NoFront:
    """No panel at all, as on a command line: nothing is dialled and nobody is told."""

    def dialled(self) -> Request | None:
        """Return None."""
        return None

    def tell(self, event: Event) -> None:
        """Do nothing."""


@frozen(kw_only=True)
class Means:
    """What the methods work with.

    Attributes:
        book: where rolls and changes are written.
        dice: where faces come from.
        announcer: tells whoever subscribed.
        vitals: how the parts fare.
        front: the panel.
        name: what the station is called; `version`: its program's.
        options: by system and field, how this table plays where a request does not say.
        clock: the monotonic clock.
    """

    book: Book
    dice: Dice
    announcer: Announcer
    vitals: Vitals
    name: str
    version: str
    front: Front = field(default_factory=NoFront)
    options: Mapping[tuple[str, str], str] = field(default_factory=dict)
    clock: Clock = monotonic

    @property
    def registry(self) -> Registry:
        """The systems."""
        return self.book.registry

    def request(self, data: object) -> Request:
        """Return the request that JSON describes, with this table's options where it is silent.

        Raises:
            RulesError: naming the field that is unknown, missing or wrong.
        """
        if isinstance(data, Mapping):
            data = {**self._options_for(data), **data}
        return self.registry.request(data)

    def _options_for(self, data: Mapping[str, Any]) -> dict[str, str]:
        try:
            system = self.registry.system(data.get("system"))
        except RulesError:
            return {}
        kind = next((kind for kind in system.kinds if kind.kind == data.get("kind")), None)
        known = {} if kind is None else specs(kind)
        return {
            field: value
            for (owner, field), value in self.options.items()
            if owner == system.id and field in known
        }

    def changed(self, row: Row, caller: Caller) -> None:
        """Tell the panel and whoever subscribed of a row that changed something."""
        self.announcer.changed(row, self.book.table, caller.port)
        self.front.tell(Changed(self.book.table))

    def system_of(self, request: Request) -> RuleSystem:
        """Return the system that a request belongs to."""
        return self.registry.of(request)


@frozen
class Asked:
    """A call of a method: its params, and who asks."""

    method: str
    params: Mapping[str, Any]
    caller: Caller


def once(
    means: Means,
    asked: Asked,
    do: Callable[[Key | None], dict[str, Any]],
    again: Callable[[Row], dict[str, Any]],
) -> dict[str, Any]:
    """Do something, or give the reply of the first time where its key is known.

    Raises:
        MethodError: a short key outside a session.
        KeyReusedError: the key is known with other params.
        UnavailableError: it has a key, and nobody could tell whether that is known.
    """
    key = key_of(asked)
    if key is None:
        return do(None)
    known = means.book.ledger.find(key)
    return do(key) if known is None else again(known)


def key_of(asked: Asked) -> Key | None:
    """Return what makes a call happen once, or None where it has no key.

    Raises:
        MethodError: a short key outside a session.
    """
    key, session = asked.params.get("key"), asked.caller.session
    if key is None:
        return None
    if isinstance(key, int) and session is None:
        raise no_session(key)
    rest = {name: value for name, value in asked.params.items() if name not in _NOT_DONE}
    return Key.of(key, session or "", asked.method, rest)
