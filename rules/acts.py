"""What can be done to the table's state: wounds and healing, Glory, Reserve, the end of a turn.

An act is a value with a JSON form, ``{"act": "wound", "character": "Arya", "count": 2}``; `apply`
gives the state after it, or refuses with the state unchanged. Sentences in quotes are the rule
texts' own.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from rules.errors import MissingFieldError, RulesError
from rules.fields import Fielded, build, flag, number, plain, series, text
from rules.frozen import frozen
from rules.leaves import MOST_POINTS, NAME_LENGTH, TEXT_LENGTH
from rules.model import Consequence
from rules.scores import LIMIT
from rules.table import (
    MOST_HARM,
    MOST_RESERVES,
    Character,
    Cost,
    Progress,
    Reserve,
    Table,
    in_order,
    needed,
)


@frozen(kw_only=True)
class Act(Fielded, ABC):
    """Something done to the table's state; `act` is its name in JSON."""

    act: ClassVar[str]

    @abstractmethod
    def done_to(self, table: Table) -> Table:
        """Return the state after it; raises RulesError where the rules forbid it."""


@frozen(kw_only=True)
class CharacterAct(Act):
    """An act that befalls one character, by name."""

    character: str = text("Character", NAME_LENGTH)

    def check_together(self) -> None:
        """Raise RulesError if no character is named."""
        needed(self, "character")


@frozen(kw_only=True)
class Wound(CharacterAct):
    """Wounds taken: "each wound is a pool penalty: it removes 1 test die from every test"."""

    act: ClassVar[str] = "wound"
    count: int = number("Wounds", 1, MOST_HARM, default=1)

    def done_to(self, table: Table) -> Table:
        """Return the state with so many more wounds."""
        character = table.character(self.character)
        return table.with_character(replace(character, wounds=character.wounds + self.count))


@frozen(kw_only=True)
class Injury(CharacterAct):
    """Injuries taken: they "subtract 1 from the result", and cannot exceed Endurance."""

    act: ClassVar[str] = "injury"
    count: int = number("Injuries", 1, MOST_HARM, default=1)

    def done_to(self, table: Table) -> Table:
        """Return the state with so many more injuries; refused beyond Endurance."""
        character = table.character(self.character)
        return table.with_character(replace(character, injuries=character.injuries + self.count))


@frozen(kw_only=True)
class HealWound(CharacterAct):
    """Wounds healed, as many as there are at the most."""

    act: ClassVar[str] = "heal_wound"
    count: int = number("Wounds", 1, MOST_HARM, default=1)

    def done_to(self, table: Table) -> Table:
        """Return the state with so many wounds fewer."""
        character = table.character(self.character)
        _check_enough(self.count, character.wounds, "wound")
        return table.with_character(replace(character, wounds=character.wounds - self.count))


@frozen(kw_only=True)
class HealInjury(CharacterAct):
    """Injuries healed, as many as there are at the most."""

    act: ClassVar[str] = "heal_injury"
    count: int = number("Injuries", 1, MOST_HARM, default=1)

    def done_to(self, table: Table) -> Table:
        """Return the state with so many injuries fewer."""
        character = table.character(self.character)
        _check_enough(self.count, character.injuries, "injury")
        return table.with_character(replace(character, injuries=character.injuries - self.count))


def _check_enough(count: int, there: int, what: str) -> None:
    if count > there:
        allowed = f"1–{there}" if there else "nothing"
        raise RulesError("count", count, allowed, f"there is no {what} more to heal")


@frozen(kw_only=True)
class GiveGlory(Act):
    """Glory the group gains, or spends where it is negative; never below 0."""

    act: ClassVar[str] = "glory"
    count: int = number("Glory", -MOST_POINTS, MOST_POINTS, required=True)

    def done_to(self, table: Table) -> Table:
        """Return the state after it: what exceeds the cap is lost, spending more is refused."""
        glory = table.glory + self.count
        if glory < 0:
            raise RulesError(
                "count", self.count, f"{-table.glory} and above", "beyond what is left"
            )
        if self.count > 0 and table.glory_cap is not None:
            glory = max(table.glory, min(glory, table.glory_cap))
        return replace(table, glory=glory)


