"""Everything put together, in one readable order; nothing else builds drivers."""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from hardware.clock import Clock, Nanoseconds
from hardware.controls.events import Control
from hardware.controls.factories import PinBackend, build
from hardware.controls.gpio import GpioControls
from hardware.controls.outputs import BUZZER_PIN, LED_PIN, GpioWire, Output
from hardware.controls.panel import ControlPanel, Layout
from hardware.display.memory import MemoryDisplay
from hardware.entropy.dice import Dice
from rules.errors import RulesError
from rules.frozen import frozen
from rules.registry import DEFAULT, Registry
from station import __version__
from station.announce import Announcer
from station.book import Book
from station.clerk import Clerk
from station.config.roster import Roster
from station.covering import covered_tests
from station.dialling import in_progress
from station.flow.verdicts import question
from station.idle import Idle
from station.ledger.errors import LedgerError
from station.ledger.faults import open_ledger
from station.machine import Machine
from station.moments import moment
from station.panel import Panel
from station.people import joining
from station.recorder import Recorder
from station.remembered import Remembered, remembered
from station.runner import Runner
from station.signals import OutputSignals
from station.state import Greeting, Preset, State

_log = logging.getLogger(__name__)


@frozen
class Desktop:
    """A whole station on mock pins: what runs it, and what a person would see and touch."""

    runner: Runner
    backend: PinBackend
    display: MemoryDisplay


@contextmanager
def desktop(
    clock: Clock,
    dice: Dice,
    state_folder: Path,
    panel: Panel | None = None,
    *,
    roll_button: bool = True,
    registry: Registry = DEFAULT,
    roster: Roster | None = None,
) -> Iterator[Desktop]:
    """Build a station on mock pins with its display in memory, and take it apart again.

    Args:
        clock: monotonic time, or a virtual clock.
        dice: the source of its faces.
        state_folder: where its ledger lies.
        panel: the size of its display.
        roll_button: whether it has a ROLL button beside the knob.
        registry: the systems it knows.
        roster: the characters that sit at its table, with their pools.

    Raises:
        InUseError: another process keeps the ledger in that folder.
    """
    panel = panel or Panel()
    with ExitStack() as stack:
        opened = open_ledger(state_folder, moment(clock), __version__)
        stack.callback(opened.close)
        mode = dice.health().mode
        book = Book(registry, opened.ledger, clock, mode)
        announcer = Announcer(book)
        recorder = Recorder(book, announcer)
        backend = build("mock")
        stack.callback(backend.factory.reset)
        display = MemoryDisplay(panel.size)
        stack.callback(display.close)
        lamp = Output(GpioWire(backend.factory, "the LED", LED_PIN))
        stack.callback(lamp.close)
        buzzer = Output(GpioWire(backend.factory, "the buzzer", BUZZER_PIN))
        stack.callback(buzzer.close)
        signals = OutputSignals(lamp, buzzer)
        clerk = Clerk(book, announcer, lambda: facts(book, dice))
        machine = Machine(registry, panel)
        layout = Layout() if roll_button else without_roll(Layout())
        runner = Runner(
            machine,
            first_state(
                remembered(opened.ledger, registry, roll_button=roll_button),
                clerk,
                book,
                machine,
                clock(),
                roster=roster or Roster(),
                greeting=facts(book, dice),
            ),
            controls=ControlPanel(layout),
            display=display,
            dice=dice,
            recorder=recorder,
            clerk=clerk,
            signals=signals,
            clock=clock,
        )
        stack.callback(runner.close)
        stack.enter_context(GpioControls(backend, runner.put, clock))
        yield Desktop(runner, backend, display)


def without_roll(layout: Layout) -> Layout:
    """Return a layout whose ROLL button is not wired."""
    kept = tuple(control for control in layout.controls if control is not Control.ROLL)
    return replace(layout, controls=kept)


def first_state(
    left: Remembered,
    clerk: Clerk,
    book: Book,
    machine: Machine,
    now: Nanoseconds,
    *,
    roster: Roster,
    greeting: tuple[str, ...],
) -> State:
    """Return the state a station starts in: all as it was left, and the roll that was cut off.

    That is one whose dice were not all rolled, or the last one, where a decision is still open.
    Where there is none, it says for some seconds what it is.
    """
    seat(book, roster)
    state = State(
        idle=Idle(touched=now),
        dial=in_progress(left.dial, book.table),
        screen=Greeting(greeting),
        unfinished=left.unfinished,
        settings=clerk.settings(),
        table=book.table,
        covered=covered_tests(book.ledger, book.table),
        presets=tuple(
            Preset(member.character.name, pool.name, pool.request)
            for member in roster.members
            for pool in member.pools
        ),
        roster=tuple(member.character for member in roster.members),
    )
    if not state.unfinished:
        newest = clerk.newest()
        undecided = newest if newest and not newest.hidden and not newest.void else None
        asked = question(machine.context, undecided) if undecided else None
        return replace(state, screen=asked) if asked else state
    *older, last = state.unfinished
    resumed, _ = machine.resume(replace(state, unfinished=tuple(older)), last)
    return resumed


def seat(book: Book, roster: Roster) -> None:
    """Let the characters of a roster sit down, as far as they don't sit there already."""
    seated = {character.name for character in book.table.characters}
    for member in roster.members:
        if member.character.name in seated:
            continue
        try:
            book.change(joining(member.character))
        except (LedgerError, RulesError) as error:
            _log.warning("%s does not sit down: %s", member.character.name, error)


def facts(book: Book, dice: Dice) -> tuple[str, ...]:
    """Return what a station says of itself, a line each."""
    health, standing = dice.health(), book.ledger.condition
    return (
        f"Dice station {__version__}",
        f"Dice: {health.source}",
        *((health.reason,) if health.reason else ()),
        f"Ledger: {standing.standing}",
        *((standing.reason,) if standing.reason else ()),
        f"Rows: {book.ledger.head().seq:,}",
    )
