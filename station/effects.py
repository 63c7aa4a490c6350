"""What the machine wants done, as data; the runner does it and answers with an event."""

from typing import TypeAlias

from hardware.display.interface import Brightness
from rules.acts import Act
from rules.frozen import frozen
from rules.model import Request, Tone
from station.rolls import Roll, Stage
from station.settings import Settings
from station.state import Apply, Void


@frozen
class Draw:
    """Draw that many dice (1 or more). Answered by `Drawn` or `DrawFailed`."""

    count: int


@frozen
class Record:
    """Commit a roll to the ledger before anyone sees it. Answered by `Recorded`."""

    roll: Roll
    stage: Stage


@frozen
class KeepDial:
    """Keep what is dialled across a power cut. Never answered."""

    requests: tuple[Request, ...]
    active: int


@frozen
class Signal:
    """Let light and sound say how a verdict feels. Never answered."""

    tone: Tone
    critical: bool = False
    complication: bool = False


@frozen
class Reveal:
    """Let a hidden roll be shown from now on. Never answered."""

    seq: int


@frozen
class Change:
    """Change the table's state. Answered by `Changed` or `Refused`."""

    act: Act


@frozen
class Undo:
    """Take a change back, the last one if none is named. Answered by `Changed` or `Refused`."""

    seq: int | None = None


@frozen
class ListChanges:
    """Look up the changes that can be undone. Answered by `Listed`."""


@frozen
class LookBack:
    """Look up recorded rolls before a number, None for the newest. Answered by `Found`."""

    before: int | None = None


@frozen
class CountFaces:
    """Look up how often each face fell. Answered by `Counted`."""


@frozen
class AskFacts:
    """Look up what the station is and how it fares. Answered by `Told`."""


@frozen
class KeepSettings:
    """Set the station so, and keep it across a power cut. Never answered."""

    settings: Settings


@frozen
class Shine:
    """Set the panel's brightness. Never answered."""

    level: Brightness


@frozen
class PowerOff:
    """Shut the whole machine down. Answered by `Refused` where that can't be."""


Effect: TypeAlias = (
    Draw
    | Record
    | KeepDial
    | Signal
    | Reveal
    | Apply
    | Void
    | Change
    | Undo
    | ListChanges
    | LookBack
    | CountFaces
    | AskFacts
    | KeepSettings
    | Shine
    | PowerOff
)
"""Everything that the machine can want. `Apply` and `Void` are answered as `Change` is."""
