"""What a display is to the rest of the station, and the settings that describe a panel."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol

from hardware.errors import HardwareError

if TYPE_CHECKING:
    # Settings are read without a library that draws.
    from PIL import Image


class DisplayError(HardwareError):
    """A display is missing, lost or misused; the message is one sentence."""


class FrameError(DisplayError, ValueError):
    """A frame has the wrong mode or size for the display it was given to."""


class PanelSettingsError(DisplayError, ValueError):
    """A panel's settings name something that no such panel has."""

    def __init__(self, field: str, value: object, allowed: str) -> None:
        """Name the field, the value it had and what is allowed there."""
        super().__init__(f"{field} is {value!r}: allowed is {allowed}.")
        self.field: Final = field
        """Name of the attribute of `PanelSettings` that is at fault."""


class Brightness(StrEnum):
    """How bright a display is: in use, idle, or dark."""

    FULL = "full"
    DIM = "dim"
    OFF = "off"


class Driver(StrEnum):
    """The controller chip on a panel."""

    SSD1306 = "ssd1306"
    SH1106 = "sh1106"
    SSD1309 = "ssd1309"
    SSD1327 = "ssd1327"


class Bus(StrEnum):
    """The wires between the computer and a panel."""

    I2C = "i2c"
    SPI = "spi"


class Backend(StrEnum):
    """Where frames go."""

    PANEL = "panel"
    """A panel at the end of a bus."""
    MEMORY = "memory"
    """A frame in memory: the desktop."""
    SIMULATED = "simulated"
    """A simulated panel that decodes the bytes a real one would get."""


class Display(Protocol):
    """Something that shows one frame at a time."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a frame, in pixels."""

    def show(self, image: "Image.Image") -> None:
        """Show a frame; the image stays the caller's and may change afterwards.

        Args:
            image: Mode "1", exactly `size`; a set pixel is lit.

        Raises:
            FrameError: The image has another mode or size.
            DisplayError: The frame did not reach the display.
            OSError: Likewise, as the kernel says it.
        """

    def dim(self, level: Brightness) -> None:
        """Set the brightness; the frame stays, also through OFF.

        Raises:
            DisplayError: The command did not reach the display.
            OSError: Likewise, as the kernel says it.
        """

    def close(self) -> None:
        """Go dark and give everything back; never raises, may be called twice."""


class Panel(Display, Protocol):
    """A display that can be lost, found again and set up from nothing."""

    def probe(self) -> None:
        """Ask for a sign of life, at the cost of one byte after the address.

        A bus that cannot answer (SPI) passes as soon as it can be opened.

        Raises:
            DisplayError: Nothing answered, or the bus cannot be opened.
            OSError: Likewise, as the kernel says it.
        """

    def refresh(self) -> None:
        """Repeat set-up and frame; a panel that kept its power shows no difference.

        Raises:
            DisplayError: It did not reach the display.
            OSError: Likewise, as the kernel says it.
        """

    def start(self, image: "Image.Image", level: Brightness) -> None:
        """Set everything up from an unknown state: registers, brightness, the whole frame.

        Raises:
            FrameError: The image has another mode or size.
            DisplayError: It did not reach the display.
            OSError: Likewise, as the kernel says it.
        """


SIZES: Final[dict[Driver, tuple[tuple[int, int], ...]]] = {
    Driver.SSD1306: ((128, 64), (128, 32)),
    Driver.SH1106: ((128, 64), (128, 32)),
    Driver.SSD1309: ((128, 64), (128, 32)),
    Driver.SSD1327: ((128, 128), (128, 64), (128, 32)),
}
"""Frames each driver can show. An SSD1327 panel has 128 lines; a lower frame sits in the middle."""

