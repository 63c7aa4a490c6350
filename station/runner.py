"""One queue, one thread that owns the state: events in, the machine's effects carried out."""

from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Protocol, TypeAlias, assert_never

from hardware.clock import SECOND, Clock, Nanoseconds
from hardware.controls.acceleration import Acceleration
from hardware.controls.events import ControlEvent, Edge, Turned
from hardware.controls.panel import ControlPanel
from hardware.display.interface import Display
from hardware.entropy.dice import Dice, EntropyUnavailable
from rules.model import Request
from station.effects import Draw, Effect, KeepDial, Record, Signal
from station.events import DrawFailed, Drawn, Event, Recorded, Selected, Tick
from station.machine import Machine
from station.recorder import Recorder
from station.screens.layout import render
from station.show import view
from station.state import State
from station.views import View


class Stop:
    """What ends the runner when it is put on its queue."""


@dataclass(frozen=True, slots=True)
class Errand:
    """Work that another thread wants done by the one that owns the state; it must not raise."""

    do: Callable[[], None]


Item: TypeAlias = Edge | Selected | Errand | Stop
"""What other threads put on the queue."""


class Signals(Protocol):
    """Light and sound."""

    def signal(self, signal: Signal, now: Nanoseconds) -> None:
        """Begin to show how a verdict feels."""

    def advance(self, now: Nanoseconds) -> None:
        """Do what has come due."""

    def deadline(self) -> Nanoseconds | None:
        """Return when `advance` next matters, None while nothing plays."""


class Runner:
    """Owns the state; all methods but `put` belong to one thread.

    Args:
        machine: the transitions.
        state: what to start from.
        controls: edges to control events.
        display: where frames go; only frames that differ are shown.
        dice: where faces come from.
        recorder: where rolls go before they show.
        signals: light and sound.
        clock: monotonic time; `run` waits on it, `settle` only reads it.
        acceleration: how a fast turn moves further.
    """

    def __init__(
        self,
        machine: Machine,
        state: State,
        *,
        controls: ControlPanel,
        display: Display,
        dice: Dice,
        recorder: Recorder,
        signals: Signals,
        clock: Clock,
        acceleration: Acceleration | None = None,
    ) -> None:
        self.machine = machine
        self.state = state
        self._controls = controls
        self._display = display
        self._dice = dice
        self._recorder = recorder
        self._signals = signals
        self._clock = clock
        self._acceleration = acceleration or Acceleration()
        self._inbox: SimpleQueue[Item] = SimpleQueue()
        self._shown: View | None = None
        self._stopped = False

    def put(self, item: Item) -> None:
        """Hand over something that happened; any thread may."""
        self._inbox.put(item)

    def run(self) -> None:
        """Work until `Stop` is put."""
        while not self._stopped:
            self.settle()
            self._wait()

    def tell(self, event: Event) -> None:
        """Let the machine know of something, and carry out what it wants; an errand may."""
        self._step(event)

    def dialled(self) -> Request:
        """Return what is dialled."""
        return self.state.dial.request

    def settle(self) -> None:
        """Do all that is queued and all that has come due, and show the result."""
        while not self._stopped:
            try:
                self._take(self._inbox.get_nowait())
            except Empty:
                if not self._time():
                    break
        self._show()

    def deadline(self) -> Nanoseconds | None:
        """Return when `settle` next matters though nothing is queued, in ns."""
        due = (self._controls.deadline(), self.machine.deadline(self.state))
        times = [time for time in (*due, self._signals.deadline()) if time is not None]
        return min(times, default=None)

    def _wait(self) -> None:
        due = self.deadline()
        timeout = None if due is None else max(0, due - self._clock()) / SECOND
        try:
            self._take(self._inbox.get(timeout=timeout))
        except Empty:
            return

    def _take(self, item: Item) -> None:
        match item:
            case Edge():
                self._controlled(self._controls.feed(item))
            case Selected():
                self.tell(item)
            case Errand(do=do):
                do()
            case Stop():
                self._stopped = True
            case _:
                assert_never(item)

    def _time(self) -> bool:
        """Do what has come due and return whether there was anything."""
        now = self._clock()
        due = self.deadline()
        if due is None or due > now:
            return False
        self._controlled(self._controls.advance(now))
        self._signals.advance(now)
        self._step(Tick(now))
        return True

    def _controlled(self, events: tuple[ControlEvent, ...]) -> None:
        for event in events:
            if isinstance(event, Turned):
                span = self.machine.span(self.state)
                self._step(self._acceleration.scale(event, span))
            else:
                self._step(event)

    def _step(self, event: Event) -> None:
        self.state, effects = self.machine.step(self.state, event)
        for effect in effects:
            self._carry_out(effect)

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case Draw(count=count):
                self._show()
                self._step(self._draw(count))
            case Record(roll=roll, stage=stage):
                seq = self._recorder.record(roll, stage)
                self._step(Recorded(seq, self._clock()))
            case KeepDial():
                self._recorder.keep_dial(self.state.dial)
            case Signal():
                self._signals.signal(effect, self._clock())
            case _:
                assert_never(effect)

    def _draw(self, count: int) -> Drawn | DrawFailed:
        try:
            draw = self._dice.draw(count)
        except EntropyUnavailable as error:
            return DrawFailed(error.reason)
        return Drawn(draw.faces, draw.source, draw.change or draw.reason, draw.test)

    def _show(self) -> None:
        now = view(self.machine.registry, self.state, self.machine.panel)
        if now != self._shown:
            self._shown = now
            self._display.show(render(now, self.machine.panel))
