"""A file is the old one or the new one, whole; never half of either."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from station.durable import hand_over, make_folder, write
from station.ledger import Moment, open_ledger

SOMEBODY, GROUP = 4242, 4343
"""Numbers of a user and a group that need not exist."""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


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


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A folder that belongs to somebody else than root, who runs the test."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    os.chown(folder, SOMEBODY, GROUP)
    return folder


def owners(folder: Path) -> dict[str, tuple[int, int]]:
    found = {path.name: path.lstat() for path in folder.iterdir()}
    return {name: (each.st_uid, each.st_gid) for name, each in found.items()}


@as_root
def test_a_ledger_that_root_begins_in_somebodys_folder_is_theirs(theirs: Path) -> None:
    opened = open_ledger(theirs, Moment(1, None), "1.0")
    try:
        names = {"ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.lock"}
        assert owners(theirs) == dict.fromkeys(names, (SOMEBODY, GROUP))
    finally:
        opened.close()


@as_root
def test_a_ledger_that_root_has_put_back_is_theirs_once_root_uses_it(theirs: Path) -> None:
    open_ledger(theirs, Moment(1, None), "1.0").close()
    for name in owners(theirs):
        os.chown(theirs / name, 0, 0)
    open_ledger(theirs, Moment(2, None), "1.0").close()
    assert set(owners(theirs).values()) == {(SOMEBODY, GROUP)}


@as_root
def test_what_root_writes_in_somebodys_folder_is_theirs(theirs: Path) -> None:
    write(theirs / "crash.txt", ["one\n"])
    make_folder(theirs / "folder")
    assert owners(theirs) == dict.fromkeys(("crash.txt", "folder"), (SOMEBODY, GROUP))


@as_root
def test_only_what_is_roots_and_lies_there_alone_is_handed_over(theirs: Path) -> None:
    outside = theirs.parent / "outside"
    outside.touch()
    (theirs / "second").hardlink_to(outside)
    (theirs / "link").symlink_to(outside)
    (theirs / "other").touch()
    os.chown(theirs / "other", 4444, 4444)
    hand_over(outside, *theirs.iterdir(), theirs / "nothing")
    assert owners(theirs) == {"second": (0, 0), "link": (SOMEBODY, GROUP), "other": (4444, 4444)}
    assert outside.stat().st_uid == 0


@as_root
def test_who_is_not_root_hands_nothing_over(theirs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("nobody but root may")

    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(os, "chown", refuse)
    write(theirs / "page.html", ["one\n"])
