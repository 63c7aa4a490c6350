"""Which bytes of a panel's memory to send so that it costs the bus least."""

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """A rectangle of memory bytes; all four edges belong to it."""

    left: int
    """First byte of a row, counted from 0."""
    right: int
    """Last byte of a row."""
    top: int
    """First row, counted from 0."""
    bottom: int
    """Last row."""

    @property
    def area(self) -> int:
        """Bytes inside."""
        return (self.right - self.left + 1) * (self.bottom - self.top + 1)

    def joined(self, other: "Window") -> "Window":
        """Return the smallest window around both."""
        return Window(
            min(self.left, other.left),
            max(self.right, other.right),
            min(self.top, other.top),
            max(self.bottom, other.bottom),
        )

    def cut(self, memory: bytes, row_length: int) -> bytes:
        """Return this window's bytes, row after row.

        Args:
            memory: All rows, one after the other.
            row_length: Bytes in a row.
        """
        starts = range(self.top * row_length, (self.bottom + 1) * row_length, row_length)
        return b"".join(memory[start + self.left : start + self.right + 1] for start in starts)


class Differ:
    """Finds the windows that turn one memory into another.

    Joining two windows sends the unchanged bytes between them once more; it is done where that
    costs less than opening a second window.

    Args:
        row_length: Bytes in a row of the memory.
        overhead: Bytes on the bus for opening one window, beside its contents.
        single_row: The controller's windows are one row high.
    """

    def __init__(self, row_length: int, overhead: int, *, single_row: bool) -> None:
        self._row_length = row_length
        self._overhead = overhead
        self._single_row = single_row
        gap = overhead - 1
        self._run = re.compile(rb"[^\x00]+(?:\x00{1,%d}[^\x00]+)*" % gap)

    def windows(self, old: bytes, new: bytes) -> tuple[Window, ...]:
        """Return windows that cover every byte in which two memories differ; none if equal.

        Args:
            old: What the panel holds.
            new: What it shall hold; as many bytes.
        """
        if old == new:
            return ()
        done: list[Window] = []
        growing: list[Window] = []
        for run in self._runs(old, new):
            reach = run.top if self._single_row else run.top - self._overhead
            done += [window for window in growing if window.bottom < reach]
            growing = [window for window in growing if window.bottom >= reach]
            growing = self._absorbed(growing, run)
        return tuple(done + growing)

    def _runs(self, old: bytes, new: bytes) -> Iterator[Window]:
        changed = int.from_bytes(old, "big") ^ int.from_bytes(new, "big")
        marks = changed.to_bytes(len(new), "big")
        length = self._row_length
        for row in range(len(new) // length):
            for run in self._run.finditer(marks[row * length : (row + 1) * length]):
                yield Window(run.start(), run.end() - 1, row, row)

    def _absorbed(self, windows: list[Window], run: Window) -> list[Window]:
        """Join the run to the window where that saves most, and the result likewise."""
        if self._single_row or not windows:
            return [*windows, run]
        saved, best = max(
            ((w.area + run.area + self._overhead - w.joined(run).area, i))
            for i, w in enumerate(windows)
        )
        if saved < 0:
            return [*windows, run]
        others = windows[:best] + windows[best + 1 :]
        return self._absorbed(others, windows[best].joined(run))
