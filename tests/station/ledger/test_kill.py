"""Killed at any moment, a station loses no roll that it acknowledged and makes none twice.

What the client sees is kept apart from how it asks (`Speech`), so that any process which keeps a
ledger and answers keyed requests can be put in the place of the small one here.
"""

import json
import os
import random
import select
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import pytest

from station.ledger import TABLE, Ledger, Moment, open_ledger
from station.ledger.faults import DATABASE
from station.ledger.patch import patched
from station.ledger.verify import verify

LONGEST_START = 60.0
"""Seconds that a process may take until it is ready."""

ROLLER = Path(__file__).with_name("keyed_roller.py")


class Speech(Protocol):
    """How a client talks to the process under test, one line at a time."""

    def command(self, folder: Path) -> list[str]:
        """Return the command that starts the process on a state folder."""

    def is_ready(self, line: bytes) -> bool:
        """Return whether a line says that requests are taken."""

    def request(self, key: str) -> bytes:
        """Return the line that asks for a roll."""

    def reply(self, line: bytes) -> tuple[str, int, str]:
        """Return the key, the row's number and its hash that a line acknowledges."""


class RollerSpeech:
    """The lines of `keyed_roller.py`."""

    def command(self, folder: Path) -> list[str]:
        return [sys.executable, str(ROLLER), str(folder)]

    def is_ready(self, line: bytes) -> bool:
        return line == b"ready"

    def request(self, key: str) -> bytes:
        return f"{key}\n".encode()

    def reply(self, line: bytes) -> tuple[str, int, str]:
        key, seq, digest = line.decode().split()
        return key, int(seq), digest


@dataclass
class Client:
    """Asks for rolls with keys, and asks again for what was not acknowledged before the crash."""

    speech: Speech
    folder: Path
    chance: random.Random
    acknowledged: dict[str, tuple[int, str]] = field(default_factory=dict)
    asked: int = 0
    in_work: int = 0

    def run_until_killed(self, seconds: float, *, once_ready: bool) -> None:
        """Start the process, ask as fast as it answers, and kill it when the time is up.

        The time counts from when the process is ready, or from its start.
        """
        with subprocess.Popen(  # noqa: S603 - our own command
            self.speech.command(self.folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            try:
                self._talk(process, seconds, once_ready=once_ready)
            finally:
                process.kill()
                process.wait()
                assert process.stdout is not None
                self._take(process.stdout.read())

    def _talk(
        self, process: "subprocess.Popen[bytes]", seconds: float, *, once_ready: bool
    ) -> None:
        end = time.monotonic() + (LONGEST_START if once_ready else seconds)
        assert process.stdout is not None
        assert process.stdin is not None
        heard = b""
        while (left := end - time.monotonic()) > 0:
            if not select.select([process.stdout], [], [], left)[0]:
                return
            heard += os.read(process.stdout.fileno(), 4096)
            *lines, heard = heard.split(b"\n")
            for line in lines:
                if not self.speech.is_ready(line):
                    self._take(line)
                elif once_ready:
                    self.in_work += 1
                    end = time.monotonic() + seconds
                process.stdin.write(self.speech.request(self._next()))
                process.stdin.flush()

    def _next(self) -> str:
        key = f"{self.asked:08}"
        if key in self.acknowledged:
            self.asked += 1
            key = f"{self.asked:08}"
        return key

    def _take(self, answer: bytes) -> None:
        for line in answer.splitlines():
            if line and not self.speech.is_ready(line):
                key, seq, digest = self.speech.reply(line)
                assert self.acknowledged.setdefault(key, (seq, digest)) == (seq, digest)


def check(client: Client) -> int:
    """Check that the ledger holds what was acknowledged, once; return how many rolls it holds."""
    assert verify(client.folder / DATABASE, workers=1).problem is None
    with closing(open_ledger(client.folder, Moment(0), "check")) as opened:
        ledger = opened.ledger
        assert isinstance(ledger, Ledger)
        assert not list(client.folder.glob("damaged-*"))
        keys: Counter[str] = Counter()
        state = None
        rolls = 0
        for row in ledger.rows():
            detail = json.loads(row.detail)
            keys.update([detail["key"]] if "key" in detail else [])
            rolls += row.kind == "roll"
            state = patched(state, detail["patch"]) if "patch" in detail else state
        for key, (seq, digest) in client.acknowledged.items():
            row = ledger.row(seq)
            assert row is not None, key
            assert row.hash.hex() == digest
            assert row.kind == "roll"
        assert set(keys.values()) <= {1}
        assert client.acknowledged.keys() <= keys.keys()
        assert state == ledger.document(TABLE)
        assert rolls == (state["rolls"] if state else 0)
        assert len(client.acknowledged) <= rolls <= client.asked + 1
        return rolls


def killed(folder: Path, times: int) -> Client:
    chance = random.Random(20)  # noqa: S311 - which moments are tried need not be secret
    client = Client(RollerSpeech(), folder, chance)
    started = startup_seconds(client)
    for number in range(times):
        if number % 4 == 3:
            client.run_until_killed(started * chance.random(), once_ready=False)
        else:
            client.run_until_killed(chance.random() / 4, once_ready=True)
        if number % 10 == 9:
            check(client)
    return client


def startup_seconds(client: Client) -> float:
    """Return how long the process takes until it is ready."""
    begun = time.monotonic()
    with subprocess.Popen(  # noqa: S603 - our own command
        client.speech.command(client.folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert client.speech.is_ready(process.stdout.readline().strip())
        took = time.monotonic() - begun
        process.kill()
    return took


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.mark.timeout(300)
def test_killed_twenty_times_it_keeps_every_acknowledged_roll_once(folder: Path) -> None:
    client = killed(folder, 20)
    assert client.in_work == 15
    assert len(client.acknowledged) > 20
    assert check(client) >= len(client.acknowledged)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_killed_two_hundred_times_it_keeps_every_acknowledged_roll_once(folder: Path) -> None:
    client = killed(folder, 200)
    assert client.in_work == 150
    assert check(client) >= len(client.acknowledged) > 200


def test_the_check_sees_a_roll_that_is_lost(folder: Path) -> None:
    """The harness itself: a client that was told of a roll which is not there fails the check."""
    client = Client(RollerSpeech(), folder, random.Random(1))  # noqa: S311 - as above
    client.run_until_killed(0.3, once_ready=True)
    assert check(client) > 0
    client.acknowledged["99999999"] = (10**6, "00")
    client.asked += 1
    with pytest.raises(AssertionError, match="99999999"):
        check(client)
