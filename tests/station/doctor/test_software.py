"""Python, libraries, font, service and configuration, as the doctor finds them."""

from collections.abc import Callable
from typing import Any

import pytest

from station.doctor.examine import examine
from station.doctor.findings import Finding

Look = Callable[..., list[Finding]]

UNIT = "/usr/lib/systemd/system/dice-station.service"
STATE = ("systemctl", "is-active", "dice-station.service")


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


@pytest.mark.parametrize(
    ("state", "level", "mend"),
    [
        ("active", None, None),
        ("failed", "fail", "journalctl -u dice-station.service -n 30"),
        ("inactive", "warn", "sudo systemctl enable --now dice-station.service"),
    ],
)
def test_the_service(
    zero: Any, look: Look, state: str, level: str | None, mend: str | None
) -> None:
    zero.write(UNIT, "[Service]\n")
    zero.answers[STATE] = state
    found = look(zero)
    assert [(f.level, f.mend) for f in found] == ([(level, mend)] if level else [])


@pytest.mark.parametrize("file", [UNIT, "/etc/systemd/system/dice-station.service.d/mine.conf"])
def test_a_group_that_the_unit_wants_in_vain(zero: Any, look: Look, file: str) -> None:
    zero.write(UNIT, "[Service]\n")
    zero.write(file, "[Service]\nSupplementaryGroups=gpio plugdev\n")
    zero.answers[STATE] = "active"
    finding = only(look(zero))
    assert finding.text == "the unit wants the group plugdev, which is missing (216/GROUP)"
    assert finding.mend == "sudo groupadd --system plugdev"


def test_faults_of_the_configuration_come_first(zero: Any, look: Look) -> None:
    found = look(zero, "[wiring]\nled = 1\nup = 2\n")
    assert [finding.topic for finding in found] == ["config", "config"]
    assert "wiring.led is 1" in found[0].text
    assert "wiring.up cannot have GPIO2" in found[1].text
    assert found[0].mend.startswith("sudoedit ")


def test_faults_of_the_roster_are_told(zero: Any, look: Look) -> None:
    zero.write("/etc/dice-station/roster.toml", "[[character]]\n")
    assert "character[0].name is missing" in only(look(zero, "[table]\n")).text
