"""The roster: characters, abilities, specialties and finished pools."""

from pathlib import Path

import pytest

from rules.errors import RulesError
from rules.model import RuleSystem
from rules.registry import DEFAULT, Registry, request_plain
from rules.table import EMPTY, Character, Reserve, Table
from station.config import ConfigError
from station.config.document import parse_document
from station.config.roster import (
    MOST_POOLS,
    Roster,
    dialled,
    load_roster,
    roster_of,
)

BRUS = """
[[character]]
name = "Ser Brus"
endurance = 4
abilities = { Fighting = 4, Agility = 3 }
specialties = { "Fighting (Axes)" = 2 }
scores = { Strength = 3, Cunning = -1 }
[character.pools]
"Axe from the saddle" = "4D+2B-1P"
"Chainsword" = "wg attack 3+3+1"
"""


def read(text: str, registry: Registry = DEFAULT) -> Roster:
    return roster_of(parse_document(text.encode(), Path("roster.toml")), registry)


def faults(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read(text)
    return [str(fault) for fault in caught.value.faults]


def test_a_character_with_all_its_pools() -> None:
    (brus,) = read(BRUS).members
    assert brus.character == Character(
        name="Ser Brus",
        endurance=4,
        reserves=(Reserve(attribute="Cunning", score=-1), Reserve(attribute="Strength", score=3)),
    )
    assert {pool.name: request_plain(pool.request) for pool in brus.pools} == {
        "Axe from the saddle": request_plain(dialled(DEFAULT, "4D+2B-1P vs 9", "Ser Brus")),
        "Chainsword": request_plain(dialled(DEFAULT, "wg attack 3+3+1 vs 3", "Ser Brus")),
        "Fighting (Axes)": request_plain(dialled(DEFAULT, "4D+2B vs 9", "Ser Brus")),
        "Fighting": request_plain(dialled(DEFAULT, "4D vs 9", "Ser Brus")),
        "Agility": request_plain(dialled(DEFAULT, "3D vs 9", "Ser Brus")),
    }
    assert [pool.name for pool in brus.pools][:2] == ["Axe from the saddle", "Chainsword"]


def test_what_a_pool_leaves_out_is_as_on_a_fresh_dial() -> None:
    assert request_plain(dialled(DEFAULT, "4D+2B", "Ana")) == {
        "system": "seven-kingdoms",
        "kind": "basic",
        "rank": 4,
        "bonus": 2,
        "difficulty": 9,
        "discard_order": "after_keep",
        "name": "Ana",
    }
    assert request_plain(dialled(DEFAULT, "4D vs 12 name=Bo", "Ana"))["name"] == "Bo"
    assert dialled(DEFAULT, "wg 3+3", "Ana").system == "wrath-and-glory"


def test_pools_of_a_fourth_system(high_die: RuleSystem) -> None:
    registry = DEFAULT.register(high_die)
    text = f'[[character]]\nname = "A"\npools = {{ x = "{high_die.alias}" }}\n'
    (member,) = read(text, registry).members
    assert member.pools[0].request.system == high_die.id
    with pytest.raises(RulesError):
        dialled(DEFAULT, high_die.alias, "A")


def test_characters_sit_down_once() -> None:
    roster = read(f'{BRUS}\n[[character]]\nname = "Ana"\n')
    wounded = Table(characters=(Character(name="Ser Brus", wounds=2, reserves=()),), progress=())
    table = roster.seated(wounded)
    assert [character.name for character in table.characters] == ["Ana", "Ser Brus"]
    assert table.character("Ser Brus").wounds == 2
    assert roster.seated().character("Ser Brus").endurance == 4
    assert Roster().seated() == EMPTY


def test_a_member_is_found_by_name() -> None:
    roster = read(BRUS)
    assert roster.member("Ser Brus") == roster.members[0]
    assert roster.member("Nobody") is None


def test_a_roster_is_read_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "roster.toml"
    file.write_text(BRUS, "utf-8")
    assert load_roster(file) == read(BRUS)
    assert load_roster(None) == Roster()
    with pytest.raises(ConfigError, match="Is a directory"):
        load_roster(tmp_path)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x = 1", "line 1: x is no section: known are character"),
        ("charcter = 1", "line 1: charcter is no section: did you mean character?"),
        ("character = 3", "line 1: character is 3: allowed is sections [[character]]"),
        ("[character]\nname = 'A'", "line 1: character is an object: allowed is sections"),
        ("[[character]]", "line 1: character[0].name is missing: allowed is text of 1–24"),
        ("[[character]]\nname = 3", "line 2: character[0].name is 3: allowed is text of 1–24"),
        (f"[[character]]\nname = '{'x' * 25}'", "allowed is text of 1–24 printable characters"),
        (
            "[[character]]\nname = 'A'\n[[character]]\nname = 'A'",
            'line 4: character[1].name is "A": allowed is a name that no other character has',
        ),
        ("[[character]]\nname = 'A'\nnmae = 1", "line 3: character[0].nmae is no key: did you"),
        ("[[character]]\nname = 'A'\nendurance = 21", "character[0].endurance is 21: allowed is a"),
        ("[[character]]\nname = 'A'\nendurance = true", "character[0].endurance is true"),
        ("[[character]]\nname = 'A'\nabilities = 3", "line 3: character[0].abilities is 3: allow"),
        (
            "[[character]]\nname = 'A'\n[character.abilities]\nFighting = 21",
            "line 4: character[0].abilities.Fighting is 21: allowed is a whole number 1–20",
        ),
        (
            "[[character]]\nname = 'A'\nabilities = { '' = 3 }",
            'character[0].abilities."" is "": allowed is text of 1–60 printable characters',
        ),
        (
            "[[character]]\nname = 'A'\nspecialties = { Axes = 3 }",
            'character[0].specialties.Axes is no specialty: write it as "Ability (Specialty)"',
        ),
        (
            "[[character]]\nname = 'A'\nabilities.Fighting = 3\nspecialties.'Figting (Axes)' = 3",
            "specialties.Figting (Axes) is no ability of the character: did you mean Fighting?",
        ),
        (
            "[[character]]\nname = 'A'\npools = { x = '40D' }",
            "line 3: character[0].pools.x: rank is 40; allowed: a whole number 1–20",
        ),
        ("[[character]]\nname = 'A'\npools = { x = 'hello' }", 'pools.x: the input is "hello"'),
        ("[[character]]\nname = 'A'\npools = { x = 'oa 3' }", "pools.x: the input is"),
        ("[[character]]\nname = 'A'\npools = { x = '' }", 'character[0].pools.x is "": allowed is'),
        ("[[character]]\nname = 'A'\npools = { x = 4 }", "character[0].pools.x is 4: allowed is"),
        ("[[character]]\nname = 'A'\nscores = { x = 11 }", "allowed is a whole number −10…+10"),
        (
            "[[character]]\nname = 'A'\n[character.pools]\n"
            + "".join(f"p{n} = '3D'\n" for n in range(MOST_POOLS + 1)),
            "line 3: character[0].pools has 61 entries: allowed are at most 60",
        ),
    ],
)
def test_one_fault_is_one_sentence(text: str, sentence: str) -> None:
    (told,) = faults(text)
    assert sentence in told
    assert told.isprintable()


def test_all_faults_of_all_characters_are_told() -> None:
    told = faults(
        "[[character]]\nname = 'A'\nendurance = 0\npools = { x = '40D', y = 'no' }\n"
        "[[character]]\nscores = { s = 'x' }\n"
    )
    assert [sentence.partition(":")[0] for sentence in told] == [
        "line 3",
        "line 4",
        "line 4",
        "line 5",
        "line 6",
    ]


def test_too_many_characters() -> None:
    text = "".join(f"[[character]]\nname = 'c{n}'\n" for n in range(61))
    (told,) = faults(text)
    assert "allowed is at most 60 of them" in told
