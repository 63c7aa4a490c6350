"""Telling systemd how the station is: sd_notify(3), a datagram to the socket in NOTIFY_SOCKET."""

import logging
import os
import socket
import threading
from collections.abc import Mapping
from functools import cache

from rules.frozen import frozen

MICROSECONDS = 1_000_000
"""Microseconds in a second."""

PINGS = 3
"""Pings in one time-out of the watchdog: one may be late and another lost."""

_log = logging.getLogger(__name__)


@frozen
class Notifier:
    """Tells the service manager; without one, every message goes nowhere.

    Attributes:
        address: the manager's socket, a path or an abstract name that begins with ``@``; empty
            for none.
        interval: seconds from one ping of the watchdog to the next; None where none is wanted.
    """

    address: str = ""
    interval: float | None = None

    @classmethod
    def of(cls, environ: Mapping[str, str], pid: int | None = None) -> "Notifier":
        """Return the notifier that a process's environment asks for; see sd_watchdog_enabled(3).

        Args:
            environ: the environment.
            pid: the process, this one if None.
        """
        address = environ.get("NOTIFY_SOCKET", "")
        usual = environ.get("WATCHDOG_USEC", "")
        whose = environ.get("WATCHDOG_PID", "")
        ours = not whose or whose == str(os.getpid() if pid is None else pid)
        if not (usual.isdecimal() and int(usual) and ours):
            return cls(address)
        # More than a thread can wait is as good as never.
        longest = int(threading.TIMEOUT_MAX) * MICROSECONDS
        return cls(address, min(int(usual), longest) / MICROSECONDS / PINGS)

    def ready(self) -> None:
        """Say that the station does its work."""
        self._send("READY=1")

    def ping(self) -> None:
        """Say that the station still does its work."""
        self._send("WATCHDOG=1")

    def status(self, text: str) -> None:
        """Say in a few words how the station is."""
        self._send(f"STATUS={' '.join(text.split())}")

    def stopping(self) -> None:
        """Say that the station is about to end."""
        self._send("STOPPING=1")

    def _send(self, message: str) -> None:
        if self.address[:1] not in ("/", "@"):
            return
        # An abstract name begins with a zero byte; see unix(7).
        address = "\0" + self.address[1:] if self.address.startswith("@") else self.address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out:
                out.settimeout(0)  # a manager that does not read must not stop the dice
                out.sendto(message.encode(), address)
        except OSError as error:
            _tell_once(f"the service manager can't be told {message}: {error}")


@cache
def _tell_once(text: str) -> None:
    """Log what would otherwise be said at every beat."""
    _log.warning("%s", text)
