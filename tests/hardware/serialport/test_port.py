"""A serial port is this program's alone, and survives its cable."""

import fcntl
import os
import struct
import termios
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hardware.serialport.errors import PortLostError
from hardware.serialport.port import SerialPort
from hardware.serialport.simulated import Cable

SOON = 5.0
TAKEN_IN = 4096
"""Bytes that the far end of a pty has taken in before anyone reads them; no flush reaches those."""

TIOCGEXCL = 0x80045440
"""asm-generic/ioctls.h: whether TIOCEXCL is in force."""


def test_a_missing_port_says_which(tmp_path: Path) -> None:
    with pytest.raises(PortLostError, match=r"nothing can't be opened: No such file or directory$"):
        SerialPort(str(tmp_path / "nothing")).open()


def test_a_url_that_means_nothing_says_so() -> None:
    with pytest.raises(PortLostError, match="nonsense://x can't be opened"):
        SerialPort("nonsense://x").open()


def test_an_open_port_is_locked_both_ways(cable: Cable) -> None:
    port, other = SerialPort(cable.path), SerialPort(cable.path)
    port.open()
    with pytest.raises(PortLostError, match="can't be opened"):
        other.open()
    descriptor = os.open(cable.path, os.O_RDWR | os.O_NOCTTY)
    try:
        told = fcntl.ioctl(descriptor, TIOCGEXCL, b"\0\0\0\0")
        lflag = termios.tcgetattr(descriptor)[3]
    finally:
        os.close(descriptor)
    assert struct.unpack("i", told) == (1,)
    assert not lflag & (termios.ECHO | termios.ICANON)
    port.close()
    other.open()
    other.close()


def test_a_port_comes_back_by_its_name_as_another_device(cable: Cable) -> None:
    port = SerialPort(cable.path)
    port.open()
    first = os.path.realpath(cable.path)
    cable.unplug()
    with pytest.raises(PortLostError):
        port.read(SOON)
    with pytest.raises(PortLostError):
        port.open()
    # Takes the number that has become free, so that the port returns as another one.
    with Cable(Path(cable.path).with_name("other")):
        cable.plug()
        assert os.path.realpath(cable.path) != first
        port.open()
        cable.send(b"again")
        assert port.read(SOON) == b"again"
        port.close()


def test_what_was_sent_before_it_was_opened_is_gone(cable: Cable) -> None:
    port = SerialPort(cable.path)
    cable.send(b"boot garbage")
    port.open()
    assert port.read(0.0) == b""
    port.close()


def test_discarding_empties_both_directions(cable: Cable) -> None:
    port = SerialPort(cable.path)
    port.open()
    cable.send(b"in")
    assert port.write(b"x" * 100_000, 0.01) > TAKEN_IN
    port.discard()
    assert port.read(0.0) == b""
    port.write(b"next\r\n", SOON)
    assert len(cable.receive_line()) <= TAKEN_IN + len(b"next")
    port.close()


@pytest.mark.parametrize("kind", ["over_tcp", "over_local"])
def test_a_connection_that_can_t_be_emptied_is_given_up(
    request: pytest.FixtureRequest, kind: str
) -> None:
    near, _ = request.getfixturevalue(kind)
    with pytest.raises(PortLostError, match="nobody reads what is sent"):
        near.discard()


def test_only_a_gadget_drops_what_nobody_was_there_to_read(cable: Cable) -> None:
    port = SerialPort(cable.path)
    port.open()
    port.write(b"a reply", SOON)
    port.freshen()
    assert cable.receive(SOON) == b"a reply"
    port.close()


class GadgetPort(SerialPort):
    """A pty that says it is the device side of a USB cable."""

    is_gadget = True


def test_a_gadget_is_freshened_and_closed_aside(cable: Cable) -> None:
    closing: list[Callable[[], None]] = []
    port = GadgetPort(cable.path, close_gadget=closing.append)
    port.open()
    assert port.write(b"x" * 100_000, 0.01) > TAKEN_IN
    port.freshen()
    port.write(b"hello\r\n", SOON)
    assert len(cable.receive_line()) <= TAKEN_IN + len(b"hello")
    port.close()
    # Until the kernel lets go, the port is still ours, and nobody had to wait.
    with pytest.raises(PortLostError):
        SerialPort(cable.path).open()
    closing[0]()
    again = SerialPort(cable.path)
    again.open()
    again.close()


def test_a_gadget_is_closed_on_a_thread_of_its_own(cable: Cable) -> None:
    port = GadgetPort(cable.path)
    port.open()
    port.close()
    for thread in threading.enumerate():
        if thread.name == "closing-gadget":
            thread.join(SOON)
    again = SerialPort(cable.path)
    again.open()
    again.close()


@pytest.mark.parametrize(
    ("target", "expected"), [("ttyGS0", True), ("ttyUSB0", False), ("ttyAMA0", False)]
)
def test_a_gadget_is_told_by_what_its_name_leads_to(
    tmp_path: Path, target: str, *, expected: bool
) -> None:
    (tmp_path / "host").symlink_to(tmp_path / target)
    assert SerialPort(str(tmp_path / "host")).is_gadget is expected


def test_a_port_without_a_descriptor_works_through_pyserial() -> None:
    port = SerialPort("loop://")
    port.open()
    assert port.write(b"x" * 300, SOON) == 300
    got = b""
    while len(got) < 300:
        got += port.read(SOON)
    assert got == b"x" * 300
    assert port.read(0.0) == b""
    port.wake()
    assert port.read(None) == b""
    assert port.read(None, or_writable=True) == b""
    assert 0 < port.write(b"y" * 10_000, 0.05) < 10_000
    port.close()
    with pytest.raises(PortLostError, match="not open"):
        port.read(0.0)


def test_a_time_out_is_counted_from_the_last_progress(cable: Cable) -> None:
    now = [0]
    port = SerialPort(cable.path, clock=lambda: now[0])  # type: ignore[arg-type,return-value] # the clock of a test
    port.open()
    assert 0 < port.write(b"x" * 100_000, 0.01) < 100_000
    port.close()


def test_a_cable_that_is_out_says_so(cable: Cable) -> None:
    cable.unplug()
    with pytest.raises(PortLostError, match="not plugged in"):
        cable.send(b"x")
    cable.unplug()
    cable.plug()
    cable.plug()


def test_a_cable_gives_lines_and_says_what_came_instead(cable: Cable) -> None:
    port: Any = SerialPort(cable.path)
    port.open()
    port.write(b"one\r\ntwo\r\nthr", SOON)
    assert cable.receive_line() == b"one"
    assert cable.receive_line() == b"two"
    with pytest.raises(TimeoutError, match="thr"):
        cable.receive_line(0.0)
    port.close()
