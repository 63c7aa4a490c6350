"""What a configuration becomes, from the defaults to every section."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hardware.clock import MILLISECOND, SECOND
from hardware.controls.acceleration import Acceleration
from hardware.controls.events import Control, Turned
from hardware.controls.gestures import GestureTimes
from hardware.controls.gpio import DEFAULT_PINS, I2C1_PINS
from hardware.controls.outputs import BUZZER_PIN, LED_PIN
from hardware.controls.panel import Knob, Layout
from hardware.display.interface import Backend, Bus, Driver, PanelSettings
from hardware.entropy.settings import EntropyMode, EntropySettings
from station.config import Config, ConfigError, Source, load
from station.config.roster import load_roster
from station.config.settings import RuleOption, TableSettings
from station.ports import PortConfig, ServiceConfig
from station.protocol.listening import Form, Listening

Loaded = Callable[[str], Config]


def test_the_defaults_are_the_wiring_diagram(loaded: Loaded) -> None:
    config = loaded("")
    assert config.controls.layout == Layout()
    assert config.controls.pins == DEFAULT_PINS
    assert config.controls.backend == "gpiod"
    assert config.controls.chip is None
    assert config.controls.roll_button
    assert (config.outputs.led, config.outputs.buzzer) == (LED_PIN, BUZZER_PIN)
    assert config.display.panel == PanelSettings()
    assert config.display.backend is Backend.PANEL
    assert config.entropy == EntropySettings()
    assert config.service == ServiceConfig()
    assert config.table.glory_cap is None
    assert config.table.roster is None
    assert config.reserved_pins == I2C1_PINS
    assert {setting.origin for setting in config.settings} == {"default"}


EVERYTHING = """
[station]
state_folder = "/srv/dice"
socket = "/run/other/socket"
[controls]
pins = "lgpio"
chip = "/dev/gpiochip4"
roll_button = false
steps_per_detent = 1
reverse = true
settle_us = 300
debounce_ms = 20
hold_ms = 900
repeat_after_ms = 500
repeat_every_ms = 80
stuck_after_s = 60
acceleration = false
detents_per_turn = 20
[wiring]
knob_a = 2
knob_b = 3
led = false
buzzer = 13
next = 12
[display]
driver = "sh1106"
size = "128x32"
bus = "spi"
address = 61
spi_device = 1
dc = 23
reset = false
column_offset = 0
rotate = 180
contrast_full = 255
contrast_dim = 1
[entropy]
mode = "hwrng+urandom"
dongle = "/dev/serial/by-id/usb-TrueRNG"
min_entropy = 4
alpha_exponent = 40
deadline_ms = 500
[[serial]]
device = "/dev/serial0"
[[serial]]
device = "/dev/serial/by-id/usb-x"
baud = 9600
events = ["rolled", "changed"]
brief = true
form = "typed"
[table]
roster = "/srv/roster.toml"
glory_cap = 8
[rules.seven-kingdoms]
discard_order = "before_keep"
extended_counts = "degrees"
"""


def test_every_key_reaches_its_settings(loaded: Loaded) -> None:
    config = loaded(EVERYTHING)
    assert config.state_folder == Path("/srv/dice")
    controls = config.controls
    assert (controls.backend, controls.chip) == ("lgpio", "/dev/gpiochip4")
    assert controls.layout == Layout(
        knob=Knob(1, reverse=True, settle=300_000),
        controls=(Control.PUSH, Control.UP, Control.DOWN, Control.NEXT),
        debounce=20 * MILLISECOND,
        times=GestureTimes(900 * MILLISECOND, 500 * MILLISECOND, 80 * MILLISECOND, 60 * SECOND),
    )
    assert (controls.accelerated, controls.detents, controls.roll_button) == (False, 20, False)
    assert "roll" not in controls.pins
    assert (controls.pins["knob_a"], controls.pins["knob_b"], controls.pins["next"]) == (2, 3, 12)
    assert (config.outputs.led, config.outputs.buzzer) == (None, 13)
    assert config.display.panel == PanelSettings(
        driver=Driver.SH1106,
        height=32,
        bus=Bus.SPI,
        address=0x3D,
        spi_device=1,
        dc=23,
        reset=None,
        column_offset=0,
        rotate=180,
        contrast_full=255,
        contrast_dim=1,
    )
    assert config.entropy == EntropySettings(
        EntropyMode("hwrng+urandom"),
        dongle="/dev/serial/by-id/usb-TrueRNG",
        min_entropy=4,
        alpha_exponent=40,
        deadline_ms=500,
    )
    listening = Listening(frozenset({"rolled", "changed"}), brief=True, form=Form.TYPED)
    assert config.service == ServiceConfig(
        (
            PortConfig("/dev/serial0"),
            PortConfig("/dev/serial/by-id/usb-x", 9600, listening),
        ),
        Path("/run/other/socket"),
    )
    assert config.table == TableSettings(
        (
            RuleOption("seven-kingdoms", "discard_order", "before_keep"),
            RuleOption("seven-kingdoms", "extended_counts", "degrees"),
        ),
        8,
        Path("/srv/roster.toml"),
    )
    assert set(config.reserved_pins) == {7, 8, 9, 10, 11, 14, 15}


def test_origins_name_the_line(loaded: Loaded) -> None:
    config = loaded(EVERYTHING)
    lines = EVERYTHING.split("\n")
    told = [setting for setting in config.settings if setting.origin.startswith("line ")]
    assert len(told) == EVERYTHING.count(" = ")
    for setting in told:
        number = int(setting.origin.removeprefix("line "))
        assert lines[number - 1].startswith(f"{setting.key} = ")


@pytest.mark.parametrize(
    ("environ", "folder", "socket", "origins"),
    [
        (
            {"STATE_DIRECTORY": "/var/lib/dice-station:/x", "RUNTIME_DIRECTORY": "/run/d"},
            "/var/lib/dice-station",
            Path("/run/d/socket"),
            ("environment STATE_DIRECTORY", "environment RUNTIME_DIRECTORY"),
        ),
        (
            {"XDG_STATE_HOME": "/home/x/state", "HOME": "/home/x"},
            "/home/x/state/dice-station",
            None,
            ("environment XDG_STATE_HOME", "default"),
        ),
        ({"HOME": "/home/x"}, "/home/x/.local/state/dice-station", None, ("default", "default")),
    ],
)
def test_the_environment_says_what_the_file_does_not(
    file: Path,
    environ: Mapping[str, str],
    folder: str,
    socket: Path | None,
    origins: tuple[str, str],
) -> None:
    file.write_text("", "utf-8")
    config = load(file, environ)
    assert (str(config.state_folder), config.service.socket) == (folder, socket)
    assert (config.settings[0].origin, config.settings[1].origin) == origins


def test_the_file_wins_over_the_environment(file: Path) -> None:
    file.write_text('[station]\nstate_folder = "/srv/dice"\nsocket = "/run/x"\n', "utf-8")
    environ = {"STATE_DIRECTORY": "/var/lib/dice-station", "RUNTIME_DIRECTORY": "/run/d"}
    config = load(file, environ)
    assert config.state_folder == Path("/srv/dice")
    assert config.service.socket == Path("/run/x")


def test_systemd_says_where_the_file_lies(file: Path) -> None:
    environ = {"CONFIGURATION_DIRECTORY": str(file.parent), "HOME": "/"}
    assert load(None, environ).path is None
    file.write_text("[wiring]\nled = 20\n", "utf-8")
    (file.parent / "roster.toml").write_text("", "utf-8")
    config = load(None, environ)
    assert (config.path, config.outputs.led) == (file, 20)
    assert config.table.roster == file.parent / "roster.toml"


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"missing\.toml: the file cannot be read: No such file"):
        load(tmp_path / "missing.toml", {})


def test_an_encoder_without_a_roll_button(loaded: Loaded) -> None:
    config = loaded("[wiring]\nup = false\ndown = false\nnext = false\nroll = false\n")
    assert not config.controls.roll_button
    assert config.controls.layout.controls == (Control.PUSH,)
    assert set(config.controls.pins) == {"knob_a", "knob_b", "push"}


def test_four_buttons_without_a_knob(loaded: Loaded) -> None:
    config = loaded("[wiring]\nknob_a = false\nknob_b = false\npush = false\n")
    assert config.controls.layout.knob is None
    assert Control.PUSH not in config.controls.layout.controls


@pytest.mark.parametrize("name", ["station.toml", "roster.toml"])
def test_a_link_that_leads_nowhere_is_no_missing_file(file: Path, name: str) -> None:
    environ = {"CONFIGURATION_DIRECTORY": str(file.parent)}
    file.write_text("[table]\n", encoding="utf-8")
    link = file.with_name(name)
    link.unlink(missing_ok=True)
    link.symlink_to("/nowhere/at/all")
    told = rf"{name}: the file cannot be read: No such file or directory: it is a link to /nowhere/"
    with pytest.raises(ConfigError, match=told):
        load_roster(load(None, environ).table.roster)


def test_a_folder_that_is_a_link_to_nowhere_is_no_missing_file(tmp_path: Path) -> None:
    folder = tmp_path / "link"
    folder.symlink_to("target")
    environ = {"CONFIGURATION_DIRECTORY": str(folder)}
    with pytest.raises(ConfigError, match="the file cannot be read: No such file or directory"):
        load(None, environ)
    (tmp_path / "target").mkdir()
    assert load(None, environ).path is None


def test_controls_of_the_kernel_need_no_pins(loaded: Loaded) -> None:
    text = '[controls]\nsource = "evdev"\ninput_devices = ["/dev/input/by-path/x"]\n'
    config = loaded(f"{text}[wiring]\nled = 17\nknob_b = false\n")
    assert config.controls.source is Source.EVDEV
    assert config.controls.devices == ("/dev/input/by-path/x",)
    assert config.controls.pins == {}
    assert config.controls.layout == Layout()


def test_a_station_without_controls(loaded: Loaded) -> None:
    controls = loaded('[controls]\nsource = "none"\n').controls
    assert controls.layout.lines == ()
    assert (controls.pins, controls.roll_button) == ({}, False)


@pytest.mark.parametrize(("text", "moved"), [("", 6), ("[controls]\nacceleration = false\n", 3)])
def test_acceleration_is_made_as_configured(loaded: Loaded, text: str, moved: int) -> None:
    acceleration = loaded(text).controls.acceleration()
    assert isinstance(acceleration, Acceleration)
    acceleration.scale(Turned(1, 0), 100)
    turned = Turned(3, 150 * MILLISECOND)
    assert acceleration.scale(turned, 100).detents == moved


def test_a_byte_order_mark_is_no_fault(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf[wiring]\nled = 20\n")
    assert load(file, {}).outputs.led == 20
