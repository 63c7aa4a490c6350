"""Simulated I2C and SPI buses with one display on them, that fail when told to.

The I2C bus is used like `smbus2.SMBus`, the SPI bus like `spidev.SpiDev` and its data/command line
like an RPi.GPIO module; luma's own interfaces run on them as they are. Every byte is counted: on
I2C the address, the control byte and what follows, on SPI what is clocked out.
"""

import errno
import os
import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from hardware.display.interface import Driver, PanelSettings
from hardware.display.simulated_chip import DataSheetError, Glass, SimulatedChip
from hardware.display.simulated_grey import SimulatedSsd1327
from hardware.display.simulated_monochrome import (
    SimulatedSh1106,
    SimulatedSsd1306,
    SimulatedSsd1309,
)

LUMA_SH1106_EXTRAS: Final = frozenset({0x20, 0x8D})
"""Opcodes luma.oled sends to an SH1106, whose data sheet has none of them."""

_CHIPS: Final[dict[Driver, type[SimulatedChip]]] = {
    Driver.SSD1306: SimulatedSsd1306,
    Driver.SH1106: SimulatedSh1106,
    Driver.SSD1309: SimulatedSsd1309,
    Driver.SSD1327: SimulatedSsd1327,
}

_LINES: Final[dict[tuple[Driver, int], tuple[int, bool]]] = {
    (Driver.SSD1306, 64): (63, True),
    (Driver.SSD1306, 32): (31, False),
    (Driver.SH1106, 64): (63, True),
    (Driver.SH1106, 32): (47, True),
    (Driver.SSD1309, 64): (63, True),
    (Driver.SSD1309, 32): (31, False),
}
"""Common output of the top line, and whether even and odd lines come from two sides.

The 32-line SH1106 uses the middle of the chip: that is what luma.oled's offset of 15 is for.
"""


def simulated_chip(
    panel: PanelSettings,
    chance: random.Random,
    ignoring: frozenset[int] = frozenset(),
) -> SimulatedChip:
    """Return the controller of a panel, wired to its glass as on the usual modules.

    Args:
        panel: Driver, size and column offset.
        chance: What fills the memory at power-on.
        ignoring: Opcodes to pass over although they are not on the data sheet.
    """
    if panel.driver is Driver.SSD1327:
        glass = Glass(128, 128, segment=127, line=127, interleaved=True)
    else:
        columns = 132 if panel.driver is Driver.SH1106 else 128
        line, interleaved = _LINES[panel.driver, panel.height]
        segment = columns - 1 - panel.first_column
        glass = Glass(panel.width, panel.height, segment, line, interleaved)
    return _CHIPS[panel.driver](glass, chance, ignoring)


class Message(Protocol):
    """A message of I2C_RDWR, as `smbus2.i2c_msg` builds it."""

    addr: int
    flags: int

    def __bytes__(self) -> bytes:
        """Return the message's contents."""


@dataclass(slots=True)
class _Fault:
    """What happens at a byte to come."""

    after: int
    """Bytes that still pass."""
    error: int
    """errno of the OSError."""
    unplugs: bool
    """Whether the panel loses its power with it."""


class SimulatedBus:
    """A bus with one panel, a count of its bytes, and a fault to come.

    Args:
        chip: The panel's controller.
    """

    def __init__(self, chip: SimulatedChip) -> None:
        self.chip: Final = chip
        self.sent = 0
        """Bytes clocked out so far, the refused ones included."""
        self.transfers = 0
        """Transfers begun so far."""
        self.opened = 0
        """Handles open now."""
        self._plugged = True
        self._fault: _Fault | None = None

    @property
    def plugged(self) -> bool:
        """Whether the panel is there."""
        return self._plugged

    def fail(self, after: int, error: int = errno.EREMOTEIO) -> None:
        """Refuse a byte, once.

        Args:
            after: Bytes from now that still pass and take effect, ≥ 0.
            error: errno that the driver gets: EREMOTEIO, EIO, ENXIO, ETIMEDOUT, ENODEV.
        """
        self._fault = _Fault(after, error, unplugs=False)

    def mend(self) -> None:
        """Forget a fault that has not struck yet."""
        self._fault = None

    def unplug(self, after: int = 0, error: int = errno.EREMOTEIO) -> None:
        """Take the panel away.

        Args:
            after: Bytes from now that still pass and take effect, ≥ 0.
            error: errno that the driver gets at that byte.
        """
        self._fault = _Fault(after, error, unplugs=True) if after else None
        self._plugged = after > 0

    def plug(self) -> None:
        """Bring a panel back: switched off, with random memory."""
        self._fault = None
        self._plugged = True
        self.chip.power_cycle()

    def _clock_out(self, count: int) -> tuple[int, OSError | None]:
        """Count bytes on the wire; return how many pass, and the fault if it is among them."""
        fault = self._fault
        if fault is None or fault.after >= count:
            self.sent += count
            if fault is not None:
                fault.after -= count
            return count, None
        self.sent += fault.after + 1
        self._fault = None
        self._plugged = not fault.unplugs
        return fault.after, _os_error(fault.error)


