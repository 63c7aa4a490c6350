# ruff: noqa: S311 - tests repeat their chance
import random

import pytest

from hardware.display.interface import Driver, PanelSettings
from hardware.display.simulated_bus import simulated_chip
from hardware.display.simulated_chip import DataSheetError
from hardware.display.simulated_grey import SimulatedSsd1327


def _chip(remap: int = 0x51) -> SimulatedSsd1327:
    """A chip that is on, with black memory and the window 0-63, 0-127."""
    panel = PanelSettings(driver=Driver.SSD1327, height=128)
    chip = simulated_chip(panel, random.Random(1))
    assert isinstance(chip, SimulatedSsd1327)
    chip.take_commands(bytes((0xA0, 0x51)))
    chip.take_data(bytes(64 * 128))
    chip.take_commands(bytes((0xA0, remap, 0xAF)))
    return chip


def _levels(chip: SimulatedSsd1327) -> dict[tuple[int, int], int]:
    picture = chip.grey()
    pixels = picture.load()
    assert pixels is not None
    return {(x, y): pixels[x, y] for x in range(128) for y in range(128) if pixels[x, y]}


def test_a_byte_is_two_pixels_of_four_bits() -> None:
    chip = _chip()
    chip.take_commands(bytes((0x15, 3, 3, 0x75, 2, 2)))
    chip.take_data(b"\xa7")
    assert _levels(chip) == {(6, 2): 0xA, (7, 2): 0x7}
    assert chip.picture().getbbox() == (6, 2, 8, 3)


def test_a_window_is_filled_row_by_row_and_wraps_to_its_start() -> None:
    chip = _chip()
    chip.take_commands(bytes((0x15, 0, 1, 0x75, 5, 6)))
    chip.take_data(b"\x10\x20\x30\x40\x50")
    assert _levels(chip) == {(0, 5): 5, (2, 5): 2, (0, 6): 3, (2, 6): 4}


def test_vertical_increment_fills_it_column_by_column() -> None:
    chip = _chip(0x55)
    chip.take_commands(bytes((0x15, 0, 1, 0x75, 5, 6)))
    chip.take_data(b"\x10\x20\x30\x40\x50")
    assert _levels(chip) == {(0, 5): 5, (0, 6): 2, (2, 5): 3, (2, 6): 4}


@pytest.mark.parametrize(
    ("remap", "pixel"), [(0x51, (0, 0)), (0x53, (1, 0)), (0x42, (127, 127)), (0x40, (126, 127))]
)
def test_remapping_moves_the_first_pixel(remap: int, pixel: tuple[int, int]) -> None:
    # The upper half of the first byte: mirrored by columns (bit 0), halves (bit 1), rows (bit 4).
    chip = _chip(remap)
    chip.take_commands(bytes((0x15, 0, 0, 0x75, 0, 0)))
    chip.take_data(b"\xf0")
    assert _levels(chip) == {pixel: 15}


def test_inverse_all_on_and_all_off() -> None:
    chip = _chip()
    chip.take_commands(b"\xa7")
    assert set(_levels(chip).values()) == {15}
    chip.take_commands(b"\xa6")
    assert _levels(chip) == {}
    chip.take_commands(b"\xa5")
    assert len(_levels(chip)) == 128 * 128


def test_start_line_and_offset_shift_the_picture_around() -> None:
    chip = _chip()
    chip.take_commands(bytes((0x15, 0, 0, 0x75, 0, 0)))
    chip.take_data(b"\xf0")
    chip.take_commands(bytes((0xA1, 1)))
    assert _levels(chip) == {(0, 127): 15}
    chip.take_commands(bytes((0xA1, 0, 0xA2, 2)))
    assert _levels(chip) == {(0, 126): 15}


@pytest.mark.parametrize(
    "codes",
    [
        *("15 40", "15 05 04", "75 80", "75 05 04", "a0 08", "a0 20", "a0 80", "a8 0e", "a8 80"),
        *("ab 02", "b1 0f", "b8 40", "bc 10", "be 08", "d5 62 00", "fd 13", "fd 16 af", "2f"),
        *("20", "8d", "e3", "b0", "21", "d5 5f"),
    ],
)
def test_what_the_sheet_does_not_allow_is_refused(codes: str) -> None:
    with pytest.raises(DataSheetError):
        _chip().take_commands(bytes.fromhex(codes))


def test_the_grey_table_takes_fifteen_levels() -> None:
    chip = _chip()
    chip.take_commands(bytes((0xB8, *range(15))))
    chip.take_data(b"\xf0")
    chip.take_commands(bytes((0xB8, *range(8))))
    with pytest.raises(DataSheetError, match="B8h is unfinished"):
        chip.take_data(b"\xf0")


def test_fewer_rows_scanned_leave_lines_dark() -> None:
    chip = _chip()
    chip.take_commands(bytes((0xA5, 0xA8, 63)))
    assert len({y for _, y in _levels(chip)}) == 64
