"""The wires to a panel: I2C messages and SPI with a data/command line, opened late.

luma's own I2C interface takes an already open bus only in SMBus blocks of 32 bytes, which adds six
bytes in a hundred to a whole frame; so the messages are made here. SPI is luma's as it is.
"""

import errno
import importlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Protocol, assert_never

from luma.core.error import DeviceNotFoundError

from hardware.display.interface import Bus, DisplayError, Driver, PanelSettings
from hardware.errors import why
from hardware.missing import mend

COMMAND: Final = 0x00
DATA: Final = 0x40
"""I2C control bytes: all that follows is commands, or data (SSD1306 section 8.1.5.2)."""

LARGEST_MESSAGE: Final = 4096
"""Bytes of data in one I2C message; the kernel's limit is 8,192 with the control byte."""

SPI_HZ: Final[dict[Driver, int]] = {
    Driver.SSD1306: 8_000_000,
    Driver.SH1106: 4_000_000,
    Driver.SSD1309: 8_000_000,
    Driver.SSD1327: 8_000_000,
}
"""Clock on SPI: the sheets allow 10 MHz (SH1106 4 MHz); luma knows certain steps only."""


_SWITCHES: Final = {"I2C": "dtparam=i2c_arm=on", "SPI": "dtparam=spi=on"}
"""The lines of config.txt that switch the buses on."""

_UNACKNOWLEDGED: Final = (errno.EREMOTEIO, errno.ENXIO)
"""How the kernel says that an address or a byte was not acknowledged (i2c/fault-codes.rst)."""


class NoAnswer(OSError):  # noqa: N818 - what is wrong is the wiring
    """A transfer to a panel on I2C failed; the text says where, and what is likely wrong.

    Args:
        error: What the kernel said; number and text are kept.
        device: The bus.
        address: The panel's.
    """

    def __init__(self, error: OSError, device: str, address: int) -> None:
        super().__init__(error.errno, error.strerror)
        self._told = _untaken(error, device, address)

    def __str__(self) -> str:
        return self._told


class Transport(Protocol):
    """An open way to one panel."""

    def probe(self) -> None:
        """Ask for a sign of life.

        Raises:
            OSError: Nothing answered.
        """

    def command(self, codes: tuple[int, ...]) -> None:
        """Send opcodes with their arguments.

        Raises:
            OSError: They did not arrive.
        """

    def data(self, data: bytes) -> None:
        """Send memory contents.

        Raises:
            OSError: They did not arrive.
        """

    def close(self) -> None:
        """Give the bus back; never raises."""


class SmBus(Protocol):
    """What is used of `smbus2.SMBus`."""

    def i2c_rdwr(self, *messages: Any) -> None:
        """Send messages."""

    def close(self) -> None:
        """Close the device file."""


class I2cTransport:
    """A panel on an I2C bus; one message per transfer.

    Args:
        bus: An open bus, closed with this.
        address: The panel's address.
        device: What the bus is called.
    """

    def __init__(self, bus: SmBus, address: int, device: str) -> None:
        self._bus = bus
        self._address = address
        self._device = device
        self._message = _library("smbus2").i2c_msg.write

    def probe(self) -> None:
        """Send the control byte alone, which changes nothing."""
        self._send(COMMAND, b"")

    def command(self, codes: tuple[int, ...]) -> None:
        """Send opcodes with their arguments in one message."""
        self._send(COMMAND, bytes(codes))

    def data(self, data: bytes) -> None:
        """Send memory contents in as few messages as the kernel allows."""
        for start in range(0, len(data), LARGEST_MESSAGE):
            self._send(DATA, data[start : start + LARGEST_MESSAGE])

    def close(self) -> None:
        """Give the bus back."""
        with suppress(OSError):
            self._bus.close()

    def _send(self, control: int, payload: bytes) -> None:
        try:
            self._bus.i2c_rdwr(self._message(self._address, bytes((control,)) + payload))
        except OSError as error:
            raise NoAnswer(error, self._device, self._address) from error


class SpiTransport:
    """A panel on an SPI bus, through luma's interface.

    Args:
        serial: An open `luma.core.interface.serial.spi`.
        pins: What gives the two GPIO lines back.
    """

    def __init__(self, serial: Any, pins: Callable[[], None]) -> None:
        self._serial = serial
        self._pins = pins

    def probe(self) -> None:
        """Pass: nothing answers on SPI."""

    def command(self, codes: tuple[int, ...]) -> None:
        """Send opcodes with their arguments."""
        self._serial.command(*codes)

    def data(self, data: bytes) -> None:
        """Send memory contents."""
        self._serial.data(data)

    def close(self) -> None:
        """Give the bus and the lines back."""
        with suppress(OSError):
            self._serial.cleanup()
        self._pins()


