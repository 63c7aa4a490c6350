"""Settings in one sentence each, and the dice they build on real devices."""

import os
import select
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.entropy.dice import Draw, EntropyHealth, EntropyMode, EntropyState, EntropyUnavailable
from hardware.entropy.factory import dice, seeded_dice
from hardware.entropy.settings import BadEntropySetting, EntropySettings
from hardware.entropy.sources import SourceFailed


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"mode": "seeded"},
            "entropy.mode (= 'seeded') must be one of urandom, hwrng+urandom, hwrng-only",
        ),
        ({"min_entropy": 7}, "entropy.min_entropy (= 7) must be one of 8, 4, 1"),
        ({"alpha_exponent": 25}, "entropy.alpha_exponent (= 25) must be one of 20, 30, 40"),
        ({"deadline_ms": 99}, "entropy.deadline_ms (= 99) must be 100 to 5000 ms"),
        ({"deadline_ms": 5001}, "entropy.deadline_ms (= 5001) must be 100 to 5000 ms"),
        ({"device": "hwrng"}, "entropy.device (= 'hwrng') must be an absolute path"),
        ({"dongle": "ttyACM0"}, "entropy.dongle (= 'ttyACM0') must be an absolute path"),
        (
            {"dongle": "/dev/ttyACM0"},
            (
                "entropy.dongle (= '/dev/ttyACM0') must be a name that stays with the dongle, "
                "under /dev/serial/by-id/ or /dev/serial/by-path/"
            ),
        ),
        (
            {"mode": EntropyMode.HWRNG_ONLY, "min_entropy": 4},
            (
                "entropy.min_entropy (= 4) must be 8 in mode hwrng-only, where bytes become faces "
                "as they come"
            ),
        ),
    ],
)
def test_a_bad_setting_is_one_sentence(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadEntropySetting) as caught:
        EntropySettings(**change)  # type: ignore[arg-type] # wrong values are what is tested
    assert str(caught.value) == sentence


@pytest.mark.parametrize("deadline_ms", [100, 5000])
def test_the_ends_of_the_range_are_allowed(deadline_ms: int) -> None:
    assert EntropySettings(deadline_ms=deadline_ms).deadline_ms == deadline_ms


def test_without_settings_the_kernels_generator_is_drawn_from_without_a_thread() -> None:
    before = threading.active_count()
    with dice(EntropySettings()) as urandom:
        drawn = urandom.draw(20)
        assert threading.active_count() == before
    assert (drawn.source, drawn.mode, drawn.test) == ("urandom", "urandom", False)


def draw_from(device: str, mode: EntropyMode) -> Draw:
    with dice(EntropySettings(mode=mode, device=device, deadline_ms=5000)) as some:
        return some.draw(20)


def test_a_character_device_is_drawn_from_in_the_background() -> None:
    assert draw_from("/dev/urandom", EntropyMode.HWRNG_ONLY).source == "hwrng"
    assert draw_from("/dev/urandom", EntropyMode.HWRNG_URANDOM).source == "hwrng+urandom"


@pytest.mark.parametrize(
    ("device", "reason"),
    [
        ("/dev/zero", "hwrng gave the same byte 5 times in a row"),
        ("/dev/null", "/dev/null ended"),
        ("/dev/no-such-rng", "/dev/no-such-rng does not exist"),
    ],
)
def test_a_device_that_is_none_falls_back_or_refuses(device: str, reason: str) -> None:
    drawn = draw_from(device, EntropyMode.HWRNG_URANDOM)
    assert (drawn.source, drawn.change) == ("urandom", f"urandom alone: {reason}")
    with pytest.raises(EntropyUnavailable) as caught:
        draw_from(device, EntropyMode.HWRNG_ONLY)
    assert caught.value.reason == reason


@pytest.fixture
def master(tmp_path: Path) -> Iterator[int]:
    """The world's end of a pseudo-terminal that stands for a dongle."""
    master, slave = os.openpty()
    (tmp_path / "dongle").symlink_to(os.ttyname(slave))
    os.close(slave)
    os.set_blocking(master, False)
    yield master
    os.close(master)


def stream_until(master: int, done: threading.Event) -> None:
    """Send random bytes, as fast as they are read, until the event."""
    while not done.is_set():
        if select.select([], [master], [], 0.01)[1]:
            os.write(master, os.urandom(256))


def pull(master: int) -> None:
    """Close the pseudo-terminal under its descriptor, which stays valid."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, master)
    os.close(nothing)


def test_a_dongle_is_drawn_from_and_lost_when_it_is_pulled(tmp_path: Path, master: int) -> None:
    found = threading.Event()

    def changed(health: EntropyHealth) -> None:
        if health.state is EntropyState.OK:
            found.set()

    settings = EntropySettings(
        mode=EntropyMode.HWRNG_URANDOM, dongle=str(tmp_path / "dongle"), deadline_ms=5000
    )
    with dice(settings, on_change=changed) as both:
        stream_until(master, found)
        drawn = both.draw(20)
        assert (drawn.source, drawn.change) == ("dongle+urandom", "")
        pull(master)
        # The stock of tested bytes is used up, unless the loss is noticed before.
        draws = (both.draw(100) for _ in range(20))
        drawn = next(draw for draw in draws if draw.source == "urandom")
    assert drawn.source == "urandom"
    assert "dongle" in drawn.change
    assert "is gone" in drawn.change


def test_seeded_dice_fall_the_same_each_time_and_are_marked() -> None:
    with seeded_dice(5, test=True) as one, seeded_dice(5, test=True) as two:
        assert one.draw(100) == two.draw(100)
        drawn = one.draw(1)
    assert (drawn.source, drawn.mode, drawn.test) == ("seeded(5)", "seeded", True)


def test_seeded_dice_need_the_test_flag() -> None:
    with pytest.raises(SourceFailed, match="under the test flag only"):
        seeded_dice(5, test=False)
