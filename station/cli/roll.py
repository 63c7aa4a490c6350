"""``dice-station roll``: roll the dice and read the verdict."""

import argparse
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from hardware.entropy.dice import Dice, Draw
from hardware.entropy.factory import EntropySettings, dice
from rules.engine import resolve
from rules.model import Answer, AskDice, Request, Rolled, RuleSystem, outcome_plain
from rules.registry import DEFAULT, request_plain
from station.cli.asked import EXAMPLES, request_of
from station.cli.console import say, width
from station.cli.parser import add_words
from station.cli.verdict import verdict

NO_CLOCK = datetime(2025, 1, 1, tzinfo=UTC)
"""Before this program existed: a clock that says so was never set."""


def add_parser(subparsers: Any) -> None:
    """Add the command to those of the program."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "roll", description="Roll the dice and read the verdict."
    )
    add_words(parser, f"what to roll, such as {EXAMPLES}")
    parser.add_argument("--json", action="store_true", help="print the reply as one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Roll what the words ask for, print how it came out, and return the exit status.

    Raises:
        RulesError: the words make no request.
        HardwareError: no source of entropy may be used; nothing was rolled.
    """
    request = request_of(args.words)
    system = DEFAULT.of(request)
    with dice(EntropySettings()) as station_dice:
        draws = rolled(system, request, station_dice)
    if args.json:
        say(json.dumps(reply(system, request, draws, datetime.now(UTC)), allow_nan=False))
    else:
        say(*verdict(system, request, resolve(system, request, _faces(draws)), width()))
    return 0


def rolled(system: RuleSystem, request: Request, station_dice: Dice) -> tuple[Draw, ...]:
    """Return the draws that a request asks for, until nothing is left to roll.

    Raises:
        HardwareError: no source of entropy may be used; what was drawn counts for nothing.
    """
    draws: tuple[Draw, ...] = ()
    while isinstance(step := system.advance(request, _answers(draws)), AskDice):
        draws = (*draws, station_dice.draw(step.count))
    return draws


def reply(
    system: RuleSystem, request: Request, draws: Sequence[Draw], now: datetime
) -> dict[str, Any]:
    """Return the protocol's reply to a roll that no ledger keeps; `now` is the wall clock."""
    faces = _faces(draws)
    return {
        "seq": None,
        "time": None if now < NO_CLOCK else _written(now),
        "request": request_plain(request),
        "faces": list(faces),
        "outcome": outcome_plain(resolve(system, request, faces)),
        "source": " then ".join(dict.fromkeys(draw.source for draw in draws)) or None,
        "hash": None,
        "recorded": False,
        "keyed": False,
        "replayed": False,
    }


def _answers(draws: Sequence[Draw]) -> tuple[Answer, ...]:
    return tuple(Rolled(draw.faces) for draw in draws)


def _faces(draws: Sequence[Draw]) -> tuple[int, ...]:
    return tuple(face for draw in draws for face in draw.faces)


def _written(now: datetime) -> str:
    return now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
