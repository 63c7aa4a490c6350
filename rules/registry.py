"""The systems the station knows, and the way from and to plain JSON data."""

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from rules import opposed_attribute, seven_kingdoms, wrath_and_glory
from rules.dial import fresh
from rules.errors import MissingFieldError, RulesError, shown
from rules.fields import build, describe, plain
from rules.model import Request, RuleSystem, odds_plain

SYSTEMS: tuple[RuleSystem, ...] = (
    seven_kingdoms.SYSTEM,
    wrath_and_glory.SYSTEM,
    opposed_attribute.SYSTEM,
)
"""The systems that come with the station, in the order of its menu."""


class Registry:
    """Systems by id; an immutable list that `register` makes a longer copy of."""

    def __init__(self, systems: tuple[RuleSystem, ...] = SYSTEMS) -> None:
        self._by_id = {system.id: system for system in systems}
        if len(self._by_id) != len(systems):
            raise RulesError("system", [system.id for system in systems], "ids that differ")

    def __iter__(self) -> Iterator[RuleSystem]:
        return iter(self._by_id.values())

    def register(self, system: RuleSystem) -> "Registry":
        """Return a registry that also knows this system; raises RulesError if the id is taken."""
        return Registry((*self, system))

    def system(self, name: object) -> RuleSystem:
        """Return the system of that id.

        Raises:
            RulesError: there is none.
        """
        if isinstance(name, str) and name in self._by_id:
            return self._by_id[name]
        near = difflib.get_close_matches(shown(name), self._by_id, n=1)
        hint = f"did you mean {near[0]}?" if near else ""
        raise RulesError("system", name, ", ".join(self._by_id), hint)

    def of(self, request: Request) -> RuleSystem:
        """Return the system that a request belongs to."""
        return self.system(request.system)

    def request(self, data: object) -> Request:
        """Build a request from its JSON object.

        Raises:
            RulesError: naming the field that is unknown, missing or wrong.
        """
        if not isinstance(data, Mapping):
            raise RulesError((), data, "an object with system and kind")
        kind = self._kind(data)
        return build(kind, {k: v for k, v in data.items() if k not in ("system", "kind")})

    def _kind(self, data: Mapping[str, Any]) -> type[Request]:
        if "system" not in data:
            raise MissingFieldError("system", None, ", ".join(self._by_id))
        system = self.system(data["system"])
        kinds = {kind.kind: kind for kind in system.kinds}
        if "kind" not in data:
            raise MissingFieldError("kind", None, ", ".join(kinds))
        if not isinstance(data["kind"], str) or data["kind"] not in kinds:
            raise RulesError("kind", data["kind"], ", ".join(kinds))
        return kinds[data["kind"]]


def request_plain(request: Request) -> dict[str, object]:
    """Return the JSON form of a request: system, kind, and what differs from its defaults."""
    return {"system": request.system, "kind": request.kind, **plain(request)}


def system_plain(system: RuleSystem) -> dict[str, Any]:
    """Return a system as JSON-able data: enough to build a user interface from."""
    return {
        "id": system.id,
        "title": system.title,
        "alias": system.alias,
        "kinds": [
            {
                "kind": kind.kind,
                "title": kind.title,
                "fields": describe(kind),
                "needs": [list(names) for names in kind.needs],
                "decisions": list(kind.decisions),
                "choices": _choices_described(system, kind),
                "odds": _odds_described(system, kind),
            }
            for kind in system.kinds
        ],
    }


def _choices_described(system: RuleSystem, kind: type[Request]) -> dict[str, object]:
    """Return the JSON form of each decision that may be open after a kind of test."""
    forms = {**system.choice_forms, **kind.choice_forms}
    return {name: dict(forms[name]) for name in kind.decisions if name in forms}


def _odds_described(system: RuleSystem, kind: type[Request]) -> list[dict[str, str]]:
    """Return what each of the odds of a kind is: the same for all its requests."""
    told = odds_plain(system.odds(fresh(kind)))
    return [{"name": name, "type": _odds_type(system, name, part)} for name, part in told.items()]


def _odds_type(system: RuleSystem, name: str, part: object) -> str:
    match part:
        case list():
            return "chances"
        case {"n": _, "d": _, "p": _}:
            return "expectation" if name in system.expectations else "chance"
        case _:
            return "distribution"


DEFAULT = Registry()
"""The registry of the systems that come with the station."""
