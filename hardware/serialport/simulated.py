"""A serial cable that is not there: a pty whose far end, and whose plug, are in your hand.

What it does not simulate: the baud rate (bytes take no time), line noise, modem lines, and that a
real driver's buffers are larger or smaller than a pty's.
"""

import os
import pty
import select
import tty
from pathlib import Path
from typing import Self

from hardware.serialport.errors import PortLostError

_MS = 1_000
_AT_ONCE = 65_536


class Cable:
    """A cable that ends in a port with a name that stays when it is plugged in again.

    Args:
        path: the port's name, a symbolic link to the pty of the moment.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._far = -1
        self._near = -1
        self._received = bytearray()
        self.plug()

    @property
    def path(self) -> str:
        """The name of the port at the near end."""
        return str(self._path)

    def plug(self) -> None:
        """Plug the cable in; does nothing while it is."""
        if self._far >= 0:
            return
        self._far, self._near = pty.openpty()
        # Until a program sets the port up, the pty would echo like a terminal.
        tty.setraw(self._near)
        os.set_blocking(self._far, False)
        self._received.clear()
        self._path.symlink_to(os.ttyname(self._near))

    def unplug(self) -> None:
        """Pull the cable; does nothing while it is out."""
        far, near, self._far, self._near = self._far, self._near, -1, -1
        if far >= 0:
            self._path.unlink()
            os.close(far)
            os.close(near)

    def send(self, data: bytes, timeout: float = 5.0) -> int:
        """Send bytes from the far end; return how many were taken before the time was up."""
        sent = 0
        while sent < len(data):
            try:
                sent += os.write(self._plugged, data[sent:])
            except BlockingIOError:
                if not self._ready(select.POLLOUT, timeout):
                    break
        return sent

    def receive(self, timeout: float) -> bytes:
        """Return what has come to the far end, waiting for the first byte only."""
        if not self._received and self._ready(select.POLLIN, timeout):
            self._received += os.read(self._plugged, _AT_ONCE)
        data = bytes(self._received)
        self._received.clear()
        return data

    def receive_line(self, timeout: float = 5.0) -> bytes:
        """Return the next line without its CRLF.

        Raises:
            TimeoutError: none came in time.
        """
        while b"\r\n" not in self._received:
            if not self._ready(select.POLLIN, timeout):
                raise TimeoutError(f"no line within {timeout} s; so far {bytes(self._received)!r}")
            self._received += os.read(self._plugged, _AT_ONCE)
        line, _, rest = bytes(self._received).partition(b"\r\n")
        self._received[:] = rest
        return line

    @property
    def _plugged(self) -> int:
        if self._far < 0:
            raise PortLostError(f"the cable to {self._path} is not plugged in")
        return self._far

    def _ready(self, events: int, timeout: float) -> bool:
        poll = select.poll()
        poll.register(self._plugged, events)
        return bool(poll.poll(timeout * _MS))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.unplug()
