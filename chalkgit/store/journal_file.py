"""The journal's file: where it lies, how it is opened and made, and put aside when it is damaged.

It is private (0600 in a folder of 0700), in the common git directory, beside derived data and not in it. A
link in its place is not followed, and what would run something of its own is not used: a repository may have
been unpacked from an archive.
"""

from __future__ import annotations

import os
import stat

from chalkgit import thresholds
from chalkgit.store import sqlite

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.place import Place

FOLDER, FILE = "chalkgit-journal", "journal.db"
# what would run when a row is written or read; none of our own tables has any of it
_FOREIGN = """
select 1 from sqlite_master where type in ('trigger', 'view')
  or replace(lower(sql), 'checkpoints', '') like '%check%' or lower(sql) like '%generated%'
  or lower(sql) like '%default%' or lower(sql) like '% as %(%' or (type = 'index' and sql like '%(%(%')
"""


def path(place: Place) -> str:
    return os.path.join(place.common_dir, FOLDER, FILE)


def exists(place: Place) -> bool:
    """Whether there is a journal; a link in its place is not followed."""
    file = path(place)
    folder = os.path.dirname(file)
    return os.path.isfile(file) and not os.path.islink(file) and not os.path.islink(folder)


def opened(place: Place) -> sqlite.Connection:
    """The database of a journal that is there; whoever opens it closes it."""
    for end in ("-journal", "-wal", "-shm"):
        _refuse_odd(path(place) + end)
    database = sqlite.connect(path(place), timeout=thresholds.JOURNAL_SECONDS, isolation_level=None)
    try:
        # it may be lost, and nobody waits for a disk: a process that dies loses nothing by this
        database.execute("pragma synchronous = off")
        database.execute("pragma trusted_schema = off")
        if database.execute(_FOREIGN).fetchone():
            raise sqlite.DatabaseError("it holds triggers, views or rules, which are none of ours")
    except sqlite.Error:
        database.close()
        raise
    return database


def _refuse_odd(file: str) -> None:
    """SQLite opens what lies beside its file, and would wait for ever for the other end of a FIFO."""
    try:
        mode = os.lstat(file).st_mode
    except OSError:
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise sqlite.DatabaseError(f"{os.path.basename(file)} is no file")


def made(place: Place) -> str | None:
    """Make an empty one, private to this user; why not, where something else is in its place."""
    file = path(place)
    if os.path.islink(os.path.dirname(file)) or os.path.islink(file):
        return "is a symbolic link, which is not followed"
    made_folder(place)
    # a FIFO is opened without waiting for its other end
    flags = os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    handle = os.open(file, flags, 0o600)
    try:
        return None if stat.S_ISREG(os.fstat(handle).st_mode) else "is no file"
    finally:
        os.close(handle)


def made_folder(place: Place) -> str:
    """The folder it lies in, private to this user; OSError where it cannot be made."""
    folder = os.path.dirname(path(place))
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


def put_aside(place: Place) -> None:
    """Move a damaged journal out of the way."""
    file = path(place)
    os.replace(file, file + ".damaged")
    for end in ("-journal", "-wal", "-shm"):
        if os.path.exists(file + end):
            os.unlink(file + end)
