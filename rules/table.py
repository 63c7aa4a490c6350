"""The table's state: characters with their harm and Reserves, the group's Glory, running tests.

Everything here is a value. `rules.acts` says what can be done to it, `rules.changes` how that is
taken back. Lists stand in the order of their names, so that equal states are equal values.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from difflib import get_close_matches
from typing import TypeVar

from rules.errors import MissingFieldError, RulesError
from rules.fields import Fielded, build, number, plain, series, text
from rules.frozen import frozen
from rules.leaves import MOST_POINTS, NAME_LENGTH, TEXT_LENGTH
from rules.scores import LIMIT

RESERVE = 10
"""Reserve points of one Score: "each 10 points ... lost will also incur a Score loss of 1"."""

MOST_HARM = 20
"""Wounds, injuries and ranks of Endurance at the most."""

MOST_CHARACTERS = 60
MOST_RESERVES = 12
MOST_TESTS = 60


FieldedT = TypeVar("FieldedT", bound=Fielded)


def in_order(parts: Iterable[FieldedT], name: Callable[[FieldedT], str]) -> tuple[FieldedT, ...]:
    """Return parts in the one order that a table keeps them in."""
    return tuple(sorted(parts, key=name))


def needed(part: Fielded, *fields: str) -> None:
    """Raise MissingFieldError for the first of these texts that is not given."""
    for field in fields:
        if getattr(part, field) is None:
            raise MissingFieldError(field, None, "text of at least 1 character")


def _distinct(field: str, names: list[str]) -> None:
    for place, name in enumerate(names):
        if name in names[:place]:
            raise RulesError((field, place), name, "names that differ", "there are two of it")


def _found(
    parts: tuple[FieldedT, ...], wanted: str, field: str, name: Callable[[FieldedT], str]
) -> FieldedT:
    for part in parts:
        if name(part) == wanted:
            return part
    names = [name(part) for part in parts]
    near = get_close_matches(wanted[:NAME_LENGTH], names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there is no such {field}"
    raise RulesError(field, wanted, ", ".join(names) or "none is known yet", hint)


@frozen(kw_only=True)
class Reserve(Fielded):
    """One attribute of a character, for opposed tests.

    Attributes:
        attribute: its name.
        score: the base Score, −10…+10, before any loss.
        lost: Reserve points lost and not healed.
        residual: points lost at the end of each turn until healed.
    """

    attribute: str = text("Attribute", TEXT_LENGTH)
    score: int = number("Score", -LIMIT, LIMIT, required=True)
    lost: int = number("Lost", 0, MOST_POINTS, default=0)
    residual: int = number("Residual", 0, MOST_POINTS, default=0)

    def check_together(self) -> None:
        """Raise RulesError if the attribute has no name."""
        needed(self, "attribute")

    @property
    def current(self) -> int:
        """The current Score: "each 10 points ... lost" lower it by 1, never below −10."""
        return max(-LIMIT, self.score - self.lost // RESERVE)

    @property
    def left(self) -> int:
        """Reserve points left of the current ten, 1–10."""
        return RESERVE - self.lost % RESERVE


@frozen(kw_only=True)
class Character(Fielded):
    """A character at the table.

    Attributes:
        endurance: a rank, 1–20; None where nobody said.
        wounds: "removes 1 test die from every test"; injuries: "subtracts 1 from the result".
    """

    name: str = text("Name", NAME_LENGTH)
    endurance: int | None = number("Endurance", 1, MOST_HARM, optional=True)
    wounds: int = number("Wounds", 0, MOST_HARM, default=0)
    injuries: int = number("Injuries", 0, MOST_HARM, default=0)
    reserves: tuple[Reserve, ...] = series("Reserves", Reserve, 0, MOST_RESERVES)

    def check_together(self) -> None:
        """Raise RulesError for a lack of name, equal attributes, or too many injuries.

        Injuries: "Cannot exceed your Endurance rank".
        """
        needed(self, "name")
        _distinct("reserves", [reserve.attribute for reserve in self.reserves])
        if self.endurance is not None and self.injuries > self.endurance:
            raise RulesError(
                "injuries", self.injuries, f"0–{self.endurance}", "Endurance is the limit"
            )

    @property
    def dead(self) -> bool:
        """Whether they died: "when your wounds reach your Endurance rank, you die"."""
        return self.endurance is not None and self.wounds >= self.endurance


@frozen(kw_only=True)
class Cost(Fielded):
    """How often the rolls of an extended test took something: time, risk or resources."""

    label: str = text("Cost", TEXT_LENGTH)
    count: int = number("Times", 1, MOST_POINTS, required=True)

    def check_together(self) -> None:
        """Raise RulesError if it has no label."""
        needed(self, "label")


@frozen(kw_only=True)
class Progress(Fielded):
    """An extended test under way: "a set number of successes across several successive rolls".

    Attributes:
        name: whose it is, or None where nobody said.
        gained: successes so far; needed: successes in all.
        rolls: how many rolls it took so far; costs: what they took.
    """

    name: str | None = text("Name", NAME_LENGTH)
    gained: int = number("Gained", 0, MOST_POINTS, required=True)
    needed: int = number("Needed", 1, 99, required=True)
    rolls: int = number("Rolls", 0, MOST_POINTS, required=True)
    costs: tuple[Cost, ...] = series("Costs", Cost, 0, 99)

    def check_together(self) -> None:
        """Raise RulesError for two tallies of one cost."""
        _distinct("costs", [cost.label for cost in self.costs])

    @property
    def complete(self) -> bool:
        """Whether all successes have been gained."""
        return self.gained >= self.needed


@frozen(kw_only=True)
class Table(Fielded):
    """All that the table keeps count of.

    Attributes:
        glory: the group's, never below 0; glory_cap: the most it can gain, None for no limit.
        turn: the running turn, from 1.
    """

    glory: int = number("Glory", 0, MOST_POINTS, default=0)
    glory_cap: int | None = number("Glory cap", 0, MOST_POINTS, optional=True)
    turn: int = number("Turn", 1, MOST_POINTS, default=1)
    characters: tuple[Character, ...] = series("Characters", Character, 0, MOST_CHARACTERS)
    progress: tuple[Progress, ...] = series("Extended tests", Progress, 0, MOST_TESTS)

    def check_together(self) -> None:
        """Raise RulesError for two characters or two extended tests of one name."""
        _distinct("characters", [character.name for character in self.characters])
        _distinct("progress", [test.name or "" for test in self.progress])

    def character(self, name: str) -> Character:
        """Return the character of that name.

        Raises:
            RulesError: there is none.
        """
        return _found(self.characters, name, "character", lambda each: each.name)

    def reserve(self, name: str, attribute: str) -> Reserve:
        """Return a character's Reserve of an attribute.

        Raises:
            RulesError: there is no such character or attribute.
        """
        reserves = self.character(name).reserves
        return _found(reserves, attribute, "attribute", lambda each: each.attribute)

    def test(self, name: str | None) -> Progress | None:
        """Return the extended test of that name, or None."""
        return next((test for test in self.progress if test.name == name), None)

    def with_character(self, changed: Character) -> "Table":
        """Return the table with a character added, or in place of the one of the same name."""
        others = [each for each in self.characters if each.name != changed.name]
        return replace(self, characters=in_order([*others, changed], lambda each: each.name))

    def with_reserve(self, name: str, changed: Reserve) -> "Table":
        """Return the table with a character's Reserve added or replaced."""
        character = self.character(name)
        others = [each for each in character.reserves if each.attribute != changed.attribute]
        reserves = in_order([*others, changed], lambda each: each.attribute)
        return self.with_character(replace(character, reserves=reserves))

    def with_test(self, changed: Progress) -> "Table":
        """Return the table with an extended test begun or replaced."""
        others = [each for each in self.progress if each.name != changed.name]
        return replace(self, progress=in_order([*others, changed], lambda each: each.name or ""))


