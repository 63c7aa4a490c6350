"""The menu's pages about the table: its characters, their pools, harm and Reserves, its tests."""

from dataclasses import replace

from rules.acts import (
    AddCharacter,
    ClearTest,
    EndTurn,
    GiveGlory,
    HealInjury,
    HealReserve,
    HealWound,
    Injury,
    RemoveCharacter,
    Score,
    Wound,
)
from rules.dial import rekinded
from rules.errors import RulesError
from rules.fields import specs
from rules.model import Request
from rules.registry import Registry
from rules.scores import LIMIT
from rules.seats import ATTRIBUTE, NAME, taken, worded, words
from rules.table import MOST_HARM, MOST_RESERVES, Character, Progress, Reserve
from station.actions import FURTHER, Adjust, Do, Item, Look, Open, SetRequest, Spell, Subject
from station.dialling import PROGRESS
from station.percent import signed
from station.state import Measure, Page, Purpose, Quantity, State

UNTOLD = "?"
"""What stands for successes that a hidden roll covers."""

UNNAMED = "Unnamed"
"""What an extended test without a name is called."""

MOST_AT_ONCE = 99
"""Points of Reserve that are lost or healed in one go."""


def table(state: State) -> tuple[Item, ...]:
    """Return the page of everyone and everything at the table."""
    people = tuple(Item(name, _standing(state, name), _about(name)) for name in names(state))
    glory = str(state.table.glory)
    running = (Item("Running tests", FURTHER, Open(Page.TESTS)),) if state.table.progress else ()
    return (
        *people,
        Item("Glory +1", glory, Do(GiveGlory(count=1))),
        Item("Glory −1", glory, Do(GiveGlory(count=-1))),
        Item("End of turn", str(state.table.turn), Do(EndTurn())),
        *running,
        Item("Undo a change", FURTHER, Look(Subject.CHANGES)),
        Item("New character", FURTHER, Spell(Purpose.CHARACTER)),
        Item("Back", "", Open(Page.TOP)),
    )


def _about(name: str) -> Open:
    return Open(Page.CHARACTER, name)


def _standing(state: State, name: str) -> str:
    """Return how someone fares, in a few characters: dead, wounds and injuries, or no more."""
    character = seated(state, name)
    if character is None or not (character.wounds or character.injuries):
        return FURTHER
    if character.dead:
        return "dead"
    told = ((character.wounds, "W"), (character.injuries, "I"))
    return " ".join(f"{count}{letter}" for count, letter in told if count)


def names(state: State) -> tuple[str, ...]:
    """Return everyone known, at the table or in the roster, in order."""
    roster = {preset.character for preset in state.presets}
    return tuple(sorted({*roster, *(each.name for each in state.table.characters)}))


def seated(state: State, name: str) -> Character | None:
    """Return who of that name is at the table, or None."""
    return next((each for each in state.table.characters if each.name == name), None)


def character(registry: Registry, state: State, name: str) -> tuple[Item, ...]:
    """Return the page of one character."""
    found = seated(state, name)
    pools = any(preset.character == name for preset in state.presets)
    return (
        *((Item("Pools", FURTHER, Open(Page.POOLS, name)),) if pools else ()),
        *_places(registry, state, name),
        *((_joining(state, name),) if found is None else _harm(found)),
        Item("Back", "", Open(Page.TABLE)),
    )


def _joining(state: State, name: str) -> Item:
    """Return the way to the table, with what the roster says of who comes."""
    return Item("Joins the table", "", Do(joining(_whoever(state, name))))


def joining(who: Character) -> AddCharacter:
    """Return the act by which someone comes to the table unharmed."""
    scores = tuple(Score(attribute=each.attribute, score=each.score) for each in who.reserves)
    return AddCharacter(character=who.name, endurance=who.endurance, scores=scores)


def _places(registry: Registry, state: State, name: str) -> tuple[Item, ...]:
    """Return the ways someone can take part in what is dialled."""
    request, who = state.dial.request, _whoever(state, name)
    own = played(registry, state, request, name)
    others = (word for word in words(request) if word.path[-1] == NAME and len(word.path) > 1)
    dialled = ((f"Roll as {word.label}", taken(request, word.path, who)) for word in others)
    places = tuple(Item(label, "", SetRequest(each, stay=False)) for label, each in dialled)
    return places or (Item("Roll for them", "", SetRequest(own, stay=False)),)


def _whoever(state: State, name: str) -> Character:
    """Return who of that name is at the table, or else in the roster, or anyone unharmed."""
    known = next((each for each in state.roster if each.name == name), None)
    return seated(state, name) or known or Character(name=name, reserves=())


def _harm(found: Character) -> tuple[Item, ...]:
    who, limit = found.name, found.endurance
    of = "" if limit is None else f"/{limit}"
    wounds, injuries = f"{found.wounds}{of}", f"{found.injuries}{of}"
    endurance = Quantity(Measure.ENDURANCE, who, max(1, found.injuries), MOST_HARM)
    fresh = Item("New attribute", FURTHER, Spell(Purpose.ATTRIBUTE))
    return (
        Item("Wound +1", wounds, Do(Wound(character=who))),
        Item("Injury +1", injuries, Do(Injury(character=who))),
        # Also where there is none: a line that goes would put the cursor on the next one.
        Item("Wound −1", wounds, Do(HealWound(character=who))),
        Item("Injury −1", injuries, Do(HealInjury(character=who))),
        *(_reserve_item(who, each) for each in found.reserves),
        Item("Endurance", str(limit or "–"), Adjust(endurance, limit or max(4, endurance.low))),
        *((fresh,) if len(found.reserves) < MOST_RESERVES else ()),
        Item("Rename", FURTHER, Spell(Purpose.RENAMED)),
        Item("Leaves the table", "", Do(RemoveCharacter(character=who), leave=True)),
    )


