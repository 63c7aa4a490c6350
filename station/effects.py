"""What the machine wants done, as data; the runner does it and answers with an event."""

from dataclasses import dataclass
from typing import TypeAlias

from rules.model import Request, Tone
from station.state import Roll, Stage


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw that many dice (1 or more). Answered by `Drawn` or `DrawFailed`."""

    count: int


@dataclass(frozen=True, slots=True)
class Record:
    """Commit a roll to the ledger before anyone sees it. Answered by `Recorded`."""

    roll: Roll
    stage: Stage


@dataclass(frozen=True, slots=True)
class KeepDial:
    """Keep what is dialled across a power cut. Never answered."""

    requests: tuple[Request, ...]
    active: int


@dataclass(frozen=True, slots=True)
class Signal:
    """Let light and sound say how a verdict feels. Never answered."""

    tone: Tone
    marks: tuple[str, ...]


Effect: TypeAlias = Draw | Record | KeepDial | Signal
"""Everything that the machine can want."""
