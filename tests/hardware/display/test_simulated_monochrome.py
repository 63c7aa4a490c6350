# ruff: noqa: S311 - tests repeat their chance
"""The simulated controllers against their data sheets, one statement a test."""

import random

import pytest
from PIL import Image

from hardware.display.interface import Driver, PanelSettings
from hardware.display.simulated_bus import simulated_chip
from hardware.display.simulated_chip import Code, DataSheetError, SimulatedChip

ONE_BIT = (Driver.SSD1306, Driver.SSD1309, Driver.SH1106)
UPRIGHT = (0xA1, 0xC8)
SUPPLY = {Driver.SSD1306: (0x8D, 0x14), Driver.SSD1309: (), Driver.SH1106: ()}


def _chip(driver: Driver = Driver.SSD1306, height: int = 64, *, on: bool = True) -> SimulatedChip:
    """A chip that is on and upright, with black memory."""
    chip = simulated_chip(PanelSettings(driver=driver, height=height), random.Random(1))
    chip.take_commands(bytes((*SUPPLY[driver], *UPRIGHT)))
    columns = 132 if driver is Driver.SH1106 else 128
    for page in range(8):
        chip.take_commands(bytes((0xB0 + page, 0x00, 0x10)))
        chip.take_data(bytes(columns))
    if on:
        chip.take_commands(b"\xaf")
    return chip


def _lit(chip: SimulatedChip) -> set[tuple[int, int]]:
    picture = chip.picture()
    pixels = picture.load()
    assert pixels is not None
    return {(x, y) for x in range(picture.width) for y in range(picture.height) if pixels[x, y]}


def _byte(x: int, page: int) -> set[tuple[int, int]]:
    return {(x, 8 * page + bit) for bit in range(8)}


def test_after_power_on_the_display_is_off_and_the_memory_random() -> None:
    chip = simulated_chip(PanelSettings(), random.Random(1))
    assert not chip.on
    assert chip.picture().getbbox() is None
    chip.take_commands(b"\x8d\x14\xaf")
    noise = chip.picture().tobytes()
    chip.power_cycle()
    chip.take_commands(b"\x8d\x14\xaf")
    assert noise != chip.picture().tobytes()
    assert Image.frombytes("1", (128, 64), noise).getbbox() is not None


@pytest.mark.parametrize("driver", ONE_BIT)
def test_a_byte_is_eight_pixels_the_lowest_bit_on_top(driver: Driver) -> None:
    chip = _chip(driver)
    chip.take_commands(bytes((0xB3, 0x02 if driver is Driver.SH1106 else 0x00, 0x11)))
    chip.take_data(b"\x81")
    assert _lit(chip) == {(16, 24), (16, 31)}


def test_page_mode_wraps_to_the_first_column_of_the_same_page() -> None:
    chip = _chip()
    chip.take_commands(bytes((0xB2, 0x0E, 0x17)))
    chip.take_data(b"\xff\xff\xff")
    assert _lit(chip) == _byte(126, 2) | _byte(127, 2)
    chip.take_data(b"\x00")
    assert _lit(chip) == _byte(126, 2)


def test_horizontal_mode_fills_a_window_row_by_row_and_wraps_to_its_start() -> None:
    chip = _chip()
    chip.take_commands(bytes((0x20, 0x00, 0x21, 10, 12, 0x22, 3, 4)))
    chip.take_data(b"\x01\x02\x03\x04\x05\x06")
    chip.take_data(b"\x80")
    lit = _lit(chip)
    assert lit == {
        *((10, 31), (11, 25), (12, 24), (12, 25)),
        *((10, 34), (11, 32), (11, 34), (12, 33), (12, 34)),
    }


def test_vertical_mode_fills_a_window_column_by_column_and_wraps_to_its_start() -> None:
    chip = _chip()
    chip.take_commands(bytes((0x20, 0x01, 0x21, 10, 11, 0x22, 3, 4)))
    chip.take_data(b"\x01\x02\x04\x08")
    assert _lit(chip) == {(10, 24), (10, 33), (11, 26), (11, 35)}
    chip.take_data(b"\x10")
    assert _lit(chip) == {(10, 28), (10, 33), (11, 26), (11, 35)}


