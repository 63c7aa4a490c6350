"""Builds the dice from settings."""

from collections.abc import Callable
from dataclasses import dataclass

from hardware.clock import MILLISECOND, Clock, Nanoseconds, monotonic
from hardware.entropy.dice import Dice, EntropyHealth, EntropyMode
from hardware.entropy.sources import Urandom


@dataclass(frozen=True, slots=True)
class EntropySettings:
    """How dice are drawn: the mode, and the longest a draw may take (ms)."""

    mode: EntropyMode = EntropyMode.URANDOM
    deadline_ms: int = 2000


def dice(
    settings: EntropySettings,
    clock: Clock = monotonic,
    on_change: Callable[[EntropyHealth], None] = lambda _: None,
) -> Dice:
    """Return dice as the settings ask for; close them after use."""
    deadline = Nanoseconds(settings.deadline_ms * MILLISECOND)
    return Dice(settings.mode, Urandom(), clock, deadline, on_change)
