"""What a client has arranged with the station, and the methods by which it does.

`hello`, `subscribe`, `unsubscribe`, `help` and `echo` concern the line alone; the station is only
asked for what it tells a new client of itself.
"""

from collections.abc import Callable
from dataclasses import field
from typing import Any

from rules.errors import WHOLE_NUMBER_LIMIT
from rules.frozen import frozen
from rules.model import RuleSystem
from station.protocol import typed_help, typed_replies
from station.protocol.errors import KEY, LONG_KEY, no_session, wrong
from station.protocol.events import EVENT_NAMES, EventName, EventQueue
from station.protocol.lines import MAX_IN
from station.protocol.listening import Form, Listening
from station.protocol.seam import PROTOCOL_VERSION, Call, Caller, Identity
from station.protocol.sizes import MAX_OUT

CAPABILITIES = ("batch", "check", "echo", "events", "typed")
"""What every session can do; the station adds what it can."""

_LONGEST_CLIENT = 64


@frozen
class SessionSettings:
    """What a session is made with.

    Attributes:
        port: the name of the port; unlike that of any other session.
        identity: what `*IDN?` tells.
        systems: those that can be typed, the one that needs no alias first.
        new_session: gives an id that no session ever had, also before a restart.
        listening: events that the port is told of unasked.
    """

    port: str
    identity: Identity
    systems: tuple[RuleSystem, ...]
    new_session: Callable[[], str]
    listening: Listening = field(default_factory=Listening)


class Arrangement:
    """What holds between a client and the station, from one `hello` to the next.

    Attributes:
        events: those that the client wants and has not been sent.
        session: the id of the session that the last `hello` opened, or None.
        check: whether every line must have a check.
        listening: the events that the client is told of, and how.
    """

    def __init__(self, settings: SessionSettings) -> None:
        self._settings = settings
        self.events = EventQueue(settings.port)
        self.session: str | None = None
        self.check = False
        self.listening = settings.listening
        self.end()

    def end(self) -> None:
        """Go back to what holds before anything is arranged."""
        self.session = None
        self.check = False
        self._listen(self._settings.listening)

    @property
    def caller(self) -> Caller:
        """Who asks."""
        return Caller(self._settings.port, self.session)

    def check_key(self, key: object) -> None:
        """Refuse a key that is none, and a short one outside a session.

        Raises:
            MethodError: it is refused.
        """
        if isinstance(key, str) and len(key) in LONG_KEY and key.isprintable():
            return
        if type(key) is not int or abs(key) >= WHOLE_NUMBER_LIMIT:
            raise wrong("key", key, KEY)
        if self.session is None:
            raise no_session(key)

    def hello(self, params: dict[str, Any]) -> Call:
        """Return what the station is to be asked before a new session begins.

        Raises:
            MethodError: a param is wrong.
        """
        client = params.get("client")
        if client is not None and not _is_name(client):
            raise wrong("client", client, f"text of 1–{_LONGEST_CLIENT} printable characters")
        _checked_flag("check", params.get("check", False))
        return Call("hello", params, Caller(self._settings.port, self._settings.new_session()))

    def begin(self, call: Call, told: dict[str, Any]) -> dict[str, Any]:
        """Begin the session that a `hello` asked for; return its result."""
        self.session = call.caller.session
        self.check = call.params.get("check", False)
        self._listen(self._settings.listening)
        return {
            "station": told.get("station"),
            "version": told.get("version"),
            "protocol": PROTOCOL_VERSION,
            "capabilities": [*CAPABILITIES, *told.get("capabilities", ())],
            "max_in": MAX_IN,
            "max_out": MAX_OUT,
            "systems": told.get("systems", []),
            "entropy": told.get("entropy"),
            "session": self.session,
        }

    def subscribe(self, params: dict[str, Any], form: Form) -> dict[str, Any]:
        """Add events to those that the client is told of.

        Raises:
            MethodError: a param is wrong.
        """
        names = _event_names(params["events"])
        brief = _checked_flag("brief", params.get("brief", False))
        self._listen(Listening(self.listening.events | names, brief, form))
        return {"events": self._told_events(), "brief": brief}

    def unsubscribe(self, params: dict[str, Any]) -> dict[str, Any]:
        """Take events, or all, from those that the client is told of.

        Raises:
            MethodError: a param is wrong.
        """
        names = _event_names(params["events"]) if "events" in params else EVENT_NAMES
        left = self.listening.events - names
        self._listen(Listening(left, self.listening.brief, self.listening.form))
        return {"events": self._told_events()}

    def help(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return the lines of `help`.

        Raises:
            MethodError: there is no such command.
        """
        verb = params.get("verb")
        if verb is not None and not isinstance(verb, str):
            raise wrong("verb", verb, "the name of a command")
        lines = typed_help.lines(self._settings.systems, verb)
        return {"help": [typed_replies.to_ascii(line) for line in lines]}

    def _listen(self, listening: Listening) -> None:
        self.listening = listening
        self.events.want(listening.events)

    def _told_events(self) -> list[str]:
        return [str(name) for name in EventName if name in self.listening.events]


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= _LONGEST_CLIENT and value.isprintable()


def _checked_flag(name: str, value: object) -> bool:
    if type(value) is not bool:
        raise wrong(name, value, "true or false")
    return value


def _event_names(value: object) -> frozenset[str]:
    if not isinstance(value, list) or not value:
        raise wrong("events", value, f"a list of {', '.join(EventName)}")
    for place, name in enumerate(value):
        if not isinstance(name, str) or name not in EVENT_NAMES:
            raise wrong(f"events[{place}]", name, ", ".join(EventName))
    return frozenset(value)
