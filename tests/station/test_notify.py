"""What the service manager is told, and that it can't hold the station up."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from station.notify import Notifier


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as found:
        found.bind(str(tmp_path / "notify"))
        found.settimeout(5)
        yield found


def test_messages_are_those_of_sd_notify(manager: socket.socket, tmp_path: Path) -> None:
    notifier = Notifier(str(tmp_path / "notify"))
    notifier.ready()
    notifier.ping()
    notifier.status("two\nlines")
    notifier.stopping()
    told = [manager.recv(100) for _ in range(4)]
    assert told == [b"READY=1", b"WATCHDOG=1", b"STATUS=two lines", b"STOPPING=1"]


def test_an_abstract_socket_will_do() -> None:
    name = f"dice-station-test-{os.getpid()}"
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as manager:
        manager.bind(f"\0{name}")
        manager.settimeout(5)
        Notifier(f"@{name}").ready()
        assert manager.recv(100) == b"READY=1"


@pytest.mark.parametrize(
    ("environ", "interval"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "9000000"}, 3.0),
        ({"WATCHDOG_USEC": "9000000", "WATCHDOG_PID": "7"}, 3.0),
        ({"WATCHDOG_USEC": "9000000", "WATCHDOG_PID": "8"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({"WATCHDOG_USEC": "9" * 400}, int(threading.TIMEOUT_MAX) / 3),
    ],
)
def test_pings_are_as_often_as_the_watchdog_asks(
    environ: dict[str, str], interval: float | None
) -> None:
    found = Notifier.of({"NOTIFY_SOCKET": "/run/notify", **environ}, pid=7)
    assert found == Notifier("/run/notify", interval)


def test_a_watchdog_of_this_very_process_counts() -> None:
    environ = {"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": str(os.getpid())}
    assert Notifier.of(environ).interval == 1.0


@pytest.mark.parametrize("address", ["", "vsock:2:1234", "/nowhere/notify"])
def test_without_a_manager_nothing_is_told_and_nothing_breaks(address: str, caplog: Any) -> None:
    Notifier(address).ready()
    for _ in range(3):
        Notifier(address).ping()
    told = [record.getMessage().partition(":")[0] for record in caplog.records]
    words = [f"the service manager can't be told {each}" for each in ("READY=1", "WATCHDOG=1")]
    assert told == (words if address == "/nowhere/notify" else [])


def test_a_manager_that_does_not_read_holds_nobody_up(
    manager: socket.socket, tmp_path: Path, caplog: Any
) -> None:
    notifier = Notifier(str(tmp_path / "notify"))
    while not caplog.records:
        notifier.ping()
    assert "WATCHDOG=1" in caplog.text
    assert manager.recv(100) == b"WATCHDOG=1"
