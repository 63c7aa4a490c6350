"""The station's configuration: one TOML file, or none, becomes a frozen `Config`.

`load` reads it; `ConfigError` says everything that is wrong with it. The schema is data
(`kinds`, `schema`), from which parsing, help, example and effective values all come.
"""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from station.config.build import Builder
from station.config.document import Document, read_document
from station.config.faults import BAD_CONFIGURATION, ConfigError, Fault
from station.config.places import Places
from station.config.schema import SECTIONS
from station.config.settings import (
    Config,
    ControlSettings,
    DisplaySettings,
    OutputSettings,
    RuleOption,
    Setting,
    Source,
    TableSettings,
)

__all__ = [
    "BAD_CONFIGURATION",
    "Config",
    "ConfigError",
    "ControlSettings",
    "DisplaySettings",
    "Fault",
    "OutputSettings",
    "RuleOption",
    "Setting",
    "Source",
    "TableSettings",
    "load",
    "made_of",
]


def load(path: Path | None, environ: Mapping[str, str], *, all_options: bool = True) -> Config:
    """Return the station's configuration.

    Args:
        path: the file. None takes station.toml in systemd's CONFIGURATION_DIRECTORY, else in
            /etc/dice-station, and the defaults alone where there is no such file.
        environ: the environment, which says where state and socket lie.
        all_options: whether the systems' options are wanted though the file sets none; the
            systems have to be loaded for that.

    Raises:
        ConfigError: the file cannot be read or something in it is wrong.
    """
    places = Places(environ)
    path = path or places.config_file()
    return made_of(read_document(path) if path else None, places, all_options=all_options)


def made_of(document: Document | None, places: Places, *, all_options: bool = True) -> Config:
    """Return the configuration that a document holds; None takes the defaults alone.

    The arguments are those of `load`.

    Raises:
        ConfigError: something in it is wrong.
    """
    if not all_options:
        with suppress(ConfigError):  # which is told below, with the names of the options known
            return Builder(document, SECTIONS, places).build()
    from station.config.options import schema  # noqa: PLC0415 (it loads all systems)

    return Builder(document, schema(), places).build()
