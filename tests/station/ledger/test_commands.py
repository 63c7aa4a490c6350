"""The ledger in a shell: what each command prints, and its exit status."""

import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from station.cli.parser import Parser, UsageError, arguments
from station.ledger import Moment, open_ledger, voided
from station.ledger.commands import add_parser
from station.ledger.errors import Cause, fault
from station.ledger.faults import DATABASE
from station.ledger.rows import COLUMNS, HASHED, link
from station.ledger.tally import HAND_ROLLED

Run = Callable[..., int]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def run(folder: Path) -> Run:
    """Carry out a command on the test's ledger and return the exit status."""

    def run(*words: str) -> int:
        parser = Parser(prog="dice-station")
        add_parser(parser.add_subparsers(required=True))
        args = arguments(parser, [*words, "--state", str(folder)])
        status: int = args.run(args)
        return status

    return run


@pytest.fixture
def evening(folder: Path, table: Any) -> None:
    """A ledger with rows of every kind."""
    with closing(open_ledger(folder, Moment(1, "2026-01-01T19:00:00.000Z"), "0.1")) as opened:
        table.fill(opened.ledger, 60)


@pytest.fixture
def corner(folder: Path, table: Any, requests: Any) -> None:
    """A ledger with a noted roll, a hidden one, a void one, one by hand, one without a clock."""
    now = Moment(1, "2026-01-02T20:00:00.000Z")
    with closing(open_ledger(folder, now, "0.1")) as opened:
        ledger = opened.ledger
        faces = (2, 5, 1, 6, 3)
        ledger.append(table.roll(requests[0], faces=faces, note="=HYPERLINK(1)"), now)
        ledger.append(table.roll(requests[0], faces=faces, hidden=True), now)
        ledger.append(table.roll({**requests[0], "name": "Bran"}, faces=faces), Moment(2))
        ledger.append(voided(4, "wrong dice"), now)
        ledger.append(table.roll(requests[0], faces=faces, source=HAND_ROLLED), now)


