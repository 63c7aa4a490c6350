"""How one part of the station fares."""

from collections.abc import Sequence
from typing import Any

from hardware.controls.events import Control
from hardware.controls.health import InputHealth
from rules.frozen import frozen

OK, DEGRADED, LOST = "ok", "degraded", "lost"


@frozen
class Part:
    """How one part fares: `ok`, `degraded` or `lost`, why, and what else there is to tell."""

    state: str
    reason: str = ""
    more: tuple[tuple[str, Any], ...] = ()


def of_contacts(stuck: Sequence[Control]) -> Part:
    """Return how contacts fare of which some are closed and should not be."""
    return Part(DEGRADED, f"stuck closed: {', '.join(stuck)}") if stuck else Part(OK)


def of_controls(health: InputHealth) -> Part:
    """Return how the controls fare."""
    more = (("backend", health.backend),)
    if not health.alive:
        return Part(LOST, "no input arrives any more", more)
    if health.missing:
        return Part(LOST if health.deaf else DEGRADED, "; ".join(health.missing), more)
    if health.stuck:
        return Part(DEGRADED, of_contacts(health.stuck).reason, more)
    if health.last_fault is not None:
        return Part(DEGRADED, health.last_fault, more)
    return Part(OK, "", more)
