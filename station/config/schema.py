"""Sections and keys of the configuration, as data: parsing, help and examples come from it.

Those that the systems of rules add are in `options`. Defaults are the hardware's own, so that each
stands in one place and suits the wiring diagram.
"""

from hardware.clock import MILLISECOND, SECOND
from hardware.controls.acceleration import DETENTS_A_TURN
from hardware.controls.debounce import DEFAULT_WINDOW, LONGEST_WINDOW, SHORTEST_WINDOW
from hardware.controls.events import LINES
from hardware.controls.factories import BACKENDS, DEFAULT_BACKEND
from hardware.controls.gestures import GestureTimes
from hardware.controls.gpio import DEFAULT_PINS
from hardware.controls.outputs import BUZZER_PIN, LED_PIN
from hardware.controls.panel import Knob
from hardware.controls.quadrature import LONGEST_SETTLE, STEPS_PER_DETENT
from hardware.display.interface import Backend, Bus, Driver, PanelSettings
from hardware.entropy.settings import (
    ALPHA_EXPONENTS,
    LEAST_DEADLINE_MS,
    MIN_ENTROPIES,
    MOST_DEADLINE_MS,
    EntropyMode,
    EntropySettings,
)
from hardware.serialport.port import DEFAULT_BAUDRATE
from rules.leaves import MOST_POINTS
from station.config.kinds import Key, Line, OneOf, Section, Several, Size, Switch, Whole
from station.config.settings import Source
from station.ports import BAUDRATES, LONGEST_SOCKET
from station.protocol.events import EventName
from station.protocol.listening import Form

_MICROSECOND = 1_000
_KNOB = Knob()
_TIMES = GestureTimes()
_PANEL = PanelSettings()
_ENTROPY = EntropySettings()

_NOT_WIRED = "not wired"

_LINE_HELP = {
    "knob_a": "The knob's contact that closes first when it is turned clockwise.",
    "knob_b": "The knob's other contact.",
    "push": "The knob's push.",
    "up": "Button: a step up.",
    "down": "Button: a step down.",
    "next": "Button: the next field; held, the menu.",
    "roll": "Button: roll. With a knob it may be left out.",
}


def _pin(name: str, default: int, text: str) -> Key:
    """Return the key of a GPIO; 0 and 1 are left out, they belong to a HAT's EEPROM."""
    return Key(name, Whole(default=default, low=2, high=27, off=_NOT_WIRED), text)


def _number(name: str, default: int, span: tuple[int, int], unit: str, text: str) -> Key:
    return Key(name, Whole(default=default, low=span[0], high=span[1], unit=unit), text)


STATION = Section(
    "station",
    "The machine as a whole.",
    (
        Key(
            "state_folder",
            Line(path=True, empty="systemd's, else ~/.local/state/dice-station"),
            "The folder that keeps the ledger. Under systemd the station may write to "
            "/var/lib/dice-station alone: another folder, such as /srv/dice, must belong to the "
            "user dice-station, and needs the line ReadWritePaths=/srv/dice below [Service] in "
            "`sudo systemctl edit dice-station`.",
        ),
        Key(
            "socket",
            Line(
                path=True,
                most=LONGEST_SOCKET,
                empty="in systemd's runtime folder, where there is one",
            ),
            "The Unix socket by which other programs on this machine reach the station.",
        ),
    ),
)

