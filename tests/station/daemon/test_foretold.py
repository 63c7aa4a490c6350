"""Dice that could be foretold are marked as a test in every answer that tells of their roll."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from hardware.clock import Clock
from hardware.display.interface import Backend
from hardware.entropy.dice import Dice, OnChange
from hardware.entropy.factory import seeded_dice
from hardware.entropy.settings import EntropySettings
from hardware.serialport.local import LocalPort
from station import appliance as built
from station.cli import main
from station.config import load
from station.foundation import foundation
from station.inbox import Item, Stop
from station.notify import Notifier

SOON = 10.0
"""Seconds that a line may take; only a failing test waits so long."""

Say = Callable[[str], str]


def foretold(_: EntropySettings, clock: Clock, on_change: OnChange, *_more: object) -> Dice:
    return seeded_dice(7, test=True, clock=clock, on_change=on_change)


@pytest.fixture
def socket(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Run a station whose dice fall by a seed; give its socket."""
    monkeypatch.setattr(built, "build_dice", foretold)
    found = load(None, {"HOME": str(folder), "RUNTIME_DIRECTORY": str(folder)})
    config = replace(
        found,
        state_folder=folder / "state",
        controls=replace(found.controls, backend="mock"),
        display=replace(found.display, backend=Backend.MEMORY),
    )
    assert config.service.socket is not None
    inbox: SimpleQueue[Item] = SimpleQueue()
    ready = threading.Event()

    def own() -> None:
        with foundation(config, inbox) as base, built.appliance(base, Notifier()) as station:
            ready.set()
            station.runner.run()

    owner = threading.Thread(target=own, name="owner")
    owner.start()
    assert ready.wait(SOON)
    yield config.service.socket
    inbox.put(Stop())
    owner.join()


@pytest.fixture
def say(socket: Path) -> Iterator[Say]:
    """Send a line and return all that is told up to the answer's last line."""
    with closing(LocalPort(socket)) as port:
        port.open()

        def said(line: str) -> str:
            port.write(line.encode() + b"\n", SOON)
            told = ""
            while not told.endswith("\n") or not _ends(told):
                heard = port.read(SOON).decode()
                assert heard, f"nothing came after {told!r}"
                told += heard
            return told

        yield said


def _ends(told: str) -> bool:
    """Whether an answer's last line is there; those before it begin with ``ok .``.

    An event may come behind it at once.
    """
    lasts = [line for line in told.splitlines() if not line.startswith("ok .")]
    return any(line.startswith(('{"jsonrpc"', "ok", "err")) for line in lasts)


def rolls_of(text: str) -> Any:
    return json.loads(text.splitlines()[-1])["result"]


def test_in_typed_answers(say: Say) -> None:
    assert " test=yes" in say("roll 3D vs 9")
    (row,) = (line for line in say("history 1").splitlines() if "seq=" in line)
    assert " test=yes" in row


@pytest.mark.parametrize("brief", ["no", "yes"])
def test_in_typed_events(say: Say, socket: Path, brief: str) -> None:
    say(f"subscribe rolled brief={brief}")
    with closing(LocalPort(socket)) as other:
        other.open()
        other.write(b"roll 3D vs 9\n", SOON)
        assert b" test=yes" in other.read(SOON)
    events: list[str] = []
    while not events:  # the answer may be quicker than the event
        events = [line for line in say("state").splitlines() if line.startswith("ev ")]
    assert " test=yes" in events[0]


def test_in_json_answers_rows_and_brief_rolls(say: Say) -> None:
    def ask(method: str, **params: Any) -> Any:
        request = {"jsonrpc": "2.0", "method": method, "params": params, "id": 1}
        return rolls_of(say(json.dumps(request)))

    pool = {"system": "wrath-and-glory", "kind": "test", "pool": 6}
    assert ask("roll", request=pool)["test"] is True
    assert ask("roll", request=pool, brief=True)["test"] is True
    assert ask("roll", request=pool, hidden=True, brief=True)["test"] is True
    assert [roll["test"] for roll in ask("history")["rolls"]] == [True] * 3


def test_on_the_command_line(say: Say, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    say("roll 3D vs 9")
    state = ("--state", str(folder / "state"))
    assert main(["history", *state]) == 0
    assert capsys.readouterr().out.rstrip().endswith("(a test)")
    assert main(["show", "2", *state]) == 0
    assert "a test: its faces could be foretold" in capsys.readouterr().out
    assert main(["history", "--json", *state]) == 0
    assert json.loads(capsys.readouterr().out)["rolls"][0]["test"] is True
