"""What a client is told of unasked, and in which form."""

from enum import StrEnum

from rules.frozen import frozen
from station.protocol.events import EVENT_NAMES, EventName


class Form(StrEnum):
    """How a client is spoken to."""

    JSON = "json"
    TYPED = "typed"


@frozen
class Listening:
    """Events that a client is told of, and how."""

    events: frozenset[str] = frozenset()
    brief: bool = False
    form: Form = Form.JSON

    def __post_init__(self) -> None:
        """Check the names.

        Raises:
            ValueError: there is no such event.
        """
        if unknown := self.events - EVENT_NAMES:
            raise ValueError(f"events has {min(unknown)!r}; allowed: {', '.join(EventName)}")
