"""What a report counts: the sum of each roll's exact chances, evening by evening."""

from typing import Any

import pytest

from rules.registry import DEFAULT
from station.ledger import Ledger, Moment, rolled, voided
from station.ledger.export import all_records
from station.ledger.figures import Figures, gathered
from station.ledger.plots import plot
from station.ledger.report import MOST_EVENINGS, report

EVENING, NEXT = "2026-01-02T{}:00:00.000Z", "2026-01-03T{}:00:00.000Z"


def figures(ledger: Ledger) -> Figures:
    return gathered(all_records(ledger))


def test_expectations_are_the_sums_of_the_exact_odds(
    ledger: Ledger, table: Any, requests: Any, now: Moment
) -> None:
    for _ in range(3):
        ledger.append(table.roll(requests[0]), now)
    found = figures(ledger)
    odds: Any = DEFAULT.system("seven-kingdoms").odds(DEFAULT.request(requests[0]))
    reached = found.reached["Seven Kingdoms"]
    assert reached.expected == {t: pytest.approx(3 * float(p)) for t, p in odds.total.items()}
    assert sum(reached.expected.values()) == pytest.approx(reached.rolls) == 3
    assert found.degrees.expected[2] == pytest.approx(3 * float(odds.degrees[2]))
    assert found.degrees.expected[0] == pytest.approx(3 * float(1 - odds.success))
    assert found.evenings[0].expected == pytest.approx(3 * float(odds.success))


def test_what_was_not_rolled_or_does_not_count_is_in_no_comparison(
    ledger: Ledger, table: Any, requests: Any, now: Moment
) -> None:
    ledger.append(table.roll(requests[1]), now)
    ledger.append(table.roll(requests[0]), now)
    ledger.append(voided(3, "wrong dice"), now)
    found = figures(ledger)
    assert (found.rolls, found.void, found.reached) == (1, 1, {})
    assert found.degrees.rolls == 0


def test_a_long_pause_begins_an_evening_and_without_a_clock_a_start_does(
    ledger: Ledger, table: Any
) -> None:
    for time in (EVENING.format("19"), EVENING.format("23"), NEXT.format("02"), NEXT.format("20")):
        ledger.append(table.any_roll(), Moment(1, time))
    ledger.append(table.any_roll(), Moment(1))
    assert [evening.rolls for evening in figures(ledger).evenings] == [3, 2]


def test_evenings_without_a_clock_are_told_by_their_start(ledger: Ledger, table: Any) -> None:
    ledger.append(table.any_roll(), Moment(1))
    assert [evening.label for evening in figures(ledger).evenings] == ["start 1"]


def test_rolls_that_the_rules_no_longer_take_are_only_counted(
    ledger: Ledger, requests: Any, now: Moment
) -> None:
    ledger.append(rolled({**requests[0], "rank": 999}, (1,), "urandom", {"success": True}), now)
    found = figures(ledger)
    assert (found.rolls, found.unknown) == (1, 1)
    assert "1 rolls of earlier rules are only counted" in report(ledger)


def test_a_long_campaign_shows_its_last_evenings(ledger: Ledger, table: Any, requests: Any) -> None:
    for day in range(MOST_EVENINGS + 5):
        time = f"2026-{1 + day // 28:02}-{1 + day % 28:02}T20:00:00.000Z"
        ledger.append(table.roll(requests[0]), Moment(1, time))
    page = report(ledger)
    assert f"The last {MOST_EVENINGS} of {MOST_EVENINGS + 5:,} evenings." in page


def test_a_plot_tells_each_bar_in_words(ledger: Ledger, table: Any, requests: Any) -> None:
    ledger.append(table.roll(requests[0], faces=(6, 6, 6, 6, 6)), Moment(1))
    bars = figures(ledger).reached["Seven Kingdoms"].bars()
    assert [bar.count for bar in bars if bar.count] == [1]
    drawing = plot(bars, "totals & more", "total")
    assert 'aria-label="totals &amp; more"' in drawing
    assert "<title>18: 1, expected " in drawing
