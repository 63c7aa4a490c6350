"""A lost line is tried again soon, then less often."""

from hardware.serialport.backoff import Backoff


def test_waits_double_up_to_two_seconds_and_begin_anew() -> None:
    backoff = Backoff()
    assert [backoff.next() for _ in range(6)] == [0.2, 0.4, 0.8, 1.6, 2.0, 2.0]
    backoff.reset()
    assert backoff.next() == 0.2
