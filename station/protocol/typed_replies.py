"""Answers to typed lines: ``ok [@key] name=value …``, in an order that never changes.

Names are those of the JSON form; a name of a part stands behind the part's, as in
``attacker_degree``. What is null is left out, so is a mark (such as `complication`) that is not
set. Everything is ASCII.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from rules.errors import RulesError
from rules.model import RuleSystem
from rules.notation import request_to_text
from rules.registry import Registry
from station.protocol import inert, typed_hints
from station.protocol.errors import MethodError

Pairs: TypeAlias = list[tuple[str, str]]

_KEPT = ("kept", "dropped", "struck")
_POOL = (
    *("success", "total", "difficulty", "margin", "degrees", "degree_name"),
    *("gained", "needed", "complete", *_KEPT, "complication", "shared_failure", "automatic"),
)
_CONTEST = (
    *("winner", "tied", "margin", "degrees", "degree_name"),
    *("contestants_name", "contestants_total", "contestants_place", "contestants_complication"),
    *_KEPT,
)
_SIDE = ("roll", "degree", "success", "reserve_damage", "residual")
_OPPOSED = (
    "winner",
    *(f"{side}_{name}" for side in ("attacker", "defender") for name in _SIDE),
    "faces",
)
_ICONS = (
    *("success", "icons", "dn", "wrath", "shifts_available", "shifts", "glory", "faces"),
    *("wrath_critical", "critical_hit", "complication"),
)

ORDERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("contestants", _CONTEST),
    ("attacker", _OPPOSED),
    ("icons", _ICONS),
    ("minimum_rank", _POOL),
)
"""By a name that only such an outcome has: the names of its answer, in order."""

TAIL = (
    *("attempted", "reason", "open", "hidden", "test"),
    *("replayed", "keyed", "recorded", "truncated"),
)
"""What follows in every answer about a roll, where it says something."""

MARKS = frozenset(
    {
        *("complication", "shared_failure", "automatic", "wrath_critical", "critical_hit"),
        *("attacker_residual", "defender_residual", "hidden", "test", "replayed"),
        *("truncated", "void"),
    }
)
"""Names that are told only where they are set."""

USUAL = frozenset({"attempted", "keyed", "recorded"})
"""Names that are told only where they say *no*."""

ALWAYS = frozenset({"winner"})
"""Names whose null means something: it is told as ``none``."""

IN_HISTORY = (
    *("seq", "success", "winner", "total", "icons", "difficulty", "dn"),
    *("attacker_degree", "defender_degree", "margin"),
)
"""What a line of `history` tells, in order, before the request and whose it was."""

MOST_BARS = 8
"""Values of a distribution that one line tells; of larger ones only JSON does."""

_QUOTE = re.compile(r"[\s\"\\=]")
_ASCII = str.maketrans(
    {"−": "-", "–": "-", "—": "-", "…": "...", "→": "->", "×": "x", "·": ".", "“": '"', "”": '"'}
    | {"‘": "'", "’": "'", "\N{NO-BREAK SPACE}": " "}
)


def ok(key: str | int | None, pairs: Pairs) -> bytes:
    """Return the line that answers a request."""
    return _line("ok", key, pairs)


def err(key: str | int | None, error: MethodError, systems: Iterable[RuleSystem]) -> bytes:
    """Return the line that refuses a request."""
    message = f'message="{inert.in_sentence(_escaped(typed_hints.sentence(error)), systems)}"'
    return b" ".join((_line("err", key, [("code", str(error.code))]), message.encode("ascii")))


def ev(name: str, params: Mapping[str, Any], systems: Iterable[RuleSystem]) -> bytes:
    """Return the line that tells an event."""
    dropped = [("dropped", str(params["dropped"]))] if "dropped" in params else []
    rest = {k: v for k, v in params.items() if k != "dropped"}
    return _line("ev", None, [("event", name), *told(rest, systems), *dropped])


def body(text: str) -> bytes:
    """Return one of several lines of an answer."""
    return f"ok . {to_ascii(text)}".rstrip().encode("ascii")


def _line(word: str, key: str | int | None, pairs: Pairs) -> bytes:
    start = word if key is None else f"{word} @{to_ascii(str(key))}"
    return " ".join((start, *(f"{name}={value}" for name, value in pairs))).encode("ascii")


def told(result: Any, systems: Iterable[RuleSystem]) -> Pairs:
    """Return what a method gave as names and values, in their fixed order."""
    if not isinstance(result, Mapping):
        return [("result", value_text(result))]
    if isinstance(result.get("outcome"), Mapping):
        return _roll(result)
    return list(_flat(result, tuple(systems)))


def _roll(result: Mapping[str, Any]) -> Pairs:
    found = _roll_values(result)
    outcome = result["outcome"]
    order = next((names for mark, names in ORDERS if mark in outcome), _declared(outcome))
    return _chosen(found, ("seq", "of", *order, *TAIL))


def _chosen(found: Mapping[str, Any], names: Iterable[str]) -> Pairs:
    shown = ((name, _shown(name, found[name])) for name in names if name in found)
    return [(name, text) for name, text in shown if text is not None]


def _declared(outcome: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the order for an outcome of a system that is not named here: its own."""
    apart = ("dice", "open", "explanation", *TAIL)
    names = dict(_columns({k: v for k, v in outcome.items() if k not in apart}))
    return (*names, "faces")


