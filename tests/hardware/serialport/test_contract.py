"""What every line promises, whatever it is made of."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from hardware.serialport.errors import PortLostError

SOON = 5.0
MANY = bytes(range(256)) * 40

Line = tuple[Any, Any]


def test_bytes_come_as_they_were_sent_both_ways(
    line: Line, read_all: Callable[[Any, int], bytes]
) -> None:
    near, far = line
    far.send(MANY[:4000])
    assert read_all(near, 4000) == MANY[:4000]
    assert near.write(MANY[:1000], SOON) == 1000
    assert far.receive() == MANY[:1000]


def test_a_read_gives_at_most_4096_bytes(line: Line) -> None:
    near, far = line
    far.send(b"x" * 4000)
    far.send(b"x" * 90)
    assert 1 <= len(near.read(SOON)) <= 4096


def test_a_read_ends_with_its_time(line: Line) -> None:
    near, _ = line
    assert near.read(0.0) == b""


def test_a_wake_ends_the_wait_of_another_thread(line: Line) -> None:
    near, _ = line
    got: list[bytes] = []
    waiting = threading.Thread(target=lambda: got.append(near.read(SOON)))
    waiting.start()
    near.wake()
    waiting.join(SOON)
    assert got == [b""]


def test_several_wakes_end_one_wait(line: Line) -> None:
    near, _ = line
    for _ in range(100_000):
        near.wake()
    assert near.read(None) == b""
    assert near.read(0.0) == b""


def test_a_read_ends_when_something_can_be_written(line: Line) -> None:
    near, _ = line
    assert near.read(None, or_writable=True) == b""


def test_a_line_that_nobody_reads_takes_what_it_can_and_says_how_much(line: Line) -> None:
    near, far = line
    much = b"x" * 10_000_000
    taken = near.write(much, 0.05)
    assert 0 < taken < len(much)
    assert near.write(much, 0.0) < len(much)
    assert far.receive()


def test_the_far_end_going_is_one_error_and_closes(line: Line) -> None:
    near, far = line
    far.vanish()
    with pytest.raises(PortLostError, match=r"is gone: "):
        near.read(SOON)
    with pytest.raises(PortLostError, match="not open"):
        near.read(SOON)
    with pytest.raises(PortLostError, match="not open"):
        near.write(b"x", SOON)
    near.close()


def test_writing_to_an_end_that_has_gone_is_the_same_error(line: Line) -> None:
    near, far = line
    far.vanish()

    def write_on() -> None:
        # The first bytes may still be taken by a connection that has not heard of its end.
        for _ in range(3):
            near.write(b"x", SOON)

    with pytest.raises(PortLostError):
        write_on()


def test_closing_and_waking_what_is_closed_is_no_fault(line: Line) -> None:
    near, _ = line
    near.close()
    near.close()
    near.wake()


def test_no_descriptor_is_left_open(line: Line, open_descriptors: Callable[[], int]) -> None:
    near, far = line
    before = open_descriptors()
    near.close()
    far.vanish()
    assert open_descriptors() < before
