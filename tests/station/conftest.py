"""What the station's tests share: a machine whose world answers, and a whole station in hand."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hardware.clock import SECOND, Nanoseconds
from hardware.controls.events import Clicked, Control, Held, Turned
from hardware.controls.simulated import SimulatedControls, VirtualClock
from hardware.entropy.dice import Dice, EntropyMode
from hardware.entropy.simulated import SimulatedSource
from hardware.entropy.sources import SourceFailed
from rules.model import Request
from rules.registry import DEFAULT, Registry
from station.config.roster import Roster
from station.dialling import first_dial
from station.effects import (
    AskFacts,
    Change,
    CountFaces,
    Draw,
    Effect,
    KeepDial,
    KeepSettings,
    ListChanges,
    LookBack,
    PowerOff,
    Record,
    Reveal,
    Shine,
    Signal,
    Undo,
)
from station.events import (
    Changed,
    Counted,
    DrawFailed,
    Drawn,
    Event,
    Found,
    Listed,
    Recorded,
    Refused,
    Selected,
    Tick,
    Told,
)
from station.ledger.fairness import assess
from station.ledger.reader import Reader
from station.ledger.rows import Row
from station.ledger.tally import Tally
from station.machine import Machine
from station.panel import Panel
from station.rolls import Roll
from station.screens.layout import paint
from station.show import view
from station.simulator.hands import Hands
from station.simulator.script import gestures, pass_time, play
from station.state import Apply, Dialling, Greeting, Screen, Standing, State, Void
from station.views import View
from station.wiring import desktop

START = Nanoseconds(5 * SECOND)
NO_DICE = "no dice left"


class Play:
    """The machine alone; dice, ledger and time answer it as they are told to.

    `faces` are what the dice will show, `refusal` why they can't be drawn, and `ledger` is False
    where nothing can be recorded; `past` are the rolls that history finds. While `held`, effects
    wait in `pending` until `answer`.
    """

    def __init__(self, registry: Registry, panel: Panel, *, roll_button: bool) -> None:
        self.machine = Machine(registry, panel)
        self.state = State(first_dial(registry, roll_button=roll_button))
        self.now = START
        self.faces: deque[int] = deque()
        self.refusal = ""
        self.notice = ""
        self.ledger = True
        self.past: tuple[Roll, ...] = ()
        self.older = False
        self.fairness = (assess("urandom", Tally()),)
        self.held = False
        self.pending: deque[Effect] = deque()
        self.done: list[Effect] = []
        self.shown: list[View] = []
        self._rows = 0

    @property
    def screen(self) -> Screen:
        return self.state.screen

    @property
    def view(self) -> View:
        return view(self.machine.registry, self.state, self.machine.panel)

    def did(self, kind: type[Effect]) -> list[Any]:
        """Return the effects of a kind so far."""
        return [effect for effect in self.done if isinstance(effect, kind)]

    def take(self, event: Event) -> None:
        """Let something happen, and all that it leads to unless it is held."""
        self.state, effects = self.machine.step(self.state, event)
        self.shown.append(self.view)
        self.pending.extend(effects)
        while self.pending and not self.held:
            self.answer()

    def answer(self) -> None:
        """Carry out the next effect and tell the machine."""
        effect = self.pending.popleft()
        self.done.append(effect)
        match effect:
            case Draw(count=count):
                self.take(self._drawn(count))
            case Record():
                self._rows += 1
                self.take(Recorded(self._rows if self.ledger else None, self.now))
            case Change() | Undo() | Apply() | Void():
                self.take(Changed(self.state.table, "It is done."))
            case ListChanges():
                self.take(Listed((Standing(3, "Arya takes 1 wound"), Standing(2, "+1 Glory"))))
            case LookBack():
                self.take(Found(self.past, older=self.older))
            case CountFaces():
                self.take(Counted(self.fairness))
            case AskFacts():
                self.take(Told(("Dice station", "Dice: urandom", "Ledger: ok", "Row 7", "Up")))
            case PowerOff():
                self.take(Refused("There is no switch."))
            case KeepDial() | Signal() | Reveal() | KeepSettings() | Shine():
                pass

    def _drawn(self, count: int) -> Drawn | DrawFailed:
        if self.refusal or len(self.faces) < count:
            return DrawFailed(self.refusal or NO_DICE)
        faces = tuple(self.faces.popleft() for _ in range(count))
        return Drawn(faces, "urandom", self.notice)

    def turn(self, detents: int = 1) -> None:
        self.take(Turned(detents, self.now))

    def push(self) -> None:
        self.take(Clicked(Control.PUSH, self.now))

    def hold(self) -> None:
        self.take(Held(Control.PUSH, self.now))

    def roll(self, *faces: int) -> None:
        """Press ROLL with these faces to come."""
        self.faces.extend(faces)
        self.take(Clicked(Control.ROLL, self.now))

    def wait(self, span: Nanoseconds = SECOND) -> None:
        """Let time pass, with a tick wherever one is due."""
        until = Nanoseconds(self.now + span)
        while (due := self.machine.deadline(self.state)) is not None and due <= until:
            self.now = Nanoseconds(max(self.now, due))
            self.take(Tick(self.now))
        self.now = until

    def dial(self, request: Request) -> None:
        """Put a request on the dial."""
        self.take(Selected(request, self.now))
        self.state = replace(self.state, settles=self.now)

    def rolled(self, request: Request, *faces: int) -> None:
        """Dial a request, roll these faces, and wait until they have fallen."""
        self.dial(request)
        self.roll(*faces)
        self.wait()

    def twin(self) -> "Play":
        """Return another one in the same state, which goes its own way from here."""
        other = Play(self.machine.registry, self.machine.panel, roll_button=True)
        other.state, other.now, other.held = self.state, self.now, self.held
        other.pending = deque(self.pending)
        return other


@pytest.fixture
def playing() -> Callable[..., Play]:
    """Make a machine with its world: ``playing(registry=…, panel=…, roll_button=…)``."""

    def make(
        registry: Registry = DEFAULT, panel: Panel | None = None, *, roll_button: bool = True
    ) -> Play:
        return Play(registry, panel or Panel(), roll_button=roll_button)

    return make


class Desk:
    """A whole station on mock pins with hands on it, rigged dice, and a clock that is told."""

    def __init__(
        self,
        folder: Path,
        panel: Panel,
        registry: Registry,
        clock: VirtualClock,
        *,
        roll_button: bool,
        roster: Roster,
    ) -> None:
        self.folder = folder
        self.clock = clock
        self.faces: deque[int] = deque()
        self.frames: list[Any] = []
        self.source = SimulatedSource(self._stream(), clock, clock.advance, "urandom")
        # The faces are rigged, but what is looked at is how the station shows honest ones.
        self.source.test = False
        dice = Dice(
            EntropyMode.URANDOM,
            self.source,
            clock,
            Nanoseconds(SECOND),
            on_change=lambda _: None,
        )
        self._stack = ExitStack()
        self.parts = self._stack.enter_context(
            desktop(
                clock,
                dice,
                folder,
                panel,
                roll_button=roll_button,
                registry=registry,
                roster=roster,
            )
        )
        self.hands = Hands(SimulatedControls(self.parts.backend.factory))
        self.greeting = self.screen
        if isinstance(self.greeting, Greeting):
            # Whoever sits down has read it.
            self.parts.runner.state = replace(self.state, screen=Dialling())

    def _stream(self) -> Iterator[int]:
        while self.faces:
            yield self.faces.popleft() - 1
        raise SourceFailed(NO_DICE)

    @property
    def state(self) -> State:
        return self.parts.runner.state

    @property
    def screen(self) -> Screen:
        return self.state.screen

    @property
    def request(self) -> Request:
        return self.state.dial.request

    @property
    def view(self) -> View:
        machine = self.parts.runner.machine
        return view(machine.registry, self.state, machine.panel)

    @property
    def frame(self) -> Any:
        """What the display shows."""
        return self.parts.display.frame

    def do(self, words: str, *faces: int) -> None:
        """Play the words of a script, with these faces to come."""
        self.faces.extend(faces)
        self.source.stream = self._stream()
        play(gestures(words), self.parts.runner, self.hands, self.clock, self._keep)

    def press(self, control: Control, times: int = 1) -> None:
        """Press a button so often, unhurried."""
        for _ in range(times):
            self.hands.press(control)
        pass_time(self.parts.runner, self.hands, self.clock, SECOND)

    def _keep(self, _: str) -> None:
        self.frames.append(self.frame)

    def rows(self, *kinds: str) -> list[Row]:
        """Return the ledger's rows of these kinds, as another program reads them."""
        with Reader.open(self.folder / "ledger.db") as reader:
            return [row for row in reader.rows() if row.kind in kinds]

    def close(self) -> None:
        """Cut the power."""
        self._stack.close()


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """Sit down at a station, each time the same: ``sit(panel=…, roll_button=…, roster=…)``."""
    clock = VirtualClock(START)
    with ExitStack() as stack:

        def down(
            registry: Registry = DEFAULT,
            panel: Panel | None = None,
            folder: Path | None = None,
            *,
            roll_button: bool = True,
            roster: Roster | None = None,
        ) -> Desk:
            desk = Desk(
                folder or tmp_path / "state",
                panel or Panel(),
                registry,
                clock,
                roll_button=roll_button,
                roster=roster or Roster(),
            )
            stack.callback(desk.close)
            return desk

        yield down


@pytest.fixture
def asked() -> Callable[..., Request]:
    """Build a request: ``asked("seven-kingdoms", "basic", rank=3, difficulty=9)``."""

    def build(system: str, kind: str, registry: Registry = DEFAULT, **fields: Any) -> Request:
        return registry.request({"system": system, "kind": kind, **fields})

    return build


@pytest.fixture
def at_stop() -> Callable[..., State]:
    """Put the cursor of a state's dial on a stop."""

    def put(state: State, focus: Any) -> State:
        return replace(state, dial=replace(state.dial, focus=focus))

    return put


@pytest.fixture
def seen() -> Callable[..., str]:
    """Return all text that some views show in full on a panel, in reading order."""

    def read(views: Iterable[View], panel: Panel) -> str:
        placed = (text for each in views for text in paint(each, panel).placed)
        return " ".join(text.text for text in placed if not text.cut)

    return read
