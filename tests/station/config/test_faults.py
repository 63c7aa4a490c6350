"""Everything that is wrong with a configuration, one sentence each with section, key and line."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from station.config import BAD_CONFIGURATION, Config, ConfigError, load
from station.config.document import LONGEST_LINE, MOST_BYTES
from station.errors import StationError

Faults = Callable[[str], list[str]]
Loaded = Callable[[str], Config]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[displya]", "line 1: displya is no section: did you mean display?"),
        ("[zzz]", "line 1: zzz is no section: known are station, controls, wiring, display"),
        ("[display]\nadress = 60", "line 2: display.adress is no key: did you mean address?"),
        ("[display]\nzzz = 60", "line 2: display.zzz is no key: known are backend, driver, size"),
        ("[display]\nhold_ms = 1", "line 2: display.hold_ms is no key: it belongs in [controls]"),
        ("hold_ms = 1", "line 1: hold_ms stands outside its section: it belongs in [controls]"),
        (
            "dbounce_ms = 3",
            "dbounce_ms stands outside its section: did you mean debounce_ms in [controls]?",
        ),
        ("qqqqqq = 3", "line 1: qqqqqq stands outside its section: every key needs one"),
        ("display = 3", "line 1: display is 3: allowed is a section, [display]"),
        ("[[display]]", "line 1: display is [an object]: allowed is a section, [display]"),
        (
            "[serial]\ndevice = '/dev/x'",
            "line 1: serial is an object: allowed is sections that begin with [[serial]]",
        ),
        ("rules = 1", "line 1: rules is 1: allowed is a section such as [rules.seven-kingdoms]"),
        ("[rules]\nx = 1", "line 2: rules.x stands outside its section"),
        ("[rules.seven]", "line 1: rules.seven is no section: did you mean seven-kingdoms?"),
        (
            '[rules.seven-kingdoms]\ndiscard_order = "never"',
            'rules.seven-kingdoms.discard_order is "never": allowed is after_keep or before_keep',
        ),
        (
            "[controls]\ndebounce_ms = 4",
            "line 2: controls.debounce_ms is 4: allowed is a whole number 5–20 ms",
        ),
        ("[controls]\ndebounce_ms = 5.0", "controls.debounce_ms is 5.0: allowed is a whole"),
        ("[controls]\ndebounce_ms = true", "controls.debounce_ms is true: allowed is a whole"),
        ("[controls]\ndebounce_ms = false", "controls.debounce_ms is false: allowed is a whole"),
        ('[controls]\ndebounce_ms = "5"', 'controls.debounce_ms is "5": allowed is a whole'),
        ("[controls]\ndebounce_ms = []", "controls.debounce_ms is []: allowed is a whole"),
        ("[controls]\ndebounce_ms = nan", "controls.debounce_ms is NaN: allowed is a whole"),
        ("[controls]\ndebounce_ms = 1979-05-27", "controls.debounce_ms is 1979-05-27: allowed"),
        (
            "[controls]\nreverse = 07:32:00",
            "controls.reverse is 07:32:00: allowed is true or false",
        ),
        (
            "[controls]\nreverse = 1979-05-27T07:32:00Z",
            "controls.reverse is 1979-05-27T07:32:00+00:00: allowed is true or false",
        ),
        (f"[controls]\nhold_ms = 0x{'f' * 4000}", "is a number of about 4817 digits"),
        ("[controls]\nreverse = 1", "controls.reverse is 1: allowed is true or false"),
        ("[controls]\nsteps_per_detent = 3", "is 3: allowed is 4 or 2 or 1"),
        ("[controls]\nsteps_per_detent = true", "is true: allowed is 4 or 2 or 1"),
        ('[controls]\npins = "rpigpio"', 'pins is "rpigpio": allowed is gpiod or lgpio or mock'),
        ('[controls]\nsource = "evdev"', "controls.input_devices is []: evdev needs at least one"),
        (
            '[controls]\nsource = "evdev"\ninput_devices = ["/x"]\nsteps_per_detent = 2',
            'line 4: controls.steps_per_detent does nothing with source = "evdev"',
        ),
        (
            '[controls]\nsource = "evdev"\ninput_devices = ["/x"]\n[wiring]\nup = 16',
            'line 5: wiring.up does nothing with source = "evdev"',
        ),
        (
            '[controls]\ninput_devices = ["/x"]',
            'line 2: controls.input_devices does nothing with source = "gpio"',
        ),
        ('[controls]\ninput_devices = ["x"]', "allowed is a list of absolute paths"),
        ('[controls]\ninput_devices = ["/x", "/x"]', "each at most once"),
        ("[wiring]\nled = 28", "wiring.led is 28: allowed is a whole number 2–27, or false"),
        ("[wiring]\nled = 1", "wiring.led is 1: allowed is a whole number 2–27, or false"),
        ("[wiring]\nled = true", "wiring.led is true: allowed is a whole number 2–27, or false"),
        (
            '[station]\nsocket = "run"',
            'socket is "run": allowed is an absolute path of at most 107 bytes, or ""',
        ),
        (
            f'[station]\nsocket = "/{"s" * 107}"',
            'ss…": allowed is an absolute path of at most 107 bytes, or ""',
        ),
        (f'[station]\nsocket = "/{"ß" * 54}"', "of at most 107 bytes"),
        ('[station]\nsocket = "/a\\nb"', "allowed is an absolute path"),
        ('[display]\nsize = "128 x 64"', 'allowed is width and height in pixels, such as "128x64"'),
        (
            '[display]\nsize = "100x64"',
            'line 2: display.size is "100x64": allowed is 128×64 or 128×32 with the driver ssd1306',
        ),
        (
            '[display]\nsize = "128x128"\ndriver = "sh1106"',
            'line 2: display.size is "128x128": allowed is 128×64 or 128×32 with the driver sh1106',
        ),
        ("[display]\naddress = 0x78", "is 0x78: allowed is a whole number 0x08–0x77"),
        ("[display]\naddress = -1", "is -1: allowed is a whole number 0x08–0x77"),
        ("[display]\naddress = 7", "is 0x07: allowed is a whole number 0x08–0x77"),
        ("[display]\nrotate = 90", "display.rotate is 90: allowed is 0 or 180"),
        (
            "[display]\ncolumn_offset = 2",
            "display.column_offset is 2: allowed is 0, or none, with the driver ssd1306",
        ),
        (
            "[display]\ncontrast_dim = 208",
            "line 2: display.contrast_dim is 208: allowed is a whole number from 0 to 207",
        ),
        (
            "[display]\ncontrast_full = 10",
            "line 2: display.contrast_full is 10, and display.contrast_dim is 16 by default",
        ),
        (
            '[display]\nbus = "spi"\ndc = 25',
            "line 3: display.dc is 25, and display.reset is 25 by default, for which allowed is a",
        ),
        (
            '[display]\nbus = "spi"\nreset = 24',
            "line 3: display.reset is 24: allowed is a GPIO other than dc, or none",
        ),
        (
            '[entropy]\nmode = "hwrng-only"\nmin_entropy = 4',
            "line 3: entropy.min_entropy (= 4) must be 8 in mode hwrng-only",
        ),
        (
            '[entropy]\ndongle = "/dev/ttyACM0"',
            "line 2: entropy.dongle (= '/dev/ttyACM0') must be a name that stays",
        ),
        ("[[serial]]\nbaud = 9600", "line 1: serial[0].device is missing: allowed is an absolute"),
        ('[[serial]]\ndevice = "COM1"', 'serial[0].device is "COM1": allowed is an absolute path'),
        (
            '[[serial]]\ndevice = "/dev/a"\n[[serial]]\ndevice = "/dev/a"',
            "line 4: serial[1].device is /dev/a: serial[0] has it already",
        ),
        (
            '[[serial]]\ndevice = "/dev/a"\nevents = ["roled"]',
            'serial[0].events is ["roled"]: allowed is a list of rolled, selected, changed',
        ),
        ("[table]\nglory_cap = -1", "table.glory_cap is -1: allowed is a whole number 0–99999, or"),
    ],
)
def test_one_fault_is_one_sentence(faults: Faults, text: str, sentence: str) -> None:
    (told,) = faults(text)
    assert sentence in told
    assert told.isprintable()
    assert len(told) < 300


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[wiring]\nled = 17", "line 2: wiring.led cannot have GPIO17: wiring.knob_a has it"),
        ("[wiring]\nup = 12", "line 2: wiring.buzzer cannot have GPIO12: wiring.up has it already"),
        ("[wiring]\nup = 2", "line 2: wiring.up cannot have GPIO2: it is SDA of I2C-1"),
        ("[wiring]\nroll = 3", "line 2: wiring.roll cannot have GPIO3: it is SCL of I2C-1"),
        ("[wiring]\nled = 3", "line 2: wiring.led cannot have GPIO3: it is SCL of I2C-1"),
        (
            '[wiring]\nup = 14\n[[serial]]\ndevice = "/dev/serial0"',
            "line 2: wiring.up cannot have GPIO14: it is TXD of the UART, which /dev/serial0 uses",
        ),
        (
            '[wiring]\nbuzzer = 15\n[[serial]]\ndevice = "/dev/ttyAMA0"',
            "line 2: wiring.buzzer cannot have GPIO15: it is RXD of the UART",
        ),
        ('[display]\nbus = "spi"\n[wiring]\nup = 10', "line 4: wiring.up cannot have GPIO10"),
        ('[display]\nbus = "spi"\n[wiring]\nup = 8', "it is CE0 of SPI0"),
        ('[display]\nbus = "spi"\n[wiring]\nup = 7', "it is CE1 of SPI0"),
        ('[display]\nbus = "spi"\nspi_device = 1\n[wiring]\nup = 8', "it is CE0 of SPI0"),
        (
            '[display]\nbus = "spi"\nspi_port = 1\nspi_device = 1\n[wiring]\nled = 18\nknob_a = 4',
            "wiring.led cannot have GPIO18: it is CE0 of SPI1",
        ),
        ('[display]\nbus = "spi"\n[wiring]\nup = 24', "display.dc has it already"),
        ('[display]\nbus = "spi"\ndc = 9', "line 3: display.dc cannot have GPIO9: it is MISO"),
        ('[display]\nbus = "spi"\ndc = 17', "line 3: wiring.knob_a cannot have GPIO17: display.dc"),
        (
            '[display]\nbus = "spi"\nspi_port = 1\n[wiring]\nled = 21\n',
            "wiring.led cannot have GPIO21: it is SCLK of SPI1",
        ),
        ("[wiring]\nknob_b = false", "line 2: wiring.knob_b is false, but wiring.knob_a is wired"),
        (
            "[wiring]\npush = false\nup = false",
            "wiring.push is missing: wired must be all of knob_a, knob_b, push or all of up, down,",
        ),
        ("[wiring]\npush = false\n[controls]\nroll_button = false", "wiring.push is missing"),
    ],
)
def test_two_on_a_pin_and_too_little_on_any(faults: Faults, text: str, sentence: str) -> None:
    (told,) = faults(text)
    assert sentence in told


@pytest.mark.parametrize(
    "text",
    [
        "[wiring]\nup = 14\ndown = 15",
        '[wiring]\nup = 14\n[[serial]]\ndevice = "/dev/ttyUSB0"',
        "[wiring]\nled = 24\nbuzzer = 25",
        '[wiring]\nup = 2\n[display]\nbus = "spi"',
        '[wiring]\nup = 2\n[display]\nbackend = "memory"',
        "[wiring]\nup = 2\n[display]\ni2c_port = 3",
        '[wiring]\nled = 7\n[display]\nbus = "spi"\nspi_port = 1',
        '[station]\nsocket = "/' + "s" * 106 + '"',
        "[wiring]\nled = 26\n[controls]\nroll_button = false",
        '[wiring]\nled = 17\n[controls]\nsource = "none"',
    ],
)
def test_a_pin_that_nobody_uses_is_free(loaded: Loaded, text: str) -> None:
    assert loaded(text).path is not None


def test_all_faults_are_told_in_the_order_of_their_lines(faults: Faults) -> None:
    told = faults(
        'colour = 1\n[display]\ndriver = "sh1107"\n[wiring]\nknob_a = 3\nled = 27\n'
        'up = 14\n[controls]\nhold_ms = "x"\n[[serial]]\ndevice = "/dev/serial0"\nbaud = 1\n'
        '[entropy]\nmode = "best"\n'
    )
    heads = [
        sentence.split(" is ")[0].split(" cannot ")[0].split(" stands ")[0] for sentence in told
    ]
    assert heads == [
        "line 1: colour",
        "line 3: display.driver",
        "line 5: wiring.knob_a",
        "line 6: wiring.led",
        "line 7: wiring.up",
        "line 9: controls.hold_ms",
        "line 12: serial[0].baud",
        "line 14: entropy.mode",
    ]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"[wiring]\nled = \n", "line 2: the file is not TOML: Invalid value (column 7)"),
        (b"[wiring]\nled = [1,\n", "line 2: the file is not TOML: Invalid value at its end"),
        (b"[wiring\nled = 1\n", "line 1: the file is not TOML: Expected ']'"),
        (
            b"[wiring]\n[wiring]\n",
            "line 2: the file is not TOML: Cannot declare [wiring] twice (column 8)",
        ),
        (b"[rules.x]\n[rules.x]\n", "line 2: the file is not TOML: Cannot declare [rules.x] twice"),
        (b"[wiring]\nled = 1\nled = 2\n", "line 3: the file is not TOML: Cannot overwrite a value"),
        (b"[wiring]\n\nled = '\xff'\n", "line 3: the file is not UTF-8 text"),
        ("[wiring]\n".encode("utf-16"), "line 1: the file is not UTF-8 text"),
        (b"x = " + b"9" * 4090, None),
        (b"x = " + b"9" * LONGEST_LINE, "line 1: the line has more than 4096 characters"),
        (b"x = [\n" + b"[\n" * 50_000, "the file is nested too deeply"),
        (b"#\n" * (MOST_BYTES // 2 + 1), "the file has more than 256 KiB"),
        (b"\0", "line 1: the file is not TOML"),
    ],
)
def test_a_file_that_is_no_toml(file: Path, content: bytes, sentence: str | None) -> None:
    file.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        load(file, {})
    (told,) = caught.value.faults
    assert str(told).isprintable()
    assert sentence is None or str(told).startswith(sentence)


def test_what_is_no_file(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for path, sentence in [
        (tmp_path, "the file cannot be read: Is a directory"),
        (tmp_path / "x" / "y", "the file cannot be read: No such file or directory"),
        (tmp_path / ("x" * 300), "the file cannot be read: File name too long"),
        (tmp_path / "a\0b", "the file cannot be read: embedded null byte"),
        (fifo, "it is not a regular file"),
        (Path("/dev/zero"), "it is not a regular file"),
    ]:
        with pytest.raises(ConfigError) as caught:
            load(path, {})
        assert [str(fault) for fault in caught.value.faults] == [sentence]


def test_an_unreadable_file_is_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied", str(file))

    monkeypatch.setattr("station.config.document.os.open", refuse)
    with pytest.raises(ConfigError, match=r"the file cannot be read: Permission denied$"):
        load(file, {})


def test_the_error_is_the_stations_own(file: Path) -> None:
    file.write_text("[wiring]\nled = 1\nup = 1\n", "utf-8")
    with pytest.raises(StationError) as caught:
        load(file, {})
    error = caught.value
    assert isinstance(error, ConfigError)
    assert error.path == file
    assert str(error) == "; ".join(error.sentences())
    assert error.faults[0].plain() == {
        "where": "wiring.led",
        "line": 2,
        "message": "line 2: wiring.led is 1: allowed is a whole number 2–27, or false (not wired)",
    }


def test_the_daemons_status_is_the_systems() -> None:
    assert os.EX_CONFIG == BAD_CONFIGURATION
