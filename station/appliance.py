"""A station as its configuration says: real devices, lines to other programs, and the watchdog.

`wiring` puts together what a desktop has as well; here is what only the appliance needs.
"""

import logging
import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from PIL import Image

from hardware.controls.factories import PinBackend
from hardware.controls.panel import ControlPanel
from hardware.display.factory import open_display
from hardware.display.interface import Brightness, PanelSettings
from hardware.display.interface import Panel as Device
from hardware.display.memory import MemoryDisplay
from hardware.display.service import DisplayService
from hardware.entropy.factory import dice as build_dice
from hardware.errors import HardwareError
from rules.frozen import frozen
from rules.registry import DEFAULT
from station import __version__
from station.announce import Announcer
from station.book import Book
from station.chronicle import Chronicle
from station.clerk import Clerk
from station.config import Config
from station.config.roster import Roster
from station.covering import changed
from station.fittings import Fittings
from station.foundation import Foundation
from station.heartbeat import INTERVAL, Heartbeat
from station.inbox import Errand
from station.link import LinkState
from station.machine import Machine
from station.methods.means import Means
from station.methods.table import StationMethods
from station.mounts import shortcoming
from station.notify import Notifier
from station.panel import Panel
from station.part import DEGRADED, LOST, Part, of_contacts
from station.protocol.events import Event
from station.protocol.seam import Call, Identity, perform
from station.recorder import Recorder
from station.remembered import remembered
from station.runner import Runner
from station.service import Service
from station.signals import OutputSignals
from station.vitals import Note, Vitals, of_display, of_entropy, of_ledger
from station.wiring import facts, first_state

MAKER, MODEL = "dice-station", "table"
"""What `*IDN?` tells first; there is no number on the case, and IEEE 488.2 then asks for a 0."""

POWER_OFF = "poweroff"
"""The file in systemd's runtime folder that asks for the machine to be switched off."""

TURN = 1e-4
"""Seconds that a thread computes while others wait for Python's lock.

At the usual 5 ms a busy line starves all others: whoever waits asks for the lock only if nobody
took it for that long, and a line that reads and writes gives it up, and takes it again before
another has woken, more often than that.
"""

_log = logging.getLogger(__name__)


