"""Builds the dice from settings."""

import re
from dataclasses import dataclass

from hardware.clock import MILLISECOND, Clock, Nanoseconds, monotonic
from hardware.entropy.dice import Dice, EntropyMode, OnChange
from hardware.entropy.health import ALPHA_EXPONENTS, FULL_ENTROPY, MIN_ENTROPIES, Claim
from hardware.entropy.pool import BackgroundPool
from hardware.entropy.sources import EntropySource, HardwareRng, Urandom, seeded
from hardware.errors import HardwareError

LEAST_DEADLINE_MS = 100
MOST_DEADLINE_MS = 60_000
"""The range of a draw's deadline, in ms."""

SEEDED_MODE = "seeded"
"""What draws from a seeded source have for a mode; no setting can ask for it."""

_RENUMBERED = re.compile(r"/dev/tty[A-Za-z]*\d+")


class BadEntropySetting(HardwareError, ValueError):  # noqa: N818 - reads as what it is
    """A setting is outside its range; the message names it, its value and what is allowed."""


@dataclass(frozen=True, slots=True)
class EntropySettings:
    """How dice are drawn.

    Attributes:
        mode: Which sources, and what happens when the hardware fails.
        device: The kernel device to read in the hwrng modes.
        dongle: The serial port of a dongle to read instead of `device`, by a name that stays;
            empty for none.
        min_entropy: What is claimed for the hardware: H, 8, 4 or 1 bits a byte.
        alpha_exponent: n of the chance 2^-n of a false alarm of each health test: 20, 30 or 40.
        deadline_ms: The longest that a draw waits for the hardware (ms).

    Raises:
        BadEntropySetting: A value is not allowed.
    """

    mode: EntropyMode = EntropyMode.URANDOM
    device: str = "/dev/hwrng"
    dongle: str = ""
    min_entropy: int = FULL_ENTROPY
    alpha_exponent: int = 30
    deadline_ms: int = 2000

    def __post_init__(self) -> None:
        _one_of("mode", self.mode, tuple(str(mode) for mode in EntropyMode))
        _one_of("min_entropy", self.min_entropy, MIN_ENTROPIES)
        _one_of("alpha_exponent", self.alpha_exponent, ALPHA_EXPONENTS)
        _check_path("device", self.device)
        if self.dongle:
            _check_path("dongle", self.dongle)
            _check_stable(self.dongle)
        if not LEAST_DEADLINE_MS <= self.deadline_ms <= MOST_DEADLINE_MS:
            raise BadEntropySetting(
                f"entropy.deadline_ms (= {self.deadline_ms}) must be "
                f"{LEAST_DEADLINE_MS} to {MOST_DEADLINE_MS} ms"
            )
        if self.mode == EntropyMode.HWRNG_ONLY and self.min_entropy != FULL_ENTROPY:
            raise BadEntropySetting(
                f"entropy.min_entropy (= {self.min_entropy}) must be {FULL_ENTROPY} in mode "
                f"{EntropyMode.HWRNG_ONLY}, where bytes become faces as they come"
            )


def dice(
    settings: EntropySettings,
    clock: Clock = monotonic,
    on_change: OnChange = lambda _: None,
) -> Dice:
    """Return dice as the settings ask for, already filling their stock; close them after use.

    A device that is missing is no error here: the dice say so in `health` and in each draw.
    """
    deadline = Nanoseconds(settings.deadline_ms * MILLISECOND)
    if settings.mode == EntropyMode.URANDOM:
        return Dice(settings.mode, Urandom(), clock, deadline, on_change=on_change)
    claim = Claim(settings.min_entropy, settings.alpha_exponent)
    pool = BackgroundPool(_hardware(settings, clock), claim, clock, deadline)
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


def _hardware(settings: EntropySettings, clock: Clock) -> EntropySource:
    if not settings.dongle:
        return HardwareRng(settings.device, clock)
    # Only a station with a dongle needs pyserial for its entropy.
    from hardware.entropy.dongle import SerialDongle  # noqa: PLC0415

    return SerialDongle(settings.dongle, clock)


def _one_of(key: str, value: object, allowed: tuple[object, ...]) -> None:
    if value not in allowed:
        names = ", ".join(str(each) for each in allowed)
        raise BadEntropySetting(f"entropy.{key} (= {value!r}) must be one of {names}")


def _check_path(key: str, path: str) -> None:
    if not path.startswith("/"):
        raise BadEntropySetting(f"entropy.{key} (= {path!r}) must be an absolute path")


def _check_stable(path: str) -> None:
    if _RENUMBERED.fullmatch(path):
        raise BadEntropySetting(
            f"entropy.dongle (= {path!r}) must be a name that stays with the dongle, under "
            "/dev/serial/by-id/ or /dev/serial/by-path/"
        )
