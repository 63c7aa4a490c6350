import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.clock import MILLISECOND, Nanoseconds
from hardware.controls.acceleration import Acceleration
from hardware.controls.events import Turned


def ms(count: float) -> Nanoseconds:
    return Nanoseconds(int(count * MILLISECOND))


@pytest.mark.parametrize(
    ("interval", "counts"), [(200, 1), (61, 1), (60, 2), (31, 2), (30, 4), (16, 4), (15, 8), (1, 8)]
)
def test_a_detent_counts_by_the_time_since_the_last(interval: int, counts: int) -> None:
    acceleration = Acceleration()
    assert acceleration.scale(Turned(-1, ms(0)), 100).detents == -1
    assert acceleration.scale(Turned(-1, ms(interval)), 100).detents == -counts


@pytest.mark.parametrize("span", [1, 23])
def test_a_range_under_one_turn_is_never_accelerated(span: int) -> None:
    acceleration = Acceleration()
    assert [acceleration.scale(Turned(1, ms(n)), span).detents for n in range(5)] == [1] * 5
    assert acceleration.scale(Turned(1, ms(5)), 24).detents == 8


def test_a_change_of_direction_begins_anew() -> None:
    acceleration = Acceleration()
    turns = [Turned(1, ms(0)), Turned(1, ms(5)), Turned(-1, ms(10)), Turned(-1, ms(15))]
    assert [acceleration.scale(turn, 99).detents for turn in turns] == [1, 8, -1, -8]


def test_switched_off_it_changes_nothing() -> None:
    acceleration = Acceleration(enabled=False)
    assert [acceleration.scale(Turned(1, ms(n)), 99).detents for n in range(3)] == [1] * 3


@given(
    st.lists(st.tuples(st.integers(-3, 3).filter(bool), st.integers(0, 10**9)), min_size=1),
    st.integers(0, 500),
)
def test_no_turn_changes_direction_shrinks_or_leaves_its_range(
    turns: list[tuple[int, int]], span: int
) -> None:
    acceleration = Acceleration()
    now = 0
    for detents, interval in turns:
        now += interval
        scaled = acceleration.scale(Turned(detents, Nanoseconds(now)), span).detents
        assert scaled * detents > 0
        assert abs(detents) <= abs(scaled) <= max(span, abs(detents))


def test_a_knob_without_detents_is_refused() -> None:
    with pytest.raises(ValueError, match=r"turn \(=0 detents\) must be 1 or more"):
        Acceleration(turn=0)
