"""A station as its configuration says: real devices, lines to other programs, and the watchdog.

`wiring` puts together what a desktop has as well; here is what only the appliance needs.
"""

import logging
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Protocol, assert_never

from PIL import Image

from hardware.clock import Clock, monotonic
from hardware.controls.evdev_source import EvdevControls
from hardware.controls.events import Control
from hardware.controls.factories import PinBackend, build
from hardware.controls.gpio import GpioControls
from hardware.controls.health import InputHealth
from hardware.controls.outputs import AbsentWire, GpioWire, Output, Wire
from hardware.controls.panel import ControlPanel
from hardware.display.factory import Backend, open_display
from hardware.display.interface import Brightness, PanelSettings
from hardware.display.interface import Panel as Device
from hardware.display.memory import MemoryDisplay
from hardware.display.service import DisplayService
from hardware.entropy.factory import dice as build_dice
from hardware.errors import HardwareError
from rules.registry import DEFAULT, Registry
from station import __version__
from station.announce import Announcer
from station.book import Book
from station.clerk import Clerk
from station.config import Config, Source
from station.events import Changed
from station.heartbeat import INTERVAL, Heartbeat
from station.keeper import Keeper
from station.link import LinkState
from station.machine import Machine
from station.methods.means import Means
from station.methods.table import StationMethods
from station.notify import Notifier
from station.panel import Panel
from station.protocol.events import Event
from station.protocol.seam import Call, Identity, perform
from station.recorder import Recorder
from station.runner import Errand, Item, Runner
from station.service import Service
from station.signals import OutputSignals
from station.vitals import LOST, Part, Vitals, of_controls, of_display, of_entropy, of_ledger
from station.wiring import facts, first_state

MAKER, MODEL = "dice-station", "table"
"""What `*IDN?` tells first; there is no number on the case, and IEEE 488.2 then asks for a 0."""

POWER_OFF = "poweroff"
"""The file in systemd's runtime folder that asks for the machine to be switched off."""

_log = logging.getLogger(__name__)


class Input(Protocol):
    """Where control events come from."""

    def alive(self) -> bool:
        """Return whether input can still arrive."""

    def health(self, stuck: tuple[Control, ...] = ()) -> InputHealth:
        """Return what is known of it."""

    def closed_lines(self) -> frozenset[str]:
        """Return the lines that were closed at start."""


class NoInput:
    """No controls: the station is driven by its lines alone.

    Args:
        reason: why there are none; empty where none are wanted.
    """

    def __init__(self, reason: str = "") -> None:
        self.reason = reason

    def alive(self) -> bool:
        """Return True: what is not there can't be lost."""
        return True

    def health(self, stuck: tuple[Control, ...] = ()) -> InputHealth:
        """Return that nothing is watched."""
        return InputHealth("none", not self.reason, 0, None, stuck, None)

    def closed_lines(self) -> frozenset[str]:
        """Return nothing."""
        return frozenset()


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


