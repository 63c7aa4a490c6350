"""How often each face fell, and in what succession, kept as sums that can be added up.

A tally of a long succession of faces is the sum of the tallies of its parts, in order: so each
roll adds to it in constant time, and a check can count the parts side by side.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from itertools import pairwise
from typing import Self

from rules.frozen import frozen

HAND_ROLLED = "table"
"""The source of faces that people rolled and typed in; the station vouches for none of them."""

EVERYTHING = ""
"""The name of the tally over all sources but `HAND_ROLLED`."""

SIDES = 6
"""Faces of a die."""

HIGH = 4
"""The lowest face (pips) that counts as high in a run; 1–3 are low."""


@frozen
class Tally:
    """Sums over a succession of faces (1–6 pips).

    Attributes:
        ones, twos, threes, fours, fives, sixes: how often each face fell.
        runs: unbroken runs of high (4–6) or of low (1–3) faces.
        products: sum of each face times the next.
        first: the first face, 0 when there is none; `last`: the last one.
    """

    ones: int = 0
    twos: int = 0
    threes: int = 0
    fours: int = 0
    fives: int = 0
    sixes: int = 0
    runs: int = 0
    products: int = 0
    first: int = 0
    last: int = 0

    @classmethod
    def of(cls, faces: Sequence[int]) -> Self:
        """Return the tally of some faces in the order they fell."""
        if not faces:
            return cls()
        counts = Counter(faces)
        turns = sum((a < HIGH) != (b < HIGH) for a, b in pairwise(faces))
        products = sum(a * b for a, b in pairwise(faces))
        each = (counts[face] for face in range(1, SIDES + 1))
        return cls(*(*each, turns + 1, products, faces[0], faces[-1]))

    def __add__(self, later: "Tally") -> "Tally":
        if not self.last:
            return later
        if not later.first:
            return self
        counts = (a + b for a, b in zip(self.counts, later.counts, strict=True))
        joined = (self.last < HIGH) == (later.first < HIGH)
        runs = self.runs + later.runs - joined
        products = self.products + later.products + self.last * later.first
        return Tally(*(*counts, runs, products, self.first, later.last))

    @property
    def counts(self) -> tuple[int, ...]:
        """How often each face fell, ones first."""
        return (self.ones, self.twos, self.threes, self.fours, self.fives, self.sixes)

    @property
    def dice(self) -> int:
        """How many dice fell."""
        return sum(self.counts)


class Tallies:
    """Tallies by source, and over everything, of faces given one by one."""

    def __init__(self) -> None:
        self._by_source: dict[str, Tally] = {}
        self._faces: dict[str, list[int]] = {}

    def add(self, source: str, faces: Sequence[int]) -> None:
        """Count further faces of a source."""
        names = (source,) if source == HAND_ROLLED else (source, EVERYTHING)
        for name in names:
            self._faces.setdefault(name, []).extend(faces)

    def merge(self, later: Mapping[str, Tally]) -> None:
        """Count all that was counted elsewhere after this."""
        for name, sums in later.items():
            self._by_source[name] = self.sums().get(name, Tally()) + sums

    def sums(self) -> dict[str, Tally]:
        """Return the tallies so far."""
        for name, faces in self._faces.items():
            self._by_source[name] = self._by_source.get(name, Tally()) + Tally.of(faces)
        self._faces.clear()
        return {name: tally for name, tally in self._by_source.items() if tally.dice}


class Fresh:
    """Tells which faces of a row are new, as rows go by: a roll repeats those drawn before it."""

    def __init__(self, drawn: Iterable[tuple[int, int]] = ()) -> None:
        self._drawn = dict(drawn)

    def count_before(self, seq: int, kind: str, of: int | None, faces: int) -> int:
        """Return how many of a row's faces were counted with earlier rows."""
        if kind == "drawn":
            first = seq if of is None else of
            before = self._drawn.get(first, 0)
            self._drawn[first] = faces
            return before
        return 0 if of is None else self._drawn.pop(of, 0)


def read(db: sqlite3.Connection) -> dict[str, Tally]:
    """Return all tallies kept in a database, by source."""
    return {name: Tally(*sums) for name, *sums in db.execute("SELECT * FROM tally")}


def count(db: sqlite3.Connection, source: str, faces: Sequence[int]) -> None:
    """Add faces to the tallies kept in a database, inside the caller's transaction."""
    names = (source,) if source == HAND_ROLLED else (source, EVERYTHING)
    for name in names:
        found = db.execute("SELECT * FROM tally WHERE source = ?", (name,)).fetchone()
        before = Tally() if found is None else Tally(*found[1:])
        write(db, name, before + Tally.of(faces))


def write(db: sqlite3.Connection, source: str, tally: Tally) -> None:
    """Keep a tally in a database, inside the caller's transaction."""
    marks = ", ".join("?" * (1 + len(astuple(tally))))
    db.execute(f"INSERT OR REPLACE INTO tally VALUES({marks})", (source, *astuple(tally)))
