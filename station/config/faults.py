"""What is wrong with a configuration: all of it at once, one sentence each."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from pathlib import Path

from rules.errors import shown, shown_text
from rules.frozen import frozen
from station.errors import StationError

BAD_CONFIGURATION = 78
"""The daemon's exit status for a bad configuration (EX_CONFIG of sysexits.h): no restart helps."""


@frozen
class Fault:
    """One thing that is wrong.

    Attributes:
        where: section and key, such as ``display.size``; empty where it is the file as a whole.
        problem: the sentence, which names section and key.
        line: the line of the file, from 1, where it is known.
    """

    where: str
    problem: str
    line: int | None = None

    def __str__(self) -> str:
        return self.problem if self.line is None else f"line {self.line}: {self.problem}"

    def plain(self) -> dict[str, object]:
        """Return the fault as JSON-able data."""
        return {"where": self.where, "line": self.line, "message": str(self)}


class ConfigError(StationError):
    """A configuration that cannot be used.

    Attributes:
        path: the file.
        faults: everything that is wrong with it, at least one.
    """

    def __init__(self, path: Path, faults: Sequence[Fault]) -> None:
        self.path = path
        self.faults = tuple(faults)
        super().__init__("; ".join(self.sentences()))

    def sentences(self) -> tuple[str, ...]:
        """Return one sentence for each fault, with the file's name."""
        return tuple(f"{self.path}: {fault}" for fault in self.faults)


def wrong(where: str, value: object, allowed: str) -> Fault:
    """Return the fault of a value that a key cannot have."""
    text = value.isoformat() if isinstance(value, date | datetime | time) else shown(value)
    return Fault(where, f"{where} is {text}: allowed is {allowed}")


def wrong_number(where: str, value: int, allowed: str) -> Fault:
    """Return the fault of a number that people know by its hexadecimal digits."""
    return Fault(where, f"{where} is {value:#04x}: allowed is {allowed}")


def nearest(name: str, known: Iterable[str], likeness: float) -> str | None:
    """Return the known name that is most like one from a file; None if none is (0–1) so alike."""
    from difflib import get_close_matches  # noqa: PLC0415 (only for what is wrong)

    near = get_close_matches(name[:60].lower(), known, n=1, cutoff=likeness)
    return near[0] if near else None


def unknown(where: str, what: str, name: str, known: Iterable[str]) -> Fault:
    """Return the fault of a section or key that there is none of, with the nearest there is."""
    names = tuple(known)
    near = nearest(name, names, 0.5)
    hint = f"did you mean {near}?" if near else f"known are {', '.join(names)}"
    return Fault(where, f"{where} is no {what}: {hint}")


def told(name: str) -> str:
    """Return a name from a file as an error may repeat it."""
    return shown_text(name) or '""'
