"""A checked document becomes a configuration: the hardware's own settings, and what they share."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.events import KNOB_A, KNOB_B, LINES, Control
from hardware.controls.gestures import GestureTimes
from hardware.controls.panel import Knob, Layout
from hardware.display.interface import PanelSettings, PanelSettingsError
from hardware.entropy.settings import BadEntropySetting, EntropySettings
from station.config.check import DEFAULT, Checker, Found, in_order
from station.config.document import Document
from station.config.faults import ConfigError, Fault
from station.config.kinds import Section
from station.config.pins import Use, clashes, reserved, spi_lines
from station.config.places import Places
from station.config.settings import (
    Config,
    ControlSettings,
    DisplaySettings,
    OutputSettings,
    RuleOption,
    Source,
    TableSettings,
)
from station.ports import PortConfig, ServiceConfig
from station.protocol.listening import Listening

KNOB_SET = (KNOB_A, KNOB_B, Control.PUSH)
BUTTON_SET = (Control.UP, Control.DOWN, Control.NEXT, Control.ROLL)
"""The lines of the two sets of controls, each of which drives everything."""

RULES = "rules."
"""What the sections of the systems' options begin with."""

_OUTPUTS = ("led", "buzzer")

_ONLY_WITH = {
    Source.GPIO: ("input_devices",),
    Source.EVDEV: ("steps_per_detent", "settle_us"),
    Source.NONE: ("input_devices",),
}
"""What `controls` cannot use, by its source: there the kernel decodes the knob."""

_PINS_WITH = {Source.GPIO: (), Source.EVDEV: LINES, Source.NONE: ()}
"""The lines of the wiring that are nobody's; without any controls they are out of use."""

_TOGETHER = {"contrast_dim": "contrast_full", "reset": "dc"}
"""The key that a key with a default has to agree with."""
_MICROSECOND = 1_000
_ENTROPY_KEY = re.compile(r"entropy\.(\w+) ")

T = TypeVar("T")


