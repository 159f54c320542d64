"""How far back the journal goes, as readers get it: its oldest row, and what no reader gets. Nothing is read.

A table that cannot be looked at costs itself; why is said.
"""

from __future__ import annotations

from chalkgit.store import journal_file, ledger, sqlite

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.place import Place

_SOUND = "typeof(at) = 'integer' and at > 0 and at <= ?"


class Extent:
    """begins: the oldest time of a row, milliseconds since 1970; None where there is none. strange: rows
    whose time cannot be. beyond: older rows than the journal keeps, which no reader gets. trouble: the last
    one."""

    __slots__ = ("begins", "beyond", "strange", "trouble")

    def __init__(self) -> None:
        self.begins: int | None = None
        self.strange = 0
        self.beyond = 0
        self.trouble: str | None = None


def extent(place: Place, latest: int) -> Extent:
    """latest: the last moment that a row may be of."""
    found = Extent()
    if not journal_file.exists(place):
        return found
    try:
        database = journal_file.opened(place, reading=True)
    except (sqlite.Error, OSError) as error:
        found.trouble = _unreadable(error)
        return found
    try:
        for table in ledger.TABLES:
            try:
                _look(database, table, latest, found)
            except sqlite.Error as error:
                journal_file.waited(place, error)
                found.trouble = _unreadable(error)
                if "locked" in str(error):
                    break  # nor are the others to be had, and each would be waited for
    finally:
        database.close()
    return found


def _look(database: sqlite.Connection, table: str, latest: int, found: Extent) -> None:
    if not database.execute("select 1 from sqlite_master where name = ?", (table,)).fetchone():
        return
    newest = f"select at from {table} order by rowid desc limit {ledger.most(table)}"
    sums = f"count(*), sum({_SOUND}), min(case when {_SOUND} then at end)"
    count, sound, begins = database.execute(f"select {sums} from ({newest})", (latest, latest)).fetchone()
    (whole,) = database.execute(f"select count(*) from {table}").fetchone()
    found.strange += count - (sound or 0)
    found.beyond += whole - count
    if begins is not None:
        found.begins = begins if found.begins is None else min(begins, found.begins)


def _unreadable(error: Exception) -> str:
    return f"the journal cannot be read: {error}"
