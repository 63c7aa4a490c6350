"""What people read: verdicts, dice with their fates, odds with their bars."""

import os
import pty
import shlex
from fractions import Fraction
from typing import Any

import pytest

from rules.engine import resolve
from rules.model import Chance, Spread
from rules.registry import DEFAULT
from station.cli import main
from station.cli.asked import request_and_faces
from station.cli.chart import chart, table
from station.cli.console import can, cells, fitted, padded


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "3D+2B-2P vs 9 5 3 6 6 1",
            [
                "Seven Kingdoms · Basic test · 3D+2B−2P · Challenging 9",
                "  test   [5] (3) ×6×",
                "  bonus  ×6× (1)",
            ],
        ),
        (
            "wg attack 3+1 vs 2 6 6 4 1 name='Sister Ana'",
            [
                "Sister Ana · Wrath & Glory · Attack · 4 dice · DN 2 Straightforward",
                "  wrath  [6]",
                "  icon   [6] [4] [1]",
                "  Still open: shifts, up to 1 for damage or glory; such as shifts=damage:1",
            ],
        ),
        (
            "oa 3 vs -1 attacker.name=Ana 6 5 1 2 1 2 5 6",
            [
                "Opposed Attribute · Opposed test · Ana +3 · Defender −1",
                "Ana wins",
                "  Ana plus        [6] [5]",
                "  Ana minus       [1] [2]",
                "  Defender plus   [1] [2]",
                "  Defender minus  [5] [6]",
            ],
        ),
        (
            "competition Arya:2D+1B Bran:2D 1 2 3 6 5",
            [
                "Seven Kingdoms · Competition · 2 compete · highest total wins",
                "  Bran   11",
                "  Arya    5  complication",
                "  Arya test   (1) [2]",
                "  Arya bonus  [3]",
                "  Bran test   [6] [5]",
                "  ( ) dropped",
            ],
        ),
        ("1D vs 21", ["Not attempted  Heroic needs rank 4, not 1"]),
    ],
)
def test_a_verdict_with_its_dice(run: Any, words: str, expected: list[str]) -> None:
    ran = run("resolve", *shlex.split(words))
    assert ran.status == 0, ran.err
    assert [line for line in ran.out.splitlines() if line in expected] == expected


@pytest.mark.parametrize("words", ["3D+1B-1P vs 9 6 6 5 1", "oa 3 vs 1 1 1 6 6 6 6 1 1", "1D vs 0"])
def test_a_verdict_tells_word_and_arithmetic(run: Any, words: str) -> None:
    request, faces, _ = request_and_faces(words.split())
    system = DEFAULT.of(request)
    outcome = resolve(system, request, tuple(map(int, faces)))
    lines = run("resolve", *words.split()).out.splitlines()
    headline = system.headline(request, outcome)
    assert lines[1].startswith(headline.word)
    assert headline.detail in lines[1]
    assert all(mark in lines[1] for mark in headline.marks)
    assert outcome.explanation in " ".join(line.strip() for line in lines)


def test_struck_and_dropped_dice_are_explained(run: Any) -> None:
    out = run("resolve", "3D+1B-1P vs 9", "5", "3", "6", "1").out
    assert "  ( ) dropped, × × struck\n" in out
    assert "struck" not in run("resolve", "3D vs 9", "5", "3", "6").out


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_stream_without_the_characters_gets_their_ascii_form(run: Any, encoding: str) -> None:
    out = run("resolve", "3D+2B-1P vs 9", "5", "3", "1", "1", "1", encoding=encoding).out
    assert "3D+2B-1P" in out
    assert "margin -5" in out
    if encoding == "ascii":
        assert "Test | " not in out
        assert "Seven Kingdoms | Basic test" in out
        assert "x5x" in out


def test_odds_with_the_line_of_success_and_the_mean(run: Any) -> None:
    assert (
        run("odds", "2D vs 9").out
        == """\
Seven Kingdoms · Basic test · 2D · Challenging 9
  Success               27.8%  5/18
  Complication          30.6%  11/36
  Marginal Success      27.8%  5/18
  Great Success            0%
  Incredible Success       0%
  Astonishing Success      0%

total
   2    2.8%  █████████▏
   3    5.6%  ██████████████████▍
   4    8.3%  ███████████████████████████▌
   5   11.1%  ████████████████████████████████████▋
   6   13.9%  █████████████████████████████████████████████▉
   7   16.7%  ███████████████████████████████████████████████████████ ◂ mean 7.0
   8   13.9%  █████████████████████████████████████████████▉
  ──  success 27.8% ────────────────────────────────────────────────────────────
   9   11.1%  ████████████████████████████████████▋
  10    8.3%  ███████████████████████████▌
  11    5.6%  ██████████████████▍
  12    2.8%  █████████▏
"""
    )


