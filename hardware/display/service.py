"""One thread that owns the display's bus; the newest frame wins."""

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from PIL import Image

from hardware.clock import SECOND, Clock, Nanoseconds, monotonic
from hardware.display.interface import Brightness, Panel, check_frame
from hardware.display.link import DisplayHealth, Link
from hardware.progress import Progress

_log = logging.getLogger(__name__)

STOP_WITHIN: Final = 1.2
"""Seconds that `close` waits for a transfer under way; the kernel gives one up after a second."""


class DisplayService:
    """Shows what is submitted, outlives the display, and says when it comes or goes.

    Args:
        panel: The display; from here on only this thread touches it.
        on_change: Told from the display's thread when the panel comes or goes, and once at the
            start; must return at once (put it on a queue).
        clock: Where the time is read.
    """

    def __init__(
        self,
        panel: Panel,
        on_change: Callable[[DisplayHealth], None],
        clock: Clock = monotonic,
    ) -> None:
        self._panel = panel
        self._clock = clock
        self._size = panel.size
        self._on_change = on_change
        self._link = Link(panel, self._tell)
        self._frame = Image.new("1", panel.size)
        self._level = Brightness.FULL
        self._news = True
        self._stop = False
        self._progress = Progress(clock)
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="display", daemon=True)
        self._thread.start()

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a frame, in pixels."""
        return self._size

    @property
    def alive(self) -> bool:
        """Whether the thread runs and gets on; it ends with `close` only."""
        return self._thread.is_alive() and not self._progress.hangs()

    @property
    def health(self) -> DisplayHealth | None:
        """How the panel is; None before the first step."""
        health = self._link.health
        if health is None or not health.found or not self._progress.hangs():
            return health
        return replace(health, found=False, reason="its bus hangs: a transfer does not end")

    def submit(self, image: Image.Image) -> None:
        """Show a frame as soon as the bus is free, unless a newer one comes first.

        Args:
            image: Mode "1", exactly `size`; copied, so the caller may draw on.

        Raises:
            FrameError: The image has another mode or size.
        """
        check_frame(image, self._size)
        frame = image.copy()
        with self._changed:
            self._frame, self._news = frame, True
            self._changed.notify()

    def dim(self, level: Brightness) -> None:
        """Set the brightness as soon as the bus is free."""
        with self._changed:
            self._level, self._news = level, True
            self._changed.notify()

    def close(self) -> None:
        """Stop the thread, switch the panel off and give the bus back; may be called twice."""
        with self._changed:
            self._stop = True
            self._changed.notify()
        self._thread.join(STOP_WITHIN)

    def _run(self) -> None:
        due = self._clock()
        while self._wait_until(due):
            due = self._step()
        self._panel.close()

    def _step(self) -> Nanoseconds:
        now = self._clock()
        try:
            return self._link.step(now)
        except Exception as error:  # noqa: BLE001 - a driver's fault costs the picture, never the thread
            _log.exception("The display met an unforeseen error")
            return self._link.lose(f"Unforeseen {type(error).__name__}: {error}", now)

    def _tell(self, health: DisplayHealth) -> None:
        try:
            self._on_change(health)
        except Exception:  # noqa: BLE001 - a listener's fault costs its message, never the thread
            _log.exception("The listener to the display's health failed")

    def _wait_until(self, due: Nanoseconds) -> bool:
        """Wait for news or the time; hand the newest over; return whether to go on."""
        with self._changed:
            while not (self._news or self._stop):
                left = due - self._clock()
                if left <= 0:
                    break
                self._progress.waits()
                self._changed.wait(left / SECOND)
            self._progress.works()
            self._link.want(self._frame, self._level)
            self._news = False
            return not self._stop
