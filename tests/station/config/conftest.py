"""Configurations written into a folder of the test's own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from station.config import Config, ConfigError, load

ENVIRON = {"HOME": "/home/pi"}

Loaded = Callable[[str], Config]
Faults = Callable[[str], list[str]]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "station.toml"


@pytest.fixture
def loaded(file: Path) -> Loaded:
    """Loads a configuration from its text."""

    def read(text: str) -> Config:
        file.write_text(text, encoding="utf-8")
        return load(file, ENVIRON)

    return read


@pytest.fixture
def faults(loaded: Loaded) -> Faults:
    """Returns the sentences about a bad configuration, without the file's name."""

    def read(text: str) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            loaded(text)
        return [str(fault) for fault in caught.value.faults]

    return read