CONTROLS = Section(
    "controls",
    "Knob and buttons. Either set alone drives everything.",
    (
        Key(
            "source",
            OneOf(default=Source.GPIO, values=tuple(Source)),
            "Pins of the header, input devices that the kernel reads, or no controls at all.",
        ),
        Key(
            "pins",
            OneOf(default=DEFAULT_BACKEND, values=BACKENDS),
            "The GPIO back end; mock reads no pins.",
        ),
        Key(
            "chip",
            Line(empty="the header's, found by its label"),
            "Label or path of the GPIO chip, for gpiod.",
        ),
        Key(
            "input_devices",
            Several(),
            "Devices for evdev, such as /dev/input/by-path/platform-rotary@11-event.",
        ),
        Key("roll_button", Switch(default=True), "Whether a button or key rolls."),
        Key(
            "steps_per_detent",
            OneOf(default=_KNOB.steps_per_detent, values=STEPS_PER_DETENT),
            "Quarters of a cycle between two clicks of the knob. Two clicks a step: 2 or 1.",
        ),
        Key("reverse", Switch(default=_KNOB.reverse), "Turns the knob the other way round."),
        _number(
            "settle_us",
            _KNOB.settle // _MICROSECOND,
            (1, LONGEST_SETTLE // _MICROSECOND),
            "µs",
            "How long a contact of a knob with 1 step per detent must stand still.",
        ),
        _number(
            "debounce_ms",
            DEFAULT_WINDOW // MILLISECOND,
            (SHORTEST_WINDOW // MILLISECOND, LONGEST_WINDOW // MILLISECOND),
            "ms",
            "How long a button must stand still. One that acts twice needs more.",
        ),
        _number(
            "hold_ms",
            _TIMES.hold // MILLISECOND,
            (200, 3000),
            "ms",
            "How long a press must last to be a hold.",
        ),
        _number(
            "repeat_after_ms",
            _TIMES.repeat_after // MILLISECOND,
            (100, 3000),
            "ms",
            "When up or down, kept pressed, begins to repeat.",
        ),
        _number(
            "repeat_every_ms",
            _TIMES.repeat_every // MILLISECOND,
            (20, 1000),
            "ms",
            "How often it then repeats.",
        ),
        _number(
            "stuck_after_s",
            _TIMES.stuck_after // SECOND,
            (5, 600),
            "s",
            "When a button that stays closed counts as jammed, and is ignored.",
        ),
        Key("acceleration", Switch(default=True), "A knob turned fast moves further."),
        _number(
            "detents_per_turn",
            DETENTS_A_TURN,
            (1, 100),
            "detents",
            "What the knob has; shorter ranges are never accelerated.",
        ),
    ),
)

WIRING = Section(
    "wiring",
    "GPIO (BCM numbers). Switches go to ground; LED and buzzer are on when the pin is high.",
    (
        *(_pin(line, DEFAULT_PINS[line], _LINE_HELP[line]) for line in LINES),
        _pin("led", LED_PIN, "LED, through 330 Ω."),
        _pin("buzzer", BUZZER_PIN, "Buzzer, an active one."),
    ),
)

DISPLAY = Section(
    "display",
    "The panel. None is needed: one that appears later is used from then on.",
    (
        Key(
            "backend",
            OneOf(default=Backend.PANEL, values=tuple(Backend)),
            "A real panel, a frame in memory (no panel), or a simulated one.",
        ),
        Key("driver", OneOf(default=_PANEL.driver, values=tuple(Driver)), "The panel's chip."),
        Key("size", Size(default=_PANEL.size), "The panel's pixels."),
        Key("bus", OneOf(default=_PANEL.bus, values=tuple(Bus)), "How it is wired."),
        _number("i2c_port", _PANEL.i2c_port, (0, 255), "", "The n of /dev/i2c-n."),
        Key(
            "address",
            Whole(default=_PANEL.address, low=0x08, high=0x77, hexadecimal=True),
            "I2C address: 0x3C, or 0x3D. A label that says 0x78 means 0x3C.",
        ),
        _number("spi_port", _PANEL.spi_port, (0, 255), "", "The m of /dev/spidevm.n."),
        _number("spi_device", _PANEL.spi_device, (0, 255), "", "The n of /dev/spidevm.n."),
        _number("dc", _PANEL.dc, (2, 27), "", "GPIO of D/C, for SPI."),
        Key(
            "reset",
            Whole(default=_PANEL.reset, low=2, high=27, off=_NOT_WIRED),
            "GPIO of the reset line, for SPI.",
        ),
        Key(
            "column_offset",
            Whole(default=_PANEL.column_offset, low=0, high=4, off="the driver's usual one"),
            "The first column on the glass, where an sh1106's picture is shifted.",
        ),
        Key("rotate", OneOf(default=_PANEL.rotate, values=(0, 180)), "180: mounted upside down."),
        _number("contrast_full", _PANEL.contrast_full, (0, 255), "", "Contrast in use."),
        _number(
            "contrast_dim",
            _PANEL.contrast_dim,
            (0, 255),
            "",
            "Contrast when idle; not above contrast_full.",
        ),
    ),
)

ENTROPY = Section(
    "entropy",
    "Where the dice come from.",
    (
        Key(
            "mode",
            OneOf(default=_ENTROPY.mode, values=tuple(EntropyMode)),
            "hwrng+urandom goes on alone if the hardware fails; hwrng-only then rolls nothing.",
        ),
        Key("device", Line(default=_ENTROPY.device, path=True), "The hardware generator."),
        Key(
            "dongle",
            Line(path=True, empty="none"),
            "A USB generator instead, under /dev/serial/by-id/ or /dev/serial/by-path/.",
        ),
        Key(
            "min_entropy",
            OneOf(default=_ENTROPY.min_entropy, values=MIN_ENTROPIES),
            "Bits a byte that are claimed for the hardware; hwrng-only needs 8.",
        ),
        Key(
            "alpha_exponent",
            OneOf(default=_ENTROPY.alpha_exponent, values=ALPHA_EXPONENTS),
            "n: each health test raises a false alarm with a chance of 2^-n.",
        ),
        _number(
            "deadline_ms",
            _ENTROPY.deadline_ms,
            (LEAST_DEADLINE_MS, MOST_DEADLINE_MS),
            "ms",
            "How long a roll waits for the hardware.",
        ),
    ),
)

SERIAL = Section(
    "serial",
    "A serial port for other devices and terminals; one such section for each. None by default.",
    (
        Key(
            "device",
            Line(path=True, required=True),
            "The port: /dev/serial0 is the header's (a Pi 5: /dev/ttyAMA0), else a by-id name.",
        ),
        _number(
            "baud", DEFAULT_BAUDRATE, (BAUDRATES[0], BAUDRATES[-1]), "bits per second", "Its speed."
        ),
        Key(
            "events",
            Several(values=tuple(EventName)),
            "What the port is told unasked, for listeners that cannot subscribe.",
        ),
        Key("brief", Switch(default=False), "Tells rolls in about 100 bytes."),
        Key("form", OneOf(default=Form.JSON, values=tuple(Form)), "The form of these events."),
    ),
    many=True,
)

TABLE = Section(
    "table",
    "How your table plays.",
    (
        Key(
            "roster",
            Line(path=True, empty="roster.toml beside this file, where there is one"),
            "The file with your characters.",
        ),
        Key(
            "glory_cap",
            Whole(default=None, low=0, high=MOST_POINTS, off="no limit"),
            "The most Glory that the group can gain.",
        ),
    ),
)

SECTIONS = (STATION, CONTROLS, WIRING, DISPLAY, ENTROPY, SERIAL, TABLE)
"""Those that every station has, in the order of the example file."""
