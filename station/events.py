"""What can happen to the station: its controls, its own effects' answers, and time."""

from typing import TypeAlias

from hardware.clock import Nanoseconds
from hardware.controls.events import ControlEvent
from rules.frozen import frozen
from rules.table import Table
from station.inbox import Selected
from station.ledger.fairness import Fairness
from station.rolls import Roll
from station.state import Standing


@frozen
class Tick:
    """Time has passed; sent when the machine's deadline is reached."""

    at: Nanoseconds


@frozen
class Drawn:
    """The faces (1–6 pips) that were asked for, and where they came from.

    `notice` says what the players must know of the source; empty when all is well.
    """

    faces: tuple[int, ...]
    source: str
    notice: str = ""
    foretold: bool = False


@frozen
class DrawFailed:
    """Nothing was drawn, and why."""

    reason: str


@frozen
class Recorded:
    """A roll was committed as that row; None where there is no ledger to write to."""

    seq: int | None
    at: Nanoseconds


@frozen
class RolledElsewhere:
    """Another program's roll was committed; `hidden` ones are told of, and not shown."""

    roll: Roll
    at: Nanoseconds
    hidden: bool = False


@frozen
class Changed:
    """The table's state is this now; `told` says what happened, empty where nobody asked here.

    `covered` are the extended tests whose last roll is hidden; `void` is the number of a roll that
    does not count any more, and why.
    """

    table: Table
    told: str = ""
    covered: frozenset[str | None] = frozenset()
    void: tuple[int, str] | None = None


@frozen
class Refused:
    """What was wanted can't be, and why."""

    reason: str


@frozen
class Found:
    """Recorded rolls, the newest first, and whether there are older ones."""

    rolls: tuple[Roll, ...]
    older: bool


@frozen
class Listed:
    """Changes that can be undone, the newest first."""

    changes: tuple[Standing, ...]


@frozen
class Counted:
    """How often each face fell, by source."""

    fairness: tuple[Fairness, ...]


@frozen
class Told:
    """What the station is and how it fares, a line each."""

    lines: tuple[str, ...]


Event: TypeAlias = (
    ControlEvent
    | Tick
    | Drawn
    | DrawFailed
    | Recorded
    | Selected
    | RolledElsewhere
    | Changed
    | Refused
    | Found
    | Listed
    | Counted
    | Told
)
"""Everything that can happen."""
