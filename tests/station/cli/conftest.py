"""A command line run in this process, with streams of its own."""

import io
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest

from station.cli import main


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command line gave."""

    status: int
    out: str
    err: str


Run = Callable[..., Ran]


def _run(*words: str, stdin: bytes | str = b"", encoding: str = "utf-8") -> Ran:
    data = stdin if isinstance(stdin, bytes) else stdin.encode()
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="") for _ in range(2))
    source = io.TextIOWrapper(io.BytesIO(data))
    with redirect_stdout(out), redirect_stderr(err), mock.patch.object(sys, "stdin", source):
        status = main(words)
    texts = []
    for stream in (out, err):
        stream.seek(0)
        texts.append(stream.read())
    return Ran(status, *texts)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of whoever runs commands here, so that no test rolls into a real ledger."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    return tmp_path


@pytest.fixture(scope="session")
def run() -> Run:
    """Runs ``dice-station`` with these words; the status, and what it printed."""
    return _run
