"""The SSD1306, SSD1309 and SH1106 as their data sheets describe them, down to the lit pixel.

Sources: Solomon Systech SSD1306 rev 1.1 and SSD1309 rev 1.1, sections 8 to 10; Sino Wealth SH1106
V2.3, section "Commands". Memory is eight pages of bytes; a byte is eight pixels, the lowest bit on
top.
"""

import random
from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Final

from PIL import Image

from hardware.display.simulated_chip import (
    ANY,
    PHASES,
    Code,
    Command,
    DataSheetError,
    SimulatedChip,
)

PAGES: Final = 8
ROWS: Final = 64

HORIZONTAL: Final = 0
VERTICAL: Final = 1
PAGE: Final = 2
"""Values of the SSD1306's memory addressing mode, 20h."""

_BIT: Final = tuple(bytes(255 if value >> bit & 1 else 0 for value in ANY) for bit in range(8))
"""For each bit, what turns a page of bytes into a row of grey levels."""

_FLIP: Final = bytes(255 - value for value in ANY)


_TOGGLE: Final = Command(reset=(0,), spread=range(2))
"""Off at the first opcode, on at the next; off after a reset."""


class _Monochrome(SimulatedChip):
    """Pages of bytes on a 64-line scan; how they are addressed differs."""

    COLUMNS: ClassVar[int]
    """Columns of the memory."""
    NOP = Code.NOP

    def _fill(self, chance: random.Random) -> None:
        self._memory = [bytearray(chance.randbytes(self.COLUMNS)) for _ in range(PAGES)]

    @abstractmethod
    def _powered(self) -> bool:
        """Tell whether the pixels have their voltage."""

    def _by_segment(self, page: bytearray) -> bytearray:
        """Return a row of the memory in the order of the segment outputs."""
        return page

    def _lit(self) -> Image.Image:
        glass = self.glass
        picture = b"".join(self._line(y) for y in range(glass.height))
        return Image.frombytes("L", (glass.width, glass.height), picture).convert("1")

    def _line(self, y: int) -> bytes:
        """Return line y of the glass as grey levels, 0 or 255."""
        pins = self.registers[Code.COM_PINS][0]
        signal = self._signal(
            y, half=ROWS // 2, interleaved=bool(pins & 0x10), swapped=bool(pins & 0x20)
        )
        row = self._row(
            signal,
            rows=ROWS,
            multiplex=self.registers[Code.MULTIPLEX][0] + 1,
            offset=self.registers[Code.OFFSET][0],
            reverse=bool(self.registers[Code.SCAN][0] & 8),
        )
        if row is None or not self._powered():
            return bytes(self.glass.width)
        return self._levels((row + self.registers[Code.START_LINE][0]) % ROWS)

    def _levels(self, row: int) -> bytes:
        if self.registers[Code.ALL_ON][0]:
            return b"\xff" * self.glass.width
        outputs = self._by_segment(self._memory[row // 8].translate(_BIT[row % 8]))
        end = self.glass.segment + 1
        levels = bytes(outputs[end - self.glass.width : end][::-1])
        return levels.translate(_FLIP) if self.registers[Code.INVERSE][0] else levels


class SimulatedSsd1306(_Monochrome):
    """128 columns; three addressing modes, windows and wrap-around; an own charge pump."""

    COLUMNS = 128
    COMMANDS: ClassVar[Mapping[Code, Command]] = {
        Code.LOWER_COLUMN: Command(reset=(0,), spread=range(16)),
        Code.HIGHER_COLUMN: Command(reset=(0,), spread=range(8)),
        Code.MEMORY_MODE: Command((range(3),), reset=(PAGE,)),
        Code.COLUMNS: Command((range(128), range(128)), reset=(0, 127)),
        Code.PAGES: Command((range(8), range(8)), reset=(0, 7)),
        Code.STOP_SCROLL: Command(),
        Code.START_LINE: Command(reset=(0,), spread=range(64)),
        Code.CONTRAST: Command((ANY,), reset=(0x7F,)),
        Code.CHARGE_PUMP: Command((frozenset({0x10, 0x14}),), reset=(0x10,)),
        Code.SEGMENT_REMAP: _TOGGLE,
        Code.ALL_ON: _TOGGLE,
        Code.INVERSE: _TOGGLE,
        Code.MULTIPLEX: Command((range(15, 64),), reset=(63,)),
        Code.POWER: _TOGGLE,
        Code.PAGE: Command(reset=(0,), spread=range(8)),
        Code.SCAN: Command(reset=(0,), spread=range(0, 16, 8)),
        Code.OFFSET: Command((range(64),), reset=(0,)),
        Code.CLOCK: Command((ANY,), reset=(0x80,)),
        Code.PRE_CHARGE: Command((PHASES,), reset=(0x22,)),
        Code.COM_PINS: Command((frozenset({0x02, 0x12, 0x22, 0x32}),), reset=(0x12,)),
        Code.VCOMH: Command((range(0x00, 0x80, 0x10),), reset=(0x20,)),
        Code.NOP: Command(),
    }
    UNSIMULATED = frozenset({0x26, 0x27, 0x29, 0x2A, 0x2F, 0xA3})

    def reset(self) -> None:
        """Obey the reset line: registers and pointers as after power-on; the memory stays."""
        super().reset()
        self._column = self._page = 0

    def _powered(self) -> bool:
        return self.registers[Code.CHARGE_PUMP] == (0x14,)

    def _obey(self, code: Code, arguments: tuple[int, ...]) -> None:
        # Sections 10.1.1-10.1.3 and 10.1.13: the column's two halves and the page count in page
        # addressing mode, the windows in the other two.
        page_mode = self.registers[Code.MEMORY_MODE] == (PAGE,)
        match code:
            case Code.COLUMNS | Code.PAGES if arguments[0] > arguments[1]:
                raise DataSheetError(
                    f"The command {code:02X}h starts at {arguments[0]} and ends at {arguments[1]}."
                )
            case Code.LOWER_COLUMN | Code.HIGHER_COLUMN if page_mode:
                self._column = self._first_column()
            case Code.PAGE if page_mode:
                self._page = arguments[0]
            case Code.COLUMNS if not page_mode:
                self._column = arguments[0]
            case Code.PAGES if not page_mode:
                self._page = arguments[0]
            case _:
                pass

    def _first_column(self) -> int:
        return self.registers[Code.HIGHER_COLUMN][0] << 4 | self.registers[Code.LOWER_COLUMN][0]

    def _write(self, data: bytes) -> None:
        if self.registers[Code.MEMORY_MODE] == (VERTICAL,):
            for byte in data:
                self._put(bytes((byte,)))
                self._step_down()
            return
        while data:
            first, last = self._columns()
            room = max(last - self._column + 1, 1)
            self._put(data[:room])
            self._step_across(min(room, len(data)), first, last)
            data = data[room:]

    def _columns(self) -> tuple[int, int]:
        if self.registers[Code.MEMORY_MODE] == (PAGE,):
            return self._first_column(), 127
        first, last = self.registers[Code.COLUMNS]
        return first, last

    def _put(self, run: bytes) -> None:
        # Section 10.1.8: the segment re-map turns what is written from now on, not what is there.
        page, left = self._memory[self._page], self._column
        if self.registers[Code.SEGMENT_REMAP][0]:
            right = self.COLUMNS - left
            page[right - len(run) : right] = run[::-1]
        else:
            page[left : left + len(run)] = run

    def _step_across(self, count: int, first: int, last: int) -> None:
        if self._column + count <= last:
            self._column += count
            return
        self._column = first
        if self.registers[Code.MEMORY_MODE] == (HORIZONTAL,):
            self._next_page()

    def _step_down(self) -> None:
        if self._page == self.registers[Code.PAGES][1]:
            first, last = self.registers[Code.COLUMNS]
            self._column = first if self._column == last else (self._column + 1) % self.COLUMNS
        self._next_page()

    def _next_page(self) -> None:
        first, last = self.registers[Code.PAGES]
        self._page = first if self._page == last else (self._page + 1) % PAGES


_SHARED: Final = SimulatedSsd1306.COMMANDS.keys() - {Code.CHARGE_PUMP}


class SimulatedSsd1309(SimulatedSsd1306):
    """The SSD1306 without its charge pump, with a command lock and finer VCOMH levels."""

    COMMANDS: ClassVar[Mapping[Code, Command]] = {
        **{code: SimulatedSsd1306.COMMANDS[code] for code in _SHARED},
        Code.CLOCK: Command((ANY,), reset=(0x70,)),
        Code.VCOMH: Command((range(0x00, 0x40, 0x04),), reset=(0x34,)),
        Code.GPIO: Command((range(4),), reset=(2,)),
        Code.LOCK: Command((frozenset({0x12, 0x16}),), reset=(0x12,)),
    }
    UNSIMULATED = SimulatedSsd1306.UNSIMULATED | {0x2C, 0x2D}

    def take_commands(self, codes: bytes) -> None:
        """Obey opcodes and their arguments; while locked, only the unlocking pair.

        Raises:
            DataSheetError: The sheet knows no such command or allows no such argument, or a
                command came while the chip was locked.
        """
        for code in codes:
            locked = self.registers[Code.LOCK] == (0x16,)
            if locked and self._pending is None and code != Code.LOCK:
                raise DataSheetError(f"The command {code:02X}h came while the chip is locked.")
            super().take_commands(bytes((code,)))

    def _powered(self) -> bool:
        return True


class SimulatedSh1106(_Monochrome):
    """132 columns, page addressing only: no window, no wrap-around, own converter on at reset."""

    COLUMNS = 132
    COMMANDS: ClassVar[Mapping[Code, Command]] = {
        Code.LOWER_COLUMN: Command(reset=(0,), spread=range(16)),
        Code.HIGHER_COLUMN: Command(reset=(0,), spread=range(16)),
        Code.PUMP_VOLTAGE: Command(reset=(2,), spread=range(4)),
        Code.START_LINE: Command(reset=(0,), spread=range(64)),
        Code.CONTRAST: Command((ANY,), reset=(0x80,)),
        Code.SEGMENT_REMAP: _TOGGLE,
        Code.ALL_ON: _TOGGLE,
        Code.INVERSE: _TOGGLE,
        Code.MULTIPLEX: Command((range(64),), reset=(63,)),
        Code.CONVERTER: Command((frozenset({0x8A, 0x8B}),), reset=(0x8B,)),
        Code.POWER: _TOGGLE,
        Code.PAGE: Command(reset=(0,), spread=range(8)),
        Code.SCAN: Command(reset=(0,), spread=range(16)),
        Code.OFFSET: Command((range(64),), reset=(0,)),
        Code.CLOCK: Command((ANY,), reset=(0x50,)),
        Code.PRE_CHARGE: Command((PHASES,), reset=(0x22,)),
        Code.COM_PINS: Command((frozenset({0x02, 0x12}),), reset=(0x12,)),
        Code.VCOMH: Command((ANY,), reset=(0x35,)),
        Code.NOP: Command(),
    }

    def reset(self) -> None:
        """Obey the reset line: registers and pointers as after power-on; the memory stays."""
        super().reset()
        self._column = 0
        self._moved = False

    def _powered(self) -> bool:
        return self.registers[Code.CONVERTER] == (0x8B,)

    def _by_segment(self, page: bytearray) -> bytearray:
        return page[::-1] if self.registers[Code.SEGMENT_REMAP][0] else page

    def take_commands(self, codes: bytes) -> None:
        """Obey opcodes and their arguments; see `SimulatedChip.take_commands`."""
        self._moved = False
        super().take_commands(codes)

    def check_whole(self) -> None:
        """Refuse half a command, and a column that the memory does not have."""
        super().check_whole()
        # Between its two halves a column may be any, so also where a transfer broke off.
        if self._moved and (column := self._commanded_column()) >= self.COLUMNS:
            raise DataSheetError(f"Column {column} is set, the last one is 131.")

    def _commanded_column(self) -> int:
        return self.registers[Code.HIGHER_COLUMN][0] << 4 | self.registers[Code.LOWER_COLUMN][0]

    def _obey(self, code: Code, _arguments: tuple[int, ...]) -> None:
        if code in {Code.LOWER_COLUMN, Code.HIGHER_COLUMN}:
            self._column = self._commanded_column()
            self._moved = True
        elif code is Code.CONVERTER and self.on:
            # "The panel display must be off while issuing this command."
            raise DataSheetError("The converter is switched while the display is on.")

    def _write(self, data: bytes) -> None:
        # Section "Display Data RAM": the counter stops behind column 131, the page never moves.
        end = self._column + len(data)
        if end > self.COLUMNS:
            raise DataSheetError(f"Data reaches column {end - 1}, the last one is 131.")
        page = self._memory[self.registers[Code.PAGE][0]]
        page[self._column : end] = data
        self._column = end