class SimulatedI2cBus(SimulatedBus):
    """An I2C bus, used like `smbus2.SMBus`; `open` stands for its constructor.

    Args:
        chip: The panel's controller.
        address: The panel's address.
    """

    def __init__(self, chip: SimulatedChip, address: int = 0x3C) -> None:
        super().__init__(chip)
        self._address = address

    def open(self, port: int) -> "SimulatedI2cBus":
        """Open the bus; every port leads here.

        Raises:
            ValueError: The port is negative, as no /dev/i2c-n is.
        """
        if port < 0:
            raise ValueError(f"port is {port}: allowed is 0 or more.")
        self.opened += 1
        return self

    def close(self) -> None:
        """Give a handle back."""
        self.opened -= 1

    def write_byte(self, i2c_addr: int, value: int) -> None:
        """Send one byte after the address.

        Raises:
            OSError: Nothing answered.
            DataSheetError: The byte is not allowed.
        """
        self._write(i2c_addr, bytes((value,)))

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: list[int]) -> None:
        """Send a register byte and up to 32 bytes more.

        Raises:
            ValueError: There are more than 32.
            OSError: Nothing answered, or a byte was refused.
            DataSheetError: A byte is not allowed.
        """
        if len(data) > 32:  # noqa: PLR2004 - SMBus' own limit, as smbus2 checks it
            raise ValueError(f"An SMBus block has {len(data)} bytes: allowed are up to 32.")
        self._write(i2c_addr, bytes((register, *data)))

    def i2c_rdwr(self, *messages: Message) -> None:
        """Send write messages, one after the other.

        Raises:
            OSError: Nothing answered, or a byte was refused.
            DataSheetError: A byte is not allowed, or a message reads.
        """
        for message in messages:
            if message.flags:
                raise DataSheetError("Reading from the display is not simulated.")
            self._write(message.addr, bytes(message))

    def _write(self, address: int, payload: bytes) -> None:
        self.transfers += 1
        if not self._plugged or address != self._address:
            self.sent += 1
            raise _os_error(errno.EREMOTEIO)
        if not payload:
            raise DataSheetError("A message is empty: a control byte comes first.")
        passed, error = self._clock_out(1 + len(payload))
        self._take(payload[: max(passed - 1, 0)])
        if error is not None:
            raise error
        if len(payload) > 1:
            self.chip.check_whole()

    def _take(self, payload: bytes) -> None:
        """Split a transfer at its control bytes (SSD1306 section 8.1.5.2)."""
        while payload:
            control, payload = payload[0], payload[1:]
            if control & 0x3F:
                raise DataSheetError(f"The control byte {control:02X}h has bits beside Co and D/C.")
            single = bool(control & 0x80)
            if single and not payload:
                raise DataSheetError(
                    f"Nothing follows the control byte {control:02X}h, whose Co is 1."
                )
            part, payload = (payload[:1], payload[1:]) if single else (payload, b"")
            if control & 0x40:
                self.chip.take_data(part)
            else:
                self.chip.take_commands(part)


class SimulatedSpiBus(SimulatedBus):
    """An SPI bus, used like `spidev.SpiDev`, and its two lines, used like RPi.GPIO.

    SPI has no answer: an unplugged panel takes the bytes away in silence.

    Args:
        chip: The panel's controller.
        dc: Pin of the data/command line.
        reset: Pin of the reset line, or None.
    """

    LOW = 0
    HIGH = 1
    OUT = 0

    def __init__(self, chip: SimulatedChip, dc: int = 24, reset: int | None = 25) -> None:
        super().__init__(chip)
        self._levels: dict[int, int] = {}
        self._dc = dc
        self._reset = reset
        self.max_speed_hz = 0
        self.mode = 0

    def open(self, port: int, device: int) -> None:
        """Open the bus; every port and device leads here.

        Raises:
            ValueError: One of them is negative.
        """
        if port < 0 or device < 0:
            raise ValueError(f"port is {port}, device is {device}: allowed is 0 or more.")
        self.opened += 1

    def close(self) -> None:
        """Give a handle back."""
        self.opened -= 1

    def setup(self, pin: int, direction: int) -> None:
        """Make a pin an output.

        Raises:
            DataSheetError: The pin leads nowhere, or is made an input.
        """
        if pin not in {self._dc, self._reset} or direction != self.OUT:
            raise DataSheetError(f"GPIO {pin} is no output to the display.")
        self._levels[pin] = self.LOW

    def output(self, pin: int, level: int) -> None:
        """Set the level of an output; the reset line acts at once.

        Raises:
            DataSheetError: The pin was never made an output.
        """
        if pin not in self._levels:
            raise DataSheetError(f"GPIO {pin} is set before it is an output.")
        self._levels[pin] = level
        if pin == self._reset and level == self.LOW and self._plugged:
            self.chip.reset()

    def writebytes(self, data: Iterable[int]) -> None:
        """Clock bytes out, as commands or data after the level of the data/command line.

        Raises:
            OSError: The fault that was ordered.
            DataSheetError: A byte is not allowed, or a line is not set up.
        """
        self.transfers += 1
        payload, there = bytes(data), self._plugged
        passed, error = self._clock_out(len(payload))
        if there:
            self._take(payload[:passed])
        if error is not None:
            raise error
        if there:
            self.chip.check_whole()

    def _take(self, payload: bytes) -> None:
        if self._dc not in self._levels:
            raise DataSheetError("Bytes came while the data/command line floats.")
        if self._reset is not None and self._levels.get(self._reset) != self.HIGH:
            raise DataSheetError("Bytes came while the display is held in reset.")
        if self._levels[self._dc] == self.HIGH:
            self.chip.take_data(payload)
        else:
            self.chip.take_commands(payload)


def _os_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))
