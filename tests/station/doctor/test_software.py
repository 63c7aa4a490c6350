"""Python, libraries, font and configuration, as the doctor finds them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from station.config import ConfigError, Fault
from station.doctor.examine import examine
from station.doctor.findings import Finding

Look = Callable[..., list[Finding]]

CONFIG = "/etc/dice-station/station.toml"
ROSTER = "/etc/dice-station/roster.toml"


def only(found: list[Finding]) -> Finding:
    (finding,) = found
    return finding


@pytest.mark.parametrize(
    ("missing", "text", "mend"),
    [
        ("gpiozero", "", "pip install --force-reinstall dice-station"),
        ("luma.oled", "", "pip install --force-reinstall dice-station"),
        ("gpiod", "", "pip install 'dice-station[pi]'"),
        ("lgpio", '[controls]\npins = "lgpio"\n', "sudo apt install python3-lgpio"),
        ("spidev", '[display]\nbus = "spi"\n', "pip install 'dice-station[pi]'"),
        (
            "evdev",
            '[controls]\nsource = "evdev"\ninput_devices = ["/dev/ttyS0"]\n',
            "sudo apt install python3-evdev",
        ),
    ],
)
def test_a_library_is_missing(zero: Any, look: Look, missing: str, text: str, mend: str) -> None:
    zero.modules -= {missing}
    zero.device("/dev/spidev0.0", "spi")
    finding = only(look(zero, text))
    assert (finding.level, finding.text) == ("fail", f"the library {missing} is missing")
    assert finding.mend == mend


def test_what_is_not_needed_may_be_absent(zero: Any, look: Look) -> None:
    zero.modules -= {"gpiod", "spidev"}
    text = '[controls]\nsource = "none"\n[wiring]\nled = false\nbuzzer = false\n'
    assert look(zero, text) == []
    told = [finding.text for finding in examine(zero) if finding.topic == "libraries"]
    assert "gpiod (absent)" in told[-1]


def test_an_old_python(zero: Any, look: Look) -> None:
    zero.python = (3, 9)
    assert only(look(zero)).text == "Python 3.9 is older than 3.11"


def test_a_font_that_can_not_be_drawn(zero: Any, look: Look) -> None:
    zero.font = "The _imagingft C module is not installed"
    finding = only(look(zero))
    assert (finding.level, finding.topic) == ("fail", "fonts")
    assert "_imagingft" in finding.text


def test_faults_of_the_configuration_come_first(zero: Any, look: Look) -> None:
    found = look(zero, "[wiring]\nled = 1\nup = 2\n")
    assert [finding.topic for finding in found] == ["config", "config"]
    assert "wiring.led is 1" in found[0].text
    assert "wiring.up cannot have GPIO2" in found[1].text
    assert found[0].mend.startswith("sudoedit ")


def test_faults_of_the_roster_are_told(zero: Any, look: Look) -> None:
    zero.write("/etc/dice-station/roster.toml", "[[character]]\n")
    assert "character[0].name is missing" in only(look(zero, "[table]\n")).text


@pytest.fixture
def served(zero: Any) -> Any:
    """A machine with the service's own user, and a configuration and a roster in their place."""
    zero.account("gpio", "i2c", "spi", "dialout", "input", service=True)
    zero.place("/var/lib/dice-station").mkdir(parents=True)
    zero.owners["/var/lib/dice-station"] = ("pi", 0o777)
    zero.write(CONFIG, "[table]\n")
    zero.write(ROSTER, "")
    return zero


@pytest.mark.parametrize("asks", ["root", "pi"])
@pytest.mark.parametrize("path", [CONFIG, ROSTER])
def test_a_file_that_only_root_may_read_stops_the_service(
    served: Any, look: Look, asks: str, path: str
) -> None:
    assert look(served) == []
    served.name = asks
    served.owners[path] = ("root", 0o600)
    finding = only(look(served))
    assert (finding.level, finding.topic) == ("fail", "config")
    assert finding.text == f"dice-station may not read {path} (0600)"
    assert finding.mend == f"sudo chmod a+r {path}"


def test_faults_of_a_file_that_only_root_may_read_are_told_too(served: Any, look: Look) -> None:
    served.owners[CONFIG] = ("root", 0o600)
    found = look(served, "[wiring]\nled = 1\n")
    assert [finding.mend for finding in found] == [
        f"sudo chmod a+r {CONFIG}",
        f"sudoedit {served.place(CONFIG)}",
    ]


def test_a_folder_that_only_root_may_look_into(served: Any, look: Look) -> None:
    served.owners["/etc/dice-station"] = ("root", 0o700)
    finding = only(look(served))
    assert finding.text == "dice-station may not look into /etc/dice-station (0700)"
    assert finding.mend == "sudo chmod a+x /etc/dice-station"
    served.lose(CONFIG)
    served.lose(ROSTER)
    assert only(look(served)) == finding


def test_a_file_that_only_the_service_may_read(
    served: Any, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bytes:
        error = PermissionError(13, "Permission denied")
        raise ConfigError(path, [Fault("", "the file cannot be read")]) from error

    monkeypatch.setattr("station.config.read_document", refuse)
    finding = only(look(served))
    assert (finding.level, finding.mend) == ("warn", "sudo dice-station doctor")
    assert finding.text.endswith("station.toml cannot be looked at")


def test_a_configuration_in_the_making_may_be_anyones(served: Any, look: Look) -> None:
    served.owners["/home/pi"] = ("root", 0o700)
    served.write("/home/pi/draft.toml", "[table]\n")
    served.write("/home/pi/roster.toml", "")
    served.owners["/home/pi/draft.toml"] = ("root", 0o600)
    found = examine(served, served.place("/home/pi/draft.toml"))
    assert [finding for finding in found if finding.level != "ok"] == []
    assert look(served) == []


def test_without_a_service_who_asks_is_who_reads(zero: Any, look: Look) -> None:
    zero.write(CONFIG, "[table]\n")
    zero.owners[CONFIG] = ("root", 0o600)
    assert look(zero) == []


def test_a_configuration_that_is_a_link_to_nowhere(served: Any, look: Look) -> None:
    served.lose(CONFIG)
    served.link(CONFIG, "/nowhere/at/all")
    finding = only(look(served))
    assert (finding.level, finding.topic) == ("fail", "config")
    assert finding.text.endswith("it is a link to /nowhere/at/all")
