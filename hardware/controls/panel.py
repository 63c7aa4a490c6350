"""All controls of a station as one pure machine: edges and time in, control events out."""

from dataclasses import dataclass, field

from hardware.clock import Nanoseconds
from hardware.controls.debounce import DEFAULT_WINDOW, Debouncer, Steady
from hardware.controls.events import KNOB_A, KNOB_B, Control, ControlEvent, Edge, Turned
from hardware.controls.gestures import GestureRecogniser, GestureTimes, Mode
from hardware.controls.quadrature import DEFAULT_SETTLE, Contact, Quadrature

_CONTACTS = {KNOB_A: Contact.A, KNOB_B: Contact.B}


@dataclass(frozen=True, slots=True)
class Knob:
    """The knob that is wired; see Quadrature for ranges.

    Raises:
        ValueError: a value is out of range.
    """

    steps_per_detent: int = 4
    reverse: bool = False
    settle: Nanoseconds = DEFAULT_SETTLE

    def __post_init__(self) -> None:
        self.decoder()

    def decoder(self, levels: tuple[bool, bool] = (False, False)) -> Quadrature:
        """Return a decoder for this knob, its contacts at `levels` (A closed, B closed)."""
        return Quadrature(
            self.steps_per_detent, reverse=self.reverse, settle=self.settle, levels=levels
        )


@dataclass(frozen=True, slots=True)
class Layout:
    """Which controls are wired, and how each behaves.

    `knob` is None without one; a control in `repeating` clicks at once and repeats while down,
    the others click on release and can be held; `debounce` is [5, 20] ms in ns.

    Raises:
        ValueError: a control is named twice or repeats without being wired, or a value is out
            of range.
    """

    knob: Knob | None = field(default_factory=Knob)
    controls: tuple[Control, ...] = tuple(Control)
    repeating: tuple[Control, ...] = (Control.UP, Control.DOWN)
    debounce: Nanoseconds = DEFAULT_WINDOW
    times: GestureTimes = field(default_factory=GestureTimes)

    def __post_init__(self) -> None:
        if len(set(self.controls)) != len(self.controls):
            raise ValueError(f"controls (={', '.join(self.controls)}) must each be named once")
        Debouncer(self.debounce)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines this layout needs, the knob's first."""
        knob = (KNOB_A, KNOB_B) if self.knob else ()
        return knob + tuple(control.value for control in self.controls)

    def mode(self, control: Control) -> Mode:
        """Return how the control reads a press."""
        return Mode.REPEAT if control in self.repeating else Mode.CLICK_HOLD


class _Switch:
    """One control: its debouncer and its recogniser."""

    def __init__(self, layout: Layout, control: Control) -> None:
        self.control = control
        self._layout = layout
        self.find(closed=False)

    def find(self, *, closed: bool) -> None:
        """Start anew from a level that nobody saw change."""
        layout = self._layout
        self._debouncer = Debouncer(layout.debounce, closed=closed)
        self._gesture = GestureRecogniser(
            self.control, layout.mode(self.control), layout.times, closed=closed
        )

    @property
    def stuck(self) -> bool:
        return self._gesture.stuck

    def feed(self, edge: Edge) -> tuple[ControlEvent, ...]:
        return self._read(self._debouncer.feed(closed=edge.closed, at=edge.at))

    def advance(self, now: Nanoseconds) -> tuple[ControlEvent, ...]:
        settled = self._read(self._debouncer.advance(now))
        opening = self._debouncer.opening
        # Open already, unless that is bounce: what comes due from now on waits for the answer.
        return settled + self._gesture.advance(now if opening is None else min(now, opening))

    def deadline(self) -> Nanoseconds | None:
        due, opening = self._gesture.deadline(), self._debouncer.opening
        if due is not None and opening is not None and due > opening:
            due = None
        return _earliest(self._debouncer.deadline(), due)

    def _read(self, settled: tuple[Steady, ...]) -> tuple[ControlEvent, ...]:
        return tuple(
            event
            for change in settled
            for event in self._gesture.feed(closed=change.closed, at=change.at)
        )


class ControlPanel:
    """The station's controls.

    Args:
        layout: what is wired; an edge of a line that is not is ignored.
    """

    def __init__(self, layout: Layout | None = None) -> None:
        self._layout = layout or Layout()
        self._contacts = dict.fromkeys(_CONTACTS, False)
        self._knob = self._decoder()
        self._switches = {
            control.value: _Switch(self._layout, control) for control in self._layout.controls
        }

    def feed(self, edge: Edge | Turned) -> tuple[ControlEvent, ...]:
        """Take an edge, or a turn that somebody else decoded.

        Returns what came due before it and what it means, in order of time. A level that was
        found means nothing by itself: a control that is found closed is stuck until it opens.
        """
        due = self.advance(edge.at)
        if isinstance(edge, Turned):
            return (*due, edge)
        if edge.line in _CONTACTS:
            return due + self._turn(edge)
        switch = self._switches.get(edge.line)
        if switch is None:
            return due
        if edge.found:
            switch.find(closed=edge.closed)
            return due
        return due + switch.feed(edge)

    def advance(self, now: Nanoseconds) -> tuple[ControlEvent, ...]:
        """Return what has come due by `now`, in order of time."""
        turned = _turned(self._knob.advance(now) if self._knob else 0, now)
        events = [event for switch in self._switches.values() for event in switch.advance(now)]
        return tuple(sorted((*turned, *events), key=lambda event: event.at))

    def deadline(self) -> Nanoseconds | None:
        """Return when `advance` next matters, None while everything is at rest."""
        knob = self._knob.deadline() if self._knob else None
        return _earliest(knob, *(switch.deadline() for switch in self._switches.values()))

    def stuck(self) -> tuple[Control, ...]:
        """Return the controls that are closed and should not be."""
        return tuple(switch.control for switch in self._switches.values() if switch.stuck)

    def _turn(self, edge: Edge) -> tuple[ControlEvent, ...]:
        self._contacts[edge.line] = edge.closed
        if edge.found:
            self._knob = self._decoder()
        if self._knob is None or edge.found:
            return ()
        steps = self._knob.feed(_CONTACTS[edge.line], closed=edge.closed, at=edge.at)
        return _turned(steps, edge.at)

    def _decoder(self) -> Quadrature | None:
        knob, contacts = self._layout.knob, self._contacts
        return None if knob is None else knob.decoder((contacts[KNOB_A], contacts[KNOB_B]))


def _turned(steps: int, at: Nanoseconds) -> tuple[Turned, ...]:
    return (Turned(steps, at),) if steps else ()


def _earliest(*times: Nanoseconds | None) -> Nanoseconds | None:
    return min((time for time in times if time is not None), default=None)
