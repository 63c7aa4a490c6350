"""What a station starts without is told at its greeting and in `health`, and costs nothing else."""

import logging
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from types import ModuleType

import pytest
from gpiozero import Device, DigitalInputDevice

from hardware.controls.errors import FactoryUnavailable
from hardware.controls.factories import PinBackend, build
from hardware.controls.outputs import LED_PIN
from hardware.controls.simulated import VirtualClock
from hardware.display.interface import Backend, Bus, DisplayError
from hardware.display.link import DisplayHealth
from hardware.display.simulated_bus import SimulatedI2cBus, simulated_chip
from hardware.display.transport import open_i2c
from hardware.display.wire import WireDisplay
from station import fittings
from station.appliance import appliance, log_line
from station.chronicle import SETTLE
from station.config import Config, load
from station.foundation import foundation
from station.inbox import Item
from station.link import LinkState
from station.notify import Notifier
from station.part import Part
from station.state import Greeting
from station.vitals import of_display


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


@pytest.fixture
def beats(monkeypatch: pytest.MonkeyPatch, pins: PinBackend) -> list[Callable[[], None]]:
    """What a heartbeat does at a station on mock pins, to be done when the test says."""
    assert pins.factory
    found: list[Callable[[], None]] = []

    def heartbeat(_: object, beat: Callable[[], None], __: object) -> nullcontext[None]:
        found.append(beat)
        return nullcontext()

    monkeypatch.setattr("station.appliance.Heartbeat", heartbeat)
    return found


@pytest.mark.parametrize("where", ["on a disk", "in memory", "below a file"])
def test_a_ledger_that_is_not_well_is_told_at_the_greeting_and_once_in_the_log(
    config: Config,
    beats: list[Callable[[], None]],
    caplog: pytest.LogCaptureFixture,
    where: str,
) -> None:
    clock = VirtualClock()
    inbox: SimpleQueue[Item] = SimpleQueue()
    reason = ""
    if where == "in memory":
        reason = f"{config.state_folder} is kept in memory"
    elif where == "below a file":
        config.state_folder.touch()
        reason = "the folder for the ledger can't be made; rolls are not recorded"
    disk = reason if where == "in memory" else ""
    with (
        foundation(config, inbox, clock) as base,
        appliance(base, Notifier(), disk=lambda _: disk) as station,
    ):
        screen = station.runner.state.screen
        assert isinstance(screen, Greeting)
        assert (reason in screen.lines) == bool(reason)
        for _ in range(4):
            beats[0]()
            clock.advance(SETTLE)
    told = [line for line in caplog.messages if line.startswith("ledger is")]
    state = "degraded" if where == "in memory" else "lost"
    assert told == ([f"ledger is {state}: {reason}"] if reason else [])


@pytest.mark.timeout(60)
def test_a_panel_that_does_not_answer_is_told_in_words_and_once(
    config: Config,
    beats: list[Callable[[], None]],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = config.display.panel
    chip = simulated_chip(settings, random.Random(1))  # noqa: S311 - memory at power-on
    bus = SimulatedI2cBus(chip, settings.address)
    bus.unplug()
    wired = WireDisplay(settings, lambda: open_i2c(settings, bus.open))
    monkeypatch.setattr("station.appliance.open_display", lambda *_, **__: wired)
    clock = VirtualClock()
    inbox: SimpleQueue[Item] = SimpleQueue()
    tried: list[bool] = []

    def looked_at(health: DisplayHealth | None) -> Part:
        tried.append(health is not None)
        return of_display(health)

    monkeypatch.setattr("station.appliance.of_display", looked_at)

    def told() -> list[str]:
        return [line for line in caplog.messages if line.startswith("display is")]

    with (
        caplog.at_level(logging.INFO, "station.chronicle"),
        foundation(config, inbox, clock) as base,
        appliance(base, Notifier()),
    ):
        while not any(tried):
            beats[0]()
        for lines in (1, 2):
            while len(told()) < lines:
                clock.advance(SETTLE)
                beats[0]()
            for _ in range(5):
                clock.advance(SETTLE)
                beats[0]()
            bus.plug()
    words = "nothing answers at 0x3C on /dev/i2c-1"
    assert told() == [f"display is lost: {words}", "display is ok again"]


@pytest.mark.parametrize("name", ["/dev/serial0", "/run/dice-station/socket#3"])
def test_programs_that_come_and_go_do_not_fill_the_log(
    caplog: pytest.LogCaptureFixture, name: str
) -> None:
    with caplog.at_level(logging.DEBUG, "station.appliance"):
        log_line(("/dev/serial0",), LinkState(name, is_open=True))
        log_line(("/dev/serial0",), LinkState(name, is_open=False, reason="it is gone"))
    assert caplog.messages == [f"{name} is open", f"{name} is closed: it is gone"]
    level = logging.INFO if name == "/dev/serial0" else logging.DEBUG
    assert {record.levelno for record in caplog.records} == {level}


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
