"""The controls on mock pins, from the hand to the event."""

import logging
from typing import Any

import pytest

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.errors import PinUnavailable
from hardware.controls.events import Clicked, Control, Edge, Pressed, Turned
from hardware.controls.factories import PinBackend
from hardware.controls.gpio import I2C1_PINS, GpioControls
from hardware.controls.panel import ControlPanel
from hardware.controls.simulated import VirtualClock


def test_hands_on_mock_pins_become_events(bench: Any) -> None:
    with bench.controls() as controls:
        panel = ControlPanel(closed=controls.closed_lines())
        hands = bench.hands()
        hands.turn(3)
        hands.turn(-2)
        hands.press(Control.ROLL)
        bench.clock.advance(50 * MILLISECOND)
        hands.release(Control.ROLL)
    events = [event for edge in bench.edges for event in panel.feed(edge)]
    events += panel.advance(Nanoseconds(bench.clock() + SECOND))
    assert [event.detents for event in events if isinstance(event, Turned)] == [1, 1, 1, -1, -1]
    assert [type(event) for event in events if not isinstance(event, Turned)] == [Pressed, Clicked]


def test_an_edge_is_stamped_when_it_comes(bench: Any) -> None:
    with bench.controls():
        bench.hands().press(Control.NEXT)
    assert bench.edges == [Edge("next", closed=True, at=Nanoseconds(1_000_000))]


def test_levels_at_start_are_read(bench: Any) -> None:
    with bench.controls() as controls:
        assert controls.closed_lines() == frozenset()
        bench.hands().press(Control.PUSH)
        assert controls.closed_lines() == {"push"}


def test_a_level_told_twice_reaches_the_decoder(bench: Any) -> None:
    with bench.controls():
        pin = bench.backend.factory.pin(17)
        pin.drive_low()
        pin._call_when_changed()  # noqa: SLF001 (MockPin never tells a level twice by itself)
    assert [edge.closed for edge in bench.edges] == [True, True]


def test_a_handler_that_throws_is_counted_and_logged_and_input_lives_on(
    bench: Any, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[Edge] = []

    def sink(edge: Edge) -> None:
        if edge.line == "push":
            raise RuntimeError("no room")
        seen.append(edge)

    with GpioControls(bench.backend, sink, bench.clock) as controls:
        hands = bench.hands()
        with caplog.at_level(logging.ERROR):
            hands.press(Control.PUSH)
        hands.press(Control.ROLL)
        health = controls.health(stuck=(Control.PUSH,))
    assert [edge.line for edge in seen] == ["roll"]
    assert (health.backend, health.alive, health.handler_faults) == ("mock", True, 1)
    assert health.last_fault == "push: RuntimeError: no room"
    assert health.stuck == (Control.PUSH,)
    assert "the handler of line push failed" in caplog.text


def test_alive_ends_with_the_back_end_and_health_says_since_when(bench: Any) -> None:
    answers = iter([True, False, False, True])
    backend = PinBackend("gpiod", bench.backend.factory, alive=lambda: next(answers))
    with GpioControls(backend, bench.edges.append, bench.clock) as controls:
        assert controls.alive()
        assert not controls.alive()
        bench.clock.advance(SECOND)
        assert controls.health().lost_since == 1_000_000
        assert controls.health().lost_since is None


def test_closed_controls_are_not_alive(bench: Any) -> None:
    controls = bench.controls()
    assert controls.alive()
    controls.close()
    controls.close()
    assert not controls.alive()


def test_a_pin_named_twice_is_busy_and_nothing_stays_taken(bench: Any) -> None:
    with pytest.raises(PinUnavailable, match=r"line down cannot have GPIO5: .*already in use"):
        GpioControls(bench.backend, bench.edges.append, bench.clock, {"up": 5, "down": 5})
    with bench.controls() as controls:
        assert controls.alive()


def test_a_pin_that_is_not_there_is_named(bench: Any) -> None:
    with pytest.raises(PinUnavailable, match="line up cannot have GPIO99"):
        GpioControls(bench.backend, bench.edges.append, bench.clock, {"up": 99})


@pytest.mark.parametrize("gpio", [2, 3])
def test_the_display_bus_is_refused_to_buttons_and_says_why(bench: Any, gpio: int) -> None:
    with pytest.raises(PinUnavailable, match=rf"line roll cannot have GPIO{gpio}: it is .* I2C-1"):
        GpioControls(bench.backend, bench.edges.append, bench.clock, {"roll": gpio}, I2C1_PINS)


def test_a_line_with_a_wrong_name_is_refused(bench: Any) -> None:
    with pytest.raises(ValueError, match="pins names line 'rolll'"):
        GpioControls(bench.backend, bench.edges.append, bench.clock, {"rolll": 5})


def test_a_virtual_clock_never_goes_back() -> None:
    with pytest.raises(ValueError, match="never goes back"):
        VirtualClock().advance(Nanoseconds(-1))