@frozen(kw_only=True)
class LoseReserve(CharacterAct):
    """Attribute Reserve Damage; `residual`: "1 additional point each turn until healed" more."""

    act: ClassVar[str] = "reserve"
    attribute: str = text("Attribute", TEXT_LENGTH)
    count: int = number("Points", 0, MOST_POINTS, required=True)
    residual: bool = flag("Residual damage")

    def check_together(self) -> None:
        """Raise RulesError if character or attribute is not named."""
        needed(self, "character", "attribute")

    def done_to(self, table: Table) -> Table:
        """Return the state with so many points lost."""
        reserve = table.reserve(self.character, self.attribute)
        changed = replace(
            reserve, lost=reserve.lost + self.count, residual=reserve.residual + self.residual
        )
        return table.with_reserve(self.character, changed)


@frozen(kw_only=True)
class HealReserve(CharacterAct):
    """Reserve points healed, and with `end_residual` the residual damage ended."""

    act: ClassVar[str] = "heal_reserve"
    attribute: str = text("Attribute", TEXT_LENGTH)
    count: int = number("Points", 0, MOST_POINTS, default=0)
    end_residual: bool = flag("End residual damage")

    def check_together(self) -> None:
        """Raise RulesError if character or attribute is not named."""
        needed(self, "character", "attribute")

    def done_to(self, table: Table) -> Table:
        """Return the state with so many points fewer lost, never below 0."""
        reserve = table.reserve(self.character, self.attribute)
        changed = replace(
            reserve,
            lost=max(0, reserve.lost - self.count),
            residual=0 if self.end_residual else reserve.residual,
        )
        return table.with_reserve(self.character, changed)


@frozen(kw_only=True)
class EndTurn(Act):
    """The turn ends: residual damage "continues ... each turn until healed or repaired"."""

    act: ClassVar[str] = "end_turn"

    def done_to(self, table: Table) -> Table:
        """Return the state after everyone's residual damage, each once."""
        characters = tuple(
            replace(
                character,
                reserves=tuple(
                    replace(reserve, lost=reserve.lost + reserve.residual)
                    for reserve in character.reserves
                ),
            )
            for character in table.characters
        )
        return replace(table, characters=characters, turn=table.turn + 1)


@frozen(kw_only=True)
class Score(Fielded):
    """A character's base Score in an attribute, −10…+10."""

    attribute: str = text("Attribute", TEXT_LENGTH)
    score: int = number("Score", -LIMIT, LIMIT, required=True)

    def check_together(self) -> None:
        """Raise RulesError if the attribute is not named."""
        needed(self, "attribute")


@frozen(kw_only=True)
class AddCharacter(CharacterAct):
    """A character comes to the table."""

    act: ClassVar[str] = "add"
    endurance: int | None = number("Endurance", 1, MOST_HARM, optional=True)
    wounds: int = number("Wounds", 0, MOST_HARM, default=0)
    injuries: int = number("Injuries", 0, MOST_HARM, default=0)
    scores: tuple[Score, ...] = series("Scores", Score, 0, MOST_RESERVES)

    def done_to(self, table: Table) -> Table:
        """Return the state with the character; refused if there is one of that name."""
        _check_free(table, "character", self.character)
        reserves = [Reserve(attribute=each.attribute, score=each.score) for each in self.scores]
        return table.with_character(
            Character(
                name=self.character,
                endurance=self.endurance,
                wounds=self.wounds,
                injuries=self.injuries,
                reserves=in_order(reserves, lambda each: each.attribute),
            )
        )


def _check_free(table: Table, field: str, name: str) -> None:
    if any(each.name == name for each in table.characters):
        raise RulesError(field, name, "a name that no one at the table has", "there is one already")


@frozen(kw_only=True)
class EditCharacter(CharacterAct):
    """A character is put right: name, Endurance, base Scores; what is not given stays."""

    act: ClassVar[str] = "edit"
    name: str | None = text("New name", NAME_LENGTH)
    endurance: int | None = number("Endurance", 1, MOST_HARM, optional=True)
    scores: tuple[Score, ...] = series("Scores", Score, 0, MOST_RESERVES)

    def done_to(self, table: Table) -> Table:
        """Return the state with the character changed; losses and harm stay as they are."""
        for score in self.scores:
            table = table.with_reserve(self.character, _rescored(table, self.character, score))
        character = table.character(self.character)
        name, endurance = self.name or character.name, self.endurance or character.endurance
        if name != character.name:
            _check_free(table, "name", name)
        others = _without(table, self.character)
        seated = others.with_character(replace(character, name=name, endurance=endurance))
        return _with_test_renamed(seated, self.character, name)


