"""Nothing in a row can be changed, taken away or put in without `verify` naming the row."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.engine import dice_asked, resolve
from rules.model import outcome_plain
from rules.registry import DEFAULT
from station.ledger.chain import Chain, gaps, tolerant_text
from station.ledger.outcomes import outcome_text
from station.ledger.reader import SELECT, Head
from station.ledger.rows import (
    COLUMNS,
    FIRST_PREV,
    HASHED,
    Entry,
    Moment,
    canonical,
    drawn,
    link,
    rolled,
)
from station.ledger.store import Key, Ledger
from station.ledger.verify import FEW, RANGE, check_range, verify

ROWS = 200
MASKS = (0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80)


@pytest.fixture
def sealed(filled: Callable[[int], Ledger]) -> Ledger:
    ledger = filled(ROWS)
    assert ledger.head().seq >= ROWS
    ledger.close()
    return ledger


def test_a_good_ledger_is_good_and_its_head_is_told(
    filled: Callable[[int], Ledger], path: Path
) -> None:
    ledger = filled(ROWS)
    found = verify(path)
    assert found.problem is None
    assert found.head == ledger.head()
    assert found.rows == ledger.head().seq
    assert found.rolls > ROWS / 2
    assert found.plain()["good"] is True


def flipped(value: int | str | bytes, place: int, mask: int) -> int | str | bytes:
    """Return a column's value with one byte of it changed."""
    match value:
        case int():
            wide = bytearray(value.to_bytes(8, "big", signed=True))
            wide[place] ^= mask
            return int.from_bytes(wide, "big", signed=True)
        case str():
            data = bytearray(value.encode("ascii"))
            data[place] ^= mask
            return tolerant_text(bytes(data))
        case bytes():
            data = bytearray(value)
            data[place] ^= mask
            return bytes(data)


