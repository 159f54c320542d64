"""How far a branch was when its history was last read, so that a rewritten one is noticed.

It lies in the journal, private and local, and is no derived data: what is lost of it cannot be told again.
"""

from __future__ import annotations

import time

from chalkgit.store import git, journal_file, ledger, sqlite

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.history import History
    from chalkgit.store.place import Place

_SCHEMA = (
    "create table if not exists checkpoints (ref text primary key, tip text, versions integer, at integer)",
    "create table if not exists rewritten (ref text, tip text, versions integer, seen integer, common text, "
    "kept integer, found integer)",
)


class Rewritten:
    """A history that is no longer there. tip: where the branch was when it was `seen`, with so many versions.

    common: the last commit that both have, with `kept` versions; None where none is known. seen and found are
    seconds since 1970.
    """

    __slots__ = ("common", "found", "kept", "ref", "seen", "tip", "versions")

    def __init__(
        self, ref: str, tip: str, versions: int, seen: int, common: str | None, kept: int, found: int
    ) -> None:
        self.ref = ref
        self.tip = tip
        self.versions = versions
        self.seen = seen
        self.common = common
        self.kept = kept
        self.found = found


def branch(place: Place) -> str | None:
    """The full name of the branch that is checked out; None where none is."""
    code, out, _ = git.ask(place.root, "symbolic-ref", "--quiet", "HEAD")
    return out.decode("utf-8", "replace").strip() or None if code == 0 else None


def keep(history: History) -> str | None:
    """Compare the history of HEAD with what was seen of its branch, and remember it; why not, where the
    journal takes nothing. A rewritten one is remembered too."""
    ref = branch(history.place)
    if ref is None or not history.tip or ledger.is_off(history.place):
        return None
    try:
        return _keep(history, ref)
    except sqlite.OperationalError as error:
        return str(error)
    except sqlite.DatabaseError as error:
        try:
            journal_file.put_aside(history.place)
            return _keep(history, ref) or f"the journal was damaged ({error}); what was seen before is lost"
        except (sqlite.Error, OSError) as again:
            return str(again)
    except (OSError, UnicodeEncodeError) as error:
        return getattr(error, "strerror", None) or str(error)


def rewritten(place: Place) -> list[Rewritten]:
    """Every rewriting that was noticed, oldest first; none where the journal cannot be read."""
    if not journal_file.exists(place):
        return []
    try:
        database = journal_file.opened(place)
        try:
            columns = "ref, tip, versions, seen, common, kept, found"
            rows = database.execute(f"select {columns} from rewritten order by rowid").fetchall()
        finally:
            database.close()
    except (sqlite.Error, OSError):
        return []
    return [Rewritten(*row) for row in rows]


def _keep(history: History, ref: str) -> str | None:
    place = history.place
    if not journal_file.exists(place):
        refused = journal_file.made(place)
        if refused is not None:
            return refused
    now = int(time.time())
    count = _count(history, None)
    database = journal_file.opened(place)
    try:
        database.execute("begin immediate")
        for statement in _SCHEMA:
            database.execute(statement)
        row = database.execute("select tip, versions, at from checkpoints where ref = ?", (ref,)).fetchone()
        # of a history that is cut off nobody can tell what it holds beyond
        if row is not None and not history.cut and history.place_of(row[0]) is None:
            common, kept = _common(history, row[0])
            values = (ref, *row, common, kept, now)
            database.execute("insert into rewritten values (?, ?, ?, ?, ?, ?, ?)", values)
        if row is None or row[:2] != (history.tip, count):
            values = (ref, history.tip, count, now)
            database.execute("insert or replace into checkpoints values (?, ?, ?, ?)", values)
        database.execute("commit")
    finally:
        database.close()
    return None


def _common(history: History, tip: str) -> tuple[str | None, int]:
    """The last commit of the old history that the new one has on its first parents."""
    shape = ("--no-replace-objects", "rev-list", "--first-parent", tip, "--")
    code, out, _ = git.ask(history.place.root, *shape)
    for oid in out.decode("ascii", "replace").split() if code == 0 else ():
        seq = history.place_of(oid)
        if seq is not None:
            return oid, _count(history, seq)
    return None, 0


def _count(history: History, until: int | None) -> int:
    where = "1" if until is None else f"seq <= {int(until)}"
    return int(history.table.rows(f"select count(*) from versions where {where}")[0][0])
