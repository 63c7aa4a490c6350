import pytest

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.events import Clicked, Control, ControlEvent, Held, Pressed, Repeated
from hardware.controls.gestures import GestureRecogniser, GestureTimes, Mode


def ms(count: float) -> Nanoseconds:
    return Nanoseconds(int(count * MILLISECOND))


def push(*, closed: bool = False) -> GestureRecogniser:
    return GestureRecogniser(Control.PUSH, closed=closed)


def up() -> GestureRecogniser:
    return GestureRecogniser(Control.UP, Mode.REPEAT)


def test_a_click_is_told_at_release() -> None:
    gesture = push()
    assert gesture.feed(closed=True, at=ms(10)) == (Pressed(Control.PUSH, ms(10)),)
    assert gesture.deadline() == ms(610)
    assert gesture.feed(closed=False, at=ms(609)) == (Clicked(Control.PUSH, ms(609)),)
    assert gesture.deadline() is None


def test_a_hold_is_told_at_its_time_and_eats_the_release() -> None:
    gesture = push()
    gesture.feed(closed=True, at=ms(0))
    assert gesture.advance(ms(599)) == ()
    assert gesture.advance(ms(600)) == (Held(Control.PUSH, ms(600)),)
    assert gesture.advance(ms(700)) == ()
    assert gesture.feed(closed=False, at=ms(900)) == ()
    assert gesture.feed(closed=True, at=ms(1000)) == (Pressed(Control.PUSH, ms(1000)),)


def test_a_release_that_comes_after_the_hold_time_is_a_hold_even_unasked() -> None:
    gesture = push()
    gesture.feed(closed=True, at=ms(0))
    assert gesture.feed(closed=False, at=ms(601)) == (Held(Control.PUSH, ms(600)),)


def test_a_repeating_control_clicks_at_once_and_repeats_while_down() -> None:
    gesture = up()
    assert gesture.feed(closed=True, at=ms(0)) == (
        Pressed(Control.UP, ms(0)),
        Clicked(Control.UP, ms(0)),
    )
    seen: list[ControlEvent] = []
    while (due := gesture.deadline()) is not None and due <= ms(700):
        seen += gesture.advance(due)
    assert seen == [Repeated(Control.UP, ms(400 + 120 * n), n + 1) for n in range(3)]
    assert gesture.feed(closed=False, at=ms(701)) == ()
    assert gesture.deadline() is None


def test_a_late_call_gives_one_repeat_not_a_burst() -> None:
    gesture = up()
    gesture.feed(closed=True, at=ms(0))
    assert gesture.advance(ms(2000)) == (Repeated(Control.UP, ms(1960), 1),)
    assert gesture.deadline() == ms(2080)


def test_a_contact_closed_at_start_is_stuck_and_silent_until_its_release() -> None:
    gesture = push(closed=True)
    assert gesture.stuck
    assert gesture.deadline() is None
    assert gesture.advance(ms(5000)) == ()
    assert gesture.feed(closed=False, at=ms(6000)) == ()
    assert not gesture.stuck
    assert gesture.feed(closed=True, at=ms(7000)) == (Pressed(Control.PUSH, ms(7000)),)


@pytest.mark.parametrize("mode", Mode)
def test_a_contact_closed_for_half_a_minute_is_stuck_and_silent(mode: Mode) -> None:
    gesture = GestureRecogniser(Control.DOWN, mode)
    gesture.feed(closed=True, at=ms(0))
    while (due := gesture.deadline()) is not None:
        assert due <= 30 * SECOND
        gesture.advance(due)
    assert gesture.stuck
    assert gesture.advance(Nanoseconds(90 * SECOND)) == ()
    assert gesture.feed(closed=False, at=Nanoseconds(91 * SECOND)) == ()
    assert not gesture.stuck


def test_a_close_told_twice_is_one_press() -> None:
    gesture = push()
    gesture.feed(closed=True, at=ms(0))
    assert gesture.feed(closed=True, at=ms(5)) == ()


@pytest.mark.parametrize("name", ["hold", "repeat_after", "repeat_every", "stuck_after"])
def test_times_must_be_positive_and_stuck_the_longest(name: str) -> None:
    with pytest.raises(ValueError, match=rf"{name} \(=0 ns\) must be more than 0 ns"):
        GestureTimes(**{name: Nanoseconds(0)})
    with pytest.raises(ValueError, match="stuck_after"):
        GestureTimes(stuck_after=ms(600))
