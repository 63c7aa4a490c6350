"""Rolls into the ledger and out of it again; the dial likewise."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hardware.clock import SECOND
from rules.model import Chosen, Rolled
from rules.registry import DEFAULT, Registry
from station.announce import Announcer
from station.book import Book
from station.dialling import first_dial, next_stop, turn, with_system
from station.ledger.faults import open_ledger
from station.ledger.rows import Moment
from station.recorder import Recorder
from station.remembered import DIAL, Remembered, remembered
from station.rolls import Roll, Stage

BASIC = DEFAULT.request({"system": "seven-kingdoms", "kind": "basic", "rank": 2, "difficulty": 9})
ATTACK = DEFAULT.request({"system": "wrath-and-glory", "kind": "attack", "pool": 3, "dn": 1})
OPPOSED = DEFAULT.request(
    {
        "system": "opposed-attribute",
        "kind": "opposed",
        "attacker": {"score": 1},
        "defender": {"score": 2},
    }
)
HALF = Roll(OPPOSED, (Rolled((1, 2, 3, 4)),), source="urandom")

Open = Callable[..., tuple[Recorder, Book]]


def left(book: Book, *, roll_button: bool = True) -> Remembered:
    """Return what a station that starts with this book goes on with."""
    return remembered(book.ledger, book.registry, roll_button=roll_button)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Open a recorder on the same folder, each time as after a restart."""
    held: list[Any] = []

    def again(folder: Path = tmp_path, registry: Registry = DEFAULT) -> tuple[Recorder, Book]:
        while held:
            held.pop().close()
        held.append(open_ledger(folder, Moment(5_000), "0.1"))
        book = Book(registry, held[0].ledger, lambda: SECOND, "urandom")
        return Recorder(book, Announcer(book)), book

    yield again
    for each in held:
        each.close()


def test_a_roll_has_its_request_faces_source_and_outcome(opened: Open) -> None:
    recorder, book = opened()
    roll = Roll(BASIC, (Rolled((6, 5)),), source="urandom")
    seq = recorder.record(roll, Stage.ROLL)
    row = book.ledger.row(seq)
    assert DEFAULT.request(row.document("request")) == BASIC
    assert (row.pips, row.source) == ((6, 5), "urandom")
    assert row.document("outcome")["total"] == 11
    assert row.document("detail") == {"mode": "urandom"}


def test_rigged_dice_and_hidden_rolls_are_marked_for_good(opened: Open) -> None:
    recorder, book = opened()
    roll = Roll(BASIC, (Rolled((6, 5)),), source="seeded", foretold=True, hidden=True)
    detail = book.ledger.row(recorder.record(roll, Stage.ROLL)).document("detail")
    assert (detail["test"], detail["hidden"]) == (True, True)


def test_a_roll_without_dice_has_no_source(opened: Open) -> None:
    recorder, book = opened()
    automatic = DEFAULT.request(
        {"system": "seven-kingdoms", "kind": "basic", "rank": 2, "difficulty": 0}
    )
    row = book.ledger.row(recorder.record(Roll(automatic), Stage.ROLL))
    assert (row.pips, row.source, row.document("outcome")["automatic"]) == ((), None, True)


def test_half_a_roll_is_carried_on_by_its_end(opened: Open) -> None:
    recorder, book = opened()
    first = recorder.record(HALF, Stage.DRAWN)
    whole = Roll(OPPOSED, (*HALF.answers, Rolled((6, 6, 1, 1))), first, source="urandom")
    row = book.ledger.row(recorder.record(whole, Stage.ROLL))
    assert (row.of, row.pips) == (first, (1, 2, 3, 4, 6, 6, 1, 1))
    assert left(book).unfinished == ()


def test_a_decision_points_at_its_roll(opened: Open) -> None:
    recorder, book = opened()
    fallen = Roll(ATTACK, (Rolled((6, 6, 6)),), source="urandom")
    seq = recorder.record(fallen, Stage.ROLL)
    chosen = Roll(ATTACK, (*fallen.answers, Chosen("damage"), Chosen("stop")), seq=seq)
    row = book.ledger.row(recorder.record(chosen, Stage.DECISION))
    assert (row.of, row.document("choices")) == (seq, {"shifts": {"damage": 1}})


def test_a_decision_on_a_roll_that_has_no_row_is_not_recorded(opened: Open) -> None:
    recorder, book = opened()
    before = book.ledger.head()
    roll = Roll(ATTACK, (Rolled((6, 6, 6)), Chosen("stop")))
    assert recorder.record(roll, Stage.DECISION) is None
    assert book.ledger.head() == before


