"""Reading and writing what is open: by its descriptor, or through pyserial where it has none."""

import os
import queue
import select
from typing import Protocol

import serial

from hardware.clock import SECOND, Clock, Nanoseconds
from hardware.serialport.errors import PortLostError
from hardware.serialport.interface import MOST_AT_ONCE
from hardware.serialport.wakeup import Wakeup

_RECHECK = 0.01
"""Seconds to wait where a descriptor is called writable and then takes nothing."""

_SLICE = 0.05
"""Seconds after which a port without a descriptor looks whether it was woken."""

_MS = 1_000


class Channel(Protocol):
    """An open line."""

    def read(self, timeout: float | None, *, or_writable: bool = False) -> bytes:
        """Read as `Transport.read` does."""

    def write(self, data: bytes, patience: float) -> int:
        """Write as `Transport.write` does."""


class DescriptorChannel:
    """Reads and writes a non-blocking descriptor, waiting in `poll`.

    pyserial's own write spins or blocks on a port that nobody reads, and does not say how much
    it wrote.
    """

    def __init__(self, descriptor: int, wakeup: Wakeup, clock: Clock) -> None:
        self._descriptor = descriptor
        self._wakeup = wakeup
        self._clock = clock
        os.set_blocking(descriptor, False)

    def read(self, timeout: float | None, *, or_writable: bool = False) -> bytes:
        """Return what is there once something is, 1–4096 bytes, else nothing.

        Raises:
            PortLostError: the other end is gone.
            OSError: likewise, as the operating system says it.
        """
        wanted = select.POLLIN | (select.POLLOUT if or_writable else 0)
        poll = select.poll()
        poll.register(self._descriptor, wanted)
        poll.register(self._wakeup.fileno(), select.POLLIN)
        ready = dict(poll.poll(None if timeout is None else timeout * _MS))
        if self._wakeup.fileno() in ready:
            self._wakeup.silence()
        events = ready.get(self._descriptor, 0)
        if not events & ~select.POLLOUT:
            return b""
        try:
            data = os.read(self._descriptor, MOST_AT_ONCE)
        except BlockingIOError:
            return b""
        if not data:
            raise PortLostError("the other end is gone")
        return data

    def write(self, data: bytes, patience: float) -> int:
        """Write until all is written or nothing was taken for `patience` seconds.

        Raises:
            OSError: the other end is gone.
        """
        written, misled = 0, False
        deadline = self._deadline(patience)
        while written < len(data):
            if count := self._write_some(data[written:]):
                written, misled = written + count, False
                deadline = self._deadline(patience)
                continue
            if misled:
                select.select([], [], [], _RECHECK)
            if not self._is_writable(deadline):
                break
            misled = True
        return written

    def _write_some(self, data: bytes) -> int:
        try:
            return os.write(self._descriptor, data)
        except BlockingIOError:
            return 0

    def _deadline(self, patience: float) -> Nanoseconds:
        return Nanoseconds(self._clock() + int(patience * SECOND))

    def _is_writable(self, deadline: Nanoseconds) -> bool:
        """Wait until something can be written; return False once it is too late."""
        left = (deadline - self._clock()) / SECOND
        poll = select.poll()
        poll.register(self._descriptor, select.POLLOUT)
        return left > 0 and bool(poll.poll(left * _MS))


class PlainChannel:
    """Reads and writes a port of pyserial that has no descriptor: ``loop://``, ``rfc2217://``."""

    def __init__(self, port: serial.Serial, wakeup: Wakeup, clock: Clock) -> None:
        self._port = port
        self._wakeup = wakeup
        self._clock = clock
        port.timeout = _SLICE

    def read(self, timeout: float | None, *, or_writable: bool = False) -> bytes:
        """Return what is there once something is, 1–4096 bytes, else nothing."""
        until = None if timeout is None else self._clock() + int(timeout * SECOND)
        while True:
            if first := self._port.read(1):
                more = min(self._port.in_waiting, MOST_AT_ONCE - 1)
                return bytes(first) + bytes(self._port.read(more))
            if self._wakeup.silence() or or_writable:
                return b""
            if until is not None and self._clock() >= until:
                return b""

    def write(self, data: bytes, patience: float) -> int:
        """Write all, or give up after `patience` seconds without progress."""
        self._port.write_timeout = max(patience, _SLICE)
        written = 0
        try:
            for start in range(0, len(data), _AT_A_TIME):
                written += self._port.write(data[start : start + _AT_A_TIME]) or 0
        except (serial.SerialTimeoutException, queue.Full):
            return written
        return written


_AT_A_TIME = 64
"""Bytes handed to pyserial at once, so that it is known about how many were taken."""
