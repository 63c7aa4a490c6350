"""A small stock of tested bytes from a slow or unreliable source, refilled in the background."""

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from hardware.clock import MILLISECOND, SECOND, Clock, Nanoseconds
from hardware.entropy.health import START_UP, Claim, HealthMonitor
from hardware.entropy.sources import EntropySource, SourceFailed

STOCK = 1024
"""Bytes that wait for a draw: the largest one, so that a slow source does not delay it."""

WITHHELD = START_UP
"""A byte is handed out only after so many later ones have passed the tests as well.

Each fault that the tests look for is found within START_UP bytes of its beginning, so that none
of the bytes it gave becomes a face. Those of the start-up test are kept for this, and may be used
later: SP 800-90B section 4.3 holds output back only until that test has passed.
"""

CHUNK = 256
"""The most bytes that the source is asked for at once."""

LOOK_AGAIN = Nanoseconds(10 * SECOND)
"""How often a full stock is refreshed by a chunk, so that a source that went is noticed."""

FIRST_RETRY = Nanoseconds(200 * MILLISECOND)
LAST_RETRY = Nanoseconds(2 * SECOND)
"""The wait before a failed source is tried again: doubled from the first to the last."""

BRIEF = Nanoseconds(100 * MILLISECOND)
"""What a draw waits for a source that has kept one waiting in vain."""

LISTENS_EVERY = 0.1
"""Seconds after which a draw that waits looks whether the station is about to end."""

JOIN_WITHIN = 0.5
"""Seconds that the thread gets to end by itself once its read is interrupted."""

_log = logging.getLogger(__name__)


class Phase(StrEnum):
    """Whether bytes can be taken: not yet, now, or not until the source has passed again."""

    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Condition:
    """The state of a source; the reason is empty if it is READY, else one sentence."""

    phase: Phase
    reason: str


