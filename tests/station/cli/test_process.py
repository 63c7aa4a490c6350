"""The program as a shell sees it: streams that close, signals, time to start."""

import io
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import station
from station.cli import COMMANDS, main

FULL = Path("/dev/full")
PROGRAM = [sys.executable, "-m", "station"]
LINE = json.dumps({"request": {"system": "wrath-and-glory", "kind": "test", "pool": 3}}) + "\n"


@pytest.fixture
def answering() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(  # noqa: S603 - our own program
        [*PROGRAM, "odds", "--jsonl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


def test_version_and_help(run: Any) -> None:
    assert run("--version").out == f"dice-station {station.__version__}\n"
    told = run("--help")
    assert (told.status, told.err) == (0, "")
    for command in COMMANDS:
        assert f"{command.name} " in told.out
        own = run(command.name, "--help")
        assert (own.status, own.err) == (0, "")
        assert f"usage: dice-station {command.name}" in own.out


def test_help_imports_no_command() -> None:
    code = (
        "import sys; from station.cli import main; main(['--help']);"
        "sys.exit(any(name in sys.modules for name in"
        " ('rules.registry', 'dataclasses', 'station.cli.roll', 'hardware.entropy')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)  # noqa: S603 - our own program
    assert done.returncode == 0, done.stderr


def test_as_a_module_and_by_its_own_arguments() -> None:
    words = [*PROGRAM, "resolve", "3D vs 9", "6", "5", "7"]
    done = subprocess.run(words, capture_output=True, check=False)  # noqa: S603 - our own program
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.decode().count("\n") == 1
    assert "faces[2] is 7" in done.stderr.decode()


def test_each_line_is_answered_before_the_next_is_sent(answering: subprocess.Popen[str]) -> None:
    for line in (LINE, "{bad\n", LINE):
        answering.stdin.write(line)
        answering.stdin.flush()
        assert ("odds" in json.loads(answering.stdout.readline())) is (line == LINE)
    answering.stdin.close()
    assert answering.wait() == 2
    assert answering.stderr.read() == ""


def test_a_reader_that_leaves_ends_it_quietly(answering: subprocess.Popen[str]) -> None:
    answering.stdout.close()
    answering.stdin.write(LINE)
    answering.stdin.close()
    assert answering.wait() == 141
    assert answering.stderr.read() == ""


def test_an_interrupt_ends_it_quietly(answering: subprocess.Popen[str]) -> None:
    answering.stdin.write(LINE)
    answering.stdin.flush()
    answering.stdout.readline()
    answering.send_signal(signal.SIGINT)
    assert answering.wait() == 130
    assert answering.stderr.read() == ""


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
def test_a_full_disk_is_said() -> None:
    words = [*PROGRAM, "odds", "3D vs 9"]
    with FULL.open("w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603 - our own program
    assert (done.returncode, done.stderr) == (1, "dice-station: No space left on device\n")


@pytest.mark.parametrize(
    ("stream", "words", "sentence"),
    [
        ("stdin", ["odds", "--jsonl"], "standard input is closed"),
        ("stdout", ["odds", "3D vs 9"], "standard output is closed"),
    ],
)
def test_a_closed_stream_is_said(stream: str, words: list[str], sentence: str) -> None:
    complaints = io.StringIO()
    with mock.patch.object(sys, stream, None), mock.patch.object(sys, "stderr", complaints):
        assert main(words) == 1
    assert complaints.getvalue() == f"dice-station: {sentence}\n"


def test_without_standard_input_the_simulator_plays_its_evening_or_says_what_it_lacks() -> None:
    for words, status in (([], 0), (["--script", "-"], 2)):
        done = subprocess.run(  # noqa: S603 - our own program, through a shell's <&-
            ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *PROGRAM, "simulate", *words],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
    assert done.stderr == "dice-station: --script - can't be read: standard input is closed\n"


def test_a_file_that_can_not_be_opened_is_named(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    missing = tmp_path / "none"
    monkeypatch.setattr("station.cli.odds.width", missing.read_text)
    ran = run("odds", "3D vs 9")
    assert ran.status == 1
    assert ran.err == f"dice-station: {missing}: No such file or directory\n"


def test_a_complaint_that_nobody_can_read_is_no_error() -> None:
    with mock.patch.object(sys, "stderr", None):
        assert main(["roll", "0D vs 9"]) == 2