def _reserve_item(who: str, reserve: Reserve) -> Item:
    told = f"{scored(reserve.current)} {reserve.left}/10"
    return Item(reserve.attribute, told, Open(Page.RESERVE, who, reserve.attribute))


def scored(score: int) -> str:
    """Return a Score as a sheet shows it: ``+3``, ``0``, ``−5``."""
    return f"+{score}" if score > 0 else signed(score)


def reserve(registry: Registry, state: State, name: str, attribute: str) -> tuple[Item, ...]:
    """Return the page of one attribute of a character."""
    back = Item("Back", "", Open(Page.CHARACTER, name))
    found = seated(state, name)
    own = next((r for r in found.reserves if r.attribute == attribute), None) if found else None
    if own is None:
        return (back,)
    end = HealReserve(character=name, attribute=attribute, end_residual=True)
    return (
        *_testing(registry, state, name, attribute),
        Item("Lose Reserve", f"{own.left}/10", _adjusted(Measure.LOSS, name, attribute)),
        *(
            (Item("Heal Reserve", f"{own.lost} lost", _adjusted(Measure.HEALING, name, attribute)),)
            if own.lost
            else ()
        ),
        *((Item("End residual", f"{own.residual} a turn", Do(end)),) if own.residual else ()),
        Item("Score", _of_base(own), _rescored(name, own)),
        back,
    )


def _of_base(own: Reserve) -> str:
    """Return the current Score, and the base one where it is another."""
    current = scored(own.current)
    return current if own.current == own.score else f"{current} of {scored(own.score)}"


def _adjusted(measure: Measure, name: str, attribute: str) -> Adjust:
    return Adjust(Quantity(measure, name, 1, MOST_AT_ONCE, attribute), 1)


def _rescored(name: str, own: Reserve) -> Adjust:
    return Adjust(Quantity(Measure.SCORE, name, -LIMIT, LIMIT, own.attribute), own.score)


def _testing(registry: Registry, state: State, name: str, attribute: str) -> tuple[Item, ...]:
    """Return the way to test an attribute, where a system's tests name one."""
    kinds = (kind for system in registry for kind in system.kinds if ATTRIBUTE in specs(kind))
    for kind in sorted(kinds, key=lambda each: not isinstance(state.dial.request, each)):
        dials = (each for each in state.dial.requests if isinstance(each, kind))
        request = next(dials, None)
        if request is None or not any(w.path == (ATTRIBUTE,) for w in words(request)):
            continue
        tested = reseated(state, worded(request, (ATTRIBUTE,), attribute))
        own = played(registry, state, tested, name)
        return (Item("Roll this", "", SetRequest(own, stay=False)),)
    return ()


def reseated(state: State, request: Request) -> Request:
    """Return a request with everyone named in it who is at the table as they are now."""
    for word in words(request):
        who = seated(state, word.text or "") if word.path[-1] == NAME else None
        if who is not None:
            request = taken(request, word.path, who)
    return request


def pools(registry: Registry, state: State, name: str) -> tuple[Item, ...]:
    """Return the page of a character's finished pools."""
    found = tuple(
        Item(
            preset.name,
            registry.of(preset.request).caption(preset.request).pool,
            SetRequest(played(registry, state, preset.request, name), stay=False),
        )
        for preset in state.presets
        if preset.character == name
    )
    return (*found, Item("Back", "", Open(Page.CHARACTER, name)))


def played(registry: Registry, state: State, request: Request, name: str) -> Request:
    """Return a request as a character rolls it, with their harm where they are at the table."""
    found: Request = registry.of(request).played_by(request, _whoever(state, name))
    return found


def tests(state: State) -> tuple[Item, ...]:
    """Return the page of the extended tests under way."""
    running = tuple(
        Item(each.name or UNNAMED, _gained(state, each), Open(Page.TEST, each.name or ""))
        for each in state.table.progress
    )
    return (*running, Item("Back", "", Open(Page.TABLE)))


def _gained(state: State, each: Progress) -> str:
    gained = UNTOLD if each.name in state.covered else each.gained
    return f"{gained}/{each.needed}"


def test(registry: Registry, state: State, name: str) -> tuple[Item, ...]:
    """Return the page of one extended test: how far it has come, what it cost, and going on."""
    back = Item("Back", "", Open(Page.TESTS))
    found = state.table.test(name or None)
    if found is None:
        return (back,)
    here = Open(Page.TEST, name)
    costs = tuple(Item(f"Cost: {cost.label}", f"×{cost.count}", here) for cost in found.costs)
    return (
        Item("Successes", _gained(state, found), here),
        Item("Rolls", str(found.rolls), here),
        *costs,
        *_going_on(registry, state, found),
        Item("Done with it", "", Do(ClearTest(name=found.name), leave=True)),
        back,
    )


def _going_on(registry: Registry, state: State, found: Progress) -> tuple[Item, ...]:
    """Return the way to dial the next roll of an extended test, where it needs another."""
    if found.complete:
        return ()
    kinds = [k for system in registry for k in system.kinds if {*PROGRESS, NAME} <= {*specs(k)}]
    for kind in kinds:
        dials = (each for each in state.dial.requests if each.system == kind.system)
        request = next(dials, None)
        if request is None:
            continue
        own = {"gained": found.gained, "needed": found.needed, "roll_number": found.rolls + 1}
        try:
            following = replace(rekinded(request, kind), name=found.name, **own)  # type: ignore[call-arg]  # it has these fields, as was asked above
        except RulesError:
            continue
        return (Item("Go on with it", "", SetRequest(reseated(state, following), stay=False)),)
    return ()
