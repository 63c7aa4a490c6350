"""A serial dongle, on a pseudo-terminal: its bytes as they are, and its loss as one failure."""

import errno
import fcntl
import os
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import serial

from hardware.clock import SECOND, Clock, Nanoseconds
from hardware.entropy.dongle import SerialDongle
from hardware.entropy.sources import Pause, SourceFailed

DEADLINE = Nanoseconds(2 * SECOND)


class Plug:
    """A dongle's world side: a pseudo-terminal behind a name that stays."""

    def __init__(self, name: Path) -> None:
        self.name = name
        self._master: int | None = None
        self.insert()

    def insert(self) -> None:
        self._master, slave = os.openpty()
        self.name.unlink(missing_ok=True)
        self.name.symlink_to(os.ttyname(slave))
        os.close(slave)

    def send(self, data: bytes) -> None:
        assert self._master is not None
        os.write(self._master, data)

    def pull(self) -> None:
        if self._master is not None:
            os.close(self._master)
            self._master = None


@pytest.fixture
def plug(tmp_path: Path) -> Iterator[Plug]:
    plug = Plug(tmp_path / "usb-TrueRNG")
    yield plug
    plug.pull()


@pytest.fixture
def dongle(plug: Plug, clock: Clock, pass_time: Pause) -> Iterator[SerialDongle]:
    dongle = SerialDongle(str(plug.name), clock, pass_time)
    yield dongle
    dongle.close()


@pytest.fixture
def streaming(plug: Plug, pass_time: Pause) -> Callable[[bytes], Pause]:
    """Make a pause at whose end the dongle has sent something."""

    def sending(data: bytes) -> Pause:
        def pause(span: Nanoseconds) -> None:
            pass_time(span)
            plug.send(data)

        return pause

    return sending


def read_all(dongle: SerialDongle, count: int) -> bytes:
    data = b""
    while len(data) < count:
        data += dongle.read(count - len(data), DEADLINE)
    return data


def test_every_byte_value_comes_through_unchanged(
    plug: Plug, clock: Clock, streaming: Callable[[bytes], Pause]
) -> None:
    dongle = SerialDongle(str(plug.name), clock, streaming(bytes(range(256))))
    assert read_all(dongle, 256) == bytes(range(256))
    dongle.close()


def test_what_was_sent_before_the_port_was_opened_is_dropped(
    plug: Plug, clock: Clock, streaming: Callable[[bytes], Pause]
) -> None:
    plug.send(b"stale\n")
    dongle = SerialDongle(str(plug.name), clock, streaming(b"new"))
    assert dongle.read(3, DEADLINE) == b"new"
    dongle.close()


def test_silence_fails_at_the_deadline(dongle: SerialDongle, clock: Clock) -> None:
    with pytest.raises(SourceFailed, match="dongle gave nothing by the deadline"):
        dongle.read(1, DEADLINE)
    assert clock() == DEADLINE


def test_one_that_was_never_there_is_told_once(tmp_path: Path) -> None:
    dongle = SerialDongle(str(tmp_path / "none"))
    with pytest.raises(SourceFailed, match=r"none is gone: No such file or directory$"):
        dongle.read(1, Nanoseconds(0))


def test_pulled_in_the_middle_of_a_read_it_fails_at_once_and_lets_go(
    plug: Plug, clock: Clock, pass_time: Pause, open_descriptors: Callable[[], int]
) -> None:
    before = open_descriptors()
    steps = iter([lambda: plug.send(b"ab"), plug.pull])

    def pause(span: Nanoseconds) -> None:
        pass_time(span)
        next(steps)()

    dongle = SerialDongle(str(plug.name), clock, pause)
    assert dongle.read(2, DEADLINE) == b"ab"
    with pytest.raises(SourceFailed, match=r"dongle .*usb-TrueRNG is gone"):
        dongle.read(2, DEADLINE)
    assert clock() < SECOND
    # The port's descriptors and the world's end of the pseudo-terminal.
    assert open_descriptors() == before - 1


def test_put_back_it_is_found_by_the_same_name(
    plug: Plug, clock: Clock, streaming: Callable[[bytes], Pause]
) -> None:
    dongle = SerialDongle(str(plug.name), clock, streaming(b"x"))
    assert dongle.read(1, DEADLINE) == b"x"
    plug.pull()
    for _ in range(3):
        with pytest.raises(SourceFailed, match="is gone"):
            read_all(dongle, 1000)
    plug.insert()
    assert dongle.read(1, DEADLINE) == b"x"
    dongle.close()


def test_a_missing_dongle_says_so(tmp_path: Path, clock: Clock, pass_time: Pause) -> None:
    with pytest.raises(SourceFailed, match="No such file or directory"):
        SerialDongle(f"{tmp_path}/none", clock, pass_time).read(1, DEADLINE)


def test_a_dongle_in_use_is_refused(plug: Plug, dongle: SerialDongle) -> None:
    with (
        serial.Serial(str(plug.name), exclusive=True),
        pytest.raises(SourceFailed, match="is gone"),
    ):
        dongle.read(1, DEADLINE)


def is_exclusive(terminal: Path) -> bool:
    """Try to open a terminal; the superuser is let in all the same, and asks."""
    try:
        other = os.open(terminal, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError as refused:
        return refused.errno == errno.EBUSY
    tiocgexcl = 0x80045440
    answer = fcntl.ioctl(other, tiocgexcl, bytes(4))
    os.close(other)
    return int.from_bytes(answer, sys.byteorder) == 1


def test_a_terminal_that_is_not_held_is_open_to_all(plug: Plug) -> None:
    assert not is_exclusive(plug.name)


def test_a_dongle_that_is_read_shuts_others_out(
    plug: Plug, clock: Clock, streaming: Callable[[bytes], Pause]
) -> None:
    dongle = SerialDongle(str(plug.name), clock, streaming(b"x"))
    dongle.read(1, DEADLINE)
    assert is_exclusive(plug.name)
    dongle.close()


@pytest.mark.parametrize(
    "error",
    [
        serial.SerialException("readiness to read but returned no data"),
        OSError(5, "Input/output error"),
        termios.error(5, "Input/output error"),
        TypeError("an integer is required (got type NoneType)"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_each_way_in_which_pyserial_loses_a_port_is_one_failure(
    error: Exception, dongle: SerialDongle, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(_port: serial.Serial, _size: int) -> bytes:
        raise error

    monkeypatch.setattr(serial.Serial, "read", lose)
    with pytest.raises(SourceFailed, match="is gone"):
        dongle.read(1, DEADLINE)


def test_a_port_that_cannot_even_be_closed_is_let_go(
    plug: Plug, clock: Clock, streaming: Callable[[bytes], Pause], monkeypatch: pytest.MonkeyPatch
) -> None:
    dongle = SerialDongle(str(plug.name), clock, streaming(b"x"))
    dongle.read(1, DEADLINE)
    real = serial.Serial.close

    def refuse(port: serial.Serial) -> None:
        real(port)
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(serial.Serial, "close", refuse)
        dongle.close()
    assert dongle.read(1, DEADLINE) == b"x"
    dongle.close()
