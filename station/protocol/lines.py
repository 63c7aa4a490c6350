"""Bytes in, lines out: what a line is, and what is not worth reading.

CR, LF or CRLF ends a line. A line that is too long, or no clean UTF-8, is dropped whole up to
its end and told of once; no part of it is ever executed. Nothing is framed by time, but a half
line that nobody goes on with is forgotten: after 5 s of silence where it begins as JSON, after
60 s where a person types.
"""

import re
from enum import Enum, auto

from hardware.clock import SECOND, Nanoseconds
from rules.frozen import frozen
from station.protocol import check

MAX_IN = 4096
"""Bytes of a line at the most, its end not counted."""

JSON_PATIENCE = Nanoseconds(5 * SECOND)
TYPED_PATIENCE = Nanoseconds(60 * SECOND)
"""Silence after which a half line is forgotten."""

BOM = b"\xef\xbb\xbf"
"""What some programs begin a text in UTF-8 with (RFC 8259, section 8.1, lets one ignore it)."""

_START = 64
"""Bytes of a bad line that are kept."""

_END = re.compile(rb"[\r\n]")
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_JSON = (b"{", b"[")
_CR, _LF, _BACKSPACE, _DELETE, _TAB, _SPACE = 0x0D, 0x0A, 0x08, 0x7F, 0x09, 0x20
_CTRL_C, _ESCAPE = 0x03, 0x1B
_CONTINUATION = range(0x80, 0xC0)
"""Bytes that go on with a character of UTF-8 (RFC 3629, section 3)."""
_BLANKS = b" \t"


class _Keys(Enum):
    """How far a key that sends several bytes, such as an arrow, has come (ECMA-48, section 5.4)."""

    NONE = auto()
    ESCAPED = auto()
    SEQUENCE = auto()


_INTRODUCERS = b"[O"
"""What follows an escape where a whole sequence does: CSI, and the SS3 of VT100 function keys."""

_PRINTABLE = range(0x20, 0x7F)
_FINAL = range(0x40, 0x7F)
"""Bytes that a sequence is made of, and those that end it."""


@frozen
class Line:
    """A whole line without its end and the blanks before that: clean UTF-8, 1–4096 bytes."""

    data: bytes

    @property
    def is_json(self) -> bool:
        """Whether the first byte, blanks aside, chooses JSON-RPC."""
        return _begins_json(self.data)


@frozen
class BadLine:
    """A line that was dropped whole.

    Attributes:
        reason: what was wrong with it, in a few words.
        start: its first bytes, at most 64: enough to tell our own speech by.
        checked: whether it ended as a line with a check does.
    """

    reason: str
    start: bytes
    checked: bool = False

    @property
    def is_json(self) -> bool:
        """Whether the first byte, blanks aside, chose JSON-RPC."""
        return _begins_json(self.start)


