"""Quadrature decoding as pure code on timestamped edges: the knob may lose a step, never reverse.

Contacts A and B close a quarter of a cycle apart; turned clockwise, A closes first (1 = closed):

    A  __|‾‾‾‾‾‾‾|_______|‾‾‾‾‾‾‾|__       quarter    0   1   2   3
    B  ______|‾‾‾‾‾‾‾|_______|‾‾‾‾‾‾       A B        00  10  11  01  and round again

       from | to    00   10   11   01
       00           .   +1    ?   −1       .  a report told twice: nothing moved
       10          −1    .   +1    ?       ?  both contacts at once: cannot be told, since each
       11           ?   −1    .   +1          report is of one contact
       01          +1    ?   −1    .

Quarters are summed from one resting place to the next; only the whole way between two is a step:

    full     4 quarters a detent, rests at 00 (at 11 if the knob is found so)
    half     2 quarters a detent, rests at 00 and 11
    quarter  rests everywhere: each transition is a step, so a contact must settle first, for the
             settle time or until the other contact moves

Two rules keep a lost report from turning a step round, for full and half step:

    void    A contact told to be where it was, after the other one moved, has been away unheard.
            The quarters counted meanwhile ran the wrong way: nothing counts until the knob has
            left a resting place.
    doubt   A contact that went back at once and stayed has chattered, and its return was lost (or
            a hand turned round faster than hands do). A step right after it is withheld until the
            knob goes on past it.

Together they hold if, of any four quarters, one at most is lost, or one report of its chatter: the
tests walk through every state that knob and decoder can then reach together.
"""

from dataclasses import dataclass
from enum import Enum

from hardware.clock import MILLISECOND, Nanoseconds

LONGEST_SETTLE = Nanoseconds(300_000)
"""A quarter-step knob at 1,000 detents/s gives an edge each millisecond; keep well below it."""

DEFAULT_SETTLE = Nanoseconds(200_000)
"""Outlasts the single pulses that a sliding contact's chatter consists of."""

CHATTER = Nanoseconds(5 * MILLISECOND)
"""Encoders chatter for up to 3 ms a contact (ALPS EC11 data sheet); no hand turns back so soon."""

STEPS_PER_DETENT = (4, 2, 1)
"""Full, half and quarter step."""

_HALF = 2

Levels = tuple[bool, bool]
"""Whether A and whether B is closed."""

_QUARTERS: tuple[Levels, ...] = ((False, False), (True, False), (True, True), (False, True))
_MOVE = {1: 1, 3: -1}


class Contact(Enum):
    """One of the knob's two contacts; the value is its index in Levels."""

    A = 0
    B = 1


@dataclass(slots=True)
class _Run:
    """The reports of one contact since the other one moved.

    `flips` counts changes that followed each other at once; an even number ends where it began.
    `doubted` says that the run before ended so.
    """

    contact: Contact | None = None
    flips: int = 1
    quick: bool = False
    doubted: bool = False

    @property
    def went_back(self) -> bool:
        return self.quick and self.flips % 2 == 0


def _with(levels: Levels, contact: Contact, *, closed: bool) -> Levels:
    return (closed, levels[1]) if contact is Contact.A else (levels[0], closed)


def _resting_places(steps: int, levels: Levels) -> tuple[Levels, ...]:
    if steps == 1:
        return _QUARTERS
    if steps == _HALF:
        return (_QUARTERS[0], _QUARTERS[2])
    return (_QUARTERS[2],) if levels == _QUARTERS[2] else (_QUARTERS[0],)


