"""``dice-station ctl``: any method of a running station."""

import argparse
import json
import re
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rules.errors import RulesError
from rules.notation import data_from_text
from rules.registry import DEFAULT
from station.cli.console import complain, output, say
from station.cli.parser import UsageError
from station.cli.reach import socket_near, station_at
from station.cli.roll import MACHINES_FAULT
from station.client import ClientError, NoAnswerError, RefusedError, Station
from station.paths import state_folder
from station.protocol.seam import SIGNATURES
from station.strict_json import JsonError, check_values, loads

FAILED, BAD_INPUT = 1, 2

_PAIR = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.ASCII | re.DOTALL)


def add_parser(subparsers: Any) -> None:
    """Add the command to those of the program."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "ctl",
        description="Call a method of a running station and print its result as JSON, such as: "
        'ctl roll request="3D+2B vs 9" · ctl change act=wound character=Arya · ctl health. '
        "After ctl subscribe events=rolled, each event is printed as it comes.",
    )
    parser.add_argument("method", choices=tuple(SIGNATURES), metavar="METHOD")
    parser.add_argument(
        "params", nargs="*", metavar="PARAM", help="a JSON object, or name=value each"
    )
    line = parser.add_mutually_exclusive_group()
    line.add_argument("--socket", metavar="FILE", help="the station's socket")
    line.add_argument("--port", metavar="DEVICE", help="a serial port with a station behind it")
    line.add_argument("--state", metavar="DIR", help="the state folder of the station")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Call the method, print what it gives, and return the exit status.

    Raises:
        UsageError: the params are none.
        NoStationError: no station runs here.
    """
    params = params_of(args.params)
    if "key" in SIGNATURES[args.method].names:
        params.setdefault("key", str(uuid.uuid4()))
    try:
        with _station(args) as station:
            for told in _answers(station, args.method, params):
                say(json.dumps(told, allow_nan=False))
                output().flush()
    except RefusedError as error:
        complain(str(error))
        return FAILED if error.code in MACHINES_FAULT else BAD_INPUT
    except NoAnswerError as error:
        complain(str(error))
        return FAILED
    except ClientError as error:
        complain(str(error))
        return BAD_INPUT
    return 0


def _station(args: argparse.Namespace) -> Station:
    if args.port:
        return Station(args.port)
    if args.socket:
        return station_at(Path(args.socket))
    return station_at(socket_near(Path(args.state) if args.state else state_folder()))


def _answers(station: Station, method: str, params: dict[str, Any]) -> Iterator[Any]:
    yield station.call(method, params)
    if method == "subscribe":
        for event in station.events():
            dropped = {"dropped": event.dropped} if event.dropped else {}
            yield {"method": event.name, "params": event.params, **dropped}


def params_of(words: Sequence[str]) -> dict[str, Any]:
    """Return params that are given as one JSON object, or as ``name=value`` each.

        A value is JSON where it is some, else text; that of `request` may be notation as well, that
    XX
        Raises:
            UsageError: they are neither.
    """
    if len(words) == 1 and words[0].lstrip().startswith("{"):
        return dict(_json(words[0]))
    found: dict[str, Any] = {}
    for word in words:
        pair = _PAIR.fullmatch(word)
        if pair is None or pair["name"] in found:
            raise UsageError(f'"{word[:60]}" is no param; allowed: one JSON object, or name=value')
        found[pair["name"]] = _value(pair["name"], pair["value"])
    return found


def _json(text: str) -> Any:
    try:
        value = loads(text)
        check_values(value)
    except JsonError as error:
        raise UsageError(str(error)) from None
    return value


def _value(name: str, text: str) -> Any:
    if name == "request" and not text.lstrip().startswith("{"):
        try:
            return data_from_text(DEFAULT, text)
        except RulesError as error:
            raise UsageError(str(error)) from None
    if name == "events" and not text.startswith("["):
        return text.split(",")
    if name == "key":
        return text
    try:
        json.loads(text)
    except ValueError:
        return text
    return _json(text)
