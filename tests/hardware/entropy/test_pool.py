"""The stock of tested bytes: what is read when, what may be taken, and what is thrown away."""

import os
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.clock import MILLISECOND, SECOND, Clock, Nanoseconds, monotonic
from hardware.entropy.health import START_UP, Claim
from hardware.entropy.pool import (
    CHUNK,
    FIRST_RETRY,
    LAST_RETRY,
    LOOK_AGAIN,
    STOCK,
    WITHHELD,
    BackgroundPool,
    Condition,
    Phase,
    Pool,
    Read,
    Reservoir,
    Wait,
)
from hardware.entropy.simulated import SimulatedSource
from hardware.entropy.sources import HardwareRng, Pause, Rest, SourceFailed

DEADLINE = Nanoseconds(2 * SECOND)
START = Nanoseconds(0)

SOON = 5.0
"""Seconds; how long a test waits for another thread before it fails."""


def fill(pool: Pool) -> Nanoseconds:
    """Step a pool until it has nothing to read; return when it will."""
    while (until := pool.step()) is None:
        pass
    return until


def good(fair_stream: Callable[[int], Iterator[int]], count: int) -> bytes:
    return bytes(islice(fair_stream(11), count))


@pytest.fixture
def source(
    fair_stream: Callable[[int], Iterator[int]], clock: Clock, pass_time: Pause
) -> SimulatedSource:
    return SimulatedSource(fair_stream(11), clock, pass_time)


@pytest.fixture
def pool(source: SimulatedSource, clock: Clock) -> Pool:
    return Pool(source, Claim(), clock, DEADLINE)


def test_a_byte_may_be_taken_only_after_a_start_up_tests_length_of_later_ones(
    fair_stream: Callable[[int], Iterator[int]],
) -> None:
    data = good(fair_stream, START_UP + 3)
    reservoir = Reservoir("hwrng", Claim())
    reservoir.received(data[:START_UP], START)
    assert reservoir.condition == Condition(Phase.READY, "")
    assert reservoir.take(10) == b""
    reservoir.received(data[START_UP:], START)
    assert reservoir.available == 3
    assert reservoir.take(2) == data[:2]
    assert reservoir.take(10) == data[2:3]


def test_until_then_it_is_in_its_start_up_test() -> None:
    assert Reservoir("hwrng", Claim()).condition == Condition(
        Phase.STARTING, "hwrng is in its start-up test"
    )


def test_it_asks_for_no_more_than_it_has_room_for(
    fair_stream: Callable[[int], Iterator[int]],
) -> None:
    reservoir = Reservoir("hwrng", Claim())
    assert reservoir.next(START) == Read(CHUNK)
    reservoir.received(good(fair_stream, WITHHELD + STOCK - 5), START)
    assert reservoir.next(START) == Read(5)
    reservoir.received(good(fair_stream, 5), START)
    assert reservoir.next(START) == Wait(LOOK_AGAIN)
    reservoir.take(7)
    assert reservoir.next(START) == Read(7)


def test_a_full_stock_is_refreshed_now_and_then_and_drops_its_oldest(
    fair_stream: Callable[[int], Iterator[int]],
) -> None:
    data = good(fair_stream, WITHHELD + STOCK + CHUNK)
    reservoir = Reservoir("hwrng", Claim())
    reservoir.received(data[:-CHUNK], START)
    assert reservoir.next(LOOK_AGAIN) == Read(CHUNK)
    reservoir.received(data[-CHUNK:], LOOK_AGAIN)
    assert reservoir.available == STOCK
    assert reservoir.take(4) == data[CHUNK : CHUNK + 4]


def test_a_failure_throws_all_bytes_away_and_latches(
    fair_stream: Callable[[int], Iterator[int]],
) -> None:
    reservoir = Reservoir("hwrng", Claim())
    reservoir.received(good(fair_stream, WITHHELD + STOCK), START)
    reservoir.received(b"\x00" * 5, START)
    assert reservoir.condition == Condition(
        Phase.FAILED, "hwrng gave the same byte 5 times in a row"
    )
    assert reservoir.take(1) == b""
    reservoir.next(FIRST_RETRY)
    reservoir.received(good(fair_stream, START_UP - 1), FIRST_RETRY)
    assert reservoir.condition.phase is Phase.FAILED
    assert reservoir.take(1) == b""
    reservoir.received(b"\x00", FIRST_RETRY)
    assert reservoir.condition.phase is Phase.READY


def test_a_failed_source_is_tried_again_at_growing_intervals_which_a_pass_resets(
    fair_stream: Callable[[int], Iterator[int]],
) -> None:
    reservoir = Reservoir("hwrng", Claim())
    now, waits = START, []
    for _ in range(6):
        reservoir.failed("hwrng is gone", now)
        action = reservoir.next(now)
        assert isinstance(action, Wait)
        waits.append((action.until - now) // MILLISECOND)
        now = action.until
        assert reservoir.next(now) == Read(CHUNK)
    assert waits == [200, 400, 800, 1600, 2000, 2000]
    reservoir.received(good(fair_stream, START_UP), now)
    reservoir.failed("hwrng is gone", now)
    assert reservoir.next(now) == Wait(Nanoseconds(now + FIRST_RETRY))


Action = tuple[str, int]
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("good"), st.integers(1, 3000)),
        st.tuples(st.just("take"), st.integers(1, 1500)),
        st.tuples(st.just("stuck"), st.integers(1, 20)),
        st.tuples(st.just("gone"), st.just(0)),
    ),
    max_size=25,
)


