"""The units and their companions: what systemd says of them, and that they fit the program."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from station.appliance import POWER_OFF
from station.cli import COMMANDS
from station.config import BAD_CONFIGURATION
from station.config.places import SYSTEM_FOLDER

UNITS = Path(__file__).parents[2] / "systemd"
SERVICE = UNITS / "dice-station.service"
NAMES = sorted(path.name for path in UNITS.iterdir() if path.suffix in {".service", ".path"})

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed"
)


def settings(name: str) -> dict[str, list[str]]:
    """Return all settings of a unit, in their order."""
    found: dict[str, list[str]] = {}
    for line in (UNITS / name).read_text().splitlines():
        if "=" in line and not line.startswith(("#", "[")):
            key, value = line.split("=", 1)
            found.setdefault(key, []).append(value)
    return found


def analyze(*words: str | Path) -> str:
    """Return what systemd-analyze prints."""
    command = [shutil.which("systemd-analyze") or "", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - ours
    return done.stdout + done.stderr


def as_installed(folder: Path) -> Path:
    """Return a folder with the units, their interpreter replaced by one that is here."""
    for name in NAMES:
        text = (UNITS / name).read_text()
        text = text.replace("/usr/lib/dice-station/bin/python3", sys.executable)
        text = re.sub(r"/usr/(s?bin)/(modprobe|rm)", lambda tool: _here(tool[2]), text)
        (folder / name).write_text(text)
    return folder


def _here(tool: str) -> str:
    return shutil.which(tool) or sys.executable


@needs_systemd
def test_systemd_has_nothing_to_say_against_the_units(tmp_path: Path) -> None:
    folder = as_installed(tmp_path)
    assert analyze("verify", "--man=no", *(folder / name for name in NAMES)) == ""


@needs_systemd
def test_systemd_would_say_something_against_a_bad_unit(tmp_path: Path) -> None:
    bad = as_installed(tmp_path) / "dice-station.service"
    bad.write_text(bad.read_text().replace("WatchdogSec=15", "WatchdogSecs=15"))
    assert "WatchdogSecs" in analyze("verify", "--man=no", bad)


@needs_systemd
@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("dice-station.service", 1.0),
        ("dice-station-poweroff.service", 1.0),
        # Root that may load modules, as it has to: little below that can be had.
        ("dice-station-gadget.service", 1.6),
    ],
)
def test_exposure_is_small(name: str, most: float) -> None:
    told = analyze("security", "--offline=true", "--no-pager", UNITS / name)
    exposure = re.search(r"Overall exposure level for \S+: (\d+\.\d)", told)
    assert exposure is not None
    assert float(exposure[1]) <= most


def test_the_gadgets_unit_may_still_load_a_module() -> None:
    gadget = settings("dice-station-gadget.service")
    assert gadget["CapabilityBoundingSet"] == ["CAP_SYS_MODULE"]
    assert gadget["SystemCallFilter"][-1] == "@module", "what was taken away before is given back"
    assert not gadget.keys() & {"ProtectKernelModules", "PrivateUsers", "User", "DynamicUser"}


def test_the_service_runs_a_command_that_there_is() -> None:
    (start,) = settings("dice-station.service")["ExecStart"]
    *interpreter, command = start.split()
    assert interpreter == ["/usr/lib/dice-station/bin/python3", "-I", "-m", "station"]
    assert command in {each.name for each in COMMANDS}


def test_a_bad_configuration_is_not_started_again() -> None:
    assert settings("dice-station.service")["RestartPreventExitStatus"] == [str(BAD_CONFIGURATION)]


def test_the_wish_to_power_off_is_watched_where_the_station_makes_it() -> None:
    service = settings("dice-station.service")
    (folder,) = service["RuntimeDirectory"]
    assert settings("dice-station-poweroff.path")["PathExists"] == [f"/run/{folder}/{POWER_OFF}"]
    assert f"/run/{folder}/{POWER_OFF}" in settings("dice-station-poweroff.service")["ExecStart"][0]
    assert "dice-station-poweroff.path" in service["Wants"]


def test_state_lies_where_tmpfiles_makes_its_folder() -> None:
    service = settings("dice-station.service")
    folder = service["Environment"][0].removeprefix("STATE_DIRECTORY=")
    assert service["ReadWritePaths"] == [f"-{folder}"]
    assert f"d {folder} 0750 dice-station dice-station" in (UNITS / "tmpfiles.conf").read_text()


def test_nothing_else_can_be_written_and_no_configuration_need_exist() -> None:
    service = settings("dice-station.service")
    assert service["ProtectSystem"] == ["strict"]
    assert not service.keys() & {"StateDirectory", "ConfigurationDirectory", "BindPaths"}
    assert Path("/etc/dice-station") == SYSTEM_FOLDER


@pytest.mark.parametrize(
    "device",
    [
        *("char-gpiochip rw", "char-i2c rw", "char-spi rw", "char-input r", "/dev/hwrng r"),
        *(f"char-tty{kind} rw" for kind in ("S", "AMA", "USB", "ACM", "GS")),
    ],
)
def test_a_device_may_be_opened(device: str) -> None:
    assert device in settings("dice-station.service")["DeviceAllow"]


def test_every_group_of_a_device_is_one_of_the_users() -> None:
    rules = (UNITS / "udev.rules").read_text()
    groups = set(re.findall(r'GROUP="([^"]+)"', rules))
    users = (UNITS / "sysusers.conf").read_text()
    members = set(re.findall(r"^m dice-station (\S+)$", users, re.MULTILINE)) | {"dice-station"}
    assert groups <= members
    assert groups >= {"gpio", "i2c", "spi", "dialout", "dice-station"}


def test_a_missing_group_does_not_keep_the_service_from_starting() -> None:
    assert "SupplementaryGroups" not in settings("dice-station.service")


def test_the_document_of_every_unit_is_shipped() -> None:
    for name in NAMES:
        (where,) = settings(name)["Documentation"]
        assert (UNITS.parent / "docs" / Path(where).name).is_file()
