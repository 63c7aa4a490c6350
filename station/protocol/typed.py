"""Lines that a person types: ``[@key] verb [arguments]``, as the same calls that JSON makes.

What stands after a verb is the notation of `rules.notation`: words first, then ``name=value``.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from rules.acts import ACTS
from rules.errors import RulesError, shown_text
from rules.fields import specs
from rules.frozen import frozen
from rules.model import RuleSystem
from rules.notation import (
    YES_NO,
    Typed,
    choice_from_text,
    choices_apart,
    data_from_text,
    list_from_text,
    taken_apart,
    value_from_text,
)
from station.protocol.errors import LONG_KEY_TEXT, Code, MethodError, of_rules, wrong

OWN_WORDS = frozenset({"ok", "err", "ev"})
"""First words of our own lines; no verb is ever called so."""

_KEYED = re.compile(r"@(?P<key>\S*)(?:\s+|$)")
_AWKWARD = re.compile(r"[{}\[\]\"\\]")
"""What a typed key must not hold: it is repeated as it is, and could be JSON once a line is cut."""
_SHORT_KEY = re.compile(r"[+-]?\d+", re.ASCII)
_INTEGER = re.compile(r"[+\-−]?\d{1,15}", re.ASCII)
_TEXTS = frozenset({"character", "name", "attribute"})
"""Fields of `change` that are text, whatever they look like."""


@frozen
class TypedRequest:
    """A typed line understood: the method to call (its name is the verb), and the key."""

    method: str
    params: dict[str, Any]
    key: str | int | None = None


class UnknownVerbError(Exception):
    """A line that is no command at all.

    Attributes:
        error: what to answer with.
    """

    def __init__(self, error: MethodError) -> None:
        super().__init__(error)
        self.error = error


Reader = Callable[[tuple[RuleSystem, ...], str], dict[str, Any]]
"""Reads what stands after a verb."""


def key_of(text: str) -> tuple[str | int | None, str]:
    """Return the key before a verb, and the rest.

    Digits are always a short key, however many: a board that counts must never come upon a key
    that outlives its session.
    """
    found = _KEYED.match(text)
    if found is None:
        return None, text
    key, rest = found["key"], text[found.end() :]
    return (int(key) if _SHORT_KEY.fullmatch(key) else key), rest


def may_be_repeated(key: str | int | None) -> bool:
    """Return whether an answer may begin with this key: no part of it is JSON, or a quote."""
    return not (isinstance(key, str) and _AWKWARD.search(key))


def verb_of(text: str) -> str:
    """Return the verb of a line, in lower case; empty where there is none."""
    return (*key_of(text)[1].split(maxsplit=1), "")[0].lower()


def is_own(text: str) -> bool:
    """Return whether a line is one that the station itself says."""
    first = text.split(maxsplit=1)[:1]
    return bool(first) and first[0].lower() in OWN_WORDS


def read(systems: Iterable[RuleSystem], text: str) -> TypedRequest:
    """Return what a typed line asks for.

    Args:
        systems: those known, the one that needs no alias first.
        text: the line, without its check.

    Raises:
        UnknownVerbError: it is no command.
        MethodError: the command's arguments make no sense.
    """
    key, rest = key_of(text)
    word, arguments = (*rest.split(maxsplit=1), "", "")[:2]
    verb = "help" if word == "?" else word.lower()
    reader = _READERS.get(verb)
    if reader is None:
        raise UnknownVerbError(_unknown(word))
    if not may_be_repeated(key):
        raise wrong("key", key, f"{LONG_KEY_TEXT}, no brace, bracket, quote or backslash")
    try:
        params = reader(tuple(systems), arguments.strip())
    except RulesError as error:
        raise of_rules(error) from None
    return TypedRequest(verb, params, key)


def _unknown(word: str) -> MethodError:
    if not word:
        data = {"field": "verb", "value": "", "allowed": ", ".join(_READERS)}
        return MethodError(Code.METHOD_NOT_FOUND, "a command is missing (help lists all)", data)
    near = get_close_matches(word.lower()[:40], _READERS, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    told = shown_text(word)
    message = f'there is no command "{told}"{hint} (help lists all)'
    data = {"field": "verb", "value": told, "allowed": ", ".join(_READERS)}
    return MethodError(Code.METHOD_NOT_FOUND, message, data)


def _number(name: str, text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise wrong(name, text, "a whole number")
    return int(text.replace("−", "-"))


def _yes(name: str, text: str) -> bool:
    if text.lower() not in YES_NO:
        raise wrong(name, text, "yes or no")
    return YES_NO[text.lower()]


def _nothing(_: tuple[RuleSystem, ...], text: str) -> dict[str, Any]:
    if text:
        raise wrong("arguments", text, "nothing after this command")
    return {}


_Converters = Mapping[str, Callable[[str, str], Any]]


def _text(_: str, text: str) -> str:
    return text


def _taken(typed: Typed, converters: _Converters) -> tuple[dict[str, Any], Typed]:
    """Return the named values that belong to the command itself, and the rest."""
    found: dict[str, Any] = {}
    for name, convert in converters.items():
        value, typed = typed.without(name)
        if value is not None:
            found[name] = convert(name, value)
    return found, typed


def _only(typed: Typed, allowed: Iterable[str]) -> None:
    """Refuse what is left over."""
    names = ", ".join(f"{name}=…" for name in allowed) or "nothing more"
    for name, value in typed.pairs:
        raise wrong(name, value, names)
    if typed.words:
        raise wrong("arguments", typed.words, names)


def _asking(**converters: Callable[[str, str], Any]) -> Reader:
    """Return a reader of a request, beside which these names may stand."""

    def read_request(systems: tuple[RuleSystem, ...], text: str) -> dict[str, Any]:
        if not text:
            raise wrong("request", "", 'dice, such as "3D+2B vs 9"; help roll shows all')
        params, typed = _taken(taken_apart(text), converters)
        if "faces" in converters:
            chosen, typed = choices_apart(systems, typed)
            params |= {"choices": chosen} if chosen else {}
        return {"request": data_from_text(systems, typed), **params}

    return read_request


def _faces(_: str, text: str) -> list[Any]:
    return list_from_text(text)


def _decide(_: tuple[RuleSystem, ...], text: str) -> dict[str, Any]:
    typed = taken_apart(text)
    _must_name_a_roll(typed, "struck=0,3")
    choices = {name: choice_from_text(value) for name, value in typed.pairs}
    if not choices:
        raise wrong("choices", "", "such as struck=0,3 or shifts=damage:1,glory:1")
    return {"seq": _number("seq", typed.words), "choices": choices}


def _change(_: tuple[RuleSystem, ...], text: str) -> dict[str, Any]:
    typed = taken_apart(text)
    pairs = {name: _field(name, value) for name, value in typed.pairs}
    if "act" in pairs or not typed.words:
        raise wrong("act", "", "an act first, such as wound character=Arya")
    act, rest = (*typed.words.split(maxsplit=1), "")[:2]
    if rest:
        raise wrong("arguments", rest, _named_as(_first_field(act.lower()), rest))
    return {"act": act.lower(), **pairs}


def _first_field(act: str) -> str:
    """Return the field that an act needs first; empty where it needs none or is not known."""
    known = {name: next(iter(specs(kind)), "") for name, kind in ACTS.items()}
    return (known | {"apply": "seq", "undo": "change"}).get(act, "")


def _named_as(name: str, value: str) -> str:
    """Return how a value is typed with its name."""
    if not name:
        return "nothing but name=value after the act"
    return f'{name}="{value}"' if " " in value else f"{name}={value}"


def _must_name_a_roll(typed: Typed, rest: str) -> None:
    if not typed.words:
        message = f"the number of the roll is missing; allowed: such as 812 {rest}"
        raise wrong("seq", "", "the number of a roll", message)


def _field(name: str, value: str) -> Any:
    """Return a field of `change`; scores are such as ``Strength:3,Agility:4``."""
    if name in _TEXTS:
        return value
    return choice_from_text(value) if name == "scores" else value_from_text(value)


def _void(_: tuple[RuleSystem, ...], text: str) -> dict[str, Any]:
    found, typed = _taken(taken_apart(text), {"reason": _text})
    _only(Typed("", typed.pairs), ("reason",))
    _must_name_a_roll(typed, 'reason="wrong dice"')
    seq, rest = (*typed.words.split(maxsplit=1), "")[:2]
    if rest:
        raise wrong("arguments", rest, _named_as("reason", rest))
    return {"seq": _number("seq", seq), **found}


def _history(_: tuple[RuleSystem, ...], text: str) -> dict[str, Any]:
    converters = dict.fromkeys(("before", "after", "limit"), _number)
    found, typed = _taken(taken_apart(text), converters)
    _only(Typed("", typed.pairs), converters)
    return ({"limit": _number("limit", typed.words)} if typed.words else {}) | found


def _named(**converters: Callable[[str, str], Any]) -> Reader:
    """Return a reader of names only."""

    def read_names(_: tuple[RuleSystem, ...], text: str) -> dict[str, Any]:
        found, typed = _taken(taken_apart(text), converters)
        _only(typed, converters)
        return found

    return read_names


def _worded(name: str) -> Reader:
    """Return a reader of one word, which may be left out."""

    def read_word(_: tuple[RuleSystem, ...], text: str) -> dict[str, Any]:
        return {name: text.removeprefix(f"{name}=").lower()} if text else {}

    return read_word


def _events(_: tuple[RuleSystem, ...], text: str) -> dict[str, Any]:
    found, typed = _taken(taken_apart(text), {"brief": _yes})
    _only(Typed("", typed.pairs), ("brief",))
    words = typed.words.replace(",", " ").lower().split()
    return ({"events": words} if words else {}) | found


def _echo(_: tuple[RuleSystem, ...], text: str) -> dict[str, Any]:
    if text.lower() not in ("on", "off"):
        raise wrong("echo", text, "on or off")
    return {"echo": text.lower() == "on"}


_READERS: Mapping[str, Reader] = {
    "roll": _asking(note=_text, hidden=_yes, brief=_yes),
    "resolve": _asking(faces=_faces),
    "record": _asking(faces=_faces, note=_text),
    "odds": _asking(),
    "decide": _decide,
    "select": _asking(),
    "selection": _nothing,
    "state": _nothing,
    "change": _change,
    "void": _void,
    "history": _history,
    "fairness": _named(source=_text),
    "systems": _worded("system"),
    "health": _nothing,
    "hello": _named(client=_text, check=_yes),
    "subscribe": _events,
    "unsubscribe": _events,
    "echo": _echo,
    "help": _worded("verb"),
}
"""Every verb, and how its arguments are read."""

VERBS = tuple(_READERS)
"""Every verb, in the order of `help`."""
