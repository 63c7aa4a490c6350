"""``dice-station odds``: the exact chances of a request, with its distribution as bars."""

import argparse
import json
from typing import Any

from rules.model import Request, RuleSystem, odds_plain
from rules.registry import DEFAULT
from station.cli import chart, lines
from station.cli.asked import EXAMPLES, request_of
from station.cli.console import can, encoding_of, output, say, width
from station.cli.parser import add_words, refuse_words
from station.cli.verdict import asked

LINE = lines.Form(("request",), answered=("odds", "faces"))
"""A line of ``--jsonl``; faces do not change what the odds were."""


def add_parser(subparsers: Any) -> None:
    """Add the command to those of the program."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "odds", description="Show the exact chances of a request and its whole distribution."
    )
    add_words(parser, f"what might be rolled, such as {EXAMPLES}")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the odds as one JSON object")
    form.add_argument(
        "--jsonl",
        action="store_true",
        help='read {"request":...} from each line of standard input and print '
        '{"request":...,"odds":...} for each',
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the odds asked for and return the exit status.

    Raises:
        RulesError: the words make no request.
        UsageError: words beside ``--jsonl``.
    """
    if args.jsonl:
        refuse_words(args)
        return lines.run(_answer, LINE)
    request = request_of(args.words)
    system = DEFAULT.of(request)
    if args.json:
        say(json.dumps(odds_plain(system.odds(request)), allow_nan=False))
    else:
        blocks = can("█", encoding_of(output()))
        say(*shown(system, request, columns=width(), blocks=blocks))
    return 0


def shown(system: RuleSystem, request: Request, *, columns: int, blocks: bool) -> list[str]:
    """Return the odds for people: the chances that matter, then the distribution as bars."""
    caption = system.caption(request)
    spread = system.spread(request)
    chances = system.chances(request)
    told = [asked(system, request)]
    told += [f"  {caption.warning}"] if caption.warning else []
    # In a competition they are the same: who wins.
    told += chart.table(chances) if chances != spread.bars else []
    # Not every system has one success: two sides may each have their own.
    success = getattr(system.odds(request), "success", None)
    bars = chart.chart(spread, success, width=columns, blocks=blocks)
    return [*told, "", *bars] if bars else told


def _answer(members: dict[str, Any]) -> dict[str, Any]:
    request = lines.request_in(members)
    return {"request": members["request"], "odds": odds_plain(DEFAULT.of(request).odds(request))}
