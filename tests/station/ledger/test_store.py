"""What is appended is there, once, in a chain; what points nowhere is refused."""

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from station.ledger.errors import Cause, KeyReusedError, NotPossibleError, UnavailableError
from station.ledger.reader import TABLE, Reader
from station.ledger.rows import (
    FIRST_PREV,
    Kind,
    Moment,
    canonical,
    changed,
    decided,
    drawn,
    link,
    revealed,
    rolled,
    sha256_hex,
    voided,
)
from station.ledger.store import Key, Ledger, Standing

OUTCOME = {"success": True, "total": 14}
LONG = Key("6d0c2f1e-0000-4000-8000-000000000001", "a" * 64)


def test_a_roll_is_read_back_with_all_it_was_given(
    ledger: Ledger, requests: Any, now: Moment
) -> None:
    receipt = ledger.append(rolled(requests[0], (6, 5, 3), "urandom", OUTCOME, note="door"), now)
    assert receipt.row is not None
    record = ledger.record(receipt.row.seq)
    assert record is not None
    assert record.plain() == {
        "seq": 2,
        "time": now.time,
        "request": requests[0],
        "faces": [6, 5, 3],
        "choices": None,
        "outcome": OUTCOME,
        "source": "urandom",
        "hash": receipt.row.hash.hex(),
        "note": "door",
        "hidden": False,
        "decisions": [],
        "void": None,
    }


def test_each_row_is_numbered_and_linked_to_the_one_before(ledger: Ledger, table: Any) -> None:
    table.fill(ledger, 60)
    rows = list(ledger.rows())
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    before = FIRST_PREV
    for row in rows:
        assert row.prev == before
        assert row.hash == link(before, row.columns)
        before = row.hash
    assert ledger.head().hash == before
    assert {row.kind for row in rows} == set(Kind) - {Kind.CARRIED}


def test_a_commit_is_synced_and_the_log_is_written_ahead(ledger: Ledger) -> None:
    pragma = ledger._db.execute  # noqa: SLF001 - what the connection is set to is the promise
    assert pragma("PRAGMA journal_mode").fetchone() == ("wal",)
    assert pragma("PRAGMA synchronous").fetchone() == (2,)


@pytest.mark.parametrize("statement", ["UPDATE entry SET time = ''", "DELETE FROM entry"])
def test_the_database_itself_refuses_to_change_a_row(
    ledger: Ledger, path: Path, statement: str
) -> None:
    ledger.close()
    db = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        db.execute(statement)
    db.close()


def test_a_column_of_the_wrong_type_is_refused_by_the_strict_table(ledger: Ledger) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="cannot store TEXT"):
        ledger._db.execute("INSERT INTO pending VALUES(1, 'two')")  # noqa: SLF001 - the schema


