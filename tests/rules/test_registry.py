"""The systems by name, and requests from and to JSON."""

import json
from typing import Any

import pytest

from rules.dial import fresh
from rules.errors import RulesError
from rules.model import RuleSystem, odds_plain
from rules.registry import DEFAULT, SYSTEMS, request_plain, system_plain

IDS = "seven-kingdoms, wrath-and-glory, opposed-attribute"


def test_the_systems_that_come_with_the_station() -> None:
    assert [system.id for system in DEFAULT] == IDS.split(", ")
    assert tuple(DEFAULT) == SYSTEMS
    assert [kind.kind for kind in DEFAULT.system("seven-kingdoms").kinds] == [
        "basic",
        "extended",
        "conflict",
        "competition",
    ]


def test_every_name_is_told_apart() -> None:
    for names in ([s.id for s in SYSTEMS], [s.alias for s in SYSTEMS], [s.title for s in SYSTEMS]):
        assert len(set(names)) == len(SYSTEMS)
    for system in SYSTEMS:
        assert all(kind.system == system.id for kind in system.kinds)
        assert len({kind.kind for kind in system.kinds}) == len(system.kinds)


def test_a_fourth_system_is_one_registration(high_die: RuleSystem) -> None:
    more = DEFAULT.register(high_die)
    assert [system.id for system in more] == [*IDS.split(", "), "high-die"]
    assert more.system("high-die") is high_die
    request = more.request({"system": "high-die", "kind": "draw", "dice": 3, "target": 6})
    assert more.of(request) is high_die
    # the registry it was added to is as before
    with pytest.raises(RulesError, match=r'^system is "high-die"; allowed: '):
        DEFAULT.of(request)


def test_an_id_is_taken_once() -> None:
    with pytest.raises(RulesError) as caught:
        DEFAULT.register(SYSTEMS[0])
    assert caught.value.allowed == "ids that differ"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (None, "the input is null; allowed: an object with system and kind"),
        ([], "the input is []; allowed: an object with system and kind"),
        ("x", 'the input is "x"; allowed: an object with system and kind'),
        ({}, f"system is missing; allowed: {IDS}"),
        (
            {"system": "seven-kingdom"},
            f'system is "seven-kingdom" (did you mean seven-kingdoms?); allowed: {IDS}',
        ),
        ({"system": "chess"}, f'system is "chess"; allowed: {IDS}'),
        ({"system": None}, f"system is null; allowed: {IDS}"),
        ({"system": 10**5000}, f"system is a number of about 5001 digits; allowed: {IDS}"),
        ({"system": [["seven-kingdoms"]]}, f"system is [a list]; allowed: {IDS}"),
        ({"system": {}}, f"system is an object; allowed: {IDS}"),
        ({"system": "wrath-and-glory"}, "kind is missing; allowed: test, attack"),
        (
            {"system": "wrath-and-glory", "kind": "basic"},
            'kind is "basic"; allowed: test, attack',
        ),
        ({"system": "wrath-and-glory", "kind": []}, "kind is []; allowed: test, attack"),
        (
            {"system": "wrath-and-glory", "kind": "test", "pool": 41},
            "pool is 41; allowed: a whole number 1–40",
        ),
    ],
)
def test_what_is_no_request_is_refused_in_one_sentence(data: object, sentence: str) -> None:
    with pytest.raises(RulesError) as caught:
        DEFAULT.request(data)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    "data",
    [
        {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "bonus": 2, "difficulty": 9},
        {
            "system": "seven-kingdoms",
            "kind": "conflict",
            "rank": 5,
            "difficulty": 12,
            "defense_name": "Combat Defense",
        },
        {
            "system": "seven-kingdoms",
            "kind": "extended",
            "rank": 4,
            "difficulty": 9,
            "needed": 5,
            "gained": 2,
            "cost": "one day",
        },
        {
            "system": "seven-kingdoms",
            "kind": "competition",
            "contestants": [{"rank": 3, "bonus": 1, "name": "Arya"}, {"rank": 4, "name": "Bran"}],
        },
        {"system": "wrath-and-glory", "kind": "test", "pool": 6, "dn": 4, "dn_penalty": 1},
        {
            "system": "wrath-and-glory",
            "kind": "attack",
            "attribute": 3,
            "skill": 3,
            "bonus_dice": 1,
            "dn": 4,
        },
        {
            "system": "opposed-attribute",
            "kind": "opposed",
            "attribute": "Strength",
            "attacker": {"name": "A", "score": 3, "modifiers": 1},
            "defender": {"name": "B", "score": 1},
        },
    ],
    ids=lambda data: data["kind"],
)
def test_a_request_comes_back_as_it_was_given(data: dict[str, Any]) -> None:
    """But for the options, which are always written out, so that no later setting changes it."""
    request = DEFAULT.request(data)
    told = request_plain(request)
    options = {
        "discard_order": "after_keep",
        "extended_counts": "tests",
    }
    assert {k: v for k, v in told.items() if k in data} == data
    assert set(told) - set(data) <= set(options)
    assert all(told[name] == options[name] for name in set(told) - set(data))
    assert DEFAULT.request(json.loads(json.dumps(told))) == request


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.id)
def test_a_system_describes_itself_as_json(system: RuleSystem) -> None:
    told: dict[str, Any] = system_plain(system)
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert (told["id"], told["title"], told["alias"]) == (system.id, system.title, system.alias)
    for kind, described in zip(system.kinds, told["kinds"], strict=True):
        assert described["kind"] == kind.kind
        assert described["decisions"] == list(kind.decisions)
        assert set(described["choices"]) == set(kind.decisions)
        assert all({"type", "example"} <= set(shape) for shape in described["choices"].values())
        odds = odds_plain(system.odds(fresh(kind)))
        assert [each["name"] for each in described["odds"]] == list(odds)
        for each in described["odds"]:
            assert _is_of_type(odds[each["name"]], each["type"])
        assert all({"name", "label", "type", "required"} <= set(f) for f in described["fields"])


