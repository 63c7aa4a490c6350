# ruff: noqa: S311 - tests repeat their chance
import errno
import random
from collections.abc import Callable
from typing import Any

import pytest
import smbus2
from luma.core.error import DeviceNotFoundError
from luma.core.interface.serial import i2c, spi

from hardware.display.interface import Driver, PanelSettings
from hardware.display.simulated_bus import SimulatedI2cBus, SimulatedSpiBus, simulated_chip
from hardware.display.simulated_chip import DataSheetError

ERRORS = (errno.EREMOTEIO, errno.EIO, errno.ENXIO, errno.ETIMEDOUT, errno.ENODEV)
BLACK = bytes(1024)


@pytest.fixture
def bus() -> SimulatedI2cBus:
    return SimulatedI2cBus(simulated_chip(PanelSettings(), random.Random(1)))


@pytest.fixture
def wires() -> SimulatedSpiBus:
    return SimulatedSpiBus(simulated_chip(PanelSettings(), random.Random(1)))


def _prepare(command: Callable[..., None], data: Callable[[bytes], None]) -> None:
    command(0x8D, 0x14, 0xA1, 0xC8, 0x20, 0x00, 0x21, 0, 127, 0x22, 0, 7)
    data(BLACK)
    command(0xAF)


def test_lumas_smbus_blocks_are_taken(bus: SimulatedI2cBus) -> None:
    wire = i2c(bus=bus, address=0x3C)
    _prepare(wire.command, wire.data)
    wire.data(bytes(40) + b"\x01")
    assert bus.chip.picture().getbbox() == (40, 0, 41, 1)
    # 32 bytes a block, each with address and control byte
    assert bus.sent == (2 + 12) + 32 * (2 + 32) + (2 + 1) + (2 + 32) + (2 + 9)
    assert bus.transfers == 1 + 32 + 1 + 2


def test_lumas_i2c_messages_are_taken(
    bus: SimulatedI2cBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smbus2.SMBus", bus.open)
    wire = i2c(port=1, address=0x3C)
    _prepare(wire.command, wire.data)
    assert bus.sent == (2 + 12) + (2 + 1024) + (2 + 1)
    assert bus.opened == 1
    wire.cleanup()
    assert bus.opened == 0


def test_lumas_spi_is_taken(wires: SimulatedSpiBus) -> None:
    wire = spi(spi=wires, gpio=wires, gpio_DC=24, gpio_RST=25)
    _prepare(wire.command, wire.data)
    wire.data(b"\x01")
    assert wires.chip.picture().getbbox() == (0, 0, 1, 1)
    assert wires.sent == 12 + 1024 + 1 + 1


def test_control_bytes_may_stand_before_each_byte(bus: SimulatedI2cBus) -> None:
    wire = i2c(bus=bus)
    _prepare(wire.command, wire.data)
    mixed = bytes((0x80, 0x21, 0x80, 9, 0x80, 9, 0xC0, 0x01, 0x40, 0x02))
    bus.i2c_rdwr(smbus2.i2c_msg.write(0x3C, mixed))
    assert bus.chip.picture().getbbox() == (9, 0, 10, 10)


def test_a_control_byte_with_other_bits_is_refused(bus: SimulatedI2cBus) -> None:
    with pytest.raises(DataSheetError, match="41h"):
        bus.i2c_rdwr(smbus2.i2c_msg.write(0x3C, b"\x41\x00"))


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (b"", "empty"),
        (b"\x80", "Nothing follows the control byte 80h"),
        (b"\x80\xe3\xc0", "Nothing follows the control byte C0h"),
        (b"\x00\x81", "ends within the command 81h"),
        (b"\x00\xe3\x21\x00", "ends within the command 21h"),
    ],
)
def test_half_a_message_is_refused(bus: SimulatedI2cBus, message: bytes, sentence: str) -> None:
    with pytest.raises(DataSheetError, match=sentence):
        bus.i2c_rdwr(smbus2.i2c_msg.write(0x3C, message))


def test_half_a_command_is_refused_on_spi(wires: SimulatedSpiBus) -> None:
    wire = spi(spi=wires, gpio=wires, gpio_DC=24, gpio_RST=25)
    with pytest.raises(DataSheetError, match="ends within the command 81h"):
        wire.command(0x81)


def test_what_an_sh1106_does_not_have_or_do_is_refused() -> None:
    panel = PanelSettings(driver=Driver.SH1106)
    bus = SimulatedI2cBus(simulated_chip(panel, random.Random(1)))
    bus.i2c_rdwr(smbus2.i2c_msg.write(0x3C, b"\x00\x03\x18"))
    with pytest.raises(DataSheetError, match="Column 132 is set"):
        bus.i2c_rdwr(smbus2.i2c_msg.write(0x3C, b"\x00\x04"))
    bus.i2c_rdwr(smbus2.i2c_msg.write(0x3C, b"\x00\x0f\x10\xad\x8b\xaf"))
    with pytest.raises(DataSheetError, match="converter is switched while the display is on"):
        bus.i2c_rdwr(smbus2.i2c_msg.write(0x3C, b"\x00\xad\x8b"))