class Quadrature:
    """Decodes one knob.

    Args:
        steps_per_detent: 4 (full step), 2 (half step) or 1 (quarter step).
        reverse: whether clockwise is the other way round.
        settle: for quarter-step knobs, how long a contact must stand, (0, 0.3] ms, in ns.
        levels: whether A and B are closed at start.

    Raises:
        ValueError: `steps_per_detent` or `settle` is out of range.
    """

    def __init__(
        self,
        steps_per_detent: int = 4,
        *,
        reverse: bool = False,
        settle: Nanoseconds = DEFAULT_SETTLE,
        levels: Levels = (False, False),
    ) -> None:
        if steps_per_detent not in STEPS_PER_DETENT:
            raise ValueError(f"steps_per_detent (={steps_per_detent}) must be 4, 2 or 1")
        if not 0 < settle <= LONGEST_SETTLE:
            raise ValueError(f"settle (={settle} ns) must be in (0, 0.3] ms")
        self._steps = steps_per_detent
        self._sign = -1 if reverse else 1
        self._settle = settle
        self._rests = _resting_places(steps_per_detent, levels)
        self._levels = levels
        self._count = 0
        self._sure = levels in self._rests
        self._run = _Run()
        self._moved_at = Nanoseconds(0)
        self._withheld = 0
        self._settling: tuple[Contact, bool, Nanoseconds] | None = None

    def feed(self, contact: Contact, *, closed: bool, at: Nanoseconds) -> int:
        """Take a report of one contact; return the step it completes: −1, 0 or 1."""
        if self._steps == 1:
            return self._sign * self._feed_settling(contact, closed=closed, at=at)
        return self._sign * self._feed_counting(contact, closed=closed, at=at)

    def advance(self, now: Nanoseconds) -> int:
        """Return the step of a contact that has settled by `now`: −1, 0 or 1."""
        deadline = self.deadline()
        if deadline is None or now < deadline:
            return 0
        return self._sign * self._commit()

    def deadline(self) -> Nanoseconds | None:
        """Return when a contact will have settled, None when `advance` has nothing to do."""
        return None if self._settling is None else Nanoseconds(self._settling[2] + self._settle)

    def _feed_counting(self, contact: Contact, *, closed: bool, at: Nanoseconds) -> int:
        other = self._run.contact is not contact
        if self._levels[contact.value] == closed:
            if other:
                self._void(contact, at)
            return 0
        told = self._begin_run(contact) if other else self._go_on(at)
        self._moved_at = at
        self._count += self._move(contact, closed=closed)
        return told + self._arrive() if self._levels in self._rests else told

    def _void(self, contact: Contact, at: Nanoseconds) -> None:
        self._count, self._sure, self._withheld = 0, False, 0
        self._run = _Run(contact, doubted=True)
        self._moved_at = at

    def _begin_run(self, contact: Contact) -> int:
        """The other contact moves: what stood until now is believed, or doubted."""
        told = self._withheld if self._run.flips == 1 else 0
        self._withheld = 0
        self._sure = self._sure or self._levels in self._rests
        self._run = _Run(contact, doubted=self._run.went_back)
        return told

    def _go_on(self, at: Nanoseconds) -> int:
        """The same contact moves again: chatter if at once, else the hand turned back."""
        self._withheld = 0
        self._run.quick = at - self._moved_at < CHATTER
        self._run.flips = self._run.flips + 1 if self._run.quick else 1
        return 0

    def _move(self, contact: Contact, *, closed: bool) -> int:
        before = _QUARTERS.index(self._levels)
        self._levels = _with(self._levels, contact, closed=closed)
        return _MOVE[(_QUARTERS.index(self._levels) - before) % 4]

    def _arrive(self) -> int:
        whole = self._sure and abs(self._count) == self._steps
        step = (1 if self._count > 0 else -1) if whole else 0
        self._count = 0
        if self._run.doubted:
            self._withheld, step = step, 0
        return step

    def _feed_settling(self, contact: Contact, *, closed: bool, at: Nanoseconds) -> int:
        step = 0
        if self._settling is not None:
            mover, _, since = self._settling
            if mover is not contact or at >= since + self._settle:
                step = self._commit()
        if self._levels[contact.value] == closed:
            self._settling = None
        elif self._settling is None:
            self._settling = (contact, closed, at)
        return step

    def _commit(self) -> int:
        if self._settling is None:
            return 0
        contact, closed, _ = self._settling
        self._settling = None
        return self._move(contact, closed=closed)
