"""What a draw promises: its faces, its source, and what is said of both."""

import logging
from collections.abc import Callable, Iterator
from itertools import islice

import pytest

from hardware.clock import SECOND, Clock, Nanoseconds
from hardware.entropy.dice import (
    MOST_DICE,
    NO_SOURCE,
    Dice,
    EntropyHealth,
    EntropyMode,
    EntropyState,
    EntropyUnavailable,
)
from hardware.entropy.faces import face_of
from hardware.entropy.health import Claim
from hardware.entropy.pool import LAST_RETRY, STOCK, Pool
from hardware.entropy.simulated import SimulatedSource
from hardware.entropy.sources import Pause, Urandom, seeded

DEADLINE = Nanoseconds(2 * SECOND)


class Table:
    """Dice of one mode on simulated sources, with all that was told of them."""

    def __init__(
        self, mode: EntropyMode, clock: Clock, pause: Pause, streams: list[Iterator[int]]
    ) -> None:
        self.kernel = SimulatedSource(streams[0], clock, pause, "urandom")
        self.hardware = SimulatedSource(streams[1], clock, pause)
        self.pool = Pool(self.hardware, Claim(), clock, DEADLINE)
        self.told: list[EntropyHealth] = []
        self.dice = Dice(
            mode,
            self.kernel,
            clock,
            DEADLINE,
            on_change=self.told.append,
            pool=None if mode is EntropyMode.URANDOM else self.pool,
        )

    def fill(self) -> None:
        while self.pool.step() is None:
            pass


@pytest.fixture
def table(
    clock: Clock, pass_time: Pause, fair_stream: Callable[[int], Iterator[int]]
) -> Callable[[EntropyMode], Table]:
    return lambda mode: Table(mode, clock, pass_time, [fair_stream(1), fair_stream(2)])


MakeTable = Callable[[EntropyMode], Table]


def faces_of(data: bytes) -> tuple[int, ...]:
    return tuple(face for byte in data if (face := face_of(byte)) is not None)


@pytest.mark.parametrize("count", [-1, 0, MOST_DICE + 1])
def test_a_draw_is_of_1_to_1000_dice(table: MakeTable, count: int) -> None:
    urandom = table(EntropyMode.URANDOM)
    with pytest.raises(ValueError, match=rf"count \(= {count}\) must be 1 to 1000 dice"):
        urandom.dice.draw(count)
    assert urandom.kernel.given == b""


@pytest.mark.parametrize("count", [1, 2, 63, MOST_DICE])
@pytest.mark.parametrize("mode", EntropyMode)
def test_a_draw_has_exactly_the_dice_asked_for(
    table: MakeTable, mode: EntropyMode, count: int
) -> None:
    faces = table(mode).dice.draw(count).faces
    assert len(faces) == count
    assert set(faces) <= {1, 2, 3, 4, 5, 6}


def test_urandom_alone_draws_the_kernels_bytes_and_needs_no_hardware(table: MakeTable) -> None:
    urandom = table(EntropyMode.URANDOM)
    drawn = urandom.dice.draw(500)
    assert drawn.faces == faces_of(urandom.kernel.given)
    assert (drawn.source, drawn.reason, drawn.change) == ("urandom", "", "")
    assert drawn.mode == "urandom"
    assert urandom.hardware.asked == []


def test_hwrng_only_draws_the_hardwares_bytes_and_nothing_else(table: MakeTable) -> None:
    hardware = table(EntropyMode.HWRNG_ONLY)
    drawn = hardware.dice.draw(500)
    assert drawn.faces == faces_of(hardware.hardware.given)[:500]
    assert (drawn.source, drawn.reason, drawn.change) == ("hwrng", "", "")
    assert hardware.kernel.asked == []


def test_both_together_are_the_xor_of_as_many_bytes_of_each(table: MakeTable) -> None:
    both = table(EntropyMode.HWRNG_URANDOM)
    drawn = both.dice.draw(500)
    mixed = bytes(a ^ b for a, b in zip(both.kernel.given, both.hardware.given, strict=False))
    assert drawn.faces == faces_of(mixed)
    assert (drawn.source, drawn.reason, drawn.change) == ("hwrng+urandom", "", "")


