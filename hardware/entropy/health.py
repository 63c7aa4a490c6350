"""Health tests of raw bytes from a hardware source, after NIST SP 800-90B (January 2018).

The two continuous tests of section 4.4 run over bytes, the adaptive proportion test over bits as
well, and a repetition count over every second byte finds a source that swings between two values.
The start-up test (section 4.3) is the same tests over the first START_UP bytes.
"""

from dataclasses import dataclass
from typing import Protocol

from hardware.entropy.settings import FULL_ENTROPY

PROPORTION_WINDOW = 512
"""Samples in a window of the adaptive proportion test over bytes (4.4.2: not binary, so 512)."""

BIT_WINDOW = 1024
"""Samples in a window of the adaptive proportion test over bits (4.4.2: binary, so 1,024)."""

BIT_CUTOFF = 589
"""Equal bits in BIT_WINDOW that a fair source exceeds with a chance of at most 2^-20 (4.4.2)."""

START_UP = 4096
"""Bytes of the start-up test, of which section 4.3 asks for at least 1,024.

Bits of 60/40 escape one window of BIT_WINDOW bits with a chance of 0.43, so 1,024 bytes (8
windows) would let one such source in a thousand start, 4,096 bytes (32 windows) one in 10^11.
"""

_PROPORTION_CUTOFFS = {
    (8, 20): 13, (8, 30): 16, (8, 40): 19,
    (4, 20): 62, (4, 30): 71, (4, 40): 78,
    (1, 20): 311, (1, 30): 325, (1, 40): 336,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Claim:
    """What is claimed for a source: min-entropy H (bits a byte) and false alarms α = 2^-n.

    Raises:
        ValueError: H is not one of MIN_ENTROPIES, or n not one of ALPHA_EXPONENTS.
    """

    min_entropy: int = FULL_ENTROPY
    alpha_exponent: int = 30

    def __post_init__(self) -> None:
        if (self.min_entropy, self.alpha_exponent) not in _PROPORTION_CUTOFFS:
            raise ValueError(
                f"min_entropy (= {self.min_entropy}) must be 8, 4 or 1 bits a byte and "
                f"alpha_exponent (= {self.alpha_exponent}) 20, 30 or 40"
            )

    @property
    def repetition_cutoff(self) -> int:
        """Equal bytes in a row that are a failure: 1 + ⌈-log2 α / H⌉ (4.4.1)."""
        return 1 - (-self.alpha_exponent // self.min_entropy)

    @property
    def proportion_cutoff(self) -> int:
        """Bytes in a window equal to its first: 1 + CRITBINOM(512, 2^-H, 1 - α) (4.4.2)."""
        return _PROPORTION_CUTOFFS[self.min_entropy, self.alpha_exponent]


class HealthTest(Protocol):
    """A continuous test."""

    @property
    def finding(self) -> str:
        """What a failure of this test says about the source."""

    def feed(self, byte: int) -> bool:
        """Take the next byte (0 to 255); True means that the source has failed."""


class RepetitionCount:
    """The repetition count test (4.4.1) over each byte and the one `lag` bytes before it.

    With lag 1 it is the standard's. Independent bytes of min-entropy H agree with the one two
    places before as seldom as with their neighbour, so the same cut-off holds for lag 2, which
    finds a source that swings between two values even where only H = 1 is claimed.
    """

    def __init__(self, cutoff: int, lag: int) -> None:
        self._cutoff = cutoff
        self._lag = lag
        self._previous: list[int] = []
        self._run = 1

    @property
    def finding(self) -> str:
        """What a failure of this test says about the source."""
        if self._lag == 1:
            return f"gave the same byte {self._cutoff} times in a row"
        return f"repeated itself every {self._lag} bytes, {self._cutoff - 1} times in a row"

    def feed(self, byte: int) -> bool:
        """Take the next byte (0 to 255); True means that the source has failed."""
        if len(self._previous) < self._lag:
            self._previous.append(byte)
            return False
        self._run = self._run + 1 if byte == self._previous.pop(0) else 1
        self._previous.append(byte)
        return self._run >= self._cutoff


class AdaptiveProportion:
    """The adaptive proportion test (4.4.2) over bytes."""

    def __init__(self, cutoff: int) -> None:
        self._cutoff = cutoff
        self._seen = 0
        self._first = 0
        self._equal = 0

    @property
    def finding(self) -> str:
        """What a failure of this test says about the source."""
        return f"gave one byte {self._cutoff} times within {PROPORTION_WINDOW}"

    def feed(self, byte: int) -> bool:
        """Take the next byte (0 to 255); True means that the source has failed."""
        if self._seen == 0:
            self._first = byte
            self._equal = 0
        self._equal += byte == self._first
        self._seen = (self._seen + 1) % PROPORTION_WINDOW
        return self._equal >= self._cutoff


class BitProportion:
    """The adaptive proportion test (4.4.2) over bits, the highest bit of a byte first.

    A window is a whole number of bytes, so the bits of a byte are counted together.
    """

    finding = f"gave {BIT_CUTOFF} equal bits within {BIT_WINDOW}"

    def __init__(self) -> None:
        self._seen = 0
        self._first = 0
        self._equal = 0

    def feed(self, byte: int) -> bool:
        """Take the next byte (0 to 255); True means that the source has failed."""
        if self._seen == 0:
            self._first = byte >> 7
            self._equal = 0
        ones = byte.bit_count()
        self._equal += ones if self._first else 8 - ones
        self._seen = (self._seen + 8) % BIT_WINDOW
        return self._equal >= BIT_CUTOFF


def continuous_tests(claim: Claim) -> tuple[HealthTest, ...]:
    """Return fresh tests for a source of which `claim` is claimed.

    The test over bits is run only where all 8 bits of a byte are claimed to be fair: from a lower
    claim nothing follows for a single bit, and a source that keeps it would be refused.
    """
    tests: tuple[HealthTest, ...] = (
        RepetitionCount(claim.repetition_cutoff, lag=1),
        RepetitionCount(claim.repetition_cutoff, lag=2),
        AdaptiveProportion(claim.proportion_cutoff),
    )
    return (*tests, BitProportion()) if claim.min_entropy == FULL_ENTROPY else tests


class HealthMonitor:
    """Runs the tests over a source; a failure latches until a start-up test has passed."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._tests = continuous_tests(claim)
        self._halted = False
        self.tested = 0
        """Bytes that passed since the start-up test began."""
        self.failure = ""
        """What was found last; empty once a start-up test has passed since."""

    @property
    def trusted(self) -> bool:
        """True from the end of a passed start-up test to the next failure."""
        return not self._halted and self.tested >= START_UP

    @property
    def halted(self) -> bool:
        """True from a failure to `restart`; bytes fed in between are ignored."""
        return self._halted

    def feed(self, data: bytes) -> None:
        """Test bytes in the order in which the source gave them."""
        for byte in data:
            if self._halted:
                return
            self._test(byte)

    def halt(self, failure: str) -> None:
        """Latch a failure that was found by other means: silence, or a device that is gone."""
        self._halted = True
        self.failure = failure

    def restart(self) -> None:
        """Begin a start-up test; the failure found last stays until it has passed."""
        self._tests = continuous_tests(self._claim)
        self._halted = False
        self.tested = 0

    def _test(self, byte: int) -> None:
        for test in self._tests:
            if test.feed(byte):
                self.halt(test.finding)
                return
        self.tested += 1
        if self.tested == START_UP:
            self.failure = ""