class GpioLines:
    """The data/command and reset lines as luma wants them, on a gpiozero pin factory.

    Args:
        factory: A `gpiozero.Factory`; never gpiozero's default, a chain of fallbacks that stays.

    Raises:
        DisplayError: There is none.
    """

    LOW: Final = 0
    HIGH: Final = 1
    OUT: Final = "output"

    def __init__(self, factory: Any) -> None:
        if factory is None:
            raise DisplayError("The lines of an SPI panel need a pin factory.")
        self._gpiozero = _library("gpiozero")
        self._factory = factory
        self._lines: dict[int, Any] = {}

    def setup(self, pin: int, _direction: str) -> None:
        """Make a pin an output, low.

        Raises:
            DisplayError: The pin is busy or does not exist.
        """
        try:
            line = self._gpiozero.OutputDevice(pin, pin_factory=self._factory)
        except Exception as error:
            self.close()
            raise DisplayError(f"GPIO {pin} of the display cannot be used: {error}.") from error
        self._lines[pin] = line

    def output(self, pin: int, level: int) -> None:
        """Set the level of an output."""
        self._lines[pin].value = level

    def close(self) -> None:
        """Give the pins back."""
        while self._lines:
            self._lines.popitem()[1].close()


def open_i2c(panel: PanelSettings, smbus: Callable[[int], SmBus] | None = None) -> I2cTransport:
    """Open the I2C bus of a panel.

    Args:
        panel: Port and address.
        smbus: What opens a port; None is `smbus2.SMBus`.

    Raises:
        DisplayError: The bus is missing or forbidden, or smbus2 is not installed.
    """
    opener = smbus or _library("smbus2").SMBus
    device = f"/dev/i2c-{panel.i2c_port}"
    try:
        bus = opener(panel.i2c_port)
    except OSError as error:
        raise DisplayError(_why(error, device, "I2C")) from error
    return I2cTransport(bus, panel.address, device)


def open_spi(
    panel: PanelSettings, spidev: Any = None, lines: Any = None, pin_factory: Any = None
) -> SpiTransport:
    """Open the SPI bus of a panel and pulse its reset line.

    Args:
        panel: Port, device, data/command and reset pins.
        spidev: What is used like a `spidev.SpiDev`; None opens a real one.
        lines: What is used like RPi.GPIO; None takes gpiozero, on `pin_factory`.
        pin_factory: A `gpiozero.Factory` for the lines.

    Raises:
        DisplayError: The bus or a pin is missing, busy or forbidden, or spidev is not installed.
    """
    gpio = lines or GpioLines(pin_factory)
    spidev = spidev or _library("spidev").SpiDev()
    give_back: Callable[[], None] = gpio.close if lines is None else lambda: None
    device = f"/dev/spidev{panel.spi_port}.{panel.spi_device}"
    try:
        serial = importlib.import_module("luma.core.interface.serial").spi(
            spi=spidev,
            gpio=gpio,
            port=panel.spi_port,
            device=panel.spi_device,
            bus_speed_hz=SPI_HZ[panel.driver],
            gpio_DC=panel.dc,
            gpio_RST=panel.reset,
        )
    except (OSError, DeviceNotFoundError) as error:
        give_back()
        raise DisplayError(_why(error, device, "SPI")) from error
    return SpiTransport(serial, give_back)


def require(bus: Bus) -> None:
    """Check that the libraries of a bus are installed.

    Raises:
        DisplayError: One is missing; the sentence says what to install.
    """
    match bus:
        case Bus.I2C:
            _library("smbus2")
        case Bus.SPI:
            _library("spidev")
            _library("gpiozero")
        case _:
            assert_never(bus)


def _library(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise DisplayError(
            f"The display needs the Python package {module}: run {mend(module)}."
        ) from error


def _why(error: Exception, device: str, bus: str) -> str:
    number = error.errno if isinstance(error, OSError) else errno.ENOENT
    if number == errno.ENOENT:
        mend = f"put {_SWITCHES[bus]} in /boot/firmware/config.txt and restart"
        return f"{device} is missing: {bus} is not switched on; {mend}"
    if number in {errno.EACCES, errno.EPERM}:
        return f"{device} is forbidden: add the user to the group {bus.lower()}"
    return f"{device} cannot be opened: {why(error)}"


def _untaken(error: OSError, device: str, address: int) -> str:
    if error.errno in _UNACKNOWLEDGED:
        return f"nothing answers at 0x{address:02X} on {device}"
    if error.errno == errno.ETIMEDOUT:
        return f"{device} hangs: something holds SDA or SCL low"
    return f"{device} failed at 0x{address:02X}: {why(error)}"
