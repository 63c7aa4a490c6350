"""What a document says, held against the schema: every value with its origin, every fault."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from station.config.document import Document, Place
from station.config.faults import Fault, nearest, told, unknown, wrong, wrong_number
from station.config.kinds import Key, Kind, Section, Whole
from station.config.settings import Setting

MOST_DIGITS = 0xFFFF
"""A larger number is none that anyone would have written in hexadecimal digits."""

DEFAULT = "default"
"""The origin of a value that nobody gave."""


@dataclass(slots=True)
class Found:
    """The values of one table of the file, good ones only.

    Attributes:
        name: how faults call the table: ``display``, ``serial[0]``.
        origins: where each value came from.
        bad: the keys whose value is wrong or missing.
        lines: the line of each key that the file gives.
    """

    name: str
    section: Section
    values: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    bad: set[str] = field(default_factory=set)
    lines: dict[str, int] = field(default_factory=dict)

    def settings(self) -> Iterator[Setting]:
        """Yield every value with its origin, in the order of the schema."""
        for key in self.section.names:
            yield Setting(self.name, key, self.values[key], self.origins[key])

    def fault(self, key: str, problem: str) -> Fault:
        """Return a fault of one of the keys."""
        return Fault(f"{self.name}.{key}", problem, self.lines.get(key))

    def sets(self, key: str) -> bool:
        """Return whether the file gives a good value that switches something on."""
        kind = self._kind(key)
        value = self.values.get(key)
        given = self.origins.get(key, DEFAULT) != DEFAULT
        return given and value not in (kind.default, None)

    def wrong(self, key: str, allowed: str, other: str | None = None) -> Fault:
        """Return the fault of a value that is wrong beside another one.

        Where only `other` stands in the file, that is the one to name.
        """
        told = f"{self.name}.{key} is {self._kind(key).written(self.values[key])}"
        if other is not None and key not in self.lines and other in self.lines:
            value = self._kind(other).written(self.values[other])
            told = f"{self.name}.{other} is {value}, and {told} by default"
            return self.fault(other, f"{told}, for which allowed is {allowed}")
        return self.fault(key, f"{told}: allowed is {allowed}")

    def _kind(self, key: str) -> Kind:
        return next(each for each in self.section.keys if each.name == key).kind


class Checker:
    """Reads the tables of one document; `faults` gathers whatever is wrong.

    Args:
        document: the file, or None for a configuration without one.
        sections: the schema.
    """

    def __init__(self, document: Document | None, sections: Sequence[Section]) -> None:
        self._document = document
        self._sections = {section.name: section for section in sections}
        self.faults: list[Fault] = []

    def all(self) -> dict[str, tuple[Found, ...]]:
        """Return the tables of each section: exactly one, or any number where there are many."""
        data = self._document.data if self._document else {}
        self._check_names(data, (), self._heads())
        for parent in self._parents():
            if isinstance(data.get(parent), dict):
                below = [n for n in self._sections if n.startswith(f"{parent}.")]
                names = {name.partition(".")[2]: name for name in below}
                self._check_names(data[parent], (parent,), names)
        return {name: tuple(self._tables(section)) for name, section in self._sections.items()}

    def _every(self) -> Iterable[Section]:
        return self._sections.values()

    def _heads(self) -> dict[str, str]:
        return {name.partition(".")[0]: name for name in self._sections}

    def _parents(self) -> list[str]:
        return sorted({name.partition(".")[0] for name in self._sections if "." in name})

    def _check_names(self, data: Mapping[str, Any], place: Place, known: Mapping[str, str]) -> None:
        for name, value in data.items():
            where = ".".join(str(step) for step in (*place, told(name)))
            line = self._line((*place, name))
            if name in known:
                if (*place, name) == (name,) and name in self._parents():
                    self._check_table(value, name, line)
                continue
            if isinstance(value, dict | list):
                self._add(unknown(where, "section", name, known), line)
            else:
                self._add(self._astray(where, name), line)

    def _check_table(self, value: object, name: str, line: int | None) -> None:
        if not isinstance(value, dict):
            sections = (s.heading for s in self._every() if s.name.startswith(f"{name}."))
            self._add(wrong(name, value, f"a section such as {', '.join(sections)}"), line)

    def _astray(self, where: str, name: str) -> Fault:
        """Return the fault of a key where only sections stand."""
        known = {key: section.heading for section in self._every() for key in section.names}
        near = nearest(name, known, 0.6)
        hint = f"did you mean {near} in {known[near]}?" if near else "every key needs one"
        if name in known:
            hint = f"it belongs in {known[name]}"
        return Fault(where, f"{where} stands outside its section: {hint}")

    def _tables(self, section: Section) -> Iterator[Found]:
        place = tuple(section.name.split("."))
        data: Any = self._document.data if self._document else {}
        for step in place:
            data = data.get(step) if isinstance(data, dict) else None
        if section.many:
            yield from self._list(section, place, data)
        elif data is None or isinstance(data, dict):
            yield self._table(section, section.name, place, data or {})
        else:
            allowed = f"a section, {section.heading}"
            self._add(wrong(section.name, data, allowed), self._line(place))
            yield self._table(section, section.name, place, {})

    def _list(self, section: Section, place: Place, data: object) -> Iterator[Found]:
        if data is None:
            return
        if not isinstance(data, list) or not all(isinstance(each, dict) for each in data):
            allowed = f"sections that begin with {section.heading}"
            self._add(wrong(section.name, data, allowed), self._line(place))
            return
        for number, each in enumerate(data):
            name = f"{section.name}[{number}]"
            yield self._table(section, name, (*place, number), each)

    def _table(self, section: Section, name: str, place: Place, data: Mapping[str, Any]) -> Found:
        found = Found(name, section)
        for key in data:
            if key not in section.names:
                self._unknown_key(found, key, self._line((*place, key)))
        for known in section.keys:
            line = self._line((*place, known.name))
            if line is not None:
                found.lines[known.name] = line
            self._value(found, known, data, self._line(place))
        return found

    def _value(self, found: Found, key: Key, data: Mapping[str, Any], table: int | None) -> None:
        where = f"{found.name}.{key.name}"
        given = key.name in data
        if given and key.kind.accepts(data[key.name]):
            line = found.lines.get(key.name)
            found.values[key.name] = key.kind.read(data[key.name])
            found.origins[key.name] = "file" if line is None else f"line {line}"
            return
        if not given and not key.kind.required:
            found.values[key.name] = key.kind.default
            found.origins[key.name] = DEFAULT
            return
        found.bad.add(key.name)
        if given:
            fault = _wrong(where, data[key.name], key.kind)
            self._add(fault, found.lines.get(key.name))
        else:
            problem = f"{where} is missing: allowed is {key.kind.allowed}"
            self._add(Fault(where, problem), table)

    def _unknown_key(self, found: Found, key: str, line: int | None) -> None:
        where = f"{found.name}.{told(key)}"
        home = next((s for s in self._every() if key in s.names), None)
        if home is not None:
            self._add(Fault(where, f"{where} is no key: it belongs in {home.heading}"), line)
        else:
            self._add(unknown(where, "key", key, found.section.names), line)

    def _add(self, fault: Fault, line: int | None) -> None:
        self.faults.append(Fault(fault.where, fault.problem, line))

    def _line(self, place: Place) -> int | None:
        lines = self._document.lines if self._document else {}
        return lines.get(place) or lines.get((*place, 0))


def _wrong(where: str, value: Any, kind: Kind) -> Fault:
    as_digits = isinstance(kind, Whole) and kind.hexadecimal and type(value) is int
    if as_digits and 0 <= value <= MOST_DIGITS:
        return wrong_number(where, value, kind.allowed)
    return wrong(where, value, kind.allowed)


def in_order(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return faults in the order of their lines, those without one last."""
    return tuple(sorted(faults, key=lambda each: (each.line is None, each.line or 0)))
