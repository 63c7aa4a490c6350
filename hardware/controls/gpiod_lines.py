"""GPIO lines over libgpiod 2: one reader thread that blocks, and that outlives its chip.

All watched lines are one request, so the kernel tells their edges in the order they happened. A
request cannot grow, so it is made anew when a line comes or goes. The kernel only lets go of the
old one when nobody polls it any more; hence `_exclusive`, which first calls the reader away.

The chip's life, as the reader sees it:

    there --a read or a question fails--> lost: all closed, `alive` is false
    lost  --0.2, 0.4 … 5 s--> find the chip and hold every line again
          --all held--> there
          --any fails--> lost         (a follower only loses the lines that were taken meanwhile)

Old kernels do not wake who polls a chip that goes; so `alive` asks it something, now and then.

Whenever edges may have been missed (the kernel's buffer ran over, the request was made anew, the
chip came back), levels that differ from what was last told are told as edges. A follower is told
of a chip that comes back instead, and looks for itself; for it a line that somebody else took
meanwhile is let go of, so that this costs the others nothing.
"""

import logging
import os
import select
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from errno import ENODEV
from threading import Event, Lock, RLock, Thread, current_thread

from gpiod import EdgeEvent, LineSettings
from gpiod.line import Edge, Value

from hardware.clock import MILLISECOND, SECOND, Nanoseconds, monotonic
from hardware.controls.errors import FactoryUnavailable
from hardware.controls.gpiod_chip import Chip, Kernel, LineConfig, Request, explain, find_chip
from hardware.controls.gpiod_teller import Report, Teller
from hardware.progress import Progress

_LOG = logging.getLogger(__name__)

CONSUMER = "dice-station"
"""Who holds the lines, as `gpioinfo` shows it."""

BUFFERED_EDGES = 1024
"""Edges the kernel keeps for us: the most it allows (gpiolib-cdev.c, 16 for each of 64 lines)."""

FIRST_RETRY = Nanoseconds(200 * MILLISECOND)
LAST_RETRY = Nanoseconds(5 * SECOND)

STOP_WITHIN = 1.0
"""Seconds that `close` waits for a reader that somebody's handler of edges keeps."""