def flips(values: tuple[Any, ...]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield a row once for every byte of every column, with that byte changed."""
    for column, value in enumerate(values):
        size = 8 if isinstance(value, int) else len(value or "")
        for place in range(size):
            broken = flipped(value, place, MASKS[place % len(MASKS)])
            yield column, (*values[:column], broken, *values[column + 1 :])


@pytest.mark.usefixtures("sealed")
def test_each_byte_of_each_column_of_each_row_is_covered_by_the_chain(
    tampered: sqlite3.Connection,
) -> None:
    tried = set()
    before = Head(0, FIRST_PREV)
    known = gaps(tampered)
    for values in tampered.execute(f"{SELECT} ORDER BY seq").fetchall():
        for column, broken in flips(values):
            assert Chain(known, before.seq, before.hash).problem(broken), (values[0], column)
            tried.add(COLUMNS[column])
        assert Chain(known, before.seq, before.hash).problem(values) is None
        before = Head(values[0], values[-1])
    assert tried == set(COLUMNS)


def stored(value: object) -> object:
    """Return a changed value as SQLite takes it: text with stray bytes goes in as such."""
    if isinstance(value, str):
        return value.encode("ascii", "surrogateescape")
    return value


def found_in_place(
    db: sqlite3.Connection, values: tuple[Any, ...], column: int, broken: tuple[Any, ...]
) -> int | None:
    """Change one byte of a row on the disk, look from that row on, change it back.

    Returns:
        The number of the row that was found to be bad, 0 where the table itself refused it.
    """
    name, seq = COLUMNS[column], values[0]
    cast = "CAST(? AS TEXT)" if isinstance(values[column], str) else "?"
    put = f"UPDATE entry SET {name} = {cast} WHERE seq = ?"  # noqa: S608 - our own names
    try:
        db.execute(put, (stored(broken[column]), seq))
    except sqlite3.IntegrityError:
        return 0
    problem = check_range(db, seq, seq + 1).problem
    db.execute(put, (stored(values[column]), broken[0]))
    return None if problem is None else problem.seq


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.usefixtures("sealed")
def test_each_flip_on_the_disk_is_found_and_the_row_is_named(
    tampered: sqlite3.Connection,
) -> None:
    tampered.execute("BEGIN")
    tampered.text_factory = tolerant_text
    for values in tampered.execute(f"{SELECT} ORDER BY seq").fetchall():
        for column, broken in flips(values):
            if column > 0:
                found = found_in_place(tampered, values, column, broken)
                assert found == values[0], COLUMNS[column]


@pytest.mark.usefixtures("sealed")
def test_flips_on_the_disk_are_found_in_every_column(tampered: sqlite3.Connection) -> None:
    tampered.execute("BEGIN")
    tampered.text_factory = tolerant_text
    tried = set()
    for values in tampered.execute(f"{SELECT} ORDER BY seq").fetchall():
        for column, broken in list(flips(values))[values[0] % 20 :: 20]:
            if column > 0:
                found = found_in_place(tampered, values, column, broken)
                assert found == values[0], COLUMNS[column]
                tried.add(COLUMNS[column])
    assert tried == set(COLUMNS) - {"seq"}


@pytest.mark.usefixtures("sealed")
def test_a_row_with_a_flipped_number_is_missed_where_it_was(
    path: Path, tampered: sqlite3.Connection
) -> None:
    move = "UPDATE entry SET seq = ? WHERE seq = ?"
    moved = 0
    for values in tampered.execute(f"{SELECT} WHERE seq IN (1, 77, ?)", (ROWS,)).fetchall():
        for broken in (broken for column, broken in flips(values) if column == 0):
            if broken[0] in range(1, ROWS * 2):
                continue  # there is a row of that number already, which the table refuses
            tampered.execute(move, (broken[0], values[0]))
            assert verify(path).problem is not None, broken[0]
            tampered.execute(move, (values[0], broken[0]))
            moved += 1
    assert moved >= 3 * 7
    assert verify(path).problem is None


@pytest.mark.parametrize(
    ("change", "seq", "what"),
    [
        ("UPDATE entry SET source = 'hwrng' WHERE seq = 9", 9, "contents and its hash differ"),
        ("UPDATE entry SET boot = 7 WHERE seq = 9", 9, "contents and its hash differ"),
        ("UPDATE entry SET hash = prev WHERE seq = 9", 9, "contents and its hash differ"),
        ("UPDATE entry SET prev = hash WHERE seq = 9", 9, "does not follow from the row before"),
        ("UPDATE entry SET detail = CAST(x'7bff7d' AS TEXT) WHERE seq = 9", 9, "contents"),
        ("DELETE FROM entry WHERE seq = 9", 10, "row 9 is missing"),
        ("DELETE FROM entry WHERE seq = 1", 2, "row 1 is missing"),
        ("DELETE FROM entry WHERE seq BETWEEN 9 AND 12", 13, "row 9 is missing"),
        ("UPDATE entry SET seq = -3 WHERE seq = 9", -3, "out of order"),
        ("UPDATE tally SET ones = ones + 1 WHERE source = ''", None, "counts of faces"),
        ("DELETE FROM tally WHERE source = 'urandom'", None, "counts of faces"),
        ("UPDATE document SET body = '{}' WHERE name = 'table'", None, "table's state"),
        ("DELETE FROM document WHERE name = 'table'", None, "table's state"),
        ("INSERT INTO pending VALUES(5, 5)", None, "kept as a roll that waits"),
    ],
)
@pytest.mark.usefixtures("sealed")
def test_the_first_bad_row_is_named_and_what_is_wrong_with_it(
    path: Path, tampered: sqlite3.Connection, change: str, seq: int, what: str
) -> None:
    tampered.execute(change)
    problem = verify(path).problem
    assert problem is not None
    assert problem.seq == seq
    assert what in problem.what


def forge(db: sqlite3.Connection, seq: int, **columns: Any) -> None:
    """Change a row and every hash after it, as someone would who knows how the chain is made."""
    rows = db.execute(f"{SELECT} WHERE seq >= ? ORDER BY seq", (seq,)).fetchall()
    prev = rows[0][-2]
    for values in rows:
        told = dict(zip(COLUMNS, values, strict=True))
        if told["seq"] == seq:
            told |= columns
        told["prev"] = prev
        prev = link(prev, list(told.values())[:HASHED])
        told["hash"] = prev
        marks = ", ".join(f"{name} = ?" for name in COLUMNS)
        db.execute(f"UPDATE entry SET {marks} WHERE seq = ?", (*told.values(), told["seq"]))  # noqa: S608 - our own names


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        ({"faces": "[6,6,6,6,6]"}, "do not give the outcome"),
        ({"faces": "[6,6,6,6,7]"}, "the rules refuse it: faces[4] is 7"),
        ({"faces": "[6,6,6,6]"}, "the rules refuse it: faces is"),
        ({"faces": "no list"}, "can't be understood"),
        ({"faces": None}, "the rules refuse it"),
        ({"outcome": "{}"}, "do not give the outcome"),
        ({"outcome": None}, "do not give the outcome"),
        ({"request": '{"system":"chess"}'}, "the rules refuse it: system"),
        ({"request": None}, "can't be understood"),
        ({"choices": '{"shifts":{}}'}, "the rules refuse it"),
        ({"of": 1}, "row 1 has no faces"),
        ({"kind": "decision", "of": 1}, "row 1 is no roll before it"),
        ({"kind": "void", "of": 99}, "row 99 is no roll before it"),
        ({"kind": "reveal", "of": None}, "row None is no roll before it"),
        ({"kind": "joke"}, "joke is no kind of row"),
    ],
)
def test_a_forger_who_makes_the_chain_anew_is_still_caught_by_the_rules(
    ledger: Ledger, table: Any, path: Path, columns: dict[str, Any], what: str
) -> None:
    now = Moment(1)
    request = {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "bonus": 2, "difficulty": 9}
    for _ in range(5):
        ledger.append(table.roll(request, faces=(1, 2, 3, 4, 5)), now)
    ledger.close()
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("DROP TRIGGER entry_no_update")
    forge(db, 4, **columns)
    db.close()
    problem = verify(path).problem
    assert problem is not None
    assert problem.seq == 4
    assert what in problem.what


@pytest.mark.parametrize(
    ("member", "value", "good"),
    [("explanation", "worded otherwise", True), ("total", 99, False), ("luck", 1, False)],
)
def test_a_row_of_another_version_may_differ_in_its_words_alone(
    ledger: Ledger, table: Any, path: Path, member: str, value: Any, *, good: bool
) -> None:
    now = Moment(1)
    request = {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "bonus": 2, "difficulty": 9}
    ledger.append(table.roll(request, faces=(1, 2, 3, 4, 5)), now)
    row = ledger.row(2)
    assert row is not None
    outcome = {**row.document("outcome"), member: value}
    ledger.close()
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("DROP TRIGGER entry_no_update")
    forge(db, 2, outcome=canonical(outcome))
    db.close()
    assert (verify(path).problem is None) is good


def test_a_roll_that_does_not_go_on_from_its_first_faces_is_found(
    ledger: Ledger, table: Any, requests: Any, path: Path, now: Moment
) -> None:
    ledger.append(drawn(requests[4], (1, 2, 3, 4), "urandom"), now)
    ledger.append(table.roll(requests[4], faces=(1, 2, 3, 4, 5, 6, 1, 2), of=2), now)
    ledger.close()
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("DROP TRIGGER entry_no_update")
    forge(db, 2, faces="[4,4,4,4]")
    db.close()
    problem = verify(path).problem
    assert problem is not None
    assert (problem.seq, problem.what) == (3, "it does not go on from the faces of row 2")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("DELETE FROM key", "its key is not kept"),
        ("UPDATE key SET asked = 'x'", "its key is not kept"),
        ("UPDATE key SET seq = 1", "its key leads to row 1"),
    ],
)
def test_a_key_that_would_not_find_its_row_is_named(
    ledger: Ledger, table: Any, path: Path, change: str, what: str
) -> None:
    ledger.append(table.any_roll(), Moment(1), key=Key("12345678", "0" * 64))
    ledger.close()
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(change)
    db.close()
    problem = verify(path).problem
    assert problem is not None
    assert (problem.seq, problem.what) == (2, what)


class TestSince:
    def test_a_check_goes_on_from_a_noted_head(
        self, filled: Callable[[int], Ledger], table: Any, path: Path
    ) -> None:
        ledger = filled(60)
        noted = verify(path).head
        table.fill(ledger, 40)
        found = verify(path, noted)
        assert found.problem is None
        assert found.rows == ledger.head().seq - noted.seq
        assert found.head == ledger.head()

    @pytest.mark.usefixtures("sealed")
    def test_rows_before_it_are_taken_as_good(
        self, path: Path, tampered: sqlite3.Connection
    ) -> None:
        noted = verify(path).head
        tampered.execute("UPDATE entry SET source = 'hwrng' WHERE seq = 9")
        assert verify(path, noted).problem is None

    @pytest.mark.usefixtures("sealed")
    def test_a_noted_head_that_is_no_longer_there_is_found(
        self, path: Path, tampered: sqlite3.Connection
    ) -> None:
        noted = verify(path).head
        tampered.execute("DELETE FROM entry WHERE seq > 190")
        problem = verify(path, noted).problem
        assert problem is not None
        assert problem.seq == 191
        problem = verify(path, Head(5, FIRST_PREV)).problem
        assert problem is not None
        assert problem.what == "its hash is not the one that was noted"


@pytest.mark.usefixtures("sealed")
def test_a_key_that_no_row_has_is_found(path: Path) -> None:
    """It would answer a request that was never made with somebody else's roll."""
    with sqlite3.connect(path, isolation_level=None) as db:
        db.execute("INSERT INTO key VALUES('', 'planted-key', ?, 2)", ("0" * 64,))
    db.close()
    assert str(verify(path).problem) == "a key is kept that no row has"


@pytest.mark.usefixtures("sealed")
def test_progress_is_told_up_to_the_end(path: Path) -> None:
    told: list[tuple[int, int]] = []
    found = verify(path, progress=lambda done, of: told.append((done, of)))
    assert told[-1] == (found.rows, found.rows)


def long_ledger(path: Path, entries: list[Entry], now: Moment, rows: int) -> None:
    with Ledger.begin(path, now, "0.1") as ledger:
        db = ledger._db  # noqa: SLF001 - thousands of commits would only make the test slow
        db.execute("BEGIN")
        for number in range(rows - 1):
            ledger._insert(entries[number % len(entries)], now, None, None)  # noqa: SLF001
        db.execute("COMMIT")


def test_processes_side_by_side_find_what_one_finds(path: Path, table: Any, now: Moment) -> None:
    rows = FEW * RANGE + 100
    long_ledger(path, [table.any_roll() for _ in range(50)], now, rows)
    told: list[int] = []
    found = verify(path, workers=2, progress=lambda done, _: told.append(done))
    assert (found.problem, found.rows) == (None, rows)
    assert told == sorted(told)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("DROP TRIGGER entry_no_update")
    db.execute("UPDATE entry SET uptime_ms = 0 WHERE seq IN (5000, 9000)")
    db.close()
    found = verify(path, workers=2)
    assert found.problem is not None
    assert (found.problem.seq, found.rows) == (5000, 4999)


def test_the_fast_text_of_an_outcome_is_the_canonical_one(table: Any, requests: Any) -> None:
    for request in requests:
        asked = DEFAULT.request(request)
        system = DEFAULT.of(asked)
        for _ in range(50):
            outcome = resolve(system, asked, table.faces(dice_asked(system, asked)))
            assert outcome_text(outcome) == canonical(outcome_plain(outcome))


def test_faces_typed_in_by_hand_are_verified_like_any_other(
    ledger: Ledger, requests: Any, path: Path, now: Moment
) -> None:
    ledger.append(rolled(requests[1], (), None, outcome_of(requests[1], ())), now)
    ledger.append(rolled(requests[0], (1,) * 5, "table", outcome_of(requests[0], (1,) * 5)), now)
    assert verify(path).problem is None


def outcome_of(request: dict[str, Any], faces: tuple[int, ...]) -> Any:
    asked = DEFAULT.request(request)
    return outcome_plain(resolve(DEFAULT.of(asked), asked, faces))
