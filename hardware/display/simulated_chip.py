"""What all simulated display controllers share: commands, arguments, registers, refusals.

A controller is described by the table of its data sheet. Bytes that the sheet does not allow raise
`DataSheetError`, so that a driver which works here says nothing that a real chip need not know.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Container, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, Final

from PIL import Image

from hardware.errors import HardwareError

ANY: Final = range(256)
"""Every value of an argument."""

PHASES: Final = frozenset(byte for byte in ANY if byte & 0x0F and byte >> 4)
"""Two phase lengths of 1–15 clocks; 0 is invalid on every controller's sheet."""


class Code(IntEnum):
    """First opcode of each command, as the sheets number them; the greys' own are last."""

    LOWER_COLUMN = 0x00
    HIGHER_COLUMN = 0x10
    MEMORY_MODE = 0x20
    COLUMNS = 0x21
    PAGES = 0x22
    STOP_SCROLL = 0x2E
    PUMP_VOLTAGE = 0x30
    START_LINE = 0x40
    CONTRAST = 0x81
    CHARGE_PUMP = 0x8D
    SEGMENT_REMAP = 0xA0
    ALL_ON = 0xA4
    INVERSE = 0xA6
    MULTIPLEX = 0xA8
    CONVERTER = 0xAD
    POWER = 0xAE
    PAGE = 0xB0
    SCAN = 0xC0
    OFFSET = 0xD3
    CLOCK = 0xD5
    PRE_CHARGE = 0xD9
    COM_PINS = 0xDA
    VCOMH = 0xDB
    GPIO = 0xDC
    NOP = 0xE3
    LOCK = 0xFD

    GREY_COLUMNS = 0x15
    GREY_ROWS = 0x75
    GREY_NOP = 0x84
    GREY_REMAP = 0xA0
    GREY_START_LINE = 0xA1
    GREY_OFFSET = 0xA2
    GREY_MODE = 0xA4
    GREY_REGULATOR = 0xAB
    GREY_PHASES = 0xB1
    GREY_NOP_TOO = 0xB2
    GREY_CLOCK = 0xB3
    GREY_GPIO = 0xB5
    GREY_SECOND_PRE_CHARGE = 0xB6
    GREY_LEVELS = 0xB8
    GREY_LINEAR = 0xB9
    GREY_NOP_AS_WELL = 0xBB
    GREY_PRE_CHARGE_VOLTAGE = 0xBC
    GREY_VCOMH = 0xBE
    GREY_FUNCTION_B = 0xD5


@dataclass(frozen=True, slots=True)
class Command:
    """One line of a data sheet's command table."""

    arguments: tuple[Container[int], ...] = ()
    """Allowed values of each byte that follows the opcode."""
    reset: tuple[int, ...] = ()
    """What the register holds after a reset; empty where the command sets none."""
    spread: range = range(1)
    """Values that are added to the opcode itself, where it carries its argument."""


class DataSheetError(HardwareError):
    """The bus carried bytes that the controller's data sheet does not allow."""


@dataclass(frozen=True, slots=True)
class Glass:
    """How the panel's glass is wired to its controller."""

    width: int
    """Pixels across."""
    height: int
    """Pixels down."""
    segment: int
    """Segment output at the left edge; the next pixel right of it is one lower."""
    line: int
    """Common output (as numbered with this wiring) of the top line; the next is one lower."""
    interleaved: bool
    """Whether even and odd lines come from the two sides of the chip."""


