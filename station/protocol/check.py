"""The optional check of a line: ``*`` and four hex digits, the CRC-16/XMODEM of all before it.

Polynomial 0x1021, initial value 0, nothing reflected or inverted (Greg Cook's catalogue of
parametrised CRCs, "CRC-16/XMODEM"); the check value of ``123456789`` is 31C3.
"""

import binascii
import re
from enum import StrEnum

CHECK_BYTES = 5
"""Bytes that a check adds to a line."""

_TAIL = re.compile(rb"\*[0-9A-Fa-f]{4}\Z")


class Check(StrEnum):
    """What became of a line's check."""

    ABSENT = "absent"
    RIGHT = "right"
    WRONG = "wrong"


def crc(data: bytes) -> str:
    """Return the CRC-16/XMODEM of bytes as four upper-case hex digits."""
    return f"{binascii.crc_hqx(data, 0):04X}"


def with_check(line: bytes) -> bytes:
    """Return a line (without its end) with its check."""
    return line + b"*" + crc(line).encode("ascii")


def split(line: bytes) -> tuple[bytes, Check]:
    """Return a line without its check, and whether the check was right."""
    if _TAIL.search(line[-CHECK_BYTES:]) is None:
        return line, Check.ABSENT
    body, told = line[:-CHECK_BYTES], line[1 - CHECK_BYTES :]
    right = told.upper() == crc(body).encode("ascii")
    return body, Check.RIGHT if right else Check.WRONG
