"""What a report shows: what was reached, against the exact odds of what was asked."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import Any

from rules.engine import resolve
from rules.errors import RulesError
from rules.frozen import frozen
from rules.registry import DEFAULT
from station.ledger.reader import Record

BREAK = timedelta(hours=6)
"""The pause that ends an evening."""


@dataclass(slots=True)
class Comparison:
    """How often each value was reached, and how often the odds of each roll led to expect it.

    Attributes:
        title: what is counted; `values`: what the numbers are.
        observed: rolls by value; `expected`: the sum of each roll's chance of it.
        variance: the sum of p(1 − p), so that the spread of fair dice is known as well.
    """

    title: str
    values: str
    observed: dict[int, int] = field(default_factory=dict)
    expected: dict[int, float] = field(default_factory=dict)
    variance: dict[int, float] = field(default_factory=dict)

    def add(self, reached: int, chances: Mapping[int, float]) -> None:
        """Count a roll that reached a value, and its chances of every value."""
        self.observed[reached] = self.observed.get(reached, 0) + 1
        for value, p in chances.items():
            self.expected[value] = self.expected.get(value, 0) + p
            self.variance[value] = self.variance.get(value, 0) + p * (1 - p)

    @property
    def rolls(self) -> int:
        """How many rolls are counted."""
        return sum(self.observed.values())

    def bars(self) -> list["Bar"]:
        """Return a bar for each value between the lowest and the highest worth showing."""
        shown = [v for v, e in self.expected.items() if e >= LEAST_SHOWN or v in self.observed]
        if not shown:
            return []
        return [
            Bar(
                str(value).replace("-", "−"),
                self.observed.get(value, 0),
                self.expected.get(value, 0.0),
                math.sqrt(self.variance.get(value, 0.0)),
            )
            for value in range(min(shown), max(shown) + 1)
        ]


LEAST_SHOWN = 0.05
"""Expected rolls below which a value that never came up is left out at the ends of a plot."""


@frozen
class Bar:
    """One bar: what was counted, what was expected, and one standard deviation of it."""

    label: str
    count: float
    expected: float
    deviation: float


@dataclass(slots=True)
class Evening:
    """Rolls without a long pause between them."""

    label: str
    rolls: int = 0
    tests: int = 0
    successes: int = 0
    expected: float = 0.0
    variance: float = 0.0


@dataclass(slots=True)
class Figures:
    """All that a report counts over the rolls of a ledger, void ones left out."""

    rolls: int = 0
    void: int = 0
    unknown: int = 0
    reached: dict[str, Comparison] = field(default_factory=dict)
    degrees: Comparison = field(
        default_factory=lambda: Comparison("Degrees of success", "degrees (0: failure)")
    )
    evenings: list[Evening] = field(default_factory=list)
    _last: tuple[datetime | None, int] | None = None

    def add(self, record: Record) -> None:
        """Count a roll."""
        if record.void is not None:
            self.void += 1
            return
        self.rolls += 1
        evening = self._evening(record)
        evening.rolls += 1
        try:
            told = _told(str(record.roll.request), record.roll.pips, _text(record.choices))
        except RulesError:
            self.unknown += 1  # the rules have changed since
            return
        self._compare(told, evening)

    def _compare(self, told: "Told", evening: Evening) -> None:
        if told.reached is not None and told.chances:
            known = Comparison(told.system, told.values)
            self.reached.setdefault(told.system, known).add(told.reached, told.chances)
        if told.degrees is not None:
            self.degrees.add(told.degrees, told.degree_chances)
        if told.success is not None:
            evening.tests += 1
            evening.successes += told.success
            evening.expected += told.success_chance
            evening.variance += told.success_chance * (1 - told.success_chance)

    def _evening(self, record: Record) -> Evening:
        """Return the evening that a roll belongs to; without a clock, a start is an evening."""
        time = None if record.roll.time is None else datetime.fromisoformat(record.roll.time)
        here = (time, record.roll.boot)
        if self._last is None or _apart(self._last, here):
            self.evenings.append(Evening(_label(*here)))
        self._last = here
        return self.evenings[-1]


def _apart(last: tuple[datetime | None, int], here: tuple[datetime | None, int]) -> bool:
    if last[0] is None or here[0] is None:
        return last[1] != here[1]
    return abs(here[0] - last[0]) > BREAK


def _label(time: datetime | None, boot: int) -> str:
    return f"start {boot}" if time is None else time.astimezone().strftime("%Y-%m-%d")


@frozen
class Told:
    """What one roll says to the report: what it reached, and the exact chances it had."""

    system: str
    values: str
    reached: int | None
    chances: Mapping[int, float]
    success: bool | None
    success_chance: float
    degrees: int | None
    degree_chances: Mapping[int, float]


@frozen
class _Asked:
    values: str
    chances: Mapping[int, float]
    success: float
    degrees: Mapping[int, float]


@lru_cache(maxsize=4096)
def _asked(text: str) -> _Asked:
    """Return the exact chances of a request, as floats for summing up."""
    request = DEFAULT.request(json.loads(text))
    system = DEFAULT.of(request)
    odds = system.odds(request)
    spread = system.spread(request)
    bars = ((_number(bar.label), float(bar.probability)) for bar in spread.bars)
    chances = {value: p for value, p in bars if value is not None}
    success = float(getattr(odds, "success", Fraction(0)))
    by_degree: Mapping[int, Fraction] = getattr(odds, "degrees", {})
    degrees = {0: 1 - success} | {degree: float(p) for degree, p in by_degree.items()}
    values = spread.title.rpartition("'s ")[2]  # of whom, differs from roll to roll
    return _Asked(values, chances, success, degrees if by_degree else {})


def _number(label: str) -> int | None:
    """Return a value's label as the number it is, None where values have names."""
    text = label.replace("−", "-").removeprefix("+")
    return int(text) if text.removeprefix("-").isdecimal() else None


def _told(text: str, pips: tuple[int, ...], choices: str | None) -> Told:
    data = json.loads(text)
    request = DEFAULT.request(data)
    system = DEFAULT.of(request)
    asked = _asked(text)
    outcome: Any = resolve(system, request, pips, None if choices is None else json.loads(choices))
    headline = system.headline(request, outcome)
    rolled = bool(pips) and outcome.attempted
    return Told(
        system=system.title,
        values=asked.values,
        reached=headline.value if rolled else None,
        chances=asked.chances,
        success=headline.success if rolled else None,
        success_chance=asked.success,
        degrees=getattr(outcome, "degrees", None) if rolled and asked.degrees else None,
        degree_chances=asked.degrees,
    )


def _text(choices: Any) -> str | None:
    return None if choices is None else json.dumps(choices)


def gathered(records: Iterable[Record]) -> Figures:
    """Return the figures over rolls, oldest first."""
    figures = Figures()
    for record in records:
        figures.add(record)
    return figures
