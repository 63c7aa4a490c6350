"""A hardware source whose world side is in the caller's hands: faults at will, and no device."""

from collections.abc import Iterator
from itertools import islice

from hardware.clock import Clock, Nanoseconds
from hardware.entropy.sources import Pause, SourceFailed


class SimulatedSource:
    """Gives the bytes of a stream, until its world side says otherwise.

    What it does not simulate: the time that a device takes for a byte. Its draws are marked as
    tests, because whoever holds the stream can foretell them.
    """

    test = True

    def __init__(
        self, stream: Iterator[int], clock: Clock, pause: Pause, name: str = "hwrng"
    ) -> None:
        self.name = name
        self.stream = stream
        """The world side: where its bytes (0 to 255) come from; replace it to break the source."""
        self.most = 256 * 256
        """The world side: the most bytes that one read gives."""
        self.silent = False
        """The world side: True makes each read wait in vain until its deadline."""
        self.refusal = ""
        """The world side: why each read fails at once; empty if it does not."""
        self.pulled_after: int | None = None
        """The world side: how many more bytes it gives before it is gone; None for no end."""
        self.given = bytearray()
        """All bytes that it ever gave, in order."""
        self.asked: list[int] = []
        """The size of each read."""
        self._clock = clock
        self._pause = pause

    def read(self, count: int, deadline: Nanoseconds) -> bytes:
        """Return 1 to `count` bytes of the stream.

        Raises:
            SourceFailed: The world side has made it silent, has it refuse, or has pulled it.
        """
        self.asked.append(count)
        if self.silent:
            self._pause(Nanoseconds(max(0, deadline - self._clock())))
            raise SourceFailed(f"{self.name} gave nothing by the deadline")
        if self.refusal:
            raise SourceFailed(f"{self.name} {self.refusal}")
        return self._give(min(count, self.most))

    def close(self) -> None:
        """Do nothing: no device is held."""

    def _give(self, count: int) -> bytes:
        if self.pulled_after is not None:
            if self.pulled_after == 0:
                raise SourceFailed(f"{self.name} is gone")
            count = min(count, self.pulled_after)
            self.pulled_after -= count
        data = bytes(islice(self.stream, count))
        self.given += data
        return data