class TestKeys:
    def test_a_known_key_gives_the_first_row_and_writes_nothing(
        self, ledger: Ledger, table: Any, now: Moment
    ) -> None:
        first = ledger.append(table.any_roll(), now, key=LONG)
        again = ledger.append(table.any_roll(), now, key=LONG)
        assert (first.keyed, first.replayed) == (True, False)
        assert (again.keyed, again.replayed) == (True, True)
        assert again.row == first.row == ledger.find(LONG)
        assert ledger.head().seq == 2

    def test_a_known_key_with_other_params_is_refused(
        self, ledger: Ledger, table: Any, now: Moment
    ) -> None:
        ledger.append(table.any_roll(), now, key=LONG)
        other = replace(LONG, asked="b" * 64)
        with pytest.raises(KeyReusedError, match="already made row 2"):
            ledger.append(table.any_roll(), now, key=other)
        with pytest.raises(KeyReusedError):
            ledger.find(other)
        assert ledger.head().seq == 2

    def test_keys_outlive_the_process(self, path: Path, table: Any, now: Moment) -> None:
        with Ledger.begin(path, now, "0.1") as ledger:
            first = ledger.append(table.any_roll(), now, key=LONG)
        with Ledger.begin(path, now, "0.1") as ledger:
            assert ledger.find(LONG) == first.row

    def test_a_short_key_belongs_to_its_session(
        self, ledger: Ledger, table: Any, now: Moment
    ) -> None:
        keys = [Key.of(7, session, "roll", {}) for session in ("one", "two")]
        rows = [ledger.append(table.any_roll(), now, key=key).row for key in keys]
        assert rows[0] != rows[1]
        assert [ledger.find(key) for key in keys] == rows

    def test_a_long_key_is_the_same_in_every_session(self) -> None:
        assert Key.of("12345678", "one", "roll", {}) == Key.of("12345678", "two", "roll", {})

    def test_method_and_params_tell_requests_apart(self) -> None:
        asked = {
            Key.of("12345678", "", method, params).asked
            for method in ("roll", "record")
            for params in ({}, {"brief": True})
        }
        assert len(asked) == 4

    def test_an_integer_and_its_digits_are_different_keys(
        self, ledger: Ledger, table: Any, now: Moment
    ) -> None:
        ledger.append(table.any_roll(), now, key=Key.of("12345678", "s", "roll", {}))
        assert ledger.find(Key.of(12345678, "s", "roll", {})) is None

    def test_a_keyed_roll_that_was_cut_off_is_found_and_then_becomes_the_roll(
        self, ledger: Ledger, table: Any, requests: Any, now: Moment
    ) -> None:
        cut_off = ledger.append(drawn(requests[4], (1, 2, 3, 4), "urandom"), now, key=LONG).row
        assert ledger.find(LONG) == cut_off
        assert cut_off is not None
        roll = table.roll(requests[4], faces=(1, 2, 3, 4, 5, 6, 1, 2), of=cut_off.seq)
        done = ledger.append(roll, now).row
        assert ledger.find(LONG) == done


class TestCutOff:
    def test_a_roll_that_waits_is_found_again_with_its_faces(
        self, path: Path, requests: Any, now: Moment
    ) -> None:
        with Ledger.begin(path, now, "0.1") as ledger:
            ledger.append(drawn(requests[4], (1, 2, 3, 4), "urandom"), now)
        with Ledger.begin(path, now, "0.1") as ledger:
            (waiting,) = ledger.pending()
            assert waiting.first == waiting.latest
            assert waiting.latest.pips == (1, 2, 3, 4)
            assert waiting.latest.document("request") == requests[4]

    def test_further_faces_follow_until_the_roll_closes_it(
        self, ledger: Ledger, table: Any, requests: Any, now: Moment
    ) -> None:
        request = requests[3]
        ledger.append(drawn(request, (1, 2, 3, 4), "urandom"), now)
        ledger.append(drawn(request, (1, 2, 3, 4, 5), "urandom", of=2), now)
        assert ledger.pending()[0].latest.seq == 3
        ledger.append(table.roll(request, faces=(1, 2, 3, 4, 5, 6, 6, 6), of=2), now)
        assert ledger.pending() == ()
        fairness = ledger.fairness()
        assert fairness is not None
        assert fairness.counts == (1, 1, 1, 1, 1, 3)

    @pytest.mark.parametrize("faces", [(1, 1, 3, 4, 5, 6, 6, 6), (1, 2)])
    def test_its_faces_are_never_rolled_again(
        self, ledger: Ledger, requests: Any, now: Moment, faces: tuple[int, ...]
    ) -> None:
        ledger.append(drawn(requests[3], (1, 2, 3, 4), "urandom"), now)
        with pytest.raises(NotPossibleError, match="row 2 can't be rolled again"):
            ledger.append(rolled(requests[3], faces, "urandom", OUTCOME, of=2), now)
        assert ledger.head().seq == 2

    def test_it_takes_no_other_request_and_no_other_row_takes_its_faces(
        self, ledger: Ledger, requests: Any, now: Moment
    ) -> None:
        ledger.append(drawn(requests[3], (1, 2, 3, 4), "urandom"), now)
        with pytest.raises(NotPossibleError, match="another request"):
            ledger.append(rolled(requests[0], (1, 2, 3, 4), "urandom", OUTCOME, of=2), now)
        with pytest.raises(NotPossibleError, match="row 1 is no roll that waits"):
            ledger.append(rolled(requests[3], (1, 2, 3, 4), "urandom", OUTCOME, of=1), now)
        assert ledger.head().seq == 2

    def test_it_can_be_given_up_but_stays(self, ledger: Ledger, requests: Any, now: Moment) -> None:
        ledger.append(drawn(requests[4], (1, 2, 3, 4), "urandom"), now)
        ledger.append(voided(2, "the fight is over"), now)
        assert ledger.pending() == ()
        assert ledger.row(2) is not None


