"""A file is the old one or the new one, whole; never half of either."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from station.durable import make_folder, write


def test_a_file_is_written_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "page.html", ["one\n", "two\n"])
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == "one\ntwo\n"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_what_was_there_stays_when_writing_fails(tmp_path: Path) -> None:
    def failing() -> Iterator[str]:
        yield "half"
        raise OSError("the disk is gone")

    (tmp_path / "page.html").write_text("before", encoding="utf-8")
    with pytest.raises(OSError, match="the disk is gone"):
        write(tmp_path / "page.html", failing())
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_failure_names_the_file_that_was_wanted(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for wanted in (tmp_path / "nowhere" / "page.html", tmp_path / "folder"):
        with pytest.raises(OSError) as caught:  # noqa: PT011 - which one differs
            write(wanted, ["one\n"])
        assert caught.value.filename == str(wanted)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_folders_are_made_with_those_above_them(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
