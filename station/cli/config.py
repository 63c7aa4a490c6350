"""``dice-station config``: check a configuration, show what is in force, print an example."""

import argparse
import os
from pathlib import Path
from typing import Any

from station.cli.console import complain, say
from station.config import ConfigError, load
from station.config.example import effective, example
from station.config.roster import load_roster

FROM_MACHINE = ""
"""What --show has for a file where none is named: the machine's own."""


def add_parser(subparsers: Any) -> None:
    """Add the command to those of the program."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "config", description="Check a configuration, show what is in force, print an example."
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", metavar="FILE", help="say everything that is wrong with FILE")
    what.add_argument(
        "--check-roster", metavar="FILE", help="say everything that is wrong with a roster"
    )
    what.add_argument(
        "--show",
        metavar="FILE",
        nargs="?",
        const=FROM_MACHINE,
        help="show every value and where it comes from; without FILE, the machine's own",
    )
    what.add_argument("--example", action="store_true", help="print a commented file to begin with")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Do what the options ask for, and return the exit status: 2 where a file has faults."""
    try:
        _carry_out(args)
    except ConfigError as error:
        for sentence in error.sentences():
            complain(sentence)
        return 2
    return 0


def _carry_out(args: argparse.Namespace) -> None:
    if args.example:
        say(*example().splitlines())
    elif args.check is not None:
        config = load(Path(args.check), os.environ)
        load_roster(config.table.roster)
        say(f"{args.check}: good")
    elif args.check_roster is not None:
        roster = load_roster(Path(args.check_roster))
        say(f"{args.check_roster}: good, {len(roster.members)} characters")
    else:
        config = load(Path(args.show) if args.show else None, os.environ)
        say(*effective(config))
