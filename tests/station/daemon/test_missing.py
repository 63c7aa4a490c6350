"""What a station starts without is told at its greeting and in `health`, and costs nothing else."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from types import ModuleType

import pytest
from gpiozero import Device, DigitalInputDevice

from hardware.controls.errors import FactoryUnavailable
from hardware.controls.factories import PinBackend, build
from hardware.controls.outputs import LED_PIN
from hardware.display.interface import Backend, Bus, DisplayError
from hardware.display.wire import WireDisplay
from station import fittings
from station.appliance import appliance
from station.config import Config, load
from station.foundation import foundation
from station.inbox import Item
from station.notify import Notifier
from station.state import Greeting


@pytest.fixture
def config(folder: Path) -> Config:
    found = load(None, {"HOME": str(folder)})
    return replace(
        found,
        state_folder=folder / "state",
        display=replace(found.display, backend=Backend.MEMORY),
    )


@pytest.fixture
def pins(monkeypatch: pytest.MonkeyPatch) -> Iterator[PinBackend]:
    backend = build("mock")
    monkeypatch.setattr(fittings, "build", lambda *_: backend)
    yield backend
    backend.factory.reset()


@pytest.mark.parametrize(("gpio", "name"), [(LED_PIN, "the LED"), (26, "line roll")])
def test_a_pin_that_is_taken_is_named_at_the_greeting(
    config: Config, pins: PinBackend, gpio: int, name: str
) -> None:
    other = DigitalInputDevice(gpio, pin_factory=pins.factory)
    inbox: SimpleQueue[Item] = SimpleQueue()
    with foundation(config, inbox) as base, appliance(base, Notifier()) as station:
        screen = station.runner.state.screen
        assert isinstance(screen, Greeting)
        (told,) = (line for line in screen.lines if name in line)
        assert told.startswith(f"{name} cannot have GPIO{gpio}")
    other.close()


def test_an_spi_panel_without_a_chip_waits_for_it_and_takes_no_other_pins(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_chip(*_: object) -> PinBackend:
        raise FactoryUnavailable("there is no GPIO chip")

    def refused() -> None:
        pytest.fail("gpiozero's default chain of pin factories was asked")

    monkeypatch.setattr(fittings, "build", no_chip)
    monkeypatch.setattr(Device, "_default_pin_factory", refused)
    monkeypatch.setitem(sys.modules, "spidev", ModuleType("spidev"))
    panel = replace(config.display.panel, bus=Bus.SPI)
    config = replace(config, display=replace(config.display, panel=panel, backend=Backend.PANEL))
    inbox: SimpleQueue[Item] = SimpleQueue()
    with foundation(config, inbox) as base, appliance(base, Notifier()) as station:
        assert isinstance(station.device, WireDisplay)
        with pytest.raises(DisplayError, match="there is no GPIO chip"):
            station.device.probe()
        base.fittings.pins = build("mock")
        with pytest.raises(AttributeError, match="SpiDev"):
            station.device.probe()
