"""``dice-station history|show|verify|fairness|export|report``: reading the ledger in a shell."""

import argparse
import json
import sys
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Any

from rules.engine import resolve
from rules.errors import RulesError
from rules.model import Outcome, Request, RuleSystem
from rules.registry import DEFAULT
from station.cli.console import complain, say, width
from station.cli.parser import UsageError
from station.cli.verdict import verdict
from station.durable import write
from station.ledger.errors import UnavailableError
from station.ledger.export import Form, exported
from station.ledger.fairness import Fairness
from station.ledger.faults import DATABASE
from station.ledger.reader import MOST_ROLLS, Head, Reader, Record
from station.ledger.report import report
from station.ledger.rows import HASH_BYTES
from station.ledger.verify import verify
from station.paths import state_folder

BAD_LEDGER = 1
"""Exit status where the ledger is not there, not readable, or not good."""

BAR = 30
"""Columns of the progress bar and of the longest bar of faces."""

MOST_NUMBER = 2**53
"""The highest number that is looked for: no ledger gets there, and JSON holds it exactly."""

_Run = Callable[[argparse.Namespace], int]


def add_parser(subparsers: Any) -> None:
    """Add all commands that read the ledger to those of the program."""
    history = _command(subparsers, "history", _history, "List the last rolls, newest first.")
    history.add_argument("count", type=_count, nargs="?", default=10, help="how many rolls, 1-100")
    ends = history.add_mutually_exclusive_group()
    ends.add_argument("--before", type=_number, metavar="N", help="only rolls before number N")
    ends.add_argument(
        "--after", type=_number, metavar="N", help="from number N onwards, oldest first"
    )
    _add_uncover(history)
    show = _command(subparsers, "show", _show, "Tell all about one roll.")
    show.add_argument("seq", type=_number, metavar="N", help="the roll's number")
    _add_uncover(show)
    check = _command(
        subparsers,
        "verify",
        _verify,
        "Check the chain of all rows, and every outcome again from its request and faces.",
    )
    check.add_argument(
        "--since",
        type=_head,
        metavar="SEQ:HASH",
        help="go on from a head that an earlier check has told, which is to be still there",
    )
    fairness = _command(subparsers, "fairness", _fairness, "Say how evenly the faces fell.")
    fairness.add_argument("--source", help="only the dice of one entropy source")
    export = _command(subparsers, "export", _export, "Write the ledger for other programs.")
    export.add_argument("file", type=Path, nargs="?", help="where to; standard output without it")
    export.add_argument("--form", type=Form, choices=list(Form), help="instead of FILE's ending")
    page = _command(subparsers, "report", _report, "Write one page with plots, to open offline.")
    page.add_argument("file", type=Path, help="the HTML file to write")


def _command(subparsers: Any, name: str, run: _Run, description: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(name, description=description)
    parser.add_argument(
        "--state",
        type=Path,
        metavar="DIR",
        help="the folder with the ledger (the station's own by default)",
    )
    if name not in ("export", "report"):
        parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_guarded(run))
    return parser


