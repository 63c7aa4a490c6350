"""``--json`` prints the protocol's objects."""

import json
import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hardware.entropy.dice import Draw, EntropyUnavailable
from hardware.entropy.factory import seeded_dice
from rules.engine import resolve
from rules.model import outcome_plain
from rules.registry import DEFAULT
from station.cli.asked import request_and_faces, request_of
from station.drawing import drawn, faces_of, notice_of, source_of
from station.ledger import Moment, open_ledger

NOTATIONS = [
    "3D+2B-1P vs 9",
    "conflict 5D+1B vs 12",
    "extended 4D vs 9 needed=5 gained=2",
    "competition Arya:3D+1B Bran:4D",
    "wg 6 vs 3",
    "wg attack 3+3+1 vs 4",
    "oa 3 vs -1",
    "3D vs 0",
    "1D vs 21",
]


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("apart", [False, True])
def test_a_roll_is_replied_to_in_full(run: Any, notation: str, *, apart: bool) -> None:
    ran = run("roll", *(notation.split() if apart else [notation]), "--json")
    assert (ran.status, ran.err) == (0, "")
    told = json.loads(ran.out)
    assert list(told) == [
        "seq",
        "time",
        "request",
        "faces",
        "outcome",
        "source",
        "hash",
        "recorded",
        "keyed",
        "replayed",
    ]
    request = DEFAULT.request(told["request"])
    assert request == request_of([notation])
    outcome = resolve(DEFAULT.of(request), request, told["faces"])
    assert told["outcome"] == json.loads(json.dumps(outcome_plain(outcome)))
    assert told["source"] == ("urandom" if told["faces"] else None)
    assert (told["seq"], told["recorded"], len(told["hash"])) == (2, True, 64)
    assert (told["keyed"], told["replayed"]) == (False, False)


def test_a_roll_for_people_ends_in_its_arithmetic_and_its_number(run: Any) -> None:
    ran = run("roll", "3D+2B", "-1P", "vs", "9")
    assert ran.status == 0
    assert "vs Challenging 9: margin" in ran.out
    assert ran.out.endswith("  #2\n")


def test_a_roll_that_is_to_be_kept_out_of_the_ledger_says_so(run: Any, home: Path) -> None:
    told = json.loads(run("roll", "--unrecorded", "--json", "3D vs 9").out)
    assert (told["seq"], told["hash"], told["recorded"]) == (None, None, False)
    assert run("roll", "3D vs 9", "--unrecorded").out.endswith("  not recorded\n")
    assert list(home.iterdir()) == []


