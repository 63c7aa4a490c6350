"""The real station as a process of its own, told apart from a hung one by what it tells systemd."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from station.client import Station

SOON = 30.0
"""Seconds within which something must have come; only a failing test waits so long."""


class Daemon:
    """A station's process on mock pins, with the service manager's end of its messages."""

    def __init__(self, folder: Path, *words: str, **environ: str) -> None:
        self.folder = folder
        self.state = folder / "state"
        self.socket = folder / "socket"
        self.log = folder / "log"
        self._manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify = folder / "notify"
        notify.unlink(missing_ok=True)
        self._manager.bind(str(notify))
        command = [sys.executable, "-m", "station", "run", "--pins", "mock", "--display", "memory"]
        places = ["--state", str(self.state), "--socket", str(self.socket)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603 - our own program
                [*command, *places, *words],
                env={**os.environ, "NOTIFY_SOCKET": str(notify), **environ},
                stderr=log,
            )

    def message(self, timeout: float = SOON) -> str | None:
        """Return the next message to the service manager, None if none comes in time."""
        self._manager.settimeout(timeout)
        try:
            return self._manager.recv(4096).decode()
        except TimeoutError:
            return None

    def wait_for(self, wanted: str, timeout: float = SOON) -> list[str]:
        """Wait for a message, and return those that came before it."""
        before: list[str] = []
        while (message := self.message(timeout)) != wanted:
            assert message is not None, f"no {wanted} came; the log: {self.log.read_text()}"
            before.append(message)
        return before

    def client(self, **more: Any) -> Station:
        """Return a client, not yet open."""
        return Station(self.socket, check=False, **more)

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and return the exit status."""
        self.process.send_signal(number)
        return self.process.wait(SOON)

    def close(self) -> None:
        """Kill it if it still runs."""
        self.process.kill()
        self.process.wait()
        self._manager.close()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short name: a socket's path has 107 bytes at the most (unix(7))."""
    with tempfile.TemporaryDirectory(prefix="dice-") as name:
        yield Path(name)


@pytest.fixture
def start(folder: Path) -> Iterator[Callable[..., Daemon]]:
    """Start a station: ``start("--serial", device, WATCHDOG_USEC="…")``."""
    with ExitStack() as stack:

        def started(*words: str, ready: bool = True, **environ: str) -> Daemon:
            daemon = Daemon(folder, *words, **environ)
            stack.callback(daemon.close)
            if ready:
                daemon.wait_for("READY=1")
            return daemon

        yield started
