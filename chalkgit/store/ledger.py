"""The journal's tables: what is written in one transaction, and read as rows. Local, private, and no record.

    ledger.add(place, {"asked": [{"at": now, "kind": "check", "verdict": "clear"}]})
    ledger.read(place, "asked", ("at", "verdict"), "at >= ?", (since,))

A column that a journal of an earlier version lacks is added; a table of another shape is begun again. A
journal that is damaged is put aside, and one that takes no writes costs what was to be kept, never an answer.
"""

from __future__ import annotations

import os

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import journal_file, sqlite

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chalkgit.store.place import Place

    Value = str | int | float | None
    Rows = Mapping[str, Sequence[Mapping[str, Value]]]

OFF = "off"  # a file of this name beside the journal: nothing is kept

# Times are milliseconds since 1970, lists are JSON, yes and no are 1 and 0, and what is not known is null.
TABLES: dict[str, dict[str, str]] = {
    # one question that was put, by a person, a hook, an editor or an agent, and what it came to
    "asked": {
        "id": "text",  # of this row, for those that point to it
        "at": "integer",
        "kind": "text",  # check, at, recall, or rulings: shown unasked by a hook, an editor or an agent
        "surface": "text",  # check, at, recall, detain, commit, message, save, lsp, watch, agent, pytest
        "session": "text",
        "root": "text",  # of the work tree
        "verdict": "text",  # of check; of a recall the ladder's first step
        "shown": "integer",  # how many records reached the reader
        "bytes": "integer",  # of what reached the reader
        "ms": "integer",  # as people felt it: from the process's start, where that is known
        "bypassed": "text",  # the faculties that were switched off, with commas between
        "run": "text",  # a recall's: the failed run it was about
    },
    "shown": {
        "session": "text",
        "path": "text",
        "id": "text",
        "hash": "text",
        "surface": "text",
        "at": "integer",
        "bytes": "integer",
        "asked": "text",
    },
    "runs": {
        "at": "integer",
        "surface": "text",
        "root": "text",
        "ticket": "text",
        "fingerprint": "text",
        "error": "text",
        "tests": "text",
        "tree": "text",
        "code": "integer",
        "digest": "text",
        "run": "text",  # its id
        "loop": "text",  # the id of the first run of its loop
        "failing": "integer",  # how many tests failed; 0 for a run that passed, null where nobody can tell
        "found": "integer",  # lessons that were found for it
        "given": "integer",  # lessons that reached the reader
        "bytes": "integer",  # of these
    },
    # a loop that takes part in an experiment: what its first failed run with lessons was given, and what then
    "trials": {
        "at": "integer",
        "experiment": "text",
        "digest": "text",  # of the manifest it ran under
        "loop": "text",
        "run": "text",
        "arm": "text",  # with or without; in an A/A run a or b
        "found": "integer",
        "given": "integer",
        "bytes": "integer",
        "again": "integer",  # when the next run of the loop came; null while there was none
        "gone": "integer",  # whether that run did not fail in the same way
        "fewer": "integer",  # whether fewer tests failed
        "changed": "integer",  # whether the work tree had changed
        "failing": "integer",
        "spoilt": "text",  # why nothing follows from it: leaked, ended or off (`experiments.Trial`)
    },
    # what a person said of a record that was shown
    "feedback": {
        "at": "integer",
        "id": "text",
        "hash": "text",
        "word": "text",  # wrong or useful
        "who": "text",
        "surface": "text",  # where it was shown last; null where it was not
        "because": "text",  # in their words
    },
    # what a decider answered about one record; a request that came to nothing is one row with `trouble`
    "decided": {
        "at": "integer",
        "request": "text",
        "purpose": "text",  # recall or check
        "url": "text",
        "model": "text",
        "revision": "text",
        "mode": "text",
        "id": "text",
        "hash": "text",  # of what it was told of the record
        "probability": "real",
        "chosen": "integer",
        "ms": "integer",
        "trouble": "text",
        "judged": "integer",  # 1 where people found the answer right, 0 where wrong
        "run": "text",
        "question": "text",  # of what it was asked about: the failure's fingerprint, or a digest
        "votes": "text",  # who said that the record applies there (1), and who that it does not (0)
    },
    "experiments": {
        "id": "text",
        "at": "integer",
        "manifest": "text",
        "digest": "text",
        "ended": "integer",
        "why": "text",
    },
}
_INDEXES = {
    "shown": ("create index if not exists shown_to on shown (session, path)",),
    "feedback": ("create index if not exists feedback_of on feedback (id)",),
    "trials": ("create index if not exists trials_of on trials (loop)",),
}
_AS = {  # a value that is of its column's kind, else null
    "text": "case typeof({0}) when 'text' then {0} end",
    "integer": "case typeof({0}) when 'integer' then {0} end",
    "real": "case when typeof({0}) in ('real', 'integer') then cast({0} as real) end",
}
_LATE = ("trials",)  # whose index an earlier version did not have; no hook writes them
BOUNDS = {
    "asked": thresholds.JOURNAL_ROWS,
    "shown": thresholds.JOURNAL_ROWS,
    "runs": thresholds.RUNS_ROWS,
    "trials": thresholds.JOURNAL_ROWS,
    "feedback": thresholds.JOURNAL_ROWS,
    "decided": thresholds.JOURNAL_ROWS,
    "experiments": thresholds.RUNS_ROWS,
}


