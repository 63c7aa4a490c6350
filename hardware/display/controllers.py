"""What the four controllers must be told, and how each keeps a frame in its memory.

The set-up is written here, not taken from luma.oled: luma's names a charge pump that the SH1106 and
the SSD1309 do not have, a memory mode that the SH1106 does not have, and sends the SSD1327 eight
grey levels where its data sheet (section 10.1.17) takes fifteen, so that the next seven bytes are
swallowed. Values that the sheets leave open are luma's, which many panels in the field have proved.

Every set-up begins with as many NOPs as any command has arguments: a transfer that broke off may
have left the controller waiting for some.
"""

from abc import ABC, abstractmethod
from typing import ClassVar, Final, assert_never

from luma.oled.const import ssd1306 as code
from PIL import Image

from hardware.display.differ import Differ, Window
from hardware.display.interface import Brightness, Driver, PanelSettings

Commands = tuple[int, ...]
"""Opcodes with their arguments, as they go over the bus."""

_TURN: Final = {0: Image.Transpose.TRANSPOSE, 180: Image.Transpose.TRANSVERSE}
"""What lays the columns of a frame out as rows, by the panel's rotation."""


class Controller(ABC):
    """One kind of panel, as settings describe it.

    Args:
        panel: The settings.
    """

    ROW_LENGTH: ClassVar[int] = 128
    """Bytes in a row of the memory."""
    OVERHEAD: ClassVar[int] = 10
    """Bytes on I2C for opening a window, beside its contents: twice the address and the control
    byte, and the commands."""
    SINGLE_ROW: ClassVar[bool] = False
    """Whether a window is one row high."""
    _NOPS: ClassVar[Commands]
    _UNLOCK: ClassVar[Commands] = ()
    _ONLY_DARK: ClassVar[Commands] = ()
    """What may be sent only while the display is off, and is so after power-on anyway."""

    def __init__(self, panel: PanelSettings) -> None:
        self._panel = panel
        self.differ: Final = Differ(self.ROW_LENGTH, self.OVERHEAD, single_row=self.SINGLE_ROW)

    @property
    def whole(self) -> tuple[Window, ...]:
        """Windows for everything that the glass shows."""
        rows = self._panel.height // 8
        if self.SINGLE_ROW:
            return tuple(Window(0, self.ROW_LENGTH - 1, row, row) for row in range(rows))
        return (Window(0, self.ROW_LENGTH - 1, 0, rows - 1),)

    def pack(self, image: Image.Image) -> bytes:
        """Return a frame as the memory holds it: pages of bytes, eight pixels each, top one lowest.

        The loop over pixels is Pillow's own, in C.
        """
        columns = image.transpose(_TURN[self._panel.rotate]).tobytes("raw", "1;R")
        pages = self._panel.height // 8
        return b"".join(columns[page::pages] for page in range(pages))

    def setup(self) -> tuple[Commands, ...]:
        """Return what sets every register from any state, display off; transfer by transfer."""
        return (self._NOPS, (*self._UNLOCK, code.DISPLAYOFF, *self._ONLY_DARK, *self._registers()))

    def setup_unseen(self) -> tuple[Commands, ...]:
        """Return the same for a display that may be on and shall not blink."""
        return (self._NOPS, (*self._UNLOCK, *self._registers()))

    @abstractmethod
    def _registers(self) -> Commands:
        """Return what sets every register that `drive` and `power` do not."""

    @abstractmethod
    def drive(self, level: Brightness) -> Commands:
        """Return what sets contrast and drive voltages for FULL or DIM, or nothing for OFF."""

    @abstractmethod
    def open(self, window: Window) -> Commands:
        """Return what points the memory at a window."""

    def power(self, level: Brightness) -> Commands:
        """Return what switches the pixels on or off for a level."""
        return (code.DISPLAYOFF if level is Brightness.OFF else code.DISPLAYON,)

    def _contrast(self, level: Brightness, full: Commands, dim: Commands) -> Commands:
        # Contrast alone hardly darkens many panels: pre-charge and VCOMH go with it.
        match level:
            case Brightness.FULL:
                return (code.SETCONTRAST, self._panel.contrast_full, *full)
            case Brightness.DIM:
                return (code.SETCONTRAST, self._panel.contrast_dim, *dim)
            case Brightness.OFF:
                return ()
            case _:
                assert_never(level)


