"""The real machine, and the command that looks at it."""

import json
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hardware.display.interface import PanelSettings
from station.cli import main
from station.cli.doctor import told
from station.doctor.examine import examine
from station.doctor.findings import Finding, Level
from station.doctor.machine import LinuxMachine

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def machine(tmp_path: Path) -> LinuxMachine:
    return LinuxMachine({}, tmp_path)


def test_files_below_a_root(machine: LinuxMachine, tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "ttyS0").write_bytes(b"x" * 100_000)
    (tmp_path / "dev" / "ttyS0").chmod(0o640)
    (tmp_path / "dev" / "serial0").symlink_to("ttyS0")
    os.mkfifo(tmp_path / "dev" / "fifo")
    assert machine.names("/dev") == ("fifo", "serial0", "ttyS0")
    assert machine.names("/nowhere") == ()
    assert machine.target("/dev/serial0") == "/dev/ttyS0"
    assert machine.target("/dev/ttyS0") == "/dev/ttyS0"
    assert machine.read("/dev/fifo") is None
    assert machine.read("/nowhere") is None
    assert len(machine.read("/dev/serial0") or b"") == 64 * 1024
    owned = machine.owned("/dev/serial0")
    assert owned is not None
    assert (owned.uid, owned.mode, owned.folder) == (os.getuid(), 0o640, False)
    assert machine.owned("/nowhere") is None
    disk = machine.disk("/dev")
    assert disk is not None
    assert disk.free_bytes > 0
    assert machine.disk("/nowhere") is None


def test_commands(machine: LinuxMachine) -> None:
    ran = machine.run(sys.executable, "-c", "print('yes'); raise SystemExit(3)")
    assert ran is not None
    assert (ran.status, ran.output) == (3, "yes")
    assert machine.run("/nowhere/at/all") is None


def test_what_this_python_has(machine: LinuxMachine) -> None:
    assert machine.has_module("luma.oled")
    assert not machine.has_module("no_such_module.at_all")
    assert machine.font_problem() == ""
    assert machine.user()
    assert abs(machine.now() - datetime.now(UTC)) < timedelta(minutes=1)


def test_devices_that_are_not_there(machine: LinuxMachine) -> None:
    with pytest.raises(OSError, match="No such file"):
        machine.chip("/dev/gpiochip0")
    assert "/dev/i2c-255" in machine.unanswered(PanelSettings(i2c_port=255))


def test_this_machine_can_be_looked_at() -> None:
    found = examine(LinuxMachine(os.environ))
    assert {"config", "python", "libraries", "gpio", "state"} <= {each.topic for each in found}


def test_the_command_as_json(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "station.toml"
    file.write_text("[wiring]\nled = 1\n", "utf-8")
    assert main(["doctor", "--json", "--config", str(file)]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["good"] is False
    assert answer["findings"][0] == {
        "topic": "config",
        "level": "fail",
        "text": f"{file}: line 2: wiring.led is 1: allowed is a whole number 2–27, "
        "or false (not wired)",
        "mend": f"sudoedit {file}",
    }


def test_the_command_for_a_person(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    found = (
        Finding("python", Level.OK, "Python 3.11"),
        Finding("i2c", Level.WARN, "it is slow", "make it fast"),
    )
    monkeypatch.setattr("station.cli.doctor.looked", lambda _: found)
    assert main(["doctor"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ok    python     Python 3.11",
        "warn  i2c        it is slow",
        "                 → make it fast",
    ]
    assert len(list(told(found))) == 3


def test_a_library_without_which_nothing_can_be_looked_at(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "station.doctor.examine")
    monkeypatch.setitem(sys.modules, "station.config", None)
    assert main(["doctor"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "fail  libraries  the library station.config is missing",
        "                 → pip install --force-reinstall dice-station",
    ]