@pytest.mark.parametrize(
    "words",
    [
        "20D+20B-5P vs 60",
        "20D vs 99",
        "20D vs 3 modifier=-99",
        "1D vs 3",
        "wg 40 vs 40",
        "oa -10 vs 10",
        "competition Arya:3D+1B Bran:4D Cersei:20D",
        'competition "A very long name, indeed":3D "北境之王北境之王":4D',
        "3D vs 0",
        "1D vs 21",
        "wg attack 3+3+1 vs 4",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("columns", ["200", "40"])
def test_bars_are_aligned_and_fit_the_screen(
    run: Any, monkeypatch: pytest.MonkeyPatch, words: str, encoding: str, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    ran = run("odds", words, encoding=encoding)
    assert ran.status == 0, ran.err
    _, _, bars = ran.out.partition("\n\n")
    rows = bars.splitlines()[1:]
    assert all(cells(row) <= min(80, int(columns)) for row in rows)
    assert len(rows) <= 25
    starts = {cells(row[: row.index("%")]) for row in rows if "success" not in row}
    assert len(starts) <= 1


def test_a_long_distribution_shares_rows_that_never_mix_success_and_failure(run: Any) -> None:
    rows = run("odds", "20D vs 63").out.partition("\n\n")[2].splitlines()
    line = next(place for place, row in enumerate(rows) if "success" in row)
    assert rows[line + 1].split()[0] == "63–67"
    assert rows[line - 1].split()[0] == "58–62"
    assert sum("mean 70.0" in row for row in rows) == 1


def test_a_fraction_is_shown_where_it_is_short() -> None:
    long = Fraction(10**20, 10**20 + 1)
    lines = table(
        (Chance("A", Fraction(1, 6)), Chance("Wide 北", long), Chance("Never", Fraction(0)))
    )
    assert lines == ["  A         16.7%  1/6", "  Wide 北  >99.9%", "  Never        0%"]


def test_success_that_is_no_upper_tail_draws_no_line() -> None:
    bars = tuple(Chance(str(value), Fraction(1, 4)) for value in range(4))
    lines = chart(Spread("x", bars), Fraction(1, 3), width=40, blocks=True)
    assert len(lines) == 5
    assert not any("success" in line for line in lines)


def test_what_can_happen_is_never_invisible() -> None:
    bars = (Chance("0", 1 - Fraction(1, 10**9)), Chance("1", Fraction(1, 10**9)))
    for blocks, sign in ((True, "▏"), (False, "#")):
        lines = chart(Spread("x", bars), None, width=60, blocks=blocks)
        assert lines[2].split() == ["1", "<0.1%", sign]


def test_nothing_to_draw_is_nothing_drawn() -> None:
    assert chart(Spread("x", ()), None, width=60, blocks=True) == []


def test_columns_of_wide_and_combining_characters() -> None:
    assert [cells(text) for text in ("ab", "北", "e\u0301")] == [2, 2, 1]
    assert padded("北", 4) == "北  "


def test_an_encoding_that_python_does_not_know_gets_ascii() -> None:
    assert not can("−", "no-such-encoding")
    assert fitted("−a北", "no-such-encoding") == "-a??"


@pytest.mark.parametrize(("extra", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_the_verdict_is_coloured_on_a_terminal_only(
    run: Any, monkeypatch: pytest.MonkeyPatch, extra: dict[str, str], *, coloured: bool
) -> None:
    words = ("resolve", "3D vs 9", "6", "5", "4")
    assert "\x1b" not in run(*words).out
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in extra.items():
        monkeypatch.setenv(name, value)
    ours, theirs = pty.openpty()
    try:
        with os.fdopen(theirs, "w", encoding="utf-8") as terminal:
            monkeypatch.setattr("sys.stdout", terminal)
            assert main(words) == 0
            shown = b""
            # A terminal hands its lines over as they come, the last one some time later.
            while b"margin +6" not in shown:
                shown += os.read(ours, 4096)
            monkeypatch.undo()
    finally:
        os.close(ours)
    assert (b"\x1b[1;32mSuccess\x1b[0m" in shown) is coloured


def test_what_may_still_be_decided_is_said_in_words_that_can_be_typed(run: Any) -> None:
    words = ["3D+1B-1P vs 9", "4", "4", "2", "4"]
    told = " ".join(run("resolve", *words).out.split())
    which = "Still open: which die is struck, in place 0, 1 or 3, the first face being 0; such as"
    assert f"{which} struck=0" in told
    ran = run("resolve", *words, "struck=1")
    assert "[4] ×4×" in ran.out
    assert "Still open" not in ran.out
    assert "×4× [4]" in run("resolve", *words, "--choices", '{"struck": [0]}').out
    twice = run("resolve", *words, "struck=1", "--choices", '{"struck": [0]}')
    assert (twice.status, "given twice" in twice.err) == (2, True)


def test_names_with_blanks_are_quoted_as_the_shell_leaves_them(run: Any) -> None:
    for words in (
        ["competition", "Ser Jaime:3D", "Bran:4D"],
        ['competition "Ser Jaime:3D" Bran:4D'],
        ["competition", '"Ser Jaime":3D', "Bran:4D"],
    ):
        assert "Ser Jaime   19.2%" in run("odds", *words).out
    told = run("odds", "competition Ser Jaime:3D Bran:4D")
    assert 'allowed: name and pool, like Arya:3D+1B "Bran S":4D' in told.err
