"""A serial port that survives unplug and replug."""

import fcntl
import io
import os
import termios
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import serial

from hardware.clock import Clock, monotonic
from hardware.errors import why
from hardware.serialport.channel import Channel, DescriptorChannel, PlainChannel
from hardware.serialport.errors import PortLostError
from hardware.serialport.wakeup import Wakeup

DEFAULT_BAUDRATE = 115_200
"""Bits per second where nothing else is said; always 8 data bits, no parity, 1 stop bit."""

GONE = (serial.SerialException, OSError, termios.error, TypeError)
"""All that pyserial lets through when a port goes: termios.error is no OSError, and a port closed
under a read gives TypeError."""

_GADGET = "ttyGS"
"""How the kernel calls the device side of a USB gadget's serial port."""

Closer = Callable[[Callable[[], None]], None]
"""Runs what closes a port, perhaps on a thread of its own."""


class SerialPort:
    """A port by a name that stays with it, opened for this program alone.

    `path` should be a name under /dev/serial/by-id/, or by-path where equal adapters share an
    id, because a port comes back as another ttyUSB after a re-plug. Whatever pyserial's
    ``serial_for_url`` takes will do as well.
    """

    def __init__(
        self,
        path: str,
        baudrate: int = DEFAULT_BAUDRATE,
        *,
        clock: Clock = monotonic,
        close_gadget: Closer | None = None,
    ) -> None:
        self._path = path
        self._baudrate = baudrate
        self._clock = clock
        self._close_gadget = close_gadget or _on_its_own_thread
        self._wakeup = Wakeup()
        self._port: serial.Serial | None = None
        self._channel: Channel | None = None

    @property
    def name(self) -> str:
        """The path it was made with."""
        return self._path

    def open(self) -> None:
        """Open the port; one that is open stays as it is.

        Raises:
            PortLostError: it is missing, another program has it, or it can't be set up.
        """
        if self._port is not None:
            return
        try:
            port = serial.serial_for_url(
                self._path, baudrate=self._baudrate, timeout=0, exclusive=True
            )
        except (*GONE, ValueError) as error:
            raise PortLostError(f"{self._path} can't be opened: {why(error)}") from error
        self._port = port
        self._wakeup.open()
        with self._noticed():
            self._channel = self._opened(port)

    def read(self, timeout: float | None, *, or_writable: bool = False) -> bytes:
        """Return what has come in; see `Transport.read`."""
        channel = self._open_channel()
        with self._noticed():
            return channel.read(timeout, or_writable=or_writable)

    def write(self, data: bytes, patience: float) -> int:
        """Write bytes and return how many the port took; see `Transport.write`."""
        channel = self._open_channel()
        with self._noticed():
            return channel.write(data, patience)

    def discard(self) -> None:
        """Drop what has come in and what has not gone out.

        What the driver at the other end has taken already is out of reach, on a pty up to 4 KiB.

        Raises:
            PortLostError: the port is gone, or is a connection that can't be emptied.
        """
        self._open_channel()
        port = self._port
        if port is None or self._is_socket:
            raise PortLostError(f"{self._path} is given up: nobody reads what is sent")
        with self._noticed():
            port.reset_input_buffer()
            port.reset_output_buffer()

    def freshen(self) -> None:
        """Drop what a gadget kept for a host that was not there."""
        port = self._port
        if port is not None and self.is_gadget:
            with self._noticed():
                port.reset_output_buffer()

    def wake(self) -> None:
        """End the wait of `read`; from any thread."""
        self._wakeup.ring()

    def close(self) -> None:
        """Close the port, also one whose device has gone."""
        port, self._port = self._port, None
        self._channel = None
        self._wakeup.close()
        if port is None:
            return
        if self.is_gadget:
            # The kernel waits up to 15 s for a host to read what is left.
            self._close_gadget(lambda: _closed(port))
        else:
            _closed(port)

    @property
    def is_gadget(self) -> bool:
        """Whether this is the device side of a USB cable, whose host may be absent."""
        return Path(os.path.realpath(self._path)).name.startswith(_GADGET)

    @property
    def _is_socket(self) -> bool:
        return self._path.startswith("socket://")

    def _opened(self, port: serial.Serial) -> Channel:
        try:
            descriptor = port.fileno()
        except (io.UnsupportedOperation, AttributeError):
            return PlainChannel(port, self._wakeup, self._clock)
        if os.isatty(descriptor):
            # pyserial's own lock is advisory: a program that does not ask still gets the port.
            fcntl.ioctl(descriptor, termios.TIOCEXCL)
        return DescriptorChannel(descriptor, self._wakeup, self._clock)

    def _open_channel(self) -> Channel:
        if self._channel is None:
            raise PortLostError(f"{self._path} is not open")
        return self._channel

    @contextmanager
    def _noticed(self) -> Iterator[None]:
        """Turn whatever is raised when a port goes into one error, and close it at once."""
        try:
            yield
        except (*GONE, PortLostError) as error:
            self.close()
            raise PortLostError(f"{self._path} is gone: {why(error)}") from error


def _closed(port: serial.Serial) -> None:
    connection = getattr(port, "_socket", None)
    # The descriptor is closed even if the device under it says no.
    with suppress(*GONE):
        port.close()
    if connection is not None:
        # pyserial leaves it open where the other end was the first to go.
        connection.close()


def _on_its_own_thread(close: Callable[[], None]) -> None:
    threading.Thread(target=close, name="closing-gadget", daemon=True).start()
