"""The health tests keep to SP 800-90B and find each fault within its number of bytes."""

import math
from collections.abc import Callable, Iterator
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from hardware.entropy.health import (
    BIT_CUTOFF,
    BIT_WINDOW,
    PROPORTION_WINDOW,
    START_UP,
    AdaptiveProportion,
    BitProportion,
    Claim,
    HealthMonitor,
    HealthTest,
    RepetitionCount,
)
from hardware.entropy.settings import ALPHA_EXPONENTS, MIN_ENTROPIES

EVERY_CLAIM = [Claim(h, n) for h in MIN_ENTROPIES for n in ALPHA_EXPONENTS]
LEADS = (0, 1, 7, 100, 127, 128, 129, 511, 512, 513, 1000)
"""Healthy bytes before a fault, so that it begins anywhere in a window."""


def first_failure(test: HealthTest, data: Iterator[int] | bytes) -> int | None:
    """Return after how many bytes the test failed."""
    return next((i for i, byte in enumerate(data, 1) if test.feed(byte)), None)


def bytes_to_failure(claim: Claim, lead: bytes, fault: Iterator[int], limit: int) -> int | None:
    """Return after how many bytes of the fault the monitor failed, if within the limit."""
    monitor = HealthMonitor(claim)
    monitor.feed(lead)
    assert not monitor.halted
    for count, byte in enumerate(islice(fault, limit), 1):
        monitor.feed(bytes([byte]))
        if monitor.halted:
            return count
    return None


@pytest.mark.parametrize("claim", EVERY_CLAIM, ids=str)
def test_the_byte_cutoffs_are_those_of_the_formulas(claim: Claim) -> None:
    alpha = 2.0**-claim.alpha_exponent
    likeliest = 2.0**-claim.min_entropy
    assert claim.repetition_cutoff == 1 + math.ceil(-math.log2(alpha) / claim.min_entropy)
    critical = binom.ppf(1 - alpha, PROPORTION_WINDOW, likeliest)
    assert claim.proportion_cutoff == 1 + critical


def test_the_bit_cutoff_is_that_of_the_formula_for_fair_bits() -> None:
    assert 1 + binom.ppf(1 - 2.0**-20, BIT_WINDOW, 0.5) == BIT_CUTOFF


@pytest.mark.parametrize(
    ("min_entropy", "repetition", "proportion"),
    [
        (8, (4, 5, 6), (13, 16, 19)),
        (4, (6, 9, 11), (62, 71, 78)),
        (1, (21, 31, 41), (311, 325, 336)),
    ],
)
def test_the_published_table_of_cutoffs(
    min_entropy: int, repetition: tuple[int, ...], proportion: tuple[int, ...]
) -> None:
    claims = [Claim(min_entropy, n) for n in (20, 30, 40)]
    assert tuple(claim.repetition_cutoff for claim in claims) == repetition
    assert tuple(claim.proportion_cutoff for claim in claims) == proportion


@pytest.mark.parametrize(("min_entropy", "exponent"), [(7, 30), (0, 20), (8, 25), (8, 0)])
def test_other_claims_are_refused(min_entropy: int, exponent: int) -> None:
    with pytest.raises(ValueError, match=rf"min_entropy \(= {min_entropy}\) must be 8, 4 or 1"):
        Claim(min_entropy, exponent)


@pytest.mark.parametrize("cutoff", [4, 5, 6, 9, 11, 21, 31, 41])
def test_repetition_fails_at_its_cutoff_and_not_one_before(cutoff: int) -> None:
    almost = (b"\x07" * (cutoff - 1) + b"\x09" * (cutoff - 1)) * 5
    assert first_failure(RepetitionCount(cutoff, lag=1), almost) is None
    assert first_failure(RepetitionCount(cutoff, lag=1), almost + b"\x07" * cutoff) == (
        len(almost) + cutoff
    )


