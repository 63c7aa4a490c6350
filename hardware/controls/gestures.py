"""What a press means: one recogniser for each control, pure, on steady changes.

click_hold                                   repeat

  open --close/Pressed--> down                 open --close/Pressed+Clicked--> down
  down --open/Clicked---> open                 down --400 ms/Repeated(1)-----> down
  down --600 ms/Held----> held                 down --120 ms/Repeated(n)-----> down
  held --open-----------> open                 down --open-------------------> open

Both: closed at start, or closed for longer than `stuck_after`, is `stuck`, which is silent and
ends with the next release.
"""

from dataclasses import dataclass
from enum import StrEnum, auto

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.events import Clicked, Control, ControlEvent, Held, Pressed, Repeated

HOLD = Nanoseconds(600 * MILLISECOND)
"""Longer than a firm click, short enough to be found by chance."""

REPEAT_AFTER = Nanoseconds(400 * MILLISECOND)
"""Long enough that one press stays one step."""

REPEAT_EVERY = Nanoseconds(120 * MILLISECOND)
"""Eight steps a second: readable while it runs."""

STUCK_AFTER = Nanoseconds(30 * SECOND)
"""Nobody holds a button for so long; a jammed one or a short circuit does."""


class Mode(StrEnum):
    """How a control reads a press."""

    CLICK_HOLD = auto()
    REPEAT = auto()


@dataclass(frozen=True, slots=True)
class GestureTimes:
    """The times that part one gesture from another, all in ns and > 0.

    Raises:
        ValueError: a time is not positive, or `stuck_after` is not the longest.
    """

    hold: Nanoseconds = HOLD
    repeat_after: Nanoseconds = REPEAT_AFTER
    repeat_every: Nanoseconds = REPEAT_EVERY
    stuck_after: Nanoseconds = STUCK_AFTER

    def __post_init__(self) -> None:
        for name in ("hold", "repeat_after", "repeat_every", "stuck_after"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} (={getattr(self, name)} ns) must be more than 0 ns")
        if self.stuck_after <= max(self.hold, self.repeat_after, self.repeat_every):
            raise ValueError(
                f"stuck_after (={self.stuck_after} ns) must be longer than hold, "
                "repeat_after and repeat_every"
            )


class _Phase(StrEnum):
    OPEN = auto()
    DOWN = auto()
    HELD = auto()
    STUCK = auto()


class GestureRecogniser:
    """Reads one control's presses.

    Args:
        control: whose events these are.
        mode: click and hold, or click and repeat.
        times: see GestureTimes.
        closed: whether the contact is closed already; it is then ignored until it opens.
    """

    def __init__(
        self,
        control: Control,
        mode: Mode = Mode.CLICK_HOLD,
        times: GestureTimes | None = None,
        *,
        closed: bool = False,
    ) -> None:
        self._control = control
        self._mode = mode
        self._times = times or GestureTimes()
        self._phase = _Phase.STUCK if closed else _Phase.OPEN
        self._down_at = Nanoseconds(0)
        self._repeat_at = Nanoseconds(0)
        self._repeats = 0

    @property
    def stuck(self) -> bool:
        """Whether the contact was closed at start or has been for too long, and still is."""
        return self._phase is _Phase.STUCK

    def feed(self, *, closed: bool, at: Nanoseconds) -> tuple[ControlEvent, ...]:
        """Take a steady change; return what came due before it and what it means."""
        due = self.advance(at)
        return due + (self._close(at) if closed else self._open(at))

    def advance(self, now: Nanoseconds) -> tuple[ControlEvent, ...]:
        """Return what has come due by `now`; a late call gives one repeat, not a burst."""
        if self._phase in {_Phase.OPEN, _Phase.STUCK}:
            return ()
        if now >= self._down_at + self._times.stuck_after:
            self._phase = _Phase.STUCK
            return ()
        if self._phase is _Phase.HELD:
            return ()
        return self._hold(now) if self._mode is Mode.CLICK_HOLD else self._repeat(now)

    def deadline(self) -> Nanoseconds | None:
        """Return when `advance` next matters, None while nothing is pressed."""
        stuck_at = Nanoseconds(self._down_at + self._times.stuck_after)
        match self._phase, self._mode:
            case (_Phase.OPEN | _Phase.STUCK, _):
                return None
            case (_Phase.DOWN, Mode.CLICK_HOLD):
                return Nanoseconds(self._down_at + self._times.hold)
            case (_Phase.DOWN, Mode.REPEAT):
                return min(self._repeat_at, stuck_at)
            case _:
                return stuck_at

    def _close(self, at: Nanoseconds) -> tuple[ControlEvent, ...]:
        if self._phase is not _Phase.OPEN:
            return ()
        self._phase, self._down_at = _Phase.DOWN, at
        self._repeat_at, self._repeats = Nanoseconds(at + self._times.repeat_after), 0
        pressed = Pressed(self._control, at)
        if self._mode is Mode.REPEAT:
            return (pressed, Clicked(self._control, at))
        return (pressed,)

    def _open(self, at: Nanoseconds) -> tuple[ControlEvent, ...]:
        clicked = self._phase is _Phase.DOWN and self._mode is Mode.CLICK_HOLD
        self._phase = _Phase.OPEN
        return (Clicked(self._control, at),) if clicked else ()

    def _hold(self, now: Nanoseconds) -> tuple[ControlEvent, ...]:
        due = Nanoseconds(self._down_at + self._times.hold)
        if now < due:
            return ()
        self._phase = _Phase.HELD
        return (Held(self._control, due),)

    def _repeat(self, now: Nanoseconds) -> tuple[ControlEvent, ...]:
        if now < self._repeat_at:
            return ()
        periods = (now - self._repeat_at) // self._times.repeat_every
        due = Nanoseconds(self._repeat_at + periods * self._times.repeat_every)
        self._repeat_at = Nanoseconds(due + self._times.repeat_every)
        self._repeats += 1
        return (Repeated(self._control, due, self._repeats),)
