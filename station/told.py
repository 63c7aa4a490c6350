"""Acts on the table's state, in a few words for the panel."""

from rules.acts import (
    Act,
    AddCharacter,
    EndTurn,
    GiveGlory,
    HealInjury,
    HealReserve,
    HealWound,
    Injury,
    LoseReserve,
    RemoveCharacter,
    Wound,
)


def told_act(act: Act) -> str:
    """Return what an act does, as the players say it."""
    match act:
        case GiveGlory(count=count):
            return f"{count:+d} Glory".replace("-", "−")
        case LoseReserve(character=who, count=count, residual=residual):
            return f"{who} loses {count} Reserve{' and 1 each turn' if residual else ''}"
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
        case _:
            return act.act.replace("_", " ")


def _counted(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"
