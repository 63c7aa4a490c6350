# ruff: noqa: S311 - tests repeat their chance
import errno
import gc
import os
import random
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.display.factory import test_pattern as pattern
from hardware.display.interface import Brightness, Bus, DisplayError, Driver
from hardware.display.link import DisplayHealth, Link
from hardware.display.simulated_chip import DataSheetError

FULL = Brightness.FULL


class Told(list[DisplayHealth]):
    def __call__(self, health: DisplayHealth) -> None:
        self.append(health)


def _ns(milliseconds: float) -> Nanoseconds:
    return Nanoseconds(int(milliseconds * MILLISECOND))


def test_a_panel_that_is_there_is_found_at_the_first_step(rig: Callable[..., Any]) -> None:
    wired, told = rig(), Told()
    link = Link(wired.display, told)
    frame = pattern((128, 64))
    assert link.health is None
    link.want(frame, FULL)
    assert link.step(_ns(5)) == _ns(1005)
    assert wired.shows(frame)
    assert told == [DisplayHealth(found=True, reason="", losses=0, since=_ns(5))]
    assert link.health == told[0]


def test_an_absent_panel_is_sought_at_growing_intervals_for_two_bytes_each(
    rig: Callable[..., Any],
) -> None:
    wired, told = rig(), Told()
    wired.bus.unplug()
    link = Link(wired.display, told)
    now, waits, transfers = _ns(0), [], []
    for _ in range(8):
        before = wired.bus.transfers
        due = link.step(now)
        transfers.append(wired.bus.transfers - before)
        assert link.step(Nanoseconds(due - 1)) == due
        waits.append((due - now) / SECOND)
        now = due
    assert waits == [0.25, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert transfers == [1] * 8
    assert wired.bus.opened == 0
    assert len(told) == 1
    assert not told[0].found
    assert told[0].reason == "nothing answers at 0x3C on /dev/i2c-1"


def test_a_lost_panel_is_reported_once_and_comes_back_whole(rig: Callable[..., Any]) -> None:
    wired, told = rig(), Told()
    link = Link(wired.display, told)
    link.want(pattern((128, 64)), Brightness.DIM)
    link.step(_ns(0))
    wired.bus.unplug(5)
    link.want(Image.new("1", (128, 64)), Brightness.DIM)
    assert link.step(_ns(100)) == _ns(350)
    assert [health.found for health in told] == [True, False]
    assert told[-1].losses == 1
    link.step(_ns(350))
    link.step(_ns(850))
    latest = pattern((128, 64)).rotate(180)
    link.want(latest, Brightness.DIM)
    wired.bus.plug()
    link.step(_ns(1850))
    assert [health.found for health in told] == [True, False, True]
    assert wired.shows(latest)
    assert wired.chip.contrast == wired.panel.contrast_dim


def test_an_idle_panel_is_checked_every_second_and_its_loss_noticed(
    rig: Callable[..., Any],
) -> None:
    wired, told = rig(), Told()
    link = Link(wired.display, told)
    link.step(_ns(0))
    assert wired.cost(lambda: link.step(_ns(999))) == 0
    assert wired.cost(lambda: link.step(_ns(1000))) == 2
    wired.bus.unplug()
    assert link.step(_ns(1500)) == _ns(2000)
    link.step(_ns(2000))
    assert [health.found for health in told] == [True, False]


@pytest.mark.parametrize("level", [Brightness.DIM, Brightness.OFF])
def test_a_panel_that_nobody_looks_at_is_checked_every_three_seconds(
    rig: Callable[..., Any], level: Brightness
) -> None:
    wired, told = rig(), Told()
    link = Link(wired.display, told)
    link.want(pattern((128, 64)), level)
    link.step(_ns(0))
    link.step(_ns(1000))
    wired.bus.unplug()
    assert link.step(_ns(3999)) == _ns(4000)
    link.step(_ns(4000))
    assert [health.found for health in told] == [True, False]


def test_equal_frames_cost_nothing_and_do_not_put_the_check_off(rig: Callable[..., Any]) -> None:
    wired, told = rig(), Told()
    link = Link(wired.display, told)
    link.want(pattern((128, 64)), FULL)
    link.step(_ns(0))
    wired.bus.unplug()
    for now in range(100, 1000, 100):
        link.want(pattern((128, 64)), FULL)
        assert wired.cost(lambda now=now: link.step(_ns(now))) == 0
    link.want(pattern((128, 64)), FULL)
    link.step(_ns(1000))
    assert [health.found for health in told] == [True, False]


def _blip(wired: Any) -> None:
    """Take a panel's power for less time than anybody looks."""
    wired.bus.unplug()
    wired.bus.plug()


@pytest.mark.parametrize("bus", Bus)
def test_a_panel_that_was_dark_for_a_moment_is_set_up_again_within_a_minute(
    rig: Callable[..., Any], bus: Bus
) -> None:
    wired = rig(bus=bus)
    link = Link(wired.display, Told())
    frame = pattern((128, 64))
    link.want(frame, FULL)
    due = link.step(_ns(0))
    _blip(wired)
    while due < _ns(60_000):
        assert not wired.chip.on
        due = link.step(due)
    link.step(due)
    assert wired.shows(frame)
    assert wired.chip.on


def test_a_panel_in_use_that_was_dark_for_a_moment_is_whole_at_the_next_quiet_second(
    rig: Callable[..., Any],
) -> None:
    wired = rig()
    link = Link(wired.display, Told())
    frames = [pattern((128, 64)), pattern((128, 64)).rotate(180)]
    link.step(_ns(0))
    _blip(wired)
    for count in range(60):
        link.want(frames[count % 2], FULL)
        due = link.step(_ns(count * 100))
        assert not wired.chip.on
    for _ in range(2):
        due = link.step(due)
    assert wired.shows(frames[1])
    assert wired.cost(lambda: link.step(due)) == 2


def test_a_panel_that_sleeps_is_left_alone(rig: Callable[..., Any]) -> None:
    wired = rig()
    link = Link(wired.display, Told())
    link.want(pattern((128, 64)), Brightness.OFF)
    due = link.step(_ns(0))
    while due < _ns(200_000):
        assert wired.cost(lambda: link.step(due)) == 2  # noqa: B023 - called at once
        due = link.step(due)


@pytest.mark.parametrize("level", [FULL, Brightness.DIM])
@pytest.mark.parametrize("driver", Driver)
def test_a_panel_that_kept_its_power_shows_nothing_of_its_refreshment(
    rig: Callable[..., Any], driver: Driver, level: Brightness, monkeypatch: pytest.MonkeyPatch
) -> None:
    wired = rig(driver=driver)
    frame = pattern((128, 64))
    wired.display.start(frame, level)
    take, seen = wired.bus._write, []  # noqa: SLF001 - to look after each transfer

    def watched(address: int, payload: bytes) -> None:
        take(address, payload)
        seen.append(wired.chip.on and wired.shows(frame))

    contrast = wired.chip.contrast
    monkeypatch.setattr(wired.bus, "_write", watched)
    wired.display.refresh()
    assert len(seen) > 4
    assert all(seen)
    assert wired.chip.contrast == contrast
    wired.display.close()
    wired.display.refresh()
    assert wired.chip.on


def test_frames_and_brightness_in_between_are_never_sent(rig: Callable[..., Any]) -> None:
    wired, told = rig(), Told()
    link = Link(wired.display, told)
    link.step(_ns(0))
    frame = pattern((128, 64))
    link.want(frame.rotate(180), Brightness.OFF)
    link.want(frame, FULL)
    once = wired.cost(lambda: link.step(_ns(10)))
    assert wired.shows(frame)
    assert wired.cost(lambda: link.step(_ns(20))) == 0
    assert once <= 1034


def test_a_waking_panel_does_not_flash_its_last_picture(rig: Callable[..., Any]) -> None:
    wired = rig()
    link = Link(wired.display, Told())
    last, latest = pattern((128, 64)), Image.new("1", (128, 64), 1)
    for round_, after in enumerate(range(0, 1300, 13)):
        now = round_ * 20_000
        link.want(last, Brightness.OFF)
        link.step(_ns(now))
        assert not wired.chip.on
        wired.bus.fail(after)
        link.want(latest, FULL)
        link.step(_ns(now + 5000))
        assert not wired.chip.on or wired.shows(latest)
        wired.bus.mend()
        link.step(_ns(now + 10_000))
        assert wired.shows(latest)


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ENXIO, "nothing answers at 0x3C on /dev/i2c-1"),
        (errno.ETIMEDOUT, "/dev/i2c-1 hangs: something holds SDA or SCL low"),
        (errno.EIO, "/dev/i2c-1 failed at 0x3C: Input/output error"),
    ],
)
def test_a_transfer_that_failed_is_told_in_words(
    rig: Callable[..., Any], number: int, reason: str
) -> None:
    wired, told = rig(), Told()
    wired.bus.fail(0, number)
    Link(wired.display, told).step(_ns(0))
    assert told[0].reason == reason


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError("gone"), "gone"),
        (OSError(errno.EIO, "write"), "Input/output error"),
        (DisplayError("no bus"), "no bus"),
    ],
)
def test_whatever_the_bus_throws_is_a_loss(
    error: Exception, reason: str, rig: Callable[..., Any]
) -> None:
    wired, told = rig(), Told()

    class Dead(type(wired.display)):  # type: ignore[misc]  # only probe differs
        def probe(self) -> None:
            raise error

    link = Link(Dead(wired.panel, lambda: None), told)  # type: ignore[arg-type]  # never opened
    link.step(_ns(0))
    assert told[0].reason == reason