def test_a_decision_on_a_roll_voided_meanwhile_is_refused_and_logged(
    opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    recorder, book = opened()
    seq = recorder.record(Roll(ATTACK, (Rolled((6, 6, 6)),)), Stage.ROLL)
    book.void(seq, "Mistake")
    chosen = Roll(ATTACK, (Rolled((6, 6, 6)), Chosen("stop")), seq=seq)
    with caplog.at_level(logging.WARNING):
        assert recorder.record(chosen, Stage.DECISION) is None
    assert "decision at the table is not recorded" in caplog.text


@pytest.mark.parametrize("stage", [Stage.DRAWN, Stage.ROLL])
def test_where_nothing_can_be_written_nothing_has_a_number(
    opened: Open, tmp_path: Path, stage: Stage
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    recorder, book = opened(blocked)
    whole = Roll(BASIC, (Rolled((6, 5)),), source="urandom")
    assert recorder.record(HALF if stage is Stage.DRAWN else whole, stage) is None
    assert left(book).unfinished == ()


class TestAfterARestart:
    def test_a_roll_cut_off_goes_on_with_its_faces(self, opened: Open) -> None:
        first = opened()[0].record(HALF, Stage.DRAWN)
        (roll,) = left(opened()[1]).unfinished
        assert roll == Roll(OPPOSED, HALF.answers, first, source="urandom")

    def test_a_hidden_roll_cut_off_is_still_hidden(self, opened: Open) -> None:
        hidden = Roll(OPPOSED, HALF.answers, source="urandom", hidden=True)
        opened()[0].record(hidden, Stage.DRAWN)
        (roll,) = left(opened()[1]).unfinished
        assert roll.hidden

    def test_dice_rolled_by_hand_and_rigged_ones_stay_what_they_were(self, opened: Open) -> None:
        recorder, _ = opened()
        recorder.record(Roll(OPPOSED, HALF.answers, source="table", by_hand=True), Stage.DRAWN)
        recorder.record(Roll(OPPOSED, HALF.answers, source="seeded", foretold=True), Stage.DRAWN)
        by_hand, rigged = left(opened()[1]).unfinished
        assert (by_hand.by_hand, by_hand.foretold) == (True, False)
        assert (rigged.by_hand, rigged.foretold) == (False, True)

    def test_a_roll_of_a_system_that_is_no_longer_known_is_left_alone(self, opened: Open) -> None:
        opened()[0].record(HALF, Stage.DRAWN)
        known = Registry(tuple(s for s in DEFAULT if s.id != OPPOSED.system))
        assert left(opened(registry=known)[1]).unfinished == ()
        assert len(left(opened()[1]).unfinished) == 1

    def test_a_roll_that_needs_no_more_dice_by_now_is_left_alone(self, opened: Open) -> None:
        whole = Roll(BASIC, (Rolled((6, 5)),), source="urandom")
        opened()[0].record(whole, Stage.DRAWN)
        assert left(opened()[1]).unfinished == ()

    def test_every_system_is_dialled_as_it_was_with_the_cursor_at_its_first_value(
        self, opened: Open
    ) -> None:
        dial = turn(first_dial(DEFAULT, roll_button=True), 4)
        dial = next_stop(turn(with_system(dial, 1), 2))
        opened()[0].keep_dial(dial)
        kept = left(opened()[1], roll_button=False).dial
        assert kept.requests == dial.requests
        assert (kept.active, kept.focus, kept.roll_button) == (1, ("pool",), False)

    def test_a_request_of_a_system_that_is_no_longer_known_is_dropped(
        self, opened: Open, toy_registry: Registry
    ) -> None:
        dial = turn(with_system(first_dial(toy_registry, roll_button=True), 3), 1)
        opened(registry=toy_registry)[0].keep_dial(dial)
        assert left(opened()[1]).dial.requests == dial.requests[:3]
        assert left(opened(registry=toy_registry)[1]).dial.active == 3

    @pytest.mark.parametrize(
        "kept",
        [
            None,
            [],
            "dial",
            {},
            {"requests": None},
            {"requests": 3, "active": []},
            {"requests": [1, None, "x", []]},
            {"requests": [{"system": "seven-kingdoms"}, {"rank": 99}], "active": "nowhere"},
        ],
    )
    def test_a_dial_that_makes_no_sense_is_a_fresh_one(self, opened: Open, kept: object) -> None:
        _, book = opened()
        book.ledger.put(DIAL, kept)
        assert left(book).dial == first_dial(DEFAULT, roll_button=True)
