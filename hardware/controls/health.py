"""What is known of the controls' input: does it live, what went wrong, since when."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from hardware.clock import Clock, Nanoseconds
from hardware.controls.events import Control

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class InputHealth:
    """What is known of the controls' input.

    `backend` is the configured back end's name; `alive` is whether input can still arrive;
    `handler_faults` counts exceptions that a handler threw since start (`last_fault` names the
    last); `stuck` are the controls that are closed and should not be; `lost_since` is when input
    was first found dead, in ns, None while it lives. `missing` says of each pin or input device
    that cannot be used why, and `deaf` is whether that is all of them.
    """

    backend: str
    alive: bool
    handler_faults: int
    last_fault: str | None
    stuck: tuple[Control, ...]
    lost_since: Nanoseconds | None
    missing: tuple[str, ...] = ()
    deaf: bool = False


class Watch:
    """Keeps an input's faults and the time of its loss; safe from any thread."""

    def __init__(self, backend: str, clock: Clock) -> None:
        self._backend = backend
        self._clock = clock
        self._lock = Lock()
        self._faults = 0
        self._last_fault: str | None = None
        self._lost_since: Nanoseconds | None = None

    def fault(self, line: str, fault: Exception) -> None:
        """Count and log what a handler threw."""
        with self._lock:
            self._faults += 1
            self._last_fault = f"{line}: {type(fault).__name__}: {fault}"
        _LOG.error("the handler of line %s failed", line, exc_info=fault)

    def note(self, *, alive: bool) -> bool:
        """Note whether input lives, and return it."""
        with self._lock:
            if alive:
                self._lost_since = None
            elif self._lost_since is None:
                self._lost_since = self._clock()
        return alive

    def snapshot(
        self, stuck: tuple[Control, ...], reasons: Sequence[str], *, alive: bool
    ) -> InputHealth:
        """Return what is known now.

        Args:
            stuck: the controls the panel found stuck.
            reasons: for each pin or input device why it cannot be used, empty where it can.
            alive: whether input can still arrive.
        """
        self.note(alive=alive)
        with self._lock:
            return InputHealth(
                backend=self._backend,
                alive=alive,
                handler_faults=self._faults,
                last_fault=self._last_fault,
                stuck=stuck,
                lost_since=self._lost_since,
                missing=tuple(reason for reason in reasons if reason),
                deaf=all(reasons),
            )
