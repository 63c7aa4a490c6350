"""Bytes to faces of a six-sided die, by rejection, so that no face is favoured."""

from hardware.errors import HardwareError

SIDES = 6
"""Faces are numbered 1 to SIDES."""

USABLE = 252
"""Bytes below this are used: the largest multiple of SIDES that a byte can count to."""

REJECTED_IN_A_ROW = 16
"""So many unusable bytes in a row mean a dead source: a fair one gives them once in 2^96 tries."""


class NoUsableByte(HardwareError):  # noqa: N818 - says what happened, like its siblings
    """A source gave REJECTED_IN_A_ROW bytes in a row of which none can become a face."""

    def __init__(self) -> None:
        super().__init__(f"{REJECTED_IN_A_ROW} bytes in a row were {USABLE} or more")


def face_of(byte: int) -> int | None:
    """Return the face (1 to 6) that one byte (0 to 255) stands for, or None if it is thrown away.

    Each face has exactly 42 of the 252 usable bytes. A plain `byte % 6` would give the faces 1
    to 4 each 43 bytes of 256, and 5 and 6 only 42.
    """
    return byte % SIDES + 1 if byte < USABLE else None


class Gathering:
    """Collects a given number of faces from bytes, and gives up on a source without usable ones."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._faces: list[int] = []
        self._rejected = 0

    @property
    def missing(self) -> int:
        """How many faces are still missing, and so the least number of bytes to read next."""
        return self._count - len(self._faces)

    @property
    def faces(self) -> tuple[int, ...]:
        """The faces found so far, in the order of their bytes."""
        return tuple(self._faces)

    def feed(self, data: bytes) -> None:
        """Take the faces out of at most `missing` bytes.

        Raises:
            NoUsableByte: REJECTED_IN_A_ROW bytes in a row, over all calls, were thrown away.
        """
        for byte in data[: self.missing]:
            face = face_of(byte)
            if face is None:
                self._reject()
            else:
                self._rejected = 0
                self._faces.append(face)

    def _reject(self) -> None:
        self._rejected += 1
        if self._rejected >= REJECTED_IN_A_ROW:
            raise NoUsableByte
