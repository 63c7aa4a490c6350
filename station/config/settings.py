"""A station's configuration, made of the hardware's own settings wherever there are some."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from hardware.controls.acceleration import Acceleration
from hardware.controls.panel import Layout
from hardware.display.interface import Backend, PanelSettings
from hardware.entropy.settings import EntropySettings
from rules.frozen import frozen
from station.ports import ServiceConfig


class Source(StrEnum):
    """Where the controls come from."""

    GPIO = "gpio"
    """Pins of the header."""
    EVDEV = "evdev"
    """Input devices that the kernel reads: overlays and keypads."""
    NONE = "none"
    """Nowhere: the station is driven by its other lines alone."""


@frozen
class ControlSettings:
    """The controls and how each behaves.

    Attributes:
        source: where they come from.
        backend: the GPIO back end, for `factories.build`; with GPIO or any output.
        chip: the label or path of the GPIO chip, None for the header's.
        devices: the input devices, for evdev.
        layout: which controls there are, and their times.
        lines: the BCM number of each line that is wired; none unless `source` is GPIO.
        accelerated: whether a fast turn of the knob moves further.
        detents: detents of one turn of the knob.
        roll_button: whether a control rolls; without one, the last stop of the dial does.
    """

    source: Source
    backend: str
    chip: str | None
    devices: tuple[str, ...]
    layout: Layout
    lines: tuple[tuple[str, int], ...]
    accelerated: bool
    detents: int
    roll_button: bool

    @property
    def pins(self) -> Mapping[str, int]:
        """The lines by name, as `GpioControls` takes them."""
        return MappingProxyType(dict(self.lines))

    def acceleration(self) -> Acceleration:
        """Return a knob's acceleration, at rest."""
        return Acceleration(enabled=self.accelerated, turn=self.detents)


@frozen
class OutputSettings:
    """The BCM numbers of the LED and the buzzer; None where one is not wired."""

    led: int | None
    buzzer: int | None


@frozen
class DisplaySettings:
    """The panel, and where frames go."""

    panel: PanelSettings
    backend: Backend


@frozen
class RuleOption:
    """A system's option, such as ``discard_order``, and how this table plays it."""

    system: str
    name: str
    value: str


@frozen
class TableSettings:
    """How this table plays.

    Attributes:
        options: every option of every system.
        glory_cap: the most Glory that the group can gain, None for no limit.
        roster: the file with the characters, None for none.
    """

    options: tuple[RuleOption, ...]
    glory_cap: int | None
    roster: Path | None


@frozen
class Setting:
    """One effective value: its section (with its place where there are several), key and origin.

    Attributes:
        origin: ``default``, ``line 12``, ``file``, or ``environment NAME``.
    """

    section: str
    key: str
    value: object
    origin: str


@frozen
class Config:
    """A station's whole configuration.

    Attributes:
        path: the file it came from, None where there was none.
        service: the serial ports, and the socket for other programs.
        state_folder: the folder for the ledger.
        reserved: GPIO that the display and the serial line use, each with the reason.
        settings: every effective value with its origin, in the order of the schema.
    """

    path: Path | None
    controls: ControlSettings
    outputs: OutputSettings
    display: DisplaySettings
    entropy: EntropySettings
    service: ServiceConfig
    state_folder: Path
    table: TableSettings
    reserved: tuple[tuple[int, str], ...]
    settings: tuple[Setting, ...]

    @property
    def reserved_pins(self) -> Mapping[int, str]:
        """The reserved GPIO by number, as `GpioControls` takes them."""
        return MappingProxyType(dict(self.reserved))
