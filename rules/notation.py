"""Requests as people type them, both ways: ``wg attack 3+3+1 vs 4 dn_penalty=2 name="Sister Ana"``.

``[system] [kind] [notation] [name=value …]``: the system by its alias or id (the first one known
where it is left out), the kind by its name (the system's usual one where it is left out), the
system's own notation, then any field of the request. A field of a part is written with its path,
``attacker.modifiers=2`` or ``contestants[0].wounds=1``. Values with spaces stand in double
quotes, in which a backslash makes the next character plain; blanks beside ``vs`` may be left out.
Systems, kinds, yes and no are taken
in upper or lower case. Whatever is typed, the request itself says whether it may be so.
"""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from rules.errors import Path, RulesError, path_text
from rules.fields import Fielded, Group, Series, Spec, build, specs
from rules.frozen import frozen
from rules.leaves import Choice, Flag, Number
from rules.model import Request, RuleSystem

LONGEST = 4096
"""Characters of a typed request; a longer one is refused before it is read."""

YES_NO: Mapping[str, bool] = {"yes": True, "true": True, "no": False, "false": False}

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_PATH = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d{1,4}\])*"
_TOKEN = re.compile(rf'\s*(?P<token>(?:{_QUOTED}|[^\s"])+)(?=\s|$)', re.ASCII)
_PAIR = re.compile(rf'(?P<path>{_PATH})=(?P<value>{_QUOTED}|[^\s"]*)', re.ASCII)
_STEP = re.compile(r"\[(?P<index>\d+)\]|\.?(?P<name>\w+)", re.ASCII)
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]*")
_INTEGER = re.compile(r"[+\-−]?\d{1,40}", re.ASCII)
VERSUS = ("vs", "vs.", "against")
_CLOSE_VERSUS = re.compile(r"(\d[A-Za-z]?)\s*(vs\.?|against)\s*(?=[+\-−]?\d)", re.IGNORECASE)
_LATE_QUOTE = re.compile(r'"([^":]+):([^":]*)"(?=\s|$)')
_COUNT = re.compile(r"[+\-−]?\d{1,15}", re.ASCII)
_NEEDS_QUOTES = re.compile(r'[\s"\\]')


@frozen
class Typed:
    """A typed request, taken apart but not yet understood.

    Attributes:
        words: what stands before the first ``name=value``, as typed.
        pairs: the names with their values, quotes undone, in the order typed.
    """

    words: str
    pairs: tuple[tuple[str, str], ...] = ()

    def without(self, name: str) -> tuple[str | None, "Typed"]:
        """Return the value of a name that is no field of the request, and the rest.

        Raises:
            RulesError: the name was given twice.
        """
        values = [value for key, value in self.pairs if key == name]
        if len(values) > 1:
            raise RulesError(name, values[1], "one value", "given twice")
        rest = tuple(pair for pair in self.pairs if pair[0] != name)
        return (values[0] if values else None), replace(self, pairs=rest)


def taken_apart(text: str) -> Typed:
    """Return a typed request as its words and its ``name=value`` pairs.

    Raises:
        RulesError: it is too long, a quote is left open, or a word follows a pair.
    """
    if len(text) > LONGEST:
        raise RulesError((), text, f"up to {LONGEST} characters")
    words, pairs, end = "", [], 0
    for start, end in _tokens(text):
        token = text[start:end]
        if pair := _PAIR.fullmatch(token):
            pairs.append((pair["path"], _unquoted(pair["value"])))
        elif pairs or _PAIR.match(token):
            raise RulesError((), token, 'name=value, with spaces name="some value"')
        else:
            words = text[:end].strip()
    return Typed(words, tuple(pairs))


