"""What a line to another machine is to the rest of the station."""

from typing import Protocol

MOST_AT_ONCE = 4096
"""Bytes that one read gives at the most."""


class Transport(Protocol):
    """A line of bytes that may be lost and opened again.

    All methods but `wake` belong to one thread. Each may raise PortLostError; the line must
    then be closed, and may be opened again.
    """

    @property
    def name(self) -> str:
        """What the line is called, the same after it was lost and came back."""

    def open(self) -> None:
        """Open the line, for this program alone; what was sent to it before is gone."""

    def read(self, timeout: float | None, *, or_writable: bool = False) -> bytes:
        """Return what has come in, 1–4096 bytes, as soon as there is any.

        Args:
            timeout: seconds to wait at the most; None for as long as it takes.
            or_writable: return also once something can be written.

        Returns:
            Nothing if the time is up, `wake` was called, or it became writable.
        """

    def write(self, data: bytes, patience: float) -> int:
        """Write bytes and return how many the line took.

        Args:
            data: what to write.
            patience: seconds without any progress, after which the rest is given up.
        """

    def discard(self) -> None:
        """Drop what has come in and what has not gone out; a line that can't do so is lost."""

    def freshen(self) -> None:
        """Drop output that was left from before anyone was there; most lines keep none."""

    def wake(self) -> None:
        """Have the read that waits, or else the next one, return at once; from any thread."""

    def close(self) -> None:
        """Close the line; nothing is raised, and closing twice is no fault."""
