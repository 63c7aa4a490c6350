"""A random number generator on a USB serial port, such as a TrueRNG."""

import fcntl
import termios

import serial

from hardware.clock import Clock, Nanoseconds, monotonic
from hardware.entropy.sources import Pause, Rest, SourceFailed, first_bytes
from hardware.errors import why

_GONE = (serial.SerialException, OSError, termios.error, TypeError)
"""All that pyserial lets through when a port goes: termios.error is no OSError, and a port closed
under a read gives TypeError."""


class SerialDongle:
    """Reads a dongle that streams raw bytes as long as its port is open.

    `path` should be a name that stays with the dongle (/dev/serial/by-id/…, or by-path where two
    share an id), because it comes back as another ttyACM after a re-plug.
    """

    name = "dongle"
    test = False

    def __init__(self, path: str, clock: Clock = monotonic, pause: Pause | None = None) -> None:
        self._path = path
        self._clock = clock
        self._pause = pause or Rest()
        self._port: serial.Serial | None = None

    def read(self, count: int, deadline: Nanoseconds) -> bytes:
        """Return 1 to `count` bytes, as soon as the dongle gives any.

        Raises:
            SourceFailed: No byte came by the deadline, or the port is missing, busy or gone.
        """
        try:
            port = self._opened()
            return first_bytes(
                lambda: port.read(count), self.name, deadline, self._clock, self._pause
            )
        except _GONE as error:
            self.close()
            raise SourceFailed(f"dongle {self._path} is gone: {why(error)}") from error
        except SourceFailed:
            self.close()
            raise

    def close(self) -> None:
        """Close the port, also one whose device has gone."""
        port, self._port = self._port, None
        if port is not None:
            try:
                port.close()
            except _GONE:
                # The descriptor is closed even if the device under it said no.
                return

    def _opened(self) -> serial.Serial:
        if self._port is None:
            # pyserial raises DTR, without which a TrueRNG sends nothing, and drops stale input.
            self._port = serial.Serial(self._path, timeout=0, exclusive=True)
            # Its lock is advisory; this keeps other readers off the port.
            fcntl.ioctl(self._port.fileno(), termios.TIOCEXCL)
        return self._port
