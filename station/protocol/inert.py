"""Keeping what the station says from being taken for a command by the station itself.

A line that comes back to us may have lost its beginning and its end, and is then no longer known
as our own. So no part of what we say may read as a command that rolls or changes anything: where a
text that others gave us holds one, the blank after its verb is escaped, which every reader undoes.
"""

import re
from collections.abc import Iterable

from rules.acts import ACTS
from rules.errors import RulesError
from rules.model import RuleSystem
from rules.registry import Registry
from station.protocol import typed
from station.protocol.errors import MethodError

ACTING = ("roll", "record", "decide", "select", "change", "void")
"""Verbs that roll or change something."""

_VERB = re.compile(rf"({'|'.join(ACTING)}) ", re.IGNORECASE)
_VERB_IN_JSON = re.compile(_VERB.pattern.encode("ascii"), re.IGNORECASE)
_OTHER_ACTS = ("apply", "undo")
_LONGEST = 400
"""Characters from a verb on in which its command may end."""


def in_json(document: bytes) -> bytes:
    """Return JSON (without blanks between its parts) as the same JSON with no command in it."""
    return _VERB_IN_JSON.sub(rb"\1\\u0020", document)


def in_quotes(text: str) -> str:
    """Return a text that stands in double quotes on a typed line, with no command in it."""
    return _VERB.sub(r"\1\\ ", text)


def in_sentence(text: str, systems: Iterable[RuleSystem]) -> str:
    """Return a sentence in double quotes, changed only where a part of it really is a command."""
    known = Registry(tuple(systems))

    def made(found: re.Match[str]) -> str:
        rest = text[found.start() : found.start() + _LONGEST]
        ends = range(found.end() - found.start(), len(rest) + 1)
        does = any(is_command(known, rest[:end]) for end in ends)
        return in_quotes(found[0]) if does else found[0]

    return _VERB.sub(made, text)


def is_command(registry: Registry, text: str) -> bool:
    """Return whether a typed line would roll or change something, as far as it says itself."""
    try:
        asked = typed.read(registry, text.strip())
        if "request" in asked.params:
            registry.request(asked.params["request"])
    except (MethodError, RulesError, typed.UnknownVerbError):
        return False
    act = asked.params.get("act")
    return asked.method in ACTING and (act is None or act in ACTS or act in _OTHER_ACTS)
