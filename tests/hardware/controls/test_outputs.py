from typing import Any

import pytest

from hardware.clock import MILLISECOND, Nanoseconds
from hardware.controls.errors import PinUnavailable
from hardware.controls.outputs import AbsentWire, GpioWire, Output, Pattern, RememberingWire


def ms(count: float) -> Nanoseconds:
    return Nanoseconds(int(count * MILLISECOND))


def watch(output: Output, wire: RememberingWire, until: Nanoseconds) -> list[tuple[float, bool]]:
    """Advance exactly when asked; return when the wire changed, in ms, and to what."""
    seen = [(0.0, wire.on)]
    while (due := output.deadline()) is not None and due <= until:
        before = len(wire.history)
        output.advance(Nanoseconds(due - 1))
        assert len(wire.history) == before
        output.advance(due)
        if len(wire.history) > before:
            seen.append((due / MILLISECOND, wire.on))
    return seen


def test_a_pattern_plays_once_and_ends_dark() -> None:
    wire = RememberingWire()
    output = Output(wire)
    output.play(Pattern(((50, 30), (20, 0))), ms(0))
    assert watch(output, wire, ms(1000)) == [(0, True), (50, False), (80, True), (100, False)]
    assert output.deadline() is None


def test_a_repeating_pattern_goes_on() -> None:
    wire = RememberingWire()
    output = Output(wire)
    output.play(Pattern(((10, 90),), repeat=True), ms(0))
    assert watch(output, wire, ms(210)) == [
        (0, True),
        (10, False),
        (100, True),
        (110, False),
        (200, True),
        (210, False),
    ]


def test_on_and_off_end_a_pattern() -> None:
    wire = RememberingWire()
    output = Output(wire)
    output.play(Pattern(((10, 90),), repeat=True), ms(0))
    output.on()
    assert (output.deadline(), wire.on) == (None, True)
    output.play(Pattern(((10, 90),), repeat=True), ms(20))
    output.off()
    assert (output.deadline(), wire.on) == (None, False)


def test_a_late_call_makes_no_burst() -> None:
    wire = RememberingWire()
    output = Output(wire)
    output.play(Pattern(((10, 10),), repeat=True), ms(0))
    output.advance(ms(5000))
    assert wire.history == [True, False]
    assert output.deadline() == ms(5010)


def test_a_pin_follows_and_is_given_back(bench: Any) -> None:
    output = Output(GpioWire(bench.backend.factory, "the LED", 16))
    pin = bench.backend.factory.pin(16)
    output.on()
    assert pin.state
    output.off()
    assert not pin.state
    output.close()
    output.close()
    Output(GpioWire(bench.backend.factory, "the LED", 16)).close()


def test_a_busy_pin_is_named(bench: Any) -> None:
    first = GpioWire(bench.backend.factory, "the LED", 12)
    with pytest.raises(PinUnavailable, match=r"the buzzer cannot have GPIO12: .*already in use"):
        GpioWire(bench.backend.factory, "the buzzer", 12)
    first.close()


def test_a_pin_that_is_lost_is_named(bench: Any) -> None:
    wire = GpioWire(bench.backend.factory, "the LED", 16)
    wire.close()
    with pytest.raises(PinUnavailable, match="the LED is lost"):
        wire.write(on=True)


def test_an_absent_wire_takes_everything() -> None:
    output = Output(AbsentWire())
    output.play(Pattern(((10, 0),)), ms(0))
    assert output.deadline() == ms(10)
    output.advance(ms(10))
    assert output.deadline() is None
    output.close()


@pytest.mark.parametrize(
    ("pulses", "repeat"),
    [
        ((), False),
        (((0, 1),), False),
        (((1, -1),), False),
        (((1, 0), (1, 1)), False),
        (((1, 0),), True),
    ],
)
def test_a_pattern_without_length_is_refused(
    pulses: tuple[tuple[int, int], ...],
    repeat: bool,  # noqa: FBT001 (a parametrised case)
) -> None:
    with pytest.raises(ValueError, match="pulse"):
        Pattern(pulses, repeat=repeat)
