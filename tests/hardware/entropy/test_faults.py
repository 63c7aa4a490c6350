"""Each fault of a hardware source in each mode: found in time, the right policy, no bad face."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from hardware.clock import SECOND, Clock, Nanoseconds
from hardware.entropy.dice import (
    MOST_DICE,
    Dice,
    Draw,
    EntropyMode,
    EntropyState,
    EntropyUnavailable,
)
from hardware.entropy.faces import face_of
from hardware.entropy.health import Claim
from hardware.entropy.pool import CHUNK, LAST_RETRY, Pool
from hardware.entropy.simulated import SimulatedSource
from hardware.entropy.sources import Pause

DEADLINE = Nanoseconds(2 * SECOND)
HANDFUL = 50
"""Dice of an ordinary draw in these tests."""

Streams = dict[str, Callable[[], Iterator[int]]]


@dataclass(frozen=True)
class Fault:
    """A fault, the bytes within which it must be found, and a word of what is then said."""

    name: str
    bytes_to_find: int
    word: str


FAULTS = [
    Fault("stuck", 8, "the same byte"),
    Fault("0xFF for ever", 8, "the same byte"),
    Fault("period 2", 1024, "repeated itself every 2 bytes"),
    Fault("bits 60/40", 4096, "equal bits"),
    Fault("bits 40/60", 4096, "equal bits"),
    Fault("ENODEV", 0, "no generator behind it"),
    Fault("EAGAIN for ever", 0, "nothing by the deadline"),
    Fault("pulled", 0, "is gone"),
]


@pytest.fixture
def streams(
    constant_stream: Callable[[int], Iterator[int]],
    period_two_stream: Callable[[int, int], Iterator[int]],
    biased_stream: Callable[[int, int], Iterator[int]],
) -> Streams:
    return {
        "stuck": lambda: constant_stream(0x2A),
        "0xFF for ever": lambda: constant_stream(0xFF),
        "period 2": lambda: period_two_stream(0x00, 0xFF),
        "bits 60/40": lambda: biased_stream(5, 6),
        "bits 40/60": lambda: biased_stream(5, 4),
    }


class Table:
    """Dice on a sound kernel and a hardware source that can be broken and mended."""

    def __init__(
        self,
        mode: EntropyMode,
        clock: Clock,
        pause: Pause,
        fair: Callable[[int], Iterator[int]],
        streams: Streams,
    ) -> None:
        self._streams = streams
        self._sound = fair(2)
        self._pause = pause
        self.clock = clock
        self.kernel = SimulatedSource(fair(1), clock, pause, "urandom")
        self.hardware = SimulatedSource(self._sound, clock, pause)
        self.pool = Pool(self.hardware, Claim(), clock, DEADLINE)
        pool = None if mode is EntropyMode.URANDOM else self.pool
        self.dice = Dice(mode, self.kernel, clock, DEADLINE, on_change=lambda _: None, pool=pool)

    def fill(self) -> None:
        """Do what the background thread does while nobody draws."""
        while self.pool.step() is None:
            pass

    def break_it(self, fault: Fault) -> None:
        match fault.name:
            case "ENODEV":
                self.hardware.refusal = "has no generator behind it (rng_current is none)"
            case "EAGAIN for ever":
                self.hardware.silent = True
            case "pulled":
                self.hardware.pulled_after = 0
            case name:
                self.hardware.stream = self._streams[name]()

    def mend(self) -> None:
        self.hardware.stream = self._sound
        self.hardware.silent = False
        self.hardware.refusal = ""
        self.hardware.pulled_after = None
        self._pause(LAST_RETRY)
        self.fill()


MakeTable = Callable[[EntropyMode], Table]


@pytest.fixture
def table(
    clock: Clock,
    pass_time: Pause,
    fair_stream: Callable[[int], Iterator[int]],
    streams: Streams,
) -> MakeTable:
    return lambda mode: Table(mode, clock, pass_time, fair_stream, streams)


def faces_of(data: bytes) -> tuple[int, ...]:
    return tuple(face for byte in data if (face := face_of(byte)) is not None)


def xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=False))


def is_made_of(faces: tuple[int, ...], data: bytes) -> bool:
    """True if the faces are the first ones of the data."""
    return faces_of(data)[: len(faces)] == faces


def draw_until_found(
    world: Table, dice_a_draw: int, *, pauses: bool = True
) -> tuple[tuple[int, ...], Draw | None]:
    """Draw, and let the stock fill in pauses, until a draw is refused or made from another source.

    Returns all faces drawn from the hardware before that, and the first draw without it (None if
    it was refused).
    """
    faces: tuple[int, ...] = ()
    for _ in range(1000):
        try:
            drawn = world.dice.draw(dice_a_draw)
        except EntropyUnavailable:
            return faces, None
        if drawn.source == "urandom":
            return faces, drawn
        faces += drawn.faces
        if pauses:
            world.fill()
    pytest.fail("the fault was never found")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_in_mode_urandom_no_fault_of_the_hardware_matters(table: MakeTable, fault: Fault) -> None:
    world = table(EntropyMode.URANDOM)
    world.break_it(fault)
    drawn = world.dice.draw(HANDFUL)
    assert drawn.source == "urandom"
    assert drawn.reason == drawn.change == ""
    assert world.hardware.asked == []
    assert world.dice.health().state is EntropyState.OK


@pytest.mark.parametrize("dice_a_draw", [3, HANDFUL, MOST_DICE])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_hwrng_only_refuses_and_no_face_rests_on_the_fault(
    table: MakeTable, fault: Fault, dice_a_draw: int
) -> None:
    world = table(EntropyMode.HWRNG_ONLY)
    world.fill()
    sound = len(world.hardware.given)
    world.break_it(fault)
    before = world.clock()
    faces, refused = draw_until_found(world, dice_a_draw)
    assert refused is None
    assert is_made_of(faces, world.hardware.given[:sound])
    assert len(world.hardware.given) - sound <= fault.bytes_to_find + CHUNK
    assert world.clock() - before <= DEADLINE
    assert world.dice.health().state is EntropyState.LOST
    assert fault.word in world.dice.health().reason
    assert world.kernel.asked == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_hwrng_only_keeps_refusing_until_a_start_up_test_has_passed(
    table: MakeTable, fault: Fault, pass_time: Pause
) -> None:
    world = table(EntropyMode.HWRNG_ONLY)
    world.break_it(fault)
    for _ in range(20):
        with pytest.raises(EntropyUnavailable, match=fault.word):
            world.dice.draw(1)
        pass_time(LAST_RETRY)
        world.fill()
    world.mend()
    mended = len(world.hardware.given)
    drawn = world.dice.draw(HANDFUL)
    assert drawn.source == "hwrng"
    # Only bytes that came after the mending: the last that were given, less the stock.
    assert any(
        is_made_of(drawn.faces, world.hardware.given[start:])
        for start in range(mended - 4096 - 1024, mended - 4096)
    )
    assert world.dice.health().state is EntropyState.OK


@pytest.mark.parametrize("dice_a_draw", [3, HANDFUL, MOST_DICE])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_both_together_fall_back_to_urandom_and_say_so(
    table: MakeTable, fault: Fault, dice_a_draw: int
) -> None:
    world = table(EntropyMode.HWRNG_URANDOM)
    world.fill()
    sound = len(world.hardware.given)
    world.break_it(fault)
    before = world.clock()
    faces, fallback = draw_until_found(world, dice_a_draw)
    assert fallback is not None
    assert is_made_of(faces, xor(world.kernel.given, world.hardware.given[:sound]))
    assert len(world.hardware.given) - sound <= fault.bytes_to_find + CHUNK
    assert world.clock() - before <= DEADLINE
    assert fault.word in fallback.reason
    assert fallback.change == f"urandom alone: {fallback.reason}"
    health = world.dice.health()
    assert (health.source, health.state) == ("urandom", EntropyState.DEGRADED)
    assert health.reason == fallback.reason
    kernel_bytes = len(world.kernel.given)
    still = world.dice.draw(HANDFUL)
    assert (still.source, still.reason, still.change) == ("urandom", fallback.reason, "")
    # The first HANDFUL bytes were drawn for an XOR that did not come about.
    assert still.faces == faces_of(world.kernel.given[kernel_bytes + HANDFUL :])
    world.mend()
    back = world.dice.draw(HANDFUL)
    assert (back.source, back.reason) == ("hwrng+urandom", "")
    assert back.change == "hwrng+urandom again"


@pytest.mark.parametrize("mode", [EntropyMode.HWRNG_ONLY, EntropyMode.HWRNG_URANDOM])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_from_the_start_never_gives_a_face(
    table: MakeTable, mode: EntropyMode, fault: Fault
) -> None:
    world = table(mode)
    world.break_it(fault)
    faces, _ = draw_until_found(world, HANDFUL)
    assert faces == ()
    assert len(world.hardware.given) <= fault.bytes_to_find + CHUNK


@pytest.mark.parametrize("seed", range(20))
def test_even_a_bias_that_takes_long_to_find_gives_no_face(
    table: MakeTable, seed: int, biased_stream: Callable[[int, int], Iterator[int]]
) -> None:
    """With the stock used up, only the bytes that are withheld stand between it and a draw."""
    world = table(EntropyMode.HWRNG_ONLY)
    world.fill()
    sound = len(world.hardware.given)
    world.hardware.stream = biased_stream(seed, 6)
    first = world.dice.draw(MOST_DICE).faces
    faces, refused = draw_until_found(world, 3, pauses=False)
    assert refused is None
    assert is_made_of(first + faces, world.hardware.given[:sound])


def pulled_in_the_middle_of_a_roll(world: Table) -> None:
    """Leave too few bytes for the next 1,000 dice, so that the roll waits while it is pulled."""
    world.fill()
    world.dice.draw(MOST_DICE)
    world.hardware.pulled_after = 300


def test_a_dongle_pulled_in_the_middle_of_a_roll_leaves_no_half_of_it(table: MakeTable) -> None:
    world = table(EntropyMode.HWRNG_URANDOM)
    pulled_in_the_middle_of_a_roll(world)
    drawn = world.dice.draw(MOST_DICE)
    assert world.hardware.pulled_after == 0
    assert (drawn.source, drawn.change) == ("urandom", "urandom alone: hwrng is gone")
    whole_reads = [i for i, size in enumerate(world.kernel.asked) if size == MOST_DICE]
    start = sum(world.kernel.asked[: whole_reads[-1]])
    assert drawn.faces == faces_of(world.kernel.given[start:])


def test_a_dongle_pulled_in_the_middle_of_a_roll_of_its_own_rolls_nothing(
    table: MakeTable,
) -> None:
    world = table(EntropyMode.HWRNG_ONLY)
    pulled_in_the_middle_of_a_roll(world)
    with pytest.raises(EntropyUnavailable, match="hwrng is gone"):
        world.dice.draw(MOST_DICE)
    assert world.hardware.pulled_after == 0


@pytest.mark.parametrize("mode", [EntropyMode.HWRNG_ONLY, EntropyMode.HWRNG_URANDOM])
def test_short_reads_are_no_fault(table: MakeTable, mode: EntropyMode) -> None:
    world = table(mode)
    world.hardware.most = 1
    for _ in range(20):
        drawn = world.dice.draw(HANDFUL)
        assert "hwrng" in drawn.source
        world.fill()
    assert world.dice.health().state is EntropyState.OK
