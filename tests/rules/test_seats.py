"""Who is named in a request, and how a character takes such a place."""

from typing import Any

import pytest

from rules.dial import fresh
from rules.errors import RulesError
from rules.model import Request
from rules.registry import DEFAULT
from rules.seats import taken, worded, words
from rules.table import Character, Reserve

OPPOSED, COMPETITION, EXTENDED = (
    fresh({kind.kind: kind for system in DEFAULT for kind in system.kinds}[name])
    for name in ("opposed", "competition", "extended")
)

HURT = Character(
    name="Arya",
    endurance=5,
    wounds=2,
    injuries=1,
    reserves=(Reserve(attribute="Strength", score=4, lost=25),),
)


@pytest.mark.parametrize(
    ("request_", "labels"),
    [
        (OPPOSED, ["Attribute", "Attacker", "Defender", "Name"]),
        (COMPETITION, ["No. 1", "No. 2", "Name"]),
        (EXTENDED, ["Name", "Cost"]),
    ],
)
def test_every_word_of_a_request_has_its_place_and_label(
    request_: Request, labels: list[str]
) -> None:
    assert [word.label for word in words(request_)] == labels
    assert {word.text for word in words(request_)} == {None}


@pytest.mark.parametrize("request_", [OPPOSED, COMPETITION, EXTENDED])
def test_every_word_can_be_set_and_unset(request_: Request) -> None:
    for word in words(request_):
        changed = worded(request_, word.path, "Bran")
        assert [each.text for each in words(changed)].count("Bran") == 1
        assert worded(changed, word.path, None) == request_


def test_a_word_that_is_too_long_is_refused() -> None:
    with pytest.raises(RulesError, match="1–24"):
        worded(OPPOSED, ("attacker", "name"), "x" * 25)


def test_a_contestant_brings_what_hinders_them() -> None:
    request: Any = taken(COMPETITION, ("contestants", 1, "name"), HURT)
    first, second = request.contestants
    assert first == COMPETITION.contestants[0]  # type: ignore[attr-defined] # a competition has them
    assert (second.name, second.wounds, second.injuries, second.endurance) == ("Arya", 2, 1, 5)


@pytest.mark.parametrize(("attribute", "score"), [("Strength", 2), ("Wits", 0), (None, 0)])
def test_a_side_brings_the_current_score_of_what_is_tested(
    attribute: str | None, score: int
) -> None:
    request: Any = taken(worded(OPPOSED, ("attribute",), attribute), ("defender", "name"), HURT)
    assert (request.defender.name, request.defender.score) == ("Arya", score)
    assert request.attacker.name is None
