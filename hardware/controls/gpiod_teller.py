"""Telling what the lines of a GPIO chip do: each edge once, and what changed while none came."""

import logging
from collections.abc import Callable, Mapping

from gpiod import EdgeEvent

_LOG = logging.getLogger(__name__)

Report = Callable[[int, bool, int], None]
"""Takes an edge: line offset, whether it is high now, CLOCK_MONOTONIC ns."""


class Teller:
    """Tells edges on the reader thread, and knows what it told last of each line.

    Args:
        report: takes each edge; what it throws is counted and logged.

    Attributes:
        faults: how many edges `report` threw at.
        missed: whether edges may have been missed, so that the levels have to be compared.
    """

    def __init__(self, report: Report) -> None:
        self.faults = 0
        self.missed = False
        self._report = report
        self._levels: dict[int, bool] = {}
        self._numbers: dict[int, int] = {}

    def learn(self, offset: int, *, high: bool) -> None:
        """Take a line's level as told, unless something was told of it before."""
        self._levels.setdefault(offset, high)

    def forget(self, offset: int) -> None:
        """Know nothing of a line any more."""
        self._levels.pop(offset, None)

    def forget_all(self) -> None:
        """Know nothing of any line any more."""
        self._levels.clear()

    def renewed(self) -> None:
        """Expect the edges of a new request, which counts from 1 and may have missed some."""
        self._numbers.clear()
        self.missed = True

    def tell(self, edge: EdgeEvent) -> None:
        """Tell an edge; one whose number is not the next says that the kernel dropped some."""
        expected = self._numbers.get(edge.line_offset, 0) + 1
        self._numbers[edge.line_offset] = edge.line_seqno
        high = edge.event_type is EdgeEvent.Type.RISING_EDGE
        self._tell(edge.line_offset, high=high, at=edge.timestamp_ns)
        if edge.line_seqno > expected:
            _LOG.warning("the kernel dropped edges of GPIO%d", edge.line_offset)
            self.missed = True

    def compare(self, levels: Mapping[int, bool], at: int) -> None:
        """Tell the levels that differ from what was told last as edges of that time, in ns."""
        for offset, high in levels.items():
            if self._levels.get(offset) != high:
                self._tell(offset, high=high, at=at)

    def _tell(self, offset: int, *, high: bool, at: int) -> None:
        self._levels[offset] = high
        try:
            self._report(offset, high, at)
        except Exception:  # noqa: BLE001 (one escaped fault would make every line deaf)
            self.faults += 1
            _LOG.exception("the handler of GPIO%d failed", offset)
