from collections.abc import Callable

import pytest

from hardware.clock import Nanoseconds
from hardware.controls.events import Clicked, Control, Edge, Held, Pressed, Repeated, Turned

NOW = Nanoseconds(5)
EARLIER = Nanoseconds(-1)


def test_a_line_nobody_knows_is_refused_with_the_ones_there_are() -> None:
    with pytest.raises(ValueError, match=r"line \(='pusj'\) must be one of knob_a, knob_b, push"):
        Edge("pusj", closed=True, at=NOW)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Edge("push", closed=True, at=EARLIER),
        lambda: Turned(1, EARLIER),
        lambda: Pressed(Control.UP, EARLIER),
        lambda: Clicked(Control.UP, EARLIER),
        lambda: Held(Control.UP, EARLIER),
        lambda: Repeated(Control.UP, EARLIER, 1),
    ],
)
def test_a_time_before_the_clock_began_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"at \(=-1\) must be 0 ns or later"):
        make()


def test_a_turn_by_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"detents \(=0\)"):
        Turned(0, NOW)


def test_a_repeat_is_counted_from_one() -> None:
    with pytest.raises(ValueError, match=r"count \(=0\) must be 1 or more"):
        Repeated(Control.UP, NOW, 0)
