"""What a detent on the dial costs on the bus, over an evening's dialling in every system."""

import random
import statistics
from collections.abc import Iterator
from itertools import product

import pytest
from PIL import Image

from hardware.display.interface import Driver, PanelSettings
from hardware.display.simulated_bus import SimulatedI2cBus, simulated_chip
from hardware.display.transport import open_i2c
from hardware.display.wire import WireDisplay
from rules.registry import DEFAULT
from station import dialling
from station.dialling import Dial
from station.panel import Panel
from station.screens.layout import render
from station.show import dial_view

TURNS = (1, 1, 1, 1, 1, -1, -1, 1)
"""Detents at each value: up, and back a little."""

EVERY_DETENT = {Driver.SSD1306: 1034, Driver.SH1106: 1080}
"""Bytes that luma.oled sends for any frame of 128×64."""


def frames(panel: Panel) -> Iterator[tuple[Image.Image, bool]]:
    """Yield every frame of the evening, and whether a detent led to it."""

    def shown(dial: Dial) -> Image.Image:
        return render(dial_view(DEFAULT, dial), panel)

    for roll_button, (place, system) in product((True, False), enumerate(DEFAULT)):
        first = dialling.with_system(dialling.first_dial(DEFAULT, roll_button=roll_button), place)
        for kind in system.kinds:
            dial = dialling.with_kind(first, kind)
            yield shown(dial), False
            for _ in dialling.stops(dial):
                for turn in TURNS if dial.control else ():
                    dial = dialling.turn(dial, turn)
                    yield shown(dial), True
                dial = dialling.next_stop(dial)
                yield shown(dial), False


@pytest.mark.parametrize("driver", EVERY_DETENT)
@pytest.mark.parametrize("height", [64, 32])
def test_a_detent_costs_a_median_of_at_most_200_bytes(driver: Driver, height: int) -> None:
    panel = PanelSettings(driver=driver, height=height)
    bus = SimulatedI2cBus(simulated_chip(panel, random.Random(1)))  # noqa: S311 - repeatable
    display = WireDisplay(panel, lambda: open_i2c(panel, bus.open))
    costs = []
    before = Image.new("1", (128, height))
    for frame, by_detent in frames(Panel(128, height)):
        sent = bus.sent
        display.show(frame)
        assert bus.chip.picture().tobytes() == frame.tobytes()
        if by_detent and frame.tobytes() != before.tobytes():
            costs.append(bus.sent - sent)
        before = frame
        sent = bus.sent
        display.show(frame.copy())
        assert bus.sent == sent
    assert len(costs) > 200
    assert 20 < statistics.median(costs) <= 200
    assert max(costs) <= EVERY_DETENT[driver]
