"""Every screen in every state looks as it did: pixel for pixel, on both panels and any driver."""

import random
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest
from PIL import Image, ImageChops

from hardware.display.interface import Brightness, Bus, Driver, PanelSettings
from hardware.display.simulated_bus import SimulatedI2cBus, SimulatedSpiBus, simulated_chip
from hardware.display.transport import open_i2c, open_spi
from hardware.display.wire import WireDisplay
from station.panel import Panel
from station.simulator.gallery import PANELS, Shot, shots
from station.simulator.scenes import ACTS
from station.views import View

GOLDEN = Path(__file__).parents[2] / "golden"
"""The images, a folder for each size of panel."""

NAMES = [scene.name for act in ACTS for scene in act]

both_panels = pytest.mark.parametrize("panel", PANELS, ids=lambda panel: folder_of(panel).name)


def folder_of(panel: Panel) -> Path:
    return GOLDEN / f"{panel.width}x{panel.height}"


@pytest.fixture(scope="module")
def shown() -> Callable[[Panel], tuple[Shot, ...]]:
    """Play all scenes on a panel; once is enough."""
    return cache(lambda panel: tuple(shots(panel)))


def differing(golden: Image.Image, frame: Image.Image) -> str:
    """Return where two frames differ, in words; empty where they don't."""
    if golden.size != frame.size:
        return f"the golden image has {golden.size} pixels, the frame {frame.size}"
    box = ImageChops.difference(golden.convert("L"), frame.convert("L")).getbbox()
    return f"pixels differ within {box}" if box else ""


def faults_of(shot: Shot, panel: Panel) -> str:
    """Return what is wrong with a screen, in words; empty where nothing is."""
    path = folder_of(panel) / f"{shot.name}.png"
    if not path.exists():
        return f"{shot.name}: no golden image"
    with Image.open(path) as golden:
        found = differing(golden, shot.frame)
    return f"{shot.name}: {found}" if found else ""


def drawn_anew(panel: Panel, shown: tuple[Shot, ...]) -> list[str]:
    """Draw all golden images of a panel anew; return the names of those that changed."""
    folder = folder_of(panel)
    folder.mkdir(parents=True, exist_ok=True)
    changed = []
    for shot in shown:
        if faults_of(shot, panel):
            shot.frame.save(folder / f"{shot.name}.png", optimize=True)
            changed.append(shot.name)
    for path in folder.glob("*.png"):
        if path.stem not in NAMES:
            path.unlink()
            changed.append(path.stem)
    return changed


@both_panels
def test_every_screen_is_as_its_golden_image(
    panel: Panel, pytestconfig: pytest.Config, shown: Callable[[Panel], tuple[Shot, ...]]
) -> None:
    if pytestconfig.getoption("--regold"):
        changed = drawn_anew(panel, shown(panel))
        pytest.fail(f"drawn anew, to be looked at: {', '.join(changed) or 'none'}")
    found = [fault for shot in shown(panel) if (fault := faults_of(shot, panel))]
    assert found == [], "look at the screens, and if they are right draw them with --regold"


@both_panels
def test_every_golden_image_is_of_a_scene(panel: Panel) -> None:
    assert sorted(path.stem for path in folder_of(panel).glob("*.png")) == sorted(NAMES)


def test_one_pixel_more_is_seen() -> None:
    frame = Image.new("1", (128, 64))
    other = frame.copy()
    other.putpixel((5, 7), 1)
    assert differing(frame, frame) == ""
    assert differing(frame, other) == "pixels differ within (5, 7, 6, 8)"


@both_panels
def test_the_scenes_show_every_kind_of_screen(
    panel: Panel, shown: Callable[[Panel], tuple[Shot, ...]]
) -> None:
    # What lasts no longer than a draw of dice is never on a picture.
    kinds = {type(shot.view).__name__ for shot in shown(panel)}
    assert kinds == {kind.__name__ for kind in get_args(View)} - {"BusyView"}


@both_panels
def test_two_neighbouring_scenes_never_look_alike(
    panel: Panel, shown: Callable[[Panel], tuple[Shot, ...]]
) -> None:
    frames = [(shot.name, shot.frame.tobytes()) for shot in shown(panel)]
    alike = [name for (name, frame), (_, following) in pairwise(frames) if frame == following]
    assert alike == (["about"] if not panel.low else [])


DRIVEN = [
    (driver, panel)
    for driver in Driver
    for panel in PANELS
    if driver is not Driver.SSD1327 or not panel.low
]


@pytest.mark.parametrize(("driver", "panel"), DRIVEN)
@pytest.mark.parametrize("bus", [Bus.I2C, pytest.param(Bus.SPI, marks=pytest.mark.slow)])
def test_each_golden_image_arrives_on_the_glass(driver: Driver, panel: Panel, bus: Bus) -> None:
    settings = PanelSettings(driver=driver, height=height_of(driver, panel), bus=bus)
    chip = simulated_chip(settings, random.Random(3))  # noqa: S311 - what memory holds at first
    if bus is Bus.SPI:
        spi = SimulatedSpiBus(chip)
        display = WireDisplay(settings, lambda: open_spi(settings, spi, spi))
    else:
        i2c = SimulatedI2cBus(chip, settings.address)
        display = WireDisplay(settings, lambda: open_i2c(settings, i2c.open))
    display.start(Image.new("1", display.size), Brightness.FULL)
    for path in sorted(folder_of(panel).glob("*.png")):
        with Image.open(path) as golden:
            frame = Image.new("1", display.size)
            frame.paste(golden, (0, 0))
        display.show(frame)
        glass = Image.new("1", (chip.glass.width, chip.glass.height))
        glass.paste(frame, (0, (glass.height - frame.height) // 2))
        assert chip.picture().tobytes() == glass.tobytes(), path.stem


def height_of(driver: Driver, panel: Panel) -> int:
    return 128 if driver is Driver.SSD1327 else panel.height