class LineReader:
    """Turns bytes, in whatever chunks they come, into lines.

    It holds 4096 bytes of a half line, and besides only what was pushed and not yet taken.

    Attributes:
        echo: whether what is typed is echoed. Then 0x08 and 0x7F take the last character back,
            Ctrl-C takes the line back, and arrows and other such keys do nothing.
    """

    def __init__(self, limit: int = MAX_IN) -> None:
        self.echo = False
        self._limit = limit
        self._unread = bytearray()
        self._at = 0
        self._half = bytearray()
        self._start = b""
        self._overlong = False
        self._muted = False
        self._after_cr = False
        self._keys = _Keys.NONE
        self._heard = Nanoseconds(0)
        self._echoed = bytearray()

    def push(self, data: bytes, now: Nanoseconds) -> None:
        """Take bytes that came in."""
        if not self._unread and now - self._heard > self._patience():
            self._forget_half()
        self._heard = now
        self._unread += data

    def next(self) -> Line | BadLine | None:
        """Return the next whole line, or None when more bytes are needed."""
        while self._at < len(self._unread):
            ended = self._type() if self.echo else self._scan()
            if ended and (line := self._finished()) is not None:
                return line
        self._unread.clear()
        self._at = 0
        return None

    def take_echo(self) -> bytes:
        """Return what the person who types should see, once."""
        echoed = bytes(self._echoed)
        self._echoed.clear()
        return echoed

    def listen(self, now: Nanoseconds) -> None:
        """Count the silence from now: nobody could be heard while a request was in work."""
        self._heard = now

    def drop_to_end(self) -> None:
        """Forget all that has come, and what comes up to the next end of a line."""
        self.reset()
        self._muted = True

    def reset(self) -> None:
        """Forget all that has come, and the echo."""
        self.echo = False
        self._unread.clear()
        self._at = 0
        self._echoed.clear()
        self._after_cr = False
        self._forget_half()

    def _patience(self) -> int:
        start = (self._start or bytes(self._half[:_START])).lstrip(_BLANKS)
        return TYPED_PATIENCE if start and not start.startswith(_JSON) else JSON_PATIENCE

    def _forget_half(self) -> None:
        self._half.clear()
        self._start = b""
        self._overlong = False
        self._muted = False
        self._keys = _Keys.NONE

    def _scan(self) -> bool:
        """Read up to the next end of a line; return whether there was one."""
        end = _END.search(self._unread, self._at)
        stop = len(self._unread) if end is None else end.start()
        self._keep(self._at, stop)
        self._at = stop if end is None else end.end()
        self._after_cr = end is not None and self._unread[stop] == _CR
        return end is not None

    def _type(self) -> bool:
        """Read one byte as typed by a person; return whether it ended a line."""
        byte = self._unread[self._at]
        self._at += 1
        after_cr, self._after_cr = self._after_cr, byte == _CR
        if byte == _LF and after_cr:
            return False
        if byte in (_CR, _LF):
            self._echoed += b"\r\n"
            return True
        if self._is_swallowed(byte):
            return False
        if byte in (_BACKSPACE, _DELETE):
            self._take_back()
        elif byte == _CTRL_C:
            self._forget_half()
            self._echoed += b"^C\r\n"
        else:
            self._keep(self._at - 1, self._at)
            if not self._overlong and not self._muted:
                self._show(byte)
        return False

    def _is_swallowed(self, byte: int) -> bool:
        """Return whether a byte is of a key that means nothing here; only printable ones go on."""
        before, self._keys = self._keys, _Keys.NONE
        if byte == _ESCAPE:
            self._keys = _Keys.ESCAPED
            return True
        if before is _Keys.NONE or byte not in _PRINTABLE:
            return False
        introduces = before is _Keys.ESCAPED and byte in _INTRODUCERS
        if introduces or (before is _Keys.SEQUENCE and byte not in _FINAL):
            self._keys = _Keys.SEQUENCE
        return True

    def _show(self, byte: int) -> None:
        if byte >= _SPACE:
            self._echoed.append(byte)
        elif byte == _TAB:
            # One column, so that taking it back moves as far as it did.
            self._echoed += b" "

    def _take_back(self) -> None:
        if self._overlong or not self._half:
            return
        while len(self._half) > 1 and self._half[-1] in _CONTINUATION:
            self._half.pop()
        taken = self._half.pop()
        if taken >= _SPACE or taken == _TAB:
            self._echoed += b"\b \b"

    def _keep(self, start: int, stop: int) -> None:
        if self._overlong or self._muted:
            return
        if len(self._half) + stop - start > self._limit:
            kept = min(_START, self._limit)
            self._start = bytes((self._half + self._unread[start : start + kept])[:kept])
            self._overlong = True
            self._half.clear()
        else:
            self._half += self._unread[start:stop]

    def _finished(self) -> Line | BadLine | None:
        data, start = bytes(self._half).rstrip(_BLANKS), self._start
        overlong, muted = self._overlong, self._muted
        self._forget_half()
        if muted:
            return None
        if overlong:
            return BadLine(f"the line is longer than {self._limit} bytes", start)
        if not data:
            return None
        return Line(data) if (fault := _fault(data)) is None else _bad(data, fault)


def _begins_json(data: bytes) -> bool:
    return data.removeprefix(BOM).lstrip(_BLANKS).startswith(_JSON)


def _bad(data: bytes, reason: str) -> BadLine:
    checked = check.split(data)[1] is not check.Check.ABSENT
    return BadLine(reason, data[:_START], checked)


def _fault(data: bytes) -> str | None:
    """Return what is wrong with the bytes of a line, or None."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return f"byte {error.start + 1} of the line is not UTF-8"
    found = _CONTROL.search(text)
    if found is None:
        return None
    return f"character {found.start() + 1} of the line is the control character {_hex(found[0])}"


def _hex(char: str) -> str:
    return f"0x{ord(char):02X}"