def _tokens(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each token starts and ends; what stands in quotes is not cut."""
    end = 0
    while text[end:].strip():
        found = _TOKEN.match(text, end)
        if found is None:
            raise RulesError((), text[end:].strip(), "quotes in pairs")
        end = found.end()
        yield found.start("token"), end


def _unquoted(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value


def request_from_text(systems: Iterable[RuleSystem], text: str | Typed) -> Request:
    """Return the request that a text stands for.

    Args:
        systems: those known, the one that needs no alias first.
        text: as the module's text says.

    Raises:
        RulesError: naming the field, its value and what is allowed.
    """
    known = tuple(systems)
    data = data_from_text(known, text)
    system = next(system for system in known if system.id == data["system"])
    kind = next(kind for kind in system.kinds if kind.kind == data["kind"])
    return build(kind, {name: data[name] for name in data if name not in ("system", "kind")})


def data_from_text(systems: Iterable[RuleSystem], text: str | Typed) -> dict[str, Any]:
    """Return the JSON form of the request that a text stands for, with only what it says.

    Values are not checked yet: what is no number where one is needed stays text, and building
    the request from the data names it.

    Raises:
        RulesError: the words or the path of a field make no sense, or a field is given twice.
    """
    typed = taken_apart(text) if isinstance(text, str) else text
    known = tuple(systems)
    system, words = _system(known, typed.words)
    kind, rest = _kind(system, words)
    data = _notated(known, system, kind, rest, kind_told=rest != words)
    for name, value in typed.pairs:
        path = _path(name)
        _put(kind, data, path, path, value)
    return {"system": system.id, "kind": kind.kind, **data}


def _system(systems: tuple[RuleSystem, ...], words: str) -> tuple[RuleSystem, str]:
    first, rest = _first(words)
    for system in systems:
        if first in (system.alias, system.id):
            return system, rest
    return systems[0], words


def _kind(system: RuleSystem, words: str) -> tuple[type[Request], str]:
    first, rest = _first(words)
    for kind in system.kinds:
        if first == kind.kind:
            return kind, rest
    return system.kinds[0], words


def _first(words: str) -> tuple[str, str]:
    first, rest = (*words.split(maxsplit=1), "", "")[:2]
    return first.lower(), rest


def _notated(
    systems: tuple[RuleSystem, ...],
    system: RuleSystem,
    kind: type[Request],
    words: str,
    *,
    kind_told: bool,
) -> dict[str, Any]:
    if not words:
        return {}
    try:
        return system.parse(kind.kind, _tidied(words))
    except RulesError:
        word = words.split(maxsplit=1)[0]
        if _WORD.fullmatch(word) and not kind_told:
            raise _unknown_word(systems, system, word) from None
        raise


def _tidied(words: str) -> str:
    """Return a notation with what people leave out: ``3Dvs9``, a quote closed behind the pool."""
    if ":" in words:
        return _LATE_QUOTE.sub(r'"\1":\2', words)
    return _CLOSE_VERSUS.sub(r"\1 \2 ", words)


def _unknown_word(systems: tuple[RuleSystem, ...], system: RuleSystem, word: str) -> RulesError:
    places = {each.alias: each.alias for each in systems}
    for each in systems:
        prefix = "" if each is systems[0] else f"{each.alias} "
        places |= {kind.kind: f"{prefix}{kind.kind}" for kind in each.kinds}
    near = difflib.get_close_matches(word.lower(), places, n=1, cutoff=0.5)
    if word.lower() in VERSUS:
        return RulesError((), word, f"dice before {word}")
    hint = f"did you mean {places[near[0]]}?" if near else ""
    aliases = ", ".join(each.alias for each in systems)
    kinds = ", ".join(kind.kind for kind in system.kinds)
    return RulesError((), word, f"a system ({aliases}), a kind ({kinds}) or dice", hint)


def _path(name: str) -> Path:
    return tuple(
        step["name"] if step["index"] is None else int(step["index"])
        for step in _STEP.finditer(name)
    )


def _put(part: type[Fielded], data: dict[str, Any], path: Path, whole: Path, value: str) -> None:
    """Put a typed value where its path leads; an unknown name is left for `build` to refuse."""
    name, rest = str(path[0]), path[1:]
    if rest and isinstance(data.get(name), str):
        raise RulesError(whole, value, "one value", "given twice")
    match specs(part).get(name), rest:
        case Group() as spec, (str(), *_):
            _put(spec.part, data.setdefault(name, {}), rest, whole, value)
        case Series() as spec, (int() as index, str(), *_):
            items = data.setdefault(name, [])
            if index == len(items):
                items.append({})
            if index > len(items):
                raise RulesError(whole, value, f"{name}[0]–{name}[{len(items)}]")
            _put(spec.part, items[index], rest[1:], whole, value)
        case spec, () if data.get(name) is None:
            data[name] = value if spec is None else _read(spec, value)
        case _, ():
            raise RulesError(whole, value, "one value", "given twice")
        case _:
            allowed = f"a field of the request, such as {', '.join(_leaves(part))}"
            raise RulesError(whole, value, allowed, "there is no such field")


def _leaves(part: type[Fielded]) -> list[str]:
    return [name for name, spec in specs(part).items() if not isinstance(spec, Group | Series)]


def _read(spec: Spec, value: str) -> object:
    """Return a typed value as JSON holds it; text where it is not what the field takes."""
    match spec:
        case Number() if _INTEGER.fullmatch(value):
            return int(value.replace("−", "-"))
        case Flag():
            return YES_NO.get(value.lower(), value)
        case Choice():
            return value.lower()
        case _:
            return value


def value_from_text(text: str) -> Any:
    """Return a typed value as what it looks like: a whole number, yes or no, or text."""
    if _COUNT.fullmatch(text):
        return int(text.replace("−", "-"))
    return YES_NO.get(text.lower(), text)


def list_from_text(text: str) -> list[Any]:
    """Return ``6,5,1`` as a list."""
    return [value_from_text(part) for part in text.split(",")] if text else []


def choice_from_text(text: str) -> Any:
    """Return ``0,3`` as positions, ``damage:1,glory:1`` as how many of each."""
    if ":" not in text:
        return list_from_text(text)
    pairs = [part.partition(":") for part in text.split(",")]
    return {name: value_from_text(count) for name, _, count in pairs}


def choices_apart(systems: Iterable[RuleSystem], typed: Typed) -> tuple[dict[str, Any], Typed]:
    """Return the decisions that stand beside a request, such as ``struck=0,3``, and the rest.

    Raises:
        RulesError: one is given twice.
    """
    names = dict.fromkeys(name for s in systems for kind in s.kinds for name in kind.decisions)
    found: dict[str, Any] = {}
    for name in names:
        value, typed = typed.without(name)
        if value is not None:
            found[name] = choice_from_text(value)
    return found, typed


def request_to_text(systems: Iterable[RuleSystem], request: Request) -> str:
    """Return a request as text that `request_from_text` takes back, as short as that allows."""
    known = tuple(systems)
    system = next(system for system in known if system.id == request.system)
    notation = system.format(request)
    told = system.parse(request.kind, notation) if notation else {}
    parts = (
        "" if system is known[0] else system.alias,
        "" if request.kind == system.kinds[0].kind else request.kind,
        notation,
        *(f"{path_text(path)}={_written(value)}" for path, value in _untold(request, told, ())),
    )
    return " ".join(part for part in parts if part)


def _untold(part: Fielded, told: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, object]]:
    """Yield each value that neither the notation tells nor the default gives."""
    for name, spec in specs(type(part)).items():
        value, here = getattr(part, name), (*path, name)
        match value:
            case Fielded():
                yield from _untold(value, told.get(name, {}), here)
            case tuple():
                heard = [*told.get(name, ()), *({} for _ in value)]
                for place, item in enumerate(value):
                    yield from _untold(item, heard[place], (*here, place))
            case _ if value != told.get(name, spec.default):
                yield here, value
            case _:
                pass


def _written(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case str() if _NEEDS_QUOTES.search(value):
            return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'
        case _:
            return str(value)
