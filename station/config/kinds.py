"""The kinds of value a key of a configuration can have, each with its range and its TOML form.

TOML has no null; where a key can be without a value, ``false`` says so and means what `off` says.
"""

import json
import os
import re
from typing import Any, ClassVar, TypeAlias

from rules.frozen import frozen
from rules.leaves import range_text

_SIZE = re.compile(r"([0-9]{1,4})x([0-9]{1,4})", re.ASCII)

LONGEST_TEXT = 200
"""Characters of a path or a name; the longest by-path names of ports are near 100."""


@frozen(kw_only=True)
class Whole:
    """A whole number in a closed range, of a unit; None is written ``false``, where `off` is."""

    default: int | None
    low: int
    high: int
    unit: str = ""
    off: str = ""
    hexadecimal: bool = False
    required: ClassVar[bool] = False

    def accepts(self, value: object) -> bool:
        """Return whether a value found in the file is one."""
        if self.off and value is False:
            return True
        return type(value) is int and self.low <= value <= self.high

    def read(self, value: Any) -> int | None:
        """Return an accepted value as the station holds it."""
        return None if value is False else value

    def written(self, value: Any) -> str:
        """Return a value as TOML."""
        if value is None:
            return "false"
        return f"0x{value:02X}" if self.hexadecimal else str(value)

    @property
    def allowed(self) -> str:
        """What the key takes, in words."""
        span = range_text(self.low, self.high)
        if self.hexadecimal:
            span = f"{self.written(self.low)}–{self.written(self.high)}"
        text = f"a whole number {span} {self.unit}".rstrip()
        return f"{text}, or false ({self.off})" if self.off else text


@frozen(kw_only=True)
class Switch:
    """Yes or no."""

    default: bool
    required: ClassVar[bool] = False
    allowed: ClassVar[str] = "true or false"

    def accepts(self, value: object) -> bool:
        """Return whether a value found in the file is one."""
        return type(value) is bool

    def read(self, value: Any) -> bool:
        """Return an accepted value as the station holds it."""
        return bool(value)

    def written(self, value: Any) -> str:
        """Return a value as TOML."""
        return "true" if value else "false"


@frozen(kw_only=True)
class OneOf:
    """One of a few named texts or numbers."""

    default: str | int
    values: tuple[str | int, ...]
    required: ClassVar[bool] = False

    def accepts(self, value: object) -> bool:
        """Return whether a value found in the file is one."""
        return type(value) in (str, int) and value in self.values

    def read(self, value: Any) -> str | int:
        """Return an accepted value as the station holds it: the very one of `values`."""
        return self.values[self.values.index(value)]

    def written(self, value: Any) -> str:
        """Return a value as TOML."""
        return str(value) if type(value) is int else _quoted(value)

    @property
    def allowed(self) -> str:
        """What the key takes, in words."""
        return " or ".join(str(value) for value in self.values)


@frozen(kw_only=True)
class Line:
    """Text of one line; an absolute `path`, or empty where `empty` says what that means.

    A path that the kernel takes only so long has `most` bytes at most.
    """

    default: str = ""
    path: bool = False
    most: int | None = None
    empty: str = ""
    required: bool = False

    def accepts(self, value: object) -> bool:
        """Return whether a value found in the file is one."""
        if not isinstance(value, str) or len(value) > LONGEST_TEXT or not value.isprintable():
            return False
        if self.most is not None and len(os.fsencode(value)) > self.most:
            return False
        if not value.strip():
            return value == "" and bool(self.empty)
        return value.startswith("/") or not self.path

    def read(self, value: Any) -> str:
        """Return an accepted value as the station holds it."""
        return str(value)

    def written(self, value: Any) -> str:
        """Return a value as TOML."""
        return _quoted(value)

    @property
    def allowed(self) -> str:
        """What the key takes, in words."""
        text = "an absolute path" if self.path else f"text of 1–{LONGEST_TEXT} characters"
        if self.most is not None:
            text += f" of at most {self.most} bytes"
        return f'{text}, or "" ({self.empty})' if self.empty else text


@frozen(kw_only=True)
class Several:
    """A list of different texts: of the named `values`, or absolute paths where there are none."""

    default: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    required: ClassVar[bool] = False

    def accepts(self, value: object) -> bool:
        """Return whether a value found in the file is one."""
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            return False
        one = Line(path=True)
        fits = (each in self.values if self.values else one.accepts(each) for each in value)
        return all(fits) and len(set(value)) == len(value)

    def read(self, value: Any) -> tuple[str, ...]:
        """Return an accepted value as the station holds it."""
        return tuple(value)

    def written(self, value: Any) -> str:
        """Return a value as TOML."""
        return f"[{', '.join(_quoted(each) for each in value)}]"

    @property
    def allowed(self) -> str:
        """What the key takes, in words."""
        of = ", ".join(self.values) if self.values else "absolute paths"
        return f"a list of {of}, each at most once"


@frozen(kw_only=True)
class Size:
    """Width and height in pixels, written ``"128x64"``."""

    default: tuple[int, int]
    required: ClassVar[bool] = False
    allowed: ClassVar[str] = 'width and height in pixels, such as "128x64"'

    def accepts(self, value: object) -> bool:
        """Return whether a value found in the file is one."""
        return isinstance(value, str) and _SIZE.fullmatch(value) is not None

    def read(self, value: Any) -> tuple[int, int]:
        """Return an accepted value as the station holds it."""
        width, _, height = value.partition("x")
        return int(width), int(height)

    def written(self, value: Any) -> str:
        """Return a value as TOML."""
        width, height = value
        return _quoted(f"{width}x{height}")


Kind: TypeAlias = Whole | Switch | OneOf | Line | Several | Size
"""Any kind of value."""


@frozen
class Key:
    """A key of a section: its name, what it takes, and what it is for."""

    name: str
    kind: Kind
    help: str


@frozen
class Section:
    """A table of the file; of a section with `many`, a list of them, ``[[name]]``."""

    name: str
    help: str
    keys: tuple[Key, ...]
    many: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its keys."""
        return tuple(key.name for key in self.keys)

    @property
    def heading(self) -> str:
        """How the file opens it."""
        return f"[[{self.name}]]" if self.many else f"[{self.name}]"


def _quoted(text: str) -> str:
    """Return a text as a TOML basic string; JSON's escapes are among TOML's."""
    return json.dumps(str(text), ensure_ascii=False)
