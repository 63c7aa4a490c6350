"""``dice-station resolve``: the outcome of faces that fell on the table."""

import argparse
import json
from typing import Any

from rules.engine import resolve
from rules.errors import RulesError
from rules.model import Outcome, Request, outcome_plain
from rules.registry import DEFAULT, request_plain
from station.cli import lines
from station.cli.asked import EXAMPLES, request_and_faces
from station.cli.console import say, width
from station.cli.parser import UsageError, add_words, refuse_words
from station.cli.verdict import verdict
from station.strict_json import loads

LINE = lines.Form(("request", "faces"), ("choices",), answered=("outcome",))
"""A line of ``--jsonl``."""


def add_parser(subparsers: Any) -> None:
    """Add the command to those of the program."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "resolve",
        description="Say how a roll comes out whose faces are given; nothing is rolled or recorded."
        ' For instance: resolve "3D+2B vs 9" 2 5 1 6 3',
    )
    add_words(
        parser,
        f"what was rolled, such as {EXAMPLES}, then the faces or faces=2,5,1,6,3, then decisions "
        "such as shifts=damage:1 or struck=0,3",
    )
    parser.add_argument(
        "--choices",
        metavar="JSON",
        help='the decisions as JSON: {"shifts":{"damage":1}} or {"struck":[0,3]}',
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument(
        "--jsonl",
        action="store_true",
        help='read {"request":...,"faces":...} from each line of standard input and print '
        '{"request":...,"faces":...,"outcome":...} for each',
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the outcome asked for and return the exit status.

    Raises:
        RulesError: the words make no request, or the faces or choices do not fit it.
        UsageError: words or choices beside ``--jsonl``.
    """
    if args.jsonl:
        refuse_words(args)
        if args.choices is not None:
            raise UsageError("--choices belongs into the lines themselves with --jsonl")
        return lines.run(_answer, LINE)
    request, faces, choices = request_and_faces(args.words)
    if args.choices is not None:
        if choices:
            raise UsageError("the choices are given twice, in words and with --choices")
        outcome = _outcome(request, faces, _choices(args.choices))
    else:
        outcome = _outcome(request, faces, choices or None)
    if args.json:
        plain = {
            "request": request_plain(request),
            "faces": list(faces),
            "outcome": outcome_plain(outcome),
        }
        say(json.dumps(plain, allow_nan=False))
    else:
        say(*verdict(DEFAULT.of(request), request, outcome, width()))
    return 0


def _choices(text: str) -> object:
    try:
        return loads(text)
    except RulesError as error:
        raise error.under("choices") from None


def _outcome(request: Request, faces: Any, choices: Any) -> Outcome:
    if choices is not None and not isinstance(choices, dict):
        raise RulesError("choices", choices, "an object of decisions")
    return resolve(DEFAULT.of(request), request, faces, choices)


def _answer(members: dict[str, Any]) -> dict[str, Any]:
    request = lines.request_in(members)
    outcome = _outcome(request, members["faces"], members.get("choices"))
    return {
        "request": members["request"],
        "faces": members["faces"],
        "outcome": outcome_plain(outcome),
    }
