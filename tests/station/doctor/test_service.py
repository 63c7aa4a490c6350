"""The service, as the doctor finds it: installed, up, and let write where its ledger is."""

from collections.abc import Callable
from typing import Any

import pytest

from station.doctor.examine import examine
from station.doctor.findings import Finding
from station.doctor.service import PROPERTIES, UNIT

Look = Callable[..., list[Finding]]

FILE = f"/usr/lib/systemd/system/{UNIT}"
SHOW = ("systemctl", "show", f"--property={','.join(PROPERTIES)}", UNIT)
WHY = "journalctl -u dice-station -b"
UP = {"ActiveState": "active", "SubState": "running", "Result": "success", "NRestarts": "0"}
STRICT = {"ProtectSystem": "strict", "ProtectHome": "yes", "StateDirectory": ""}


def only(found: list[Finding]) -> Finding:
    (finding,) = found
    return finding


def shown(machine: Any, **properties: str) -> None:
    """Install the unit, and have systemd tell these properties of it, in an order of its own."""
    machine.write(FILE, "[Service]\n")
    told = UP | properties
    machine.answers[SHOW] = "\n".join(f"{name}={told[name]}" for name in sorted(told))


def service(machine: Any) -> str:
    (finding,) = [each for each in examine(machine) if each.topic == "service"]
    return finding.text


def test_a_service_that_is_up(zero: Any, look: Look) -> None:
    assert service(zero) == "the station is not installed as a service"
    shown(zero)
    assert look(zero) == []
    assert service(zero) == "the service is active"
    shown(zero, ActiveState="activating", SubState="start")
    assert service(zero) == "the service is activating"
    assert look(zero) == []


@pytest.mark.parametrize(
    "folder", ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"], ids=lambda each: each[1:]
)
def test_a_unit_is_found_wherever_systemd_finds_it(zero: Any, folder: str) -> None:
    zero.write(f"{folder}/systemd/system/{UNIT}")
    zero.answers[SHOW] = "ActiveState=active"
    assert service(zero) == "the service is active"


@pytest.mark.parametrize("output", [None, "", "ActiveState=inactive"])
def test_a_service_that_does_not_run(zero: Any, look: Look, output: str | None) -> None:
    zero.write(FILE)
    if output is not None:
        zero.answers[SHOW] = output
    finding = only(look(zero))
    assert (finding.level, finding.mend) == ("warn", f"sudo systemctl enable --now {UNIT}")


@pytest.mark.parametrize(
    ("state", "level", "text"),
    [
        (
            {"ActiveState": "failed", "Result": "exit-code"},
            "fail",
            "the service has failed (exit-code)",
        ),
        (
            {
                "ActiveState": "activating",
                "SubState": "auto-restart",
                "Result": "watchdog",
                "NRestarts": "12",
            },
            "fail",
            "the service does not stay up (watchdog): it was started again 12 times",
        ),
        (
            {"ActiveState": "activating", "SubState": "start", "NRestarts": "1"},
            "fail",
            "the service does not stay up: it was started again once",
        ),
        (
            {"ActiveState": "deactivating", "SubState": "stop-post", "Result": "signal"},
            "fail",
            "the service does not stay up (signal)",
        ),
        (
            {"NRestarts": "3"},
            "warn",
            "the service is active, but has fallen over: it was started again 3 times",
        ),
    ],
)
def test_a_service_that_falls_over(
    zero: Any, look: Look, state: dict[str, str], level: str, text: str
) -> None:
    shown(zero, **state)
    finding = only(look(zero))
    assert (finding.level, finding.text, finding.mend) == (level, text, WHY)


@pytest.mark.parametrize("file", [FILE, f"/etc/systemd/system/{UNIT}.d/mine.conf"])
def test_a_group_that_the_unit_wants_in_vain(zero: Any, look: Look, file: str) -> None:
    shown(zero)
    zero.write(file, "[Service]\nSupplementaryGroups=gpio plugdev\n")
    finding = only(look(zero))
    assert finding.text == "the unit wants the group plugdev, which is missing (216/GROUP)"
    assert finding.mend == "sudo groupadd --system plugdev"


@pytest.fixture
def served(zero: Any) -> Any:
    """A machine with the service's user, and folders that it may write to by their bits."""
    zero.account("gpio", "i2c", "spi", "dialout", "input", service=True)
    for folder in ("/var/lib/dice-station", "/srv/dice", "/home/pi/dice"):
        zero.place(folder).mkdir(parents=True)
        zero.owners[folder] = ("pi", 0o777)
    return zero


@pytest.mark.parametrize(
    ("writable", "folder", "kept_out"),
    [
        ("-/var/lib/dice-station", "", False),
        ("-/var/lib/dice-station", "/srv/dice", True),
        ("-/var/lib/dice-station", "/var/lib/dice-station/inner", False),
        ("-/var/lib/dice-station /srv/dice", "/srv/dice", False),
        ('-/var/lib/dice-station "-+/srv"', "/srv/dice", False),
        ("", "", True),
        ("/srv/dice'", "/srv/dice", True),
    ],
)
def test_a_folder_that_the_unit_does_not_let_be_written_to(
    served: Any, look: Look, writable: str, folder: str, *, kept_out: bool
) -> None:
    shown(served, **STRICT, ReadWritePaths=writable)
    found = look(served, f'[station]\nstate_folder = "{folder}"\n')
    wanted = folder or "/var/lib/dice-station"
    mend = f"sudo systemctl edit dice-station, with ReadWritePaths={wanted} below [Service]"
    told = [(finding.level, finding.topic, finding.mend) for finding in found]
    assert told == ([("fail", "state", mend)] if kept_out else [])


def test_a_state_directory_may_be_written_to(served: Any, look: Look) -> None:
    shown(served, **STRICT | {"StateDirectory": "dice-station:dice"}, ReadWritePaths="")
    assert look(served) == []


def test_a_home_is_hidden_whatever_may_be_written_to(served: Any, look: Look) -> None:
    shown(served, **STRICT, ReadWritePaths="/home/pi/dice")
    finding = only(look(served, '[station]\nstate_folder = "/home/pi/dice"\n'))
    assert finding.text == (
        "the unit hides /home from the service, so /home/pi/dice cannot be used"
    )
    assert finding.mend == 'state_folder = "/srv/dice" in [station]'


def test_a_unit_that_keeps_nothing_from_the_service(served: Any, look: Look) -> None:
    shown(served, ProtectSystem="full", ReadWritePaths="")
    assert look(served, '[station]\nstate_folder = "/srv/dice"\n') == []
