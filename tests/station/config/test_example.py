"""The example file, the effective values, and the documentation: all of them from the schema."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from rules.model import RuleSystem
from rules.registry import SYSTEMS
from station.config import Config
from station.config.example import effective, example
from station.config.kinds import OneOf
from station.config.options import schema

Loaded = Callable[[str], Config]

DOCS = Path(__file__).parents[3] / "docs" / "configuration.md"


def uncommented(text: str) -> str:
    """Return the example with every value set; its comments have a space after the #."""
    return re.sub(r"(?m)^#(?=\S)", "", text)


def without_origins(config: Config) -> Config:
    return replace(config, path=None, settings=())


def test_the_example_sets_nothing(loaded: Loaded) -> None:
    config = loaded(example())
    assert config == replace(loaded(""), path=config.path)


def test_the_example_shows_the_defaults(loaded: Loaded) -> None:
    config = loaded(uncommented(example()))
    defaults = loaded("")
    assert len(config.service.ports) == 1
    assert config.reserved != defaults.reserved
    alone = replace(config, service=defaults.service, reserved=defaults.reserved)
    assert without_origins(alone) == without_origins(defaults)
    unsaid = {setting.key for setting in config.settings if setting.origin == "default"}
    assert unsaid == {"state_folder"}  # its "" leaves the place to the environment


def test_the_example_has_every_key_once() -> None:
    shown = re.findall(r"(?m)^#(\w+) = ", example())
    assert shown == [key.name for section in schema() for key in section.keys]
    assert max(map(len, example().splitlines())) <= 100


@pytest.mark.parametrize("text", ["", uncommented(example())])
def test_what_is_shown_loads_to_the_same(loaded: Loaded, text: str) -> None:
    config = loaded(text)
    again = loaded("\n".join(effective(config)))
    assert without_origins(again) == without_origins(config)


def test_keys_are_distinct_and_helped() -> None:
    for section in schema():
        assert len(set(section.names)) == len(section.keys)
        for key in section.keys:
            assert key.help.endswith(".")
            assert key.kind.allowed


def test_a_fourth_system_brings_its_options_along(high_die: RuleSystem) -> None:
    names = [section.name for section in schema((*SYSTEMS, high_die))]
    kinds = [spec for section in schema() if "rules" in section.name for spec in section.keys]
    assert "rules.seven-kingdoms" in names
    assert "rules.opposed-attribute" not in names
    assert all(isinstance(key.kind, OneOf) for key in kinds)


def test_the_documentation_is_the_example() -> None:
    assert example() in DOCS.read_text("utf-8"), (
        "put the output of `dice-station config --example` into docs/configuration.md"
    )
