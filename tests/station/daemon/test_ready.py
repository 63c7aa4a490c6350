"""What a station has done when it says that it is ready, and what it has left for later."""

import json
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import pytest

from hardware.clock import SECOND, Nanoseconds
from hardware.controls.events import Control
from hardware.controls.simulated import SimulatedControls, VirtualClock
from hardware.display.interface import Backend
from station.appliance import appliance
from station.config import load
from station.foundation import foundation
from station.inbox import Item
from station.notify import Notifier
from station.state import Greeting

SOON = 10.0

AT_READY = """
import json, os, sys
from station.cli import main
from station.notify import Notifier

def ready(_):
    json.dump(sorted(sys.modules), sys.stdout)
    sys.stdout.flush()
    os._exit(0)

Notifier.ready = ready
main(sys.argv[1:])
"""

LATER = (
    *("PIL", "luma", "smbus2", "spidev"),
    *("hardware.display.factory", "hardware.display.service", "hardware.entropy.dice"),
    *("station.appliance", "station.book", "station.machine", "station.flow", "station.runner"),
    *(
        "station.screens",
        "station.show",
        "station.state",
        "station.views",
        "station.menus",
        "station.people",
    ),
    *("station.service", "station.methods", "station.protocol.session", "station.protocol.jsonrpc"),
    *("station.ledger.verify", "station.ledger.salvage", "station.ledger.report"),
    *("station.ledger.commands", "station.ledger.export", "station.config.roster"),
    *("station.cli.roll", "station.cli.ctl", "station.cli.simulate", "station.simulator"),
    *(
        "station.client",
        "station.dialogue",
        "station.doctor",
        "rules.acts",
        "rules.notation",
        "rules.registry",
        "rules.table",
        "rules.model",
    ),
)
"""Modules and packages that must not be loaded before: all else waits for them."""

OPENED = (
    *("gpiozero", "serial", "sqlite3", "hardware.controls.gpio", "hardware.serialport.local"),
    *("station.ledger.store", "station.fittings"),
)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> frozenset[str]:
    """What is loaded when a real daemon says that it is ready; it ends there."""
    folder = tmp_path_factory.mktemp("ready")
    config = folder / "station.toml"
    config.write_text('[[serial]]\ndevice = "/dev/none"\n')
    words = ("run", "--config", str(config), "--state", str(folder), "--pins", "mock")
    command = [sys.executable, "-c", AT_READY, *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own program
    return frozenset(json.loads(ran.stdout))


@pytest.mark.parametrize("name", LATER)
def test_it_does_not_wait_for_what_is_only_needed_later(loaded: frozenset[str], name: str) -> None:
    assert [each for each in sorted(loaded) if each == name or each.startswith(f"{name}.")] == []


@pytest.mark.parametrize("name", OPENED)
def test_ledger_contacts_and_lines_are_there(loaded: frozenset[str], name: str) -> None:
    assert name in loaded


@pytest.mark.parametrize(
    "name", [name for name in LATER if name.startswith(("station.", "rules."))]
)
def test_what_is_named_here_exists(name: str) -> None:
    path = Path(__file__).parents[3].joinpath(*name.split("."))
    assert path.is_dir() or path.with_suffix(".py").is_file()


def test_what_comes_before_the_rest_is_there_is_kept_and_answered(folder: Path) -> None:
    found = load(None, {"HOME": str(folder), "RUNTIME_DIRECTORY": str(folder)})
    config = replace(
        found,
        controls=replace(found.controls, backend="mock"),
        display=replace(found.display, backend=Backend.MEMORY),
    )
    assert config.service.socket is not None
    inbox: SimpleQueue[Item] = SimpleQueue()
    clock = VirtualClock()
    with foundation(config, inbox, clock) as base, socket.socket(socket.AF_UNIX) as program:
        program.settimeout(SOON)
        program.connect(str(config.service.socket))
        program.sendall(b"*IDN?\n")
        assert base.fittings.pins is not None
        hands = SimulatedControls(base.fittings.pins.factory)
        for move in (hands.press, hands.release):
            clock.advance(Nanoseconds(SECOND // 5))
            move(Control.ROLL)
        clock.advance(Nanoseconds(SECOND))
        with appliance(base, Notifier()) as station:
            assert isinstance(station.runner.state.screen, Greeting)
            station.runner.settle()
            assert not isinstance(station.runner.state.screen, Greeting)
            assert program.recv(100).startswith(b"dice-station,table,")
        assert base.keeper.ledger.head().seq > 1
