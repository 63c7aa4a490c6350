"""``dice-station run``: the station as a service."""

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from hardware.controls.factories import BACKENDS
from hardware.display.interface import Backend
from station.cli.console import complain
from station.config import BAD_CONFIGURATION, Config, ConfigError, load
from station.config.faults import wrong
from station.ledger.errors import InUseError
from station.paths import SOCKET
from station.ports import LONGEST_SOCKET, PortConfig, ServiceConfig

FAILED = 1


def add_parser(subparsers: Any) -> None:
    """Add the command to those of the program."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "run",
        description="Run the station as a service, until SIGTERM or Ctrl-C. What is given here "
        "goes before the configuration; --pins mock --display memory needs no hardware.",
    )
    parser.add_argument("--config", metavar="FILE", help="the configuration")
    parser.add_argument("--state", metavar="DIR", help="keep the ledger in DIR")
    parser.add_argument("--socket", metavar="FILE", help="the Unix socket for other programs")
    parser.add_argument(
        "--serial", metavar="DEVICE", action="append", help="a serial port; may be repeated"
    )
    parser.add_argument("--pins", choices=BACKENDS, help="the back end of the pins")
    parser.add_argument("--display", choices=list(Backend), help="where frames go")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the station and return the exit status: 78 where its configuration has faults."""
    try:
        config = configured(args)
    except ConfigError as error:
        for sentence in error.sentences():
            complain(sentence)
        return BAD_CONFIGURATION
    # Only now, so that a fault of the configuration is told without loading any driver.
    from station.daemon import serve, set_up_log  # noqa: PLC0415

    set_up_log()
    try:
        serve(config)
    except InUseError as error:
        complain(str(error))
        return FAILED
    except ConfigError as error:
        for sentence in error.sentences():
            complain(sentence)
        return BAD_CONFIGURATION
    return 0


def configured(args: argparse.Namespace) -> Config:
    """Return the configuration, with what the command line says in its place.

    Raises:
        ConfigError: the file cannot be read or something in it is wrong.
    """
    path = Path(args.config) if args.config else None
    config = load(path, os.environ, all_options=False)
    if args.state:
        config = replace(config, state_folder=Path(args.state).absolute())
    if args.pins:
        config = replace(config, controls=replace(config.controls, backend=args.pins))
    if args.display:
        display = replace(config.display, backend=Backend(args.display))
        config = replace(config, display=display)
    service = _lines(args, config)
    if service.socket is not None and len(os.fsencode(service.socket)) > LONGEST_SOCKET:
        allowed = f"an absolute path of at most {LONGEST_SOCKET} bytes"
        where = Path("--socket") if args.socket else config.path or Path()
        raise ConfigError(where, [wrong("station.socket", str(service.socket), allowed)])
    return replace(config, service=service)


def _lines(args: argparse.Namespace, config: Config) -> ServiceConfig:
    lines = config.service
    if args.socket:
        lines = replace(lines, socket=Path(args.socket).absolute())
    elif lines.socket is None:
        lines = replace(lines, socket=config.state_folder / SOCKET)
    if args.serial:
        ports = tuple(PortConfig(device) for device in dict.fromkeys(args.serial))
        lines = replace(lines, ports=ports)
    return lines
