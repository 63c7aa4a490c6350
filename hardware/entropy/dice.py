"""The dice a station rolls: a number of faces, and where they came from."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from hardware.clock import Clock, Nanoseconds
from hardware.entropy.faces import Gathering, NoUsableByte
from hardware.entropy.pool import Phase, Pool
from hardware.entropy.settings import EntropyMode
from hardware.entropy.sources import EntropySource, SourceFailed
from hardware.errors import HardwareError

MOST_DICE = 1000
"""The largest draw, in dice."""

NO_SOURCE = "none"
"""The source in use while nothing can be drawn."""

_log = logging.getLogger(__name__)


class EntropyState(StrEnum):
    """How well the dice can be rolled."""

    OK = "ok"
    """From the source that the mode names."""
    DEGRADED = "degraded"
    """From urandom alone, although the mode names the hardware too."""
    LOST = "lost"
    """Not at all."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Faces (each 1 to 6, in the order drawn) and where all of them came from.

    `reason` is empty while the source is the one that the mode names, else it says why it is
    not; `change` is empty unless the source is another one than at the draw before (at the first
    draw: than the mode names), else it is the sentence to show beside the verdict. `test` is True
    if the faces could be foretold.
    """

    faces: tuple[int, ...]
    source: str
    mode: str
    test: bool
    reason: str = ""
    change: str = ""


@dataclass(frozen=True, slots=True)
class EntropyHealth:
    """What the dice would be drawn from now; `since` (ns) is when source and state became so."""

    mode: str
    source: str
    state: EntropyState
    reason: str
    since: Nanoseconds
    test: bool


OnChange = Callable[[EntropyHealth], None]
"""Called when source, state or reason changes, on the thread that noticed: a draw's, or the
background one. It must be quick, and must not draw; put the value on a queue."""


class EntropyUnavailable(HardwareError):  # noqa: N818 - a state the station shows by this name
    """Nothing was drawn; the message says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Dice:
    """Draws faces from the kernel's source, a pool of tested hardware bytes, or both by XOR.

    Without a pool, `kernel` alone is drawn from. With one, the pool alone in mode HWRNG_ONLY,
    else both.
    """

    def __init__(
        self,
        mode: str,
        kernel: EntropySource,
        clock: Clock,
        deadline: Nanoseconds,
        *,
        on_change: OnChange,
        pool: Pool | None = None,
    ) -> None:
        self._mode = mode
        self._kernel = kernel
        self._pool = pool
        self._clock = clock
        self._deadline = deadline
        self._on_change = on_change
        self._drawing = threading.Lock()
        self._noting = threading.RLock()
        self._test = kernel.test or (pool is not None and pool.test)
        self._last_source = self._named
        self._shortfall = ""
        self._refused = False
        self._health = EntropyHealth(mode, *self._observe(), clock(), self._test)
        if pool is not None:
            pool.watch(self._pool_changed)

    def draw(self, count: int) -> Draw:
        """Return `count` faces (1 to MOST_DICE), all from the same source.

        Raises:
            ValueError: `count` is not within its range.
            EntropyUnavailable: No source may be used; nothing was drawn.
        """
        if not 1 <= count <= MOST_DICE:
            raise ValueError(f"count (= {count}) must be 1 to {MOST_DICE} dice")
        with self._drawing:
            try:
                faces, source, reason = self._roll(count)
            except SourceFailed as failed:
                self._note(failed.reason, refused=True)
                raise EntropyUnavailable(failed.reason) from failed
            self._note(reason, refused=False)
            change = self._change_to(source, reason)
            return Draw(faces, source, self._mode, self._test, reason, change)

    def health(self) -> EntropyHealth:
        """Return what the dice would be drawn from now."""
        return self._health

    def close(self) -> None:
        """Let go of every device and thread."""
        if self._pool is not None:
            self._pool.close()
        self._kernel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _named(self) -> str:
        """The source that the mode names."""
        if self._pool is None:
            return self._kernel.name
        if self._mode == EntropyMode.HWRNG_ONLY:
            return self._pool.name
        return f"{self._pool.name}+{self._kernel.name}"

    def _roll(self, count: int) -> tuple[tuple[int, ...], str, str]:
        """Return faces, their source, and why it is not the one that the mode names."""
        until = Nanoseconds(self._clock() + self._deadline)
        pool, kernel = self._pool, self._kernel
        if pool is None:
            return _gather(count, kernel.name, lambda n: kernel.read(n, until)), kernel.name, ""
        if self._mode == EntropyMode.HWRNG_ONLY:
            return _gather(count, pool.name, lambda n: pool.take(n, until)), pool.name, ""
        try:
            faces = _gather(count, self._named, lambda n: _mixed(pool, kernel, n, until))
        except SourceFailed as failed:
            # All faces anew: those so far may rest on bytes of the source that failed.
            faces = _gather(count, kernel.name, lambda n: kernel.read(n, until))
            return faces, kernel.name, failed.reason
        return faces, self._named, ""

    def _change_to(self, source: str, reason: str) -> str:
        before, self._last_source = self._last_source, source
        if source == before:
            return ""
        return f"{source} alone: {reason}" if reason else f"{source} again"

    def _note(self, shortfall: str, *, refused: bool) -> None:
        with self._noting:
            self._shortfall = shortfall
            self._refused = refused
            self._publish()

    def _pool_changed(self) -> None:
        with self._noting:
            # What the last draw met no longer counts: the pool itself has said something newer.
            self._shortfall = ""
            self._refused = False
            self._publish()

    def _publish(self) -> None:
        old = self._health
        source, state, reason = self._observe()
        if (source, state, reason) == (old.source, old.state, old.reason):
            return
        same = (source, state) == (old.source, old.state)
        since = old.since if same else self._clock()
        self._health = EntropyHealth(self._mode, source, state, reason, since, self._test)
        try:
            self._on_change(self._health)
        except Exception:  # noqa: BLE001 - a handler's bug must end neither a draw nor the thread
            _log.exception("the handler of entropy changes failed at %s", self._health)

    def _observe(self) -> tuple[str, EntropyState, str]:
        if self._refused:
            return NO_SOURCE, EntropyState.LOST, self._shortfall
        reason = self._pool_trouble() or self._shortfall
        if not reason:
            return self._named, EntropyState.OK, ""
        if self._mode == EntropyMode.HWRNG_URANDOM:
            return self._kernel.name, EntropyState.DEGRADED, reason
        return NO_SOURCE, EntropyState.LOST, reason

    def _pool_trouble(self) -> str:
        if self._pool is None:
            return ""
        condition = self._pool.condition()
        return "" if condition.phase is Phase.READY else condition.reason


def _gather(count: int, source: str, read: Callable[[int], bytes]) -> tuple[int, ...]:
    """Return `count` faces from what `read` gives.

    Raises:
        SourceFailed: `read` failed, or gave nothing that can become a face.
    """
    gathering = Gathering(count)
    try:
        while gathering.missing:
            gathering.feed(read(gathering.missing))
    except NoUsableByte as useless:
        raise SourceFailed(f"{source}: {useless}") from useless
    return gathering.faces


def _mixed(pool: Pool, kernel: EntropySource, count: int, until: Nanoseconds) -> bytes:
    """Return 1 to `count` bytes, each the XOR of one of either source.

    If the two are independent and one is uniform, so is the XOR, whatever the other one does.
    """
    ours = kernel.read(count, until)
    theirs = pool.take(len(ours), until)
    return bytes(a ^ b for a, b in zip(ours, theirs, strict=True))