class TestLater:
    def test_a_decision_stands_and_the_roll_keeps_its_first_outcome(
        self, ledger: Ledger, table: Any, requests: Any, now: Moment
    ) -> None:
        ledger.append(table.roll(requests[2], faces=(6, 6, 6, 1, 1, 1)), now)
        ledger.append(decided(2, {"shifts": {"damage": 1}}, {"shifts": 1}), now)
        ledger.append(decided(2, {"shifts": {"glory": 1}}, {"shifts": 2}), now)
        record = ledger.record(2)
        assert record is not None
        assert record.roll.document("outcome")["success"] is True
        assert record.outcome == {"shifts": 2}
        assert record.choices == {"shifts": {"glory": 1}}
        assert record.plain()["decisions"] == [3, 4]

    def test_a_hidden_roll_is_covered_until_it_is_revealed(
        self, ledger: Ledger, table: Any, requests: Any, now: Moment
    ) -> None:
        ledger.append(table.roll(requests[0], hidden=True), now)
        covered = ledger.record(2)
        ledger.append(revealed(2), now)
        shown = ledger.record(2)
        assert covered is not None
        assert shown is not None
        assert (covered.hidden, shown.hidden) == (True, False)

    def test_a_void_roll_stays_with_its_reason_and_takes_nothing_more(
        self, ledger: Ledger, table: Any, now: Moment
    ) -> None:
        ledger.append(table.any_roll(), now)
        ledger.append(voided(2, "dropped the phone"), now)
        record = ledger.record(2)
        assert record is not None
        assert record.plain()["void"] == "dropped the phone"
        for entry in (voided(2, "again"), decided(2, {}, {}), revealed(2)):
            with pytest.raises(NotPossibleError, match="already marked"):
                ledger.append(entry, now)

    @pytest.mark.parametrize("seq", [1, 99])
    def test_what_points_at_no_roll_is_refused(self, ledger: Ledger, now: Moment, seq: int) -> None:
        for entry in (voided(seq, "why"), decided(seq, {}, {}), revealed(seq)):
            with pytest.raises(NotPossibleError, match=f"no roll {seq}"):
                ledger.append(entry, now)
        assert ledger.record(seq) is None


class TestDocuments:
    def test_the_table_changes_with_the_row_that_changed_it(
        self, ledger: Ledger, now: Moment
    ) -> None:
        state = {"glory": 3, "characters": []}
        row = ledger.append(changed({"act": "glory", "count": 3}), now, table=state).row
        assert row is not None
        assert ledger.document(TABLE) == state
        assert row.state == sha256_hex(canonical(state))

    def test_a_refused_row_leaves_the_table_as_it_was(self, ledger: Ledger, now: Moment) -> None:
        ledger.append(changed({"act": "glory"}), now, table={"glory": 3})
        with pytest.raises(NotPossibleError):
            ledger.append(voided(77, "no such roll"), now, table={"glory": 0})
        assert ledger.document(TABLE) == {"glory": 3}

    def test_the_last_dialled_request_survives(
        self, path: Path, requests: Any, now: Moment
    ) -> None:
        with Ledger.begin(path, now, "0.1") as ledger:
            assert ledger.document("dial") is None
            assert ledger.put("dial", requests[0])
            assert ledger.put("dial", requests[1])
        with Ledger.begin(path, now, "0.1") as ledger:
            assert ledger.document("dial") == requests[1]
            assert ledger.head().seq == 2