@pytest.mark.usefixtures("corner")
class TestHistory:
    def test_it_lists_rolls_newest_first_and_covers_hidden_ones(
        self, run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TZ", "UTC")
        assert run("history") == 0
        told = "6+5+3 = 14 vs Challenging 9: margin +5, Great Success"
        assert capsys.readouterr().out.splitlines() == [
            f"#6  2026-01-02 20:00  {told}",
            f"#4  no clock  Bran  {told}  (does not count)",
            "#3  2026-01-02 20:00  hidden",
            f"#2  2026-01-02 20:00  {told}",
        ]

    def test_as_json_it_is_what_the_protocol_says(
        self, run: Run, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run("history", "2", "--before", "4", "--json") == 0
        told = json.loads(capsys.readouterr().out)
        assert told["more"] is False
        hidden, first = told["rolls"]
        assert (hidden["seq"], hidden["outcome"], hidden["faces"]) == (3, None, None)
        assert (first["seq"], first["outcome"]["total"], first["faces"][0]) == (2, 14, 2)
        assert run("history", "1", "--before", "4", "--json", "--uncover") == 0
        assert json.loads(capsys.readouterr().out)["rolls"][0]["outcome"]["total"] == 14

    def test_from_a_number_onwards_it_goes_forward(
        self, run: Run, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run("history", "2", "--after", "2", "--json") == 0
        told = json.loads(capsys.readouterr().out)
        assert ([roll["seq"] for roll in told["rolls"]], told["more"]) == ([3, 4], True)

    @pytest.mark.parametrize("count", ["0", "101", "x", "-3"])
    def test_a_count_out_of_range_is_refused_in_one_sentence(self, run: Run, count: str) -> None:
        with pytest.raises(UsageError, match=r"count|argument|option"):
            run("history", count)


@pytest.mark.usefixtures("corner")
class TestShow:
    def test_it_tells_the_verdict_and_how_it_was_recorded(
        self, run: Run, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run("show", "4") == 0
        told = capsys.readouterr().out
        assert "#4  no clock" in told
        assert "6+5+3 = 14" in told
        assert "does not count: wrong dice" in told
        assert "source urandom, hash " in told

    def test_a_hidden_roll_stays_covered_unless_uncovered(
        self, run: Run, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run("show", "3") == 0
        assert "6+5+3" not in capsys.readouterr().out
        assert run("show", "3", "--json") == 0
        assert json.loads(capsys.readouterr().out)["faces"] is None
        assert run("show", "3", "--uncover") == 0
        assert "6+5+3" in capsys.readouterr().out

    @pytest.mark.parametrize("seq", ["1", "5", "99"])
    def test_a_number_that_is_no_roll_is_refused(self, run: Run, seq: str) -> None:
        with pytest.raises(UsageError, match=f"there is no roll {seq}"):
            run("show", seq)

    @pytest.mark.parametrize("number", ["x", "3.0", "9" * 23])
    @pytest.mark.parametrize("words", [("show",), ("history", "--before"), ("history", "--after")])
    def test_what_can_be_no_number_is_refused(
        self, run: Run, words: tuple[str, ...], number: str
    ) -> None:
        with pytest.raises(UsageError, match=f"{number} is no row's number"):
            run(*words, number)


@pytest.mark.usefixtures("evening")
class TestVerify:
    def test_a_good_ledger(self, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
        assert run("verify") == 0
        good, head = capsys.readouterr().out.splitlines()
        assert good.startswith("good: ")
        assert run("verify", "--since", head.removeprefix("head ")) == 0
        assert capsys.readouterr().out.startswith("good: 0 rows, 0 of them rolls")

    def test_a_bad_one_is_status_1_and_names_the_row(
        self, run: Run, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        tamper(folder)
        assert run("verify") == 1
        told = capsys.readouterr().out
        assert told.startswith("NOT GOOD: row 7: its contents and its hash differ\ngood up to 6:")
        assert run("verify", "--json") == 1
        plain = json.loads(capsys.readouterr().out)
        assert plain["good"] is False
        assert plain["problem"]["seq"] == 7

    @pytest.mark.parametrize("head", ["7", "x:y", "7:abc", "0:" + "00" * 32])
    def test_a_head_that_is_none_is_refused(self, run: Run, head: str) -> None:
        with pytest.raises(UsageError, match="is no head"):
            run("verify", "--since", head)

    def test_on_a_terminal_it_shows_how_far_it_is(
        self, run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
        assert run("verify") == 0
        assert "] 100 % of " in capsys.readouterr().err


def tamper(folder: Path) -> None:
    with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as db:
        db.execute("DROP TRIGGER entry_no_update")
        db.execute("UPDATE entry SET time = NULL WHERE seq = 7")


@pytest.mark.usefixtures("corner")
class TestFairness:
    def test_each_source_is_told(self, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
        assert run("fairness") == 0
        told = capsys.readouterr().out
        assert "all that the station drew: 15 dice" in told
        assert "table: 5 dice\n" in told
        assert "15 dice are too few to tell" in told

    def test_one_source_alone_as_json(self, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
        assert run("fairness", "--source", "urandom", "--json") == 0
        (told,) = json.loads(capsys.readouterr().out)
        assert (told["source"], told["counts"]) == ("urandom", [3, 3, 3, 0, 3, 3])

    def test_a_source_that_gave_no_dice_is_refused(self, run: Run) -> None:
        with pytest.raises(UsageError, match="no dice came from hwrng; sources: table, urandom"):
            run("fairness", "--source", "hwrng")


class TestExport:
    @pytest.mark.usefixtures("evening")
    def test_json_lines_hold_every_row_well_enough_to_check_the_chain(
        self, run: Run, tmp_path: Path
    ) -> None:
        file = tmp_path / "all.jsonl"
        assert run("export", str(file)) == 0
        prev = bytes(32)
        lines = [json.loads(line) for line in file.read_text(encoding="ascii").splitlines()]
        for told in lines:
            columns = [text(told[name]) for name in COLUMNS[:HASHED]]
            assert told["prev"] == prev.hex()
            prev = link(prev, columns)
            assert told["hash"] == prev.hex()
        assert len(lines) > 60

    @pytest.mark.usefixtures("corner")
    def test_csv_holds_every_roll_and_nothing_a_spreadsheet_would_run(
        self, run: Run, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        assert run("export", "--form", "csv") == 0
        rows = list(csv.DictReader(io.StringIO(capsysbinary.readouterr().out.decode())))
        assert [row["seq"] for row in rows] == ["2", "3", "4", "6"]
        assert rows[0]["note"] == "'=HYPERLINK(1)"
        assert rows[0]["faces"] == "2 5 1 6 3"
        assert rows[2]["void"] == "wrong dice"
        assert json.loads(rows[3]["outcome"])["total"] == 14

    @pytest.mark.usefixtures("corner")
    def test_a_file_of_unknown_form_is_refused_and_not_made(self, run: Run, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"ends in neither \.csv nor \.jsonl"):
            run("export", str(tmp_path / "rolls.xls"))
        assert not (tmp_path / "rolls.xls").exists()


def text(value: object) -> Any:
    return (
        json.dumps(value, sort_keys=True, separators=(",", ":"))
        if isinstance(value, dict | list)
        else value
    )


class TestReport:
    @pytest.fixture
    def page(self, run: Run, tmp_path: Path) -> str:
        file = tmp_path / "report.html"
        assert run("report", str(file)) == 0
        return file.read_text(encoding="utf-8")

    @pytest.mark.usefixtures("evening")
    def test_it_shows_faces_totals_degrees_sources_and_evenings(self, page: str) -> None:
        for heading in (
            "Faces",
            "What was reached, against the odds of what was asked",
            "Degrees of success",
            "Evening by evening",
        ):
            assert f"<h2>{heading}</h2>" in page
        for system in ("Seven Kingdoms", "Wrath &amp; Glory", "Opposed Attribute"):
            assert f"<h3>{system}</h3>" in page
        assert page.count('<svg viewBox="0 0 720') == 6

    @pytest.mark.usefixtures("evening")
    def test_it_fetches_nothing_and_runs_nothing(self, page: str) -> None:
        for sign in ("http:", "https:", "//", "<script", "url(", "@import", " src=", "onload"):
            assert sign not in page.replace("<!doctype html>", "")

    @pytest.mark.usefixtures("corner")
    def test_sources_stand_apart_where_there_are_several(self, page: str) -> None:
        assert "<h2>Faces by source</h2>" in page
        assert "<h3>table</h3>" in page

    def test_a_few_rolls_are_said_to_tell_nothing(
        self, run: Run, folder: Path, tmp_path: Path, table: Any, requests: Any
    ) -> None:
        with closing(open_ledger(folder, Moment(1), "0.1")) as opened:
            for number in (0, 2, 2):
                opened.ledger.append(table.roll(requests[number]), Moment(1))
        file = tmp_path / "report.html"
        assert run("report", str(file)) == 0
        told = file.read_text(encoding="utf-8")
        assert "<figcaption>1 roll, counted by what they reached; too few to tell.<" in told
        assert "<figcaption>2 rolls, counted by what they reached; too few to tell.<" in told

    def test_names_of_sources_can_not_break_the_page(
        self, run: Run, folder: Path, tmp_path: Path, table: Any, requests: Any
    ) -> None:
        with closing(open_ledger(folder, Moment(1), "0.1")) as opened:
            roll = table.roll(requests[0], faces=(1, 2, 3, 4, 5), source="<b>&")
            opened.ledger.append(roll, Moment(1))
            opened.ledger.append(table.roll(requests[0], source=HAND_ROLLED), Moment(1))
        file = tmp_path / "report.html"
        assert run("report", str(file)) == 0
        assert "<b>" not in file.read_text(encoding="utf-8")

    def test_an_empty_ledger_makes_a_page_too(self, run: Run, folder: Path, tmp_path: Path) -> None:
        open_ledger(folder, Moment(1), "0.1").close()
        file = tmp_path / "report.html"
        assert run("report", str(file)) == 0
        assert "No rolls yet." in file.read_text(encoding="utf-8")

    @pytest.mark.usefixtures("evening")
    @pytest.mark.skipif(shutil.which("chromium") is None, reason="Debian's chromium is not there")
    @pytest.mark.timeout(120)
    def test_a_browser_opens_it_offline_without_a_word(self, page: str, tmp_path: Path) -> None:
        (tmp_path / "page.html").write_text(page, encoding="utf-8")
        net = tmp_path / "net.json"
        command = [
            "chromium",
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--enable-logging=stderr",
            f"--log-net-log={net}",
            f"--screenshot={tmp_path / 'page.png'}",
            (tmp_path / "page.html").as_uri(),
        ]
        done = subprocess.run(  # noqa: S603 - our own command
            command, capture_output=True, text=True, timeout=100, check=False, env=dict(os.environ)
        )
        assert (tmp_path / "page.png").stat().st_size > 10_000
        assert "CONSOLE" not in done.stderr
        events = json.loads(net.read_text(encoding="utf-8"))["events"]
        # What the browser asks for on its own account has no origin for its initiator.
        asked = [
            told["url"]
            for told in (event.get("params", {}) for event in events)
            if told.get("initiator", "not an origin") != "not an origin"
        ]
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def test_without_a_ledger_each_command_says_so(
    run: Run, folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for words in (
        ["history"],
        ["show", "1"],
        ["verify"],
        ["fairness"],
        ["export"],
        ["report", str(tmp_path / "report.html")],
    ):
        assert run(*words) == 1
        assert f"{folder / DATABASE}: there is no ledger to read here" in capsys.readouterr().err


def test_a_reader_is_told_nothing_of_rolls_nor_in_the_system_s_own_words(
    run: Run, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("verify") == 1
    missing = capsys.readouterr().err
    assert "there is no ledger to read here (No such file or directory)" in missing
    open_ledger(folder, Moment(1), "0.1").close()
    with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        for command in ("verify", "history"):
            assert run(command) == 1
            locked = capsys.readouterr().err
            assert "another program has locked the ledger; try again once it is done" in locked
            assert "rolls" not in locked
    assert "Errno" not in missing


@pytest.mark.parametrize("cause", list(Cause))
def test_no_fault_tells_a_reader_of_rolls(cause: Cause) -> None:
    assert "roll" not in fault(cause).to_reader
