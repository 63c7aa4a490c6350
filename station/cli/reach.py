"""Reaching a station that runs on this machine, by its Unix socket."""

import socket
from contextlib import closing
from pathlib import Path

from station.client import Station
from station.errors import StationError
from station.paths import SOCKET

SYSTEM_SOCKET = Path("/run/dice-station/socket")
"""Where the service's socket lies; its state folder is closed to others."""


class NoStationError(StationError):
    """No station runs here; the message says where it was looked for."""


def socket_in(folder: Path) -> Path | None:
    """Return the socket of the station that keeps a state folder; None where none listens."""
    found = folder / SOCKET
    return found if listens(found) else None


def socket_near(folder: Path) -> Path:
    """Return the socket of the station that keeps a state folder, or of this machine's service.

    Raises:
        NoStationError: none listens.
    """
    wanted = (folder / SOCKET, SYSTEM_SOCKET)
    for path in wanted:
        if listens(path):
            return path
    looked = " and ".join(str(path) for path in wanted)
    raise NoStationError(f"no station listens at {looked}; start one with: dice-station run")


def listens(path: Path) -> bool:
    """Return whether a program listens at a socket."""
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
        return True


def station_at(path: Path) -> Station:
    """Return a client of the station at a socket, not yet open; a socket damages nothing."""
    return Station(path, check=False, attempts=2, client="dice-station")