@pytest.mark.parametrize(("kind", "buys"), [("test", "detail"), ("attack", "damage")])
def test_wrath_and_glory_says_which_fields_go_together_and_what_shifts_buy(
    kind: str, buys: str
) -> None:
    kinds = system_plain(DEFAULT.system("wrath-and-glory"))["kinds"]
    (told,) = (each for each in kinds if each["kind"] == kind)
    for needed in told["needs"]:
        DEFAULT.request({"system": "wrath-and-glory", "kind": kind, **dict.fromkeys(needed, 2)})
    assert told["needs"] == [["pool"], ["attribute", "skill"]]
    fields = {field["name"]: field for field in told["fields"]}
    assert (fields["bonus_dice"]["beside"], "beside" in fields["pool"]) == ("attribute", False)
    assert fields["name"]["min_length"] == 1
    shifts = told["choices"]["shifts"]
    assert (shifts["names"], shifts["limits"]) == ([buys, "glory"], {"glory": 1})
    assert set(shifts["example"]) == set(shifts["names"])


def _is_of_type(part: Any, told: str) -> bool:
    """Return whether a part of the odds is what its system says of it; a chance is one at most."""
    match told:
        case "chance":
            return bool(0 <= part["p"] <= 1)
        case "expectation":
            return "p" in part
        case "chances":
            return isinstance(part, list)
        case _:
            # Degrees are those of a success alone, so that these chances need not make up 1.
            return told == "distribution" and bool(sum(v["p"] for v in part.values()) < 1 + 1e-9)


def test_only_what_is_lost_is_an_expectation() -> None:
    described = [
        each
        for system in DEFAULT
        for kind in system_plain(system)["kinds"]
        for each in kind["odds"]
        if each["type"] == "expectation"
    ]
    assert [each["name"] for each in described] == ["attacker_loss", "defender_loss"]