class TestHistory:
    def test_pages_go_back_from_the_newest(self, ledger: Ledger, table: Any, now: Moment) -> None:
        for _ in range(5):
            ledger.append(table.any_roll(), now)
        page = ledger.history(limit=3)
        assert [record.roll.seq for record in page.records] == [6, 5, 4]
        assert page.more
        page = ledger.history(before=4, limit=3)
        assert [record.roll.seq for record in page.records] == [3, 2]
        assert not page.more

    def test_pages_go_on_from_a_known_roll(self, ledger: Ledger, table: Any, now: Moment) -> None:
        for _ in range(5):
            ledger.append(table.any_roll(), now)
        page = ledger.history(after=3, limit=2)
        assert [record.roll.seq for record in page.records] == [4, 5]
        assert page.more

    def test_only_rolls_are_on_it(self, ledger: Ledger, table: Any) -> None:
        table.fill(ledger, 40)
        kinds = {record.roll.kind for record in ledger.history().records}
        assert kinds == {"roll"}

    @pytest.mark.parametrize("limit", [0, 101, -1])
    def test_a_limit_out_of_range_is_refused(self, ledger: Ledger, limit: int) -> None:
        with pytest.raises(NotPossibleError, match=f"limit is {limit}; allowed: 1–100"):
            ledger.history(limit=limit)

    def test_both_ends_at_once_are_refused(self, ledger: Ledger) -> None:
        with pytest.raises(NotPossibleError, match="not both"):
            ledger.history(before=1, after=1)


class TestReader:
    def test_it_reads_while_the_station_writes(
        self, ledger: Ledger, path: Path, table: Any, now: Moment
    ) -> None:
        with Reader.open(path) as reader:
            assert reader.history().records == ()
            ledger.append(table.any_roll(), now)
            assert len(reader.history().records) == 1

    def test_without_a_ledger_it_says_so_and_makes_none(self, path: Path) -> None:
        with pytest.raises(UnavailableError, match="no ledger to read") as caught:
            Reader.open(path)
        assert caught.value.fault.cause is Cause.NO_FOLDER
        assert not path.exists()


class TestClock:
    def test_without_a_clock_there_is_no_time(self, ledger: Ledger, table: Any) -> None:
        row = ledger.append(table.any_roll(), Moment(9)).row
        assert row is not None
        assert (row.time, row.uptime_ms) == (None, 9)

    def test_a_clock_set_back_is_told_until_it_has_caught_up(
        self, path: Path, table: Any, now: Moment
    ) -> None:
        back = Moment(1, "2025-12-31T10:00:00.000Z")
        with Ledger.begin(path, now, "0.1") as ledger:
            ledger.append(table.any_roll(), now)
        with Ledger.begin(path, back, "0.1") as ledger:
            assert ledger.condition.standing is Standing.DEGRADED
            assert "set back behind 2026-01-02T20:00:00.000Z" in ledger.condition.reason
            ledger.append(table.any_roll(), Moment(2, "2026-01-03T00:00:00.000Z"))
            assert ledger.condition.standing is Standing.OK

    def test_each_start_counts_up(self, path: Path, now: Moment) -> None:
        for boot in (1, 2, 3):
            with Ledger.begin(path, now, f"0.{boot}") as ledger:
                row = ledger.row(ledger.head().seq)
                assert row is not None
                assert (row.boot, row.document("detail")) == (boot, {"version": f"0.{boot}"})
