"""Where each key of a file stands."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from station.config.document import Place, parse_document

PATH = Path("x.toml")

FILE = '''# a comment with [brackets] and x = 1
top = 1
"quoted key" = """
[not a section]
x = 1
"""
[one]
a = [
  1, # with a comment
  2,
]
b.c = 3
b.d = 4

[one.two]
e = { f = 1, g = 2 }
[[many]]
h = 1
[many.below]
i = 2
[[many]]
h = 3
[[many.inner]]
j = 4
[[many.inner]]
j = 5
'''

LINES: dict[Place, int] = {
    ("top",): 2,
    ("quoted key",): 3,
    ("one",): 7,
    ("one", "a"): 8,
    ("one", "b"): 12,
    ("one", "b", "c"): 12,
    ("one", "b", "d"): 13,
    ("one", "two"): 15,
    ("one", "two", "e"): 16,
    ("one", "two", "e", "f"): 16,
    ("one", "two", "e", "g"): 16,
    ("many", 0): 17,
    ("many", 0, "h"): 18,
    ("many", 0, "below"): 19,
    ("many", 0, "below", "i"): 20,
    ("many", 1): 21,
    ("many", 1, "h"): 22,
    ("many", 1, "inner", 0): 23,
    ("many", 1, "inner", 0, "j"): 24,
    ("many", 1, "inner", 1): 25,
    ("many", 1, "inner", 1, "j"): 26,
}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_each_place_has_its_line(end: str) -> None:
    document = parse_document(FILE.replace("\n", end).encode(), PATH)
    assert document.data == tomllib.loads(FILE)
    assert document.lines == LINES


def test_lines_end_where_a_value_is_very_long() -> None:
    text = "a = 1\nb = [\n" + "1,\n" * 200 + "]\nc = 2\n"
    assert parse_document(text.encode(), PATH).lines == {("a",): 1}


names = st.sampled_from(["a", "b", "c", '"d e"', "'f'"])
values = st.sampled_from(
    ["1", "true", '"x"', "[\n1,\n2]", '"""\n[a]\nb=1\n"""', "'''\n#'''", "{ g = 1 }", "1979-05-27"]
)


@given(st.lists(st.tuples(names, values), min_size=1, max_size=5, unique_by=lambda pair: pair[0]))
def test_a_key_is_found_where_it_was_written(pairs: list[tuple[str, str]]) -> None:
    text, expected = "[table] # here\n", {("table",): 1}
    for name, value in pairs:
        text += "\n# a comment\n"
        expected[("table", name.strip("\"'"))] = text.count("\n") + 1
        text += f"{name} = {value}\n"
    lines = parse_document(text.encode(), PATH).lines
    assert {place: line for place, line in lines.items() if len(place) < 3} == expected
