"""The station as a service: it begins, serves, is watched, and ends in good order."""

import os
import pty
import signal
import subprocess
import sys
import time
import tty
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from station import daemon as service
from station.client import NoAnswerError, RefusedError
from station.config import BAD_CONFIGURATION, load
from station.ledger.faults import DATABASE
from station.ledger.verify import verify
from station.mounts import shortcoming
from station.notify import Notifier
from station.protocol.errors import Code

POOL = {"system": "wrath-and-glory", "kind": "test", "pool": 6}
QUICKLY = 2.0
"""Seconds within which a station that is told to end has ended, its panel dark."""
TRIES = 3
"""How often it may show that; a busy machine can make any one try slow."""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_serves_until_a_signal_ends_it_in_good_order(start: Any, number: int) -> None:
    daemon = start()
    with daemon.client() as station:
        rolled = station.roll(POOL)
        assert rolled.seq == 2
        assert station.history().rolls[0]["hash"] == rolled.hash
        assert daemon.end(number) == 0
    daemon.wait_for("STOPPING=1", 1)
    assert not daemon.socket.exists()
    assert list(daemon.state.glob("socket")) == []
    assert verify(daemon.state / DATABASE, workers=1).problem is None


def test_it_ends_quickly_with_a_panel_and_lines_in_use(start: Any) -> None:
    took = []
    while not took or (took[-1] >= QUICKLY and len(took) < TRIES):
        daemon = start("--display", "simulated")
        with daemon.client() as station:
            station.subscribe("rolled")
            station.roll(POOL)
            begun = time.monotonic()
            assert daemon.end() == 0
            took.append(time.monotonic() - begun)
    assert took[-1] < QUICKLY, took


def test_a_line_that_is_open_does_not_keep_it_from_ending(start: Any) -> None:
    daemon = start()
    with ExitStack() as stack:
        stations = [stack.enter_context(daemon.client(attempts=1)) for _ in range(3)]
        stations[0].subscribe("rolled")
        assert daemon.end() == 0
        with pytest.raises(NoAnswerError):
            stations[1].state()


def test_the_watchdog_is_told_while_all_goes_well(start: Any) -> None:
    daemon = start(WATCHDOG_USEC="150000")
    assert [daemon.message() for _ in range(3)] == ["WATCHDOG=1"] * 3


def test_a_second_one_on_the_same_ledger_is_refused_and_names_the_first(start: Any) -> None:
    first = start()
    command = [sys.executable, "-m", "station", "run", "--pins", "mock", "--display", "memory"]
    places = ["--state", str(first.state), "--socket", str(first.folder / "other")]
    second = subprocess.run([*command, *places], capture_output=True, text=True, check=False)  # noqa: S603 - our own program
    assert second.returncode == 1
    assert f"process {first.process.pid} already keeps the ledger" in second.stderr
    assert not (first.folder / "other").exists()
    assert not (first.state / "crash.txt").exists(), "being refused is no crash"


