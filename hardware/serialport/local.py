"""A local Unix socket that takes many clients, each a line of its own."""

import errno
import os
import select
import socket
import stat
from contextlib import ExitStack, suppress
from pathlib import Path

from hardware.clock import Clock, monotonic
from hardware.errors import why
from hardware.serialport.channel import Channel, DescriptorChannel
from hardware.serialport.errors import PortLostError, SerialPortError
from hardware.serialport.wakeup import Wakeup

MODE = 0o660
"""Who may connect: the socket's owner and its group."""

_BACKLOG = 16

_SHORT_OF = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
"""What accept(2) says where the process or the machine has no room for a connection just now."""

_TAKEN_LATER = 1.0
"""Seconds until a client for whom there was no room is tried again."""


class _SocketLine:
    """What both ends of a local connection have in common."""

    def __init__(self, name: str, clock: Clock) -> None:
        self._name = name
        self._clock = clock
        self._wakeup = Wakeup()
        self._socket: socket.socket | None = None
        self._channel: Channel | None = None

    @property
    def name(self) -> str:
        """What the line is called."""
        return self._name

    def read(self, timeout: float | None, *, or_writable: bool = False) -> bytes:
        """Return what has come in; see `Transport.read`."""
        try:
            return self._open_channel().read(timeout, or_writable=or_writable)
        except (OSError, PortLostError) as error:
            raise self._lost(error) from error

    def write(self, data: bytes, patience: float) -> int:
        """Write bytes and return how many were taken; see `Transport.write`."""
        try:
            return self._open_channel().write(data, patience)
        except OSError as error:
            raise self._lost(error) from error

    def discard(self) -> None:
        """Give the connection up: what a socket has taken can't be taken back.

        Raises:
            PortLostError: always.
        """
        raise self._lost("nobody reads what is sent")

    def freshen(self) -> None:
        """Do nothing: a new connection has nothing left from before."""

    def wake(self) -> None:
        """End the wait of `read`; from any thread."""
        self._wakeup.ring()

    def close(self) -> None:
        """Close the connection."""
        connection, self._socket = self._socket, None
        self._channel = None
        self._wakeup.close()
        if connection is not None:
            connection.close()

    def _use(self, connection: socket.socket) -> None:
        self._socket = connection
        try:
            self._wakeup.open()
        except OSError as error:  # no descriptor is left
            raise self._lost(why(error)) from error
        self._channel = DescriptorChannel(connection.fileno(), self._wakeup, self._clock)

    def _open_channel(self) -> Channel:
        if self._channel is None:
            raise PortLostError("not open")
        return self._channel

    def _lost(self, reason: object) -> PortLostError:
        self.close()
        return PortLostError(f"{self._name} is gone: {reason}")


class LocalPort(_SocketLine):
    """The client's end: connects to the socket at a path, again and again if need be."""

    def __init__(self, path: Path, clock: Clock = monotonic) -> None:
        super().__init__(str(path), clock)

    def open(self) -> None:
        """Connect.

        Raises:
            PortLostError: nobody listens there.
        """
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(self._name)
        except OSError as error:
            connection.close()
            raise PortLostError(f"{self._name} can't be opened: {why(error)}") from error
        self._use(connection)


class LocalLine(_SocketLine):
    """The station's end of one connection; once lost it never comes back."""

    def __init__(self, connection: socket.socket, name: str, clock: Clock = monotonic) -> None:
        super().__init__(name, clock)
        self._accepted: socket.socket | None = connection

    def open(self) -> None:
        """Use the connection, once.

        Raises:
            PortLostError: it was used and lost.
        """
        accepted, self._accepted = self._accepted, None
        if accepted is None:
            raise PortLostError(f"{self._name} does not come back")
        self._use(accepted)

    def close(self) -> None:
        """Close the connection, also one that was never used."""
        accepted, self._accepted = self._accepted, None
        if accepted is not None:
            accepted.close()
        super().close()


class LocalListener:
    """Listens at a path; each client that connects becomes a line.

    Args:
        path: where the socket is to be; one that a program left behind is replaced.

    Raises:
        SerialPortError: the path can't be used, or another program listens there.
    """

    def __init__(self, path: Path, clock: Clock = monotonic) -> None:
        self._path = path
        self._clock = clock
        self._wakeup = Wakeup()
        self._count = 0
        with ExitStack() as stack:
            try:
                self._wakeup.open()
                stack.callback(self._wakeup.close)
                self._listening = stack.enter_context(
                    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                )
                _take_away(path)
                self._listening.bind(str(path))
                path.chmod(MODE)
                self._listening.listen(_BACKLOG)
                self._listening.settimeout(0)
                self._made = _file_at(path)
            except OSError as error:
                raise SerialPortError(f"can't listen at {path}: {error}") from error
            stack.pop_all()

    def accept(self) -> LocalLine | None:
        """Return the next client's line once one connects, or None once `wake` was called."""
        poll = select.poll()
        poll.register(self._listening.fileno(), select.POLLIN)
        poll.register(self._wakeup.fileno(), select.POLLIN)
        while True:
            poll.poll()
            if self._wakeup.silence():
                return None
            try:
                connection, _ = self._listening.accept()
            except (BlockingIOError, ConnectionAbortedError):
                continue  # it was gone before it could be taken
            except OSError as error:
                if error.errno not in _SHORT_OF:
                    raise
                self._wakeup.wait(_TAKEN_LATER)
                continue
            self._count += 1
            return LocalLine(connection, f"{self._path}#{self._count}", self._clock)

    def wake(self) -> None:
        """Have `accept` return None; from any thread."""
        self._wakeup.ring()

    def is_there(self) -> bool:
        """Return whether the path still leads to this socket; from any thread."""
        return _file_at(self._path) == self._made

    def close(self) -> None:
        """Stop listening, and take the socket away, if it is still ours; may be called twice."""
        if self._listening.fileno() < 0:
            return
        self._listening.close()
        if self.is_there():
            with suppress(OSError):
                self._path.unlink()
        self._wakeup.close()


def _file_at(path: Path) -> tuple[int, int] | None:
    """Return device and number of what lies at a path; None where nothing can be seen there."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _take_away(path: Path) -> None:
    """Remove a socket that nobody listens at; raise OSError if anybody does."""
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise FileExistsError(errno.EEXIST, "something that is no socket is there", str(path))
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(0)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
        except BlockingIOError:  # somebody listens, and does not come round to it
            pass
    raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE), str(path))
