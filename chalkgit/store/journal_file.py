"""The journal's file: where it lies, how it is opened and made, and put aside when it is damaged.

It is private (0600 in a folder of 0700), in the common git directory, beside derived data and not in it. A
link in its place is not followed, and what would run something of its own is not used: a repository may have
been unpacked from an archive.
"""

from __future__ import annotations

import errno
import os
import stat
import time

from chalkgit import thresholds
from chalkgit.store import sqlite

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.place import Place

FOLDER, FILE = "chalkgit-journal", "journal.db"
_BESIDE = ("-journal", "-wal", "-shm")  # SQLite's own
_locked: dict[str, float] = {}  # where this process waited in vain, and when
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


def opened(place: Place, *, reading: bool = False) -> sqlite.Connection:
    """The database of a journal that is there; whoever opens it closes it.

    reading: whether nothing is lost where it is locked: then one wait in vain is enough for a while.
    """
    file = path(place)
    for end in _BESIDE:
        _refuse_odd(file + end)
    since = time.monotonic() - _locked.get(file, -thresholds.JOURNAL_LOCKED_SECONDS)
    patience = 0.0 if reading and since < thresholds.JOURNAL_LOCKED_SECONDS else thresholds.JOURNAL_SECONDS
    database = sqlite.connect(file, timeout=patience, isolation_level=None)
    try:
        # it may be lost, and nobody waits for a disk: a process that dies loses nothing by this
        database.execute("pragma synchronous = off")
        database.execute("pragma trusted_schema = off")
        if database.execute(_FOREIGN).fetchone():
            raise sqlite.DatabaseError("it holds triggers, views or rules, which are none of ours")
    except sqlite.Error as error:
        database.close()
        waited(place, error)
        raise
    return database


def waited(place: Place, error: Exception) -> None:
    """Remember where somebody waited for another process in vain."""
    if "locked" in str(error):
        _locked[path(place)] = time.monotonic()


def _refuse_odd(file: str) -> None:
    """SQLite opens what lies beside its file, and would wait for ever for the other end of a FIFO."""
    try:
        mode = os.lstat(file).st_mode
    except OSError:
        return
    if stat.S_ISDIR(mode):
        if not file.endswith("-shm"):  # of which SQLite makes no use here
            raise sqlite.OperationalError(f"{os.path.basename(file)} is a folder, and in the way")
    elif not stat.S_ISREG(mode):
        raise sqlite.DatabaseError(f"{os.path.basename(file)} is no file")


def in_the_way(place: Place) -> str | None:
    """A folder where the journal would be, or what SQLite writes beside it."""
    names = (path(place) + end for end in ("", *_BESIDE[:2]))
    return next((name for name in names if os.path.isdir(name) and not os.path.islink(name)), None)


def way_out(place: Place) -> str:
    """The command that helps where it cannot be read or written."""
    name = in_the_way(place)
    return "chalkgit doctor" if name is None else removal(name)


def removal(name: str) -> str:
    """How a user takes away what is in the way."""
    import shlex  # where something has failed already

    folder = os.path.isdir(name) and not os.path.islink(name)
    return shlex.join(["rm", *(["-r"] if folder else []), name])


def made(place: Place) -> str | None:
    """Make an empty one, private to this user; why not, where something else is in its place."""
    file = path(place)
    if os.path.islink(os.path.dirname(file)) or os.path.islink(file):
        return "is a symbolic link, which is not followed"
    if os.path.isdir(file):
        return "is a folder, and in the way"
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


def aside(place: Place) -> list[str]:
    """The names that a damaged journal gets, the first that is free or a file: a folder is in the way."""
    first = path(place) + ".damaged"
    return [first, *(f"{first}-{number}" for number in range(2, thresholds.JOURNAL_ASIDE + 1))]


def put_aside(place: Place) -> None:
    """Move a damaged journal out of the way; the one before it goes. OSError says what hinders."""
    file = path(place)
    for end in _BESIDE:  # first: what is left of them would be read into the next journal
        if os.path.lexists(file + end) and not os.path.isdir(file + end):
            os.unlink(file + end)
    for name in aside(place):
        try:
            os.replace(file, name)
            return
        except FileNotFoundError:
            return  # another process has done it
        except OSError as error:
            if not os.path.isdir(name):
                why = f"it is damaged and cannot be put aside: {error.strerror}"
                raise OSError(error.errno, why) from None
    names = ", ".join(map(os.path.basename, aside(place)))
    raise OSError(errno.EISDIR, f"it is damaged, and folders are in the way: {names}")