def test_reading_is_refused(bus: SimulatedI2cBus) -> None:
    with pytest.raises(DataSheetError, match="Reading"):
        bus.i2c_rdwr(smbus2.i2c_msg.read(0x3C, 1))


def test_another_address_does_not_answer(bus: SimulatedI2cBus) -> None:
    with pytest.raises(OSError, match="Remote I/O") as caught:
        bus.write_byte(0x3D, 0)
    assert caught.value.errno == errno.EREMOTEIO
    bus.write_byte(0x3C, 0)


def test_a_block_of_33_bytes_is_no_smbus_block(bus: SimulatedI2cBus) -> None:
    with pytest.raises(ValueError, match="33 bytes"):
        bus.write_i2c_block_data(0x3C, 0x40, [0] * 33)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("after", range(5))
def test_the_bytes_before_a_refused_one_take_effect(
    bus: SimulatedI2cBus, error: int, after: int
) -> None:
    before = bus.chip.contrast
    bus.fail(after, error)
    with pytest.raises(OSError, match=r".") as caught:
        bus.write_i2c_block_data(0x3C, 0x00, [0x81, 0x2A, 0xAF])
    assert type(caught.value) in {OSError, TimeoutError}
    assert caught.value.errno == error
    assert bus.sent == after + 1
    assert bus.chip.contrast == (0x2A if after == 4 else before)
    assert not bus.chip.on


def test_a_fault_counts_over_several_transfers_and_strikes_once(bus: SimulatedI2cBus) -> None:
    bus.fail(7)
    bus.write_i2c_block_data(0x3C, 0x00, [0x81, 0x01])
    with pytest.raises(OSError, match="Remote I/O"):
        bus.write_i2c_block_data(0x3C, 0x00, [0x81, 0x02])
    bus.write_i2c_block_data(0x3C, 0x00, [0x03])
    assert bus.chip.contrast == 3


def test_luma_maps_some_of_the_errors_only(bus: SimulatedI2cBus) -> None:
    wire = i2c(bus=bus)
    bus.fail(0, errno.EREMOTEIO)
    with pytest.raises(DeviceNotFoundError):
        wire.command(0xAE)
    bus.fail(0, errno.ENXIO)
    with pytest.raises(OSError, match="No such device or address"):
        wire.command(0xAE)
    bus.fail(0, errno.EREMOTEIO)
    with pytest.raises(OSError, match="Remote I/O"):
        wire.data([0])


def test_a_plugged_panel_is_off_with_other_memory(bus: SimulatedI2cBus) -> None:
    wire = i2c(bus=bus)
    _prepare(wire.command, wire.data)
    bus.unplug(3)
    with pytest.raises(OSError, match="Remote I/O"):
        wire.data([0xFF] * 8)
    assert not bus.plugged
    with pytest.raises(DeviceNotFoundError):
        wire.command(0xAE)
    bus.plug()
    assert not bus.chip.on
    wire.command(0x8D, 0x14, 0xAF)
    assert bus.chip.picture().getbbox() is not None


def test_spi_says_nothing_when_unplugged(wires: SimulatedSpiBus) -> None:
    wire = spi(spi=wires, gpio=wires)
    wires.unplug()
    wire.command(0xAF)
    assert not wires.chip.on


def test_spi_wants_its_lines_set_up(wires: SimulatedSpiBus) -> None:
    with pytest.raises(DataSheetError, match="floats"):
        wires.writebytes([0xAE])
    with pytest.raises(DataSheetError, match="GPIO 23"):
        wires.setup(23, wires.OUT)
    with pytest.raises(DataSheetError, match="before it is an output"):
        wires.output(24, wires.HIGH)
    wires.setup(24, wires.OUT)
    wires.setup(25, wires.OUT)
    with pytest.raises(DataSheetError, match="held in reset"):
        wires.writebytes([0xAE])


def test_the_reset_line_resets_the_chip(wires: SimulatedSpiBus) -> None:
    wire = spi(spi=wires, gpio=wires)
    wire.command(0xAF)
    assert wires.chip.on
    spi(spi=wires, gpio=wires)
    assert not wires.chip.on


def test_an_spi_fault_lets_the_bytes_before_it_pass(wires: SimulatedSpiBus) -> None:
    wire = spi(spi=wires, gpio=wires)
    wires.fail(2, errno.EIO)
    with pytest.raises(OSError, match="Input/output"):
        wire.command(0x81, 0x2A, 0xAF)
    assert wires.chip.contrast == 0x2A
    assert not wires.chip.on


def test_the_rig_leaves_no_handle_open(rig: Callable[..., Any]) -> None:
    wired = rig()
    wired.display.probe()
    assert wired.bus.opened == 1
    wired.display.close()
    assert wired.bus.opened == 0


def test_there_is_no_bus_with_a_negative_number(
    bus: SimulatedI2cBus, wires: SimulatedSpiBus
) -> None:
    for attempt in (lambda: bus.open(-1), lambda: wires.open(0, -1), lambda: wires.open(-1, 0)):
        with pytest.raises(ValueError, match="allowed is 0 or more"):
            attempt()
    assert bus.opened == wires.opened == 0
