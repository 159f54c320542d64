"""The journal in its owner's hands: its state, all of it read out, the old of it deleted, off and on.

Nothing here runs unasked. What is deleted is overwritten, and the file written anew without it.
"""

from __future__ import annotations

import os
import time

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import experiments, journal_file, ledger, sqlite

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator

    from chalkgit.store.ledger import Value
    from chalkgit.store.place import Place

ON, OFF, ABSENT = "on", "off", "absent"
# Of the branches that `log` has seen, with the column of seconds that says when: no rows of the ledger.
BRANCHES = {"checkpoints": "at", "rewritten": "found"}
# What an experiment found stays, or the next one would be called the first, and have no A/A run behind it.
FOUND = ("experiments", "trials")
_RUNNING = "select id from experiments where ended is null"
# A loop that waits for its outcome, or may still go on: it would begin anew, and be drawn again.
_OF_TRIALS = (
    "loop in (select trials.loop from trials "
    f"where experiment in ({_RUNNING}) and (again is null or runs.at >= {{day}}))"
)


class State:
    """state: on, off or absent (nothing was kept yet). tables: rows of each that has some, None where that
    cannot be read. since: milliseconds since 1970 of the oldest row."""

    __slots__ = ("bytes", "path", "since", "state", "tables")

    def __init__(self, path: str, state: str, size: int) -> None:
        self.path = path
        self.state = state
        self.bytes = size
        self.tables: dict[str, int] | None = {}
        self.since: int | None = None


def state(place: Place) -> State:
    path, there = journal_file.path(place), journal_file.exists(place)
    now = OFF if ledger.is_off(place) else ON if there else ABSENT
    found = State(path, now, os.path.getsize(path) if there else 0)
    try:
        found.tables, found.since = _counted(place) if there else ({}, None)
    except ChalkError:
        found.tables = None
    return found


def _counted(place: Place) -> tuple[dict[str, int], int | None]:
    counts, oldest = {}, []
    database = _opened(place)
    try:
        names = _tables(database)
        for table in [name for name in ledger.TABLES if name in names]:
            count, since = database.execute(f"select count(*), min(at) from {table}").fetchone()
            if count:
                counts[table] = int(count)
            if isinstance(since, int):
                oldest.append(since)
    except sqlite.Error as error:
        raise _unreadable(place, error) from None
    finally:
        database.close()
    return counts, min(oldest, default=None)


def rows(place: Place, since: int = 0) -> Iterator[tuple[str, dict[str, Value]]]:
    """Every row not older than that (milliseconds since 1970), with its table's name; the oldest of a table
    first. ChalkError where the journal cannot be read."""
    for table, columns in ledger.TABLES.items():
        for row in ledger.read(place, table, list(columns), "at >= ?", (since,), all=True):
            yield table, dict(zip(columns, row, strict=True))
    if journal_file.exists(place):
        yield from _branches(place, since // 1000)


def _branches(place: Place, since: int) -> list[tuple[str, dict[str, Value]]]:
    database = _opened(place)
    try:
        found = []
        names = _tables(database)
        for table, when in BRANCHES.items():
            if table in names:
                cursor = database.execute(f"select * from {table} where {when} >= ? order by rowid", (since,))
                columns = [column[0] for column in cursor.description]
                found += [(table, dict(zip(columns, row, strict=True))) for row in cursor]
        return found
    except sqlite.Error as error:
        raise _unreadable(place, error) from None
    finally:
        database.close()


def prune(place: Place, *, before: int | None = None, keep: int | None = None) -> dict[str, int]:
    """Delete the rows that are older than a moment, or all but the newest so many of each table; how many
    each table lost. What experiments found stays, and the runs of loops in one that runs, while they may go
    on. ChalkError where that cannot be."""
    if not journal_file.exists(place):
        return {}
    database = _opened(place)
    try:
        database.execute("pragma secure_delete = on")
        database.execute("begin immediate")
        lost = {}
        names = _tables(database)
        day = time.time_ns() // 1_000_000 - thresholds.LOOP_SECONDS * 1000
        for table in [name for name in ledger.TABLES if name in names and name not in FOUND]:
            old = "at < ?" if keep is None else f"rowid <= (select max(rowid) from {table}) - ?"
            spared = _OF_TRIALS.format(day=day) if table == "runs" and names.issuperset(FOUND) else None
            where = f"{old} and not coalesce({spared}, 0)" if spared else old
            value = before if keep is None else keep
            count = database.execute(f"delete from {table} where {where}", (value,)).rowcount
            lost.update({table: count} if count > 0 else {})
        database.execute("commit")
        if lost:
            database.execute("vacuum")
        return lost
    except sqlite.Error as error:
        raise ChalkError(
            f"the journal cannot be written: {error}", where=journal_file.path(place), hint="chalkgit doctor"
        ) from None
    finally:
        database.close()


def switch(place: Place, *, on: bool) -> None:
    """Keep what is shown and asked from now on, or nothing. ChalkError where that cannot be written down, or
    where loops of an experiment cannot be told that nobody sees them from now on: it is off all the same."""
    folder = os.path.dirname(journal_file.path(place))
    mark = os.path.join(folder, ledger.OFF)
    if os.path.islink(folder):
        raise ChalkError("a symbolic link, which is not followed", where=folder)
    unseen = None
    try:
        if not on:
            unseen = _unseen(place)
            flags = os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            os.close(os.open(os.path.join(journal_file.made_folder(place), ledger.OFF), flags, 0o600))
        elif os.path.lexists(mark):
            os.unlink(mark)
    except OSError as error:
        raise ChalkError(f"cannot be written: {error.strerror}", where=mark) from None
    if unseen is not None:
        raise unseen


def _unseen(place: Place) -> ChalkError | None:
    try:
        experiments.unseen(place)
    except ChalkError as error:
        why = f"{error.message}; the journal is off, and what an experiment finds now cannot be trusted"
        return ChalkError(why, where=error.where, hint="chalkgit experiment stop")
    return None


def _opened(place: Place) -> sqlite.Connection:
    try:
        return journal_file.opened(place)
    except sqlite.Error as error:
        raise _unreadable(place, error) from None


def _unreadable(place: Place, error: Exception) -> ChalkError:
    return ChalkError(
        f"the journal cannot be read: {error}", where=journal_file.path(place), hint="chalkgit doctor"
    )


def _tables(database: sqlite.Connection) -> set[str]:
    return {row[0] for row in database.execute("select name from sqlite_master where type = 'table'")}
