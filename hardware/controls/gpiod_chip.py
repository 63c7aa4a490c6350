"""The GPIO chip as libgpiod 2 sees it: the narrow seam, finding the chip, and its errors in words.

Import this only where `gpiod` is installed; see factories.build.
"""

import os
from collections.abc import Iterable
from errno import EACCES, EBUSY, ENODEV, ENOTTY, EPERM
from pathlib import Path
from typing import Protocol

import gpiod
from gpiod import ChipInfo, EdgeEvent, LineSettings
from gpiod.line import Value
from gpiod.line_info import LineInfo

from hardware.controls.errors import FactoryUnavailable

CHIP_LABELS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
"""The header's chip on a Pi 5, a Pi 4, and all older ones; its number differs by kernel."""

LineConfig = dict[Iterable[int | str] | int | str, LineSettings | None]


class Request(Protocol):
    """Lines held for us: the part of gpiod.LineRequest that is used."""

    @property
    def fd(self) -> int:
        """The descriptor that is readable when an edge has come."""

    def get_value(self, line: int | str) -> Value:
        """Read a line."""

    def set_value(self, line: int | str, value: Value) -> None:
        """Drive a line."""

    def reconfigure_lines(self, config: LineConfig) -> None:
        """Change how lines are held, without giving them back."""

    def read_edge_events(self, max_events: int | None = None) -> list[EdgeEvent]:
        """Return the edges that have come, in order; blocks when none has."""

    def release(self) -> None:
        """Give the lines back."""


class Chip(Protocol):
    """An open chip: the part of gpiod.Chip that is used."""

    def get_info(self) -> ChipInfo:
        """Return name, label and number of lines."""

    def get_line_info(self, line: int | str) -> LineInfo:
        """Return who holds a line."""

    def request_lines(
        self, config: LineConfig, consumer: str | None = None, event_buffer_size: int | None = None
    ) -> Request:
        """Hold lines; OSError EBUSY where somebody else does."""

    def close(self) -> None:
        """Close the chip; requests stay."""


class Kernel(Protocol):
    """Where chips come from."""

    def paths(self) -> tuple[str, ...]:
        """Return the paths of the chips there are."""

    def open(self, path: str) -> Chip:
        """Open one; OSError where it cannot be."""


class LinuxKernel:
    """The chips of this machine."""

    def paths(self) -> tuple[str, ...]:
        """Return the chips' device files, without links to the same one."""
        found = sorted(path for path in Path("/dev").glob("gpiochip*") if not path.is_symlink())
        return tuple(str(path) for path in found if gpiod.is_gpiochip_device(str(path)))

    def open(self, path: str) -> Chip:
        """Open a chip."""
        if Path(path).exists() and not gpiod.is_gpiochip_device(path):
            raise OSError(ENOTTY, os.strerror(ENOTTY))
        return gpiod.Chip(path)


def find_chip(kernel: Kernel, chip: str | None = None) -> Chip:
    """Open the header's chip, the one with the label `chip`, or the one at the path `chip`.

    Raises:
        FactoryUnavailable: there is none, or it may not be opened.
    """
    if chip is not None and chip.startswith("/"):
        return _open(kernel, chip)
    wanted = CHIP_LABELS if chip is None else (chip,)
    seen = []
    for path in kernel.paths():
        try:
            candidate, label = _labelled(kernel, path)
        except FactoryUnavailable as error:
            seen.append(str(error))
            continue
        if label in wanted:
            return candidate
        candidate.close()
        seen.append(f"{path} ({label})")
    there = ", ".join(seen) or "there is no GPIO chip at all"
    raise FactoryUnavailable(f"no GPIO chip is labelled {' or '.join(wanted)}: {there}")


def _labelled(kernel: Kernel, path: str) -> tuple[Chip, str]:
    chip = _open(kernel, path)
    try:
        return chip, chip.get_info().label
    except OSError as error:
        chip.close()
        raise FactoryUnavailable(f"GPIO chip {path} cannot be read: {explain(error)}") from error


def _open(kernel: Kernel, path: str) -> Chip:
    try:
        return kernel.open(path)
    except (OSError, ValueError) as error:  # ValueError: no path at all
        reason = explain(error) if isinstance(error, OSError) else str(error)
        raise FactoryUnavailable(f"GPIO chip {path} cannot be opened: {reason}") from error


def explain(error: OSError) -> str:
    """Return an error of the kernel's with what to do about it, where that is known."""
    advice = {
        EACCES: "permission denied; the user must be in the group gpio",
        EPERM: "not permitted; the user must be in the group gpio",
        EBUSY: "another program holds it",
        ENODEV: "the chip is gone",
        ENOTTY: "it is no GPIO chip",
    }
    return advice.get(error.errno or 0, error.strerror or str(error))
