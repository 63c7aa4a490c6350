"""A TOML file as data, and on which line each key stands."""

import os
import re
import stat
import tomllib
from collections.abc import Iterator
from errno import EISDIR
from pathlib import Path
from typing import Any, TypeAlias

from rules.frozen import frozen
from station.config.faults import ConfigError, Fault

MOST_BYTES = 256 * 1024
"""A larger file is no configuration; a generous roster has a tenth of it."""

LONGEST_LINE = 4096
"""Characters of a line; tomllib takes quadratic time for a key of very many parts."""

LONGEST_STATEMENT = 64
"""Lines of one value beyond which lines are no longer told apart."""

Place: TypeAlias = tuple[str | int, ...]
"""The way to a table or a key: names, and places in lists of tables."""

_DEEPEST = 4
"""Names of a place below a table that are still told apart."""

_AT = re.compile(
    r"(?P<what>.*) \((?:at line (?P<line>\d+), column (?P<column>\d+)|.*)\)", re.DOTALL
)

_NAME = r"'([^'\\]*)'"
_TABLE = re.compile(rf"\((?:{_NAME}, ?)+(?:{_NAME})?\)")


@frozen
class Document:
    """A parsed file: what it says, and the line (from 1) on which each place of it begins."""

    path: Path
    data: dict[str, Any]
    lines: dict[Place, int]


def read_document(path: Path) -> Document:
    """Read a TOML file.

    Raises:
        ConfigError: it is missing, unreadable, no file, too large, not UTF-8, or not TOML.
    """
    return parse_document(_bytes(path), path)


def parse_document(content: bytes, path: Path) -> Document:
    """Parse what a file holds.

    Raises:
        ConfigError: it is not UTF-8 or not TOML; the line is told.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(path, [Fault("", "the file is not UTF-8 text", line)]) from error
    _check_lines(path, text)
    try:
        data = tomllib.loads(text)
    except RecursionError as error:
        raise ConfigError(path, [Fault("", "the file is nested too deeply")]) from error
    except ValueError as error:
        raise ConfigError(path, [_syntax(str(error), text)]) from error
    # As tomllib does itself.
    return Document(path, data, _lines(text.replace("\r\n", "\n")))


def _bytes(path: Path) -> bytes:
    try:
        # Not to wait for a writer, should it be a FIFO.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    try:
        content = _content(handle)
    except OSError as error:
        raise _unreadable(path, error) from error
    finally:
        os.close(handle)
    if content is None:
        raise ConfigError(path, [Fault("", "it is not a regular file")])
    if len(content) > MOST_BYTES:
        raise ConfigError(path, [Fault("", f"the file has more than {MOST_BYTES // 1024} KiB")])
    return content


def _content(handle: int) -> bytes | None:
    """Return what a file holds, up to a byte more than it may; None if it is no regular file."""
    mode = os.fstat(handle).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
    if not stat.S_ISREG(mode):
        return None
    content = b""
    while len(content) <= MOST_BYTES and (more := os.read(handle, MOST_BYTES + 1)):
        content += more
    return content


def _unreadable(path: Path, error: OSError | ValueError) -> ConfigError:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    if isinstance(error, FileNotFoundError) and path.is_symlink():
        reason += f": it is a link to {path.readlink()}"
    return ConfigError(path, [Fault("", f"the file cannot be read: {reason}")])


def _check_lines(path: Path, text: str) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            problem = f"the line has more than {LONGEST_LINE} characters"
            raise ConfigError(path, [Fault("", problem, number)])


def _syntax(message: str, text: str) -> Fault:
    """Return the fault behind an error of tomllib, which tells the place in words alone."""
    found = _AT.fullmatch(_TABLE.sub(lambda names: _dotted(names[0]), message))
    if found is None:
        return Fault("", f"the file is not TOML: {_one_line(message)}")
    what = _one_line(found["what"])
    if found["line"] is None:
        last = max(1, len(text.splitlines()))
        return Fault("", f"the file is not TOML: {what} at its end", last)
    return Fault("", f"the file is not TOML: {what} (column {found['column']})", int(found["line"]))


def _dotted(names: str) -> str:
    """Return a table's names, which tomllib tells as Python's tuple, as a file has them."""
    return f"[{'.'.join(re.findall(_NAME, names))}]"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _lines(text: str) -> dict[Place, int]:
    """Return where each place begins, as far as it can be told.

    The file is cut into the shortest runs of lines that are TOML by themselves: one statement
    each. So tomllib alone decides what a statement is.
    """
    found: dict[Place, int] = {}
    counts: dict[Place, int] = {}
    here: Place = ()
    for line, statement in _statements(text):
        data = tomllib.loads(statement)
        if statement.lstrip().startswith("["):
            here = _heading(data, counts)
            found.setdefault(here, line)
        else:
            for place in _places(data, here):
                found.setdefault(place, line)
    return found


def _statements(text: str) -> Iterator[tuple[int, str]]:
    pending: list[str] = []
    start = 1
    for number, line in enumerate(text.split("\n"), 1):
        start = start if pending else number
        pending.append(line)
        if _complete(statement := "\n".join(pending)):
            yield start, statement
            pending = []
        elif len(pending) > LONGEST_STATEMENT:
            return


def _complete(statement: str) -> bool:
    try:
        tomllib.loads(statement)
    except (ValueError, RecursionError):
        return False
    return True


def _heading(data: dict[str, Any], counts: dict[Place, int]) -> Place:
    """Return the place that a ``[table]`` or ``[[list of tables]]`` opens."""
    here: Place = ()
    part: Any = data
    while part:
        if isinstance(part, list):
            counts[here] = counts.get(here, -1) + 1
            return (*here, counts[here])
        name, part = next(iter(part.items()))
        here = (*here, name)
        if isinstance(part, dict) and here in counts:
            here = (*here, counts[here])
    return here


def _places(data: Any, here: Place, deep: int = 0) -> Iterator[Place]:
    if isinstance(data, dict) and deep < _DEEPEST:
        for name, value in data.items():
            place = (*here, name)
            yield place
            yield from _places(value, place, deep + 1)
