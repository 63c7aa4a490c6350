"""How the station's parts fare: entropy, display, controls and ledger, since when, and why."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hardware.clock import SECOND, Clock, Nanoseconds
from hardware.display.link import DisplayHealth
from hardware.entropy.dice import EntropyHealth
from station.ledger.store import Condition
from station.moments import time_of
from station.part import DEGRADED, LOST, OK, Part

Probe = Callable[[], Part]
"""Looks at a part; quick, and safe on the thread that owns the station's state."""


Note: TypeAlias = Callable[[str, Part], None]
"""Takes a part's name, and how it fares."""


def _note_nothing(_: str, __: Part) -> None:
    """Do nothing: who looks at the parts of a station that does not run tells nobody."""


def of_entropy(health: EntropyHealth) -> Part:
    """Return how the entropy fares."""
    more = (("source", health.source), ("mode", health.mode), ("test", health.test))
    return Part(str(health.state), health.reason, more)


def of_ledger(condition: Condition) -> Part:
    """Return how the ledger fares."""
    return Part(str(condition.standing), condition.reason)


def of_display(health: DisplayHealth | None) -> Part:
    """Return how the display fares; None before it was first tried."""
    if health is None:
        return Part(DEGRADED, "the panel has not answered yet")
    return Part(OK) if health.found else Part(LOST, health.reason)


@dataclass(slots=True)
class _Seen:
    part: Part
    since: Nanoseconds
    time: str | None = None


@dataclass(slots=True)
class Vitals:
    """Watches the parts and remembers since when each fares as it does.

    Attributes:
        probes: by the part's name.
        clock: the monotonic clock.
        note: told of each part whenever it is looked at; see `Chronicle`.
    """

    probes: Mapping[str, Probe]
    clock: Clock
    note: Note = _note_nothing
    _seen: dict[str, _Seen] = field(default_factory=dict)

    def news(self) -> dict[str, Any]:
        """Look at every part; return those that fare otherwise than when last looked at."""
        known = bool(self._seen)
        fresh = [name for name, probe in self.probes.items() if self._look(name, probe())]
        return {name: self._told(name) for name in fresh} if known else {}

    def told(self) -> dict[str, Any]:
        """Return how every part fared when last looked at, as JSON-able data."""
        return {name: self._told(name) for name in self._seen}

    def _look(self, name: str, part: Part) -> bool:
        self.note(name, part)
        seen = self._seen.get(name)
        if seen is None or seen.part.state != part.state:
            self._seen[name] = _Seen(part, self.clock())
            return True
        changed = seen.part.reason != part.reason
        seen.part = part
        return changed

    def _told(self, name: str) -> dict[str, Any]:
        seen = self._seen[name]
        # Worked out once, as soon as the clock is set: two readings would differ by a hair.
        seen.time = seen.time or time_of(seen.since, self.clock)
        return {
            "state": seen.part.state,
            "reason": seen.part.reason or None,
            "since": seen.time,
            "seconds": (self.clock() - seen.since) // SECOND,
            **dict(seen.part.more),
        }
