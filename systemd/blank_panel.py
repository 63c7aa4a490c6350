"""Switches the panel off after the station has crashed: ExecStopPost of its unit."""  # noqa: INP001 - a script

import os
from contextlib import suppress

from hardware.display.factory import Backend, open_display
from hardware.display.interface import Brightness, Bus
from hardware.errors import HardwareError
from station.config import Config, ConfigError, load


def blank(config: Config) -> None:
    """Switch a real panel off; one that does not answer shows nothing anyway."""
    if config.display.backend is not Backend.PANEL:
        return
    pins = None
    if config.display.panel.bus is Bus.SPI:
        from hardware.controls.factories import build  # noqa: PLC0415 - slow, and SPI's alone

        pins = build(config.controls.backend, config.controls.chip).factory
    panel = open_display(config.display.panel, pin_factory=pins)
    panel.dim(Brightness.OFF)
    panel.close()


if __name__ == "__main__":
    # With a configuration that cannot be read, the station has never shown anything.
    with suppress(ConfigError, HardwareError, OSError):
        blank(load(None, os.environ))
