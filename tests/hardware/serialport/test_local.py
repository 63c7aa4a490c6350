"""A local socket takes many clients, and leaves nothing behind."""

import os
import resource
import socket
import stat
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from hardware.serialport.errors import PortLostError, SerialPortError
from hardware.serialport.local import LocalListener, LocalPort
from hardware.serialport.wakeup import Wakeup

SOON = 5.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "socket"


def test_each_client_is_a_line_with_a_name_of_its_own(path: Path) -> None:
    listener = LocalListener(path)
    clients = [LocalPort(path) for _ in range(3)]
    lines = []
    for number, client in enumerate(clients):
        client.open()
        line = listener.accept()
        assert line is not None
        line.open()
        lines.append(line)
        client.write(b"%d" % number, SOON)
    assert [line.read(SOON) for line in lines] == [b"0", b"1", b"2"]
    assert [line.name for line in lines] == [f"{path}#{n}" for n in (1, 2, 3)]
    for each in (*clients, *lines, listener):
        each.close()


def test_only_owner_and_group_may_connect_and_the_socket_goes_with_its_listener(path: Path) -> None:
    listener = LocalListener(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o660
    listener.close()
    assert not path.exists()
    with pytest.raises(PortLostError, match="can't be opened"):
        LocalPort(path).open()


def test_a_socket_that_was_left_behind_is_replaced(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    LocalListener(path).close()


def test_a_socket_that_took_its_place_is_not_removed(path: Path) -> None:
    first = LocalListener(path)
    path.unlink()
    second = LocalListener(path)
    assert (first.is_there(), second.is_there()) == (False, True)
    first.close()
    assert second.is_there()
    second.close()
    assert not path.exists()


def test_one_who_listens_and_does_not_come_round_to_it_is_not_waited_for(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as busy, ExitStack() as stack:
        busy.bind(str(path))
        busy.listen(0)
        while True:
            waiting = stack.enter_context(socket.socket(socket.AF_UNIX))
            waiting.settimeout(0)
            if waiting.connect_ex(str(path)):
                break
        with pytest.raises(SerialPortError, match="in use"):
            LocalListener(path)


def test_without_descriptors_a_listener_can_not_be_made_and_leaves_none_open(path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.dup(0)
    os.close(free)
    for spare in range(3):
        resource.setrlimit(resource.RLIMIT_NOFILE, (free + spare, hard))
        try:
            with pytest.raises(SerialPortError, match="Too many open files"):
                LocalListener(path)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    LocalListener(path).close()
    after = os.dup(0)
    os.close(after)
    assert after == free


def test_a_socket_that_someone_listens_at_is_not_taken(path: Path) -> None:
    listener = LocalListener(path)
    with pytest.raises(SerialPortError, match=r"can't listen at .*in use"):
        LocalListener(path)
    listener.close()


def test_a_file_of_another_kind_is_not_removed(path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(SerialPortError, match="no socket"):
        LocalListener(path)
    assert path.read_text() == "precious"


def test_waking_ends_the_wait_for_a_client(path: Path) -> None:
    listener = LocalListener(path)
    got: list[object] = []
    waiting = threading.Thread(target=lambda: got.append(listener.accept()))
    waiting.start()
    listener.wake()
    waiting.join(SOON)
    listener.close()
    assert got == [None]


def test_a_client_for_whom_no_descriptor_is_left_is_taken_once_there_is_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener = LocalListener(path)
    client = LocalPort(path)
    client.open()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    waits: list[float] = []

    def end_the_shortage(_: Wakeup, seconds: float) -> None:
        waits.append(seconds)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    monkeypatch.setattr(Wakeup, "wait", end_the_shortage)
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
    try:
        line = listener.accept()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert waits
    assert line is not None
    for each in (line, client, listener):
        each.close()


def test_a_line_for_which_no_descriptor_is_left_is_lost(path: Path) -> None:
    listener = LocalListener(path)
    client = LocalPort(path)
    client.open()
    line = listener.accept()
    assert line is not None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        with pytest.raises(PortLostError, match="Too many open files"):
            line.open()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    for each in (line, client, listener):
        each.close()


def test_an_accepted_line_does_not_come_back(path: Path) -> None:
    listener = LocalListener(path)
    client = LocalPort(path)
    client.open()
    line = listener.accept()
    assert line is not None
    line.open()
    line.close()
    with pytest.raises(PortLostError, match="does not come back"):
        line.open()
    for each in (client, listener):
        each.close()
