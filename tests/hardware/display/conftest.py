# ruff: noqa: S311 - tests repeat their chance
import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from PIL import Image

from hardware.display.interface import Bus, Driver, PanelSettings
from hardware.display.simulated_bus import (
    LUMA_SH1106_EXTRAS,
    SimulatedBus,
    SimulatedI2cBus,
    SimulatedSpiBus,
    simulated_chip,
)
from hardware.display.simulated_chip import SimulatedChip
from hardware.display.transport import Transport, open_i2c, open_spi
from hardware.display.wire import WireDisplay


@dataclass(frozen=True)
class Rig:
    """A panel on its simulated bus, and what a frame must look like on its glass."""

    panel: PanelSettings
    chip: SimulatedChip
    bus: SimulatedBus
    display: WireDisplay

    def on_glass(self, image: Image.Image) -> Image.Image:
        glass = Image.new("1", (self.chip.glass.width, self.chip.glass.height))
        glass.paste(image, (0, (glass.height - image.height) // 2))
        return glass.rotate(self.panel.rotate)

    def shows(self, image: Image.Image) -> bool:
        return self.chip.picture().tobytes() == self.on_glass(image).tobytes()

    def cost(self, action: Callable[[], object]) -> int:
        before = self.bus.sent
        action()
        return self.bus.sent - before


@pytest.fixture
def rig() -> Callable[..., Rig]:
    def build(seed: int = 7, **settings: object) -> Rig:
        panel = PanelSettings(**settings)  # type: ignore[arg-type]  # checked when built
        chip = simulated_chip(panel, random.Random(seed))
        opener: Callable[[], Transport]
        if panel.bus is Bus.SPI:
            spi = SimulatedSpiBus(chip)
            bus, opener = spi, lambda: open_spi(panel, spi, spi)
        else:
            i2c = SimulatedI2cBus(chip, panel.address)
            bus, opener = i2c, lambda: open_i2c(panel, i2c.open)
        return Rig(panel, chip, bus, WireDisplay(panel, opener))

    return build


@pytest.fixture
def frames() -> Callable[..., list[Image.Image]]:
    """Random frames: whole noise, small changes of the last, and repetitions."""

    def build(size: tuple[int, int], count: int, seed: int = 1) -> list[Image.Image]:
        chance = random.Random(seed)
        made = [Image.new("1", size)]
        while len(made) <= count:
            image = made[-1].copy()
            kind = chance.random()
            if kind < 0.2:
                image = Image.frombytes("1", size, chance.randbytes(size[0] * size[1] // 8))
            elif kind < 0.9:
                patch = Image.frombytes("1", (16, 8), chance.randbytes(16))
                for _ in range(chance.randint(1, 6)):
                    image.paste(
                        patch, (chance.randrange(-8, size[0]), chance.randrange(-4, size[1]))
                    )
            made.append(image)
        return made[1:]

    return build


@pytest.fixture
def luma_bus(monkeypatch: pytest.MonkeyPatch) -> Callable[[Driver, int], SimulatedI2cBus]:
    """Put a simulated panel where luma's own interface opens the bus."""

    def build(driver: Driver, height: int) -> SimulatedI2cBus:
        extras = LUMA_SH1106_EXTRAS if driver is Driver.SH1106 else frozenset()
        panel = PanelSettings(driver=driver, height=height)
        bus = SimulatedI2cBus(simulated_chip(panel, random.Random(5), extras))
        monkeypatch.setattr("smbus2.SMBus", bus.open)
        return bus

    return build
