"""What an item of the menu does when it is pressed, as data."""

from enum import Enum, auto
from typing import TypeAlias

from rules.acts import Act
from rules.frozen import frozen
from rules.model import Request
from station.rolls import Roll
from station.settings import Settings
from station.state import Page, Purpose, Quantity

FURTHER = ">"
"""The value of an item that leads to another page."""

CHOSEN = "●"
"""The value of the item that is in force on its page."""


@frozen
class Open:
    """Show another page, about someone or something where it is about any."""

    page: Page
    subject: str = ""
    detail: str = ""


@frozen
class SetKind:
    """Dial another kind of test."""

    kind: type[Request]


@frozen
class SetSystem:
    """Dial by another system: its index in the registry."""

    index: int


@frozen
class SetRequest:
    """Dial this request; `stay` on the page, or go to the dial."""

    request: Request
    stay: bool = True


@frozen
class SetWord:
    """Dial this request, in which a word was chosen, and go back to the page of its words."""

    request: Request


@frozen
class Resume:
    """Go on with a roll that was left before all its dice were rolled."""

    roll: Roll


@frozen
class Begin:
    """Roll what is dialled, covered or by hand."""

    hidden: bool = False
    by_hand: bool = False


@frozen
class Do:
    """Change the table's state; `leave` the page for the table's where it has no more to say."""

    act: Act
    leave: bool = False


class Subject(Enum):
    """What can be looked up."""

    HISTORY = auto()
    FAIRNESS = auto()
    ABOUT = auto()
    CHANGES = auto()


@frozen
class Look:
    """Look something up."""

    what: Subject


@frozen
class Set:
    """Set the station otherwise."""

    settings: Settings


@frozen
class Spell:
    """Spell a word."""

    purpose: Purpose


@frozen
class Adjust:
    """Set a number of someone's, beginning with a value."""

    quantity: Quantity
    value: int


@frozen
class ShutDown:
    """Shut the whole machine down."""


@frozen
class Leave:
    """Go back to the dial."""


Action: TypeAlias = (
    Open
    | SetKind
    | SetSystem
    | SetRequest
    | SetWord
    | Resume
    | Begin
    | Do
    | Look
    | Set
    | Spell
    | Adjust
    | ShutDown
    | Leave
)
"""What an item of the menu can do."""


@frozen
class Item:
    """A line of the menu: its name, its present value, and what pressing it does."""

    label: str
    value: str
    action: Action
