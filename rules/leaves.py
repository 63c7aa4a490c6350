"""The plain fields of a request: whole numbers, flags, choices and texts."""

from collections.abc import Callable
from typing import ClassVar

from rules.errors import RulesError
from rules.frozen import frozen

NAME_LENGTH = 24
"""Characters of a name, so that it fits the panel."""

TEXT_LENGTH = 60
"""Characters of any other free text."""

MOST_POINTS = 99_999
"""Where tallies that only grow, such as lost Reserve, come to their end."""

UNSET = "–"
"""How the dial shows a number that is not given."""


def range_text(low: int, high: int) -> str:
    """Return a closed range as people write it: ``1–20``, ``−10…+10``."""
    if low < 0:
        return f"{low:+d}…{high:+d}".replace("-", "−")
    return f"{low}–{high}"


@frozen(kw_only=True)
class Number:
    """A whole number in a closed range; `optional` ones may be left unset (None).

    `main` ones come first on the dial, whatever their place in the request. With `dialled_with`
    one is dialled only while the field of that name, its own or another, is set.
    """

    label: str
    low: int
    high: int
    default: int | None = None
    start: int | None = None
    required: bool = False
    optional: bool = False
    dialled: bool = True
    main: bool = False
    dialled_with: str = ""
    show: Callable[[int], str] = str

    def check(self, name: str, value: object) -> None:
        """Raise RulesError unless the value is a whole number in range (bool is none)."""
        if value is None and self.optional:
            return
        if type(value) is not int or not self.low <= value <= self.high:
            raise RulesError(name, value, self.allowed)

    def read(self, value: object) -> object:
        """Return the value found in JSON as the request holds it."""
        return value

    @property
    def allowed(self) -> str:
        """What the field takes, in words."""
        return f"a whole number {range_text(self.low, self.high)}"

    def first(self) -> int | None:
        """Return the value that a fresh dial shows."""
        return self.default if self.start is None else self.start

    def turned(self, value: object, detents: int) -> int | None:
        """Return the value after that many detents, kept in range; unset lies below the lowest."""
        lowest = self.low - 1 if self.optional else self.low
        current = lowest if not isinstance(value, int) else value
        result = min(self.high, max(lowest, current + detents))
        return None if result < self.low else result

    def text(self, value: object) -> str:
        """Return the value as the dial shows it."""
        return self.show(value) if isinstance(value, int) else UNSET

    def describe(self) -> dict[str, object]:
        """Return the field as JSON-able data."""
        return {"type": "integer", "min": self.low, "max": self.high}


@frozen(kw_only=True)
class Flag:
    """Yes or no."""

    label: str
    default: bool = False
    required: ClassVar[bool] = False
    dialled: bool = True
    allowed: ClassVar[str] = "true or false"

    def check(self, name: str, value: object) -> None:
        """Raise RulesError unless the value is a bool."""
        if type(value) is not bool:
            raise RulesError(name, value, self.allowed)

    def read(self, value: object) -> object:
        """Return the value found in JSON as the request holds it."""
        return value

    def first(self) -> bool:
        """Return the value that a fresh dial shows."""
        return self.default

    def turned(self, value: object, detents: int) -> bool:  # noqa: ARG002 - one shape for all fields
        """Return yes for a turn to the right, no for one to the left."""
        return detents > 0

    def text(self, value: object) -> str:
        """Return the value as the dial shows it."""
        return "yes" if value else "no"

    def describe(self) -> dict[str, object]:
        """Return the field as JSON-able data."""
        return {"type": "boolean"}


@frozen(kw_only=True)
class Choice:
    """One of a few named values; `recorded` ones are always written out, even when default."""

    label: str
    values: tuple[str, ...]
    default: str
    required: ClassVar[bool] = False
    dialled: bool = False
    recorded: bool = False

    def check(self, name: str, value: object) -> None:
        """Raise RulesError unless the value is one of those named."""
        if not isinstance(value, str) or value not in self.values:
            raise RulesError(name, value, self.allowed)

    def read(self, value: object) -> object:
        """Return the value found in JSON as the request holds it."""
        return value

    @property
    def allowed(self) -> str:
        """What the field takes, in words."""
        return " or ".join(self.values)

    def first(self) -> str:
        """Return the value that a fresh dial shows."""
        return self.default

    def turned(self, value: object, detents: int) -> str:
        """Return the value that many places further on, stopping at either end."""
        place = self.values.index(str(value)) + detents
        return self.values[min(len(self.values) - 1, max(0, place))]

    def text(self, value: object) -> str:
        """Return the value as the dial shows it."""
        return str(value).replace("_", " ")

    def describe(self) -> dict[str, object]:
        """Return the field as JSON-able data."""
        return {"type": "string", "values": list(self.values)}


@frozen(kw_only=True)
class Text:
    """Free text of one line, 1 character at least, or None; it is never dialled."""

    label: str
    longest: int = TEXT_LENGTH
    default: str | None = None
    required: ClassVar[bool] = False
    dialled: ClassVar[bool] = False

    def check(self, name: str, value: object) -> None:
        """Raise RulesError unless the value is None or printable text of the allowed length."""
        if value is None and self.default is None:
            return
        if not isinstance(value, str) or not 1 <= len(value) <= self.longest:
            raise RulesError(name, value, self.allowed)
        if not value.isprintable() or not value.strip():
            raise RulesError(name, value, self.allowed)

    def read(self, value: object) -> object:
        """Return the value found in JSON as the request holds it."""
        return value

    @property
    def allowed(self) -> str:
        """What the field takes, in words."""
        return f"text of 1–{self.longest} printable characters"

    def first(self) -> str | None:
        """Return the value that a fresh dial shows."""
        return self.default

    def text(self, value: object) -> str:
        """Return the value as the dial shows it."""
        return UNSET if value is None else str(value)

    def describe(self) -> dict[str, object]:
        """Return the field as JSON-able data."""
        return {"type": "string", "min_length": 1, "max_length": self.longest}
