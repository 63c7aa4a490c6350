"""Files that are whole after a power cut: write, sync, rename, sync the folder.

What root makes in somebody else's folder is that user's too: otherwise one `sudo dice-station roll`
would lock the service out of its own ledger.
"""

import os
import stat
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


def hand_over(*paths: Path) -> None:
    """Give what root has made to the user and the group that the folder around it belongs to.

    Nothing is changed where the program runs as another user, of what is not there or is not
    root's, and where it can't be: who made it can use it all the same.

    Args:
        paths: files and folders; a link is not followed.
    """
    if os.geteuid() != 0:
        return
    for path in paths:
        with suppress(OSError):
            made, around = path.lstat(), path.parent.stat()
            # A second name might lead to a file of root's that lies somewhere else.
            single = stat.S_ISDIR(made.st_mode) or made.st_nlink == 1
            if made.st_uid == 0 and around.st_uid != 0 and single:
                os.chown(path, around.st_uid, around.st_gid, follow_symlinks=False)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, so that they survive a power cut."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    hand_over(folder)
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
        hand_over(draft)
        draft.replace(path)
    except BaseException as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == str(draft):
            error.filename = str(path)  # the draft's name would tell nobody anything
        raise
    sync_folder(path.parent)
