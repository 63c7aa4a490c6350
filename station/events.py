"""What can happen to the station: its controls, its own effects' answers, and time."""

from dataclasses import dataclass
from typing import TypeAlias

from hardware.clock import Nanoseconds
from hardware.controls.events import ControlEvent
from rules.model import Request
from station.state import Roll


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed; sent when the machine's deadline is reached."""

    at: Nanoseconds


@dataclass(frozen=True, slots=True)
class Drawn:
    """The faces (1–6 pips) that were asked for, and where they came from.

    `notice` says what the players must know of the source; empty when all is well.
    """

    faces: tuple[int, ...]
    source: str
    notice: str = ""
    foretold: bool = False


@dataclass(frozen=True, slots=True)
class DrawFailed:
    """Nothing was drawn, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """A roll was committed as that row; None where there is no ledger to write to."""

    seq: int | None
    at: Nanoseconds


@dataclass(frozen=True, slots=True)
class Selected:
    """A request was put on the dial from elsewhere, for a person to press."""

    request: Request


@dataclass(frozen=True, slots=True)
class RolledElsewhere:
    """Another program's roll was committed; `hidden` ones are told of, and not shown."""

    roll: Roll
    at: Nanoseconds
    hidden: bool = False


Event: TypeAlias = ControlEvent | Tick | Drawn | DrawFailed | Recorded | Selected | RolledElsewhere
"""Everything that can happen."""