def _with_test_renamed(table: Table, old: str, new: str) -> Table:
    """Return the table with someone's extended test under another name, where that has none."""
    test = table.test(old)
    if test is None or table.test(new) is not None:
        return table
    others = tuple(each for each in table.progress if each is not test)
    return replace(table, progress=others).with_test(replace(test, name=new))


def _rescored(table: Table, name: str, score: Score) -> Reserve:
    for reserve in table.character(name).reserves:
        if reserve.attribute == score.attribute:
            return replace(reserve, score=score.score)
    return Reserve(attribute=score.attribute, score=score.score)


def _without(table: Table, name: str) -> Table:
    gone = table.character(name)
    return replace(table, characters=tuple(each for each in table.characters if each != gone))


@frozen(kw_only=True)
class RemoveCharacter(CharacterAct):
    """A character leaves the table."""

    act: ClassVar[str] = "remove"

    def done_to(self, table: Table) -> Table:
        """Return the state without the character."""
        return _without(table, self.character)


@frozen(kw_only=True)
class AdvanceTest(Act):
    """A roll of an extended test: "how many successes the task demands and what each roll costs".

    Attributes:
        name: whose test it is, or None.
        gained: successes after this roll; needed: successes in all.
        roll_number: which roll this was; the first begins the test anew.
        cost: what the roll took, in words.
    """

    act: ClassVar[str] = "progress"
    name: str | None = text("Name", NAME_LENGTH)
    gained: int = number("Gained", 0, MOST_POINTS, required=True)
    needed: int = number("Needed", 1, 99, required=True)
    roll_number: int = number("Roll", 1, 999, default=1)
    cost: str | None = text("Cost", TEXT_LENGTH)

    def done_to(self, table: Table) -> Table:
        """Return the state after the roll, its cost added to the tally."""
        before = table.test(self.name)
        costs = before.costs if before is not None and self.roll_number > 1 else ()
        return table.with_test(
            Progress(
                name=self.name,
                gained=self.gained,
                needed=self.needed,
                rolls=self.roll_number,
                costs=_tallied(costs, self.cost),
            )
        )


def _tallied(costs: tuple[Cost, ...], label: str | None) -> tuple[Cost, ...]:
    if label is None:
        return costs
    count = 1 + sum(cost.count for cost in costs if cost.label == label)
    others = [cost for cost in costs if cost.label != label]
    return in_order([*others, Cost(label=label, count=count)], lambda each: each.label)


@frozen(kw_only=True)
class ClearTest(Act):
    """An extended test is done with, or given up."""

    act: ClassVar[str] = "clear_progress"
    name: str | None = text("Name", NAME_LENGTH)

    def done_to(self, table: Table) -> Table:
        """Return the state without it."""
        gone = table.test(self.name)
        if gone is None:
            names = ", ".join(test.name or "the one without a name" for test in table.progress)
            raise RulesError("name", self.name, names or "no extended test is running")
        return replace(table, progress=tuple(test for test in table.progress if test != gone))


ACTS: Mapping[str, type[Act]] = {
    kind.act: kind
    for kind in (
        Wound,
        Injury,
        HealWound,
        HealInjury,
        GiveGlory,
        LoseReserve,
        HealReserve,
        EndTurn,
        AddCharacter,
        EditCharacter,
        RemoveCharacter,
        AdvanceTest,
        ClearTest,
    )
}
"""Every act by its name in JSON."""


def apply(table: Table, act: Act) -> Table:
    """Return the state after an act.

    Raises:
        RulesError: the rules forbid it, or it names what is not at the table.
    """
    return act.done_to(table)


def act_plain(act: Act) -> dict[str, object]:
    """Return the JSON form of an act."""
    return {"act": act.act, **plain(act)}


def act_from_plain(data: object) -> Act:
    """Return the act that a JSON form describes.

    Raises:
        RulesError: naming the field that is unknown, missing or wrong.
    """
    if not isinstance(data, Mapping):
        raise RulesError((), data, "an object with act")
    if "act" not in data:
        raise MissingFieldError("act", None, ", ".join(ACTS))
    kind = ACTS.get(data["act"]) if isinstance(data["act"], str) else None
    if kind is None:
        raise RulesError("act", data["act"], ", ".join(ACTS))
    given = {name: data[name] for name in data if name != "act"}
    return build(kind, given)


def act_of(consequence: Consequence) -> Act:
    """Return the act that a roll's consequence stands for; empty texts in it mean none.

    Raises:
        RulesError: there is no such act, or it lacks something.
    """
    told = {name: value for name, value in consequence.detail if value != ""}
    return act_from_plain({"act": consequence.act, **told})
