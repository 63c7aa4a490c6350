"""Lost and found: keeps one panel showing what is wanted, step by step on a time that is given."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from luma.core.error import Error as LumaError
from PIL import Image

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.display.interface import Brightness, DisplayError, Panel
from hardware.display.transport import NoAnswer
from hardware.errors import why

FIRST_WAIT: Final = Nanoseconds(250 * MILLISECOND)
"""From a loss to the first probe."""

LONGEST_WAIT: Final = Nanoseconds(SECOND)
"""Between probes at most: a panel that comes back shows its picture within 2 s, even an SSD1327 at
100 kHz, whose frame takes three quarters of a second."""

CHECK_EVERY: Final = Nanoseconds(SECOND)
"""Between probes, however much else is sent: an equal frame sends nothing that could fail."""

CHECK_IDLE: Final = Nanoseconds(3 * SECOND)
"""Between probes of a panel that is dim or dark: nobody looks at it, and each costs a wake-up."""

REFRESH_USED: Final = Nanoseconds(5 * SECOND)
REFRESH_EVERY: Final = Nanoseconds(60 * SECOND)
"""From one set-up to the next, at the first quiet second after something was shown, and at most.

A panel whose power failed for less than CHECK_EVERY answers like one that never left, but is dark.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayHealth:
    """Whether the panel is there."""

    found: bool
    """Whether it answered last time."""
    reason: str
    """Why not, one sentence; empty while it is there."""
    losses: int
    """How often it was lost after it had been found, ≥ 0."""
    since: Nanoseconds
    """When it came or went."""


class Link:
    """Drives a panel towards the frame and brightness that are wanted.

    A lost panel costs one probe at growing intervals, never a set-up, until it answers. Not for
    several threads.

    Args:
        panel: The panel.
        on_change: Told when the panel comes or goes, and once at the first step.
    """

    def __init__(self, panel: Panel, on_change: Callable[[DisplayHealth], None]) -> None:
        self._panel = panel
        self._on_change = on_change
        self._frame = Image.new("1", panel.size)
        self._level = Brightness.FULL
        self._shown: Image.Image | None = None
        self._shown_level = Brightness.FULL
        self._health: DisplayHealth | None = None
        self._wait = FIRST_WAIT
        self._due = Nanoseconds(0)
        self._set_up_at = Nanoseconds(0)
        self._used_at = Nanoseconds(0)

    @property
    def health(self) -> DisplayHealth | None:
        """The last thing reported; None before the first step."""
        return self._health

    def want(self, frame: Image.Image, level: Brightness) -> None:
        """Set what the next steps shall bring about.

        Args:
            frame: A frame of the panel's size that nobody changes any more.
            level: The brightness.
        """
        self._frame, self._level = frame, level

    def step(self, now: Nanoseconds) -> Nanoseconds:
        """Do what is due; return when to step again at the latest.

        A frame wanted in between may be stepped to at once.

        Args:
            now: The monotonic time.
        """
        try:
            if self._health is not None and self._health.found:
                self._keep(now)
            elif now >= self._due:
                self._seek(now)
        except (OSError, LumaError, DisplayError) as error:
            self.lose(_reason(error), now)
        return self._due

    def lose(self, reason: str, now: Nanoseconds) -> Nanoseconds:
        """Take the panel for lost; return when to seek it.

        Args:
            reason: Why, for people.
            now: The monotonic time.
        """
        was_found = self._health is not None and self._health.found
        news = was_found or self._health is None
        self._wait = FIRST_WAIT if news else Nanoseconds(min(2 * self._wait, LONGEST_WAIT))
        self._due = Nanoseconds(now + self._wait)
        if news:
            losses = 0 if self._health is None else self._health.losses + 1
            self._report(DisplayHealth(found=False, reason=reason, losses=losses, since=now))
        return self._due

    def _seek(self, now: Nanoseconds) -> None:
        self._panel.probe()
        self._panel.start(self._frame, self._level)
        self._shown, self._shown_level = self._frame, self._level
        self._set_up_at = now
        self._due = Nanoseconds(now + CHECK_EVERY)
        losses = 0 if self._health is None else self._health.losses
        self._report(DisplayHealth(found=True, reason="", losses=losses, since=now))

    def _keep(self, now: Nanoseconds) -> None:
        self._update(now)
        if now < self._due:
            return
        if self._is_stale(now):
            self._panel.refresh()
            self._set_up_at = now
        else:
            self._panel.probe()
        bright = self._level is Brightness.FULL
        self._due = Nanoseconds(now + (CHECK_EVERY if bright else CHECK_IDLE))

    def _is_stale(self, now: Nanoseconds) -> bool:
        """Whether to repeat the set-up; a dark panel gets it when it wakes."""
        if self._level is Brightness.OFF:
            return False
        age = now - self._set_up_at
        quiet = now - self._used_at >= CHECK_EVERY
        used = self._used_at > self._set_up_at
        return age >= REFRESH_EVERY or (used and quiet and age >= REFRESH_USED)

    def _update(self, now: Nanoseconds) -> None:
        """Bring about what is wanted, if it is something else than what is shown."""
        if self._shown is self._frame and self._shown_level is self._level:
            return
        self._used_at = now
        if self._shown is not self._frame:
            # The frame first: a panel that wakes must not flash its last picture.
            self._panel.show(self._frame)
            self._shown = self._frame
        if self._shown_level is not self._level:
            self._panel.dim(self._level)
            self._shown_level = self._level

    def _report(self, health: DisplayHealth) -> None:
        self._health = health
        self._on_change(health)


def _reason(error: Exception) -> str:
    """Return why a panel is lost, in words."""
    return str(error) if isinstance(error, NoAnswer | DisplayError) else why(error)