def test_a_fault_of_the_driver_is_no_loss_but_shows(rig: Callable[..., Any]) -> None:
    wired = rig()
    link = Link(wired.display, Told())
    link.step(_ns(0))
    wired.chip.take_commands(b"\x20")
    link.want(pattern((128, 64)), FULL)
    with pytest.raises(DataSheetError):
        link.step(_ns(1))


def _handles() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _unplug_and_plug(
    rig: Callable[..., Any], frames: Callable[..., Any], driver: Driver, times: int
) -> None:
    wired, told = rig(driver=driver), Told()
    link = Link(wired.display, told)
    evening = _Evening(wired, link, random.Random(99), frames(wired.display.size, 50))
    for _ in range(50):  # until every cache is filled
        evening.unplug_and_plug()
    told.clear()
    gc.collect()
    threads, handles, losses = threading.active_count(), _handles(), evening.losses()
    tracemalloc.start()
    start, resident = tracemalloc.get_traced_memory()[0], _resident()
    for _ in range(times):
        evening.unplug_and_plug()
        told.clear()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - start
    tracemalloc.stop()
    assert evening.slowest <= 2 * SECOND
    assert grown < 1_000_000
    assert _resident() - resident < 1_000_000
    assert threading.active_count() == threads
    assert _handles() == handles
    assert evening.losses() - losses >= times
    assert wired.bus.opened == 1


