"""What the line tests share: the far end of each kind of line, in the test's hand."""

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest

from hardware.serialport.errors import PortLostError
from hardware.serialport.interface import Transport
from hardware.serialport.local import LocalListener, LocalPort
from hardware.serialport.port import SerialPort
from hardware.serialport.simulated import Cable

SOON = 5.0
"""Seconds within which something must have come; only a failing test waits so long."""


class FarEnd(Protocol):
    """Whatever is at the other end of a line."""

    def send(self, data: bytes) -> None: ...
    def receive(self) -> bytes: ...
    def vanish(self) -> None: ...


class CableEnd:
    def __init__(self, cable: Cable) -> None:
        self._cable = cable

    def send(self, data: bytes) -> None:
        assert self._cable.send(data) == len(data)

    def receive(self) -> bytes:
        return self._cable.receive(SOON)

    def vanish(self) -> None:
        self._cable.unplug()


class SocketEnd:
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        connection.settimeout(SOON)

    def send(self, data: bytes) -> None:
        self._connection.sendall(data)

    def receive(self) -> bytes:
        return self._connection.recv(65_536)

    def vanish(self) -> None:
        self._connection.close()


@pytest.fixture
def cable(tmp_path: Path) -> Iterator[Cable]:
    with Cable(tmp_path / "port") as cable:
        yield cable


@pytest.fixture
def over_cable(cable: Cable) -> Iterator[tuple[Transport, FarEnd]]:
    port = SerialPort(cable.path)
    port.open()
    yield port, CableEnd(cable)
    port.close()


@pytest.fixture
def over_tcp() -> Iterator[tuple[Transport, FarEnd]]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = SerialPort(f"socket://127.0.0.1:{server.getsockname()[1]}")
        port.open()
        connection, _ = server.accept()
        with connection:
            yield port, SocketEnd(connection)
        port.close()


@pytest.fixture
def over_local(tmp_path: Path) -> Iterator[tuple[Transport, FarEnd]]:
    listener = LocalListener(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(tmp_path / "socket"))
        line = listener.accept()
        assert line is not None
        line.open()
        yield line, SocketEnd(client)
        line.close()
    listener.close()


@pytest.fixture
def over_local_as_client(tmp_path: Path) -> Iterator[tuple[Transport, FarEnd]]:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        server.listen()
        port = LocalPort(tmp_path / "socket")
        port.open()
        connection, _ = server.accept()
        with connection:
            yield port, SocketEnd(connection)
        port.close()


@pytest.fixture(params=["over_cable", "over_tcp", "over_local", "over_local_as_client"])
def line(request: pytest.FixtureRequest) -> tuple[Transport, FarEnd]:
    """Give a line of each kind, opened, and its far end."""
    found: tuple[Transport, FarEnd] = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def read_all() -> Callable[[Transport, int], bytes]:
    """Read until so many bytes have come."""

    def read(line: Transport, count: int) -> bytes:
        data = b""
        while len(data) < count:
            chunk = line.read(SOON)
            if not chunk:
                raise PortLostError(f"only {len(data)} of {count} bytes came")
            data += chunk
        return data

    return read


@pytest.fixture
def open_descriptors() -> Callable[[], int]:
    """Count the descriptors that this process holds."""
    return lambda: sum(1 for _ in Path("/proc/self/fd").iterdir())
