"""The database's layout, and the way from every earlier one to it.

`PRAGMA user_version` holds the version; each step below leads from one to the next in a
transaction of its own, so that a power cut leaves one version or the other, whole.
"""

import json
import sqlite3
from collections.abc import Callable

from station.ledger import tally
from station.ledger.errors import Cause, UnavailableError, fault

APPLICATION_ID = 0x44494345
"""What marks a SQLite file as a ledger (``DICE``; sqlite.org/pragma.html#pragma_application_id)."""

_VERSION_1 = """
CREATE TABLE entry(
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  of INTEGER,
  time TEXT,
  boot INTEGER NOT NULL,
  uptime_ms INTEGER NOT NULL,
  request TEXT,
  faces TEXT,
  choices TEXT,
  source TEXT,
  outcome TEXT,
  state TEXT,
  detail TEXT NOT NULL,
  prev BLOB NOT NULL,
  hash BLOB NOT NULL
) STRICT;
CREATE INDEX entry_roll ON entry(seq) WHERE kind = 'roll';
CREATE INDEX entry_of ON entry(of) WHERE of IS NOT NULL;
CREATE INDEX entry_carried ON entry(seq) WHERE kind = 'carried';
CREATE INDEX entry_state ON entry(seq) WHERE state IS NOT NULL;
CREATE TRIGGER entry_no_update BEFORE UPDATE ON entry
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entry_no_delete BEFORE DELETE ON entry
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TABLE key(
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  asked TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY(scope, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE pending(first INTEGER PRIMARY KEY, latest INTEGER NOT NULL) STRICT;
CREATE TABLE document(name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID
"""


_VERSION_2 = """
CREATE TABLE tally(
  source TEXT PRIMARY KEY,
  ones INTEGER NOT NULL,
  twos INTEGER NOT NULL,
  threes INTEGER NOT NULL,
  fours INTEGER NOT NULL,
  fives INTEGER NOT NULL,
  sixes INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  products INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL
) STRICT, WITHOUT ROWID
"""

_DICE = (
    "SELECT seq, kind, of, faces, source FROM entry WHERE kind IN ('drawn', 'roll') ORDER BY seq"
)


def _statements(script: str) -> list[str]:
    """Return the statements of a script; a trigger's body keeps its semicolon."""
    statements: list[str] = []
    text = ""
    for part in script.split(";"):
        text += part + ";"
        if sqlite3.complete_statement(text):
            statements.append(text.strip())
            text = ""
    return statements


def _create(db: sqlite3.Connection) -> None:
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in _statements(_VERSION_1):
        db.execute(statement)


def _add_tally(db: sqlite3.Connection) -> None:
    """Count the faces of every row, which version 1 did not."""
    db.execute(_VERSION_2)
    tallies = tally.Tallies()
    fresh = tally.Fresh()
    for seq, kind, of, text, source in db.execute(_DICE):
        faces = json.loads(text)
        before = fresh.count_before(seq, kind, of, len(faces))
        if source is not None:
            tallies.add(source, faces[before:])
    for source, sums in tallies.sums().items():
        tally.write(db, source, sums)


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_create, _add_tally)
"""Step n leads from version n to version n + 1; an empty file has version 0."""

VERSION = len(MIGRATIONS)
"""The layout that this program reads and writes."""


def version(db: sqlite3.Connection) -> int:
    """Return the layout's version; 0 for an empty file.

    Raises:
        UnavailableError: the file is another program's, or from a newer version of this one.
    """
    found = int(db.execute("PRAGMA user_version").fetchone()[0])
    mark = db.execute("PRAGMA application_id").fetchone()[0]
    tables = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if tables and mark != APPLICATION_ID:
        raise UnavailableError(fault(Cause.NO_DATABASE, f"application_id is {mark}"))
    if found > VERSION:
        raise UnavailableError(fault(Cause.NEWER, f"layout {found}; this program knows {VERSION}"))
    return found


def check(db: sqlite3.Connection) -> None:
    """Raise UnavailableError unless the database has this program's layout."""
    if version(db) < VERSION:
        raise UnavailableError(fault(Cause.OLDER))


def migrate(db: sqlite3.Connection, upto: int = VERSION) -> None:
    """Bring a database to a version (this program's), one transaction a step."""
    while (found := version(db)) < upto:
        db.execute("BEGIN IMMEDIATE")
        try:
            MIGRATIONS[found](db)
            db.execute(f"PRAGMA user_version = {found + 1}")
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