@given(ACTIONS)
@settings(max_examples=60, deadline=None)
def test_whatever_happens_no_byte_of_a_failed_stretch_is_handed_out(actions: list[Action]) -> None:
    """Bytes come out in order, once, and only if WITHHELD later ones passed with them."""
    reservoir = Reservoir("hwrng", Claim())
    position, start, out = 0, 0, 0
    now = START
    for kind, count in actions:
        now = Nanoseconds(now + LAST_RETRY)
        if reservoir.condition.phase is Phase.FAILED:
            reservoir.next(now)
        attempt = reservoir.attempt
        if kind == "take":
            taken = reservoir.take(count)
            assert taken == bytes((start + out + i) * 101 % 251 for i in range(len(taken)))
            out += len(taken)
            assert not taken or start + out + WITHHELD <= position
        elif kind == "gone":
            reservoir.failed("hwrng is gone", now)
        elif kind == "good":
            end = min(position + count, start + out + WITHHELD + STOCK)
            reservoir.received(bytes(n * 101 % 251 for n in range(position, end)), now)
            position = end
        else:
            reservoir.received(bytes([7]) * count, now)
            if reservoir.attempt == attempt:
                reservoir.failed("fewer than the cut-off", now)
        if reservoir.attempt != attempt:
            start, out = position, 0


def test_a_pool_reads_until_it_is_full(pool: Pool, source: SimulatedSource) -> None:
    assert fill(pool) == LOOK_AGAIN
    assert len(source.given) == WITHHELD + STOCK
    assert pool.condition().phase is Phase.READY


def test_taking_waits_for_what_is_missing(pool: Pool, source: SimulatedSource) -> None:
    assert pool.take(STOCK + 300, DEADLINE) == source.given[: STOCK + 300]


def test_short_reads_only_take_longer(pool: Pool, source: SimulatedSource) -> None:
    source.most = 1
    assert pool.take(20, DEADLINE) == source.given[:20]
    assert len(source.given) == WITHHELD + 20


def test_taking_from_a_failed_source_fails_at_once(
    pool: Pool, source: SimulatedSource, clock: Clock
) -> None:
    fill(pool)
    source.refusal = "has no generator behind it"
    pool.take(STOCK, DEADLINE)
    with pytest.raises(SourceFailed, match="hwrng has no generator behind it"):
        pool.take(1, DEADLINE)
    asked = len(source.asked)
    with pytest.raises(SourceFailed, match="hwrng has no generator behind it"):
        pool.take(1, DEADLINE)
    assert len(source.asked) == asked
    assert clock() == 0


def test_silence_is_found_by_the_deadline(
    pool: Pool, source: SimulatedSource, clock: Clock
) -> None:
    fill(pool)
    pool.take(STOCK, DEADLINE)
    source.silent = True
    with pytest.raises(SourceFailed, match="gave nothing by the deadline"):
        pool.take(1, DEADLINE)
    assert clock() == DEADLINE
    assert pool.condition().phase is Phase.FAILED


