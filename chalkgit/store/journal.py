"""The journal: what was shown, to which session, about which file. Local, private, and no record.

It lies in the common git directory, beside derived data and not in it. Losing it shows a ruling once more;
a damaged or unwritable one never stops an answer.
"""

from __future__ import annotations

import os
import time

from chalkgit import thresholds
from chalkgit.store import sqlite
from chalkgit.store.worktree import nameable

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from chalkgit.store.place import Place

FOLDER, FILE = "chalkgit-journal", "journal.db"
_SCHEMA = """
create table if not exists shown (session text, path text, id text, hash text, surface text, at integer,
  bytes integer);
create index if not exists shown_to on shown (session, path);
"""

Row = tuple[object, ...]
Key = tuple[str, str, str]  # path, id, content hash


class Showing:
    """One ruling that was shown: `bytes` is what of it reached the reader."""

    __slots__ = ("bytes", "hash", "id", "path")

    def __init__(self, path: str, record_id: str, content: str, size: int) -> None:
        self.path = path
        self.id = record_id
        self.hash = content
        self.bytes = size

    @property
    def key(self) -> Key:
        return self.path, self.id, self.hash


def seen(place: Place, session: str | None, paths: Sequence[str]) -> set[Key]:
    """What this session was shown about these files; nothing where it is unknown or cannot be read."""
    if not session or not exists(place):
        return set()
    found: set[Key] = set()
    try:
        database = opened(place)
        try:
            for path in filter(nameable, paths):
                rows = database.execute(
                    "select path, id, hash from shown where session = ? and path = ?", (session, path)
                )
                found.update(rows.fetchall())
        finally:
            database.close()
    except (sqlite.Error, OSError, UnicodeEncodeError):
        return set()
    return found


def record(place: Place, session: str | None, surface: str, showings: Iterable[Showing]) -> str | None:
    """Keep what was shown; why not, where it could not be kept."""
    now = time.time_ns() // 1_000_000
    # a path of other bytes than UTF-8 has no row, and is shown again
    rows: list[Row] = [
        (session or "", s.path, s.id, s.hash, surface, now, s.bytes) for s in showings if nameable(s.path)
    ]
    if not rows:
        return None
    try:
        return _write(place, rows)
    except sqlite.OperationalError as error:  # a full disk, another process writing for long
        if "shown" in str(error):  # a table of that name with other columns
            return _begin_again(place, rows)
        return str(error)
    except sqlite.DatabaseError:
        return _begin_again(place, rows)
    except (OSError, UnicodeEncodeError) as error:
        return getattr(error, "strerror", None) or str(error)


def count(place: Place) -> int | None:
    """How many showings are kept; None where that cannot be read."""
    if not exists(place):
        return 0
    try:
        database = opened(place)
        try:
            if not database.execute("select 1 from sqlite_master where name = 'shown'").fetchone():
                return 0
            return int(database.execute("select count(*) from shown").fetchone()[0])
        finally:
            database.close()
    except (sqlite.Error, OSError):
        return None


def last_shown(place: Place) -> tuple[datetime | None, dict[str, datetime]]:
    """(since when showings are kept, when each record was shown last); None where that cannot be read."""
    from datetime import UTC, datetime  # costs a tenth of a bare interpreter, and no hook asks this

    if not exists(place):
        return None, {}
    try:
        database = opened(place)
        try:
            rows = database.execute("select id, max(at), min(at) from shown group by id").fetchall()
        finally:
            database.close()
    except (sqlite.Error, OSError):
        return None, {}
    whole = [row for row in rows if all(isinstance(at, int) and 0 < at < 1 << 47 for at in row[1:])]
    found = {str(name): datetime.fromtimestamp(at / 1000, UTC) for name, at, _ in whole}
    begins = min((at for _, _, at in whole), default=None)
    return None if begins is None else datetime.fromtimestamp(begins / 1000, UTC), found


def path(place: Place) -> str:
    return os.path.join(place.common_dir, FOLDER, FILE)


def exists(place: Place) -> bool:
    """Whether there is a journal; a link in its place is not followed."""
    file = path(place)
    folder = os.path.dirname(file)
    return os.path.isfile(file) and not os.path.islink(file) and not os.path.islink(folder)


def opened(place: Place) -> sqlite.Connection:
    """The database of a journal that is there; whoever opens it closes it."""
    database = sqlite.connect(path(place), timeout=thresholds.JOURNAL_SECONDS, isolation_level=None)
    try:
        # it may be lost, and nobody waits for a disk: a process that dies loses nothing by this
        database.execute("pragma synchronous = off")
    except sqlite.Error:
        database.close()
        raise
    return database


def _write(place: Place, rows: list[Row]) -> str | None:
    if not exists(place):
        refused = made(place)
        if refused is not None:
            return refused
    database = opened(place)
    try:
        database.execute("begin immediate")
        if not database.execute("select 1 from sqlite_master where name = 'shown'").fetchone():
            for statement in _SCHEMA.split(";"):
                database.execute(statement)
        database.executemany("insert into shown values (?, ?, ?, ?, ?, ?, ?)", rows)
        (last,) = database.execute("select max(rowid) from shown").fetchone()
        if last % thresholds.JOURNAL_SWEEP < len(rows):
            database.execute("delete from shown where rowid <= ?", (last - thresholds.JOURNAL_ROWS,))
        database.execute("commit")
    finally:
        database.close()
    return None


def made(place: Place) -> str | None:
    """Make an empty one, private to this user; why not, where a link is in its place."""
    file = path(place)
    folder = os.path.dirname(file)
    if os.path.islink(folder) or os.path.islink(file):
        return "is a symbolic link, which is not followed"
    os.makedirs(folder, mode=0o700, exist_ok=True)
    os.close(os.open(file, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    return None


def put_aside(place: Place) -> None:
    """Move a damaged journal out of the way."""
    file = path(place)
    os.replace(file, file + ".damaged")
    for end in ("-journal", "-wal", "-shm"):
        if os.path.exists(file + end):
            os.unlink(file + end)


def _begin_again(place: Place, rows: list[Row]) -> str | None:
    """A damaged journal is put aside, for whoever wants to look, and a new one begun."""
    try:
        put_aside(place)
        return _write(place, rows)
    except (sqlite.Error, OSError) as error:
        return str(error)
