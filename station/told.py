"""Acts on the table's state, in a few words for the panel."""

from collections.abc import Sequence

from rules.acts import (
    Act,
    AddCharacter,
    AdvanceTest,
    ClearTest,
    EditCharacter,
    EndTurn,
    GiveGlory,
    HealInjury,
    HealReserve,
    HealWound,
    Injury,
    LoseReserve,
    RemoveCharacter,
    Wound,
    act_from_plain,
)
from rules.errors import RulesError
from station.ledger.rows import Row
from station.names import names_in
from station.percent import signed
from station.trail import APPLY, act_of_row, is_act


def told_change(row: Row) -> str:
    """Return what a change of the table's state was, as the players say it."""
    if is_act(row, APPLY):
        return f"roll #{row.of} applied"
    try:
        return told_act(act_from_plain(act_of_row(row)))
    except RulesError:
        return f"change {row.seq}"


def names_of_change(row: Row) -> tuple[str, ...]:
    """Return every free text in what a row changed, the longest first."""
    try:
        return names_in(act_from_plain(act_of_row(row)))
    except RulesError:
        return ()


def told_acts(acts: Sequence[Act]) -> str:
    """Return what several acts do together, each Glory added up; empty for none."""
    glory = sum(act.count for act in acts if isinstance(act, GiveGlory))
    others = [told_act(act) for act in acts if not isinstance(act, GiveGlory)]
    return ", ".join([*([told_act(GiveGlory(count=glory))] if glory else []), *others])


def told_act(act: Act) -> str:
    """Return what an act does, as the players say it."""
    match act:
        case GiveGlory(count=count):
            return f"{count:+d} Glory".replace("-", "−")
        case LoseReserve(character=who, count=count, residual=residual):
            return f"{who} loses {count} Reserve{' and 1 each turn' if residual else ''}"
        case HealReserve(character=who, attribute=attribute, count=0):
            return f"{who}: no more residual {attribute} damage"
        case HealReserve(character=who, count=count):
            return f"{who} regains {count} Reserve"
        case Wound(character=who, count=count):
            return f"{who} takes {_counted(count, 'wound', 'wounds')}"
        case Injury(character=who, count=count):
            return f"{who} takes {_counted(count, 'injury', 'injuries')}"
        case HealWound(character=who, count=count):
            return f"{who} heals {_counted(count, 'wound', 'wounds')}"
        case HealInjury(character=who, count=count):
            return f"{who} heals {_counted(count, 'injury', 'injuries')}"
        case EndTurn():
            return "the turn ends"
        case AddCharacter(character=who):
            return f"{who} joins"
        case RemoveCharacter(character=who):
            return f"{who} leaves"
        case EditCharacter():
            return _edited(act)
        case ClearTest(name=name):
            return f"{name or 'the extended test'} is done with"
        case AdvanceTest(name=name, gained=gained, needed=needed):
            return f"{name or 'the extended test'} at {gained}/{needed}"
        case _:
            return act.act.replace("_", " ")


def _edited(act: EditCharacter) -> str:
    told = (
        *((f"is now {act.name}",) if act.name else ()),
        *((f"has Endurance {act.endurance}",) if act.endurance else ()),
        *(f"has {each.attribute} {signed(each.score)}" for each in act.scores),
    )
    return f"{act.character} {', '.join(told)}"


def _counted(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"
