"""Keeps the ledger at hand: opened again where it could not be, set aside where it is damaged."""

import logging
from pathlib import Path

from hardware.clock import SECOND, Clock, Nanoseconds
from station.ledger.absent import NoLedger
from station.ledger.errors import Cause, InUseError, fault
from station.ledger.faults import AnyLedger, Opened, open_ledger, reopen_damaged
from station.ledger.store import Condition
from station.moments import moment

RETRY = Nanoseconds(10 * SECOND)
"""From one attempt to open a missing ledger to the next."""

DAMAGE = (Cause.DAMAGED, Cause.NO_DATABASE)
"""Faults of a file that another write will not mend."""

_log = logging.getLogger(__name__)


class Keeper:
    """Holds the ledger of a state folder, whatever becomes of it.

    Args:
        folder: the state folder.
        clock: the monotonic clock.
        version: the station's, for rows that begin a run.

    Raises:
        InUseError: another process keeps this ledger.
    """

    def __init__(self, folder: Path, clock: Clock, version: str) -> None:
        self._folder = folder
        self._clock = clock
        self._version = version
        self._opened: Opened = open_ledger(folder, moment(clock), version)
        self._tried = clock()

    @property
    def ledger(self) -> AnyLedger:
        """The ledger, or what stands in for it."""
        return self._opened.ledger

    @property
    def condition(self) -> Condition:
        """How the ledger fares."""
        return self._opened.ledger.condition

    def mend(self) -> bool:
        """Do what can be done about a ledger that is lost; return whether it is another one now."""
        now = self._clock()
        if now < self._tried + RETRY:
            return False
        ledger = self._opened.ledger
        if isinstance(ledger, NoLedger):
            self._tried = now
            self._reopen()
            return True
        if ledger.fault is not None and ledger.fault.cause in DAMAGE:
            self._tried = now
            _log.error("the ledger is set aside: %s", ledger.fault.detail)
            self._opened = reopen_damaged(
                self._opened, self._folder, moment(self._clock), self._version
            )
            return True
        return False

    def _reopen(self) -> None:
        # Closed first: the lock is this process's own, and would keep itself out.
        self._opened.close()
        try:
            self._opened = open_ledger(self._folder, moment(self._clock), self._version)
        except InUseError as error:
            self._opened = Opened(NoLedger(fault(Cause.LOCKED, error)), None)
        if not isinstance(self._opened.ledger, NoLedger):
            _log.info("the ledger is there again")

    def close(self) -> None:
        """Let go of the ledger."""
        self._opened.close()
