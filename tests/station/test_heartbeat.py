"""A beat arrives only where the owner does its work."""

import queue
from collections.abc import Callable

import pytest

from station.heartbeat import Heartbeat

OFTEN = 0.001
SOON = 10.0


def test_beats_are_done_by_the_owner_again_and_again() -> None:
    inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
    beats: list[int] = []
    with Heartbeat(inbox.put, lambda: beats.append(1), OFTEN):
        for _ in range(3):
            inbox.get(timeout=SOON)()
    assert len(beats) == 3


def test_an_owner_that_hangs_is_not_flooded_with_beats() -> None:
    inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
    with Heartbeat(inbox.put, lambda: None, OFTEN):
        waiting = inbox.get(timeout=SOON)
        # Many intervals go by, and nothing more is asked of an owner that is busy.
        with pytest.raises(queue.Empty):
            inbox.get(timeout=50 * OFTEN)
        waiting()
        inbox.get(timeout=SOON)