@given(st.lists(st.integers(0, 1), max_size=60), st.integers(2, 6), st.integers(1, 2))
def test_repetition_agrees_with_a_plain_search(data: list[int], cutoff: int, lag: int) -> None:
    expected = next(
        (
            end
            for end in range(1, len(data) + 1)
            if end >= cutoff - 1 + lag
            and all(data[i] == data[i - lag] for i in range(end - cutoff + 1, end))
        ),
        None,
    )
    assert first_failure(RepetitionCount(cutoff, lag), bytes(data)) == expected


@given(st.binary(min_size=1, max_size=1), st.integers(0, 10_000))
def test_proportion_counts_the_first_byte_of_each_window_alone(first: bytes, seed: int) -> None:
    """Other bytes may be as frequent as they like; the next window has its own first byte."""
    cutoff = 13
    other = bytes([first[0] ^ 0xFF])
    spread = [first] * (cutoff - 1) + [other] * (PROPORTION_WINDOW - cutoff + 1)
    turned = spread[:1] + spread[1 + seed % 500 :] + spread[1 : 1 + seed % 500]
    window = b"".join(turned)
    assert len(window) == PROPORTION_WINDOW
    test = AdaptiveProportion(cutoff)
    assert first_failure(test, window) is None
    # Twelve in the last window do not count in this one.
    assert first_failure(test, first * cutoff) == cutoff


def test_bit_proportion_fails_at_589_of_1024_and_not_at_588() -> None:
    ones, zeros = b"\xff", b"\x00"
    # 1 first, then 73 bytes of ones (584), and 4 of the next byte: 588.
    passes = ones * 73 + b"\xf0" + zeros * 54
    assert len(passes) * 8 == BIT_WINDOW
    assert first_failure(BitProportion(), passes * 3) is None
    assert first_failure(BitProportion(), ones * 73 + b"\xf8" + zeros * 54) == 74


def test_bit_proportion_counts_zeros_where_a_window_begins_with_zero() -> None:
    assert first_failure(BitProportion(), b"\x00" * 73 + b"\x0f" + b"\xff" * 54) is None
    assert first_failure(BitProportion(), b"\x00" * 73 + b"\x07" + b"\xff" * 54) == 74


