"""What other threads put on the queue of the one that owns the station's state."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from hardware.clock import Nanoseconds
from hardware.controls.events import Edge, Turned
from rules.frozen import frozen

if TYPE_CHECKING:
    from rules.model import Request


@frozen
class Selected:
    """A request was put on the dial from elsewhere, for a person to press; when, in ns."""

    request: "Request"
    at: Nanoseconds


class Stop:
    """What ends the runner when it is put on its queue."""


@frozen
class Errand:
    """Work that another thread wants done by the one that owns the state; it must not raise."""

    do: Callable[[], None]


Item: TypeAlias = Edge | Turned | Selected | Errand | Stop
"""Anything on the queue."""