class Ssd1306(Controller):
    """128 columns, horizontal addressing mode, windows of pages."""

    _NOPS = (0xE3,) * 7
    _SUPPLY: ClassVar[Commands] = (code.CHARGEPUMP, 0x14)
    _VCOMH: ClassVar[int] = 0x40

    def _registers(self) -> Commands:
        """Return the set-up: data sheet section 8.9 with luma's clock, and scrolling off."""
        return (
            *(*self._SUPPLY, code.SETDISPLAYCLOCKDIV, 0x80),
            *(code.SETMULTIPLEX, self._panel.height - 1, code.SETDISPLAYOFFSET, 0x00),
            *(code.SETSTARTLINE, code.MEMORYMODE, 0x00, code.SETSEGMENTREMAP),
            *(code.COMSCANDEC, code.SETCOMPINS, self._com_pins(), _STOP_SCROLL),
            *(code.DISPLAYALLON_RESUME, code.NORMALDISPLAY),
        )

    def drive(self, level: Brightness) -> Commands:
        """Return contrast, pre-charge and VCOMH of a level."""
        full = (code.SETPRECHARGE, 0xF1, code.SETVCOMDETECT, self._VCOMH)
        return self._contrast(level, full, (code.SETPRECHARGE, 0x1F, code.SETVCOMDETECT, 0x00))

    def open(self, window: Window) -> Commands:
        """Return the column and page addresses; both, so that a disturbed one heals."""
        first = self._panel.first_column
        return (
            *(code.COLUMNADDR, window.left + first, window.right + first),
            *(code.PAGEADDR, window.top, window.bottom),
        )

    def _com_pins(self) -> int:
        # 64 lines come from both sides of the chip in turn, 32 from one (section 10.1.18).
        return 0x12 if self._panel.height == 64 else 0x02  # noqa: PLR2004 - lines of the glass


class Ssd1309(Ssd1306):
    """The SSD1306 with a command lock, without a charge pump, and with levels of VCOMH its own."""

    _UNLOCK = (0xFD, 0x12)
    _SUPPLY = ()
    _VCOMH: ClassVar[int] = 0x3C


class Sh1106(Controller):
    """132 columns, page addressing only."""

    OVERHEAD = 7
    SINGLE_ROW = True
    _NOPS = (0xE3,) * 2
    _ONLY_DARK = (0xAD, 0x8B)

    def _registers(self) -> Commands:
        """Return the set-up: data sheet section "Commands", luma's clock, rows and offset."""
        rows, offset = (0x3F, 0x00) if self._panel.height == 64 else (0x20, 0x0F)  # noqa: PLR2004 - lines of the glass
        return (
            *(code.SETDISPLAYCLOCKDIV, 0xF0),
            *(code.SETMULTIPLEX, rows, code.SETDISPLAYOFFSET, offset, code.SETSTARTLINE),
            *(code.SETSEGMENTREMAP, code.COMSCANDEC, code.SETCOMPINS, 0x12),
            *(code.DISPLAYALLON_RESUME, code.NORMALDISPLAY),
        )

    def drive(self, level: Brightness) -> Commands:
        """Return contrast, pre-charge and VCOMH of a level."""
        full = (code.SETPRECHARGE, 0x22, code.SETVCOMDETECT, 0x20)
        return self._contrast(level, full, (code.SETPRECHARGE, 0x1F, code.SETVCOMDETECT, 0x00))

    def open(self, window: Window) -> Commands:
        """Return the page and the two halves of the first column."""
        column = window.left + self._panel.first_column
        low, high = column & 0x0F, column >> 4
        return (_PAGE | window.top, code.SETLOWCOLUMN | low, code.SETHIGHCOLUMN | high)


class Ssd1327(Controller):
    """128×128 pixels of four bits; a lower frame sits in the middle, black above and below."""

    ROW_LENGTH = 64
    _LINES: ClassVar[int] = 128
    _NOPS = (0x84,) * 15
    _UNLOCK = (0xFD, 0x12)

    @property
    def whole(self) -> tuple[Window, ...]:
        """Windows for everything that the glass shows."""
        return (Window(0, self.ROW_LENGTH - 1, 0, self._LINES - 1),)

    def pack(self, image: Image.Image) -> bytes:
        """Return a frame as the memory holds it: two pixels a byte, the left one on top."""
        glass = Image.new("1", (self._panel.width, self._LINES))
        glass.paste(image, (0, (self._LINES - self._panel.height) // 2))
        if self._panel.rotate:
            glass = glass.transpose(Image.Transpose.ROTATE_180)
        return glass.convert("P").tobytes("raw", "P;4")

    def _registers(self) -> Commands:
        """Return the set-up: data sheet section 10.1, luma's clock and pre-charge."""
        return (
            *(0xA0, 0x51, 0xA1, 0x00, 0xA2, 0x00),
            *(0xA4, code.SETMULTIPLEX, self._LINES - 1, 0xB9, 0xB3, 0x00, 0xAB, 0x01),
            *(0xD5, 0x62, 0xB6, 0x0F, _STOP_SCROLL),
        )

    def drive(self, level: Brightness) -> Commands:
        """Return contrast, phase lengths, pre-charge voltage and VCOMH of a level."""
        full, dim = (0xB1, 0xF1, 0xBC, 0x08, 0xBE, 0x07), (0xB1, 0x1F, 0xBC, 0x00, 0xBE, 0x00)
        return self._contrast(level, full, dim)

    def open(self, window: Window) -> Commands:
        """Return the column and row addresses; both, so that a disturbed one heals."""
        return (0x15, window.left, window.right, 0x75, window.top, window.bottom)


_STOP_SCROLL: Final = 0x2E
_PAGE: Final = 0xB0


def controller(panel: PanelSettings) -> Controller:
    """Return the controller that settings name."""
    match panel.driver:
        case Driver.SSD1306:
            return Ssd1306(panel)
        case Driver.SH1106:
            return Sh1106(panel)
        case Driver.SSD1309:
            return Ssd1309(panel)
        case Driver.SSD1327:
            return Ssd1327(panel)
        case _:
            assert_never(panel.driver)
