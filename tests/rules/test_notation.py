from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from rules.errors import RulesError
from rules.model import Request, RuleSystem
from rules.notation import Typed, data_from_text, request_from_text, request_to_text, taken_apart
from rules.registry import DEFAULT, Registry, request_plain

Requests = Callable[[type[Request]], SearchStrategy[Any]]

KINDS = [kind for system in DEFAULT for kind in system.kinds]


def plain_of(text: str) -> dict[str, object]:
    return request_plain(request_from_text(DEFAULT, text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "3D+2B-1P vs 9",
            {
                "system": "seven-kingdoms",
                "kind": "basic",
                "rank": 3,
                "bonus": 2,
                "discard_penalty": 1,
                "difficulty": 9,
            },
        ),
        ("basic 3D + 2B − 1P vs 9", {"rank": 3, "bonus": 2, "discard_penalty": 1}),
        ("conflict 5D+1B vs 12", {"kind": "conflict", "rank": 5, "bonus": 1, "difficulty": 12}),
        ("wg 6 vs 3", {"system": "wrath-and-glory", "kind": "test", "pool": 6}),
        (
            "WG Attack 3+3+1 vs 4",
            {"kind": "attack", "attribute": 3, "skill": 3, "bonus_dice": 1, "dn": 4},
        ),
        ("wrath-and-glory test pool=6", {"system": "wrath-and-glory", "pool": 6}),
        (
            "oa 3 vs 1",
            {"system": "opposed-attribute", "attacker": {"score": 3}, "defender": {"score": 1}},
        ),
        ("extended 4D vs 9 needed=5 gained=2", {"kind": "extended", "needed": 5, "gained": 2}),
        (
            "competition Arya:3D+1B Bran:4D",
            {
                "contestants": [
                    {"name": "Arya", "rank": 3, "bonus": 1},
                    {"name": "Bran", "rank": 4},
                ]
            },
        ),
        (
            'competition Arya:3D "Bran = Stark":4D contestants[0].wounds=1 contestants[2].rank=2',
            {
                "contestants": [
                    {"name": "Arya", "rank": 3, "wounds": 1},
                    {"name": "Bran = Stark", "rank": 4},
                    {"rank": 2},
                ]
            },
        ),
        ("4D+1B vs 12 wounds=1 aided=yes name=Arya", {"wounds": 1, "aided": True, "name": "Arya"}),
        ("3D vs9", {"rank": 3, "difficulty": 9}),
        ("3D+2BVS9", {"bonus": 2, "difficulty": 9}),
        ("conflict 5D against12", {"kind": "conflict", "difficulty": 12}),
        ("wg 3+3+1vs4", {"attribute": 3, "skill": 3, "bonus_dice": 1, "dn": 4}),
        ("oa +3 vs-2", {"attacker": {"score": 3}, "defender": {"score": -2}}),
        (
            'competition "Ser Jaime:3D+1B" Team3vs4:2D',
            {
                "contestants": [
                    {"name": "Ser Jaime", "rank": 3, "bonus": 1},
                    {"name": "Team3vs4", "rank": 2},
                ]
            },
        ),
        ("3D vs 9 aided=NO interference=True", {"interference": True}),
        ("3D vs 9 modifier=-2", {"modifier": -2}),
        ("3D vs 9 modifier=−2", {"modifier": -2}),
        ("3D vs 9 discard_order=Before_Keep", {"discard_order": "before_keep"}),
        ("wg\t6 vs 3\tdn_penalty=2", {"pool": 6, "dn_penalty": 2}),
        (
            "oa 3 vs 1 attacker.modifiers=+2 attribute=Strength",
            {"attacker": {"score": 3, "modifiers": 2}, "attribute": "Strength"},
        ),
        ("oa attacker.score=-3 defender.score=2", {"attacker": {"score": -3}}),
        ("rank=3 difficulty=9", {"rank": 3, "difficulty": 9}),
        (r'3D vs 9 name="a \"b\" \\c"', {"name": r'a "b" \c'}),
        ('3D vs 9 name="x=1 vs 2"', {"name": "x=1 vs 2"}),
    ],
)
def test_what_people_type(text: str, expected: dict[str, object]) -> None:
    told = plain_of(text)
    assert {name: told[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "field", "says"),
    [
        ("", "rank", "rank is missing"),
        ("attack 3+3 vs 4", None, "did you mean wg attack?"),
        ("basik 3D vs 9", None, "did you mean basic?"),
        ("wq 6 vs 3", None, "a system (sk, wg, oa), a kind (basic,"),
        ("wg luck", None, "a kind (test, attack) or dice"),
        ("vs 9", None, 'the input is "vs"; allowed: dice before vs'),
        ("competition Ser Jaime:3D B:2D", "contestants", 'like Arya:3D+1B "Bran S":4D'),
        ("competition contestants=Arya", "contestants", 'objects such as {"rank": 3}'),
        ("Ser Jaime:3D", None, 'the input is "Ser"'),
        ("xyzzy", None, 'the input is "xyzzy"; allowed'),
        ("3D vs 9 wound=1", "wound", "did you mean wounds?"),
        ("3D vs 9 wounds=x", "wounds", 'wounds is "x"; allowed: a whole number 0–20'),
        ("3D vs 9 wounds=3.0", "wounds", "a whole number 0–20"),
        ("3D vs 9 wounds=" + "9" * 200, "wounds", "a whole number 0–20"),
        ("3D vs 9 wounds=" + "9" * 30, "wounds", "a number of about"),
        ("3D vs 9 wounds=", "wounds", 'wounds is ""'),
        ("3D vs 9 aided=maybe", "aided", "true or false"),
        ("3D vs 9 rank=4", "rank", "given twice"),
        ("3D vs 9 wounds=1 wounds=2", "wounds", "given twice"),
        ("3D vs 9 needed=5", "needed", "is no field of this request"),
        ('3D vs 9 name="x', None, "quotes in pairs"),
        ('3D vs 9 name="x"y', None, 'name="some value"'),
        ('3D vs 9 name=x"y"', None, 'name="some value"'),
        ("3D vs 9 name=x y", None, 'the input is "y"'),
        ("3D vs 9 wounds=1 and=2 more", None, "name=value"),
        ("oa 3 vs 1 attacker=3", "attacker", "given twice"),
        ("oa attacker=3 defender.score=1", "attacker", "an object"),
        ("oa attacker=3 attacker.score=1", "attacker.score", "given twice"),
        ("competition contestants=3 contestants[0].rank=1", "contestants[0].rank", "given twice"),
        ("oa 3 vs 11", "defender.score", "−10…+10"),
        ("oa 3 vs 1 attacker[0].score=2", "attacker[0].score", "no such field"),
        ("3D vs 9 rank.high=2", "rank.high", "no such field"),
        ("wg 6 vs 3 attacker.score=1", "attacker.score", "no such field"),
        ("competition a:3D b:2D contestants[9].rank=3", "contestants[9].rank", "contestants[2]"),
        ("competition a:3D b:2D contestants[0]=3", "contestants[0]", "no such field"),
        ("competition a:3D b:2D contestants.rank=3", "contestants.rank", "no such field"),
        ("competition a:3D b:2D contestants[0].luck=3", "contestants[0].luck", ""),
        ("competition a:3D", "contestants", "2–12"),
        ("x" * 5000, None, "up to 4096 characters"),
    ],
)
def test_what_makes_no_sense_is_named(text: str, field: str | None, says: str) -> None:
    with pytest.raises(RulesError) as caught:
        request_from_text(DEFAULT, text)
    assert caught.value.field == field
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("3D+0B vs 9 discard_order=after_keep", "3D vs 9"),
        ("basic 3D vs 9 aided=yes", "3D vs 9 aided=yes"),
        ("wg test 6 vs 3", "wg 6 vs 3"),
        ("wg attack 6", "wg attack 6 vs 3"),
        ("oa 3 vs 1 defender.name=Bo", "oa +3 vs +1 defender.name=Bo"),
        ('conflict 3D vs 9 defense_name="Combat Defense"', None),
        ("extended 4D vs 9 needed=5 cost=day extended_counts=degrees", None),
    ],
)
def test_a_request_is_written_short(text: str, short: str | None) -> None:
    request = request_from_text(DEFAULT, text)
    written = request_to_text(DEFAULT, request)
    assert request_from_text(DEFAULT, written) == request
    if short is not None:
        assert written == short


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.system}:{kind.kind}")
@given(data=st.data())
def test_what_is_written_is_read_back(
    requests: Requests, kind: type[Request], data: st.DataObject
) -> None:
    request = data.draw(requests(kind))
    text = request_to_text(DEFAULT, request)
    assert request_from_text(DEFAULT, text) == request
    assert text.isprintable()


