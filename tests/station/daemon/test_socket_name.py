"""A socket's name that the kernel would not take is a bad configuration, wherever it is from."""

from pathlib import Path

import pytest

from station.cli import main
from station.config import BAD_CONFIGURATION
from station.ports import LONGEST_SOCKET

LONG = "/" + "s" * LONGEST_SOCKET


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (("--socket", LONG), ""),
        (("--state", LONG), ""),
        ((), f'[station]\nstate_folder = "{LONG}"\n'),
        ((), f'[station]\nsocket = "{LONG}"\n'),
    ],
)
def test_it_is_refused_before_anything_is_opened(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    file: str,
) -> None:
    config = tmp_path / "station.toml"
    config.write_text(file, "utf-8")
    status = main(["run", "--config", str(config), *words])
    assert status == BAD_CONFIGURATION
    told = capsys.readouterr().err
    assert "station.socket is" in told
    assert "at most 107 bytes" in told
