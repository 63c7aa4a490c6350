"""A frame as text: half blocks, braille, or plain characters, every pixel of it."""

from enum import StrEnum

from PIL import Image

_HALVES = " ▄▀█"
_BRAILLE = 0x2800
_DOTS = ((0, 0, 0x01), (0, 1, 0x02), (0, 2, 0x04), (1, 0, 0x08))
_LOW_DOTS = ((1, 1, 0x10), (1, 2, 0x20), (0, 3, 0x40), (1, 3, 0x80))


class Style(StrEnum):
    """How pixels become characters."""

    HALF = "half"
    """Two pixels a character, one above the other: as wide as the panel."""
    BRAILLE = "braille"
    """Eight pixels a character: half as wide as the panel."""
    ASCII = "ascii"
    """One pixel a character, where nothing else can be printed."""


def lines(frame: Image.Image, style: Style) -> list[str]:
    """Return a frame (mode "1") as lines of text."""
    match style:
        case Style.HALF:
            return _half(frame)
        case Style.BRAILLE:
            return _braille(frame)
        case Style.ASCII:
            return _ascii(frame)


def size(panel: tuple[int, int], style: Style) -> tuple[int, int]:
    """Return the columns and rows that a panel of a size in pixels takes as text."""
    width, height = panel
    match style:
        case Style.HALF:
            return width, height // 2
        case Style.BRAILLE:
            return width // 2, height // 4
        case Style.ASCII:
            return width, height


def _rows(frame: Image.Image) -> list[list[bool]]:
    width, height = frame.size
    data = frame.tobytes("raw", "1")
    stride = (width + 7) // 8
    return [
        [bool(data[y * stride + x // 8] >> (7 - x % 8) & 1) for x in range(width)]
        for y in range(height)
    ]


def _half(frame: Image.Image) -> list[str]:
    rows = _rows(frame)
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return [
        "".join(_HALVES[2 * above + below] for above, below in zip(top, bottom, strict=True))
        for top, bottom in pairs
    ]


def _braille(frame: Image.Image) -> list[str]:
    rows = _rows(frame)
    width, height = frame.size
    return [
        "".join(_cell(rows, left, top) for left in range(0, width, 2))
        for top in range(0, height, 4)
    ]


def _cell(rows: list[list[bool]], left: int, top: int) -> str:
    bits = sum(bit for dx, dy, bit in (*_DOTS, *_LOW_DOTS) if rows[top + dy][left + dx])
    return chr(_BRAILLE + bits)


def _ascii(frame: Image.Image) -> list[str]:
    return ["".join("#" if lit else "." for lit in row) for row in _rows(frame)]
