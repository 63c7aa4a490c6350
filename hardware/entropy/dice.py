"""The dice a station rolls: a number of faces, and where they came from."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from hardware.clock import Clock, Nanoseconds
from hardware.entropy.faces import Gathering, NoUsableByte
from hardware.entropy.sources import EntropySource, SourceFailed
from hardware.errors import HardwareError

MOST_DICE = 1000
"""The largest draw, in dice."""


class EntropyMode(StrEnum):
    """Which source a draw is made from, and what happens when the hardware fails."""

    URANDOM = "urandom"
    HWRNG_URANDOM = "hwrng+urandom"
    HWRNG_ONLY = "hwrng-only"


class EntropyState(StrEnum):
    """How well the dice can be rolled."""

    OK = "ok"
    DEGRADED = "degraded"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Draw:
    """Faces (each 1 to 6, in the order drawn) and where all of them came from.

    `reason` is empty while the source is the one that the mode names, else one sentence why it is
    not; `change` is empty unless the source is another one than at the draw before (at the first
    draw: than the mode names), else one sentence to show beside the verdict. `test` is True if the
    faces could be foretold.
    """

    faces: tuple[int, ...]
    source: str
    mode: str
    test: bool
    reason: str = ""
    change: str = ""


@dataclass(frozen=True, slots=True)
class EntropyHealth:
    """What the dice would be drawn from now; `since` (ns) is when it became so."""

    mode: str
    source: str
    state: EntropyState
    reason: str
    since: Nanoseconds
    test: bool


class EntropyUnavailable(HardwareError):  # noqa: N818 - a state the station shows by this name
    """Nothing was drawn; the message says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Dice:
    """Draws faces from one source."""

    def __init__(
        self,
        mode: str,
        source: EntropySource,
        clock: Clock,
        deadline: Nanoseconds,
        on_change: Callable[[EntropyHealth], None],
    ) -> None:
        self._mode = mode
        self._source = source
        self._clock = clock
        self._deadline = deadline
        self._on_change = on_change
        self._health = EntropyHealth(
            mode, source.name, EntropyState.OK, "", clock(), test=source.test
        )

    def draw(self, count: int) -> Draw:
        """Return `count` faces (1 to MOST_DICE), all from the same source.

        Raises:
            ValueError: `count` is not within its range.
            EntropyUnavailable: No source may be used; nothing was drawn.
        """
        if not 1 <= count <= MOST_DICE:
            raise ValueError(f"count (= {count}) must be 1 to {MOST_DICE} dice")
        until = Nanoseconds(self._clock() + self._deadline)
        gathering = Gathering(count)
        try:
            while gathering.missing:
                gathering.feed(self._source.read(gathering.missing, until))
        except (SourceFailed, NoUsableByte) as error:
            self._note(EntropyState.LOST, str(error))
            raise EntropyUnavailable(str(error)) from error
        self._note(EntropyState.OK, "")
        return Draw(gathering.faces, self._source.name, self._mode, test=self._source.test)

    def health(self) -> EntropyHealth:
        """Return what the dice would be drawn from now."""
        return self._health

    def close(self) -> None:
        """Let go of every device and thread."""
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _note(self, state: EntropyState, reason: str) -> None:
        if (state, reason) != (self._health.state, self._health.reason):
            self._health = EntropyHealth(
                self._mode, self._source.name, state, reason, self._clock(), self._source.test
            )
            self._on_change(self._health)