def test_short_reads_of_every_source_only_take_longer(table: MakeTable) -> None:
    for mode in EntropyMode:
        one = table(mode)
        one.kernel.most = one.hardware.most = 1
        many = table(mode)
        assert one.dice.draw(100).faces == many.dice.draw(100).faces


def test_draws_of_a_source_that_can_be_foretold_are_marked(table: MakeTable, clock: Clock) -> None:
    assert all(table(mode).dice.draw(1).test for mode in EntropyMode)
    test_dice = Dice("seeded", seeded(3, test=True), clock, DEADLINE, on_change=lambda _: None)
    drawn = test_dice.draw(5)
    assert (drawn.source, drawn.mode, drawn.test) == ("seeded(3)", "seeded", True)
    assert test_dice.health().test is True


def test_one_such_source_is_enough(table: MakeTable, clock: Clock) -> None:
    pool = table(EntropyMode.HWRNG_URANDOM).pool
    half = Dice(
        EntropyMode.HWRNG_URANDOM,
        Urandom(),
        clock,
        DEADLINE,
        on_change=lambda _: None,
        pool=pool,
    )
    assert half.draw(1).test is True


def test_draws_of_the_kernel_are_not(clock: Clock) -> None:
    urandom = Dice("urandom", Urandom(), clock, DEADLINE, on_change=lambda _: None)
    assert urandom.draw(1).test is False
    assert urandom.health().test is False


def test_a_kernel_source_without_usable_bytes_is_refused_and_bounded(
    table: MakeTable, constant_stream: Callable[[int], Iterator[int]]
) -> None:
    urandom = table(EntropyMode.URANDOM)
    healthy = urandom.kernel.stream
    urandom.kernel.stream = constant_stream(0xFF)
    with pytest.raises(EntropyUnavailable, match="urandom: 16 bytes in a row were 252 or more"):
        urandom.dice.draw(3)
    assert len(urandom.kernel.given) <= 18
    assert urandom.dice.health().state is EntropyState.LOST
    assert urandom.dice.health().source == NO_SOURCE
    urandom.kernel.stream = healthy
    urandom.dice.draw(3)
    assert urandom.dice.health().state is EntropyState.OK


@pytest.mark.parametrize("mode", [EntropyMode.URANDOM, EntropyMode.HWRNG_URANDOM])
def test_without_the_kernel_nothing_is_drawn(table: MakeTable, mode: EntropyMode) -> None:
    broken = table(mode)
    broken.kernel.refusal = "failed: no entropy"
    with pytest.raises(EntropyUnavailable, match="urandom failed: no entropy"):
        broken.dice.draw(1)
    assert broken.told[-1].state is EntropyState.LOST
    assert broken.told[-1].reason == "urandom failed: no entropy"


def test_health_before_the_first_draw_is_that_of_the_start_up_test(table: MakeTable) -> None:
    states = {mode: table(mode).dice.health() for mode in EntropyMode}
    assert {mode: (health.source, health.state) for mode, health in states.items()} == {
        EntropyMode.URANDOM: ("urandom", EntropyState.OK),
        EntropyMode.HWRNG_URANDOM: ("urandom", EntropyState.DEGRADED),
        EntropyMode.HWRNG_ONLY: (NO_SOURCE, EntropyState.LOST),
    }
    assert states[EntropyMode.HWRNG_ONLY].reason == "hwrng is in its start-up test"


