"""Exactly one roll for each that was asked for, over a line that damages, drops and cuts."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from hardware.clock import SECOND, Nanoseconds
from hardware.serialport.errors import PortLostError
from rules.registry import DEFAULT
from station.client import Roll, Station
from station.protocol.arrangement import SessionSettings
from station.protocol.seam import Call, Identity, perform
from station.protocol.session import Echo, Reply, Session

ERROR = 1 / 1000
"""Chance that a byte comes to harm."""

POOLS = tuple({"system": "wrath-and-glory", "kind": "test", "pool": pool} for pool in (1, 6, 40))


class Direct:
    """A line to a session in the same thread; time passes only while nobody speaks.

    `harm` is what befalls the bytes of either direction.
    """

    name = "direct"

    def __init__(self, methods: Any, harm: Callable[[bytes], bytes] = bytes) -> None:
        self.now = 0
        self.harm = harm
        self._methods = methods
        self._inbox = b""
        sessions = iter(range(10**9))
        settings = SessionSettings(
            port="direct",
            identity=Identity("a", "b", "c", "d"),
            systems=tuple(DEFAULT),
            new_session=lambda: f"s{next(sessions)}",
        )
        self.session = Session(settings)

    def clock(self) -> Nanoseconds:
        return Nanoseconds(self.now)

    def open(self) -> None:
        self._inbox = b""
        self.session.reopened()

    def read(self, timeout: float | None, *, or_writable: bool = False) -> bytes:
        assert not or_writable
        out, self._inbox = self._inbox, b""
        if not out:
            self.now += int((timeout or 1.0) * SECOND) + 1
        return out

    def write(self, data: bytes, patience: float) -> int:
        assert patience > 0
        self._inbox += self.harm(self.carried(self.harm(data)))
        return len(data)

    def carried(self, data: bytes) -> bytes:
        """Return what the station answers to bytes that reached it."""
        out = b""
        waiting = self.session.receive(data, self.clock())
        while waiting:
            match waiting.pop(0):
                case Reply(data=reply):
                    out += reply
                case Echo(data=echo):
                    out += echo
                case Call() as call:
                    answer = perform(self._methods, call)
                    waiting += self.session.answer(answer, self.clock())
        return out

    def discard(self) -> None: ...
    def freshen(self) -> None: ...
    def wake(self) -> None: ...
    def close(self) -> None: ...


class Noise:
    """Damages, drops and doubles bytes, holds some back, and repeats whole pieces; repeatable."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)  # noqa: S311 - must come out the same in each run
        self._late = b""

    def __call__(self, data: bytes) -> bytes:
        out = bytearray(self._late)
        self._late = b""
        for byte in data:
            if self._dice.random() >= ERROR:
                out.append(byte)
                continue
            match self._dice.randrange(4):
                case 0:
                    out.append(byte ^ 1 << self._dice.randrange(8))
                case 1:
                    out.append(self._dice.randrange(256))
                case 2:
                    out += bytes([byte, byte])
                case _:
                    pass
        match self._dice.randrange(100):
            case 0:
                keep = self._dice.randrange(len(out) + 1)
                out, self._late = out[:keep], bytes(out[keep:])
            case 1:
                out += bytes(out)
            case _:
                pass
        return bytes(out)


@pytest.fixture(autouse=True)
def the_same_keys_in_each_run(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(3)  # noqa: S311 - the point is that it repeats
    monkeypatch.setattr("station.client.uuid.uuid4", lambda: f"{dice.getrandbits(128):032x}")
    monkeypatch.setattr("station.dialogue.secrets.token_hex", lambda _: "0123abcd")


def roll_over_noise(methods: Any, rolls: int, seed: int) -> None:
    line = Direct(methods, Noise(seed))
    with Station(line, timeout=1.0, attempts=40, clock=line.clock) as station:
        for number in range(rolls):
            asked = POOLS[number % len(POOLS)]
            got = station.roll(asked)
            assert len(methods.rolls) == number + 1
            true = methods.rolls[number]
            assert got == Roll.of({**true, "replayed": got.replayed})
            assert got.request == asked


def test_over_a_noisy_line_each_roll_is_rolled_once_and_believed_right(methods: Any) -> None:
    roll_over_noise(methods, 1_000, seed=1)


@pytest.mark.slow
def test_forty_thousand_rolls_over_a_noisy_line(methods: Any) -> None:
    roll_over_noise(methods, 40_000, seed=2)


class Cut:
    """Lets so many bytes through from when it is armed, and then cuts the line once."""

    def __init__(self) -> None:
        self.left: int | None = None

    def __call__(self, data: bytes) -> bytes:
        if self.left is None:
            return data
        passed, self.left = data[: self.left], self.left - len(data)
        if self.left < 0:
            self.left = None
            raise _CutError(passed)
        return data


class _CutError(Exception):
    def __init__(self, passed: bytes) -> None:
        super().__init__()
        self.passed = passed


class Cuttable(Direct):
    """A line that is cut amid what goes to the station, or amid what comes back."""

    def __init__(self, methods: Any, *, replug: bool) -> None:
        super().__init__(methods)
        self.there, self.back = Cut(), Cut()
        self.cuts = 0
        self._replug = replug

    def write(self, data: bytes, patience: float) -> int:
        assert patience > 0
        try:
            reached = self.there(data)
        except _CutError as cut:
            # What had passed has arrived; the other half never comes.
            self._inbox += self.carried(cut.passed)
            return self._cut(len(data))
        try:
            self._inbox += self.back(self.carried(reached))
        except _CutError as cut:
            self._inbox += cut.passed
            return self._cut(len(data))
        return len(data)

    def _cut(self, count: int) -> int:
        """Lose the port with its cable, or, as over three wires, notice nothing."""
        self.cuts += 1
        if self._replug:
            raise PortLostError("unplugged")
        return count


@pytest.mark.parametrize("replug", [True, False], ids=["plugged in again", "unnoticed"])
@pytest.mark.parametrize("where", ["there", "back"])
def test_cut_at_every_byte_a_roll_is_rolled_once(methods: Any, where: str, *, replug: bool) -> None:
    line = Cuttable(methods, replug=replug)
    with Station(line, timeout=1.0, clock=line.clock, wait=lambda _: None) as station:
        done = 0
        while line.cuts == done:
            getattr(line, where).left = done
            roll = station.roll(POOLS[1])
            done += 1
            assert roll.seq == done == len(methods.rolls)
    assert line.cuts > 170


def test_with_a_short_key_a_board_that_restarts_never_gets_yesterday_s_roll(methods: Any) -> None:
    line = Direct(methods)
    first = line.carried(b"hello\r@1 roll wg 6 vs 3\r").splitlines()[-1]
    again = line.carried(b"hello\r@1 roll wg 6 vs 3\r").splitlines()[-1]
    assert first.startswith(b"ok @1 seq=1 ")
    assert again.startswith(b"ok @1 seq=2 ")
