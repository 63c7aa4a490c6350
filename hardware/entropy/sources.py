"""Where random bytes come from: one Protocol, and the kernel's generator behind it."""

import os
from typing import Protocol

from hardware.clock import Nanoseconds
from hardware.errors import HardwareError


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
