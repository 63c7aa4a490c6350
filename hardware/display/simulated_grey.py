"""The SSD1327 as its data sheet describes it, down to the grey level of a pixel.

Source: Solomon Systech SSD1327 rev 1.1, sections 8 to 10. Memory is 128 rows of 64 bytes; a byte
is two pixels of four bits.
"""

import random
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

ROWS: Final = 128
COLUMNS: Final = 64
"""Bytes in a row, which is what the sheet calls columns."""

_REMAPS: Final = frozenset(value for value in range(128) if not value & 0x28)
"""Bits 3, 5 and 7 of the re-map register must be 0."""

_SWAP: Final = bytes((value << 4 | value >> 4) & 0xFF for value in ANY)
_LOWER: Final = bytes(value & 0x0F for value in ANY)
_UPPER: Final = bytes(value >> 4 for value in ANY)
_INVERSE: Final = bytes(0x0F - (value & 0x0F) for value in ANY)
_LIT: Final = bytes([0] + [255] * 255)


class SimulatedSsd1327(SimulatedChip):
    """128×128 pixels of 16 grey levels in windows of bytes."""

    NOP = Code.GREY_NOP
    COMMANDS: ClassVar[Mapping[Code, Command]] = {
        Code.GREY_COLUMNS: Command((range(COLUMNS),) * 2, reset=(0, COLUMNS - 1)),
        Code.STOP_SCROLL: Command(),
        Code.GREY_ROWS: Command((range(ROWS),) * 2, reset=(0, ROWS - 1)),
        Code.CONTRAST: Command((ANY,), reset=(0x7F,)),
        Code.GREY_NOP: Command(spread=range(3)),
        Code.GREY_REMAP: Command((_REMAPS,), reset=(0x00,)),
        Code.GREY_START_LINE: Command((range(ROWS),), reset=(0,)),
        Code.GREY_OFFSET: Command((range(ROWS),), reset=(0,)),
        Code.GREY_MODE: Command(reset=(0,), spread=range(4)),
        Code.MULTIPLEX: Command((range(15, ROWS),), reset=(ROWS - 1,)),
        Code.GREY_REGULATOR: Command((range(2),), reset=(1,)),
        Code.POWER: Command(reset=(0,), spread=range(2)),
        Code.GREY_PHASES: Command((PHASES,), reset=(0x82,)),
        Code.GREY_NOP_TOO: Command(),
        Code.GREY_CLOCK: Command((ANY,), reset=(0x00,)),
        Code.GREY_GPIO: Command((range(4),), reset=(2,)),
        Code.GREY_SECOND_PRE_CHARGE: Command((range(16),), reset=(4,)),
        Code.GREY_LEVELS: Command((range(64),) * 15),
        Code.GREY_LINEAR: Command(),
        Code.GREY_NOP_AS_WELL: Command(),
        Code.GREY_PRE_CHARGE_VOLTAGE: Command((range(16),), reset=(5,)),
        Code.GREY_VCOMH: Command((range(8),), reset=(5,)),
        Code.GREY_FUNCTION_B: Command((range(0x60, 0x64),), reset=(0x60,)),
        Code.LOCK: Command((frozenset({0x12, 0x16}),), reset=(0x12,)),
    }
    UNSIMULATED = frozenset({0x26, 0x27, 0x2F})

    def reset(self) -> None:
        """Obey the reset line: registers and pointers as after power-on; the memory stays."""
        super().reset()
        self._column = self._row_pointer = 0

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

    def grey(self) -> Image.Image:
        """Return the grey levels a person sees, 0–15, mode "L", the size of the glass."""
        levels = b"".join(self._line(y) for y in range(self.glass.height))
        return Image.frombytes("L", (self.glass.width, self.glass.height), levels)

    def _lit(self) -> Image.Image:
        return self.grey().point(_LIT).convert("1")

    def _fill(self, chance: random.Random) -> None:
        self._memory = [bytearray(chance.randbytes(COLUMNS)) for _ in range(ROWS)]

    def _obey(self, code: Code, arguments: tuple[int, ...]) -> None:
        match code:
            case Code.GREY_COLUMNS | Code.GREY_ROWS if arguments[0] > arguments[1]:
                raise DataSheetError(
                    f"The command {code:02X}h starts at {arguments[0]} and ends at {arguments[1]}."
                )
            case Code.GREY_COLUMNS:
                self._column = arguments[0]
            case Code.GREY_ROWS:
                self._row_pointer = arguments[0]
            case _:
                pass

    def _write(self, data: bytes) -> None:
        if self.registers[Code.GREY_REMAP][0] & 0x04:
            for byte in data:
                self._put(bytes((byte,)))
                self._step_down()
            return
        while data:
            room = self.registers[Code.GREY_COLUMNS][1] - self._column + 1
            self._put(data[:room])
            self._step_across(min(room, len(data)))
            data = data[room:]

    def _put(self, run: bytes) -> None:
        remap, left = self.registers[Code.GREY_REMAP][0], self._column
        if remap & 0x02:
            run = run.translate(_SWAP)
        row = self._memory[self._row_pointer]
        if remap & 0x01:
            # The sheet's figure of the re-mapped columns mirrors the bytes, not their halves.
            right = COLUMNS - left
            row[right - len(run) : right] = run[::-1]
        else:
            row[left : left + len(run)] = run

    def _step_across(self, count: int) -> None:
        first, last = self.registers[Code.GREY_COLUMNS]
        if self._column + count <= last:
            self._column += count
            return
        self._column = first
        self._next_row()

    def _step_down(self) -> None:
        if self._row_pointer == self.registers[Code.GREY_ROWS][1]:
            first, last = self.registers[Code.GREY_COLUMNS]
            self._column = first if self._column == last else self._column + 1
        self._next_row()

    def _next_row(self) -> None:
        first, last = self.registers[Code.GREY_ROWS]
        self._row_pointer = first if self._row_pointer == last else self._row_pointer + 1

    def _line(self, y: int) -> bytes:
        """Return line y of the glass as levels 0–15."""
        remap = self.registers[Code.GREY_REMAP][0]
        signal = self._signal(y, half=ROWS // 2, interleaved=bool(remap & 0x40), swapped=False)
        row = self._row(
            signal,
            rows=ROWS,
            multiplex=self.registers[Code.MULTIPLEX][0] + 1,
            offset=self.registers[Code.GREY_OFFSET][0],
            reverse=bool(remap & 0x10),
        )
        if row is None:
            return bytes(self.glass.width)
        return self._levels((row + self.registers[Code.GREY_START_LINE][0]) % ROWS)

    def _levels(self, row: int) -> bytes:
        memory, mode = self._memory[row], self.registers[Code.GREY_MODE][0]
        if mode in {1, 2}:
            return bytes((0x0F if mode == 1 else 0x00,)) * self.glass.width
        # Section 8.8: segment 2n shows the lower half of byte n, segment 2n + 1 the upper half.
        outputs = bytearray(2 * COLUMNS)
        outputs[0::2], outputs[1::2] = memory.translate(_LOWER), memory.translate(_UPPER)
        end = self.glass.segment + 1
        levels = bytes(outputs[end - self.glass.width : end][::-1])
        return levels.translate(_INVERSE) if mode else levels