class Builder:
    """Builds the configuration of one document, or finds all that is wrong with it.

    Args:
        document: the file, or None where there is none.
        sections: the schema.
        places: where things are kept that the file does not name.
    """

    def __init__(
        self, document: Document | None, sections: tuple[Section, ...], places: Places
    ) -> None:
        self._path = document.path if document else None
        self._places = places
        checker = Checker(document, sections)
        self._tables = checker.all()
        self._faults = checker.faults

    def build(self) -> Config:
        """Return the configuration.

        Raises:
            ConfigError: with everything that is wrong.
        """
        display = self._unless_bad("display", self._display)
        entropy = self._unless_bad("entropy", self._entropy)
        taken = self._pins()
        self._unless_bad("controls", self._check_controls)
        self._check_ports()
        if self._faults or display is None or entropy is None:
            raise ConfigError(self._path or Path(), in_order(self._faults))
        outputs = self._one("wiring").values
        self._fill_places()
        return Config(
            path=self._path,
            controls=self._controls(),
            outputs=OutputSettings(outputs["led"], outputs["buzzer"]),
            display=display,
            entropy=entropy,
            service=ServiceConfig(
                tuple(_port(port) for port in self._tables["serial"]),
                _path(self._one("station").values["socket"]),
            ),
            state_folder=Path(self._one("station").values["state_folder"]),
            table=self._table(),
            reserved=tuple(sorted(taken.items())),
            settings=tuple(
                setting
                for tables in self._tables.values()
                for found in tables
                for setting in found.settings()
            ),
        )

    def _one(self, section: str) -> Found:
        return self._tables[section][0]

    def _unless_bad(self, section: str, make: Callable[[Found], T]) -> T | None:
        found = self._one(section)
        return None if found.bad else make(found)

    def _display(self, found: Found) -> DisplaySettings | None:
        values = dict(found.values)
        backend = values.pop("backend")
        width, height = values.pop("size")
        try:
            panel = PanelSettings(width=width, height=height, **values)
        except PanelSettingsError as error:
            allowed = str(error).partition("allowed is ")[2].rstrip(".")
            self._faults.append(found.wrong(error.field, allowed, _TOGETHER.get(error.field)))
            return None
        return DisplaySettings(panel, backend)

    def _entropy(self, found: Found) -> EntropySettings | None:
        try:
            return EntropySettings(**found.values)
        except BadEntropySetting as error:
            key = _ENTROPY_KEY.match(str(error))
            self._faults.append(found.fault(key[1] if key else "mode", str(error)))
            return None

    def _pins(self) -> dict[int, str]:
        """Find the clashes of pins; return the GPIO that buses have."""
        devices = [port.values.get("device", "") for port in self._tables["serial"]]
        taken = reserved(self._one("display").values, devices)
        for clash in clashes(self._uses(), taken):
            problem = f"{clash.use.where} cannot have GPIO{clash.use.gpio}: {clash.reason}"
            lines = (self._line_of(use) for use in (clash.use, clash.other) if use)
            line = next((line for line in lines if line), None)
            self._faults.append(Fault(clash.use.where, problem, line))
        return taken

    def _line_of(self, use: Use) -> int | None:
        return self._one(use.section).lines.get(use.key)

    def _uses(self) -> Iterator[Use]:
        for key, gpio in spi_lines(self._one("display").values):
            yield Use("display", key, gpio)
        wiring = self._one("wiring").values
        for key in (*self._wired(), *_OUTPUTS):
            if wiring.get(key) is not None:
                yield Use("wiring", key, wiring[key])

    def _wired(self) -> tuple[str, ...]:
        """Return the lines of the controls that have a GPIO, in the order of LINES."""
        controls, wiring = self._one("controls").values, self._one("wiring").values
        if controls.get("source") is not Source.GPIO:
            return ()
        rolls = controls.get("roll_button", True)
        return tuple(
            line
            for line in LINES
            if wiring.get(line) is not None and (rolls or line != Control.ROLL)
        )

    def _check_controls(self, found: Found) -> None:
        wiring = self._one("wiring")
        if found.values["source"] is Source.EVDEV and not found.values["input_devices"]:
            problem = "controls.input_devices is []: evdev needs at least one device"
            self._faults.append(found.fault("input_devices", problem))
        if found.values["source"] is Source.GPIO and not wiring.bad:
            self._check_sets(wiring)
        self._check_idle(found, wiring)

    def _check_idle(self, controls: Found, wiring: Found) -> None:
        """Refuse what was set and does nothing, because the controls come from elsewhere."""
        source = controls.values["source"]
        for table, keys in ((controls, _ONLY_WITH[source]), (wiring, _PINS_WITH[source])):
            for key in keys:
                if table.sets(key):
                    problem = f'{table.name}.{key} does nothing with source = "{source}"'
                    self._faults.append(table.fault(key, problem))

    def _check_sets(self, wiring: Found) -> None:
        """Hold the wiring to "either set alone drives everything"."""
        wired = self._wired()
        if (KNOB_A in wired) != (KNOB_B in wired):
            one = KNOB_A if KNOB_A not in wired else KNOB_B
            other = KNOB_B if one == KNOB_A else KNOB_A
            problem = f"wiring.{one} is false, but wiring.{other} is wired: a knob needs both"
            self._faults.append(wiring.fault(one, problem))
        elif not any(set(needed) <= set(wired) for needed in (KNOB_SET, BUTTON_SET)):
            missing = next(line for line in (*KNOB_SET, *BUTTON_SET) if line not in wired)
            sets = " or all of ".join(", ".join(needed) for needed in (KNOB_SET, BUTTON_SET))
            problem = f"wiring.{missing} is missing: wired must be all of {sets}"
            self._faults.append(wiring.fault(missing, problem))

    def _check_ports(self) -> None:
        seen: dict[str, str] = {}
        for port in self._tables["serial"]:
            device = port.values.get("device", "")
            if device in seen:
                problem = f"{port.name}.device is {device}: {seen[device]} has it already"
                self._faults.append(port.fault("device", problem))
            elif device:
                seen[device] = port.name

    def _controls(self) -> ControlSettings:
        values, wiring = self._one("controls").values, self._one("wiring").values
        wired = self._wired()
        lines = wired if values["source"] is Source.GPIO else _lines_of(values)
        return ControlSettings(
            source=values["source"],
            backend=values["pins"],
            chip=values["chip"] or None,
            devices=values["input_devices"],
            layout=_layout(values, lines),
            lines=tuple((line, wiring[line]) for line in wired),
            accelerated=values["acceleration"],
            detents=values["detents_per_turn"],
            roll_button=Control.ROLL in lines,
        )

    def _table(self) -> TableSettings:
        values = self._one("table").values
        options = tuple(
            RuleOption(name.removeprefix(RULES), key, found[0].values[key])
            for name, found in self._tables.items()
            if name.startswith(RULES)
            for key in found[0].section.names
        )
        return TableSettings(options, values["glory_cap"], _path(values["roster"]))

    def _fill_places(self) -> None:
        """Put in what the environment or the disk says where the file says nothing."""
        folder, folder_origin = self._places.state_folder()
        socket, socket_origin = self._places.socket()
        _fill(self._one("station"), "state_folder", folder, folder_origin)
        _fill(self._one("station"), "socket", socket, socket_origin)
        _fill(self._one("table"), "roster", self._places.roster_file(self._path), DEFAULT)


def _fill(found: Found, key: str, path: Path | None, origin: str) -> None:
    if not found.values[key] and path is not None:
        found.values[key] = str(path)
        found.origins[key] = origin


def _lines_of(values: dict[str, Any]) -> tuple[str, ...]:
    """Return the lines that the kernel's input devices can speak for, or none without them."""
    if values["source"] is Source.NONE:
        return ()
    return tuple(line for line in LINES if values["roll_button"] or line != Control.ROLL)


def _layout(values: dict[str, Any], lines: tuple[str, ...]) -> Layout:
    knob = Knob(
        values["steps_per_detent"],
        reverse=values["reverse"],
        settle=Nanoseconds(values["settle_us"] * _MICROSECOND),
    )
    controls = tuple(control for control in Control if control in lines)
    return Layout(
        knob=knob if KNOB_A in lines else None,
        controls=controls,
        debounce=Nanoseconds(values["debounce_ms"] * MILLISECOND),
        times=GestureTimes(
            hold=Nanoseconds(values["hold_ms"] * MILLISECOND),
            repeat_after=Nanoseconds(values["repeat_after_ms"] * MILLISECOND),
            repeat_every=Nanoseconds(values["repeat_every_ms"] * MILLISECOND),
            stuck_after=Nanoseconds(values["stuck_after_s"] * SECOND),
        ),
    )


def _port(port: Found) -> PortConfig:
    values = port.values
    listening = Listening(frozenset(values["events"]), values["brief"], values["form"])
    return PortConfig(values["device"], values["baud"], listening)


def _path(text: str) -> Path | None:
    return Path(text) if text else None