@dataclass(frozen=True, slots=True)
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
    config: Config,
    inbox: "SimpleQueue[Item]",
    notifier: Notifier,
    clock: Clock = monotonic,
    registry: Registry = DEFAULT,
) -> Iterator[Appliance]:
    """Build the station and begin to serve its lines; take it apart again, the panel dark.

    Nothing here waits for a device: a panel, a generator or a serial port that is not there yet
    is used once it is.

    Args:
        config: how it is made.
        inbox: the queue of its owner.
        notifier: the service manager.
        clock: the monotonic clock.
        registry: the systems it knows.

    Raises:
        InUseError: another process keeps the ledger.
        HardwareError: the local socket can't be made.
    """

    def look(_: object = None) -> None:
        inbox.put(Errand(lambda: methods.look()))  # noqa: PLW0108 - it is made further down

    with ExitStack() as stack:
        keeper = Keeper(config.state_folder, clock, __version__)
        stack.callback(keeper.close)
        dice = stack.enter_context(build_dice(config.entropy, clock, look))
        book = Book(registry, keeper.ledger, clock, dice.health().mode)
        book.limit_glory(config.table.glory_cap)
        pins = _pins(config)
        if pins is not None:
            stack.callback(pins.factory.close)
        device, missing = _device(config, pins)
        display = DisplayService(device, look, clock)
        stack.callback(display.close)
        outputs = [_output(pins, *named) for named in _wired(config)]
        for output in outputs:
            stack.callback(output.close)
        source = _input(config, pins, inbox, clock, stack)
        controls = ControlPanel(config.controls.layout, source.closed_lines())
        vitals = Vitals(
            {
                "entropy": lambda: of_entropy(dice.health()),
                "display": lambda: Part(LOST, missing) if missing else of_display(display.health),
                "controls": lambda: _of_input(source, controls),
                "ledger": lambda: of_ledger(keeper.condition),
            },
            clock,
        )
        post = Post()
        announcer = Announcer(registry, post.publish)
        recorder = Recorder(book, announcer)
        clerk = Clerk(book, announcer, lambda: facts(book, dice))
        machine = Machine(registry, Panel(*config.display.panel.size))
        runner = Runner(
            machine,
            first_state(
                recorder, clerk, book, machine, clock(), roll_button=config.controls.roll_button
            ),
            controls=controls,
            display=Screen(display),
            dice=dice,
            recorder=recorder,
            clerk=clerk,
            signals=OutputSignals(*outputs),
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
                runner.tell(Changed(book.table))
            methods.look()
            if source.alive() and display.alive:
                notifier.ping()

        service = Service(
            config.service,
            submit,
            identity=Identity(MAKER, MODEL, "0", __version__),
            systems=tuple(registry),
            clock=clock,
            on_change=_log_line,
        )
        post.service = service
        stack.enter_context(service)
        pulse = Heartbeat(lambda do: inbox.put(Errand(do)), beat, notifier.interval or INTERVAL)
        stack.enter_context(pulse)
        yield Appliance(runner, service, pins, device)


class Post:
    """Takes events to the lines, once these are there."""

    def __init__(self) -> None:
        self.service: Service | None = None

    def publish(self, event: Event) -> None:
        """Tell whoever subscribed."""
        if self.service is not None:
            self.service.publish(event)


def _pins(config: Config) -> PinBackend | None:
    """Return the pins' back end, or None where none are wired or none can be had."""
    panel = config.display
    wanted = (
        config.controls.source is Source.GPIO,
        *(gpio is not None for _, gpio in _wired(config)),
        panel.backend is Backend.PANEL and panel.panel.bus == "spi",
    )
    if not any(wanted):
        return None
    try:
        return build(config.controls.backend, config.controls.chip)
    except HardwareError as error:
        _log.error("no pins: %s", error)
        return None


def _wired(config: Config) -> tuple[tuple[str, int | None], ...]:
    return (("the LED", config.outputs.led), ("the buzzer", config.outputs.buzzer))


def _output(pins: PinBackend | None, name: str, gpio: int | None) -> Output:
    wire: Wire = AbsentWire()
    if pins is not None and gpio is not None:
        try:
            wire = GpioWire(pins.factory, name, gpio)
        except HardwareError as error:
            _log.error("%s", error)
    return Output(wire)


def _device(config: Config, pins: PinBackend | None) -> tuple[Device, str]:
    """Return the panel, and why it is only one in memory where it should not be."""
    wanted: PanelSettings = config.display.panel
    factory = None if pins is None else pins.factory
    try:
        return open_display(wanted, config.display.backend, pin_factory=factory), ""
    except (HardwareError, OSError) as error:
        _log.error("no display: %s", error)
        return MemoryDisplay(wanted.size), str(error)


def _input(
    config: Config,
    pins: PinBackend | None,
    inbox: "SimpleQueue[Item]",
    clock: Clock,
    stack: ExitStack,
) -> Input:
    """Return where control events come from; none where it can't be had, as serial lines can."""
    wanted = config.controls
    try:
        match wanted.source:
            case Source.NONE:
                return NoInput()
            case Source.EVDEV:
                knob = wanted.layout.knob
                reverse = knob is not None and knob.reverse
                kernel = EvdevControls(wanted.devices, inbox.put, clock, reverse=reverse)
                return stack.enter_context(kernel)
            case Source.GPIO if pins is None:
                return NoInput(f"there are no pins of the back end {wanted.backend}")
            case Source.GPIO:
                gpio = GpioControls(pins, inbox.put, clock, wanted.pins, config.reserved_pins)
                return stack.enter_context(gpio)
            case _:
                assert_never(wanted.source)
    except HardwareError as error:
        _log.error("no controls: %s", error)
        return NoInput(str(error))


def _of_input(source: Input, controls: ControlPanel) -> Part:
    if isinstance(source, NoInput) and source.reason:
        return Part(LOST, source.reason)
    return of_controls(source.health(controls.stuck()))


def _power_off() -> Callable[[], None] | None:
    """Return what switches the machine off: a wish that only systemd's unit can grant."""
    folder = os.environ.get("RUNTIME_DIRECTORY", "").split(":")[0]
    return Path(folder, POWER_OFF).touch if folder else None


def _log_line(state: LinkState) -> None:
    if state.is_open:
        _log.info("%s is open", state.name)
    else:
        _log.info("%s is closed: %s", state.name, state.reason)
