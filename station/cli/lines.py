"""One JSON object a line in, one a line out, in order: ``resolve --jsonl``, ``odds --jsonl``.

A bad line is answered with ``{"error": {field, value, allowed, message}}``, and the next is read.
"""

import json
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, TextIO

from rules.errors import MissingFieldError, RulesError, UnknownFieldError, shown_text
from rules.frozen import frozen
from rules.model import Request
from rules.registry import DEFAULT
from station.cli.console import output, standard_input
from station.strict_json import check_values, loads

LONGEST = 1 << 20
"""Bytes of a line; a longer one is dropped whole, so that no input fills the memory."""

BLANK = b" \t\r\n"
"""What a line that is ignored is made of."""

OK = 0
BAD_INPUT = 2
"""Exit statuses."""

Answer = Callable[[dict[str, Any]], dict[str, Any]]
"""From a line's members to those of its answer; raises RulesError."""


@frozen
class Form:
    """What a line holds.

    Attributes:
        required: members that must be there.
        optional: members that may be there.
        answered: members of an answer, ignored so that its line may be sent again.
    """

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """What a line takes, in words."""
        may = f" (and {', '.join(self.optional)})" if self.optional else ""
        return f"an object with {' and '.join(self.required)}{may}"

    def check(self, found: object) -> dict[str, Any]:
        """Return a line's members.

        Raises:
            RulesError: it is no object, or has a member too few or too many.
        """
        if not isinstance(found, dict):
            raise RulesError((), found, self.allowed)
        for name in found:
            if name not in (*self.required, *self.optional, *self.answered):
                raise UnknownFieldError(name, found[name], self.allowed)
        for name in self.required:
            if name not in found:
                raise MissingFieldError(name, None, self.allowed)
        return found


def run(answer: Answer, form: Form) -> int:
    """Answer each line of standard input, and return the exit status: 2 if any line was bad."""
    status = OK
    out = output()
    for line in _lines(standard_input().buffer):
        try:
            found = form.check(_read(line))
            reply = answer(found)
            # Fields say best what they take; this is for whatever none of them looked at.
            check_values(found)
        except RulesError as error:
            reply = {"error": told(error)}
            status = BAD_INPUT
        _write(out, reply)
    return status


def request_in(members: dict[str, Any]) -> Request:
    """Return the request that a line of JSON carries.

    Raises:
        RulesError: naming the field within the request, or the request itself.
    """
    try:
        return DEFAULT.request(members["request"])
    except RulesError as error:
        raise error if error.path else error.under("request") from None


def told(error: RulesError) -> dict[str, object]:
    """Return an error as data, its field without the ``request`` that the line is all about."""
    path = error.path[1:] if error.path[:1] == ("request",) and error.path[1:] else error.path
    # What a stranger called a field is repeated no longer than a value would be.
    short = tuple(shown_text(step) if isinstance(step, str) else step for step in path)
    return type(error)(short, error.value, error.allowed, error.because).plain()


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """Yield each line that is not blank; one that is too long, cut just beyond what is allowed.

    The mark that some editors begin a file with (U+FEFF) is no part of its first line.
    """
    mark = BOM_UTF8
    while line := source.readline(LONGEST + 1):
        rest = line
        while len(rest) > LONGEST and not rest.endswith(b"\n"):
            rest = source.readline(LONGEST + 1)
        if rest is not line:
            yield line
        elif (told := line.removeprefix(mark)).strip(BLANK):
            yield told
        mark = b""


def _read(line: bytes) -> object:
    if len(line) > LONGEST and not line.endswith(b"\n"):
        start = line[:100].decode(errors="replace")
        raise RulesError((), start, f"lines of at most {LONGEST} bytes", "a longer line")
    return loads(line.rstrip(BLANK))


def _write(out: TextIO, reply: dict[str, Any]) -> None:
    # In full: whoever sends a line and waits for its answer must get it now.
    out.write(f"{json.dumps(reply, allow_nan=False)}\n")
    out.flush()