def _roll_values(result: Mapping[str, Any]) -> dict[str, Any]:
    outcome = result["outcome"]
    found = {k: v for k, v in _columns(outcome) if not k.startswith(("dice_", "open_"))}
    found["open"] = list(dict.fromkeys(each["choice"] for each in outcome.get("open", ())))
    found |= _by_fate(outcome.get("dice", ()))
    found["faces"] = result.get("faces")
    found["faces"] = found["faces"] or [die["face"] for die in outcome.get("dice", ())]
    own = ("seq", "of", "hidden", "test", "replayed", "keyed", "recorded")
    found |= {name: result[name] for name in own if name in result}
    return {name: value for name, value in found.items() if name not in USUAL or value is not True}


def _by_fate(dice: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the faces of each fate, highest first; contestants stand apart with a slash."""
    owners = list(dict.fromkeys(die.get("contestant") for die in dice))
    found: dict[str, str] = {}
    for fate in _KEPT:
        hands = [
            sorted(d["face"] for d in dice if d["fate"] == fate and d.get("contestant") == owner)
            for owner in owners
        ]
        if any(hands):
            found[fate] = "/".join(",".join(map(str, reversed(hand))) for hand in hands)
    return found


def _columns(part: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of an object by name; a list of objects becomes a list for each name."""
    for name, value in part.items():
        match value:
            case {"n": _, "d": _, "p": _}:
                yield before + name, value["p"]
            case Mapping() if value and all(map(_is_simple, value.values())) and _is_tally(value):
                yield before + name, value
            case Mapping():
                yield from _columns(value, f"{before}{name}_")
            case [Mapping() as first, *_] if "p" not in first:
                for key in dict.fromkeys(key for item in value for key in item):
                    yield from _column(f"{before}{name}_{key}", [item.get(key) for item in value])
            case _:
                yield before + name, value


def _column(name: str, values: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield one value of each of several objects; parts that each has several of, name by name."""
    parts = [each for value in values if isinstance(value, list) for each in value]
    if not any(isinstance(each, Mapping) for each in parts):
        yield name, values
        return
    for key in dict.fromkeys(key for each in parts for key in each):
        yield f"{name}_{key}", [[each.get(key) for each in value or ()] for value in values]


def _is_simple(value: object) -> bool:
    return isinstance(value, int | float) or (isinstance(value, Mapping) and "p" in value)


def _is_tally(value: Mapping[str, Any]) -> bool:
    """Return whether an object says how many, or how likely, rather than what."""
    return not any(isinstance(each, bool) for each in value.values())


def _flat(result: Mapping[str, Any], systems: tuple[RuleSystem, ...]) -> Iterator[tuple[str, str]]:
    for name, value in _columns(_readable(result, systems)):
        # A part that says how it is, such as one of `health`, goes by the part's own name.
        short = name.removesuffix("_state")
        if short in USUAL and value is True:
            continue
        if (text := _shown(short, value)) is not None:
            yield short, text


def _readable(result: Mapping[str, Any], systems: tuple[RuleSystem, ...]) -> Mapping[str, Any]:
    request = request_text(result.get("request"), systems)
    return result if request is None else {**result, "request": request}


def request_text(request: object, systems: Iterable[RuleSystem]) -> str | None:
    """Return a request as it is typed; None where it is none."""
    known = tuple(systems)
    try:
        return request_to_text(known, Registry(known).request(request))
    except RulesError:
        return None


def _shown(name: str, value: Any) -> str | None:
    """Return a value as it is told under its name, or None where it is left out."""
    if value is None:
        return "none" if name in ALWAYS else None
    if name in MARKS and value is False:
        return None
    if isinstance(value, Mapping):
        value = {key: each for key, each in value.items() if each}
        if len(value) > MOST_BARS:
            return None
    if value in ([], {}, (), "") or (isinstance(value, list) and all(v == [] for v in value)):
        return None
    return value_text(value)


def value_text(value: Any) -> str:
    """Return a value as it stands after the ``=``."""
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.5g}"
        case Mapping() if "p" in value:
            return value_text(value["p"])
        case Mapping():
            return ",".join(f"{to_ascii(str(k))}:{value_text(v)}" for k, v in value.items())
        case str():
            return _quoted(value)
        case list() | tuple():
            text = _list_text(value)
            return text if text == "none" else _quoted(text)
        case _:
            return str(value)


def _list_text(values: Sequence[Any]) -> str:
    """Return a list with commas; of lists, each with commas and a slash between them."""
    if any(isinstance(each, list) for each in values):
        return "/".join(_list_text(each or ()).replace("/", r"\/") for each in values)
    return ",".join(_item(each) for each in values)


def _item(value: Any) -> str:
    text = value if isinstance(value, str) else value_text(value)
    return re.sub(r"([,\\])", r"\\\1", text)


def _quoted(text: str) -> str:
    plain = to_ascii(text)
    return (
        f'"{inert.in_quotes(_escaped(text))}"'
        if _QUOTE.search(plain) or plain in ("", "none")
        else plain
    )


def _escaped(text: str) -> str:
    return to_ascii(re.sub(r'(["\\])', r"\\\1", text.translate(_ASCII)))


def to_ascii(text: str) -> str:
    """Return a text in printable ASCII: typography made plain, all else as JSON escapes it."""
    plain = "".join(
        " " if char.isspace() else char
        for char in text.translate(_ASCII)
        if char.isprintable() or char.isspace()
    )
    return plain if plain.isascii() else _escapes(plain)


def _escapes(text: str) -> str:
    return "".join(char if char.isascii() else json.dumps(char)[1:-1] for char in text)


def systems(result: Mapping[str, Any]) -> Pairs:
    """Return what `systems` tells on one line: their ids, and of a single one its kinds."""
    known = result.get("systems", [])
    pairs = [("systems", value_text([system["id"] for system in known]))]
    if len(known) != 1:
        return pairs
    (system,) = known
    kinds = value_text([kind["kind"] for kind in system["kinds"]])
    told = [(name, value_text(system[name])) for name in ("title", "alias")]
    return [*pairs, *told, ("kinds", kinds)]


def history(rolls: Sequence[Mapping[str, Any]], systems: Iterable[RuleSystem]) -> list[bytes]:
    """Return the lines of `history`, their names one below the other."""
    known = tuple(systems)
    rows = [dict(_in_history(roll, known)) for roll in rolls]
    names = (*IN_HISTORY, "void", "test", "request")
    widths = {
        name: max((len(row[name]) for row in rows if name in row), default=0) for name in names
    }
    return [body(_row(row, names, widths)) for row in rows]


def _in_history(roll: Mapping[str, Any], systems: tuple[RuleSystem, ...]) -> Pairs:
    found = _roll_values(roll) if isinstance(roll.get("outcome"), Mapping) else dict(roll)
    pairs = _chosen(found, IN_HISTORY)
    pairs += [(mark, "yes") for mark in ("void", "test") if roll.get(mark)]
    request = request_text(roll.get("request"), systems)
    return pairs if request is None else [*pairs, ("request", _quoted(request))]


def _row(row: Mapping[str, str], names: Iterable[str], widths: Mapping[str, int]) -> str:
    return " ".join(
        f"{name}={row[name]}".ljust(len(name) + 1 + widths[name]) for name in names if name in row
    )
