"""The lines to other programs, as a configuration says them; apart from what serves them."""

from dataclasses import field
from pathlib import Path

from hardware.serialport.port import DEFAULT_BAUDRATE
from rules.frozen import frozen
from station.protocol.listening import Listening

BAUDRATES = range(300, 4_000_001)
"""Bits per second that a port may be set to."""

LONGEST_SOCKET = 107
"""Bytes in the path of a socket: the kernel's 108 (unix(7)) without the zero that ends it."""

PATIENCE = 2.0
"""Seconds without progress after which a reply is taken to be read by nobody."""


@frozen
class PortConfig:
    """A serial port.

    Attributes:
        path: a name that stays with the port, or a URL of pyserial.
        baudrate: 300–4,000,000 bits per second; 8 data bits, no parity, 1 stop bit.
        listening: events that are sent unasked, for a listener that can't subscribe.

    Raises:
        ValueError: a setting is not as allowed.
    """

    path: str
    baudrate: int = DEFAULT_BAUDRATE
    listening: Listening = field(default_factory=Listening)

    def __post_init__(self) -> None:
        """Check the settings."""
        if not self.path:
            raise ValueError("path is empty; allowed: the name of a port, such as /dev/serial0")
        if self.baudrate not in BAUDRATES:
            raise ValueError(f"baudrate is {self.baudrate}; allowed: 300–4000000")


@frozen
class ServiceConfig:
    """All lines of a station.

    Attributes:
        ports: the serial ports, each once.
        socket: where local programs connect; None for nowhere.
        patience: seconds (above 0) without progress after which a reply is given up.

    Raises:
        ValueError: a port stands there twice, or the patience is no time.
    """

    ports: tuple[PortConfig, ...] = ()
    socket: Path | None = None
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        """Check the settings together."""
        paths = [port.path for port in self.ports]
        for place, path in enumerate(paths):
            if path in paths[:place]:
                raise ValueError(f"ports[{place}] is {path}; allowed: each port once")
        if not self.patience > 0:
            raise ValueError(f"patience is {self.patience}; allowed: more than 0 seconds")
