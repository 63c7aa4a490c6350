"""What stands before the station says that it is ready: ledger, contacts and lines.

Whatever comes in from then on is kept, in the owner's queue or by the kernel, and answered once
the rest is there (`appliance`): what rolls, answers and draws takes longer to load than all this
takes to open. So nothing here may import any of that.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from hardware.clock import Clock, monotonic
from hardware.serialport.errors import PortLostError, SerialPortError
from hardware.serialport.local import LocalListener
from hardware.serialport.port import SerialPort
from rules.frozen import frozen
from station import __version__
from station.config import Config
from station.fittings import Fittings
from station.inbox import Item
from station.keeper import Keeper
from station.ports import PortConfig

if TYPE_CHECKING:
    from rules.registry import Registry
    from station.config.roster import Roster


@frozen
class Foundation:
    """What a station is built on.

    Attributes:
        config: how it is made.
        inbox: the queue of its owner, on which the contacts already put what happens.
        clock: the monotonic clock.
        registry: the systems it knows; None for all that there are.
        keeper: its ledger.
        roster: who sits at the table, as the roster's file says; None without one.
        fittings: what is wired to it.
        listener: where programs connect; None where there is no socket, or it can't be made yet.
        ports: its serial ports, open as far as they are there.
    """

    config: Config
    inbox: "SimpleQueue[Item]"
    clock: Clock
    registry: "Registry | None"
    keeper: Keeper
    roster: "Roster | None"
    fittings: Fittings
    listener: LocalListener | None
    ports: Mapping[PortConfig, SerialPort]


@contextmanager
def foundation(
    config: Config,
    inbox: "SimpleQueue[Item]",
    clock: Clock = monotonic,
    registry: "Registry | None" = None,
) -> Iterator[Foundation]:
    """Open all that a station is built on, and close it again.

    Nothing here waits for a device: what is not there yet is used once it is.

    Args:
        config: how it is made.
        inbox: the queue of its owner.
        clock: the monotonic clock.
        registry: the systems it knows; None for all that there are, loaded once they are needed.

    Raises:
        ConfigError: the roster can't be read, or something in it is wrong.
        InUseError: another process keeps the ledger.
    """
    roster = None if config.table.roster is None else _roster(config.table.roster, registry)
    with ExitStack() as stack:
        keeper = stack.enter_context(closing(Keeper(config.state_folder, clock, __version__)))
        fittings = stack.enter_context(closing(Fittings(config, inbox.put, clock)))
        listener = None
        if config.service.socket is not None:
            with suppress(SerialPortError):  # tried again, and told of, by the lines' service
                listener = stack.enter_context(closing(LocalListener(config.service.socket, clock)))
        ports = {port: SerialPort(port.path, port.baudrate) for port in config.service.ports}
        for port in ports.values():
            stack.callback(port.close)
            with suppress(PortLostError):  # tried again, and told of, by the port's own thread
                port.open()
        yield Foundation(config, inbox, clock, registry, keeper, roster, fittings, listener, ports)


def _roster(path: Path, registry: "Registry | None") -> "Roster":
    from rules.registry import DEFAULT  # noqa: PLC0415 (mostly there is no roster)
    from station.config.roster import load_roster  # noqa: PLC0415

    return load_roster(path, registry or DEFAULT)