class Screen:
    """A display's service as the runner sees a display."""

    def __init__(self, service: DisplayService) -> None:
        self._service = service

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a frame, in pixels."""
        return self._service.size

    def show(self, image: Image.Image) -> None:
        """Show a frame as soon as the bus is free."""
        self._service.submit(image)

    def dim(self, level: Brightness) -> None:
        """Set the brightness as soon as the bus is free."""
        self._service.dim(level)

    def close(self) -> None:
        """Go dark."""
        self._service.close()


@frozen
class Appliance:
    """A station that can be run.

    Attributes:
        runner: what runs it.
        service: the lines to other programs.
        pins: the back end of its pins, None where there is none.
        device: its panel, or the one in memory that stands in for it.
    """

    runner: Runner
    service: Service
    pins: PinBackend | None
    device: Device


@contextmanager
def appliance(
    base: Foundation,
    notifier: Notifier,
    is_ending: Callable[[], bool] = lambda: False,
    disk: Callable[[Path], str] = shortcoming,
) -> Iterator[Appliance]:
    """Build the station on its foundation and begin to serve its lines.

    At the end it is taken apart again, the panel dark. Nothing here waits for a device: a panel
    or a generator that is not there yet is used once it is.

    Args:
        base: what is open already.
        notifier: the service manager.
        is_ending: tells whether the station is to end, so that no roll waits any longer.
        disk: tells what is wrong with keeping a ledger in a folder, in one sentence.
    """
    config, clock, inbox = base.config, base.clock, base.inbox
    keeper, fittings = base.keeper, base.fittings
    registry = base.registry or DEFAULT
    keeper.weigh(disk)
    left = remembered(keeper.ledger, registry, roll_button=config.controls.roll_button)

    def look(_: object = None) -> None:
        inbox.put(Errand(lambda: methods.look()))  # noqa: PLW0108 - it is made further down

    with ExitStack() as stack:
        stack.callback(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(TURN)
        dice = stack.enter_context(build_dice(config.entropy, clock, look, is_ending))
        book = Book(registry, keeper.ledger, clock, config.entropy.mode, left.table)
        book.limit_glory(config.table.glory_cap)
        device, missing = _device(config, fittings)
        display = DisplayService(device, look, clock)
        stack.callback(display.close)
        controls = ControlPanel(config.controls.layout)
        vitals = Vitals(
            {
                "entropy": lambda: of_entropy(dice.health()),
                "display": lambda: Part(LOST, missing) if missing else of_display(display.health),
                "controls": lambda: fittings.part(controls),
                "ledger": lambda: of_ledger(keeper.condition),
            },
            clock,
            _noting(Chronicle(clock), controls, missing),
        )
        post = Post()
        announcer = Announcer(book, post.publish)
        recorder = Recorder(book, announcer)
        clerk = Clerk(book, announcer, lambda: facts(book, dice))
        machine = Machine(registry, Panel(*config.display.panel.size))
        runner = Runner(
            machine,
            first_state(
                left,
                clerk,
                book,
                machine,
                clock(),
                roster=base.roster or Roster(),
                greeting=(*facts(book, dice), *_missing(vitals)),
            ),
            controls=controls,
            display=Screen(display),
            dice=dice,
            recorder=recorder,
            clerk=clerk,
            signals=OutputSignals(*fittings.outputs),
            clock=clock,
            acceleration=config.controls.acceleration(),
            power_off=_power_off(),
            inbox=inbox,
        )
        methods = StationMethods(
            Means(
                book=book,
                dice=dice,
                announcer=announcer,
                vitals=vitals,
                front=runner,
                name=socket.gethostname(),
                version=__version__,
                options={(o.system, o.name): o.value for o in config.table.options},
                clock=clock,
            )
        )

        def submit(call: Call, answer: Callable[[Any], None]) -> None:
            if methods.is_pure(call.method):
                answer(perform(methods, call))
            else:
                inbox.put(Errand(lambda: answer(perform(methods, call))))

        def beat() -> None:
            if keeper.mend():
                book.use(keeper.ledger)
                runner.tell(changed(book))
            fittings.mend()
            service.mend()
            methods.look()
            if fittings.alive() and display.alive:
                notifier.ping()

        service = Service(
            config.service,
            submit,
            identity=Identity(MAKER, MODEL, "0", __version__),
            systems=tuple(registry),
            clock=clock,
            open_port=base.ports.__getitem__,
            listener=base.listener,
            on_change=partial(log_line, tuple(port.path for port in config.service.ports)),
        )
        post.service = service
        stack.enter_context(service)
        pulse = Heartbeat(lambda do: inbox.put(Errand(do)), beat, notifier.interval or INTERVAL)
        stack.enter_context(pulse)
        yield Appliance(runner, service, fittings.pins, device)


class Post:
    """Takes events to the lines, once these are there."""

    def __init__(self) -> None:
        self.service: Service | None = None

    def publish(self, event: Event) -> None:
        """Tell whoever subscribed."""
        if self.service is not None:
            self.service.publish(event)


def _device(config: Config, fittings: Fittings) -> tuple[Device, str]:
    """Return the panel, and why it is only one in memory where it should not be."""
    wanted: PanelSettings = config.display.panel
    pins = fittings.pin_factory
    try:
        return open_display(wanted, config.display.backend, pin_factory=pins), ""
    except (HardwareError, OSError) as error:
        _log.error("no display: %s", error)
        return MemoryDisplay(wanted.size), str(error)


def _noting(chronicle: Chronicle, controls: ControlPanel, missing: str) -> Note:
    """Return what tells the log how parts fare, without what is told where it is found missing."""

    def note(name: str, part: Part) -> None:
        if name == "controls":
            chronicle.note(name, of_contacts(controls.stuck()))
        elif not (name == "display" and missing):
            chronicle.note(name, part)

    return note


def _missing(vitals: Vitals) -> tuple[str, ...]:
    """Return what the station starts without, a line each."""
    parts = {name: vitals.probes[name]() for name in ("display", "controls")}
    lost = [f"No {name}: {part.reason}" for name, part in parts.items() if part.state == LOST]
    some = parts["controls"].reason if parts["controls"].state == DEGRADED else ""
    return (*lost, *filter(None, [some]))


def _power_off() -> Callable[[], None] | None:
    """Return what switches the machine off: a wish that only systemd's unit can grant."""
    folder = os.environ.get("RUNTIME_DIRECTORY", "").split(":")[0]
    return Path(folder, POWER_OFF).touch if folder else None


def log_line(ports: Sequence[str], state: LinkState) -> None:
    """Write to the log that a line opened or is lost.

    Args:
        ports: the names of the serial ports.
        state: how the line is now.
    """
    # Programs come and go with each thing they ask, and would fill a journal kept in memory.
    level = logging.INFO if state.name in ports else logging.DEBUG
    if state.is_open:
        _log.log(level, "%s is open", state.name)
    else:
        _log.log(level, "%s is closed: %s", state.name, state.reason)
