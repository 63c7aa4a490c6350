"""The station as a service: from its configuration to its last breath."""

import faulthandler
import logging
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue
from types import FrameType

from station import durable
from station.config import Config
from station.foundation import foundation
from station.inbox import Item, Stop
from station.ledger.errors import InUseError
from station.notify import Notifier
from station.paths import SOCKET

CRASH = "crash.txt"
"""The last crash, in the state folder: the journal of a Pi is gone after a power cut."""

ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals that end the station in good order."""


def serve(config: Config) -> None:
    """Run the station until it is told to end.

    Raises:
        InUseError: another process keeps its ledger.
    """
    # A watchdog's SIGABRT then says where every thread hung.
    with suppress(ValueError, OSError, RuntimeError):  # where there is no standard error
        faulthandler.enable()
    notifier = Notifier.of(os.environ)
    inbox: SimpleQueue[Item] = SimpleQueue()
    with _ended_by_signals(inbox) as is_ending:
        try:
            with (
                foundation(config, inbox) as base,
                # Where it has no socket of its own, the link would lead to another station's.
                _signposted(config.state_folder, config.service.socket if base.listener else None),
            ):
                notifier.ready()
                # Only now, as what rolls and draws takes longer to load than all this to open.
                from station.appliance import appliance  # noqa: PLC0415

                notifier.ping()
                if is_ending():
                    return
                with appliance(base, notifier, is_ending) as station:
                    station.runner.run()
                    notifier.stopping()
        except InUseError:
            raise  # said in a sentence; the folder, with its crash.txt, is another's
        except Exception:
            _keep_crash(config.state_folder)
            raise


@contextmanager
def _ended_by_signals(inbox: "SimpleQueue[Item]") -> Iterator[Callable[[], bool]]:
    """Have signals end the runner, and yield what tells whether one has come.

    The queue's `put` may be called from a handler.
    """
    came: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        came.append(number)
        inbox.put(Stop())

    before = {number: signal.signal(number, end) for number in ENDS}
    try:
        yield lambda: bool(came)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _signposted(folder: Path, socket: Path | None) -> Iterator[None]:
    """Have a link in the state folder lead to the socket, unless it lies there itself."""
    sign = folder / SOCKET
    if socket is None or socket == sign:
        yield
        return
    with suppress(OSError):
        sign.unlink(missing_ok=True)
        sign.symlink_to(socket)
    yield
    with suppress(OSError):
        sign.unlink(missing_ok=True)


def _keep_crash(folder: Path) -> None:
    when = datetime.now(UTC).isoformat(timespec="seconds")
    with suppress(OSError):
        durable.write(folder / CRASH, (f"{when}\n", traceback.format_exc()))


def set_up_log() -> None:
    """Log to standard error, from where systemd takes it; its own time stamps are better."""
    form = "%(levelname)s %(name)s: %(message)s"
    logging.basicConfig(level=logging.INFO, format=form, stream=sys.stderr)