class SimulatedChip(ABC):
    """A display controller with power, registers and memory.

    Args:
        glass: The panel it drives.
        chance: What fills the memory at power-on.
        ignoring: Opcodes that are not on the sheet and are passed over, to take what other
            drivers send.
    """

    COMMANDS: ClassVar[Mapping[Code, Command]]
    """The command table."""
    UNSIMULATED: ClassVar[frozenset[int]] = frozenset()
    """Opcodes on the sheet that this simulation refuses all the same: scrolling."""
    NOP: ClassVar[Code]
    """The command that does nothing."""

    def __init__(
        self, glass: Glass, chance: random.Random, ignoring: Container[int] = frozenset()
    ) -> None:
        self.glass: Final = glass
        self._chance = chance
        self._ignoring = ignoring
        self._codes = {
            code + value: (code, value)
            for code, command in self.COMMANDS.items()
            for value in command.spread
        }
        self.registers: dict[Code, tuple[int, ...]] = {}
        self.power_cycle()

    def power_cycle(self) -> None:
        """Lose everything: registers as after a reset, memory at random, display off."""
        self._fill(self._chance)
        self.reset()

    def reset(self) -> None:
        """Obey the reset line: registers and pointers as after power-on; the memory stays."""
        self.registers = {
            code: command.reset for code, command in self.COMMANDS.items() if command.reset
        }
        self._pending: Code | None = None
        self._arguments: list[int] = []
        self._undefined: set[Code] = set()

    @property
    def on(self) -> bool:
        """Whether the display is switched on."""
        return bool(self.registers[Code.POWER][0])

    @property
    def contrast(self) -> int:
        """The contrast register, 0–255."""
        return self.registers[Code.CONTRAST][0]

    def take_commands(self, codes: bytes) -> None:
        """Obey opcodes and their arguments; an argument may come in a later transfer.

        Raises:
            DataSheetError: The sheet knows no such command or allows no such argument.
        """
        for code in codes:
            if self._pending is None:
                self._begin(code)
            else:
                self._argue(self._pending, code)

    def check_whole(self) -> None:
        """Refuse what a driver may only leave behind where a transfer broke off.

        Raises:
            DataSheetError: A command still lacks arguments.
        """
        if self._pending is not None:
            raise DataSheetError(f"The transfer ends within the command {self._pending:02X}h.")

    def take_data(self, data: bytes) -> None:
        """Write to the memory at the pointer.

        Raises:
            DataSheetError: A command still lacks arguments, or the window is undefined.
        """
        if not data:
            return
        if self._pending is not None:
            raise DataSheetError(f"Data came while the command {self._pending:02X}h is unfinished.")
        self._check_defined()
        self._write(data)

    def picture(self) -> Image.Image:
        """Return what a person sees, mode "1", the size of the glass.

        Raises:
            DataSheetError: The display is on while a register is undefined.
        """
        if not self.on:
            return Image.new("1", (self.glass.width, self.glass.height))
        self._check_defined()
        return self._lit()

    def _begin(self, opcode: int) -> None:
        if opcode in self._ignoring:
            return
        if opcode in self.UNSIMULATED:
            raise DataSheetError(f"The command {opcode:02X}h scrolls, which is not simulated.")
        if opcode not in self._codes:
            raise DataSheetError(f"The data sheet has no command {opcode:02X}h.")
        code, value = self._codes[opcode]
        if self.COMMANDS[code].arguments:
            self._pending, self._arguments = code, []
        else:
            self._store(code, (value,))

    def _argue(self, code: Code, value: int) -> None:
        allowed = self.COMMANDS[code].arguments
        if value not in allowed[len(self._arguments)]:
            # A driver that lost a transfer half-way pads with NOPs. One that lands in the place of
            # an argument leaves the register undefined until it is set again.
            if value != self.NOP:
                raise DataSheetError(
                    f"The command {code:02X}h does not allow {value:02X}h "
                    f"as argument {len(self._arguments) + 1}."
                )
            self._undefined.add(code)
        self._arguments.append(value)
        if len(self._arguments) == len(allowed):
            self._pending = None
            self._finish(code, tuple(self._arguments))

    def _finish(self, code: Code, arguments: tuple[int, ...]) -> None:
        allowed = zip(arguments, self.COMMANDS[code].arguments, strict=True)
        if all(value in values for value, values in allowed):
            self._undefined.discard(code)
            self._store(code, arguments)

    def _store(self, code: Code, arguments: tuple[int, ...]) -> None:
        if self.COMMANDS[code].reset:
            self.registers[code] = arguments
        self._obey(code, arguments)

    def _check_defined(self) -> None:
        if self._undefined:
            names = ", ".join(f"{code:02X}h" for code in sorted(self._undefined))
            raise DataSheetError(f"Half a command left undefined what {names} sets.")

    def _signal(self, y: int, *, half: int, interleaved: bool, swapped: bool) -> int:
        """Return which common signal drives line y of the glass, as the pins are configured.

        Args:
            y: Line of the glass, counted from 0 at the top.
            half: Common outputs on one side of the chip.
            interleaved: Whether the chip takes the sides in turn, line by line.
            swapped: Whether the chip exchanges the sides.
        """
        wanted = (self.glass.line - y) % (2 * half)
        pad = wanted // 2 + half * (wanted % 2) if self.glass.interleaved else wanted
        if swapped:
            pad = (pad + half) % (2 * half)
        return pad % half * 2 + pad // half if interleaved else pad

    @staticmethod
    def _row(signal: int, *, rows: int, multiplex: int, offset: int, reverse: bool) -> int | None:
        """Return which row a common signal shows, or None where it is not scanned.

        Args:
            signal: Number of the common signal.
            rows: Rows of the memory.
            multiplex: Rows that are scanned.
            offset: The display offset register.
            reverse: Whether the scan runs from the last signal to the first.
        """
        start = multiplex - 1 - signal if reverse else signal
        row = (start + offset) % rows
        return row if row < multiplex else None

    @abstractmethod
    def _fill(self, chance: random.Random) -> None:
        """Fill the memory at random."""

    @abstractmethod
    def _obey(self, code: Code, arguments: tuple[int, ...]) -> None:
        """Do what a command does beyond setting its register."""

    @abstractmethod
    def _write(self, data: bytes) -> None:
        """Write bytes at the pointer and move it."""

    @abstractmethod
    def _lit(self) -> Image.Image:
        """Return the lit pixels of a display that is on."""
