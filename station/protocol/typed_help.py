"""What `help` answers: every command in a line, and each command with examples.

What the systems can do is told by the systems themselves. Examples leave out the verb: a line of
help that comes back to the station without its beginning must not be a command (see `inert`).
"""

import difflib
import textwrap
from collections.abc import Iterable

from rules.dial import fresh
from rules.fields import Fielded, Group, Series, specs
from rules.leaves import Choice, Flag, Number, Text, range_text
from rules.model import RuleSystem
from rules.notation import request_to_text
from station.protocol.errors import wrong

COLUMNS = 80
"""Columns of a terminal, the ``ok . `` before each line included."""

_MARGIN = len("ok . ")
_WIDTH = COLUMNS - _MARGIN - 1

_USES: tuple[tuple[str, str, str], ...] = (
    ("roll", "DICE [name=value ...]", "roll, and record it"),
    ("resolve", "DICE faces=6,5,1", "what these faces would give"),
    ("record", "DICE faces=6,5,1", "record dice rolled by hand"),
    ("odds", "DICE", "the exact chances"),
    ("decide", "SEQ struck=0,3", "take a decision that a roll left open"),
    ("select", "DICE", "put it on the station's dial"),
    ("selection", "", "what the dial shows"),
    ("state", "", "characters, Glory, Reserves"),
    ("change", "ACT [name=value ...]", "change the table's state, or undo"),
    ("void", "SEQ reason=TEXT", "mark a roll as not counting"),
    ("history", "[COUNT] [before=SEQ]", "the latest rolls, newest first"),
    ("fairness", "[source=NAME]", "how often each face came up"),
    ("systems", "[SYSTEM]", "the systems of rules"),
    ("health", "", "entropy, display, controls, ledger"),
    ("hello", "[check=yes]", "begin a session, as @1 @2 ... need"),
    ("subscribe", "EVENT ... [brief=yes]", "be told of rolls, changes and more"),
    ("unsubscribe", "[EVENT ...]", "be told no more"),
    ("echo", "SWITCH", "on or off: see and correct what you type"),
    ("help", "[COMMAND or SYSTEM]", "this, or more about one"),
)

_DECISIONS = "Decisions may stand beside the faces: struck=0,3 or shifts=damage:1,glory:1"

_KEYS = (
    "A key in front makes a repeat harmless: with the same key nothing is rolled again. It is @7 "
    "or another number, after hello, or @ and 8-64 characters that nobody used before. An answer "
    "to a request without a key says keyed=no."
)

_NOTES = {
    "roll": (
        'A note, a secret, a name: note="at the door" hidden=yes name=Arya',
        _KEYS,
        "Systems and kinds of test, each with a DICE to begin with:",
    ),
    "resolve": (_DECISIONS,),
    "record": (_DECISIONS,),
    "decide": ("SEQ and decisions: 812 struck=0,3 or 812 shifts=damage:1,glory:1",),
    "change": (
        "ACT and what it needs:",
        "  wound character=Arya count=1      heal_wound character=Arya",
        "  injury character=Arya             heal_injury character=Arya",
        "  glory count=-1                    end_turn",
        "  reserve character=Arya attribute=Strength count=3",
        "  heal_reserve character=Arya attribute=Strength count=3",
        "  add character=Arya endurance=3 scores=Strength:3,Agility:4",
        "  edit character=Arya name=Nymeria  remove character=Arya",
        "  apply seq=812                     undo, or undo change=813",
        "  clear_progress name=Arya",
    ),
    "void": ('SEQ and the reason: 812 reason="wrong dice"',),
    "history": ("history 5     history 20 before=812     history after=800",),
    "hello": (
        "check=yes: every line, yours and mine, ends in * and the CRC-16/XMODEM of all before it.",
    ),
    "subscribe": (
        "Events: rolled selected changed health_changed. They come as lines that begin with ev.",
    ),
    "echo": (
        "Switched on, backspace and delete take back the last character, Ctrl-C the whole line.",
    ),
}

_ASKING = ("roll", "resolve", "record", "odds", "select")


def lines(systems: Iterable[RuleSystem], verb: str | None = None) -> list[str]:
    """Return what `help` says of a command or a system, each line at most 75 columns.

    Raises:
        MethodError: there is neither.
    """
    if verb is None:
        return _overview()
    known = tuple(systems)
    first = (*verb.split(), "")[0]
    if first in (verbs := [name for name, _, _ in _USES]):
        return _about(known, first)
    for system in known:
        if verb in (system.alias, system.id):
            return _all_wrapped(_system(known, system))
    near = difflib.get_close_matches(verb[:40], verbs, n=1)
    raise wrong("verb", verb, f"{near[0]}, perhaps" if near else ", ".join(verbs))


def _overview() -> list[str]:
    uses = [(f"{verb} {arguments}".strip(), what) for verb, arguments, what in _USES]
    width = max(len(use) for use, _ in uses) + 2
    told = [f"{use:<{width}}{what}" for use, what in uses]
    return [*told, "", "DICE is such as 3D+2B vs 9. Help with a command tells more."]


def _about(systems: tuple[RuleSystem, ...], verb: str) -> list[str]:
    use = next(f"{name} {arguments}: {what}" for name, arguments, what in _USES if name == verb)
    told = [use, *_NOTES.get(verb, ())]
    if verb in _ASKING:
        told += [line for system in systems for line in _system(systems, system)]
    return _all_wrapped(told)


def _all_wrapped(told: Iterable[str]) -> list[str]:
    return [part for line in told for part in _wrapped(line)]


def _wrapped(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, _WIDTH, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _system(systems: tuple[RuleSystem, ...], system: RuleSystem) -> list[str]:
    told = [f"{system.title} ({system.alias})"]
    for kind in system.kinds:
        told.append(f"  {request_to_text(systems, fresh(kind))}")
        told.append(f"    {kind.title}; {', '.join(_fields(kind))}")
    return told


def _fields(part: type[Fielded], before: str = "") -> list[str]:
    found: list[str] = []
    for name, spec in specs(part).items():
        match spec:
            case Group():
                found += _fields(spec.part, f"{before}{name}.")
            case Series():
                found += _fields(spec.part, f"{before}{name}[0].")
            case _:
                found.append(f"{before}{name}={_values(spec)}")
    return found


def _values(spec: Number | Flag | Choice | Text) -> str:
    match spec:
        case Number():
            return range_text(spec.low, spec.high)
        case Flag():
            return "yes|no"
        case Choice():
            return "|".join(spec.values)
        case Text():
            return "TEXT"