class _Evening:
    """A link, its panel that comes and goes, and the time that this takes."""

    def __init__(
        self, wired: Any, link: Link, chance: random.Random, shots: list[Image.Image]
    ) -> None:
        self.wired, self.link, self.chance, self.shots = wired, link, chance, shots
        self.now = self.slowest = 0

    def losses(self) -> int:
        assert self.link.health is not None
        return self.link.health.losses

    def step(self) -> Nanoseconds:
        # A byte takes nine clocks of a bus at the Pi's default rate of 100 kHz.
        before = self.wired.bus.sent
        due = self.link.step(Nanoseconds(self.now))
        self.now += (self.wired.bus.sent - before) * 90_000
        return due

    def unplug_and_plug(self) -> None:
        wired, link, chance = self.wired, self.link, self.chance
        wired.bus.unplug(chance.randrange(1, 1500))
        while wired.bus.plugged:
            link.want(chance.choice(self.shots), chance.choice((FULL, Brightness.DIM)))
            self.step()
            self.now += chance.randrange(SECOND)
        for _ in range(chance.randrange(6)):
            due = self.step()
            self.now = max(due, self.now) if chance.random() < 0.7 else self.now + SECOND // 9
        frame, level = chance.choice(self.shots), chance.choice((FULL, Brightness.DIM))
        link.want(frame, level)
        wired.bus.plug()
        plugged_at = self.now
        while not (link.health and link.health.found):
            self.now = max(self.step(), self.now)
            self.step()
        self.slowest = max(self.slowest, self.now - plugged_at)
        assert wired.shows(frame)
        dim, full = wired.panel.contrast_dim, wired.panel.contrast_full
        assert wired.chip.contrast == (full if level is FULL else dim)


def test_1000_unplugs_at_random_bytes_each_end_in_a_whole_picture_within_two_seconds(
    rig: Callable[..., Any], frames: Callable[..., Any]
) -> None:
    _unplug_and_plug(rig, frames, Driver.SSD1306, 1000)


@pytest.mark.parametrize("driver", [Driver.SH1106, Driver.SSD1309, Driver.SSD1327])
def test_100_unplugs_with_the_other_drivers(
    rig: Callable[..., Any], frames: Callable[..., Any], driver: Driver
) -> None:
    _unplug_and_plug(rig, frames, driver, 100)


@pytest.mark.slow
@pytest.mark.parametrize("driver", [Driver.SH1106, Driver.SSD1309, Driver.SSD1327])
def test_1000_unplugs_with_the_other_drivers(
    rig: Callable[..., Any], frames: Callable[..., Any], driver: Driver
) -> None:
    _unplug_and_plug(rig, frames, driver, 1000)


def test_1000_silent_re_plugs_on_spi_are_mended_by_the_next_waking(
    rig: Callable[..., Any],
) -> None:
    wired = rig(bus=Bus.SPI)
    link = Link(wired.display, Told())
    frame = pattern((128, 64))
    link.want(frame, FULL)
    link.step(_ns(0))
    for round_ in range(1, 1001):
        wired.bus.unplug()
        wired.bus.plug()
        link.want(frame, Brightness.DIM)
        link.step(_ns(2 * round_))
        link.want(frame, FULL)
        link.step(_ns(2 * round_ + 1))
        assert wired.shows(frame)
