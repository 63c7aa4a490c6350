"""Keeps the ledger at hand: opened again where it could not be, set aside where it is damaged."""

import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path

from hardware.clock import SECOND, Clock, Nanoseconds
from station.ledger.absent import NoLedger
from station.ledger.displaced import Identity, adopt, bring_back
from station.ledger.errors import Cause, InUseError, fault
from station.ledger.faults import DATABASE, AnyLedger, Opened, open_ledger, reopen_damaged
from station.ledger.store import Condition, Ledger
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
        self._weigh: Callable[[Path], str] = lambda _: ""
        self._identity = self._identified()
        self._displaced_until = Nanoseconds(0)

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
        if self._is_displaced() and now >= self._displaced_until:
            return self._bring_back()
        if now < self._tried + RETRY:
            return False
        ledger = self._opened.ledger
        if isinstance(ledger, NoLedger):
            self._tried = now
            self._reopen()
            return True
        if ledger.fault is not None and ledger.fault.cause in DAMAGE:
            self._tried = now
            _log.info("what is wrong with the ledger: %s", ledger.fault.detail)
            self._opened = reopen_damaged(
                self._opened, self._folder, moment(self._clock), self._version
            )
            self._look()
            return True
        return False

    def _reopen(self) -> None:
        # Closed first: the lock is this process's own, and would keep itself out.
        self._opened.close()
        try:
            self._opened = open_ledger(self._folder, moment(self._clock), self._version)
        except InUseError as error:
            self._opened = Opened(NoLedger(fault(Cause.LOCKED, error)), None)
        self._look()

    def weigh(self, disk: Callable[[Path], str]) -> None:
        """Have the ledger say what is wrong with its disk, from now on.

        Args:
            disk: tells that of a state folder, in one sentence; nothing where all is well.
        """
        self._weigh = disk
        self._look()

    def _look(self) -> None:
        """Look at the disk and the file of a ledger that was just opened."""
        self._identity = self._identified()
        self._displaced_until = Nanoseconds(0)
        if isinstance(self._opened.ledger, Ledger):
            self._opened.ledger.shortcoming = self._weigh(self._folder)

    def _identified(self) -> Identity | None:
        if isinstance(self._opened.ledger, NoLedger):
            return None
        try:
            return Identity.of(self._folder / DATABASE)
        except OSError:
            return None

    def _is_displaced(self) -> bool:
        """Return whether the ledger's path leads elsewhere than to the files that are written."""
        if self._identity is None:
            return False
        try:
            return Identity.of(self._folder / DATABASE).differs(self._identity)
        except OSError:
            return True  # whoever opens it by its path, as the next start does, can't either

    def _bring_back(self) -> bool:
        """Go on at the ledger's path, with all rows; return whether that could be done."""
        ledger, identity = self._opened.ledger, self._identity
        if not isinstance(ledger, Ledger) or identity is None:
            return False
        try:
            told = bring_back(ledger, identity, self._folder / DATABASE)
        except (OSError, sqlite3.Error) as error:
            # It goes on in the file that it has, which nobody finds by its name.
            ledger.shortcoming = f"ledger.db was moved or removed, and can't be put back: {error}"
            self._displaced_until = Nanoseconds(self._clock() + RETRY)
            return False
        _log.warning("%s", told)
        self._tried = self._clock()
        self._reopen()
        if isinstance(self._opened.ledger, Ledger):
            self._opened.ledger.notices = (*self._opened.ledger.notices, told)
        return True

    def close(self) -> None:
        """Let go of the ledger; one whose file was moved or removed is put back before."""
        ledger, identity = self._opened.ledger, self._identity
        if isinstance(ledger, Ledger) and identity is not None and self._is_displaced():
            try:
                _log.warning("%s", bring_back(ledger, identity, self._folder / DATABASE))
                adopt(self._folder / DATABASE)
            except (OSError, sqlite3.Error) as error:
                _log.error("ledger.db was moved or removed, and can't be put back: %s", error)
        self._opened.close()
