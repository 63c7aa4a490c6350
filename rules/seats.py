"""Who is named in a request, and how a character of the table takes such a place."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rules.errors import Path
from rules.fields import Fielded, Group, Series, specs
from rules.frozen import frozen
from rules.leaves import Text
from rules.model import HARM, Request
from rules.table import Character

NAME = "name"
"""The field of a request, or of a part of one, that says who."""

ATTRIBUTE = "attribute"
"""The field of a request that says which attribute is tested."""

SCORE = "score"
"""The field of a part that holds the current Score in the attribute tested."""


@frozen
class Word:
    """A free text of a request: where it stands, its label, and the text; None where unset."""

    path: Path
    label: str
    text: str | None


def words(request: Request) -> tuple[Word, ...]:
    """Return every free text of a request, as declared; the name of a part goes by its label."""
    return tuple(_words(request, "", ()))


def _words(part: Fielded, label: str, path: Path) -> Iterator[Word]:
    for name, spec in specs(type(part)).items():
        value, here = getattr(part, name), (*path, name)
        match spec:
            case Text() if name == NAME and label:
                yield Word(here, label, value)
            case Text():
                yield Word(here, f"{label} {spec.label}".strip(), value)
            case Group():
                yield from _words(value, spec.label, here)
            case Series():
                for place, item in enumerate(value):
                    yield from _words(item, f"No. {place + 1}", (*here, place))
            case _:
                pass


def worded(request: Request, path: Path, text: str | None) -> Request:
    """Return a request with a free text set, or unset.

    Raises:
        RulesError: the text is not to be had there.
    """
    result: Request = _changed(request, path, lambda part: replace(part, **{str(path[-1]): text}))
    return result


def taken(request: Request, path: Path, character: Character) -> Request:
    """Return a request with a place in it, by the path of its name, taken by a character.

    What hinders them comes with them, and the current Score of the attribute tested where the
    place has one: "take the Attacker's current Attribute Score for the ability being tested".

    Raises:
        RulesError: there is no such place.
    """
    result: Request = _changed(request, path, lambda part: _by(part, request, character))
    return result


def _by(part: Any, request: Request, character: Character) -> Any:
    known = specs(type(part))
    own = {name: getattr(character, name) for name in HARM if name in known}
    tested = getattr(request, ATTRIBUTE, None)
    scores = {each.attribute: each.current for each in character.reserves}
    if SCORE in known and tested in scores:
        own[SCORE] = scores[tested]
    return replace(part, **own)


def _changed(part: Any, path: Path, change: Any) -> Any:
    """Return a part with the owner of the last step of a path changed."""
    if len(path) == 1:
        return change(part)
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        return (*part[:step], _changed(part[step], rest, change), *part[step + 1 :])
    return replace(part, **{step: _changed(getattr(part, step), rest, change)})
