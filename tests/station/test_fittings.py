"""What is wired is tried again where it is missing, and costs nothing else meanwhile."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gpiozero import DigitalInputDevice

from hardware.clock import Nanoseconds
from hardware.controls.errors import PinUnavailable
from hardware.controls.events import Control
from hardware.controls.factories import PinBackend, build
from hardware.controls.outputs import LED_PIN, GpioWire
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


def test_a_button_that_is_down_is_known(bench: Bench) -> None:
    with closing(bench.fitted()) as fitted:
        SimulatedControls(bench.backend.factory).press(Control.ROLL)
        assert fitted.closed_lines == {"roll"}
        panel = ControlPanel(closed=fitted.closed_lines)
        assert fitted.part(panel).state == "degraded"


def test_a_chip_that_comes_late_is_used_from_then_on(bench: Bench) -> None:
    bench.chip = False
    with closing(bench.fitted()) as fitted:
        lost = fitted.part(ControlPanel())
        assert (lost.state, lost.reason) == ("lost", "there is no chip")
        assert fitted.alive()
        fitted.outputs[0].on()
        fitted.outputs[0].off()
        bench.chip = True
        fitted.mend()
        assert fitted.part(ControlPanel()).state == "lost"
        bench.clock.advance(RETRY)
        fitted.mend()
        assert fitted.part(ControlPanel()).state == "ok"
        SimulatedControls(bench.backend.factory).press(Control.ROLL)
        assert len(bench.edges) == 1
        fitted.outputs[0].on()
        assert bench.backend.factory.pin(LED_PIN).state


def test_a_pin_that_another_program_has_leaves_the_rest_at_work(bench: Bench) -> None:
    other = DigitalInputDevice(LED_PIN, pin_factory=bench.backend.factory)
    with closing(bench.fitted()) as fitted:
        assert "LED" in fitted.part(ControlPanel()).reason
        SimulatedControls(bench.backend.factory).press(Control.ROLL)
        assert len(bench.edges) == 1
        other.close()
        bench.clock.advance(RETRY)
        fitted.mend()
        assert fitted.part(ControlPanel()).state == "ok"


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
        assert fitted.closed_lines == frozenset()
        assert fitted.alive()
        assert fitted.pins is None


def test_an_input_device_that_is_missing_is_told(bench: Bench) -> None:
    controls = replace(bench.config.controls, source=Source.EVDEV, devices=("/dev/input/none",))
    bench.config = replace(bench.config, controls=controls)
    with closing(bench.fitted()) as fitted:
        assert "input device" in fitted.part(ControlPanel()).reason


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