@pytest.mark.parametrize(
    ("first", "common", "found"), [(b"\x80", b"\xff", 75), (b"\x01", b"\x00", 74)]
)
def test_the_first_bit_of_a_byte_is_its_highest(first: bytes, common: bytes, found: int) -> None:
    """0x80 begins with a one: 1 + 74 · 8 = 593. 0x01 begins with a zero: 7 + 73 · 8 = 591."""
    window = first + common * (BIT_WINDOW // 8 - 1)
    assert first_failure(BitProportion(), window) == found


@pytest.mark.parametrize("claim", EVERY_CLAIM, ids=str)
def test_the_monitor_finds_one_byte_that_comes_too_often(claim: Claim) -> None:
    """Every third byte is another one, so that nothing ever repeats in a row."""
    often = bytes(7 if n % 3 else n // 3 % 256 for n in range(PROPORTION_WINDOW))
    monitor = HealthMonitor(claim)
    monitor.feed(often[1:])
    assert monitor.failure == f"gave one byte {claim.proportion_cutoff} times within 512"


@pytest.mark.parametrize("exponent", ALPHA_EXPONENTS)
@pytest.mark.parametrize("lead", LEADS)
def test_a_stuck_byte_is_found_within_8_bytes(
    exponent: int,
    lead: int,
    fair_stream: Callable[[int], Iterator[int]],
    constant_stream: Callable[[int], Iterator[int]],
) -> None:
    healthy = bytes(islice(fair_stream(lead), lead))
    for byte in range(256):
        found = bytes_to_failure(Claim(8, exponent), healthy, constant_stream(byte), 8)
        assert found is not None, byte


@pytest.mark.parametrize("claim", EVERY_CLAIM, ids=str)
@pytest.mark.parametrize("lead", LEADS)
def test_a_period_of_two_is_found_within_1024_bytes(
    claim: Claim,
    lead: int,
    fair_stream: Callable[[int], Iterator[int]],
    period_two_stream: Callable[[int, int], Iterator[int]],
) -> None:
    healthy = bytes(islice(fair_stream(lead), lead))
    for first, second in [(0x00, 0xFF), (0xAA, 0x55), (3, 4), (0xFF, 0xFE), (0x10, 0x01)]:
        found = bytes_to_failure(claim, healthy, period_two_stream(first, second), 1024)
        assert found is not None, (first, second)


@pytest.mark.parametrize("exponent", ALPHA_EXPONENTS)
def test_the_standards_own_test_finds_a_period_of_two_within_1024_bytes_as_well(
    exponent: int,
    fair_stream: Callable[[int], Iterator[int]],
    period_two_stream: Callable[[int, int], Iterator[int]],
) -> None:
    for lead in range(0, 512, 7):
        test = AdaptiveProportion(Claim(8, exponent).proportion_cutoff)
        assert first_failure(test, bytes(islice(fair_stream(1), lead))) is None
        fault = bytes(islice(period_two_stream(0x00, 0xFF), 1024))
        assert first_failure(test, fault) is not None


@pytest.mark.parametrize("ones_in_ten", [4, 6])
@pytest.mark.parametrize("lead", LEADS)
def test_bits_of_60_to_40_are_found_within_4096_bytes(
    ones_in_ten: int,
    lead: int,
    fair_stream: Callable[[int], Iterator[int]],
    biased_stream: Callable[[int, int], Iterator[int]],
) -> None:
    healthy = bytes(islice(fair_stream(lead), lead))
    for seed in range(10):
        found = bytes_to_failure(Claim(), healthy, biased_stream(seed, ones_in_ten), 4096)
        assert found is not None, seed


def test_bytes_alone_would_not_find_that_bias_in_time(
    biased_stream: Callable[[int, int], Iterator[int]],
) -> None:
    """Why bits are tested too: with a claim of 4 bits the same bytes are what was claimed."""
    assert bytes_to_failure(Claim(4, 20), b"", biased_stream(1, 6), 4096) is None


@pytest.mark.parametrize("claim", EVERY_CLAIM, ids=str)
def test_fair_bytes_raise_no_alarm(
    claim: Claim, fair_stream: Callable[[int], Iterator[int]]
) -> None:
    monitor = HealthMonitor(claim)
    monitor.feed(bytes(islice(fair_stream(90), 100_000)))
    assert monitor.trusted


def test_nothing_is_trusted_before_the_last_byte_of_the_start_up_test(
    fair_stream: Callable[[int], Iterator[int]],
) -> None:
    assert START_UP >= 1024
    monitor = HealthMonitor(Claim())
    stream = fair_stream(1)
    monitor.feed(bytes(islice(stream, START_UP - 1)))
    assert not monitor.trusted
    monitor.feed(bytes(islice(stream, 1)))
    assert monitor.trusted


def test_a_failure_latches_until_a_whole_start_up_test_has_passed(
    fair_stream: Callable[[int], Iterator[int]],
) -> None:
    good = bytes(islice(fair_stream(1), START_UP))
    monitor = HealthMonitor(Claim())
    monitor.feed(good + b"\x00" * 5)
    assert monitor.failure == "gave the same byte 5 times in a row"
    monitor.feed(good)
    assert monitor.halted
    assert not monitor.trusted
    monitor.restart()
    monitor.feed(good[:-1])
    assert not monitor.trusted
    assert monitor.failure == "gave the same byte 5 times in a row"
    monitor.feed(good[-1:])
    assert monitor.trusted
    assert monitor.failure == ""


def test_a_start_up_test_that_fails_leaves_the_newer_failure(
    fair_stream: Callable[[int], Iterator[int]],
) -> None:
    monitor = HealthMonitor(Claim())
    monitor.halt("is gone")
    monitor.restart()
    monitor.feed(bytes(islice(fair_stream(1), 100)) + b"\x01\x02" * 3)
    assert monitor.halted
    assert monitor.failure == "repeated itself every 2 bytes, 4 times in a row"


def test_bytes_after_a_failure_in_the_same_read_are_not_tested(
    fair_stream: Callable[[int], Iterator[int]],
) -> None:
    monitor = HealthMonitor(Claim())
    monitor.feed(b"\x00" * 5 + bytes(islice(fair_stream(1), START_UP)))
    assert monitor.tested == 4
