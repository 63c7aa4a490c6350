"""Keeps the ledger at hand: opened again where it could not be, set aside where it is damaged."""

import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path

from hardware.clock import SECOND, Clock, Nanoseconds
from station.ledger.absent import NoLedger
from station.ledger.displaced import Identity, bring_back, file_at
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
        if self._is_displaced():
            self._bring_back()
            return True
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
        """Return whether the ledger's path leads elsewhere than to the file that is written."""
        if self._identity is None:
            return False
        try:
            return file_at(self._folder / DATABASE) != self._identity.database
        except OSError:
            return False  # it can't be told; a write will tell what is wrong

    def _bring_back(self) -> None:
        """Go on at the ledger's path, with the rows of the file that is not there any more."""
        ledger, identity = self._opened.ledger, self._identity
        if not isinstance(ledger, Ledger) or identity is None:
            return
        told = ""
        try:
            told = bring_back(ledger, identity, self._folder / DATABASE)
        except (OSError, sqlite3.Error) as error:
            _log.error("ledger.db was moved or removed, and its rows can't be kept: %s", error)
        self._tried = self._clock()
        self._reopen()
        if told and isinstance(self._opened.ledger, Ledger):
            self._opened.ledger.notices = (*self._opened.ledger.notices, told)

    def close(self) -> None:
        """Let go of the ledger."""
        self._opened.close()