def _add_uncover(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--uncover", action="store_true", help="show hidden rolls too")


def _guarded(run: _Run) -> _Run:
    """Return a command that tells in one sentence when there is no ledger to read."""

    @wraps(run)
    def guarded(args: argparse.Namespace) -> int:
        try:
            return run(args)
        except UnavailableError as error:
            told = f" ({error.fault.detail})" if error.fault.detail else ""
            complain(f"{_database(args)}: {error.fault.to_reader}{told}")
            return BAD_LEDGER

    return guarded


def _database(args: argparse.Namespace) -> Path:
    folder: Path = args.state or state_folder()
    return folder / DATABASE


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_ROLLS:
        raise argparse.ArgumentTypeError(f"{text} is no whole number 1-{MOST_ROLLS}")
    return int(text)


def _number(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = MOST_NUMBER + 1
    if abs(number) > MOST_NUMBER:
        raise argparse.ArgumentTypeError(f"{text} is no row's number")
    return number


def _head(text: str) -> Head:
    seq, _, digest = text.partition(":")
    try:
        found = Head(int(seq), bytes.fromhex(digest))
    except ValueError:
        found = Head(0, b"")
    if found.seq < 1 or len(found.hash) != HASH_BYTES:
        raise argparse.ArgumentTypeError(f"{text} is no head as verify tells it, SEQ:HASH")
    return found


def _history(args: argparse.Namespace) -> int:
    with Reader.open(_database(args)) as reader:
        page = reader.history(args.before, args.after, args.count)
    if args.json:
        rolls = [_told(record, args) for record in page.records]
        say(json.dumps({"rolls": rolls, "more": page.more}))
    elif page.records:
        say(*(_line(record, args) for record in page.records))
    else:
        say("no rolls")
    return 0


def _show(args: argparse.Namespace) -> int:
    with Reader.open(_database(args)) as reader:
        record = reader.record(args.seq)
    if record is None:
        raise UsageError(f"there is no roll {args.seq}")
    if args.json:
        say(json.dumps(_told(record, args)))
        return 0
    say(*_lines(record, args))
    return 0


def _told(record: Record, args: argparse.Namespace) -> dict[str, Any]:
    return record.plain() if args.uncover else record.covered()


def _line(record: Record, args: argparse.Namespace) -> str:
    """Return a roll in one line: number, time, who, what was asked, how it came out."""
    request: dict[str, Any] = record.roll.document("request")
    who = f"{request['name']}  " if request.get("name") else ""
    hidden = record.hidden and not args.uncover
    told = "hidden" if hidden else str(record.outcome["explanation"])
    void = "" if record.void is None else "  (does not count)"
    test = "  (a test)" if record.foretold else ""
    return f"#{record.roll.seq}  {_when(record)}  {who}{told}{void}{test}"


def _when(record: Record) -> str:
    """Return a roll's time as the clock on the wall showed it, to the minute."""
    if record.roll.time is None:
        return "no clock"
    told = datetime.fromisoformat(record.roll.time).astimezone()
    return told.strftime("%Y-%m-%d %H:%M")


def _lines(record: Record, args: argparse.Namespace) -> list[str]:
    """Return all about a roll: the verdict as it was shown, and how it was recorded."""
    detail = record.roll.document("detail")
    hidden = record.hidden and not args.uncover
    lines = [f"#{record.roll.seq}  {_when(record)}"]
    lines += ["hidden until someone reveals it at the station"] if hidden else _verdict(record)
    lines += [f"note: {detail['note']}"] if "note" in detail else []
    lines += ["a test: its faces could be foretold"] if record.foretold else []
    lines += [f"decided in row {row.seq}" for row in record.decisions]
    if record.void is not None:
        lines.append(f"does not count: {record.void.document('detail')['reason']}")
    lines.append(f"source {record.roll.source or 'none (no dice)'}, hash {record.roll.hash.hex()}")
    return lines


def _verdict(record: Record) -> list[str]:
    try:
        system, request, outcome = _resolved(record)
    except RulesError:
        # The rules have changed since; what was recorded then still stands.
        return [str(record.outcome.get("explanation"))]
    return verdict(system, request, outcome, width())


def _resolved(record: Record) -> tuple[RuleSystem, Request, Outcome]:
    request = DEFAULT.request(record.roll.document("request"))
    system = DEFAULT.of(request)
    return system, request, resolve(system, request, record.roll.pips, record.choices)


def _verify(args: argparse.Namespace) -> int:
    shown = sys.stderr.isatty() and not args.json
    found = verify(_database(args), args.since, _bar if shown else lambda _done, _of: None)
    if shown:
        sys.stderr.write("\r\x1b[K")
    if args.json:
        say(json.dumps(found.plain()))
    elif found.problem is None:
        say(f"good: {found.rows} rows, {found.rolls} of them rolls", f"head {found.head}")
    else:
        say(f"NOT GOOD: {found.problem}", f"good up to {found.head}")
    return 0 if found.problem is None else BAD_LEDGER


def _bar(done: int, of: int) -> None:
    filled = BAR * done // max(1, of)
    percent = 100 * done // max(1, of)
    sys.stderr.write(f"\r[{'#' * filled}{'.' * (BAR - filled)}] {percent:3d} % of {of} rows")
    sys.stderr.flush()


def _fairness(args: argparse.Namespace) -> int:
    with Reader.open(_database(args)) as reader:
        found = reader.fairness_all()
    if args.source is not None:
        known = [each.source for each in found if each.source]
        found = tuple(each for each in found if each.source == args.source)
        if not found:
            raise UsageError(
                f"no dice came from {args.source}; sources: {', '.join(known) or 'none yet'}"
            )
    if args.json:
        say(json.dumps([each.plain() for each in found]))
    else:
        say("\n\n".join("\n".join(_finding(each)) for each in found))
    return 0


def _finding(found: Fairness) -> list[str]:
    most = max(1, *found.counts)
    lines = [f"{found.source or 'all that the station drew'}: {found.dice} dice"]
    for face, count in enumerate(found.counts, 1):
        share = f"{100 * count / found.dice:.1f} %" if found.dice else "-"
        lines.append(f"  {face}  {count:>8}  {share:>6}  {'#' * (BAR * count // most)}".rstrip())
    lines.append(f"  chi-square {found.chi_square:.2f} on 5 degrees of freedom, p = {found.p:.3g}")
    for name, opinion in (("runs", found.runs), ("serial correlation", found.serial)):
        if opinion is not None:
            lines.append(f"  {name} {opinion.value:.4g}, z = {opinion.z:.2f}, p = {opinion.p:.3g}")
    return [*lines, f"  {found.words}"]


def _export(args: argparse.Namespace) -> int:
    form: Form = args.form or _form_of(args.file)
    with Reader.open(_database(args)) as reader:
        if args.file is None:
            sys.stdout.buffer.writelines(line.encode() for line in exported(reader, form))
        else:
            write(args.file, exported(reader, form))
    return 0


def _form_of(file: Path | None) -> Form:
    ending = "jsonl" if file is None else file.suffix.removeprefix(".")
    if ending not in list(Form):
        raise UsageError(f"{file} ends in neither .csv nor .jsonl; say which with --form")
    return Form(ending)


def _report(args: argparse.Namespace) -> int:
    with Reader.open(_database(args)) as reader:
        write(args.file, [report(reader)])
    say(f"written to {args.file}")
    return 0
