"""How dice are drawn, as a configuration says it; apart from what draws them."""

import re
from dataclasses import dataclass
from enum import StrEnum

from hardware.errors import HardwareError

LEAST_DEADLINE_MS = 100
MOST_DEADLINE_MS = 5000
"""The range of a draw's deadline, in ms.

Whoever draws does nothing else meanwhile. A watchdog of 15 s that is told each third of that still
hears in time.
"""

FULL_ENTROPY = 8
"""The claim, in bits a byte, that lets a byte become a face without any conditioning."""

MIN_ENTROPIES = (FULL_ENTROPY, 4, 1)
"""Min-entropy H, in bits a byte, that can be claimed for a source."""

ALPHA_EXPONENTS = (20, 30, 40)
"""n, where the chance α of a false alarm of each test is 2^-n (4.4 suggests 20 to 40)."""

_RENUMBERED = re.compile(r"/dev/tty[A-Za-z]*\d+")


class EntropyMode(StrEnum):
    """Which source a draw is made from, and what happens when the hardware fails."""

    URANDOM = "urandom"
    """The kernel's generator alone, into which the kernel feeds the hardware as well."""
    HWRNG_URANDOM = "hwrng+urandom"
    """Both, by XOR; urandom alone, visibly, while the hardware may not be used."""
    HWRNG_ONLY = "hwrng-only"
    """The hardware's bytes as they are; no roll while it may not be used."""


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
