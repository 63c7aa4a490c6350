"""A beat now and then that goes all the way through the station, and is told only if it arrives.

    this thread --errand--> the owner's queue --done there--> look at the parts, tell the watchdog

A station whose owner hangs, or whose input or display thread died, sends no ping, and the service
manager starts it anew.
"""

import threading
from collections.abc import Callable
from typing import Self

INTERVAL = 2.0
"""Seconds between beats where no watchdog asks for more."""


class Heartbeat:
    """Has `beat` done on the owner's thread again and again, never two at a time.

    Args:
        submit: puts work on the owner's queue; from any thread, and never waiting.
        beat: what is done there.
        interval: seconds (above 0) between beats.
    """

    def __init__(
        self,
        submit: Callable[[Callable[[], None]], None],
        beat: Callable[[], None],
        interval: float = INTERVAL,
    ) -> None:
        self._submit = submit
        self._beat = beat
        self._interval = interval
        self._ended = threading.Event()
        self._waiting = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(self._interval):
            # A beat that still waits says that the owner is busy: a second one says no more.
            if not self._waiting.is_set():
                self._waiting.set()
                self._submit(self._arrived)

    def _arrived(self) -> None:
        self._waiting.clear()
        self._beat()
