"""Ledgers for tests: real requests, faces from a fixed generator, outcomes by the rules."""

import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.engine import dice_asked, resolve
from rules.model import outcome_plain
from rules.registry import DEFAULT, request_plain
from station.ledger.rows import (
    Entry,
    Moment,
    changed,
    decided,
    drawn,
    revealed,
    rolled,
    voided,
)
from station.ledger.store import Key, Ledger

REQUESTS: tuple[dict[str, Any], ...] = (
    {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "bonus": 2, "difficulty": 9},
    {"system": "seven-kingdoms", "kind": "basic", "rank": 1, "difficulty": 21},
    {"system": "wrath-and-glory", "kind": "attack", "pool": 6, "dn": 1, "name": "Arya"},
    {
        "system": "seven-kingdoms",
        "kind": "competition",
        "contestants": [{"name": "Arya", "rank": 3, "bonus": 1}, {"name": "Bran", "rank": 4}],
    },
    {
        "system": "opposed-attribute",
        "kind": "opposed",
        "attribute": "Strength",
        "attacker": {"name": "A", "score": 3},
        "defender": {"name": "B", "score": 1},
    },
)

NOW = Moment(5_000, "2026-01-02T20:00:00.000Z")


class Table:
    """Rolls requests as a station would, with faces that a seed determines."""

    def __init__(self, seed: int = 1) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - tests want the same faces again

    def faces(self, count: int) -> tuple[int, ...]:
        return tuple(self._chance.randint(1, 6) for _ in range(count))

    def roll(self, request: dict[str, Any], **more: Any) -> Entry:
        known = DEFAULT.request(request)
        system = DEFAULT.of(known)
        faces = more.pop("faces", None) or self.faces(dice_asked(system, known))
        choices = more.get("choices")
        outcome = outcome_plain(resolve(system, known, faces, choices))
        source = more.pop("source", "urandom") if faces else None
        return rolled(request_plain(known), faces, source, outcome, **more)

    def any_roll(self) -> Entry:
        return self.roll(self._chance.choice(REQUESTS))

    def big_roll(self) -> Entry:
        """Return a roll of more than a page, which finds no room where a small one might."""
        contestants = [{"name": f"Contestant {n}", "rank": 9, "bonus": 9} for n in range(12)]
        return self.roll({**REQUESTS[3], "contestants": contestants})

    def fill(self, ledger: Ledger, rows: int) -> None:
        """Write rows of every kind, keyed ones, state changes, and a roll that was cut off."""
        for number in range(rows):
            key = Key(f"{number:08}", "0" * 64) if number % 3 == 0 else None
            now = Moment(number * 1000, f"2026-01-{1 + number // 50:02}T20:00:00.000Z")
            match number % 20:
                case 7:
                    ledger.append(
                        changed({"act": "glory", "count": 1}), now, table={"glory": number}
                    )
                case 11:
                    ledger.append(self._decision(ledger), now)
                case 13:
                    seq = ledger.history(limit=3).records[-1].roll.seq
                    ledger.append(voided(seq, "wrong difficulty"), now)
                case 15:
                    ledger.append(self.roll(REQUESTS[0], hidden=True, note="Varys"), now)
                case 16:
                    seq = ledger.history(limit=1).records[0].roll.seq
                    ledger.append(revealed(seq), now)
                case 17:
                    ledger.append(drawn(request_of(4), self.faces(4), "urandom"), now, key=key)
                case 18:
                    waiting = ledger.pending()[0].latest
                    faces = waiting.pips + self.faces(4)
                    ledger.append(self.roll(REQUESTS[4], faces=faces, of=waiting.seq), now)
                case _:
                    ledger.append(self.any_roll(), now, key=key)

    def _decision(self, ledger: Ledger) -> Entry:
        attack = self.roll(REQUESTS[2], faces=(6, 6, 6, 1, 1, 1))
        roll = ledger.append(attack, NOW).row
        assert roll is not None
        choices = {"shifts": {"damage": 1}}
        known = DEFAULT.request(REQUESTS[2])
        outcome = resolve(DEFAULT.of(known), known, (6, 6, 6, 1, 1, 1), choices)
        return decided(roll.seq, choices, outcome_plain(outcome))


def request_of(number: int) -> dict[str, Any]:
    return request_plain(DEFAULT.request(REQUESTS[number]))


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def now() -> Moment:
    return NOW


@pytest.fixture
def requests() -> tuple[dict[str, Any], ...]:
    return tuple(request_of(number) for number in range(len(REQUESTS)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    with Ledger.begin(path, NOW, "0.1") as ledger:
        yield ledger


@pytest.fixture
def tampered(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that may change rows, as a vandal's would."""
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("DROP TRIGGER entry_no_update; DROP TRIGGER entry_no_delete")
    yield db
    db.close()


@pytest.fixture
def filled(ledger: Ledger, table: Table) -> Callable[[int], Ledger]:
    def fill(rows: int) -> Ledger:
        table.fill(ledger, rows)
        return ledger

    return fill
