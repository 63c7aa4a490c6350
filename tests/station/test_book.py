"""What rolls and acts do to the table's state: once, together with their row, and back again."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hardware.clock import SECOND, Nanoseconds
from rules.acts import act_from_plain
from rules.errors import RulesError
from rules.registry import DEFAULT
from rules.table import EMPTY, table_plain
from station.book import Book, Cast, Written
from station.ledger.absent import NoLedger
from station.ledger.errors import Cause, NotPossibleError, UnavailableError, fault
from station.ledger.reader import TABLE
from station.ledger.rows import Moment, Row, canonical, sha256_hex
from station.ledger.store import Key, Ledger
from station.ledger.verify import verify
from station.replay import replayed_state, replayed_states

START = Moment(1_000, "2026-01-02T20:00:00.000Z")
ATTACK = {"system": "wrath-and-glory", "kind": "attack", "pool": 3, "dn": 1}
EXTENDED = {"system": "seven-kingdoms", "kind": "extended", "rank": 3, "difficulty": 9, "needed": 3}
OPPOSED = {
    "system": "opposed-attribute",
    "kind": "opposed",
    "attribute": "Strength",
    "attacker": {"name": "Arya", "score": 3},
    "defender": {"name": "Bran", "score": 1},
}
COMPETITION = {
    "system": "seven-kingdoms",
    "kind": "competition",
    "contestants": [
        {"name": "Arya", "rank": 1, "bonus": 1, "discard_penalty": 1},
        {"name": "Bran", "rank": 1, "bonus": 1, "discard_penalty": 1},
    ],
    "discard_order": "before_keep",
}


def clock() -> Nanoseconds:
    return Nanoseconds(9 * SECOND)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    with Ledger.begin(path, START, "0.1") as ledger:
        yield ledger


@pytest.fixture
def book(ledger: Ledger) -> Book:
    return Book(DEFAULT, ledger, clock, "urandom")


@pytest.fixture
def blind() -> Book:
    return Book(DEFAULT, NoLedger(fault(Cause.READ_ONLY)), clock, "urandom")


def cast(asked: dict[str, Any], *faces: int, **more: Any) -> Cast:
    return Cast(request=DEFAULT.request(asked), faces=faces, source="urandom", **more)


def seq_of(written: Written) -> int:
    assert written.receipt.row is not None
    return written.receipt.row.seq


def act(kind: str, /, **fields: Any) -> Any:
    return act_from_plain({"act": kind, **fields})


def sit(book: Book, *names: str) -> None:
    for name in names:
        scores = [{"attribute": "Strength", "score": 3}]
        book.change(act("add", character=name, endurance=4, scores=scores))


def assert_sound(ledger: Ledger, book: Book, path: Path) -> None:
    """The chain holds, and memory, document, patches and replayed acts agree on the state."""
    assert verify(path, workers=1).problem is None
    assert table_plain(book.table) == (ledger.document(TABLE) or table_plain(EMPTY))
    rows = list(ledger.rows())
    assert replayed_state(rows) == book.table
    for row, table in replayed_states(rows):
        assert row.state == sha256_hex(canonical(table_plain(table)))


def test_an_extended_test_goes_on_with_its_roll(book: Book, ledger: Ledger, path: Path) -> None:
    first = book.roll(cast({**EXTENDED, "name": "Arya", "cost": "one day"}, 6, 6, 6))
    assert first.receipt.row is not None
    assert first.receipt.row.state is not None
    test = book.table.test("Arya")
    assert test is not None
    assert (test.gained, test.needed, test.rolls) == (1, 3, 1)
    assert [(cost.label, cost.count) for cost in test.costs] == [("one day", 1)]
    assert_sound(ledger, book, path)


def test_voiding_an_extended_roll_takes_its_progress_back(
    book: Book, ledger: Ledger, path: Path
) -> None:
    first = seq_of(book.roll(cast(EXTENDED, 6, 6, 6)))
    second = seq_of(book.roll(cast({**EXTENDED, "gained": 1, "roll_number": 2}, 6, 6, 6)))
    with pytest.raises(NotPossibleError, match=f"row {second} rests on it"):
        book.void(first, "the wrong test")
    book.void(second, "the wrong test")
    test = book.table.test(None)
    assert test is not None
    assert (test.gained, test.rolls) == (1, 1)
    book.void(first, "the wrong test")
    assert book.table == EMPTY
    assert_sound(ledger, book, path)
    with pytest.raises(NotPossibleError, match="already marked"):
        book.void(first, "twice")


def test_progress_that_finds_no_room_does_not_keep_the_roll_from_being_written(
    book: Book, ledger: Ledger, path: Path
) -> None:
    for number in range(60):
        book.roll(cast({**EXTENDED, "name": f"Test {number}"}, 1, 1, 1))
    full = book.table
    one_more = book.roll(cast({**EXTENDED, "name": "Test 60"}, 1, 1, 1))
    assert one_more.receipt.recorded
    assert "60" in one_more.unapplied
    assert book.table == full
    assert_sound(ledger, book, path)


def test_a_roll_is_applied_once(book: Book, ledger: Ledger, path: Path) -> None:
    sit(book, "Arya", "Bran")
    roll = seq_of(book.roll(cast(OPPOSED, 1, 1, 6, 6, 2, 1, 3, 4)))
    applied = book.apply(roll)
    assert book.table.reserve("Arya", "Strength").lost == 7
    assert book.table.reserve("Bran", "Strength").lost == 3
    with pytest.raises(NotPossibleError, match=f"already applied by change {applied.seq}"):
        book.apply(roll)
    assert_sound(ledger, book, path)


def test_what_was_applied_is_undone_and_applied_anew(
    book: Book, ledger: Ledger, path: Path
) -> None:
    sit(book, "Arya", "Bran")
    roll = seq_of(book.roll(cast(OPPOSED, 1, 1, 6, 6, 2, 1, 3, 4)))
    before = book.table
    applied = book.apply(roll)
    undo = book.undo(applied.seq)
    assert undo.of == applied.seq
    assert book.table == before
    with pytest.raises(NotPossibleError, match="already taken back"):
        book.undo(applied.seq)
    with pytest.raises(NotPossibleError, match="no change that can be undone"):
        book.undo(undo.seq)
    book.apply(roll)
    assert book.table.reserve("Arya", "Strength").lost == 7
    assert_sound(ledger, book, path)


def test_voiding_takes_back_what_the_roll_applied_whatever_came_after(
    book: Book, ledger: Ledger, path: Path
) -> None:
    sit(book, "Arya", "Bran")
    roll = seq_of(book.roll(cast(OPPOSED, 1, 1, 6, 6, 2, 1, 3, 4)))
    applied = book.apply(roll)
    book.change(act("reserve", character="Arya", attribute="Strength", count=2))
    book.void(roll, "Bran was away")
    assert book.table.reserve("Arya", "Strength").lost == 2
    assert book.table.reserve("Bran", "Strength").lost == 0
    with pytest.raises(NotPossibleError, match="already taken back"):
        book.undo(applied.seq)
    with pytest.raises(NotPossibleError, match="not counting"):
        book.apply(roll)
    assert_sound(ledger, book, path)


def test_what_someone_else_rests_on_is_named(book: Book, ledger: Ledger, path: Path) -> None:
    sit(book, "Arya")
    joined = ledger.head().seq
    wound = book.change(act("wound", character="Arya"))
    with pytest.raises(NotPossibleError, match=f"row {wound.seq} rests on it"):
        book.undo(joined)
    book.undo(wound.seq)
    book.undo(joined)
    assert book.table == EMPTY
    assert_sound(ledger, book, path)


def test_undo_goes_back_change_by_change(book: Book, ledger: Ledger, path: Path) -> None:
    sit(book, "Arya")
    for count in (3, -1, 4):
        book.change(act("glory", count=count))
    glory = []
    for _ in range(3):
        book.undo()
        glory.append(book.table.glory)
    assert glory == [2, 3, 0]
    book.undo()
    assert book.table == EMPTY
    with pytest.raises(NotPossibleError, match="no change left"):
        book.undo()
    assert_sound(ledger, book, path)


def test_a_decision_is_taken_once_and_only_where_one_is_open(book: Book) -> None:
    roll = seq_of(book.roll(cast(ATTACK, 6, 6, 6)))
    with pytest.raises(NotPossibleError, match="decision struck of roll 2 is not open"):
        book.decide(roll, {"struck": [0]})
    with pytest.raises(RulesError, match="glory"):
        book.decide(roll, {"shifts": {"glory": 2}})
    row = book.decide(roll, {"shifts": {"damage": 1, "glory": 1}})
    assert row.document("outcome")["shifts"] == {"damage": 1, "detail": 0, "glory": 1}
    with pytest.raises(NotPossibleError, match="already taken"):
        book.decide(roll, {"shifts": {"damage": 1}})
    with pytest.raises(NotPossibleError, match="there is no roll 99"):
        book.decide(99, {"shifts": {"damage": 1}})


def test_ties_of_several_contestants_are_decided_one_by_one(
    book: Book, ledger: Ledger, path: Path
) -> None:
    written = book.roll(cast(COMPETITION, 5, 5, 4, 4))
    roll = seq_of(written)
    assert len(written.outcome["open"]) == 2
    one = book.decide(roll, {"struck": [1]})
    assert len(one.document("outcome")["open"]) == 1
    both = book.decide(roll, {"struck": [2]})
    assert both.document("choices") == {"struck": [1, 2]}
    assert both.document("outcome")["open"] == []
    assert_sound(ledger, book, path)


def test_glory_bought_by_a_shift_counts_once_it_is_applied(
    book: Book, ledger: Ledger, path: Path
) -> None:
    roll = seq_of(book.roll(cast(ATTACK, 6, 6, 4)))
    book.decide(roll, {"shifts": {"glory": 1}})
    book.apply(roll)
    assert book.table.glory == 2
    assert_sound(ledger, book, path)


def test_a_decision_that_would_change_what_was_applied_waits_for_its_undoing(book: Book) -> None:
    roll = seq_of(book.roll(cast(ATTACK, 6, 6, 4)))
    applied = book.apply(roll)
    assert book.table.glory == 1
    with pytest.raises(NotPossibleError, match="undo that before you decide"):
        book.decide(roll, {"shifts": {"glory": 1}})
    book.decide(roll, {"shifts": {"damage": 1}})
    assert book.undo().of == applied.seq


def test_a_roll_without_consequences_can_not_be_applied(book: Book) -> None:
    roll = seq_of(book.roll(cast(EXTENDED, 6, 6, 6)))
    with pytest.raises(NotPossibleError, match="no consequences"):
        book.apply(roll)


def test_a_hidden_roll_is_neither_decided_nor_applied_before_it_is_revealed(book: Book) -> None:
    roll = seq_of(book.roll(cast(ATTACK, 6, 6, 6, hidden=True)))
    for refused in (lambda: book.decide(roll, {"shifts": {}}), lambda: book.apply(roll)):
        with pytest.raises(NotPossibleError, match="until it is revealed"):
            refused()
    book.reveal(roll)
    book.apply(roll)
    assert book.table.glory == 1
    with pytest.raises(NotPossibleError, match="not hidden"):
        book.reveal(roll)


def test_a_refused_act_leaves_no_row_and_no_trace(book: Book, ledger: Ledger) -> None:
    end = ledger.head()
    with pytest.raises(RulesError, match="beyond what is left"):
        book.change(act("glory", count=-1))
    assert ledger.head() == end
    assert book.table == EMPTY


def test_the_limit_of_glory_is_part_of_the_state(book: Book, ledger: Ledger, path: Path) -> None:
    book.limit_glory(3)
    end = ledger.head()
    book.limit_glory(3)
    assert ledger.head() == end
    book.change(act("glory", count=9))
    assert book.table.glory == 3
    assert book.undo().of is not None
    with pytest.raises(NotPossibleError, match="no change left"):
        book.undo()
    assert_sound(ledger, book, path)


def test_the_state_is_there_again_after_a_restart(book: Book, ledger: Ledger) -> None:
    sit(book, "Arya")
    book.change(act("wound", character="Arya"))
    assert Book(DEFAULT, ledger, clock, "urandom").table == book.table


def test_a_state_that_nobody_understands_begins_anew(ledger: Ledger, caplog: Any) -> None:
    ledger.put(TABLE, {"luck": 7})
    assert Book(DEFAULT, ledger, clock, "urandom").table == EMPTY
    assert "luck" in caplog.text


def test_without_a_ledger_rolls_go_on_and_changes_do_not(blind: Book) -> None:
    written = blind.roll(cast(EXTENDED, 6, 6, 6))
    assert not written.receipt.recorded
    assert written.outcome["success"] is True
    assert blind.table == EMPTY
    blind.limit_glory(3)
    refusals: list[Callable[[], object]] = [
        lambda: blind.roll(cast(ATTACK, 6, 6, 6), Key("12345678", "0" * 64)),
        lambda: blind.change(act("glory", count=1)),
        blind.undo,
        lambda: blind.void(2, "no reason"),
    ]
    for refused in refusals:
        with pytest.raises(UnavailableError, match="read-only"):
            refused()
    with pytest.raises(NotPossibleError, match="no roll 2"):
        blind.apply(2)


def test_the_state_after_any_row_can_be_told(book: Book, ledger: Ledger) -> None:
    sit(book, "Arya", "Bran")
    roll = seq_of(book.roll(cast(OPPOSED, 1, 1, 6, 6, 2, 1, 3, 4)))
    book.apply(roll)
    book.undo()
    book.roll(cast(EXTENDED, 6, 6, 6))
    book.void(roll, "no")
    for row, table in replayed_states(ledger.rows()):
        assert book.state_after(row.seq) == table


KINDS = ("roll", "apply", "void", "undo", "undo_named", "decide", "change")


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_an_evening_brings_the_rows_lead_to_the_state(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("evening")
    with Ledger.begin(folder / "ledger.db", START, "0.1") as ledger:
        book = Book(DEFAULT, ledger, clock, "urandom")
        sit(book, "Arya", "Bran")
        for _ in range(data.draw(st.integers(1, 25))):
            before = (ledger.head(), book.table)
            try:
                _something(data, book, ledger)
            except (NotPossibleError, RulesError):
                assert (ledger.head(), book.table) == before
        assert_sound(ledger, book, folder / "ledger.db")
        last = ledger.head().seq
        assert Book(DEFAULT, ledger, clock, "urandom").table == book.table
        assert book.state_after(last) == book.table


def _something(data: st.DataObject, book: Book, ledger: Ledger) -> None:
    seq = st.integers(1, ledger.head().seq + 1)
    match data.draw(st.sampled_from(KINDS)):
        case "roll":
            requests: list[dict[str, Any]] = [ATTACK, OPPOSED, EXTENDED, _second(book)]
            asked = data.draw(st.sampled_from(requests))
            count = 8 if asked is OPPOSED else 3
            faces = data.draw(st.lists(st.integers(1, 6), min_size=count, max_size=count))
            book.roll(cast(asked, *faces))
        case "apply":
            book.apply(data.draw(seq))
        case "void":
            book.void(data.draw(seq), "a mistake")
        case "undo":
            book.undo()
        case "undo_named":
            book.undo(data.draw(seq))
        case "decide":
            book.decide(data.draw(seq), {"shifts": {"glory": 1}})
        case _:
            book.change(data.draw(st.sampled_from(ACTS)))


def _second(book: Book) -> dict[str, Any]:
    test = book.table.test(None)
    if test is None:
        return EXTENDED
    return {**EXTENDED, "gained": min(99, test.gained), "roll_number": test.rolls + 1}


ACTS = [
    act("glory", count=2),
    act("glory", count=-1),
    act("wound", character="Arya"),
    act("heal_wound", character="Arya"),
    act("injury", character="Bran", count=2),
    act("heal_reserve", character="Arya", attribute="Strength", count=3, end_residual=True),
    act("reserve", character="Bran", attribute="Strength", count=4, residual=True),
    act("end_turn"),
    act("edit", character="Arya", name="No One"),
    act("edit", character="No One", name="Arya"),
    act("remove", character="Bran"),
    act("add", character="Bran", scores=[{"attribute": "Strength", "score": 1}]),
    act("clear_progress"),
]


def test_a_row_says_what_it_changed_place_by_place(book: Book) -> None:
    row: Row = book.change(act("glory", count=2))
    detail = json.loads(row.detail)
    assert detail["change"] == {"act": "glory", "count": 2}
    assert detail["differences"] == [[["glory"], 0, 2]]


def test_waiting_dice_are_written_in_stages(book: Book, ledger: Ledger, path: Path) -> None:
    first = book.draw(cast(OPPOSED, 1, 1, 3, 4)).row
    assert first is not None
    assert [pending.first.seq for pending in ledger.pending()] == [first.seq]
    written = book.roll(cast(OPPOSED, 1, 1, 3, 4, 2, 1, 3, 4, first=first.seq))
    assert written.receipt.row is not None
    assert written.receipt.row.of == first.seq
    assert ledger.pending() == ()
    assert_sound(ledger, book, path)