def test_each_change_is_told_once_with_the_time_since_when(
    table: MakeTable, pass_time: Pause
) -> None:
    both = table(EntropyMode.HWRNG_URANDOM)
    pass_time(Nanoseconds(SECOND))
    both.fill()
    both.dice.draw(STOCK - 50)
    both.hardware.refusal = "has no generator behind it"
    pass_time(Nanoseconds(SECOND))
    both.dice.draw(STOCK - 50)
    pass_time(Nanoseconds(LAST_RETRY))
    both.hardware.refusal = "does not exist"
    both.fill()
    both.dice.draw(1)
    pass_time(Nanoseconds(LAST_RETRY))
    both.hardware.refusal = ""
    both.fill()
    assert [(h.source, h.state, h.reason, h.since // SECOND) for h in both.told] == [
        ("hwrng+urandom", EntropyState.OK, "", 1),
        ("urandom", EntropyState.DEGRADED, "hwrng has no generator behind it", 2),
        # Another reason for the same state: it is told, but lasts since the first.
        ("urandom", EntropyState.DEGRADED, "hwrng does not exist", 2),
        ("hwrng+urandom", EntropyState.OK, "", 6),
    ]
    assert both.dice.health() == both.told[-1]


def test_a_handler_that_throws_ends_neither_the_draw_nor_the_dice(
    table: MakeTable, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    calls: list[EntropyHealth] = []

    def handler(health: EntropyHealth) -> None:
        calls.append(health)
        raise RuntimeError("the station's fault")

    world = table(EntropyMode.HWRNG_URANDOM)
    both = Dice(
        EntropyMode.HWRNG_URANDOM,
        world.kernel,
        clock,
        DEADLINE,
        on_change=handler,
        pool=world.pool,
    )
    with caplog.at_level(logging.ERROR):
        assert len(both.draw(3).faces) == 3
    assert len(calls) == 1
    assert "the handler of entropy changes failed" in caplog.text


def test_a_source_too_slow_for_one_draw_degrades_that_draw_and_says_so(
    table: MakeTable, pass_time: Pause
) -> None:
    both = table(EntropyMode.HWRNG_URANDOM)
    both.fill()
    both.dice.draw(STOCK - 100)
    quick = both.hardware.stream

    def slow() -> Iterator[int]:
        for byte in quick:
            yield byte
            pass_time(Nanoseconds(SECOND // 20))

    both.hardware.stream, both.hardware.most = slow(), 1
    drawn = both.dice.draw(MOST_DICE)
    assert drawn.source == "urandom"
    assert "of 1000 bytes in 2000 ms" in drawn.reason
    assert drawn.change == f"urandom alone: {drawn.reason}"
    assert both.dice.health().state is EntropyState.DEGRADED
    assert both.dice.health().reason == drawn.reason
    both.hardware.stream, both.hardware.most = quick, 256
    again = both.dice.draw(3)
    assert (again.source, again.change) == ("hwrng+urandom", "hwrng+urandom again")
    assert both.dice.health().state is EntropyState.OK


def test_the_same_slowness_refuses_that_draw_where_only_hardware_will_do(
    table: MakeTable, pass_time: Pause
) -> None:
    only = table(EntropyMode.HWRNG_ONLY)
    only.fill()
    quick = only.hardware.stream

    def slow() -> Iterator[int]:
        for byte in quick:
            yield byte
            pass_time(Nanoseconds(SECOND))

    only.dice.draw(STOCK - 100)
    only.hardware.stream, only.hardware.most = slow(), 1
    with pytest.raises(EntropyUnavailable, match="of 1000 bytes in 2000 ms"):
        only.dice.draw(MOST_DICE)
    assert only.dice.health().state is EntropyState.LOST
    only.hardware.stream, only.hardware.most = quick, 256
    only.dice.draw(3)
    assert only.dice.health().state is EntropyState.OK


def test_closing_lets_go_of_every_source(table: MakeTable, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    monkeypatch.setattr(SimulatedSource, "close", lambda source: closed.append(source.name))
    with table(EntropyMode.HWRNG_URANDOM).dice:
        assert closed == []
    assert closed == ["hwrng", "urandom"]


def test_streams_of_the_tests_differ(fair_stream: Callable[[int], Iterator[int]]) -> None:
    assert list(islice(fair_stream(1), 20)) != list(islice(fair_stream(2), 20))
