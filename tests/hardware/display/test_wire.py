# ruff: noqa: S311 - tests repeat their chance
import errno
import random
import statistics
from collections.abc import Callable
from typing import Any

import pytest
from luma.core.interface.serial import i2c
from luma.oled import device
from PIL import Image, ImageDraw, ImageFont

from hardware.display.controllers import controller
from hardware.display.factory import test_pattern as pattern
from hardware.display.interface import SIZES, Brightness, Bus, Driver, PanelSettings
from hardware.display.simulated_bus import SimulatedI2cBus
from hardware.display.simulated_chip import Code

ERRORS = (errno.EREMOTEIO, errno.EIO, errno.ENXIO, errno.ETIMEDOUT, errno.ENODEV)


@pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")  # in luma.oled
@pytest.mark.parametrize(
    ("driver", "height", "size"),
    [
        (Driver.SSD1306, 64, 1034),
        (Driver.SSD1306, 32, 522),
        (Driver.SH1106, 64, 1080),
        (Driver.SH1106, 32, 540),
    ],
)
def test_the_bus_counts_for_luma_what_luma_is_known_to_send(
    luma_bus: Callable[..., SimulatedI2cBus], driver: Driver, height: int, size: int
) -> None:
    bus = luma_bus(driver, height)
    panel = getattr(device, driver)(i2c(port=1), height=height)
    frame = pattern((128, height))
    for _ in range(2):
        before = bus.sent
        panel.display(frame)
        assert bus.sent - before == size
    assert bus.chip.picture().tobytes() == frame.tobytes()


@pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")  # in luma.oled
@pytest.mark.parametrize("height", [64, 32])
def test_the_ssd1306_ends_up_as_luma_sets_it(
    luma_bus: Callable[..., SimulatedI2cBus], rig: Callable[..., Any], height: int
) -> None:
    bus = luma_bus(Driver.SSD1306, height)
    device.ssd1306(i2c(port=1), height=height)
    ours = rig(height=height)
    ours.display.show(Image.new("1", ours.display.size))
    assert ours.chip.registers == bus.chip.registers


@pytest.mark.parametrize("settings", [{"driver": d} for d in Driver if d is not Driver.SSD1327])
def test_an_equal_frame_costs_nothing(rig: Callable[..., Any], settings: dict[str, Any]) -> None:
    wired = rig(**settings)
    frame = pattern(wired.display.size)
    wired.display.show(frame)
    assert wired.cost(lambda: wired.display.show(frame.copy())) == 0


@pytest.mark.parametrize(
    ("driver", "dot", "column", "letters"),
    [
        # address and control twice, commands, then the changed bytes
        (Driver.SSD1306, 4 + 6 + 1, 4 + 6 + 8, 4 + 6 + 2 * 10),
        (Driver.SSD1309, 4 + 6 + 1, 4 + 6 + 8, 4 + 6 + 2 * 10),
        (Driver.SH1106, 4 + 3 + 1, 8 * (4 + 3 + 1), 2 * (4 + 3 + 10)),
        (Driver.SSD1327, 4 + 6 + 1, 4 + 6 + 64, 4 + 6 + 16 * 6),
    ],
)
def test_golden_byte_counts(
    rig: Callable[..., Any], driver: Driver, dot: int, column: int, letters: int
) -> None:
    wired = rig(driver=driver)
    frame = Image.new("1", wired.display.size)
    wired.display.show(frame)
    for box, cost in (
        ((40, 20, 40, 20), dot),
        ((60, 0, 60, 63), column),
        ((81, 24, 90, 39), letters),
    ):
        ImageDraw.Draw(frame).rectangle(box, fill=1)
        assert wired.cost(lambda: wired.display.show(frame)) == cost
        assert wired.shows(frame)


@pytest.mark.parametrize(
    ("driver", "whole"),
    [(Driver.SSD1306, 1034), (Driver.SH1106, 1080), (Driver.SSD1309, 1034), (Driver.SSD1327, 8206)],
)
def test_no_frame_costs_more_than_luma_would_send(
    rig: Callable[..., Any], frames: Callable[..., Any], driver: Driver, whole: int
) -> None:
    width, height = SIZES[driver][0]
    wired = rig(driver=driver, width=width, height=height)
    wired.display.show(Image.new("1", wired.display.size))
    for frame in frames(wired.display.size, 60):
        assert wired.cost(lambda frame=frame: wired.display.show(frame)) <= whole
        assert wired.shows(frame)


