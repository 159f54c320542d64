"""The kept history table: a file in the git directory, read whole and replaced whole.

A checksum stands at its end, and what does not fit it is no table: damage, a torn write and another program's
file are read as nothing, never as an answer. Nobody waits for anybody: each process reads one state and puts
its own in place; of two at once the later one stays, and both are right. It is not flushed to the disk, since
one that a power cut tears is made anew.
"""

from __future__ import annotations

import os
import stat
import time

from chalkgit import thresholds
from chalkgit.store.history_table import HistoryTable, Unusable

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.store.place import Place

FILE = "history.db"
_SUM = 8  # bytes of a checksum; SQLite does not look behind its last page
_LEFT = ".tmp"
_LEFT_SECONDS = 3600  # what is older was left by a process that was killed


def path(place: Place) -> str:
    return os.path.join(place.derived, FILE)


def read(place: Place) -> HistoryTable | None:
    """The table that is kept; None where there is none that can be used."""
    try:
        data = _bytes(place)
        if data is None or _sum(data[:-_SUM]) != data[-_SUM:]:
            return None
        return HistoryTable(data[:-_SUM])
    except (OSError, Unusable):
        return None


def keep(place: Place, table: HistoryTable) -> str | None:
    """Put a table in the place of whatever is there; why not, where that cannot be."""
    file = path(place)
    part = f"{file}.{os.getpid()}.{os.urandom(4).hex()}{_LEFT}"
    data = table.image()
    if len(data) + _SUM > thresholds.HISTORY_BYTES:
        return f"it has more than {thresholds.HISTORY_BYTES:,} bytes"
    try:
        if os.path.islink(place.derived):
            return f"{place.derived} is a symbolic link, which is not followed"
        os.makedirs(place.derived, exist_ok=True)
        _tidy(place)
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            for piece in (data, _sum(data)):
                view = memoryview(piece)
                while view:
                    view = view[os.write(handle, view) :]
        finally:
            os.close(handle)
        os.replace(part, file)
    except OSError as error:
        _drop(part)
        return error.strerror or str(error)
    return None


def _bytes(place: Place) -> memoryview | None:
    if os.path.islink(place.derived):
        return None
    # O_NONBLOCK: opening a FIFO must not wait for its other end
    handle = os.open(path(place), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or not _SUM < about.st_size <= thresholds.HISTORY_BYTES:
            return None
        with open(handle, "rb", buffering=0, closefd=False) as file:
            return memoryview(file.read())
    finally:
        os.close(handle)


def _sum(data: bytes | memoryview) -> bytes:
    import zlib

    return b"%08x" % zlib.crc32(data)


def _tidy(place: Place) -> None:
    """Take away what killed processes left half written."""
    for name in os.listdir(place.derived):
        if name.startswith(FILE) and name.endswith(_LEFT):
            part = os.path.join(place.derived, name)
            try:
                old = time.time() - os.lstat(part).st_mtime > _LEFT_SECONDS
            except FileNotFoundError:
                continue  # another process has put it in its place meanwhile
            if old:
                _drop(part)


def _drop(file: str) -> None:
    try:
        os.unlink(file)
    except OSError:
        pass  # it is not there
