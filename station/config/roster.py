"""The roster: the table's characters with their abilities, specialties and finished pools.

    [[character]]
    name = "Ser Brus"
    endurance = 4
    abilities = { Fighting = 4, Agility = 3 }
    specialties = { "Fighting (Axes)" = 2 }
    pools = { "Axe from the saddle" = "4D+2B-1P", "Chainsword" = "wg attack 3+3+1" }
    scores = { Strength = 3 }

An ability's rank is its test dice, a specialty's its bonus dice. A pool is what one would type to
roll it, in any system; what it leaves out is dialled. Scores are for opposed tests.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rules.errors import MissingFieldError, RulesError
from rules.fields import specs
from rules.frozen import frozen
from rules.leaves import NAME_LENGTH, TEXT_LENGTH, Number, Text
from rules.model import Request
from rules.notation import LONGEST, data_from_text
from rules.pools import MOST_DICE
from rules.registry import DEFAULT, Registry
from rules.scores import LIMIT
from rules.table import (
    EMPTY,
    MOST_CHARACTERS,
    MOST_HARM,
    MOST_RESERVES,
    Character,
    Reserve,
    Table,
    in_order,
)
from station.config import check
from station.config.document import Document, Place, read_document
from station.config.faults import ConfigError, Fault, told, unknown, wrong

MOST_POOLS = 60
"""Entries of each list of one character."""

SPECIALTY = re.compile(r"(?P<ability>.+) \([^()]+\)")
"""A specialty as players write it: ``Fighting (Axes)``."""

_NAME = Text(label="Name", longest=NAME_LENGTH, default="")
_LONG_NAME = Text(label="Name", longest=TEXT_LENGTH, default="")
_ENDURANCE = Number(label="Endurance", low=1, high=MOST_HARM)
_RANK = Number(label="Rank", low=1, high=MOST_DICE)
_BONUS = Number(label="Bonus", low=0, high=MOST_DICE)
_SCORE = Number(label="Score", low=-LIMIT, high=LIMIT)
_NOTATION = Text(label="Pool", longest=LONGEST, default="")

_LISTS = ("abilities", "specialties", "pools", "scores")
_KEYS = ("name", "endurance", *_LISTS)


@frozen
class NamedPool:
    """A finished pool: its name, such as ``Fighting (Axes)``, and the request to dial for it."""

    name: str
    request: Request


@frozen
class Member:
    """A character of the roster: unharmed, with its pools, the finished ones first."""

    character: Character
    pools: tuple[NamedPool, ...]


@frozen
class Roster:
    """All characters, in the order of the file."""

    members: tuple[Member, ...] = ()

    def member(self, name: str) -> Member | None:
        """Return the character of that name, or None."""
        return next((each for each in self.members if each.character.name == name), None)

    def seated(self, table: Table = EMPTY) -> Table:
        """Return a table with the roster's characters added; who sits there already stays."""
        seated = {character.name for character in table.characters}
        for member in self.members:
            if member.character.name not in seated:
                table = table.with_character(member.character)
        return table


def load_roster(path: Path | None, registry: Registry = DEFAULT) -> Roster:
    """Return the roster in a file; None is a table without one.

    Raises:
        ConfigError: the file cannot be read or something in it is wrong.
    """
    return roster_of(read_document(path), registry) if path else Roster()


def roster_of(document: Document, registry: Registry = DEFAULT) -> Roster:
    """Return the roster that a document holds.

    Raises:
        ConfigError: something in it is wrong.
    """
    reader = _Reader(document, registry)
    members = reader.members()
    if reader.faults:
        raise ConfigError(document.path, check.in_order(reader.faults))
    return Roster(members)


def dialled(registry: Registry, text: str, whose: str) -> Request:
    """Return the request that a pool's text stands for, with what it leaves out as a fresh dial.

    Raises:
        RulesError: it is no pool of any system.
    """
    data = data_from_text(registry, text)
    kinds = {kind.kind: kind for kind in registry.system(data["system"]).kinds}
    known = specs(kinds[data["kind"]])
    if "name" in known:
        data.setdefault("name", whose)
    while True:
        try:
            return registry.request(data)
        except MissingFieldError as error:
            field = error.path[0]
            if field in data or len(error.path) != 1:
                raise
            data[str(field)] = known[str(field)].first()