EMPTY = Table(characters=(), progress=())
"""A table before anyone has sat down."""


def table_plain(table: Table) -> dict[str, object]:
    """Return the table in its JSON form, as it is kept."""
    return plain(table)


def table_from_plain(data: object) -> Table:
    """Return the table that a JSON form describes, its lists in whatever order.

    Raises:
        RulesError: naming the field that is unknown, missing or wrong.
    """
    table = build(Table, data)
    ordered = EMPTY
    for character in table.characters:
        reserves = in_order(character.reserves, lambda each: each.attribute)
        ordered = ordered.with_character(replace(character, reserves=reserves))
    for test in table.progress:
        costs = in_order(test.costs, lambda each: each.label)
        ordered = ordered.with_test(replace(test, costs=costs))
    return replace(table, characters=ordered.characters, progress=ordered.progress)


def state_plain(table: Table) -> dict[str, object]:
    """Return the table as other programs read it: every field, and what follows from them."""
    return {
        "glory": table.glory,
        "glory_cap": table.glory_cap,
        "turn": table.turn,
        "characters": [_character_told(character) for character in table.characters],
        "progress": [_progress_told(test) for test in table.progress],
    }


def _character_told(character: Character) -> dict[str, object]:
    return {
        "name": character.name,
        "endurance": character.endurance,
        "wounds": character.wounds,
        "injuries": character.injuries,
        "dead": character.dead,
        "reserves": [_reserve_told(reserve) for reserve in character.reserves],
    }


def _reserve_told(reserve: Reserve) -> dict[str, object]:
    return {
        "attribute": reserve.attribute,
        "score": reserve.score,
        "current": reserve.current,
        "reserve": reserve.left,
        "lost": reserve.lost,
        "residual": reserve.residual,
    }


def _progress_told(test: Progress) -> dict[str, object]:
    return {
        "name": test.name,
        "gained": test.gained,
        "needed": test.needed,
        "rolls": test.rolls,
        "complete": test.complete,
        "costs": {cost.label: cost.count for cost in test.costs},
    }