def test_a_bad_configuration_is_told_and_has_its_own_status(folder: Path) -> None:
    bad = folder / "station.toml"
    bad.write_text("[display]\ndriver = 'ssd9999'\n", encoding="utf-8")
    command = [sys.executable, "-m", "station", "run", "--config", str(bad)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own program
    assert ran.returncode == BAD_CONFIGURATION == 78
    assert "ssd9999" in ran.stderr


def test_a_roll_is_told_to_all_but_who_asked(start: Any) -> None:
    daemon = start()
    with daemon.client() as asking, daemon.client() as hearing:
        asking.subscribe("rolled")
        hearing.subscribe("rolled", "changed")
        rolled = asking.roll(POOL)
        event = next(hearing.events(timeout=10))
        assert (event.name, event.params["seq"]) == ("rolled", rolled.seq)
        asking.change("glory", count=2)
        event = next(hearing.events(timeout=10))
        assert (event.name, event.params["state"]["glory"]) == ("changed", 2)
        assert list(asking.events(timeout=0)) == []


def test_a_key_is_known_after_the_power_was_cut(start: Any) -> None:
    daemon = start()
    with daemon.client() as station:
        first = station.roll(POOL, key="before-the-cut")
        state = station.change("glory", count=3)["state"]
    daemon.close()
    daemon = start()
    with daemon.client() as station:
        again = station.roll(POOL, key="before-the-cut")
        assert (again.replayed, again.seq, again.faces) == (True, first.seq, first.faces)
        assert station.state() == state


def test_a_person_at_a_serial_line_is_served_too(start: Any, folder: Path) -> None:
    with ExitStack() as stack:
        ours, theirs = pty.openpty()
        for handle in (ours, theirs):
            stack.callback(os.close, handle)
        tty.setraw(theirs)
        # Before its line goes: it would open whatever gets that name next.
        stack.callback(start("--serial", os.ttyname(theirs)).close)
        reader = stack.enter_context(os.fdopen(os.dup(ours), "rb"))
        os.write(ours, b"*IDN?\r")
        assert reader.readline().startswith(b"dice-station,")
        os.write(ours, b"roll 3D+2B vs 9\r")
        assert reader.readline().startswith(b"ok seq=2 success=")
        os.write(ours, b"change glory count=2\r")
        assert b"glory=2" in reader.readline()
        os.write(ours, b"health\r")
        told = reader.readline()
        assert b"entropy=ok" in told
        # Where the folder of tests lies in memory, a station says so.
        state = b"degraded" if shortcoming(folder) else b"ok"
        assert b"ledger=" + state in told


def test_without_a_place_for_a_ledger_it_rolls_and_refuses_keys(start: Any, folder: Path) -> None:
    (folder / "file").touch()
    daemon = start("--state", str(folder / "file" / "state"))
    with daemon.client() as station:
        told = station.call("roll", {"request": POOL})
        assert (told["recorded"], told["seq"]) == (False, None)
        with pytest.raises(RefusedError) as refused:
            station.roll(POOL)
        assert refused.value.code == Code.LEDGER_UNAVAILABLE
        assert station.health()["ledger"]["state"] == "lost"
    assert daemon.end() == 0


def test_what_is_missing_is_told_in_health_and_the_rest_works(start: Any) -> None:
    daemon = start("--pins", "gpiod", "--display", "panel")
    with daemon.client() as station:
        assert station.roll(POOL).recorded
        health = station.health()
    assert health["controls"]["state"] == "lost"
    assert health["controls"]["reason"]
    assert health["display"]["state"] in ("lost", "degraded")
    assert daemon.end() == 0


@pytest.mark.parametrize("socket", ["none/socket", "file", "file/socket"])
def test_a_socket_that_can_not_be_made_is_told_and_the_station_rolls_on(
    start: Any, folder: Path, socket: str
) -> None:
    (folder / "file").touch()
    with ExitStack() as stack:
        ours, theirs = pty.openpty()
        for handle in (ours, theirs):
            stack.callback(os.close, handle)
        tty.setraw(theirs)
        daemon = start("--socket", str(folder / socket), "--serial", os.ttyname(theirs))
        stack.callback(daemon.close)
        reader = stack.enter_context(os.fdopen(os.dup(ours), "rb"))
        os.write(ours, b"roll 3D+2B vs 9\r")
        assert reader.readline().startswith(b"ok seq=2 success=")
        assert daemon.end() == 0
    errors = [line for line in daemon.log.read_text().splitlines() if line.startswith("ERROR")]
    assert len(errors) == 1
    assert f"can't listen at {folder / socket}: " in errors[0]
    assert not (daemon.state / "crash.txt").exists()
    assert (folder / "file").is_file()


def test_a_second_one_at_the_same_socket_tells_that_it_is_in_use(start: Any, folder: Path) -> None:
    first = start()
    second = start("--state", str(folder / "other"), WATCHDOG_USEC="150000")
    # The first ping says that it has loaded, the second that it serves.
    assert [second.message() for _ in range(2)] == ["WATCHDOG=1"] * 2
    with first.client() as station:
        assert station.roll(POOL).recorded
    assert not (folder / "other" / "socket").is_symlink()
    assert second.end() == 0
    assert f"can't listen at {first.socket}: [Errno 98] Address already in use" in (
        second.log.read_text()
    )
    with first.client() as station:
        assert station.state()


def test_what_is_told_to_end_before_it_has_loaded_all_builds_nothing_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(load(None, {"HOME": str(folder)}), state_folder=folder)
    config = replace(config, controls=replace(config.controls, backend="mock"))

    def end(_: Notifier) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    def fall(*_: object) -> None:
        raise ZeroDivisionError("nothing more is to be built")

    monkeypatch.setattr(Notifier, "ready", end)
    monkeypatch.setattr("station.appliance.appliance", fall)
    service.serve(config)
    assert not (folder / service.CRASH).exists()


def test_a_crash_is_kept_and_not_hushed_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(load(None, {"HOME": str(folder)}), state_folder=folder)

    def fall(*_: object) -> None:
        raise ZeroDivisionError("a fault that no one foresaw")

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(service, "foundation", fall)
    with pytest.raises(ZeroDivisionError):
        service.serve(config)
    assert "a fault that no one foresaw" in (folder / service.CRASH).read_text(encoding="utf-8")
    assert signal.getsignal(signal.SIGTERM) is before
