"""Sections of the configuration that come from the systems of rules, whichever these are."""

from collections.abc import Iterator

from rules.fields import specs
from rules.leaves import Choice
from rules.model import RuleSystem
from rules.registry import SYSTEMS
from station.config.kinds import Key, OneOf, Section
from station.config.schema import SECTIONS


def schema(systems: tuple[RuleSystem, ...] = SYSTEMS) -> tuple[Section, ...]:
    """Return every section there is, in the order of the example file."""
    return (*SECTIONS, *rule_sections(systems))


def rule_sections(systems: tuple[RuleSystem, ...]) -> Iterator[Section]:
    """Yield a section for each system that has options of its own."""
    for system in systems:
        if keys := tuple(_options(system)):
            yield Section(f"rules.{system.id}", f"Options of {system.title}.", keys)


def _options(system: RuleSystem) -> Iterator[Key]:
    found: dict[str, tuple[Choice, list[str]]] = {}
    for kind in system.kinds:
        for name, spec in specs(kind).items():
            if isinstance(spec, Choice) and spec.recorded:
                found.setdefault(name, (spec, []))[1].append(kind.title)
    for name, (spec, titles) in found.items():
        values = OneOf(default=spec.default, values=spec.values)
        yield Key(name, values, f"{spec.label} ({', '.join(titles)}).")
