"""Whatever happens to a configuration, it loads or every fault is one printable sentence."""

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from station.config import ConfigError, made_of
from station.config.document import parse_document
from station.config.example import example
from station.config.places import Places
from station.config.roster import roster_of

PATH = Path("station.toml")
PLACES = Places({}, system=Path("/nonexistent"))

STATION = re.sub(r"(?m)^#(?=\S)", "", example())
BARE = "\n".join(line for line in STATION.splitlines() if not line.startswith("#"))

ROSTER = """
[[character]]
name = "Ser Brus"
endurance = 4
abilities = { Fighting = 4, Agility = 3 }
specialties = { "Fighting (Axes)" = 2 }
pools = { "From the saddle" = "4D+2B-1P", "Chainsword" = "wg attack 3+3+1" }
[character.scores]
Strength = 3
[[character]]
name = "Ana"
[character.pools]
"Tactics" = "oa 3 vs 1"
"""

WORDS = (
    "-1", "0", "1e999", "nan", "true", "false", '""', "[]", "{}", "[[]]", "0xFFFFFFFFFFFFFFFFFF",
    "1979-05-27T07:32:00Z", '"\\u0000"', '"\\ud7ff"', "'''x'''", '"' + "x" * 500 + '"',
    "[wiring]", "[[serial]]", "[display.x]", "[rules]", "[[rules]]", "[rules.seven-kingdoms.x]",
    "[[character]]", "[character]", "name = 1", "pools = 3", "a.b.c = 1", "=", '"', "[", "]", "{",
    "\x00", "\x1b[31m", "\u202e", "\ufeff", "🎲", "\r", "\n", "\t", "#", ",", '"wg 6 vs 3"',
    '"128x64"', "4D", '"4D+2B vs"', "14", "2", "/dev/serial0", '"/dev/serial0"', "9" * 5000,
)  # fmt: skip


def mutated(text: str, chance: random.Random) -> bytes:
    """Return a text after a few accidents: words, lines and bytes lost, moved, doubled, changed."""
    lines = text.split("\n")
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(lines))
        match chance.randrange(7):
            case 0:
                lines.insert(place, chance.choice(WORDS))
            case 1:
                lines.insert(place, lines[chance.randrange(len(lines))])
            case 2 if len(lines) > 1:
                del lines[place]
            case 3:
                key, equals, _ = lines[place].partition(" = ")
                lines[place] = key + equals + chance.choice(WORDS)
            case 4:
                at = chance.randint(0, len(lines[place]))
                lines[place] = lines[place][:at] + chance.choice(WORDS) + lines[place][at:]
            case 5:
                lines[place] = lines[place][: chance.randint(0, len(lines[place]))]
            case _:
                chance.shuffle(lines)
    content = bytearray("\n".join(lines).encode())
    if content and chance.random() < 0.3:
        content[chance.randrange(len(content))] = chance.randrange(256)
    return bytes(content)


def sentences(content: bytes, *, roster: bool) -> Iterator[str]:
    """Yield what is wrong with a file; nothing when it is good."""
    try:
        document = parse_document(content, PATH)
        if roster:
            roster_of(document)
        else:
            made_of(document, PLACES)
    except ConfigError as error:
        yield from error.sentences() or ("",)


def check(count: int, seed: int) -> tuple[int, int]:
    """Try so many mutated files; return how many were good and how many not."""
    chance = random.Random(seed)  # noqa: S311 - accidents, the same each time
    good = bad = 0
    for number in range(count):
        roster = number % 4 == 3
        content = mutated(ROSTER if roster else BARE, chance)
        told = list(sentences(content, roster=roster))
        good, bad = good + (not told), bad + bool(told)
        for sentence in told:
            assert sentence.startswith("station.toml: "), content
            assert sentence.isprintable(), content
            assert len(sentence) < 1000, content
    return good, bad


def test_the_originals_are_good() -> None:
    assert list(sentences(STATION.encode(), roster=False)) == []
    assert list(sentences(BARE.encode(), roster=False)) == []
    assert list(sentences(ROSTER.encode(), roster=True)) == []


def test_mutated_files_give_sentences() -> None:
    good, bad = check(3_000, seed=1)
    assert good > 30
    assert bad > 1_000


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_hundred_thousand_mutated_files_give_sentences() -> None:
    good, bad = check(100_000, seed=2)
    assert good > 1_000
    assert bad > 30_000
