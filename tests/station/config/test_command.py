"""``dice-station config``: check, show, example."""

from pathlib import Path

import pytest

from station.cli import main
from station.config.example import example

Capture = pytest.CaptureFixture[str]


def test_a_good_file(file: Path, capsys: Capture) -> None:
    file.write_text("[wiring]\nled = 20\n", "utf-8")
    assert main(["config", "--check", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}: good\n"


def test_every_fault_has_a_line_of_its_own(file: Path, capsys: Capture) -> None:
    file.write_text("[wiring]\nled = 1\n[dsplay]\n", "utf-8")
    assert main(["config", "--check", str(file)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    first, second = told.err.splitlines()
    assert first.startswith(f"dice-station: {file}: line 2: wiring.led is 1: allowed is a whole")
    assert second == f"dice-station: {file}: line 3: dsplay is no section: did you mean display?"


def test_the_roster_beside_it_is_checked_too(file: Path, capsys: Capture) -> None:
    roster = file.with_name("roster.toml")
    file.write_text("", "utf-8")
    roster.write_text("[[character]]\n", "utf-8")
    assert main(["config", "--check", str(file)]) == 2
    assert f"{roster}: line 1: character[0].name is missing" in capsys.readouterr().err


def test_a_roster_alone(file: Path, capsys: Capture) -> None:
    file.write_text("[[character]]\nname = 'Ana'\n", "utf-8")
    assert main(["config", "--check-roster", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}: good, 1 characters\n"


def test_effective_values_and_where_they_come_from(
    file: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/dice-station")
    file.write_text("[display]\naddress = 0x3d\n", "utf-8")
    assert main(["config", "--show", str(file)]) == 0
    lines = [line.split(" # ") for line in capsys.readouterr().out.splitlines() if " # " in line]
    shown = {setting.strip(): origin for setting, origin in lines}
    assert shown["address = 0x3D"] == "line 2"
    assert shown['driver = "ssd1306"'] == "default"
    assert shown['state_folder = "/var/lib/dice-station"'] == "environment STATE_DIRECTORY"


def test_the_machines_own_values(
    file: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONFIGURATION_DIRECTORY", str(file.parent))
    assert main(["config", "--show"]) == 0
    assert capsys.readouterr().out.startswith("# no configuration file: defaults\n")
    file.write_text("[wiring]\nled = 20\n", "utf-8")
    assert main(["config", "--show"]) == 0
    assert capsys.readouterr().out.startswith(f"# {file}\n")


def test_the_example(capsys: Capture) -> None:
    assert main(["config", "--example"]) == 0
    assert capsys.readouterr().out == example()


@pytest.mark.parametrize("words", [["config"], ["config", "--example", "--show"]])
def test_one_thing_at_a_time(words: list[str], capsys: Capture) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.count("\n") == 1