def test_windows_do_not_move_the_pointer_in_page_mode_nor_nibbles_in_the_others() -> None:
    chip = _chip()
    chip.take_commands(bytes((0x20, 0x00, 0x21, 5, 127, 0x22, 1, 7, 0xB6, 0x0F, 0x13)))
    chip.take_data(b"\xff")
    assert _lit(chip) == _byte(5, 1)
    chip = _chip()
    chip.take_commands(bytes((0xB0, 0x00, 0x10, 0x21, 9, 9, 0x22, 4, 4)))
    chip.take_data(b"\xff")
    assert _lit(chip) == _byte(0, 0)


def test_the_ssd1306_remaps_what_is_written_from_now_on() -> None:
    chip = _chip()
    chip.take_commands(bytes((0xB0, 0x05, 0x10)))
    chip.take_data(b"\xff")
    chip.take_commands(bytes((0xA0, 0xB0, 0x05, 0x10)))
    assert _lit(chip) == _byte(5, 0)
    chip.take_data(b"\xff")
    assert _lit(chip) == _byte(5, 0) | _byte(122, 0)


def test_the_sh1106_remaps_what_is_shown() -> None:
    chip = _chip(Driver.SH1106)
    chip.take_commands(bytes((0xB0, 0x07, 0x10)))
    chip.take_data(b"\xff")
    assert _lit(chip) == _byte(5, 0)
    chip.take_commands(b"\xa0")
    assert _lit(chip) == _byte(122, 0)


@pytest.mark.parametrize("driver", ONE_BIT)
def test_the_scan_direction_turns_the_picture_over(driver: Driver) -> None:
    chip = _chip(driver)
    chip.take_commands(bytes((0xB0, 0x02 if driver is Driver.SH1106 else 0x00, 0x10)))
    chip.take_data(b"\x01")
    assert _lit(chip) == {(0, 0)}
    chip.take_commands(b"\xc0")
    assert _lit(chip) == {(0, 63)}


@pytest.mark.parametrize("driver", ONE_BIT)
def test_start_line_and_offset_shift_the_picture_around(driver: Driver) -> None:
    chip = _chip(driver)
    chip.take_commands(bytes((0xB0, 0x02 if driver is Driver.SH1106 else 0x00, 0x10)))
    chip.take_data(b"\x01")
    chip.take_commands(bytes((0x40 + 3,)))
    assert _lit(chip) == {(0, 61)}
    chip.take_commands(bytes((0x40, 0xD3, 5)))
    assert _lit(chip) == {(0, 59)}


@pytest.mark.parametrize("driver", ONE_BIT)
def test_inverse_all_on_and_off(driver: Driver) -> None:
    chip = _chip(driver)
    chip.take_commands(bytes((0xB0, 0x02 if driver is Driver.SH1106 else 0x00, 0x10)))
    chip.take_data(b"\x01")
    chip.take_commands(b"\xa7")
    assert len(_lit(chip)) == 128 * 64 - 1
    chip.take_commands(b"\xa5")
    assert len(_lit(chip)) == 128 * 64
    chip.take_commands(b"\xa6\xa4")
    assert _lit(chip) == {(0, 0)}
    chip.take_commands(b"\xae")
    assert _lit(chip) == set()


def test_fewer_rows_scanned_leave_lines_dark() -> None:
    chip = _chip()
    chip.take_commands(b"\xa5\xa8\x2f")
    assert len({y for _, y in _lit(chip)}) == 48


def test_wrong_com_pins_tear_even_and_odd_lines_apart() -> None:
    chip = _chip()
    chip.take_commands(bytes((0xB0, 0x00, 0x10)))
    chip.take_data(b"\xff")
    assert {y for _, y in _lit(chip)} == set(range(8))
    chip.take_commands(b"\xda\x02")
    assert {y for _, y in _lit(chip)} == set(range(0, 16, 2))


def test_the_left_right_remap_exchanges_even_and_odd_lines() -> None:
    chip = _chip()
    chip.take_commands(bytes((0xB0, 0x00, 0x10)))
    chip.take_data(b"\x01")
    chip.take_commands(b"\xda\x32")
    assert _lit(chip) == {(0, 1)}


def test_without_charge_pump_or_converter_nothing_is_lit() -> None:
    pump, converter = _chip(), _chip(Driver.SH1106)
    pump.take_commands(b"\xa5\x8d\x10")
    converter.take_commands(b"\xa5\xae\xad\x8a\xaf")
    assert _lit(pump) == _lit(converter) == set()


def test_contrast_is_a_register() -> None:
    chip = _chip()
    chip.take_commands(b"\x81\x2a")
    assert chip.contrast == 42


