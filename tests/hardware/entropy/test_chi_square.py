"""Ten million faces from each source that this machine can read.

The level was fixed before any face was drawn. A test fails if the chi-square statistic of the six
counts (5 degrees of freedom) exceeds what fair dice exceed with a chance of LEVEL = 10^-6, which
is 35.9. With at most two sources a run, fair dice fail one run in 500,000, so a failure is not to
be explained away by repeating it. What it would find is small: among 10^7 faces, `byte % 6` gives
a statistic of about 1,200 (each of 1 to 4 has 43 of 256 bytes, 5 and 6 have 42), and a single face
that is 0.5 % too frequent gives about 50.
"""

from collections import Counter

import pytest
from scipy.stats import chi2

from hardware.clock import SECOND, Nanoseconds, monotonic
from hardware.entropy.dice import MOST_DICE, Dice, EntropyMode, EntropyUnavailable
from hardware.entropy.factory import EntropySettings, dice
from hardware.entropy.health import Claim
from hardware.entropy.pool import Phase, Pool
from hardware.entropy.sources import HardwareRng, SourceFailed, Urandom

LEVEL = 1e-6
ALARMS = 3
"""False alarms of the health tests that are borne: 10^7 bytes have a chance of 8 % for one."""


def statistic(counts: Counter[int]) -> float:
    """Return chi-square of the counts of six equally likely faces."""
    expected = counts.total() / 6
    return sum((counts[face] - expected) ** 2 / expected for face in range(1, 7))


def check(counts: Counter[int]) -> None:
    assert set(counts) == set(range(1, 7))
    assert statistic(counts) <= chi2.isf(LEVEL, 5), counts


def test_the_statistic_finds_the_classic_bias_in_far_fewer_faces() -> None:
    biased = Counter({face: 430_000 if face <= 4 else 420_000 for face in range(1, 7)})
    assert statistic(biased) > chi2.isf(LEVEL, 5)
    with pytest.raises(AssertionError):
        check(biased)


def test_twenty_thousand_faces_of_the_kernels_generator() -> None:
    with dice(EntropySettings()) as urandom:
        check(Counter(face for _ in range(20) for face in urandom.draw(MOST_DICE).faces))


@pytest.mark.slow
def test_ten_million_faces_of_the_kernels_generator() -> None:
    counts: Counter[int] = Counter()
    with dice(EntropySettings()) as urandom:
        for _ in range(10_000):
            counts.update(urandom.draw(MOST_DICE).faces)
    assert counts.total() == 10_000_000
    check(counts)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_ten_million_faces_of_the_hardware_generator() -> None:
    """The raw source through the station's own health tests, without XOR, which would hide it."""
    deadline = Nanoseconds(30 * SECOND)
    source = HardwareRng()
    try:
        source.read(1, Nanoseconds(monotonic() + deadline))
    except SourceFailed as failed:
        pytest.skip(f"this machine has no readable hardware generator: {failed}")
    pool = Pool(source, Claim(), monotonic, deadline)
    with Dice(
        EntropyMode.HWRNG_ONLY, Urandom(), monotonic, deadline, on_change=lambda _: None, pool=pool
    ) as hardware:
        counts = faces_in_spite_of_alarms(hardware, pool)
    assert counts.total() == 10_000_000
    check(counts)


def faces_in_spite_of_alarms(hardware: Dice, pool: Pool) -> Counter[int]:
    counts: Counter[int] = Counter()
    alarms = 0
    while counts.total() < 10_000_000:
        try:
            counts.update(hardware.draw(MOST_DICE).faces)
        except EntropyUnavailable:
            alarms += 1
            assert alarms <= ALARMS, pool.condition()
            while pool.condition().phase is Phase.FAILED:
                pool.step()
    return counts
