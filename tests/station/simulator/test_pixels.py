"""A frame as text: every pixel of it is there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from station.simulator.pixels import Style, lines, size

SIZES = [(128, 64), (128, 32)]

BRAILLE_DOTS = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))
"""Column and row of each dot, in the order of their bits (Unicode, Braille Patterns)."""


def frame(panel: tuple[int, int], data: bytes) -> Image.Image:
    return Image.frombytes("1", panel, data)


def pixels(text: list[str], style: Style) -> list[tuple[int, int]]:
    """Return the pixels that a text shows as lit."""
    found = []
    for row, line in enumerate(text):
        for column, char in enumerate(line):
            match style:
                case Style.ASCII:
                    found += [(column, row)] if char == "#" else []
                case Style.HALF:
                    found += [(column, 2 * row)] if char in "▀█" else []
                    found += [(column, 2 * row + 1)] if char in "▄█" else []
                case Style.BRAILLE:
                    bits = ord(char) - 0x2800
                    found += [
                        (2 * column + x, 4 * row + y)
                        for bit, (x, y) in enumerate(BRAILLE_DOTS)
                        if bits >> bit & 1
                    ]
    return sorted(found)


@pytest.mark.parametrize("style", list(Style))
@given(data=st.binary(min_size=128 * 32 // 8, max_size=128 * 32 // 8))
def test_every_pixel_can_be_read_back(style: Style, data: bytes) -> None:
    image = frame((128, 32), data)
    lit = [(x, y) for y in range(32) for x in range(128) if image.getpixel((x, y))]
    assert pixels(lines(image, style), style) == sorted(lit)


@pytest.mark.parametrize("panel", SIZES)
@pytest.mark.parametrize("style", list(Style))
def test_a_text_takes_the_columns_and_rows_it_says(panel: tuple[int, int], style: Style) -> None:
    told = lines(Image.new("1", panel), style)
    columns, rows = size(panel, style)
    assert (len(told), {len(line) for line in told}) == (rows, {columns})


def test_plain_characters_are_plain() -> None:
    assert all(line.isascii() for line in lines(Image.new("1", (128, 64)), Style.ASCII))
