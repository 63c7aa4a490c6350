"""The command line: ``dice-station COMMAND …``.

Exit status: 0 done, 1 the machine could not, 2 what was asked can't be, 130 interrupted.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

from hardware.errors import HardwareError
from rules.errors import RulesError
from station import __version__
from station.cli.console import complain, hush, output
from station.cli.parser import Parser, arguments
from station.errors import StationError

FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130
"""128 and the number of SIGINT, as a shell says it."""
NOBODY_READS = 141
"""128 and the number of SIGPIPE."""


class Command(NamedTuple):
    """A command, and the module that is imported only once it is asked for.

    The module's `add_parser` adds it (and its siblings, where it has several) to the subparsers
    and sets `run`, which takes the parsed arguments and returns the exit status. (A tuple, since
    importing `dataclasses` would be a third of the time that the help takes.)
    """

    name: str
    module: str
    summary: str


COMMANDS: tuple[Command, ...] = (
    Command("roll", "station.cli.roll", "roll the dice and read the verdict"),
    Command("odds", "station.cli.odds", "show exact chances and the distribution"),
    Command("resolve", "station.cli.resolve", "say how given faces come out"),
    Command("history", "station.ledger.commands", "list the last rolls"),
    Command("show", "station.ledger.commands", "tell all about one roll"),
    Command("verify", "station.ledger.commands", "check the ledger's chain and every outcome"),
    Command("fairness", "station.ledger.commands", "count the faces, and say how fair they look"),
    Command("export", "station.ledger.commands", "write the rolls as CSV or JSON Lines"),
    Command("report", "station.ledger.commands", "draw the ledger's figures as one HTML page"),
    Command("simulate", "station.cli.simulate", "run the whole station on this machine"),
    Command("screens", "station.cli.screens", "write every screen as a picture"),
    Command("run", "station.cli.daemon", "run the station as a service"),
    Command("ctl", "station.cli.ctl", "call any method of a running station"),
    Command("config", "station.cli.config", "check a configuration, or show what is in force"),
    Command("doctor", "station.cli.doctor", "say what this machine lacks, and how to mend it"),
)
"""All commands, in the order of the help."""


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out a command line (by default the program's own) and return the exit status.

    Whatever goes wrong with what was asked or with the machine is said in one sentence on
    standard error.
    """
    try:
        status = _carried_out(sys.argv[1:] if argv is None else argv)
        output().flush()
    except (RulesError, StationError) as error:
        complain(str(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        hush()
        return INTERRUPTED
    except BrokenPipeError:
        hush()
        return NOBODY_READS
    except OSError as error:
        hush()
        where = "" if error.filename is None else f"{error.filename}: "
        complain(f"{where}{error.strerror or error}")
        return FAILED
    except HardwareError as error:
        complain(str(error))
        return FAILED
    return status


def _carried_out(words: Sequence[str]) -> int:
    try:
        args = arguments(_parser(words), words)
    except SystemExit as done:
        # How argparse ends once it has printed the help or the version.
        return int(done.code or 0)
    status: int = args.run(args)
    return status


def _parser(words: Sequence[str]) -> Parser:
    parser = Parser(
        prog="dice-station",
        description="Electronic dice: roll, resolve and know the odds of three systems.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    wanted = next((word for word in words if not word.startswith("-")), None)
    module = next((each.module for each in COMMANDS if each.name == wanted), None)
    if module is not None:
        import_module(module).add_parser(subparsers)
    if module is None or words[0] != wanted:
        # Only the program's own help and errors tell of all.
        for command in COMMANDS:
            if command.module != module:
                subparsers.add_parser(command.name, help=command.summary)
    return parser