@given(data=st.data())
def test_a_fourth_system_is_read_and_written_too(
    requests: Requests, toy_registry: Registry, high_die: RuleSystem, data: st.DataObject
) -> None:
    kind = data.draw(st.sampled_from(high_die.kinds))
    request = data.draw(requests(kind))
    text = request_to_text(toy_registry, request)
    assert text.startswith(high_die.alias)
    assert request_from_text(toy_registry, text) == request


def test_another_first_system_needs_no_alias() -> None:
    systems = tuple(reversed(tuple(DEFAULT)))
    request = request_from_text(systems, "3 vs 1")
    assert request.system == "opposed-attribute"
    assert request_to_text(systems, request) == "+3 vs +1"
    assert request_from_text(systems, "sk 3D vs 9").system == "seven-kingdoms"


def test_data_says_only_what_was_typed() -> None:
    assert data_from_text(DEFAULT, "3D vs 9 wounds=x") == {
        "system": "seven-kingdoms",
        "kind": "basic",
        "rank": 3,
        "difficulty": 9,
        "wounds": "x",
    }


def test_what_is_no_field_can_be_taken_out_first() -> None:
    typed = taken_apart("3D vs 9 faces=6,5,1 aided=yes")
    assert typed == Typed("3D vs 9", (("faces", "6,5,1"), ("aided", "yes")))
    faces, rest = typed.without("faces")
    assert faces == "6,5,1"
    assert rest == Typed("3D vs 9", (("aided", "yes"),))
    assert rest.without("faces") == (None, rest)
    assert request_plain(request_from_text(DEFAULT, rest))["aided"] is True


def test_what_is_taken_out_is_given_once() -> None:
    with pytest.raises(RulesError, match="given twice"):
        taken_apart("3D vs 9 faces=1 faces=2").without("faces")


words = st.text(st.sampled_from('3DB+-vs 9=".[]x01\\"_ wgoa:'), max_size=40) | st.text(max_size=60)


@given(text=words)
def test_any_text_is_a_request_or_one_clear_error(text: str) -> None:
    refused = ""
    try:
        request = request_from_text(DEFAULT, text)
    except RulesError as error:
        refused = str(error)
    else:
        assert request_from_text(DEFAULT, request_to_text(DEFAULT, request)) == request
    assert refused.isprintable()