def new_id() -> str:
    return os.urandom(8).hex()


def is_off(place: Place) -> bool:
    """Whether the user has switched it off for this repository."""
    return os.path.lexists(os.path.join(os.path.dirname(journal_file.path(place)), OFF))


def add(place: Place, rows: Rows) -> str | None:
    """Keep these rows, all or none; why not, where that could not be. None too where it is switched off."""
    wanted = {table: list(found) for table, found in rows.items() if found}
    if not wanted or is_off(place):
        return None
    try:
        return _write(place, wanted)
    except sqlite.OperationalError as error:  # a full disk, another process writing for long
        return str(error)
    except sqlite.DatabaseError:
        return _begin_again(place, wanted)
    except (OSError, OverflowError, UnicodeEncodeError) as error:
        return getattr(error, "strerror", None) or str(error)


def most(table: str) -> int:
    """How many rows a reader gets: all that are kept between two sweeps, whatever somebody put there."""
    return BOUNDS[table] + thresholds.JOURNAL_SWEEP


def read(
    place: Place,
    table: str,
    columns: Sequence[str],
    where: str = "1",
    values: Sequence[Value] = (),
    *,
    all: bool = False,
) -> list[tuple[Value, ...]]:
    """The rows, oldest first; [] where none were ever kept. ChalkError where the journal cannot be read.

    Of more than the journal keeps the newest, but for `all`. A value that is not of its column's kind is
    None: whoever can write the file can put anything there.
    """
    if not journal_file.exists(place):
        return []
    try:
        database = journal_file.opened(place, reading=True)
        try:
            there = {row[1] for row in database.execute(f"pragma table_info({table})")}
            if not there:
                return []
            kinds = TABLES[table]
            asked = ", ".join(_AS[kinds[c]].format(c) if c in there else "null" for c in columns)
            newest = f"order by rowid desc limit {-1 if all else most(table)}"
            rows = database.execute(f"select {asked} from {table} where {where} {newest}", values).fetchall()
            return rows[::-1]
        finally:
            database.close()
    except (sqlite.Error, OSError, UnicodeEncodeError) as error:
        journal_file.waited(place, error)
        raise _refused(place, f"the journal cannot be read: {error}") from None


def change(place: Place, statement: str, values: Sequence[Value] = (), grown: str | None = None) -> int:
    """Run one statement on the tables; how many rows it changed. ChalkError where that cannot be.

    grown: a table that gets the columns which an earlier version did not have, first.
    """
    if not journal_file.exists(place):
        return 0
    try:
        database = journal_file.opened(place)
        try:
            if grown is not None:
                _ready(database, grown)
            return max(database.execute(statement, values).rowcount, 0)
        finally:
            database.close()
    except (sqlite.Error, OSError, UnicodeEncodeError) as error:
        raise _refused(place, f"the journal cannot be written: {error}") from None


def _refused(place: Place, why: str) -> ChalkError:
    return ChalkError(why, where=journal_file.path(place), hint=journal_file.way_out(place))


def _write(place: Place, rows: Rows) -> str | None:
    if not journal_file.exists(place):
        refused = journal_file.made(place)
        if refused is not None:
            return refused
    database = journal_file.opened(place)
    try:
        database.execute("begin immediate")
        for table, found in rows.items():
            _ready(database, table)
            columns = list(TABLES[table])
            marks = ", ".join("?" * len(columns))
            names = ", ".join(columns)
            values = [tuple(map(_text, map(row.get, columns))) for row in found]
            database.executemany(f"insert into {table} ({names}) values ({marks})", values)
            (last,) = database.execute(f"select max(rowid) from {table}").fetchone()
            if last % thresholds.JOURNAL_SWEEP < len(found):
                database.execute(f"delete from {table} where rowid <= ?", (last - BOUNDS[table],))
        database.execute("commit")
    finally:
        database.close()
    return None


def _ready(database: sqlite.Connection, table: str) -> None:
    """Make the table, or give it the columns that an earlier version did not have."""
    wanted = TABLES[table]
    there = [row[1] for row in database.execute(f"pragma table_info({table})")]
    if there and not _grown(there, wanted):
        database.execute(f"drop table {table}")  # of another shape: it may be lost
        there = []
    if not there:
        columns = ", ".join(f"{name} {kind}" for name, kind in wanted.items())
        database.execute(f"create table {table} ({columns})")
    if not there or table in _LATE:
        for statement in _INDEXES.get(table, ()):
            database.execute(statement)
    for name in list(wanted)[len(there) :] if there else ():
        database.execute(f"alter table {table} add column {name} {wanted[name]}")


def _grown(there: Sequence[str], wanted: Mapping[str, str]) -> bool:
    """Whether a table is what an earlier version made: the first of our columns, in our order."""
    return list(wanted)[: len(there)] == list(there)


def _begin_again(place: Place, rows: Rows) -> str | None:
    """A damaged journal is put aside, for whoever wants to look, and a new one begun."""
    try:
        journal_file.put_aside(place)
        return _write(place, rows)
    except (sqlite.Error, OSError) as error:
        return getattr(error, "strerror", None) or str(error)


def _text(value: Value) -> Value:
    """What SQLite can hold: UTF-8."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
