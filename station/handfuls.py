"""The dice of a roll in the handfuls that were asked for: what each is rolled for, and by whom."""

from collections.abc import Iterator

from rules.model import AskDice, DiceGroup, Die, Fate, Rolled
from rules.registry import Registry
from station.rolls import Roll


def _handfuls(registry: Registry, roll: Roll) -> Iterator[tuple[AskDice, tuple[int, ...]]]:
    system = registry.of(roll.request)
    for place, answer in enumerate(roll.answers):
        asked = system.advance(roll.request, roll.answers[:place])
        if isinstance(asked, AskDice) and isinstance(answer, Rolled):
            yield asked, answer.faces


def _each(ask: AskDice) -> Iterator[DiceGroup]:
    return (group for group in ask.groups for _ in range(group.count))


def unjudged(registry: Registry, roll: Roll) -> tuple[Die, ...]:
    """Return a roll's dice so far, each counting as what it was rolled for."""
    return tuple(
        Die(face, group.role, Fate.COUNTED, turn)
        for turn, (ask, faces) in enumerate(_handfuls(registry, roll))
        for face, group in zip(faces, _each(ask), strict=True)
    )


def owners(registry: Registry, roll: Roll) -> tuple[str, ...]:
    """Return whose each die of a roll is, in the order of its faces; empty where nobody's."""
    asked = (ask for ask, _ in _handfuls(registry, roll))
    return tuple(group.whose for ask in asked for group in _each(ask))