@dataclass(frozen=True, slots=True)
class Read:
    """Ask the source for at most `count` bytes."""

    count: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing to do before `until` (ns), unless bytes are taken."""

    until: Nanoseconds


class Reservoir:
    """The pure core: says what to read, tests what came, and keeps it until it may be used."""

    def __init__(self, name: str, claim: Claim) -> None:
        self._name = name
        self._monitor = HealthMonitor(claim)
        self._line: deque[int] = deque(maxlen=WITHHELD + STOCK)
        self._retry = FIRST_RETRY
        self._due = Nanoseconds(0)
        self.attempt = 0
        """Changes with each failure and each new start, so that a late answer can be told."""
        self.heard = Nanoseconds(0)
        """When (ns) bytes last came."""

    @property
    def condition(self) -> Condition:
        """What can be said of the source now."""
        if self._monitor.trusted:
            return Condition(Phase.READY, "")
        if self._monitor.failure:
            return Condition(Phase.FAILED, self._monitor.failure)
        return Condition(Phase.STARTING, f"{self._name} is in its start-up test")

    @property
    def available(self) -> int:
        """Bytes that may be taken."""
        return max(0, len(self._line) - WITHHELD)

    @property
    def hungry(self) -> bool:
        """True if bytes can be read and are wanted now."""
        return not self._monitor.halted and self._room > 0

    @property
    def _room(self) -> int:
        return WITHHELD + STOCK - len(self._line)

    def next(self, now: Nanoseconds) -> Read | Wait:
        """Say what to do; a failed source is tried again when its time has come."""
        if self._monitor.halted:
            if now < self._due:
                return Wait(self._due)
            self._monitor.restart()
            self.attempt += 1
        if not self.hungry and now < self._due:
            return Wait(self._due)
        return Read(min(CHUNK, self._room or CHUNK))

    def received(self, data: bytes, now: Nanoseconds) -> None:
        """Test bytes that the source gave, and keep them if they pass."""
        self._monitor.feed(data)
        if self._monitor.halted:
            self.failed(f"{self._name} {self._monitor.failure}", now)
            return
        self._line.extend(data)
        self.heard = now
        self._due = Nanoseconds(now + LOOK_AGAIN)
        if self._monitor.trusted:
            self._retry = FIRST_RETRY

    def failed(self, reason: str, now: Nanoseconds) -> None:
        """Latch a failure: throw away all bytes, and try the source again after a while."""
        self._monitor.halt(reason)
        self._line.clear()
        self._due = Nanoseconds(now + self._retry)
        self._retry = min(LAST_RETRY, Nanoseconds(2 * self._retry))
        self.attempt += 1

    def take(self, count: int) -> bytes:
        """Hand out the oldest bytes, at most `count` and at most what is available."""
        return bytes(self._line.popleft() for _ in range(min(count, self.available)))


class Pool:
    """A reservoir and its source, driven by whoever calls; `BackgroundPool` adds the thread."""

    def __init__(
        self,
        source: EntropySource,
        claim: Claim,
        clock: Clock,
        deadline: Nanoseconds,
        *,
        is_ending: Callable[[], bool] = lambda: False,
    ) -> None:
        self.name = source.name
        self.test = source.test
        self._source = source
        self._clock = clock
        self._deadline = deadline
        self._is_ending = is_ending
        self._reservoir = Reservoir(source.name, claim)
        self._changed = threading.Condition()
        self._listener: Callable[[], None] = lambda: None
        self._told = self._reservoir.condition
        self._waited_in_vain: tuple[int, Phase] | None = None

    def watch(self, listener: Callable[[], None]) -> None:
        """Have `listener` called, on the thread that noticed, when the condition has changed."""
        self._listener = listener

    def condition(self) -> Condition:
        """Return what can be said of the source now."""
        with self._changed:
            return self._reservoir.condition

    def take(self, count: int, until: Nanoseconds) -> bytes:
        """Return exactly `count` tested bytes, waiting for them until the point `until` (ns).

        After a draw that waited in vain none waits for more than BRIEF until one is served:
        several in a row must not add up to a long delay.

        Raises:
            SourceFailed: The source has failed, or has not given enough by then, or the station is
                about to end. What was taken so far is thrown away.
        """
        taken = b""
        asked = self._clock()
        if self._has_waited_in_vain(Phase.READY):
            until = Nanoseconds(min(until, asked + BRIEF))
        while True:
            with self._changed:
                condition = self._reservoir.condition
                if condition.phase is Phase.FAILED or self._has_waited_in_vain(Phase.STARTING):
                    raise SourceFailed(condition.reason)
                part = self._reservoir.take(count - len(taken))
                self._changed.notify_all()
            taken += part
            if len(taken) == count:
                self._waited_in_vain = None
                return taken
            if self._is_ending():
                raise SourceFailed("the station is about to end")
            if self._clock() >= until:
                raise self._late(len(taken), count, asked)
            self._await(until)

    def step(self) -> Nanoseconds | None:
        """Read from the source once if that is due; else return when (ns) it will be."""
        with self._changed:
            action = self._reservoir.next(self._clock())
            attempt = self._reservoir.attempt
        match action:
            case Wait(until):
                return until
            case Read(count):
                self._read(count, attempt)
                return None
            case _:
                assert_never(action)

    def close(self) -> None:
        """Let go of the device."""
        self._source.close()

    def _await(self, until: Nanoseconds) -> None:  # noqa: ARG002 - the source keeps to its deadline
        self.step()

    def _read(self, count: int, attempt: int) -> None:
        data, reason = b"", ""
        try:
            data = self._source.read(count, Nanoseconds(self._clock() + self._deadline))
        except SourceFailed as error:
            reason = error.reason
        except Exception as error:  # noqa: BLE001 - a bug in a source must not end the thread in silence
            reason = f"{self.name} broke: {error!r}"
        with self._changed:
            if attempt == self._reservoir.attempt:
                self._digest(data, reason)
            lost = attempt != self._reservoir.attempt
            self._changed.notify_all()
        if lost:
            self._source.close()
        self._tell()

    def _digest(self, data: bytes, reason: str) -> None:
        if reason:
            self._reservoir.failed(reason, self._clock())
        else:
            self._reservoir.received(data, self._clock())

    def _has_waited_in_vain(self, phase: Phase) -> bool:
        """True if the last draw that waited for this attempt's bytes in this phase got none."""
        now = (self._reservoir.attempt, self._reservoir.condition.phase)
        return self._waited_in_vain == now == (self._reservoir.attempt, phase)

    def _late(self, got: int, count: int, asked: Nanoseconds) -> SourceFailed:
        now = self._clock()
        with self._changed:
            condition = self._reservoir.condition
            silent = now - max(asked, self._reservoir.heard) >= self._deadline
            if silent and condition.phase is not Phase.FAILED:
                # The thread hangs in its read, or it would have said so itself.
                self._reservoir.failed(f"{self.name} gave nothing by the deadline", now)
                condition = self._reservoir.condition
            self._waited_in_vain = (self._reservoir.attempt, condition.phase)
        self._tell()
        span = (now - asked) // MILLISECOND
        short = f"{self.name} gave only {got} of {count} bytes in {span} ms"
        return SourceFailed(condition.reason or short)

    def _tell(self) -> None:
        condition = self.condition()
        if condition != self._told:
            self._told = condition
            self._listener()


class BackgroundPool(Pool):
    """A pool that a thread of its own keeps full; `interrupt` ends a read that waits."""

    def __init__(
        self,
        source: EntropySource,
        claim: Claim,
        clock: Clock,
        deadline: Nanoseconds,
        *,
        interrupt: Callable[[], None] = lambda: None,
        is_ending: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(source, claim, clock, deadline, is_ending=is_ending)
        self._interrupt = interrupt
        self._stopping = False
        # A daemon: a read can hang inside the kernel, and must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name=f"entropy-{self.name}", daemon=True)

    def start(self) -> None:
        """Begin to fill the stock."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread, which lets go of the device; takes JOIN_WITHIN at the most."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        self._interrupt()
        if self._thread.ident is None:
            self._source.close()
            return
        self._thread.join(JOIN_WITHIN)
        if self._thread.is_alive():
            _log.warning("%s hangs in a read; its thread is left behind", self.name)

    def _run(self) -> None:
        while not self._stopping:
            due = self.step()
            if due is not None:
                self._rest(due)
        self._source.close()

    def _rest(self, until: Nanoseconds) -> None:
        with self._changed:
            self._changed.wait_for(
                lambda: self._stopping or self._reservoir.hungry, self._seconds_to(until)
            )

    def _await(self, until: Nanoseconds) -> None:
        with self._changed:
            self._changed.wait_for(self._has_news, min(self._seconds_to(until), LISTENS_EVERY))

    def _has_news(self) -> bool:
        failed = self._reservoir.condition.phase is Phase.FAILED
        return failed or self._reservoir.available > 0

    def _seconds_to(self, until: Nanoseconds) -> float:
        return max(0, until - self._clock()) / SECOND
