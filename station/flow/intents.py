"""What a person means by a control, the same for a knob and for four buttons."""

from typing import TypeAlias

from hardware.controls.events import Clicked, Control, ControlEvent, Held, Repeated, Turned
from rules.frozen import frozen


@frozen
class Turn:
    """The value grows by so many detents, or the cursor of a list moves on by so many places."""

    detents: int
    places: int


@frozen
class Push:
    """On: the next field, or what is under the cursor."""


@frozen
class Back:
    """Away from here; on the dial, to the menu."""


@frozen
class Press:
    """The ROLL button."""


@frozen
class LongPress:
    """The ROLL button, held."""


Intent: TypeAlias = Turn | Push | Back | Press | LongPress
"""What a person can mean."""


def intent_of(event: ControlEvent) -> Intent | None:
    """Return what a control event means, or None where it means nothing by itself."""
    match event:
        case Turned(detents=detents):
            return Turn(detents, detents)
        # A larger value is up, but so is the beginning of a list.
        case Clicked(control=Control.UP) | Repeated(control=Control.UP):
            return Turn(1, -1)
        case Clicked(control=Control.DOWN) | Repeated(control=Control.DOWN):
            return Turn(-1, 1)
        case Clicked(control=Control.PUSH | Control.NEXT):
            return Push()
        case Clicked(control=Control.ROLL):
            return Press()
        case Held(control=Control.PUSH | Control.NEXT):
            return Back()
        case Held(control=Control.ROLL):
            return LongPress()
        case _:
            return None
