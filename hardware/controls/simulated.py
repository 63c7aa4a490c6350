"""The world's side of mock pins: hands that turn the knob and press, through real edges.

    SimulatedControls -> MockFactory's pins -> GpioControls -> sink -> ControlPanel

What it does not simulate: contact bounce, doubled or lost edges, the time an input thread
takes, a chip that vanishes. Mock pins ignore `bounce`, and report on the caller's thread.
"""

from collections.abc import Callable, Mapping
from typing import Any

from hardware.clock import MILLISECOND, Nanoseconds
from hardware.controls.events import KNOB_A, KNOB_B, Control
from hardware.controls.gpio import DEFAULT_PINS
from hardware.controls.panel import Knob

QUARTER = Nanoseconds(MILLISECOND)
"""The time a simulated knob takes between two edges: a brisk turn by hand."""

TURN_BACK = Nanoseconds(30 * MILLISECOND)
"""The time a simulated hand takes to turn the other way."""

_START = Nanoseconds(0)

Pause = Callable[[Nanoseconds], None]
"""Lets the given time pass: a virtual clock's `advance`, or a sleep."""


class VirtualClock:
    """A clock that only moves when told to.

    Args:
        now: where it starts, in ns.
    """

    def __init__(self, now: Nanoseconds = _START) -> None:
        self._now = now

    def __call__(self) -> Nanoseconds:
        """Return the time."""
        return self._now

    def advance(self, span: Nanoseconds) -> None:
        """Let `span` ns pass.

        Raises:
            ValueError: `span` is negative.
        """
        if span < 0:
            raise ValueError(f"span (={span} ns) must be 0 or more: the clock never goes back")
        self._now = Nanoseconds(self._now + span)


def _no_time(_: Nanoseconds) -> None:
    """Let no time pass: the caller advances the clock."""


class SimulatedControls:
    """Hands on the controls of a MockFactory.

    Args:
        factory: the mock factory that GpioControls watches.
        pins: BCM number of each line, as GpioControls has them.
        knob: how many edges a detent takes, and which way round.
        pause: called between two edges of the knob with the time between them. Without it a
            half-step knob may be turned back faster than hands do, which costs a step.
    """

    def __init__(
        self,
        factory: Any,
        pins: Mapping[str, int] = DEFAULT_PINS,
        knob: Knob | None = None,
        pause: Pause = _no_time,
    ) -> None:
        self._pins = {line: factory.pin(gpio) for line, gpio in pins.items()}
        self._knob = knob or Knob()
        self._pause = pause
        self._quarter = 0
        self._clockwise = True

    def turn(self, detents: int) -> None:
        """Turn the knob by `detents`, positive clockwise, edge by edge."""
        forward = (detents > 0) != self._knob.reverse
        if forward != self._clockwise:
            self._pause(TURN_BACK)
        self._clockwise = forward
        for _ in range(abs(detents) * self._knob.steps_per_detent):
            self._pause(QUARTER)
            self._quarter += 1 if forward else -1
            self._show(KNOB_A, closed=self._quarter % 4 in {1, 2})
            self._show(KNOB_B, closed=self._quarter % 4 in {2, 3})

    def press(self, control: Control) -> None:
        """Close the control's contact; nothing happens if it is closed."""
        self._show(control, closed=True)

    def release(self, control: Control) -> None:
        """Open the control's contact; nothing happens if it is open."""
        self._show(control, closed=False)

    def _show(self, line: str, *, closed: bool) -> None:
        pin = self._pins[line]
        if closed:
            pin.drive_low()
        else:
            pin.drive_high()
