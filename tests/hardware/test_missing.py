"""What is said to bring a missing library back, by where the program runs from."""

from pathlib import Path

import pytest

from hardware import missing
from hardware.missing import mend

BOOKWORM, TRIXIE = (3, 11), (3, 13)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """An environment as the program's installation makes it."""
    prefix = tmp_path / "lib" / "dice-station"
    prefix.mkdir(parents=True)
    (prefix / "configure").touch()
    return prefix


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("gpiozero", "pip install --force-reinstall dice-station"),
        ("luma.oled", "pip install --force-reinstall dice-station"),
        ("PIL", "pip install --force-reinstall dice-station"),
        ("gpiod", "pip install 'dice-station[pi]'"),
        ("spidev", "pip install 'dice-station[pi]'"),
        ("lgpio", "sudo apt install python3-lgpio"),
    ],
)
def test_pip_mends_an_environment_that_pip_has_made(
    tmp_path: Path, module: str, command: str
) -> None:
    assert mend(module, tmp_path / "dice-station") == command


@pytest.mark.parametrize("module", ["PIL.ImageFont", "serial", "smbus2", "spidev", "evdev"])
def test_what_an_environment_of_its_own_takes_from_debian(own: Path, module: str) -> None:
    name = module.partition(".")[0].lower()
    assert mend(module, own).startswith("sudo apt install ")
    assert mend(module, own).endswith(f" python3-{name}")


def test_gpiod_is_debians_where_that_one_will_do(own: Path) -> None:
    assert mend("gpiod", own, BOOKWORM) == f"sudo {own}/configure"
    assert mend("gpiod", own, TRIXIE) == "sudo apt install python3-libgpiod"


@pytest.mark.parametrize("module", ["gpiozero", "luma.core", "luma.oled", "station"])
def test_what_lies_in_that_environment_is_installed_again(
    own: Path, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert mend(module, own) == "sudo make install"
    monkeypatch.setattr(missing, "PACKAGED", own)
    assert mend(module, own) == "sudo apt install --reinstall ./dice-station_*_all.deb"


def test_packages_are_named_as_the_packaging_does() -> None:
    control = Path(__file__).parents[2] / "packaging" / "deb" / "control"
    told = control.read_text("utf-8")
    assert [name for name in missing.DEBIAN.values() if name not in told] == []
