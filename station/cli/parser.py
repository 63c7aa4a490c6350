"""The argument parser: one sentence for what is wrong, and words that look like options."""

import argparse
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from station.errors import StationError

_TERM = re.compile(r"-(?:\d.*)?", re.ASCII)
"""A penalty or a negative number of a notation, such as the ``-1P`` of ``3D -1P vs 9``."""


class UsageError(StationError):
    """The command line is not one that the program takes; the message is one sentence."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are raised, not printed with a page of usage before them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        raise UsageError(f"{message}; {self.prog} --help tells more")


def arguments(parser: Parser, words: Sequence[str]) -> argparse.Namespace:
    """Return the parsed command line.

    Options may stand between the words of a notation, and its penalties apart; argparse takes
    what follows them for left over, so these are put back in their order.

    Raises:
        UsageError: something is missing, unknown or left over.
    """
    found, left = parser.parse_known_args(words)
    for word in left:
        if not hasattr(found, "words") or (word.startswith("-") and not _TERM.fullmatch(word)):
            kind = "option" if word.startswith("-") else "argument"
            parser.error(f"unknown {kind} {word}")
        found.words.append(word)
    return found


def add_words(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the words of a notation, quoted as a whole or not."""
    parser.add_argument("words", nargs="*", metavar="WORD", help=what)


def refuse_words(args: argparse.Namespace) -> None:
    """Raise UsageError if there are words where the requests come from standard input."""
    if args.words:
        raise UsageError(f"--jsonl reads the requests from standard input, not {args.words[0]}")
