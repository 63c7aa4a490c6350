"""The real station, killed at any moment while a client works with keys.

Every acknowledged request is there once, no key twice, the chain is valid, and the table's state
is the one that the rows lead to.
"""

import random
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import pytest

from rules.table import table_plain
from station.client import NoAnswerError, RefusedError, Station
from station.ledger import TABLE, Ledger, Moment, open_ledger
from station.ledger.faults import DATABASE
from station.ledger.verify import verify
from station.protocol.errors import Code
from station.replay import replayed_state

BASIC = {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "bonus": 2, "difficulty": 9}
ATTACK = {"system": "wrath-and-glory", "kind": "attack", "pool": 6, "dn": 1}
EXTENDED = {"system": "seven-kingdoms", "kind": "extended", "rank": 4, "difficulty": 6, "needed": 9}
OPPOSED = {
    "system": "opposed-attribute",
    "kind": "opposed",
    "attribute": "Strength",
    "attacker": {"name": "Arya", "score": -3},
    "defender": {"name": "Bran", "score": -3},
}


@dataclass
class Evening:
    """A client that rolls and changes, each with a key, and asks again after each crash."""

    start: Callable[..., Any]
    chance: random.Random
    opening: list[tuple[str, dict[str, Any]]]
    acknowledged: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    unanswered: int | None = None
    in_work: int = 0

    def run_until_killed(self, seconds: float, patience: float = 30.0) -> None:
        """Start the station, ask as fast as it answers, and kill it when the time is up.

        The time counts from when it serves, so that a busy machine makes no idle run of it.
        """
        daemon = self.start(ready=False)
        if daemon.message(patience) != "READY=1":
            daemon.close()
            return
        timer = threading.Timer(seconds, daemon.process.kill)
        try:
            with daemon.client(attempts=1) as station:
                # Ready is said before all is loaded that answers.
                station.state()
                timer.start()
                try:
                    self._talk(station)
                finally:
                    timer.join()
        except NoAnswerError:
            self.in_work += 1
        finally:
            daemon.close()

    def _talk(self, station: Station) -> None:
        if self.unanswered is not None:
            self._ask(station, self.unanswered)
        while True:
            # An old one now and then: even one refused before may be possible by now.
            if self.asked and self.chance.random() < 0.1:
                self._ask(station, self.chance.randrange(len(self.asked)))
            self._ask(station, self._next())

    def _next(self) -> int:
        if self.opening:
            self.asked.append(self.opening.pop(0))
        else:
            self.asked.append(self._wish())
        return len(self.asked) - 1

    def _ask(self, station: Station, number: int) -> None:
        method, params = self.asked[number]
        key = key_of(number)
        self.unanswered = number
        try:
            told = station.call(method, {**params, "key": key})
        except RefusedError as error:
            self._accept_refusal(key, error)
            return
        self.unanswered = None
        replayed = told.pop("replayed")
        if key in self.acknowledged:
            assert replayed
            assert told == self.acknowledged[key]
        self.acknowledged[key] = told

    def _accept_refusal(self, key: str, error: RefusedError) -> None:
        self.unanswered = None
        assert error.code in (Code.NOT_POSSIBLE, Code.INVALID_PARAMS), error
        assert key not in self.acknowledged

    def _wish(self) -> tuple[str, dict[str, Any]]:
        rolls = [each["seq"] for each in self.acknowledged.values() if "faces" in each]
        kinds = ["roll", "roll", "roll", "glory", "undo"] + ["apply", "void", "decide"] * bool(
            rolls
        )
        match self.chance.choice(kinds):
            case "roll":
                request = self.chance.choice([BASIC, ATTACK, EXTENDED, OPPOSED])
                return "roll", {"request": request}
            case "glory":
                return "change", {"act": "glory", "count": self.chance.randint(1, 3)}
            case "undo":
                return "change", {"act": "undo"}
            case "apply":
                return "change", {"act": "apply", "seq": self.chance.choice(rolls)}
            case "void":
                return "void", {"seq": self.chance.choice(rolls), "reason": "a rehearsal"}
            case _:
                choices = {"shifts": {"glory": 1}}
                return "decide", {"seq": self.chance.choice(rolls), "choices": choices}


def key_of(number: int) -> str:
    return f"evening-{number}"


def check(evening: Evening, state: Any) -> Counter[str]:
    """Hold the ledger to what was acknowledged; return how many rows of each kind it has."""
    assert verify(state / DATABASE, workers=1).problem is None
    assert not list(state.glob("damaged-*"))
    with closing(open_ledger(state, Moment(0), "check")) as opened:
        ledger = opened.ledger
        assert isinstance(ledger, Ledger)
        rows = list(ledger.rows())
        keys = Counter(row.document("detail").get("key") for row in rows)
        del keys[None]
        assert set(keys.values()) <= {1}
        assert evening.acknowledged.keys() <= keys.keys()
        unanswered = {key_of(evening.unanswered)} if evening.unanswered is not None else set()
        assert keys.keys() <= evening.acknowledged.keys() | unanswered
        by_key = {row.document("detail").get("key"): row for row in rows}
        for key, told in evening.acknowledged.items():
            row = by_key[key]
            assert row.seq == told.get("seq", told.get("change"))
            if "faces" in told:
                assert row.hash.hex() == told["hash"]
                assert list(row.pips) == told["faces"]
        assert table_plain(replayed_state(rows)) == ledger.document(TABLE)
        return Counter(row.kind for row in rows)


def killed(start: Callable[..., Any], times: int) -> Evening:
    chance = random.Random(times)  # noqa: S311 - which moments are tried need not be secret
    scores = [{"attribute": "Strength", "score": -3}]
    opening: list[tuple[str, dict[str, Any]]] = [
        ("change", {"act": "add", "character": name, "scores": scores}) for name in ("Arya", "Bran")
    ]
    evening = Evening(start, chance, opening)
    for number in range(times):
        early = number % 5 == 4
        evening.run_until_killed(chance.random() / 4, chance.random() / 2 if early else 30.0)
    return evening


@pytest.mark.timeout(300)
def test_killed_twenty_times_it_does_everything_once(start: Any, folder: Any) -> None:
    evening = killed(start, 20)
    # A busy machine gets through less between two kills; all of it must have been tried.
    assert evening.in_work > 5
    found = check(evening, folder / "state")
    assert found["roll"] > 20
    assert min(found[kind] for kind in ("change", "void", "decision")) > 0


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_killed_two_hundred_times_it_does_everything_once(start: Any, folder: Any) -> None:
    evening = killed(start, 220)
    assert evening.in_work > 150
    check(evening, folder / "state")
