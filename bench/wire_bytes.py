"""Bytes on the I2C bus for a sequence of frames: luma.oled's own devices against ours.

Run it on frames that the station wrote (`dice-station simulate --png DIR --scale 1`), or, without
an argument, on a dial screen that it draws itself:

    python bench/wire_bytes.py [DIR]

Both run on the same simulated bus, which counts address, control byte and contents of each
transfer; each frame is decoded again and compared with what was drawn. The first frame, which has
to be whole, is not counted.
"""

import argparse
import random
import statistics
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

from luma.core.interface.serial import i2c
from luma.oled import device
from PIL import Image, ImageDraw, ImageFont

from hardware.display.interface import SIZES, Driver, PanelSettings
from hardware.display.simulated_bus import LUMA_SH1106_EXTRAS, SimulatedI2cBus, simulated_chip
from hardware.display.transport import open_i2c
from hardware.display.wire import WireDisplay

Frames = Sequence[Image.Image]


def main() -> int:
    """Measure and print; return 1 if the directory holds no frames that fit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", nargs="?", type=Path, help="PNG frames, in order of name")
    directory = parser.parse_args().directory
    frames = list(_stored(directory) if directory else _drawn())
    if not frames:
        print(f"{directory} holds no PNG file.", file=sys.stderr)
        return 1
    size = frames[0].size
    if size not in SIZES[Driver.SSD1306] or any(frame.size != size for frame in frames):
        print(f"The frames must all be 128×64 or 128×32; the first is {size}.", file=sys.stderr)
        return 1
    warnings.filterwarnings("ignore", "Image.Image.getdata", DeprecationWarning)  # in luma.oled
    changes = sum(a.tobytes() != b.tobytes() for a, b in pairwise(frames))
    print(f"{len(frames)} frames of {size[0]}×{size[1]}, {changes} of them change something")
    print("medians are over the frames that change something; bytes a frame")
    for driver in (Driver.SSD1306, Driver.SH1106):
        _compare(driver, frames)
    return 0


def _compare(driver: Driver, frames: Frames) -> None:
    theirs, ours = _luma(driver, frames), _ours(driver, frames)
    moved = [a.tobytes() != b.tobytes() for a, b in pairwise(frames)]
    median_theirs = statistics.median(_only(theirs, moved))
    changed = sorted(_only(ours, moved))
    median_ours = statistics.median(changed)
    idle = sum(ours) - sum(changed)
    print(
        f"{driver:8} luma {median_theirs:6.0f}   ours {median_ours:6.0f} "
        f"(90 %: {changed[len(changed) * 9 // 10]}, most: {changed[-1]})   "
        f"ratio {median_theirs / median_ours:.1f}   equal frames: {idle} bytes"
    )


def _only(costs: Sequence[int], moved: Sequence[bool]) -> list[int]:
    return [cost for cost, changed in zip(costs, moved, strict=True) if changed] or [0]


def _luma(driver: Driver, frames: Frames) -> list[int]:
    bus = _bus(driver, frames[0].height)
    with mock.patch("smbus2.SMBus", bus.open):
        panel: Any = getattr(device, driver)(i2c(port=1), height=frames[0].height)
    return _costs(bus, panel.display, frames)


def _ours(driver: Driver, frames: Frames) -> list[int]:
    bus = _bus(driver, frames[0].height)
    panel = PanelSettings(driver=driver, height=frames[0].height)
    return _costs(bus, WireDisplay(panel, lambda: open_i2c(panel, bus.open)).show, frames)


def _bus(driver: Driver, height: int) -> SimulatedI2cBus:
    extras = LUMA_SH1106_EXTRAS if driver is Driver.SH1106 else frozenset()
    panel = PanelSettings(driver=driver, height=height)
    return SimulatedI2cBus(simulated_chip(panel, random.Random(1), extras))  # noqa: S311 - repeatable


def _costs(
    bus: SimulatedI2cBus, show: Callable[[Image.Image], object], frames: Frames
) -> list[int]:
    """Return the bytes of every frame but the first; each must be what the panel then shows."""
    costs = []
    for frame in frames:
        before = bus.sent
        show(frame)
        costs.append(bus.sent - before)
        if bus.chip.picture().tobytes() != frame.tobytes():
            raise SystemExit(f"Frame {len(costs)} does not decode to what was drawn.")
    return costs[1:]


def _stored(directory: Path) -> Iterator[Image.Image]:
    for path in sorted(directory.glob("*.png")):
        with Image.open(path) as image:
            yield image.convert("1", dither=Image.Dither.NONE)


def _drawn() -> Iterator[Image.Image]:
    """A dial turned up and down: a number and its odds change, now and then the cursor moves."""
    chance = random.Random(20)  # noqa: S311 - repeatable
    small, large = ImageFont.load_default(10), ImageFont.load_default(20)
    pool, difficulty, field = 6, 9, 0
    for _ in range(400):
        turn = chance.choice((-1, 1))
        match chance.choices(("push", "turn", "nothing"), weights=(10, 85, 5))[0]:
            case "push":
                field = 1 - field
            case "turn" if field:
                difficulty = min(max(difficulty + turn, 3), 21)
            case "turn":
                pool = min(max(pool + turn, 1), 20)
        image = Image.new("1", (128, 64))
        draw = ImageDraw.Draw(image)
        draw.fontmode = "1"
        draw.text((2, 0), "Narrow escape", fill=1, font=small)
        draw.line((0, 13, 127, 13), fill=1)
        for row, (label, value) in enumerate((("Pool", pool), ("Difficulty", difficulty))):
            draw.text((10, 15 + 11 * row), label, fill=1, font=small)
            draw.text((70, 15 + 11 * row), str(value), fill=1, font=small)
        draw.polygon([(2, 19 + 11 * field), (6, 22 + 11 * field), (2, 25 + 11 * field)], fill=1)
        odds = 100 * 3.5 * pool / (3.5 * pool + difficulty)
        draw.text((30, 40), f"{odds:5.1f} %", fill=1, font=large)
        yield image


if __name__ == "__main__":
    sys.exit(main())
