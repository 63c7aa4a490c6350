import pytest

from hardware.clock import MILLISECOND, Nanoseconds
from hardware.controls.debounce import Debouncer, Steady


def ms(count: float) -> Nanoseconds:
    return Nanoseconds(int(count * MILLISECOND))


def test_a_level_counts_from_when_it_began_to_stand() -> None:
    debouncer = Debouncer(ms(10))
    assert debouncer.feed(closed=True, at=ms(100)) == ()
    assert debouncer.deadline() == ms(110)
    assert debouncer.advance(Nanoseconds(ms(110) - 1)) == ()
    assert debouncer.advance(ms(110)) == (Steady(closed=True, at=ms(100)),)
    assert debouncer.deadline() is None
    assert debouncer.advance(ms(500)) == ()


def test_bounce_gives_one_press_and_one_release() -> None:
    debouncer = Debouncer(ms(5))
    seen: list[Steady] = []
    bounces = (0, 1, 1.5, 2, 4)
    for start, closes in ((0, True), (200, False)):
        for number, offset in enumerate(bounces):
            closed = closes if number % 2 == 0 else not closes
            seen += debouncer.feed(closed=closed, at=ms(start + offset))
        seen += debouncer.advance(ms(start + 50))
    assert seen == [Steady(closed=True, at=ms(4)), Steady(closed=False, at=ms(204))]


def test_a_spike_shorter_than_the_window_is_never_seen() -> None:
    debouncer = Debouncer(ms(10))
    assert debouncer.feed(closed=True, at=ms(1)) == ()
    assert debouncer.feed(closed=False, at=ms(10.9)) == ()
    assert debouncer.deadline() is None
    assert debouncer.advance(ms(1000)) == ()


def test_an_edge_told_twice_does_not_start_the_window_again() -> None:
    debouncer = Debouncer(ms(10))
    debouncer.feed(closed=True, at=ms(0))
    debouncer.feed(closed=True, at=ms(9))
    assert debouncer.deadline() == ms(10)


def test_an_edge_after_the_window_first_gives_what_had_settled() -> None:
    debouncer = Debouncer(ms(10))
    debouncer.feed(closed=True, at=ms(0))
    assert debouncer.feed(closed=False, at=ms(80)) == (Steady(closed=True, at=ms(0)),)
    assert debouncer.advance(ms(90)) == (Steady(closed=False, at=ms(80)),)


@pytest.mark.parametrize("window", [0, 4.999, 20.001, 100])
def test_a_window_out_of_range_is_refused_by_name(window: float) -> None:
    with pytest.raises(ValueError, match=r"window \(=\d+ ns\) must be in \[5, 20\] ms"):
        Debouncer(ms(window))