class _Reader:
    """Reads the characters of one document; `faults` gathers whatever is wrong."""

    def __init__(self, document: Document, registry: Registry) -> None:
        self._document = document
        self._registry = registry
        self.faults: list[Fault] = []

    def members(self) -> tuple[Member, ...]:
        data = self._document.data
        for name in data:
            if name != "character":
                self._add(unknown(told(name), "section", name, ["character"]), (name,))
        found = data.get("character", [])
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            self._add(wrong("character", found, "sections [[character]]"), ("character",))
            return ()
        if len(found) > MOST_CHARACTERS:
            allowed = f"at most {MOST_CHARACTERS} of them"
            self._add(wrong("character", found, allowed), ("character", MOST_CHARACTERS))
        members = [self._member(each, ("character", n)) for n, each in enumerate(found)]
        return tuple(member for member in members if member is not None)

    def _member(self, data: Mapping[str, Any], place: Place) -> Member | None:
        before = len(self.faults)
        for key in data:
            if key not in _KEYS:
                self._add(unknown(_where((*place, key)), "key", key, _KEYS), (*place, key))
        name = self._name(data, place)
        endurance = data.get("endurance")
        if endurance is not None:
            self._check(_ENDURANCE, endurance, (*place, "endurance"))
        lists = {key: self._list(data.get(key, {}), (*place, key)) for key in _LISTS}
        self._check_lists(lists, place)
        finished = self._finished(lists["pools"], name, place)
        if len(self.faults) > before:
            return None
        pools = (*finished, *self._derived(lists, name, place))
        return Member(_character(name, endurance, lists["scores"]), pools)

    def _name(self, data: Mapping[str, Any], place: Place) -> str:
        here = (*place, "name")
        if "name" not in data:
            problem = f"{_where(here)} is missing: allowed is {_NAME.allowed}"
            self._add(Fault(_where(here), problem), place)
            return ""
        name = data["name"]
        others = self._document.data["character"][: place[1]]
        if self._check(_NAME, name, here) and any(each.get("name") == name for each in others):
            self._add(wrong(_where(here), name, "a name that no other character has"), here)
        return str(name)

    def _list(self, data: object, place: Place) -> dict[str, Any]:
        if not isinstance(data, dict):
            self._add(
                wrong(_where(place), data, "names with values, in { } or below a heading"), place
            )
            return {}
        most = MOST_RESERVES if place[-1] == "scores" else MOST_POOLS
        if len(data) > most:
            problem = f"{_where(place)} has {len(data)} entries: allowed are at most {most}"
            self._add(Fault(_where(place), problem), place)
        for name in data:
            self._check(_LONG_NAME, name, (*place, name))
        return data

    def _check_lists(self, lists: Mapping[str, dict[str, Any]], place: Place) -> None:
        takes: dict[str, Number | Text] = {
            "abilities": _RANK,
            "specialties": _BONUS,
            "pools": _NOTATION,
            "scores": _SCORE,
        }
        for key, spec in takes.items():
            for name, value in lists[key].items():
                self._check(spec, value, (*place, key, name))
        for name in lists["specialties"]:
            found = SPECIALTY.fullmatch(name)
            here = (*place, "specialties", name)
            if found is None:
                problem = f'{_where(here)} is no specialty: write it as "Ability (Specialty)"'
                self._add(Fault(_where(here), problem), here)
            elif found["ability"] not in lists["abilities"]:
                what = "ability of the character"
                fault = unknown(_where(here), what, found["ability"], lists["abilities"])
                self._add(fault, here)

    def _finished(self, texts: Mapping[str, Any], whose: str, place: Place) -> list[NamedPool]:
        return [
            pool
            for name, text in texts.items()
            if isinstance(text, str) and text.strip()
            for pool in self._pool(name, text, whose, (*place, "pools", name))
        ]

    def _derived(
        self, lists: Mapping[str, dict[str, Any]], whose: str, place: Place
    ) -> Iterator[NamedPool]:
        """Yield the pools of specialties and abilities; only where those have no fault."""
        ranks = lists["abilities"]
        for name, bonus in lists["specialties"].items():
            rank = ranks[name.rpartition(" (")[0]]
            yield from self._pool(name, f"{rank}D+{bonus}B", whose, (*place, "specialties", name))
        for name, rank in ranks.items():
            yield from self._pool(name, f"{rank}D", whose, (*place, "abilities", name))

    def _pool(self, name: str, text: str, whose: str, place: Place) -> Iterator[NamedPool]:
        try:
            yield NamedPool(name, dialled(self._registry, text, whose))
        except RulesError as error:
            self._add(Fault(_where(place), f"{_where(place)}: {error}"), place)

    def _check(self, spec: Number | Text, value: object, place: Place) -> bool:
        try:
            spec.check("", value)
        except RulesError as error:
            self._add(wrong(_where(place), value, error.allowed), place)
            return False
        return True

    def _add(self, fault: Fault, place: Place) -> None:
        lines = self._document.lines
        line = lines.get(place) or lines.get((*place, 0)) or lines.get(place[:-1])
        self.faults.append(Fault(fault.where, fault.problem, line))


def _where(place: Place) -> str:
    """Return a place as faults call it: ``character[0].pools.Axes``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{told(step)}" for step in place)
    return text.removeprefix(".")


def _character(name: str, endurance: int | None, scores: Mapping[str, int]) -> Character:
    reserves = [Reserve(attribute=each, score=score) for each, score in scores.items()]
    return Character(
        name=name,
        endurance=endurance,
        reserves=in_order(reserves, lambda each: each.attribute),
    )
