"""Where random bytes come from: one Protocol, the kernel, a hardware generator, a test sequence."""

import errno
import hashlib
import os
import stat
import threading
from collections.abc import Callable
from typing import Protocol

from hardware.clock import MILLISECOND, SECOND, Clock, Nanoseconds, monotonic
from hardware.errors import HardwareError

PAUSE = Nanoseconds(5 * MILLISECOND)
"""Between two looks at a source that has nothing yet.

Nothing better can be waited for: `/dev/hwrng` has no poll, so `select` calls it ready at all times.
"""

Pause = Callable[[Nanoseconds], None]
"""How a source waits; tests pass a function that moves their clock."""


class SourceFailed(HardwareError):  # noqa: N818 - says what happened to the source
    """An entropy source is missing, silent, gone or not to be trusted; the message says which."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class EntropySource(Protocol):
    """Something that gives random bytes, a few at a time, and may fail."""

    @property
    def name(self) -> str:
        """What the ledger and the screens call it: `urandom`, `hwrng`, `dongle`."""

    @property
    def test(self) -> bool:
        """True if its bytes can be foretold, so that each roll must be marked as a test."""

    def read(self, count: int, deadline: Nanoseconds) -> bytes:
        """Return 1 to `count` bytes, as soon as the source gives any.

        Args:
            count: How many bytes are wanted (≥ 1); the source is asked for no more.
            deadline: The point on the monotonic clock (ns) after which it counts as silent.

        Raises:
            SourceFailed: No byte came by the deadline, or the device said no. The source has let
                go of the device, and the next read opens it again.
        """

    def close(self) -> None:
        """Let go of the device; harmless when it is not held."""


class Urandom:
    """The kernel's generator (`getrandom(2)`), which the kernel itself seeds and tests."""

    name = "urandom"
    test = False

    def read(self, count: int, deadline: Nanoseconds) -> bytes:  # noqa: ARG002 - it never waits once seeded
        """Return exactly `count` bytes.

        Raises:
            SourceFailed: The kernel has no generator to offer.
        """
        try:
            return os.urandom(count)
        except (OSError, NotImplementedError) as error:
            raise SourceFailed(f"urandom failed: {error}") from error

    def close(self) -> None:
        """Do nothing: no descriptor is held."""


class Rest:
    """A pause in real time that another thread can end, and with it whatever waits."""

    def __init__(self) -> None:
        self._ended = threading.Event()

    def __call__(self, span: Nanoseconds) -> None:
        """Wait.

        Raises:
            SourceFailed: it was ended.
        """
        if self._ended.wait(span / SECOND):
            raise SourceFailed("the station ends")

    def end(self) -> None:
        """Let nobody wait any more."""
        self._ended.set()


def first_bytes(
    look: Callable[[], bytes], name: str, deadline: Nanoseconds, clock: Clock, pause: Pause
) -> bytes:
    """Return what `look` gives as soon as that is not empty.

    Raises:
        SourceFailed: It was still empty at the deadline.
    """
    while not (data := look()):
        left = deadline - clock()
        if left <= 0:
            raise SourceFailed(f"{name} gave nothing by the deadline")
        pause(Nanoseconds(min(PAUSE, left)))
    return data


_WHY = {
    errno.ENOENT: "does not exist",
    errno.EACCES: "may not be read: the udev rule that gives it to the station is missing",
    errno.EPERM: "may not be read: the udev rule that gives it to the station is missing",
    errno.ENODEV: "has no generator behind it (rng_current is none)",
}


class HardwareRng:
    """A kernel character device such as `/dev/hwrng`, read without blocking.

    The kernel may still hold a read up while another reader waits for the same generator, so this
    belongs in a thread of its own.
    """

    name = "hwrng"
    test = False

    def __init__(
        self, path: str = "/dev/hwrng", clock: Clock = monotonic, pause: Pause | None = None
    ) -> None:
        self._path = path
        self._clock = clock
        self._pause = pause or Rest()
        self._fd: int | None = None

    def read(self, count: int, deadline: Nanoseconds) -> bytes:
        """Return 1 to `count` bytes, as soon as the device gives any.

        Raises:
            SourceFailed: No byte came by the deadline, the device is missing, forbidden, without
                a generator, ended, or a plain file.
        """
        try:
            fd = self._opened()
            return first_bytes(
                lambda: self._look(fd, count), self.name, deadline, self._clock, self._pause
            )
        except OSError as error:
            self.close()
            why = _WHY.get(error.errno or 0, f"failed: {error.strerror}")
            raise SourceFailed(f"{self._path} {why}") from error
        except SourceFailed:
            self.close()
            raise

    def close(self) -> None:
        """Close the device."""
        if self._fd is not None:
            fd, self._fd = self._fd, None
            os.close(fd)

    def _opened(self) -> int:
        if self._fd is None:
            self._fd = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            if stat.S_ISREG(os.fstat(self._fd).st_mode):
                # It would give the same bytes again each time it is opened.
                raise SourceFailed(f"{self._path} is a plain file, not a random number generator")
        return self._fd

    def _look(self, fd: int, count: int) -> bytes:
        # os.read, because a buffered file asks the device for 4,096 bytes to get the first.
        try:
            data = os.read(fd, count)
        except BlockingIOError:
            return b""
        if not data:
            raise SourceFailed(f"{self._path} ended")
        return data


class SeededSource:
    """A sequence that anyone can compute again: SHA-256 over the seed and a counter.

    For tests only; `seeded` makes it, and everything drawn from it is marked.
    """

    test = True

    def __init__(self, seed: int, permit: object) -> None:
        if permit is not _PERMIT:
            raise SourceFailed("a seeded source is made by seeded() alone")
        self.name = f"seeded({seed})"
        self._counter = 0
        self._left = b""

    def read(self, count: int, deadline: Nanoseconds) -> bytes:  # noqa: ARG002 - it never waits
        """Return exactly `count` bytes, the next of the sequence."""
        while len(self._left) < count:
            block = f"{self.name}:{self._counter}".encode()
            self._left += hashlib.sha256(block).digest()
            self._counter += 1
        data, self._left = self._left[:count], self._left[count:]
        return data

    def close(self) -> None:
        """Do nothing; the sequence goes on where it was."""


_PERMIT = object()


def seeded(seed: int, *, test: bool) -> SeededSource:
    """Return a source that can be foretold, under an explicit test flag.

    Raises:
        SourceFailed: The flag is not set.
    """
    if not test:
        raise SourceFailed("a seeded source exists under the test flag only")
    return SeededSource(seed, _PERMIT)
