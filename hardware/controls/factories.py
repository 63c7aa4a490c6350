"""Builds the configured pin factory by name: what was asked for, or one sentence why not.

gpiozero's own default is a chain of fallbacks that hides the first cause and may end at a back
end that cannot work; here nothing is tried that was not named, and mock pins only by that name.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from gpiozero.exc import GPIOZeroError

from hardware.clock import Nanoseconds
from hardware.controls.errors import FactoryUnavailable
from hardware.missing import mend

BACKENDS = ("gpiod", "lgpio", "mock")
"""Every back end there is, by the name the configuration uses."""

DEFAULT_BACKEND = "gpiod"
"""Blocks in the kernel instead of polling, and has the kernel's time stamps."""


Follower = Callable[[bool], None]
"""Told on the input thread when the chip goes (False) and when it is there again (True)."""


def _no_news(_: Follower) -> None:
    """Follow nothing: this back end's chip does not come back."""


@dataclass(frozen=True, slots=True)
class PinBackend:
    """A pin factory that was built, and what can be asked of it.

    `alive` says whether its input thread lives and its chip is there; `nanoseconds` turns the
    ticks of a report into a time of the monotonic clock, None where a report has no such time;
    `follow` has somebody told of the chip's coming and going; within `together` many pins are taken
    at less cost than one by one.
    """

    name: str
    factory: Any
    alive: Callable[[], bool]
    nanoseconds: Callable[[Any], Nanoseconds] | None = None
    follow: Callable[[Follower], None] = _no_news
    together: Callable[[], AbstractContextManager[None]] = nullcontext


def build(name: str = DEFAULT_BACKEND, chip: str | None = None) -> PinBackend:
    """Return the back end called `name`: gpiod, lgpio, or mock.

    `chip` is a chip's label or path, for gpiod only; None finds the header's chip.

    Raises:
        FactoryUnavailable: its library or its chip is missing, or the name is unknown.
    """
    match name:
        case "gpiod":
            return _gpiod(chip)
        case "lgpio":
            return _lgpio()
        case "mock":
            return _mock()
        case _:
            raise FactoryUnavailable(f"pins (={name!r}) must be one of {', '.join(BACKENDS)}")


def _gpiod(chip: str | None) -> PinBackend:
    try:
        from hardware.controls.gpiod_factory import GpiodFactory  # noqa: PLC0415 (only if named)
    except ImportError as error:
        raise FactoryUnavailable(
            f"pins = 'gpiod' needs the library gpiod 2: {mend('gpiod')} ({error})"
        ) from error
    factory = GpiodFactory(chip)
    lines = factory.lines
    return PinBackend("gpiod", factory, factory.alive, Nanoseconds, lines.follow, lines.together)


def _lgpio() -> PinBackend:
    """Import lgpio, which makes a FIFO in the working directory as it is imported."""
    try:
        lgpio = import_module("lgpio")
        from gpiozero.pins.lgpio import LGPIOFactory  # noqa: PLC0415 (only if named)
    except ImportError as error:
        raise FactoryUnavailable(
            f"pins = 'lgpio' needs the library lgpio: apt install python3-lgpio ({error})"
        ) from error
    except OSError as error:
        raise FactoryUnavailable(
            f"pins = 'lgpio' needs a working directory it can write to: {error}"
        ) from error
    try:
        factory = LGPIOFactory()
    except (GPIOZeroError, OSError, lgpio.error) as error:
        raise FactoryUnavailable(f"pins = 'lgpio' found no usable GPIO chip: {error}") from error
    return PinBackend("lgpio", factory, lambda: _lgpio_lives(lgpio, factory))


def _lgpio_lives(lgpio: Any, factory: Any) -> bool:
    """Whether lgpio's one input thread runs and its chip answers.

    The thread is a private name of lgpio 0.2.2 (`lgpio._notify_thread`), as there is no public one.
    """
    if not lgpio._notify_thread.is_alive():  # noqa: SLF001 (see above)
        return False
    try:
        lgpio.gpio_get_chip_info(factory._handle)  # noqa: SLF001 (the handle has no public name)
    except lgpio.error:
        return False
    return True


def _mock() -> PinBackend:
    from gpiozero.pins.mock import MockFactory  # noqa: PLC0415 (only when asked for)

    return PinBackend("mock", MockFactory(), alive=lambda: True)