def test_arguments_may_come_in_a_later_transfer() -> None:
    chip = _chip()
    for code in (0x20, 0x00, 0x21, 7, 8, 0x22, 1, 1):
        chip.take_commands(bytes((code,)))
    chip.take_data(b"\xff")
    assert _lit(chip) == _byte(7, 1)


@pytest.mark.parametrize(
    ("driver", "codes"),
    [
        (Driver.SSD1306, "23"),
        (Driver.SSD1306, "ad"),
        (Driver.SSD1306, "fd"),
        (Driver.SSD1306, "e0"),
        (Driver.SSD1306, "18"),
        (Driver.SSD1306, "b8"),
        (Driver.SSD1306, "c1"),
        (Driver.SSD1306, "20 03"),
        (Driver.SSD1306, "21 80"),
        (Driver.SSD1306, "21 00 80"),
        (Driver.SSD1306, "21 08 07"),
        (Driver.SSD1306, "22 00 08"),
        (Driver.SSD1306, "22 03 02"),
        (Driver.SSD1306, "8d 15"),
        (Driver.SSD1306, "a8 0e"),
        (Driver.SSD1306, "a8 40"),
        (Driver.SSD1306, "d3 40"),
        (Driver.SSD1306, "d9 0f"),
        (Driver.SSD1306, "d9 f0"),
        (Driver.SSD1306, "da 10"),
        (Driver.SSD1306, "db 41"),
        (Driver.SSD1306, "2f"),
        (Driver.SSD1309, "8d"),
        (Driver.SSD1309, "db 40"),
        (Driver.SSD1309, "fd 13"),
        (Driver.SSD1309, "fd 16 af"),
        (Driver.SH1106, "20"),
        (Driver.SH1106, "21"),
        (Driver.SH1106, "2e"),
        (Driver.SH1106, "8d"),
        (Driver.SH1106, "ad 8c"),
        (Driver.SH1106, "b8"),
        (Driver.SH1106, "da 22"),
    ],
)
def test_what_the_sheet_does_not_allow_is_refused(driver: Driver, codes: str) -> None:
    with pytest.raises(DataSheetError):
        _chip(driver).take_commands(bytes.fromhex(codes))


@pytest.mark.parametrize("codes", ["21", "21 05", "81", "a8"])
def test_data_in_the_middle_of_a_command_is_refused(codes: str) -> None:
    chip = _chip()
    chip.take_commands(bytes.fromhex(codes))
    with pytest.raises(DataSheetError, match="unfinished"):
        chip.take_data(b"\xff")


def test_the_sh1106_refuses_data_beyond_its_last_column() -> None:
    chip = _chip(Driver.SH1106)
    chip.take_commands(bytes((0xB0, 0x03, 0x18)))
    chip.take_data(b"\xff")
    with pytest.raises(DataSheetError, match="column 132"):
        chip.take_data(b"\xff")
    chip.take_commands(bytes((0xB0, 0x04, 0x18)))
    with pytest.raises(DataSheetError, match="column 132"):
        chip.take_data(b"\xff")


def test_a_nop_in_place_of_an_argument_leaves_the_register_undefined_until_it_is_set() -> None:
    chip = _chip()
    chip.take_commands(bytes((0x20, 0x00, 0x21, 5, *(0xE3,) * 7)))
    with pytest.raises(DataSheetError, match="21h"):
        chip.take_data(b"\xff")
    with pytest.raises(DataSheetError, match="21h"):
        chip.picture()
    chip.take_commands(bytes((0x21, 5, 5, 0x22, 0, 0)))
    chip.take_data(b"\xff")
    assert _lit(chip) == _byte(5, 0)


def test_the_locked_ssd1309_is_unlocked_by_its_pair() -> None:
    chip = _chip(Driver.SSD1309)
    chip.take_commands(bytes.fromhex("fd 16 fd 12 ae"))
    assert not chip.on


def test_the_reset_line_resets_registers_and_keeps_the_memory() -> None:
    chip = _chip()
    chip.take_commands(bytes((0xB0, 0x00, 0x10)))
    chip.take_data(b"\xff")
    chip.reset()
    assert not chip.on
    assert chip.registers[Code.CONTRAST] == (0x7F,)
    chip.take_commands(bytes((0x8D, 0x14, *UPRIGHT, 0xAF)))
    assert _lit(chip) == _byte(0, 0)
