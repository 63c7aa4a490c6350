"""Tells the log how the station's parts fare, a line for each change, and never too many."""

import logging
import re
from dataclasses import dataclass, field

from hardware.clock import SECOND, Clock, Nanoseconds
from station.part import OK, Part

SETTLE = Nanoseconds(3 * SECOND)
"""How long a part must fare as it was first found before that is told: it may only be starting."""

MOST_LINES = 8
"""Lines that may be told of one part in a row."""

ANOTHER = Nanoseconds(300 * SECOND)
"""After this long one line more may be told: the journal of a station is kept in memory."""

_NUMBER = re.compile(r"\d+")

_PLURAL = ("controls",)

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Budget:
    """Lines that may still be told of a part."""

    refilled: Nanoseconds
    lines: int = MOST_LINES

    def take(self, now: Nanoseconds) -> bool:
        """Take a line, if there is one."""
        more = (now - self.refilled) // ANOTHER
        if self.lines + more >= MOST_LINES:
            self.lines, self.refilled = MOST_LINES, now
        else:
            self.lines += more
            self.refilled = Nanoseconds(self.refilled + more * ANOTHER)
        if not self.lines:
            return False
        self.lines -= 1
        return True


@dataclass(slots=True)
class _Known:
    """What was told of a part, and how it was first found."""

    first: Part
    found: Nanoseconds
    budget: _Budget
    starting: bool = True
    told: tuple[str, str] = field(default=(OK, ""))


class Chronicle:
    """Writes to the log when a part comes to fare otherwise, or for another reason.

    A reason that differs in its numbers alone is the same one. A part that changes all the time
    is told of in `MOST_LINES` lines, and then in one each `ANOTHER`, which says how it fares by
    then.

    Args:
        clock: the monotonic clock.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[str, _Known] = {}

    def note(self, name: str, part: Part) -> None:
        """Tell how a part fares now, unless that was told; cheap enough for every look."""
        now = self._clock()
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = _Known(part, now, _Budget(now))
        known.starting = known.starting and part == known.first and now - known.found < SETTLE
        found = (part.state, "" if part.state == OK else _NUMBER.sub("0", part.reason))
        if found == known.told or known.starting or not known.budget.take(now):
            return
        known.told = found
        _tell(name, part, is_last=not known.budget.lines)


def _tell(name: str, part: Part, *, is_last: bool) -> None:
    verb = "are" if name in _PLURAL else "is"
    rest = "; it changes often: from now on it is told more rarely" if is_last else ""
    if part.state == OK:
        _log.info("%s %s ok again%s", name, verb, rest)
    else:
        _log.warning("%s %s %s: %s%s", name, verb, part.state, part.reason, rest)
