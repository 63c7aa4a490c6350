import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory

from hardware.clock import Nanoseconds
from hardware.controls.errors import FactoryUnavailable
from hardware.display.factory import open_display
from hardware.display.factory import test_pattern as pattern
from hardware.display.interface import SIZES, Backend, Bus, DisplayError, Driver, PanelSettings
from hardware.display.link import Link
from hardware.display.memory import MemoryDisplay
from hardware.display.simulated_bus import SimulatedI2cBus, SimulatedSpiBus
from hardware.display.transport import GpioLines, open_i2c, open_spi


@pytest.fixture
def pins() -> Iterator[MockFactory]:
    factory = MockFactory()
    yield factory
    factory.reset()


@pytest.mark.parametrize("size", [size for sizes in SIZES.values() for size in sizes])
def test_the_pattern_has_a_whole_border_and_one_marked_corner(size: tuple[int, int]) -> None:
    image = pattern(size)
    width, height = size
    assert image.size == size
    for x in range(width):
        assert image.getpixel((x, 0))
        assert image.getpixel((x, height - 1))
    for y in range(height):
        assert image.getpixel((0, y))
        assert image.getpixel((width - 1, y))
    inner = [(x, 1) for x in range(1, width - 1)] + [(1, y) for y in range(1, height - 1)]
    assert not any(image.getpixel(place) for place in inner)
    assert image.tobytes() != image.rotate(180).tobytes()


def test_memory_has_the_size_of_the_panel() -> None:
    display = open_display(PanelSettings(height=32), Backend.MEMORY)
    assert isinstance(display, MemoryDisplay)
    assert display.size == (128, 32)


@pytest.fixture
def no_spidev(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the library, and no bus."""
    module = ModuleType("spidev")
    module.SpiDev = lambda: _Absent(FileNotFoundError(2, "No such file"))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spidev", module)


@pytest.mark.usefixtures("no_spidev")
def test_an_spi_panel_is_built_without_its_bus(pins: MockFactory) -> None:
    display = open_display(PanelSettings(bus=Bus.SPI), pin_factory=lambda: pins)
    with pytest.raises(DisplayError, match=r"/dev/spidev0\.0 is missing"):
        display.probe()


@pytest.mark.usefixtures("no_spidev")
def test_an_spi_panel_waits_for_its_pins_and_says_so(pins: MockFactory) -> None:
    there: list[MockFactory] = []

    def pin_factory() -> MockFactory:
        if not there:
            raise FactoryUnavailable("there is no GPIO chip")
        return there[0]

    display = open_display(PanelSettings(bus=Bus.SPI), pin_factory=pin_factory)
    reasons: list[str] = []
    link = Link(display, lambda health: reasons.append(health.reason))
    link.step(Nanoseconds(0))
    assert reasons == ["there is no GPIO chip"]
    there.append(pins)
    with pytest.raises(DisplayError, match=r"/dev/spidev0\.0 is missing"):
        display.probe()


def test_the_default_pins_of_gpiozero_are_never_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> None:
        pytest.fail("gpiozero's default chain of pin factories was asked")

    monkeypatch.setattr(Device, "_default_pin_factory", refused)
    with pytest.raises(DisplayError, match="need a pin factory"):
        open_spi(PanelSettings(bus=Bus.SPI), _Absent(OSError()))


@pytest.mark.parametrize("driver", Driver)
def test_every_driver_is_built_without_its_panel(driver: Driver) -> None:
    display = open_display(PanelSettings(driver=driver, i2c_port=250))
    assert display.size == (128, 64)
    display.close()


@pytest.mark.parametrize("driver", Driver)
def test_a_simulated_panel_shows_frames(driver: Driver) -> None:
    display = open_display(PanelSettings(driver=driver), Backend.SIMULATED)
    display.probe()
    display.show(pattern((128, 64)))
    display.close()


@pytest.mark.parametrize(
    ("bus", "module", "sentence"),
    [
        (
            Bus.I2C,
            "smbus2",
            "needs the Python package smbus2: run pip install --force-reinstall dice-station.",
        ),
        (
            Bus.SPI,
            "spidev",
            r"needs the Python package spidev: run pip install 'dice-station\[pi\]'.",
        ),
    ],
)
def test_a_missing_library_is_named_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, bus: Bus, module: str, sentence: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DisplayError, match=sentence):
        open_display(PanelSettings(bus=bus))


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            FileNotFoundError(2, "No such file or directory"),
            "/dev/i2c-1 is missing: I2C is not switched on; put dtparam=i2c_arm=on in ",
        ),
        (PermissionError(13, "Permission denied"), "forbidden: add the user to the group i2c"),
        (OSError(16, "Device or resource busy"), "/dev/i2c-1 cannot be opened: .*busy"),
    ],
)
def test_a_bus_that_cannot_be_opened_says_how_to_mend_it(error: OSError, sentence: str) -> None:
    def refuse(_port: int) -> SimulatedI2cBus:
        raise error

    with pytest.raises(DisplayError, match=sentence):
        open_i2c(PanelSettings(), refuse)


def test_the_real_buses_are_absent_here() -> None:
    assert not Path("/dev/i2c-250").exists()
    display = open_display(PanelSettings(i2c_port=250))
    with pytest.raises(DisplayError, match="/dev/i2c-250 is missing"):
        display.probe()


class _Absent:
    """An SPI device file that is not there."""

    def __init__(self, error: OSError) -> None:
        self.error = error

    def open(self, _port: int, _device: int) -> None:
        raise self.error


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            FileNotFoundError(2, "No such file"),
            "/dev/spidev0.1 is missing: SPI is not switched on; put dtparam=spi=on in",
        ),
        (PermissionError(13, "Permission denied"), "forbidden: add the user to the group spi"),
    ],
)
def test_an_spi_bus_that_cannot_be_opened_says_how_to_mend_it_and_frees_the_pins(
    pins: MockFactory, error: OSError, sentence: str
) -> None:
    panel = PanelSettings(bus=Bus.SPI, spi_device=1)
    for _ in range(2):
        with pytest.raises(DisplayError, match=sentence):
            open_spi(panel, _Absent(error), pin_factory=pins)


def test_the_lines_of_an_spi_panel_are_gpiozero_outputs(pins: MockFactory) -> None:
    lines = GpioLines(pins)
    lines.setup(24, lines.OUT)
    assert pins.pin(24).function == "output"
    lines.output(24, lines.HIGH)
    assert pins.pin(24).state
    lines.output(24, lines.LOW)
    assert not pins.pin(24).state
    with pytest.raises(DisplayError, match="GPIO 24 of the display cannot be used"):
        lines.setup(24, lines.OUT)
    lines.setup(24, lines.OUT)
    lines.close()
    GpioLines(pins).setup(24, lines.OUT)


def test_an_spi_panel_without_reset_line_works(pins: MockFactory) -> None:
    panel = PanelSettings(bus=Bus.SPI, reset=None)
    spi = SimulatedSpiBus.__new__(SimulatedSpiBus)
    sent: list[bytes] = []
    spi.open = lambda _port, _device: None  # type: ignore[method-assign]
    spi.close = lambda: None  # type: ignore[method-assign]
    spi.writebytes = lambda data: sent.append(bytes(data))  # type: ignore[method-assign]
    transport = open_spi(panel, spi, pin_factory=pins)
    transport.command((0xAE,))
    assert not pins.pin(24).state
    transport.data(b"\x01\x02")
    assert pins.pin(24).state
    assert sent == [b"\xae", b"\x01\x02"]
    transport.close()
    GpioLines(pins).setup(24, GpioLines.OUT)
