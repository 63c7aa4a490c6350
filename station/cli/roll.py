"""``dice-station roll``: roll the dice and read the verdict.

The station that keeps the state folder rolls, where one runs; else this program keeps the ledger
for as long as the roll takes. Where it can't, it rolls all the same and says that it is not
recorded.
"""

import argparse
import json
import uuid
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

from hardware.clock import monotonic
from hardware.entropy.factory import dice
from hardware.entropy.settings import EntropySettings
from rules.engine import resolve
from rules.registry import DEFAULT, request_plain
from station import __version__
from station.announce import Announcer
from station.book import Book
from station.cli.asked import EXAMPLES, request_of
from station.cli.console import complain, say, width
from station.cli.parser import add_words
from station.cli.verdict import verdict
from station.ledger.absent import NoLedger
from station.ledger.errors import Cause, Fault, InUseError
from station.ledger.faults import AnyLedger, open_ledger
from station.methods.means import Means
from station.methods.table import StationMethods
from station.moments import moment
from station.paths import SOCKET, state_folder
from station.protocol.errors import Code, MethodError
from station.protocol.seam import Call, Caller, perform
from station.vitals import Vitals

FAILED, BAD_INPUT = 1, 2

Told: TypeAlias = dict[str, Any] | MethodError
"""A reply, or why nothing was rolled."""

MACHINES_FAULT = (Code.INTERNAL_ERROR, Code.LEDGER_UNAVAILABLE, Code.ENTROPY_UNAVAILABLE)
"""Refusals that asking for something else would not have avoided."""

UNWANTED = Fault(Cause.NO_FOLDER, "the roll is not recorded, as you asked")


def add_parser(subparsers: Any) -> None:
    """Add the command to those of the program."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "roll", description="Roll the dice and read the verdict."
    )
    add_words(parser, f"what to roll, such as {EXAMPLES}")
    parser.add_argument("--json", action="store_true", help="print the reply as one JSON object")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--state", metavar="DIR", help="the folder that keeps the ledger")
    where.add_argument("--unrecorded", action="store_true", help="keep it out of any ledger")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Roll what the words ask for, print how it came out, and return the exit status.

    Raises:
        RulesError: the words make no request.
        StationError: the station that runs here refused, or gave no answer.
        HardwareError: no source of entropy may be used; nothing was rolled.
    """
    request = request_of(args.words)
    asked = request_plain(request)
    folder = None if args.unrecorded else Path(args.state) if args.state else state_folder()
    told = _by_station(asked, folder) or _here(asked, folder)
    if isinstance(told, MethodError):
        complain(str(told))
        return FAILED if told.code in MACHINES_FAULT else BAD_INPUT
    if args.json:
        say(json.dumps(told, allow_nan=False))
        return 0
    request = DEFAULT.request(told["request"])
    system = DEFAULT.of(request)
    say(*verdict(system, request, resolve(system, request, told["faces"]), width()))
    say(f"  #{told['seq']}" if told["recorded"] else "  not recorded")
    return 0


def _by_station(asked: dict[str, Any], folder: Path | None) -> Told | None:
    """Return the reply of the station that keeps a folder; None where none runs."""
    # Most rolls from a shell meet no station, and need not load what talks to one.
    if folder is None or not _is_there(folder / SOCKET):
        return None
    from station.cli.reach import socket_in, station_at  # noqa: PLC0415
    from station.client import NoAnswerError, RefusedError  # noqa: PLC0415

    path = socket_in(folder)
    if path is None:
        return None
    try:
        with station_at(path) as station:
            told: Told = station.call("roll", {"request": asked, "key": str(uuid.uuid4())})
            return told
    except RefusedError as error:
        return MethodError(error.code, str(error), error.data)
    except NoAnswerError as error:
        return MethodError(Code.INTERNAL_ERROR, str(error))


def _is_there(path: Path) -> bool:
    """Return whether there is such a file, as far as this user may know."""
    try:
        return path.exists()
    except PermissionError:
        return False


def _here(asked: dict[str, Any], folder: Path | None) -> Told:
    """Return the reply of this program's own station, or why nothing was rolled."""
    with ExitStack() as stack:
        source = stack.enter_context(dice(EntropySettings()))
        ledger = _ledger(folder, stack)
        book = Book(DEFAULT, ledger, monotonic, source.health().mode)
        means = Means(
            book=book,
            dice=source,
            announcer=Announcer(book),
            vitals=Vitals({}, monotonic),
            name="dice-station",
            version=__version__,
        )
        call = Call("roll", {"request": asked}, Caller("command line"))
        told: Told = perform(StationMethods(means), call)
        return told


def _ledger(folder: Path | None, stack: ExitStack) -> AnyLedger:
    if folder is None:
        return NoLedger(UNWANTED)
    try:
        opened = open_ledger(folder, moment(monotonic), __version__)
    except InUseError as error:
        complain(f"{error}; the roll is not recorded")
        return NoLedger(Fault(Cause.LOCKED, str(error)))
    stack.callback(opened.close)
    if isinstance(opened.ledger, NoLedger):
        complain(opened.ledger.fault.message)
    return opened.ledger
