"""What is wired is tried again where it is missing, and costs nothing else meanwhile."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gpiozero import DigitalInputDevice
from gpiozero.pins.mock import MockPin

from hardware.clock import Nanoseconds
from hardware.controls.errors import FactoryUnavailable, PinUnavailable
from hardware.controls.events import Control
from hardware.controls.factories import PinBackend, build
from hardware.controls.outputs import BUZZER_PIN, LED_PIN, GpioWire
from hardware.controls.panel import ControlPanel
from hardware.controls.simulated import SimulatedControls, VirtualClock
from hardware.errors import HardwareError
from station import fittings
from station.config import Config, Source, load
from station.fittings import RETRY, Fittings, LooseWire


class Bench:
    """A station's fittings on mock pins, whose chip is there only while `chip` is set."""

    def __init__(self, config: Config) -> None:
        self.chip = True
        self.clock = VirtualClock(Nanoseconds(0))
        self.backend: PinBackend = build("mock")
        self.edges: list[Any] = []
        self.config = config

    def fitted(self) -> Fittings:
        return Fittings(self.config, self.edges.append, self.clock)

    def panel(self) -> ControlPanel:
        """Return a panel that has heard all that was told so far, and that it meant nothing."""
        panel = ControlPanel()
        assert [event for edge in self.edges for event in panel.feed(edge)] == []
        return panel

    def built(self, *_: object) -> PinBackend:
        if not self.chip:
            raise HardwareError("there is no chip")
        return self.backend


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    found = Bench(load(None, {"HOME": str(tmp_path)}))
    monkeypatch.setattr(fittings, "build", found.built)
    yield found
    found.backend.factory.reset()


def test_controls_and_outputs_are_there_at_once(bench: Bench) -> None:
    with closing(bench.fitted()) as fitted:
        assert fitted.part(ControlPanel()).state == "ok"
        assert fitted.alive()
        SimulatedControls(bench.backend.factory).press(Control.ROLL)
        assert [edge.line for edge in bench.edges] == ["roll"]
        fitted.outputs[0].on()
        assert bench.backend.factory.pin(LED_PIN).state


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


def test_a_button_that_is_down_is_known(bench: Bench, jammed: set[int]) -> None:
    jammed.add(26)
    with closing(bench.fitted()) as fitted:
        panel = bench.panel()
        part = fitted.part(panel)
        assert (part.state, part.reason) == ("degraded", "stuck closed: roll")


def test_a_chip_that_comes_late_is_used_from_then_on(bench: Bench) -> None:
    bench.chip = False
    with closing(bench.fitted()) as fitted:
        lost = fitted.part(ControlPanel())
        assert (lost.state, lost.reason) == ("lost", "there is no chip")
        assert fitted.alive()
        fitted.outputs[0].on()
        fitted.outputs[0].off()
        with pytest.raises(FactoryUnavailable, match="there is no chip"):
            fitted.pin_factory()
        bench.chip = True
        fitted.mend()
        assert fitted.part(ControlPanel()).state == "lost"
        bench.clock.advance(RETRY)
        fitted.mend()
        assert fitted.part(ControlPanel()).state == "ok"
        assert fitted.pin_factory() is bench.backend.factory
        SimulatedControls(bench.backend.factory).press(Control.ROLL)
        assert len(bench.edges) == 1
        fitted.outputs[0].on()
        assert bench.backend.factory.pin(LED_PIN).state


def test_a_button_that_is_jammed_when_the_chip_comes_late_is_stuck_and_does_nothing(
    bench: Bench, jammed: set[int]
) -> None:
    bench.chip = False
    jammed.add(26)
    with closing(bench.fitted()) as fitted:
        hands = SimulatedControls(bench.backend.factory)
        bench.chip = True
        bench.clock.advance(RETRY)
        fitted.mend()
        assert fitted.part(bench.panel()).reason == "stuck closed: roll"
        hands.release(Control.ROLL)
        panel = bench.panel()
        assert panel.advance(Nanoseconds(2 * RETRY)) == ()
        assert fitted.part(panel).state == "ok"


@pytest.mark.parametrize(("gpio", "name"), [(LED_PIN, "the LED"), (26, "line roll")])
def test_a_pin_that_another_program_has_leaves_the_rest_at_work(
    bench: Bench, gpio: int, name: str, caplog: Any
) -> None:
    other = DigitalInputDevice(gpio, pin_factory=bench.backend.factory)
    with closing(bench.fitted()) as fitted:
        part = fitted.part(ControlPanel())
        assert part.state == "degraded"
        assert part.reason.startswith(f"{name} cannot have GPIO{gpio}: ")
        assert dict(part.more) == {"backend": "mock"}
        assert f"{name} cannot have GPIO{gpio}" in caplog.text
        SimulatedControls(bench.backend.factory).press(Control.PUSH)
        assert [edge.line for edge in bench.edges] == ["push"]
        fitted.outputs[1].on()
        assert bench.backend.factory.pin(BUZZER_PIN).state
        other.close()
        bench.clock.advance(RETRY)
        fitted.mend()
        assert fitted.part(ControlPanel()).state == "ok"
        assert f"{name} has GPIO{gpio} now" in caplog.text


def test_an_led_that_is_lost_for_a_moment_comes_back_as_it_should_be(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, on: bool) -> None:
        raise PinUnavailable(f"the LED is lost: it can't be set to {on}")

    with closing(bench.fitted()) as fitted:
        with monkeypatch.context() as away:
            away.setattr(GpioWire, "write", gone)
            fitted.outputs[0].on()
        part = fitted.part(ControlPanel())
        assert (part.state, part.reason) == ("degraded", "the LED is lost: it can't be set to True")
        bench.clock.advance(RETRY)
        fitted.mend()
        assert fitted.part(ControlPanel()).state == "ok"
        assert bench.backend.factory.pin(LED_PIN).state


def test_where_nothing_is_wired_no_chip_is_asked_for(bench: Bench) -> None:
    bench.chip = False
    bench.config = replace(
        bench.config,
        controls=replace(bench.config.controls, source=Source.NONE),
        outputs=replace(bench.config.outputs, led=None, buzzer=None),
    )
    with closing(bench.fitted()) as fitted:
        part = fitted.part(ControlPanel())
        assert (part.state, dict(part.more)) == ("ok", {"backend": "none"})
        assert fitted.alive()
        assert fitted.pins is None


def test_an_input_device_that_is_missing_is_told(bench: Bench) -> None:
    controls = replace(bench.config.controls, source=Source.EVDEV, devices=("/dev/input/none",))
    bench.config = replace(bench.config, controls=controls)
    with closing(bench.fitted()) as fitted:
        part = fitted.part(ControlPanel())
        assert part.state == "lost"
        assert "input device" in part.reason
        assert fitted.alive()


def test_input_devices_do_not_need_the_chip_that_the_led_waits_for(bench: Bench) -> None:
    bench.chip = False
    controls = replace(bench.config.controls, source=Source.EVDEV, devices=())
    bench.config = replace(bench.config, controls=controls)
    with closing(bench.fitted()) as fitted:
        part = fitted.part(ControlPanel())
        assert (part.state, part.reason) == ("degraded", "there is no chip")


def test_a_wire_that_is_lost_is_told_once_and_passed_over(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    def gone(*_: object, on: bool) -> None:
        raise PinUnavailable(f"the LED is lost: it can't be set to {on}")

    wire = LooseWire("the LED", LED_PIN)
    wire.fit(bench.backend)
    monkeypatch.setattr(GpioWire, "write", gone)
    for _ in range(3):
        wire.write(on=True)
    assert caplog.text.count("the LED is lost") == 1