SPARE_COLUMNS: Final[dict[Driver, int]] = {
    Driver.SSD1306: 0,
    Driver.SH1106: 4,
    Driver.SSD1309: 0,
    Driver.SSD1327: 0,
}
"""Columns that a controller's memory has beyond the 128 of the glass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelSettings:
    """One panel and how it is wired; the defaults are the usual 128×64 SSD1306 on I2C-1."""

    driver: Driver = Driver.SSD1306
    """The controller chip."""
    width: int = 128
    """Pixels across."""
    height: int = 64
    """Pixels down."""
    bus: Bus = Bus.I2C
    """Which of the two groups of settings below counts."""
    i2c_port: int = 1
    """Number n of /dev/i2c-n, 0–255."""
    address: int = 0x3C
    """I2C address, 0x3C or 0x3D on nearly every panel, 0x08–0x77."""
    spi_port: int = 0
    """Number m of /dev/spidevm.n, 0–255."""
    spi_device: int = 0
    """Number n of /dev/spidevm.n (the chip select), 0–255."""
    dc: int = 24
    """GPIO (BCM number, 1–27) of the data/command line; SPI only."""
    reset: int | None = 25
    """GPIO (BCM number, 1–27) of the reset line; None where it is not wired; SPI only."""
    column_offset: int | None = None
    """First memory column on the glass; None takes the driver's usual one (sh1106 2, others 0)."""
    rotate: int = 0
    """0, or 180 for a panel mounted upside down; degrees."""
    contrast_full: int = 0xCF
    """Contrast in use, 0–255."""
    contrast_dim: int = 0x10
    """Contrast when idle, 0–255 and not above `contrast_full`."""

    def __post_init__(self) -> None:
        """Check every field against the others.

        Raises:
            PanelSettingsError: A field has a value that the panel cannot have.
        """
        _check_names(self)
        _check_numbers(self)
        if self.bus is Bus.SPI and self.dc == self.reset:
            raise PanelSettingsError("reset", self.reset, "a GPIO other than dc, or none")

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a frame, in pixels."""
        return self.width, self.height

    @property
    def first_column(self) -> int:
        """The memory column that lies at the left edge of the glass."""
        if self.column_offset is not None:
            return self.column_offset
        return SPARE_COLUMNS[self.driver] // 2


def check_frame(image: "Image.Image", size: tuple[int, int]) -> None:
    """Refuse an image that is no frame for a display of this size.

    Args:
        image: What was given.
        size: Width and height that the display has, in pixels.

    Raises:
        FrameError: The image's mode is not "1" or its size is another.
    """
    if image.mode != "1":
        raise FrameError(f"A frame has mode {image.mode!r}: only '1' (one bit a pixel) is shown.")
    if image.size != size:
        given, wanted = ("×".join(map(str, pair)) for pair in (image.size, size))
        raise FrameError(f"A frame has {given} pixels: the display has {wanted}.")


def _check_names(panel: PanelSettings) -> None:
    if not isinstance(panel.driver, Driver):
        raise PanelSettingsError("driver", panel.driver, _listed(Driver))
    if not isinstance(panel.bus, Bus):
        raise PanelSettingsError("bus", panel.bus, _listed(Bus))
    sizes = SIZES[panel.driver]
    if panel.size not in sizes:
        known = " or ".join(f"{width}×{height}" for width, height in sizes)
        raise PanelSettingsError("size", panel.size, f"{known} with the driver {panel.driver}")
    if panel.rotate not in {0, 180}:
        raise PanelSettingsError("rotate", panel.rotate, "0 or 180")


def _check_numbers(panel: PanelSettings) -> None:
    spare = SPARE_COLUMNS[panel.driver]
    ranges = (
        ("i2c_port", panel.i2c_port, 0, 255),
        ("address", panel.address, 0x08, 0x77),
        ("spi_port", panel.spi_port, 0, 255),
        ("spi_device", panel.spi_device, 0, 255),
        ("dc", panel.dc, 1, 27),
        ("reset", 1 if panel.reset is None else panel.reset, 1, 27),
        ("contrast_full", panel.contrast_full, 0, 255),
        ("contrast_dim", panel.contrast_dim, 0, panel.contrast_full),
    )
    for field, value, low, high in ranges:
        if not _is_whole(value, low, high):
            raise PanelSettingsError(field, value, f"a whole number from {low} to {high}")
    if not _is_whole(panel.first_column, 0, spare):
        span = f"a whole number from 0 to {spare}" if spare else "0, or none,"
        allowed = f"{span} with the driver {panel.driver}"
        raise PanelSettingsError("column_offset", panel.column_offset, allowed)


def _is_whole(value: object, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _listed(names: type[StrEnum]) -> str:
    return " or ".join(names)
