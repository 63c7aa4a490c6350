"""Who uses which GPIO of the header, and where two want the same."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hardware.controls.gpio import I2C1_PINS
from hardware.display.interface import Backend, Bus
from rules.frozen import frozen

UART_DEVICES = ("/dev/serial0", "/dev/ttyAMA0", "/dev/ttyS0")
"""Names of the header's own serial port, by model and set-up."""

UART_PINS = {14: "TXD", 15: "RXD"}

SPI_PINS = {
    0: {9: "MISO", 10: "MOSI", 11: "SCLK"},
    1: {19: "MISO", 20: "MOSI", 21: "SCLK"},
}
"""The wires of each SPI bus of the header."""

SPI_SELECTS = {0: (8, 7), 1: (18, 17, 16)}
"""The chip selects of each, by device number.

`dtparam=spi=on` takes both of SPI0, whichever the panel has; a device of SPI1 takes those before
its own as well (`spi1-2cs`, `spi1-3cs`).
"""


@frozen
class Use:
    """A key of the configuration that puts something on a GPIO."""

    section: str
    key: str
    gpio: int

    @property
    def where(self) -> str:
        """How faults call it."""
        return f"{self.section}.{self.key}"


@frozen
class Clash:
    """A use of a GPIO that something else already has, the reason, and the use before it."""

    use: Use
    reason: str
    other: Use | None = None


def reserved(display: Mapping[str, Any], devices: Iterable[str]) -> dict[int, str]:
    """Return the GPIO that buses have, each with the reason.

    Args:
        display: the values of the section, as far as they are good.
        devices: the serial ports.
    """
    taken = dict(_bus(display)) if _wired(display) else {}
    for device in devices:
        if device in UART_DEVICES:
            for gpio, wire in UART_PINS.items():
                taken[gpio] = f"it is {wire} of the UART, which {device} uses"
    return taken


def _wired(display: Mapping[str, Any]) -> bool:
    return display.get("backend") is Backend.PANEL


def _bus(display: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    match display.get("bus"), display.get("i2c_port"), display.get("spi_port"):
        case Bus.I2C, 1, _:
            yield from I2C1_PINS.items()
        case Bus.SPI, _, int(port) if port in SPI_PINS:
            for gpio, wire in SPI_PINS[port].items():
                yield gpio, f"it is {wire} of SPI{port}, which the display uses"
            most = max(int(display.get("spi_device") or 0), 1 if port == 0 else 0)
            for number, gpio in enumerate(SPI_SELECTS[port][: most + 1]):
                yield gpio, f"it is CE{number} of SPI{port}, which the display uses"
        case _:
            pass


def spi_lines(display: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield the further GPIO that a panel on SPI needs, by their keys."""
    if _wired(display) and display.get("bus") is Bus.SPI:
        dc, reset = display.get("dc"), display.get("reset")
        if dc is not None:
            yield "dc", dc
        # That the two differ is for the panel's own settings to say.
        if reset not in (None, dc):
            yield "reset", reset


def clashes(uses: Iterable[Use], taken: dict[int, str]) -> Iterator[Clash]:
    """Yield each use that comes second, or on a GPIO that a bus has."""
    first: dict[int, Use] = {}
    for use in uses:
        if use.gpio in taken:
            yield Clash(use, taken[use.gpio])
        elif use.gpio in first:
            yield Clash(use, f"{first[use.gpio].where} has it already", first[use.gpio])
        else:
            first[use.gpio] = use