def test_too_slow_a_source_is_late_but_not_failed(
    fair_stream: Callable[[int], Iterator[int]], clock: Clock, pass_time: Pause
) -> None:
    def one_each_half_second() -> Iterator[int]:
        for byte in fair_stream(11):
            yield byte
            pass_time(Nanoseconds(SECOND // 2))

    source = SimulatedSource(fair_stream(12), clock, pass_time)
    pool = Pool(source, Claim(), clock, DEADLINE)
    fill(pool)
    pool.take(STOCK, DEADLINE)
    source.stream, source.most = one_each_half_second(), 1
    with pytest.raises(SourceFailed, match="hwrng gave only 5 of 9 bytes in 2000 ms"):
        pool.take(9, DEADLINE)
    assert pool.condition().phase is Phase.READY
    before = clock()
    with pytest.raises(SourceFailed, match="hwrng gave only 1 of 9 bytes in 500 ms"):
        pool.take(9, Nanoseconds(before + DEADLINE))
    source.stream, source.most = fair_stream(13), STOCK
    fill(pool)
    assert len(pool.take(9, Nanoseconds(clock() + DEADLINE))) == 9


def test_a_slow_start_up_test_delays_one_draw_and_refuses_the_next_ones_at_once(
    pool: Pool, source: SimulatedSource, clock: Clock, pass_time: Pause
) -> None:
    def slow(stream: Iterator[int]) -> Iterator[int]:
        for byte in stream:
            yield byte
            pass_time(Nanoseconds(10 * MILLISECOND))

    source.stream, source.most = slow(source.stream), 1
    with pytest.raises(SourceFailed, match="hwrng is in its start-up test"):
        pool.take(1, DEADLINE)
    before = clock()
    with pytest.raises(SourceFailed, match="hwrng is in its start-up test"):
        pool.take(1, Nanoseconds(before + DEADLINE))
    assert clock() == before
    fill(pool)
    assert len(pool.take(1, Nanoseconds(clock() + DEADLINE))) == 1


def test_a_source_with_a_bug_is_a_failed_source(pool: Pool, source: SimulatedSource) -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise ValueError("off by one")

    source.stream = broken()
    with pytest.raises(SourceFailed, match=r"hwrng broke: ValueError\('off by one'\)"):
        pool.take(1, DEADLINE)


def test_a_listener_hears_each_change_once(pool: Pool, source: SimulatedSource) -> None:
    heard: list[Condition] = []
    pool.watch(lambda: heard.append(pool.condition()))
    fill(pool)
    source.refusal = "is gone"
    pool.take(STOCK, DEADLINE)
    fill(pool)
    assert heard == [Condition(Phase.READY, ""), Condition(Phase.FAILED, "hwrng is gone")]


class Hanging:
    """A source whose read stays in the kernel until it is let go."""

    name = "hwrng"
    test = True

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.let_go = threading.Event()
        self.closed = threading.Event()

    def read(self, count: int, deadline: Nanoseconds) -> bytes:  # noqa: ARG002 - that is the fault
        self.entered.set()
        self.let_go.wait()
        return bytes(range(count))

    def close(self) -> None:
        self.closed.set()


def test_a_thread_keeps_the_stock_full_and_ends(
    fair_stream: Callable[[int], Iterator[int]], pass_time: Pause
) -> None:
    source = SimulatedSource(fair_stream(11), monotonic, pass_time)
    pool = BackgroundPool(source, Claim(), monotonic, Nanoseconds(60 * SECOND))
    pool.start()
    taken = b"".join(pool.take(700, Nanoseconds(monotonic() + 60 * SECOND)) for _ in range(5))
    pool.close()
    assert taken == source.given[: len(taken)]


def test_a_read_that_hangs_in_the_kernel_is_found_by_the_draws_deadline() -> None:
    source = Hanging()
    deadline = Nanoseconds(20 * MILLISECOND)
    pool = BackgroundPool(source, Claim(), monotonic, deadline)
    pool.start()
    source.entered.wait()
    with pytest.raises(SourceFailed, match="hwrng gave nothing by the deadline"):
        pool.take(1, Nanoseconds(monotonic() + deadline))
    assert pool.condition() == Condition(Phase.FAILED, "hwrng gave nothing by the deadline")
    source.let_go.set()
    source.closed.wait()
    # What the read gave at last belongs to an attempt that was given up.
    assert pool.condition() == Condition(Phase.FAILED, "hwrng gave nothing by the deadline")
    pool.close()


def test_a_draw_waits_no_longer_once_the_station_is_to_end() -> None:
    source = Hanging()
    minute = Nanoseconds(60 * SECOND)
    pool = BackgroundPool(source, Claim(), monotonic, minute, is_ending=source.entered.is_set)
    pool.start()
    with pytest.raises(SourceFailed, match="the station is about to end"):
        pool.take(1, Nanoseconds(monotonic() + minute))
    assert pool.condition().phase is Phase.STARTING
    source.let_go.set()
    pool.close()


def test_a_thread_that_hangs_does_not_hold_up_the_end(caplog: pytest.LogCaptureFixture) -> None:
    source = Hanging()
    pool = BackgroundPool(source, Claim(), monotonic, Nanoseconds(MILLISECOND))
    pool.start()
    source.entered.wait()
    pool.close()
    assert "hwrng hangs in a read" in caplog.text
    assert not source.closed.is_set()
    source.let_go.set()
    source.closed.wait()
    pool.close()


@pytest.mark.parametrize("seconds", [5, 60])
def test_a_read_that_waits_is_ended_with_the_pool(tmp_path: Path, seconds: int) -> None:
    silent = tmp_path / "silent"
    os.mkfifo(silent)
    keep = os.open(silent, os.O_RDWR)
    rest = Rest()
    asked = threading.Event()

    def pause(span: Nanoseconds) -> None:
        asked.set()
        rest(span)

    source = HardwareRng(str(silent), monotonic, pause)
    deadline = Nanoseconds(seconds * SECOND)
    pool = BackgroundPool(source, Claim(), monotonic, deadline, interrupt=rest.end)
    pool.start()
    assert asked.wait(SOON)
    began = monotonic()
    pool.close()
    assert monotonic() - began < SECOND
    os.close(keep)


def test_a_pool_that_never_ran_can_be_closed() -> None:
    source = Hanging()
    BackgroundPool(source, Claim(), monotonic, DEADLINE).close()
    assert source.closed.is_set()