def test_without_a_folder_to_write_to_a_roll_goes_on(run: Any, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    ran = run("roll", "--state", str(blocked / "state"), "3D vs 9")
    assert ran.status == 0
    assert ran.out.endswith("  not recorded\n")
    assert ran.err.startswith("dice-station: ")


def test_while_another_program_keeps_the_ledger_a_roll_says_who(run: Any, home: Path) -> None:
    with closing(open_ledger(home / "dice-station", Moment(1), "0.1")) as opened:
        ran = run("roll", "3D vs 9")
        rows = list(opened.ledger.rows())
    assert (ran.status, len(rows)) == (0, 1)
    assert f"process {os.getpid()} already keeps the ledger" in ran.err


def test_all_dice_are_drawn_as_the_system_asks_for_them() -> None:
    request = request_of(["oa 3 vs 1"])
    with seeded_dice(5, test=True) as dice:
        draws = drawn(DEFAULT.of(request), request, dice)
    assert [len(draw.faces) for draw in draws] == [4, 4]
    assert faces_of(draws) == tuple(face for draw in draws for face in draw.faces)
    assert source_of(draws) == draws[0].source


def test_a_roll_from_two_sources_names_both() -> None:
    draws = (
        Draw((1,) * 4, "hwrng", "m", test=False),
        Draw((1,) * 4, "urandom", "m", test=False, reason="silent", change="urandom alone: silent"),
    )
    assert source_of(draws) == "hwrng then urandom"
    assert notice_of(draws) == "urandom alone: silent"
    assert source_of(()) is None


def test_without_entropy_nothing_is_rolled(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> None:
        raise EntropyUnavailable("hwrng: silent")

    monkeypatch.setattr("hardware.entropy.dice.Dice.draw", lost)
    ran = run("roll", "3D vs 9", "--json")
    assert (ran.status, ran.out, ran.err) == (1, "", "dice-station: hwrng: silent\n")


def test_odds_are_the_exact_ones(run: Any) -> None:
    told = json.loads(run("odds", "3D+2B vs 9", "--json").out)
    assert list(told) == ["success", "complication", "degrees", "total"]
    assert list(told["success"]) == ["n", "d", "p"]
    assert list(told["degrees"]) == ["1", "2", "3", "4"]


def test_resolve_repeats_request_and_faces(run: Any) -> None:
    told = json.loads(run("resolve", "3D+2B vs 9", "2", "5", "1", "6", "3", "--json").out)
    assert list(told) == ["request", "faces", "outcome"]
    assert told["faces"] == [2, 5, 1, 6, 3]
    assert told["outcome"]["total"] == 14


def test_resolve_takes_choices(run: Any) -> None:
    words = ("wg attack 3 vs 2", "faces=6,6,4", "--json")
    default = json.loads(run("resolve", *words).out)["outcome"]
    assert default["open"] == [
        {"choice": "shifts", "most": 1, "least": 0, "options": ["damage", "glory"]}
    ]
    chosen = run("resolve", *words, "--choices", '{"shifts":{"damage":1}}')
    assert json.loads(chosen.out)["outcome"]["shifts"] == {"damage": 1, "detail": 0, "glory": 0}


@pytest.mark.parametrize(
    "words",
    [
        ["3D+2B vs 9", "2", "5", "1", "6", "3"],
        ["3D+2B", "vs", "9", "2", "5", "1", "6", "3"],
        ["3D", "+", "2B", "vs", "9", "2", "5", "1", "6", "3"],
        ["3D+2B vs 9", "2,5,1,6,3"],
        ["3D+2B vs 9", "2,5", "1, 6 3"],
        ["3D+2B vs 9", "faces=2,5,1,6,3"],
        ["3D+2B vs 9 faces=2,5,1,6,3"],
        ["3D+2B", "vs", "9", "faces=2 5 1 6 3"],
        ["rank=3", "bonus=2", "difficulty=9", "2", "5", "1", "6", "3"],
        ["rank=3 bonus=2 difficulty=9", "2", "5", "1", "6", "3"],
        ["sk", "basic", "3D+2B", "vs", "9", "2", "5", "1", "6", "3"],
        ["seven-kingdoms", "3D+2B", "vs", "9", "2", "5", "1", "6", "3"],
    ],
)
def test_faces_stand_apart_from_the_notation(words: list[str]) -> None:
    assert request_and_faces(words) == (request_of(["3D+2B vs 9"]), (2, 5, 1, 6, 3), {})


@pytest.mark.parametrize(
    ("words", "request_words", "faces"),
    [
        ("wg 3 6 5 1", "wg 3", (6, 5, 1)),
        ("wrath-and-glory 3 6 5 1", "wg 3", (6, 5, 1)),
        ("wg 3 + 1 vs 4 6 5 1 2", "wg 3+1 vs 4", (6, 5, 1, 2)),
        ("oa -3 vs -1 1 2 3 4 5 6 1 2", "oa -3 vs -1", (1, 2, 3, 4, 5, 6, 1, 2)),
        ("competition A:1D B:1D 1 2", "competition A:1D B:1D", (1, 2)),
        ("3D vs 9 wounds=1 6 5", "3D vs 9 wounds=1", (6, 5)),
        ("wg pool=2 6 5", "wg 2", (6, 5)),
        ("3D vs 0 faces=", "3D vs 0", ()),
        ("3D vs 9", "3D vs 9", ()),
    ],
)
def test_faces_as_words_without_quotes(words: str, request_words: str, faces: object) -> None:
    assert request_and_faces(words.split()) == (request_of([request_words]), faces, {})


def test_a_name_with_blanks_and_decisions_may_stand_among_the_words() -> None:
    words = ["competition", "Ser Jaime:2D", "Bran: 2D + 1B", "1", "2", "4", "5", "6", "struck=0"]
    request, faces, choices = request_and_faces(words)
    assert request == request_of(['competition "Ser Jaime":2D Bran:2D+1B'])
    assert (faces, choices) == ((1, 2, 4, 5, 6), {"struck": [0]})


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("name=Sister Ana", "Sister Ana"),
        ('name="Sister Ana"', "Sister Ana"),
        ('name=Ana "the Flame"', 'Ana "the Flame"'),
        ("name=a\\b c", "a\\b c"),
        ("name=Ana", "Ana"),
    ],
)
def test_a_value_keeps_the_spaces_that_the_shell_quoted(word: str, name: str) -> None:
    request = request_of(["3D", "vs", "9", word])
    assert getattr(request, "name", None) == name


def test_options_stand_anywhere(run: Any) -> None:
    texts = {
        run("odds", *words.split()).out
        for words in ("--json wg 6 vs 3", "wg --json 6 vs 3", "wg 6 vs 3 --json")
    }
    assert len(texts) == 1
    assert json.loads(texts.pop())
