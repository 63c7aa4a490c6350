"""``dice-station simulate`` without a terminal: scripts, frames, pictures, and bad arguments."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from station.ledger.reader import Reader
from station.simulator.pixels import Style
from station.simulator.script import Frame, gestures

EVENING = (Path(__file__).parents[3] / "station/simulator/evening.txt").read_text("utf-8")
PROGRAM = [sys.executable, "-m", "station", "simulate"]


def frames(out: str) -> dict[str, list[str]]:
    """Return the printed frames by name."""
    found: dict[str, list[str]] = {}
    for line in out.splitlines():
        if line.startswith("-- "):
            found[line[3:]] = []
        else:
            found[list(found)[-1]].append(line)
    return found


def test_without_a_terminal_an_evening_is_played_and_each_frame_printed() -> None:
    done = subprocess.run(  # noqa: S603 - our own program
        PROGRAM,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    asked = [each for each in gestures(EVENING) if isinstance(each, Frame)]
    shown = frames(done.stdout)
    assert len(shown) == len(asked)
    assert {len(each) for each in shown.values()} == {32}


@pytest.mark.parametrize("seed", range(12))
def test_the_evening_tells_the_same_story_however_the_dice_fall(sit: Any, seed: int) -> None:
    desk = sit()
    desk.do(EVENING, *[1 + (seed * 7 + n * (seed + 1) + n // 5) % 6 for n in range(99)])
    assert [row.document("request")["kind"] for row in desk.rows("roll")] == [
        "basic",
        "attack",
        "opposed",
    ]
    assert desk.request.attacker.score == 3


def test_a_script_from_standard_input(run: Any) -> None:
    ran = run("simulate", "--script", "-", stdin="frame:dial push turn+2 frame roll wait:2s frame")
    assert (ran.status, ran.err) == (0, "")
    assert list(frames(ran.out)) == ["dial", "frame-002", "frame-003"]


def test_a_script_from_a_file(run: Any, tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("# a dial\nframe\n", "utf-8")
    assert list(frames(run("simulate", "--script", str(script)).out)) == ["frame-001"]


def test_a_script_without_frames_prints_nothing(run: Any) -> None:
    ran = run("simulate", "--script", "-", stdin="")
    assert (ran.status, ran.out, ran.err) == (0, "", "")


@pytest.mark.parametrize(
    ("style", "rows", "columns"),
    [(Style.HALF, 32, 128), (Style.BRAILLE, 16, 64), (Style.ASCII, 64, 128)],
)
def test_frames_are_printed_as_asked(run: Any, style: Style, rows: int, columns: int) -> None:
    ran = run("simulate", "--script", "-", "--pixels", style, stdin="frame")
    (shown,) = frames(ran.out).values()
    assert (len(shown), {len(line) for line in shown}) == (rows, {columns})


def test_where_blocks_cannot_be_printed_plain_characters_are(run: Any) -> None:
    ran = run("simulate", "--script", "-", stdin="frame", encoding="ascii")
    (shown,) = frames(ran.out).values()
    assert set("".join(shown)) == {"#", "."}


def test_the_low_panel(run: Any) -> None:
    ran = run("simulate", "--script", "-", "--panel", "128x32", stdin="frame")
    (shown,) = frames(ran.out).values()
    assert len(shown) == 16


@pytest.mark.parametrize(("scale", "size"), [([], (512, 256)), (["--scale", "1"], (128, 64))])
def test_frames_as_pictures(
    run: Any, tmp_path: Path, scale: list[str], size: tuple[int, int]
) -> None:
    folder = tmp_path / "pictures" / "of today"
    script = "frame turn+1 frame:after"
    ran = run("simulate", "--script", "-", "--png", str(folder), *scale, stdin=script)
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert sorted(path.name for path in folder.iterdir()) == ["after.png", "frame-001.png"]
    with Image.open(folder / "after.png") as picture:
        assert (picture.mode, picture.size) == ("1", size)
        assert {value for _, value in picture.getcolors()} == {0, 255}


def test_without_a_roll_button_only_the_knobs_last_stop_rolls(run: Any, tmp_path: Path) -> None:
    state = tmp_path / "state"
    words = ("simulate", "--script", "-", "--state", str(state), "--no-roll-button")
    assert run(*words, stdin="roll wait:2s").status == 0
    assert rolls(state) == 0
    run(*words, stdin="push push push turn+1 push wait:2s")
    assert rolls(state) == 1


def rolls(state: Path) -> int:
    with Reader.open(state / "ledger.db") as reader:
        return len(reader.history().records)


def test_a_kept_state_goes_on_where_it_was(run: Any, tmp_path: Path) -> None:
    words = ("simulate", "--script", "-", "--state", str(tmp_path / "state"))
    first = frames(run(*words, stdin="turn+4 frame").out)
    assert frames(run(*words, stdin="up down frame").out) == first


def test_a_rehearsal_leaves_nothing_behind(run: Any, home: Path) -> None:
    before = sorted(home.rglob("*"))
    run("simulate", "--script", "-", stdin="roll wait:2s")
    assert sorted(home.rglob("*")) == before


@pytest.mark.parametrize(
    ("words", "stdin", "told"),
    [
        (["--script", "-"], "turn+1\njump roll", 'line 2: "jump" is no gesture; allowed: turn+3'),
        (["--script", "-"], b"\xff\xfe", "--script - is not UTF-8 text"),
        (["--script", "/no/such/file"], "", "--script /no/such/file can't be read: No such file"),
        (["--script", "/"], "", "--script / can't be read: Is a directory"),
        (["--scale", "0"], "", "--scale is 0; allowed: 1–16"),
        (["--scale", "17"], "", "--scale is 17; allowed: 1–16"),
        (["--scale", "x"], "", "argument --scale: invalid int value: 'x'"),
        (["--pixels", "colour"], "", "argument --pixels: invalid choice: 'colour'"),
        (["--panel", "64x64"], "", "argument --panel: invalid choice: '64x64'"),
        (["--colour"], "", "unknown option --colour"),
        (["roll"], "", "unknown argument roll"),
        (["--script"], "", "argument --script: expected one argument"),
    ],
)
def test_a_bad_argument_is_one_sentence_and_status_2(
    run: Any, words: list[str], stdin: str | bytes, told: str
) -> None:
    ran = run("simulate", *words, stdin=stdin)
    assert (ran.status, ran.out) == (2, "")
    assert told in ran.err
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err


def test_a_ledger_that_another_station_keeps_is_left_to_it(
    run: Any, sit: Any, tmp_path: Path
) -> None:
    desk = sit()
    ran = run("simulate", "--script", "-", "--state", str(desk.folder), stdin="frame")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    assert tmp_path in desk.folder.parents


def test_pictures_that_cannot_be_written_are_told_of(run: Any, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    ran = run("simulate", "--script", "-", "--png", str(blocked / "in"), stdin="frame")
    assert ran.status == 1
    assert ran.err.count("\n") == 1