@pytest.mark.parametrize("driver", [Driver.SSD1306, Driver.SH1106, Driver.SSD1309])
@pytest.mark.parametrize("height", [64, 32])
def test_a_number_and_its_odds_cost_a_median_of_at_most_200_bytes(
    rig: Callable[..., Any], driver: Driver, height: int
) -> None:
    wired = rig(driver=driver, height=height)
    small, large = ImageFont.load_default(10), ImageFont.load_default(20)
    costs = []
    for pool in range(1, 31):
        frame = Image.new("1", (128, height))
        draw = ImageDraw.Draw(frame)
        draw.fontmode = "1"
        draw.text((0, 0), f"Narrow escape  Pool {pool}", fill=1, font=small)
        draw.text((20, height - 24), f"{100 - 100 / (1 + pool):5.1f} %", fill=1, font=large)
        costs.append(wired.cost(lambda frame=frame: wired.display.show(frame)))
        assert wired.shows(frame)
    assert 20 < statistics.median(costs[1:]) <= 200


@pytest.mark.parametrize("driver", Driver)
def test_nothing_is_lit_before_the_first_frame_is_complete(
    rig: Callable[..., Any], driver: Driver
) -> None:
    frame = pattern((128, 64))
    whole = rig(driver=driver)
    total = whole.cost(lambda: whole.display.start(frame, Brightness.FULL))
    for after in [*range(60), *range(60, total, 41), total - 2, total - 1]:
        wired = rig(driver=driver)
        wired.bus.unplug(after)
        with pytest.raises(OSError, match="nothing answers at 0x3C on /dev/i2c-1"):
            wired.display.start(frame, Brightness.FULL)
        assert not wired.chip.on
        assert wired.bus.opened == 0


@pytest.mark.parametrize("driver", Driver)
@pytest.mark.parametrize("bus", Bus)
def test_a_transfer_that_broke_off_anywhere_is_mended_by_the_next_frame(
    rig: Callable[..., Any], driver: Driver, bus: Bus
) -> None:
    wired = rig(driver=driver, bus=bus)
    chance = random.Random(11)
    first, second = pattern(wired.display.size), Image.new("1", wired.display.size)
    ImageDraw.Draw(second).ellipse((30, 5, 60, 40), fill=1)
    for number in (*range(40), *(chance.randrange(40, 400) for _ in range(60))):
        wired.display.show(first)
        wired.bus.fail(number, chance.choice(ERRORS))
        try:
            wired.display.show(second)
        except OSError:
            wired.display.show(second)
        wired.bus.mend()
        assert wired.shows(second)


@pytest.mark.parametrize("driver", Driver)
def test_a_brightness_that_broke_off_anywhere_is_mended_by_the_next(
    rig: Callable[..., Any], driver: Driver
) -> None:
    wired = rig(driver=driver)
    frame = pattern(wired.display.size)
    for level in (Brightness.DIM, Brightness.OFF, Brightness.FULL):
        for after in range(16):
            wired.display.start(
                frame, Brightness.DIM if level is Brightness.FULL else Brightness.FULL
            )
            wired.bus.fail(after)
            try:
                wired.display.dim(level)
            except OSError:
                wired.display.dim(level)
            wired.bus.mend()
            assert wired.chip.on == (level is not Brightness.OFF)
            assert wired.shows(frame) or level is Brightness.OFF


def _many_frames_with_failures(
    rig: Callable[..., Any], frames: Callable[..., Any], settings: dict[str, Any], count: int
) -> None:
    wired = rig(**settings)
    chance = random.Random(23)
    failed = 0
    for frame in frames(wired.display.size, count):
        if chance.random() < 0.05:
            wired.bus.fail(chance.randrange(200), chance.choice(ERRORS))
        try:
            wired.display.show(frame)
        except OSError:
            failed += 1
            continue
        assert wired.shows(frame)
    assert failed > count // 100


RANDOM = [
    {"driver": Driver.SSD1306},
    {"driver": Driver.SSD1306, "height": 32, "rotate": 180},
    {"driver": Driver.SH1106},
    {"driver": Driver.SH1106, "height": 32, "bus": Bus.SPI},
    {"driver": Driver.SSD1309, "bus": Bus.SPI, "rotate": 180},
    {"driver": Driver.SSD1327},
    {"driver": Driver.SSD1327, "height": 128, "rotate": 180},
]


