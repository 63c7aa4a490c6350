"""Files that are whole after a power cut: write, sync, rename, sync the folder."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Make what was created, renamed or removed in a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, so that they survive a power cut."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def write(path: Path, parts: Iterable[str]) -> None:
    """Write a text file (UTF-8) so that at any moment the old or the new one is there, whole.

    Raises:
        OSError: it can't be written; what was there before is untouched.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == str(draft):
            error.filename = str(path)  # the draft's name would tell nobody anything
        raise
    sync_folder(path.parent)
