"""What is set at the station itself, and survives a restart."""

from collections.abc import Mapping
from dataclasses import field, replace
from enum import StrEnum
from typing import Any

from rules.frozen import frozen
from station.idle import Timeouts


class Sound(StrEnum):
    """How loud verdicts are."""

    OFF = "off"
    SOFT = "soft"
    LOUD = "loud"


DIM_AFTER = (15, 30, 60, 180, 0)
"""The times to choose from until the panel dims, in s; 0 means never."""

DARK_AFTER = (60, 300, 600, 1800, 0)
"""The times to choose from until the panel goes dark, in s; 0 means never."""


@frozen
class Settings:
    """How the station looks and sounds.

    Attributes:
        timeouts: when the idle panel dims and goes dark.
        sound: how loud verdicts are; `lamp`: whether the LED shows them.
        bright: whether the panel is as bright as it can be while in use.
        upside_down: whether the panel is mounted the other way up.
    """

    timeouts: Timeouts = field(default_factory=Timeouts)
    sound: Sound = Sound.SOFT
    lamp: bool = True
    bright: bool = True
    upside_down: bool = False

    def plain(self) -> dict[str, Any]:
        """Return the settings as JSON-able data."""
        return {
            "dim_after": self.timeouts.dim,
            "dark_after": self.timeouts.dark,
            "sound": str(self.sound),
            "lamp": self.lamp,
            "bright": self.bright,
            "upside_down": self.upside_down,
        }


def settings_from_plain(data: object) -> Settings:
    """Return settings from data that was kept; whatever is missing or wrong has its default."""
    found = data if isinstance(data, Mapping) else {}
    settings = Settings()
    timeouts = Timeouts(
        _one_of(found.get("dim_after"), DIM_AFTER, settings.timeouts.dim),
        _one_of(found.get("dark_after"), DARK_AFTER, settings.timeouts.dark),
    )
    return replace(
        settings,
        timeouts=timeouts,
        sound=_one_of(found.get("sound"), tuple(Sound), settings.sound),
        lamp=_one_of(found.get("lamp"), (True, False), settings.lamp),
        bright=_one_of(found.get("bright"), (True, False), settings.bright),
        upside_down=_one_of(found.get("upside_down"), (True, False), settings.upside_down),
    )


def _one_of(value: Any, allowed: tuple[Any, ...], otherwise: Any) -> Any:
    same = (each for each in allowed if type(value) in {type(each), str} and each == value)
    return next(same, otherwise)


def following(value: Any, choices: tuple[Any, ...]) -> Any:
    """Return the choice after a value, the first after the last."""
    place = choices.index(value) if value in choices else -1
    return choices[(place + 1) % len(choices)]
