"""A person presses while clients flood, never read, and ask: the table does not wait for them."""

import json
import os
import pty
import statistics
import subprocess
import sys
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from hardware.controls.events import Control
from station.recorder import Recorder

CLIENT = Path(__file__).with_name("line_client.py")
MODES = ("late", "deaf", "flood", "ask")

MOST_SLOWER = 2.0
"""How much later than in a quiet room a verdict may come, at the median."""


class Line:
    """A line to the station, whose far end a process of its own holds."""

    def __init__(self) -> None:
        self.far, self._near = pty.openpty()
        tty.setraw(self._near)
        self.port = os.ttyname(self._near)

    def close(self) -> None:
        os.close(self.far)
        os.close(self._near)


@pytest.fixture
def lines() -> Iterator[dict[str, Line]]:
    lines = {mode: Line() for mode in MODES}
    yield lines
    for line in lines.values():
        line.close()


class Watched(Recorder):
    """Tells when a roll is on the disk; only then it is shown."""

    recorded = threading.Event()
    at = 0

    def record(self, *stage: Any) -> Any:
        seq = super().record(*stage)
        Watched.at = time.monotonic_ns()
        Watched.recorded.set()
        return seq


@pytest.fixture
def station(
    lay_table: Callable[..., Any], lines: dict[str, Line], monkeypatch: pytest.MonkeyPatch
) -> Any:
    monkeypatch.setattr("station.appliance.Recorder", Watched)
    return lay_table(*(line.port for line in lines.values()))


def press(station: Any) -> float | None:
    """Press once; return the ms to the disk, or None where the press only left a verdict."""
    hands = station.hands()
    Watched.recorded.clear()
    hands.press(Control.ROLL)
    time.sleep(0.05)
    let_go = time.monotonic_ns()
    hands.release(Control.ROLL)
    if not Watched.recorded.wait(0.5):
        return None
    return (Watched.at - let_go) / 1e6


def median(station: Any, presses: int) -> float:
    """Return the median of so many presses that rolled, in ms."""
    times: list[float] = []
    tried = 0
    while len(times) < presses and tried < presses * 4:
        tried += 1
        if (took := press(station)) is not None:
            times.append(took)
    assert len(times) == presses
    return statistics.median(times)


def start(stack: ExitStack, mode: str, line: Line) -> "subprocess.Popen[str]":
    command = [sys.executable, str(CLIENT), mode, str(line.far)]
    process = subprocess.Popen(  # noqa: S603 - nothing here comes from outside
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=(line.far,),
        text=True,
    )
    stack.enter_context(process)
    stack.callback(process.kill)
    assert process.stdout is not None
    assert process.stdout.readline() == '"ready"\n'
    return process


def pressed_under_load(station: Any, lines: dict[str, Line], presses: int) -> tuple[float, Any]:
    """Return the median of presses while all clients are at work, and what came of these."""
    with ExitStack() as stack:
        clients = {mode: start(stack, mode, line) for mode, line in lines.items()}
        time.sleep(1)
        loaded = median(station, presses)
        # The one who is told of the others' doings is the last to stop.
        told = {mode: json.loads(clients[mode].communicate("\n")[0]) for mode in reversed(clients)}
    return loaded, told


def check(station: Any, lines: dict[str, Line], presses: int) -> tuple[float, float]:
    """Press in a quiet room and under load; return both medians in ms."""
    quiet = median(station, presses)
    loaded, told = pressed_under_load(station, lines, presses)
    assert told["deaf"]["bytes"] > 0, told
    assert told["ask"]["asked"] == told["ask"]["answered"] > 0, told
    assert told["flood"]["asked"] == told["flood"]["answers"] > 0, told
    assert len(station.rolls()) == 2 * presses, told
    assert told["late"]["dropped"] > 0, told
    assert told["late"]["events"] + told["late"]["dropped"] == told["ask"]["asked"], told
    return quiet, loaded


def test_presses_go_on_while_clients_flood_never_read_and_ask(
    station: Any, lines: dict[str, Line]
) -> None:
    check(station, lines, 3)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_under_load_a_verdict_comes_nearly_as_soon(station: Any, lines: dict[str, Line]) -> None:
    quiet, loaded = check(station, lines, 60)
    assert loaded < MOST_SLOWER * quiet, f"{loaded:.1f} ms, in a quiet room {quiet:.1f} ms"
