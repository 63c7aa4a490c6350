"""Builds the dice from settings."""

from collections.abc import Callable

from hardware.clock import MILLISECOND, Clock, Nanoseconds, monotonic
from hardware.entropy.dice import Dice, OnChange
from hardware.entropy.health import Claim
from hardware.entropy.pool import BackgroundPool
from hardware.entropy.settings import EntropyMode, EntropySettings
from hardware.entropy.sources import EntropySource, HardwareRng, Pause, Rest, Urandom, seeded

SEEDED_MODE = "seeded"
"""What draws from a seeded source have for a mode; no setting can ask for it."""


def dice(
    settings: EntropySettings,
    clock: Clock = monotonic,
    on_change: OnChange = lambda _: None,
    is_ending: Callable[[], bool] = lambda: False,
) -> Dice:
    """Return dice as the settings ask for, already filling their stock; close them after use.

    A device that is missing is no error here: the dice say so in `health` and in each draw. Once
    `is_ending` is true no draw waits for the hardware any longer; from any thread.
    """
    deadline = Nanoseconds(settings.deadline_ms * MILLISECOND)
    if settings.mode == EntropyMode.URANDOM:
        return Dice(settings.mode, Urandom(), clock, deadline, on_change=on_change)
    claim = Claim(settings.min_entropy, settings.alpha_exponent)
    rest = Rest()
    source = _hardware(settings, clock, rest)
    pool = BackgroundPool(source, claim, clock, deadline, interrupt=rest.end, is_ending=is_ending)
    result = Dice(settings.mode, Urandom(), clock, deadline, on_change=on_change, pool=pool)
    pool.start()
    return result


def seeded_dice(
    seed: int,
    *,
    test: bool,
    clock: Clock = monotonic,
    on_change: OnChange = lambda _: None,
) -> Dice:
    """Return dice that fall the same each time and mark each draw as a test.

    Raises:
        SourceFailed: `test` is not set.
    """
    deadline = Nanoseconds(EntropySettings().deadline_ms * MILLISECOND)
    source = seeded(seed, test=test)
    return Dice(SEEDED_MODE, source, clock, deadline, on_change=on_change)


def _hardware(settings: EntropySettings, clock: Clock, pause: Pause) -> EntropySource:
    if not settings.dongle:
        return HardwareRng(settings.device, clock, pause)
    # Only a station with a dongle needs pyserial for its entropy.
    from hardware.entropy.dongle import SerialDongle  # noqa: PLC0415

    return SerialDongle(settings.dongle, clock, pause)