class Lines:
    """The lines of one chip that we hold.

    Args:
        kernel: where chips come from.
        report: takes each edge, on the reader thread; what it throws is counted and logged.
        chip: label or path of the chip; None finds the header's.
        first_retry: how long after the chip was lost it is looked for, in ns; doubles up to 5 s.

    Raises:
        FactoryUnavailable: there is no such chip.
    """

    def __init__(
        self,
        kernel: Kernel,
        report: Report,
        chip: str | None = None,
        first_retry: Nanoseconds = FIRST_RETRY,
    ) -> None:
        self._kernel = kernel
        self._where = chip
        self._first_retry = first_retry
        self._chip: Chip | None = find_chip(kernel, chip)
        self._settings: dict[int, LineSettings] = {}
        self._single: dict[int, Request] = {}
        self._watch: Request | None = None
        self._watched: frozenset[int] = frozenset()
        self._teller = Teller(report)
        self._progress = Progress()
        self._gone: OSError | None = None
        self._retry_in = first_retry
        self._retry_at = Nanoseconds(0)
        self._closing = False
        self._follower: Callable[[bool], None] | None = None
        self._followed = True
        self._together = False
        self._thread: Thread | None = None
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._config = RLock()
        self._polling = Lock()
        self._io = Lock()
        self._may_poll = Event()
        self._may_poll.set()

    @property
    def faults(self) -> int:
        """How many edges `report` threw at."""
        return self._teller.faults

    def alive(self) -> bool:
        """Return whether edges can still come: the chip answers, and the reader gets on."""
        if self._closing or not self._answers():
            return False
        return self._thread is None or (self._thread.is_alive() and not self._progress.hangs())

    def follow(self, follower: Callable[[bool], None]) -> None:
        """Have `follower` told, on the reader thread, when the chip goes and is there again."""
        self._follower = follower

    def holder(self, offset: int) -> str:
        """Return who holds a line, as far as the kernel knows."""
        with self._io:
            info = self._chip.get_line_info(offset) if self._chip else None
        return (info.consumer or "the kernel") if info and info.used else "nobody"

    @contextmanager
    def together(self) -> Iterator[None]:
        """Watch lines all at once at the end: each one alone is a new request for all of them.

        Until then a line is held, and read, as it was. One that can't be watched in the end is
        held no more.
        """
        self._together = True
        try:
            yield
        finally:
            self._together = False
            late = [o for o, how in self._settings.items() if self._is_late(o, how)]
            if late and not self._closing:
                self._watch_late(late)

    def hold(self, offset: int, settings: LineSettings) -> None:
        """Hold a line, or change how it is held; with edge detection it is watched.

        Raises:
            OSError: EBUSY where somebody else holds it, ENODEV while the chip is lost.
        """
        if self._closing:
            raise OSError(ENODEV, os.strerror(ENODEV))
        if offset in self._single and (self._together or not _is_watched(settings)):
            self._change(offset, settings)
            return
        with self._exclusive():
            before = self._settings.get(offset)
            self._put(offset, settings)
            try:
                self._take(offset)
            except OSError:
                self._put(offset, before)
                self._take_again(offset)
                raise
        self._start()

    def release(self, offset: int) -> None:
        """Give a line back; one that is not held is no error."""
        if self._closing:
            return
        with self._exclusive():
            self._put(offset, None)
            self._take_again(offset)

    def read(self, offset: int) -> bool:
        """Return whether a held line is high.

        Raises:
            OSError: ENODEV while the chip is lost.
        """
        with self._io:
            return self._request(offset).get_value(offset) is Value.ACTIVE

    def write(self, offset: int, *, high: bool) -> None:
        """Drive a held output; the level is kept for when a lost chip comes back.

        Raises:
            OSError: ENODEV while the chip is lost.
        """
        value = Value.ACTIVE if high else Value.INACTIVE
        with self._io:
            if offset not in self._settings:
                raise OSError(ENODEV, os.strerror(ENODEV))
            self._settings[offset] = replace(self._settings[offset], output_value=value)
            self._request(offset).set_value(offset, value)

    def close(self) -> None:
        """Give everything back and end the reader; may be called again."""
        if self._closing:
            return
        self._closing = True
        with self._exclusive():
            self._drop_all()
        if self._thread is not None and self._thread is not current_thread():
            self._thread.join(STOP_WITHIN)
            if self._thread.is_alive():
                return  # it still holds what wakes it
        os.close(self._wake)

    def _answers(self) -> bool:
        """Return whether the chip does; if not, have the reader close it and look for it."""
        with self._io:
            if self._chip is None:
                return False
            try:
                self._chip.get_line_info(next(iter(self._settings), 0))
            except OSError as error:
                self._gone = error
            else:
                return True
        os.eventfd_write(self._wake, 1)
        return False

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Keep the reader out of the kernel while requests change."""
        with self._config:
            self._may_poll.clear()
            os.eventfd_write(self._wake, 1)
            try:
                with self._polling, self._io:
                    yield
            finally:
                self._may_poll.set()

    def _put(self, offset: int, settings: LineSettings | None) -> None:
        """Let go of what holds the line now, and note how it is to be held."""
        if (single := self._single.pop(offset, None)) is not None:
            single.release()
        if settings is None:
            self._settings.pop(offset, None)
            self._teller.forget(offset)
        else:
            self._settings[offset] = settings

    def _take(self, offset: int) -> None:
        if self._chip is None:
            raise OSError(ENODEV, os.strerror(ENODEV))
        settings = self._settings[offset]
        if _is_watched(settings) or offset in self._watched:
            self._renew_watch(self._chip)
        if not _is_watched(settings):
            self._single[offset] = self._chip.request_lines({offset: settings}, CONSUMER)

    def _take_again(self, offset: int) -> None:
        """Hold what was held before a change that failed, or what is left after a release."""
        with suppress(OSError):
            if offset in self._settings:
                self._take(offset)
            elif offset in self._watched and self._chip is not None:
                self._renew_watch(self._chip)

    def _change(self, offset: int, settings: LineSettings) -> None:
        """Hold a line otherwise that is held alone; to be watched it waits until the end."""
        with self._io:
            single = self._single.get(offset)
            if single is None:
                raise OSError(ENODEV, os.strerror(ENODEV))
            if not _is_watched(settings):
                single.reconfigure_lines({offset: settings})
            self._settings[offset] = settings

    def _is_late(self, offset: int, settings: LineSettings) -> bool:
        return _is_watched(settings) and offset not in self._watched

    def _watch_late(self, late: list[int]) -> None:
        with self._exclusive():
            chip = self._chip
            if chip is None:
                return
            try:
                self._renew_watch(chip)
            except OSError as error:
                _LOG.error("lines can't be watched: %s", explain(error))
                for offset in late:
                    self._put(offset, None)
                with suppress(OSError):
                    self._renew_watch(chip)
        self._start()

    def _renew_watch(self, chip: Chip) -> None:
        if self._watch is not None:
            self._watch.release()
            self._watch = None
        self._watched = frozenset(o for o, how in self._settings.items() if _is_watched(how))
        for offset in self._watched & self._single.keys():
            self._single.pop(offset).release()
        if self._watched:
            lines: LineConfig = {offset: self._settings[offset] for offset in self._watched}
            self._watch = chip.request_lines(lines, CONSUMER, BUFFERED_EDGES)
            for offset in self._watched:
                self._teller.learn(offset, high=self._watch.get_value(offset) is Value.ACTIVE)
        self._teller.renewed()

    def _request(self, offset: int) -> Request:
        request = self._watch if offset in self._watched else self._single.get(offset)
        if request is None:
            raise OSError(ENODEV, os.strerror(ENODEV))
        return request

    def _drop_all(self) -> None:
        """Let go of everything; a chip that is gone may complain about that."""
        requests = [*self._single.values(), *([self._watch] if self._watch else [])]
        self._single.clear()
        self._watch = None
        for thing in requests:
            with suppress(OSError):
                thing.release()
        if self._chip is not None:
            with suppress(OSError):
                self._chip.close()
        self._chip = None

    def _start(self) -> None:
        with self._config:
            if self._thread is None and self._watch is not None:
                self._thread = Thread(target=self._run, name="gpio-edges", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while not self._closing:
            self._may_poll.wait()
            edges = self._wait()
            for edge in edges:
                self._teller.tell(edge)
            if self._teller.missed and not edges:
                self._tell_changes()
            if self._chip is None and not self._closing and monotonic() >= self._retry_at:
                self._recover()
            self._tell_follower()

    def _wait(self) -> list[EdgeEvent]:
        """Block until edges come, somebody calls, or it is time to look for a lost chip."""
        with self._polling:
            self._progress.waits()
            poller = select.poll()
            poller.register(self._wake, select.POLLIN)
            if self._watch is not None:
                poller.register(self._watch.fd, select.POLLIN)
            ready = [fd for fd, _ in poller.poll(self._patience())]
            self._progress.works()
            if self._wake in ready:
                os.eventfd_read(self._wake)
            if self._gone is not None:
                with self._io:
                    self._lose(self._gone)
                return []
            if self._watch is None or self._watch.fd not in ready:
                return []
            with self._io:
                try:
                    return self._watch.read_edge_events()
                except OSError as error:
                    self._lose(error)
                    return []

    def _patience(self) -> int | None:
        """How long to block, in ms; None is for ever."""
        if self._teller.missed:
            return 0
        if self._chip is not None or self._closing:
            return None
        return max(0, self._retry_at - monotonic()) // MILLISECOND + 1

    def _lose(self, error: OSError) -> None:
        self._gone = None
        _LOG.error("the GPIO chip is lost: %s; looking for it", explain(error))
        self._drop_all()
        self._retry_in = self._first_retry
        self._retry_at = Nanoseconds(monotonic() + self._retry_in)

    def _recover(self) -> None:
        with self._config, self._io:
            if self._closing:
                return
            try:
                self._chip = find_chip(self._kernel, self._where)
                if self._follower is not None:
                    self._drop_taken(self._chip)
                    self._teller.forget_all()
                for offset, settings in self._settings.items():
                    if not _is_watched(settings):
                        lines: LineConfig = {offset: settings}
                        self._single[offset] = self._chip.request_lines(lines, CONSUMER)
                self._renew_watch(self._chip)
            except (OSError, FactoryUnavailable):
                self._drop_all()
                self._retry_in = Nanoseconds(min(2 * self._retry_in, LAST_RETRY))
                self._retry_at = Nanoseconds(monotonic() + self._retry_in)
                return
        _LOG.warning("the GPIO chip is back")

    def _drop_taken(self, chip: Chip) -> None:
        """Let go of the lines that somebody took while the chip was away."""
        for offset in tuple(self._settings):
            info = chip.get_line_info(offset)
            if info.used:
                _LOG.error("GPIO%d is held by %s now", offset, info.consumer or "the kernel")
                del self._settings[offset]

    def _tell_follower(self) -> None:
        there = self._chip is not None
        if there != self._followed and not self._closing:
            self._followed = there
            if self._follower is not None:
                self._follower(there)

    def _tell_changes(self) -> None:
        """Tell the levels that changed while nobody listened; edges that wait come first."""
        levels: dict[int, bool] = {}
        with self._polling, self._io, suppress(OSError):
            self._teller.missed = False
            if (watch := self._watch) is not None:
                levels = {o: watch.get_value(o) is Value.ACTIVE for o in self._watched}
                if _is_readable(watch.fd):
                    self._teller.missed = True
                    return
        self._teller.compare(levels, monotonic())


def _is_watched(settings: LineSettings) -> bool:
    return settings.edge_detection is not Edge.NONE


def _is_readable(fd: int) -> bool:
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    return bool(poller.poll(0))
