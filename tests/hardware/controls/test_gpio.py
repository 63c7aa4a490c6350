"""The controls on mock pins, from the hand to the event."""

import logging
from dataclasses import replace
from typing import Any

import pytest
from gpiozero import DigitalInputDevice
from gpiozero.pins.mock import MockPin

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.errors import PinUnavailable
from hardware.controls.events import Clicked, Control, Edge, Pressed, Turned
from hardware.controls.factories import PinBackend
from hardware.controls.gpio import I2C1_PINS, GpioControls
from hardware.controls.outputs import GpioWire
from hardware.controls.panel import ControlPanel
from hardware.controls.simulated import VirtualClock


def test_hands_on_mock_pins_become_events(bench: Any) -> None:
    with bench.controls() as controls:
        assert controls.alive()
        panel = ControlPanel()
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


@pytest.fixture
def jammed(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The GPIO of contacts that are closed, which no pull-up opens."""
    found: set[int] = set()
    set_pull = MockPin._set_pull  # noqa: SLF001 (a mock pin follows its pull otherwise)

    def pulled(pin: Any, pull: str) -> None:
        set_pull(pin, pull)
        if int(pin.info.name.removeprefix("GPIO")) in found:
            pin.drive_low()

    monkeypatch.setattr(MockPin, "_set_pull", pulled)
    return found


def test_a_contact_that_is_closed_at_start_is_told_as_found(bench: Any, jammed: set[int]) -> None:
    jammed.add(22)
    with bench.controls():
        assert bench.edges == [Edge("push", closed=True, at=Nanoseconds(1_000_000), found=True)]


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


def test_a_busy_pin_costs_its_own_line_only_and_is_had_later(
    bench: Any, jammed: set[int], caplog: pytest.LogCaptureFixture
) -> None:
    other = DigitalInputDevice(26, pin_factory=bench.backend.factory)
    with bench.controls() as controls:
        (reason,) = controls.health().missing
        assert "line roll cannot have GPIO26" in reason
        assert not controls.health().deaf
        bench.hands().press(Control.PUSH)
        assert [edge.line for edge in bench.edges] == ["push"]
        controls.mend()
        assert caplog.text.count("line roll cannot have GPIO26") == 1
        other.close()
        jammed.add(26)
        controls.mend()
        assert controls.health().missing == ()
        assert bench.edges[1:] == [Edge("roll", closed=True, at=bench.clock(), found=True)]
        bench.hands().release(Control.ROLL)
        assert bench.edges[2:] == [Edge("roll", closed=False, at=bench.clock())]


def test_where_no_pin_can_be_had_the_controls_are_deaf(bench: Any) -> None:
    with GpioControls(bench.backend, bench.edges.append, bench.clock, {"up": 99}) as controls:
        health = controls.health()
        assert (health.alive, health.deaf) == (True, True)
        assert "line up cannot have GPIO99" in health.missing[0]


def test_a_back_end_with_errors_of_its_own_costs_no_more_than_a_line(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Error(Exception):
        """Like lgpio.error, which is neither gpiozero's nor an OSError."""

    def busy(*_: object) -> None:
        raise Error("GPIO busy")

    monkeypatch.setattr(bench.backend.factory, "pin", busy)
    with bench.controls() as controls:
        assert controls.health().deaf
    with pytest.raises(PinUnavailable, match="the LED cannot have GPIO16: GPIO busy"):
        GpioWire(bench.backend.factory, "the LED", 16)


def test_a_chip_that_goes_lets_go_of_every_contact_and_one_that_comes_is_looked_at(
    bench: Any,
) -> None:
    followers: list[Any] = []
    backend = replace(bench.backend, follow=followers.append)
    with GpioControls(backend, bench.edges.append, bench.clock, {"roll": 26, "up": 5}) as controls:
        bench.hands().press(Control.ROLL)
        bench.edges.clear()
        followers[0](False)  # noqa: FBT003 (factories.Follower)
        assert bench.edges == [
            Edge(line, closed=False, at=bench.clock(), found=True) for line in ("roll", "up")
        ]
        followers[0](True)  # noqa: FBT003 (as above)
        assert bench.edges[2:] == [Edge("roll", closed=True, at=bench.clock(), found=True)]
    followers[0](True)  # noqa: FBT003 (as above)
    assert not controls.alive()
    assert len(bench.edges) == 3


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
