"""Builds the display that the configuration names; its libraries are imported then, not before."""

import random
from collections.abc import Callable
from typing import Any, assert_never

from PIL import Image, ImageDraw

from hardware.display.interface import Backend, Bus, DisplayError, Panel, PanelSettings
from hardware.errors import HardwareError


def open_display(
    panel: PanelSettings,
    backend: Backend = Backend.PANEL,
    *,
    pin_factory: Callable[[], Any] | None = None,
) -> Panel:
    """Build a display; the panel itself may be absent and is sought later.

    Args:
        panel: What it is, or for MEMORY what size it is.
        backend: Where frames go.
        pin_factory: Gives the `gpiozero.Factory` for the lines of an SPI panel, or raises a
            HardwareError while there is none; asked anew at each attempt.

    Raises:
        DisplayError: A library is missing; the sentence says what to install.
    """
    match backend:
        case Backend.MEMORY:
            return _memory(panel)
        case Backend.PANEL:
            return _wired(panel, pin_factory)
        case Backend.SIMULATED:
            return _simulated(panel)
        case _:
            assert_never(backend)


def test_pattern(size: tuple[int, int]) -> Image.Image:
    """Return a frame that shows a wrong size, offset or rotation at a glance.

    A border one pixel wide must be whole on all four sides; the filled square belongs in the upper
    left corner, the diagonal ends in the lower right one.

    Args:
        size: Width and height, in pixels.
    """
    width, height = size
    image = Image.new("1", size)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width - 1, height - 1), outline=1)
    draw.rectangle((3, 3, 10, 10), fill=1)
    draw.line((13, 13, width - 4, height - 4), fill=1)
    return image


def _memory(panel: PanelSettings) -> Panel:
    from hardware.display import memory  # noqa: PLC0415 - late, as promised

    return memory.MemoryDisplay(panel.size)


def _wired(panel: PanelSettings, pin_factory: Callable[[], Any] | None) -> Panel:
    from hardware.display import transport, wire  # noqa: PLC0415 - late, as promised

    transport.require(panel.bus)
    if panel.bus is Bus.I2C:
        return wire.WireDisplay(panel, lambda: transport.open_i2c(panel))

    def opener() -> transport.Transport:
        try:
            pins = pin_factory and pin_factory()
        except HardwareError as error:
            raise DisplayError(str(error)) from error
        return transport.open_spi(panel, pin_factory=pins)

    return wire.WireDisplay(panel, opener)


def _simulated(panel: PanelSettings) -> Panel:
    from hardware.display import simulated_bus, transport, wire  # noqa: PLC0415 - late, as promised

    chip = simulated_bus.simulated_chip(panel, random.Random(0))  # noqa: S311 - memory at power-on
    bus = simulated_bus.SimulatedI2cBus(chip, panel.address)
    return wire.WireDisplay(panel, lambda: transport.open_i2c(panel, bus.open))