@pytest.mark.parametrize("settings", RANDOM)
def test_1000_random_frames_decode_to_what_was_drawn_also_after_failures(
    rig: Callable[..., Any], frames: Callable[..., Any], settings: dict[str, Any]
) -> None:
    _many_frames_with_failures(rig, frames, settings, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("settings", RANDOM)
def test_10000_random_frames_decode_to_what_was_drawn_also_after_failures(
    rig: Callable[..., Any], frames: Callable[..., Any], settings: dict[str, Any]
) -> None:
    _many_frames_with_failures(rig, frames, settings, 10_000)


def test_dim_lowers_contrast_pre_charge_and_vcomh(rig: Callable[..., Any]) -> None:
    wired = rig(contrast_full=200, contrast_dim=9)
    wired.display.show(pattern((128, 64)))
    full = [wired.chip.registers[code] for code in (Code.CONTRAST, Code.PRE_CHARGE, Code.VCOMH)]
    wired.display.dim(Brightness.DIM)
    dim = [wired.chip.registers[code] for code in (Code.CONTRAST, Code.PRE_CHARGE, Code.VCOMH)]
    assert full == [(200,), (0xF1,), (0x40,)]
    assert dim == [(9,), (0x1F,), (0x00,)]


def test_the_same_brightness_again_costs_nothing(rig: Callable[..., Any]) -> None:
    wired = rig()
    wired.display.show(pattern((128, 64)))
    wired.display.dim(Brightness.DIM)
    assert wired.cost(lambda: wired.display.dim(Brightness.DIM)) == 0


@pytest.mark.parametrize("bus", Bus)
def test_waking_mends_a_panel_that_was_re_plugged_while_nobody_looked(
    rig: Callable[..., Any], bus: Bus
) -> None:
    wired = rig(bus=bus)
    frame = pattern((128, 64))
    wired.display.show(frame)
    wired.display.dim(Brightness.DIM)
    wired.bus.unplug()
    wired.bus.plug()
    assert not wired.chip.on
    wired.display.dim(Brightness.FULL)
    assert wired.shows(frame)


def test_a_probe_is_the_address_and_one_byte_and_changes_nothing(rig: Callable[..., Any]) -> None:
    wired = rig()
    frame = pattern((128, 64))
    wired.display.show(frame)
    registers = dict(wired.chip.registers)
    assert wired.cost(wired.display.probe) == 2
    assert wired.chip.registers == registers
    assert wired.shows(frame)


def test_a_probe_of_an_absent_panel_fails_and_leaves_no_handle(rig: Callable[..., Any]) -> None:
    wired = rig()
    wired.bus.unplug()
    for _ in range(3):
        with pytest.raises(OSError, match="nothing answers at 0x3C on /dev/i2c-1"):
            wired.display.probe()
        assert wired.bus.opened == 0


def test_close_never_raises_and_leaves_no_handle(rig: Callable[..., Any]) -> None:
    wired = rig()
    wired.display.show(pattern((128, 64)))
    wired.bus.unplug()
    wired.display.close()
    assert wired.bus.opened == 0


@pytest.mark.parametrize("driver", Driver)
@pytest.mark.parametrize("rotate", [0, 180])
def test_packing_agrees_with_the_pixels_one_by_one(driver: Driver, rotate: int) -> None:
    size = SIZES[driver][0]
    image = Image.frombytes("1", size, random.Random(2).randbytes(size[0] * size[1] // 8))
    panel = PanelSettings(driver=driver, width=size[0], height=size[1], rotate=rotate)
    width, height = size
    lit = image.rotate(rotate).load()
    assert lit is not None
    if driver is Driver.SSD1327:
        expected = bytes(
            (0xF0 if lit[x, y] else 0) | (0x0F if lit[x + 1, y] else 0)
            for y in range(height)
            for x in range(0, width, 2)
        )
    else:
        expected = bytes(
            sum(1 << bit for bit in range(8) if lit[x, page * 8 + bit])
            for page in range(height // 8)
            for x in range(width)
        )
    assert controller(panel).pack(image) == expected
