"""The terminal: what can be printed on it, how wide it is, and how a name is coloured.

Texts are written with the characters that people expect (−, –, ·, block elements); a stream whose
encoding lacks them gets their nearest ASCII form, never an error.
"""

import errno
import os
import shutil
import sys
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from typing import TextIO

WIDEST = 80
"""Columns that output fills at most."""

NARROWEST = 40
"""Columns that output takes at least, whatever a terminal says of itself."""

ASCII: Mapping[str, str] = {
    "−": "-",
    "–": "-",
    "─": "-",
    "·": "|",
    "…": "...",
    "→": "->",
    "×": "x",
    "◂": "<",
    "’": "'",
    "≤": "<=",
    "≥": ">=",
}
"""What stands for a character that a stream can't encode."""


def fitted(text: str, encoding: str) -> str:
    """Return a text with each character that an encoding lacks replaced by an ASCII form."""
    return "".join(
        char if can(char, encoding) else ASCII.get(char, "?" * cells(char)) for char in text
    )


def can(text: str, encoding: str) -> bool:
    """Return whether an encoding has every character of a text."""
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return text.isascii()
    return True


def output() -> TextIO:
    """Return standard output.

    Raises:
        OSError: the program was started with none.
    """
    # typeshed says that it is always there; a shell's ``>&-`` says otherwise.
    stream: TextIO | None = sys.stdout
    if stream is None:
        raise OSError(errno.EBADF, "standard output is closed")
    return stream


def standard_input() -> TextIO:
    """Return standard input.

    Raises:
        OSError: the program was started with none.
    """
    # typeshed says that it is always there; a shell's ``<&-`` says otherwise.
    stream: TextIO | None = sys.stdin
    if stream is None:
        raise OSError(errno.EBADF, "standard input is closed")
    return stream


def say(*lines: str) -> None:
    """Write lines to standard output."""
    stream = output()
    for line in lines:
        stream.write(f"{fitted(line, encoding_of(stream))}\n")


def complain(sentence: str) -> None:
    """Write one line to standard error, with nothing in it that would act on a terminal."""
    stream: TextIO | None = sys.stderr
    if stream is None:
        return
    line = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in sentence)
    with suppress(OSError):
        stream.write(f"dice-station: {fitted(line, encoding_of(stream))}\n")


def encoding_of(stream: TextIO) -> str:
    """Return a stream's encoding; text held in memory takes everything."""
    return stream.encoding or "utf-8"


def hush() -> None:
    """Send what is still to be written to standard output nowhere, as nobody reads it."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def width() -> int:
    """Return the columns to fill, 40–80."""
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns))


def cells(text: str) -> int:
    """Return how many columns a text takes; wide characters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def padded(text: str, columns: int) -> str:
    """Return a text filled up with spaces to that many columns."""
    return text + " " * (columns - cells(text))


def cut(text: str, columns: int) -> str:
    """Return as much of a text as fits in that many columns."""
    while cells(text) > columns:
        text = text[:-1]
    return text


def bold(text: str, colour: str) -> str:
    """Return a text in bold and a colour (an SGR code of ECMA-48), where that is wanted.

    That is on a terminal, unless its kind or the variable NO_COLOR says otherwise.
    """
    if not output().isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[1;{colour}m{text}\x1b[0m"
