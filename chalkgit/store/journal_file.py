"""The journal's file: where it lies, how it is opened and made, and put aside when it is damaged.

It is private (0600 in a folder of 0700), in the common git directory, beside derived data and not in it. A
link in its place is not followed.
"""

from __future__ import annotations

import os

from chalkgit import thresholds
from chalkgit.store import sqlite

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.place import Place

FOLDER, FILE = "chalkgit-journal", "journal.db"


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
