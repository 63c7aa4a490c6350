"""Quadrature decoding as pure code on timestamped edges: the knob may lose a step, never reverse.

Contacts A and B close a quarter of a cycle apart; turned clockwise, A closes first (1 = closed):

    A  __|‾‾‾‾‾‾‾|_______|‾‾‾‾‾‾‾|__       quarter    0   1   2   3
    B  ______|‾‾‾‾‾‾‾|_______|‾‾‾‾‾‾       A B        00  10  11  01  and round again

    from | to    00   10   11   01
       00        .   +1    ?   −1          . the same edge told twice
       10       −1    .   +1    ?          ? an edge was lost in between
       11        ?   −1    .   +1
       01       +1    ?   −1    .

Quarters are summed from one resting place to the next; only a whole way between two gives a step:

    full   4 quarters a detent, rests at 00 (or at 11, whichever the knob shows at start)
    half   2 quarters a detent, rests at 00 and 11
    quarter 1, rests everywhere: each legal transition is a step, so each contact must settle first

An edge told on its own line only ("B closed") cannot show a `?`; what shows is that a line which
was closed closes again after the other one has moved. Then quarters counted meanwhile went the
wrong way round, so the count is void until the next resting place.
"""

from enum import Enum

from hardware.clock import Nanoseconds

LONGEST_SETTLE = Nanoseconds(300_000)
"""A quarter-step knob at 1,000 detents/s gives an edge each millisecond; keep well below it."""

DEFAULT_SETTLE = Nanoseconds(200_000)
"""Long enough for the chatter of a detented encoder's sliding contact, in ns."""

STEPS_PER_DETENT = (4, 2, 1)
"""Full, half and quarter step."""


class Contact(Enum):
    """One of the knob's two contacts; the value is its index in a pair of levels."""

    A = 0
    B = 1


_QUARTERS = ((False, False), (True, False), (True, True), (False, True))
_QUARTER_OF = {levels: quarter for quarter, levels in enumerate(_QUARTERS)}
_MOVE = {1: 1, 3: -1}


def _with(levels: tuple[bool, bool], contact: Contact, *, closed: bool) -> tuple[bool, bool]:
    return (closed, levels[1]) if contact is Contact.A else (levels[0], closed)


def _move(old: tuple[bool, bool], new: tuple[bool, bool]) -> int:
    return _MOVE[(_QUARTER_OF[new] - _QUARTER_OF[old]) % 4]


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
        levels: tuple[bool, bool] = (False, False),
    ) -> None:
        if steps_per_detent not in STEPS_PER_DETENT:
            raise ValueError(f"steps_per_detent (={steps_per_detent}) must be 4, 2 or 1")
        if not 0 < settle <= LONGEST_SETTLE:
            raise ValueError(f"settle (={settle} ns) must be in (0, 0.3] ms")
        self._steps = steps_per_detent
        self._sign = -1 if reverse else 1
        self._settle = settle
        self._rests = self._resting_places(steps_per_detent, levels)
        self._levels = levels
        self._last: Contact | None = None
        self._count = 0
        self._sure = levels in self._rests
        self._pending: tuple[Contact, bool, Nanoseconds] | None = None

    @staticmethod
    def _resting_places(steps: int, levels: tuple[bool, bool]) -> tuple[tuple[bool, bool], ...]:
        if steps == 1:
            return _QUARTERS
        if steps == 2:  # noqa: PLR2004 (half step, as the table above names it)
            return (_QUARTERS[0], _QUARTERS[2])
        return (_QUARTERS[2],) if levels == _QUARTERS[2] else (_QUARTERS[0],)

    def feed(self, contact: Contact, *, closed: bool, at: Nanoseconds) -> int:
        """Take an edge; return the steps it completes: −1, 0 or 1 (2 or −2 never at once)."""
        if self._steps == 1:
            return self._sign * self._feed_quarter(contact, closed=closed, at=at)
        return self._sign * self._transition(contact, closed=closed)

    def advance(self, now: Nanoseconds) -> int:
        """Return the step of a contact that has settled by `now`, else 0."""
        deadline = self.deadline()
        if deadline is None or now < deadline:
            return 0
        return self._sign * self._commit()

    def deadline(self) -> Nanoseconds | None:
        """Return when a moving contact will have settled, None when all is still."""
        return None if self._pending is None else Nanoseconds(self._pending[2] + self._settle)

    def _feed_quarter(self, contact: Contact, *, closed: bool, at: Nanoseconds) -> int:
        step = 0
        if self._pending is not None and (
            self._pending[0] is not contact or at >= self._pending[2] + self._settle
        ):
            step = self._commit()
        if self._levels[contact.value] == closed:
            self._pending = None
        elif self._pending is None:
            self._pending = (contact, closed, at)
        return step

    def _commit(self) -> int:
        if self._pending is None:
            return 0
        contact, closed, _ = self._pending
        self._pending = None
        return self._transition(contact, closed=closed)

    def _transition(self, contact: Contact, *, closed: bool) -> int:
        repeated = self._levels[contact.value] == closed
        if repeated and self._last is not contact:
            self._count, self._sure = 0, False
        self._last = contact
        if repeated:
            return 0
        levels = _with(self._levels, contact, closed=closed)
        self._count += _move(self._levels, levels)
        self._levels = levels
        return self._arrive() if levels in self._rests else 0

    def _arrive(self) -> int:
        whole = self._sure and abs(self._count) == self._steps
        step = (1 if self._count > 0 else -1) if whole else 0
        self._count, self._sure = 0, True
        return step
