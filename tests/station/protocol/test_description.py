"""The description for authors of clients is true: its dialogues happen as they are printed."""

import re
from pathlib import Path
from typing import Any

import pytest

from station.protocol.errors import Code
from station.protocol.seam import SIGNATURES
from station.protocol.typed_replies import ORDERS, TAIL

TEXT = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text()
BLOCKS = re.findall(r"^```\n(> .*?)^```", TEXT, re.DOTALL | re.MULTILINE)


def exchanges() -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in "".join(BLOCKS).splitlines():
        if line.startswith("> "):
            found.append((line[2:], []))
        elif line.startswith("< "):
            found[-1][1].append(line[2:])
    return found


@pytest.mark.parametrize(("asked", "shown"), exchanges(), ids=[a[:40] for a, _ in exchanges()])
def test_what_is_shown_is_answered_so(wire: Any, asked: str, shown: list[str]) -> None:
    answers = wire.say(asked)
    assert answers
    assert not any(answer.startswith("err") or '"error"' in answer for answer in answers)
    if shown:
        assert answers == shown


def test_there_are_dialogues_of_both_forms() -> None:
    asked = [line for line, _ in exchanges()]
    assert sum(line.startswith(("{", "[")) for line in asked) >= 5
    assert len(asked) >= 20


def test_every_method_stands_in_the_table_with_its_params_in_order() -> None:
    for method, signature in SIGNATURES.items():
        (row,) = re.findall(rf"^\| `{method}` \|([^|]*)\|", TEXT, re.MULTILINE)
        assert tuple(re.findall(r"`\[?(\w+)\]?`", row)) == signature.names


def test_every_code_stands_in_the_table() -> None:
    assert set(map(int, re.findall(r"^\| (-\d+) \|", TEXT, re.MULTILINE))) == set(Code)


def row_of(start: str) -> list[str]:
    """Return the names in the row of a table that begins so."""
    (row,) = re.findall(rf"^\| {start}[^|]*\|(.*)\|$", TEXT, re.MULTILINE)
    return re.findall(r"`(\w+)`", row)


@pytest.mark.parametrize(
    ("mark", "start"),
    [
        ("minimum_rank", "basic"),
        ("contestants", "competition"),
        ("icons", "Wrath"),
        ("attacker", "opposed"),
    ],
)
def test_the_names_of_an_answer_stand_in_their_order(mark: str, start: str) -> None:
    names = dict(ORDERS)[mark]
    wanted = ["seq", *(name for name in names if not name.startswith("defender_"))]
    assert [name for name in row_of(start) if name != "defender"] == wanted


def test_what_follows_in_every_answer_stands_last() -> None:
    assert row_of("then") == list(TAIL)
