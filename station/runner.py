"""One queue, one thread that owns the state: events in, the machine's effects carried out."""

from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Protocol, assert_never

from PIL import Image

from hardware.clock import SECOND, Clock, Nanoseconds
from hardware.controls.acceleration import Acceleration
from hardware.controls.events import ControlEvent, Edge, Turned
from hardware.controls.panel import ControlPanel
from hardware.display.interface import Brightness, Display
from hardware.entropy.dice import Dice, EntropyUnavailable
from rules.model import Request
from station.clerk import Clerk, Wish
from station.effects import (
    Draw,
    Effect,
    KeepDial,
    KeepSettings,
    PowerOff,
    Record,
    Shine,
    Signal,
)
from station.events import DrawFailed, Drawn, Event, Recorded, Refused, Tick
from station.idle import place
from station.inbox import Errand, Item, Selected, Stop
from station.machine import Machine
from station.recorder import Recorder
from station.screens.layout import render
from station.settings import Settings
from station.show import view
from station.state import State
from station.views import View

SHOWN_EVERY = 8
"""Things done in a row before the panel shows what came of them, however many still wait."""


DIAL_SETTLES = Nanoseconds(SECOND)
"""A dial that rests so long is kept: a write for each detent would be slow, and wear a card out."""


class Signals(Protocol):
    """Light and sound."""

    def signal(self, signal: Signal, now: Nanoseconds) -> None:
        """Begin to show how a verdict feels."""

    def set(self, settings: Settings) -> None:
        """Be as loud and as visible as the station is set."""

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
        clerk: what people want of the book besides rolls.
        signals: light and sound.
        clock: monotonic time; `run` waits on it, `settle` only reads it.
        acceleration: how a fast turn moves further.
        power_off: shuts the whole machine down; None where that can't be.
        inbox: its queue, where devices were there before it; a new one if None.
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
        clerk: Clerk,
        signals: Signals,
        clock: Clock,
        acceleration: Acceleration | None = None,
        power_off: Callable[[], None] | None = None,
        inbox: "SimpleQueue[Item] | None" = None,
    ) -> None:
        self.machine = machine
        self.state = state
        self._controls = controls
        self._display = display
        self._dice = dice
        self._recorder = recorder
        self._clerk = clerk
        self._signals = signals
        self._clock = clock
        self._acceleration = acceleration or Acceleration()
        self._power_off = power_off
        self._inbox: SimpleQueue[Item] = SimpleQueue() if inbox is None else inbox
        self._shown: tuple[View, tuple[int, int]] | None = None
        self._stopped = False
        self._dial_rests: Nanoseconds | None = None
        signals.set(state.settings)

    def put(self, item: Item) -> None:
        """Hand over something that happened; any thread may."""
        self._inbox.put(item)

    def run(self) -> None:
        """Work until `Stop` is put."""
        self.settle()
        while not self._stopped:
            self._wait()
            self.settle()
        self.close()

    def close(self) -> None:
        """Keep what was dialled last; the runner does nothing more."""
        if self._dial_rests is not None:
            self._keep_dial()

    def tell(self, event: Event) -> None:
        """Let the machine know of something, and carry out what it wants; an errand may."""
        self._step(event)

    def dialled(self) -> Request:
        """Return what is dialled."""
        return self.state.dial.request

    def settle(self) -> None:
        """Do all that is queued and all that has come due, and show the result."""
        taken = 0
        while not self._stopped:
            try:
                self._take(self._inbox.get_nowait())
            except Empty:
                if not self._time():
                    break
            taken += 1
            if taken % SHOWN_EVERY == 0:
                self._time()
                self._show()
        self._show()

    def deadline(self) -> Nanoseconds | None:
        """Return when `settle` next matters though nothing is queued, in ns."""
        due = (self._controls.deadline(), self.machine.deadline(self.state))
        more = (self._signals.deadline(), self._dial_rests)
        times = [time for time in (*due, *more) if time is not None]
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
            case Edge() | Turned():
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
        if self._dial_rests is not None and self._dial_rests <= now:
            self._keep_dial()
        self._step(Tick(now))
        return True

    def _keep_dial(self) -> None:
        self._dial_rests = None
        self._recorder.keep_dial(self.state.dial)

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
                if self._recorder.table != self.state.table:
                    self._step(self._recorder.changed())
                self._step(Recorded(seq, self._clock()))
            case KeepDial():
                self._dial_rests = Nanoseconds(self._clock() + DIAL_SETTLES)
            case Signal():
                self._signals.signal(effect, self._clock())
            case Shine(level=level):
                self._display.dim(shining(self.state.settings, level))
            case KeepSettings(settings=settings):
                self._clerk.keep_settings(settings)
                self._set(settings)
            case PowerOff():
                self._shut_down()
            case _:
                self._ask(effect)

    def _ask(self, wish: Wish) -> None:
        answer = self._clerk.carry_out(wish)
        if answer is not None:
            self._step(answer)

    def _set(self, settings: Settings) -> None:
        """Let the station look and sound as it is set."""
        self._signals.set(settings)
        self._display.dim(shining(settings, self.state.idle.level))
        self._shown = None

    def _shut_down(self) -> None:
        if self._power_off is None:
            self._step(Refused("This machine can't be switched off from here."))
        else:
            self._power_off()

    def _draw(self, count: int) -> Drawn | DrawFailed:
        try:
            draw = self._dice.draw(count)
        except EntropyUnavailable as error:
            return DrawFailed(error.reason)
        return Drawn(draw.faces, draw.source, draw.change or draw.reason, draw.test)

    def _show(self) -> None:
        now = view(self.machine.registry, self.state, self.machine.panel)
        at = place(self.state.idle)
        if (now, at) != self._shown:
            self._shown = (now, at)
            turned = self.state.settings.upside_down
            self._display.show(placed(render(now, self.machine.panel), at, upside_down=turned))


def placed(frame: Image.Image, at: tuple[int, int], *, upside_down: bool) -> Image.Image:
    """Return a frame moved so many pixels right and down, and the other way up if asked."""
    if at != (0, 0):
        moved = Image.new(frame.mode, frame.size)
        moved.paste(frame, at)
        frame = moved
    return frame.transpose(Image.Transpose.ROTATE_180) if upside_down else frame


def shining(settings: Settings, level: Brightness) -> Brightness:
    """Return how bright the panel is at a level of idleness, as it is set."""
    bright = settings.bright or level is not Brightness.FULL
    return level if bright else Brightness.DIM
