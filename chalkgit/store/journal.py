"""What was shown, to which session, about which file, as the journal keeps it. Local, private, and no record.

It lies in the common git directory, beside derived data and not in it. Losing it shows a ruling once more;
a damaged or unwritable one never stops an answer.
"""

from __future__ import annotations

import time

from chalkgit.store import journal_file, sqlite
from chalkgit.store.worktree import nameable

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from chalkgit.store.place import Place

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
    if not session or not journal_file.exists(place):
        return set()
    found: set[Key] = set()
    try:
        database = journal_file.opened(place)
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
    """Keep showings that belong to no question; why not, where they could not be kept."""
    from chalkgit.store import ledger

    return ledger.add(place, {"shown": rows(session, surface, showings, time.time_ns() // 1_000_000, None)})


def rows(
    session: str | None, surface: str, showings: Iterable[Showing], at: int, asked: str | None
) -> list[dict[str, str | int | float | None]]:
    """As the ledger keeps them; a path of other bytes than UTF-8 has no row, and is shown again."""
    return [
        {
            "session": session or "",
            "path": one.path,
            "id": one.id,
            "hash": one.hash,
            "surface": surface,
            "at": at,
            "bytes": one.bytes,
            "asked": asked,
        }
        for one in showings
        if nameable(one.path)
    ]


def count(place: Place) -> int | None:
    """How many showings are kept; None where that cannot be read."""
    if not journal_file.exists(place):
        return 0
    try:
        database = journal_file.opened(place)
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

    if not journal_file.exists(place):
        return None, {}
    try:
        database = journal_file.opened(place)
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
