"""What the station tells unasked, once a client has subscribed."""

import threading
from collections import deque
from enum import StrEnum
from typing import Any

from rules.frozen import frozen

MOST_WAITING = 64
"""Events kept for a client that does not read; of more, the oldest are dropped and counted."""


class EventName(StrEnum):
    """What can happen that a client may want to know."""

    ROLLED = "rolled"
    SELECTED = "selected"
    CHANGED = "changed"
    HEALTH_CHANGED = "health_changed"


EVENT_NAMES = frozenset(str(name) for name in EventName)


@frozen
class Event:
    """Something that happened.

    Attributes:
        name: which of the events it is.
        params: what it carries; never changed once the event is made.
        brief: the same for small boards; None where it is short anyway.
        origin: the port that asked for it, which is not told again; empty for the table.
    """

    name: EventName
    params: dict[str, Any]
    brief: dict[str, Any] | None = None
    origin: str = ""


@frozen
class Waiting:
    """An event to send, and how many before it were dropped."""

    event: Event
    dropped: int


class EventQueue:
    """Events on their way to one client; offering never waits for the client.

    `offer` may be called on any thread, all else on the client's own.
    """

    def __init__(self, port: str, most: int = MOST_WAITING) -> None:
        self._port = port
        self._events: deque[Event] = deque(maxlen=most)
        self._dropped = 0
        self._wanted: frozenset[str] = frozenset()
        self._lock = threading.Lock()

    def want(self, names: frozenset[str]) -> None:
        """Keep events of these names from now on, and forget those of others."""
        with self._lock:
            self._wanted = names
            kept = [event for event in self._events if event.name in names]
            self._events = deque(kept, maxlen=self._events.maxlen)
            if not names:
                self._dropped = 0

    def offer(self, event: Event) -> bool:
        """Keep an event if the client wants it; return whether it does."""
        with self._lock:
            if event.name not in self._wanted or (event.origin and event.origin == self._port):
                return False
            self._dropped += len(self._events) == self._events.maxlen
            self._events.append(event)
            return True

    def take(self) -> Waiting | None:
        """Return the oldest event that waits, or None."""
        with self._lock:
            if not self._events:
                return None
            dropped, self._dropped = self._dropped, 0
            return Waiting(self._events.popleft(), dropped)
