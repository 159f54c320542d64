"""What the files of vectors hold, and how they are read and written: a torn or missing one is no error."""

from __future__ import annotations

import errno
import os
import stat
from typing import Any

from chalkgit.errors import ChalkError
from chalkgit.index.arrays import numpy
from chalkgit.store import atomic

# A record's row: its tokens begin at the byte `start` of their file, and the first `route` of them are its
# route's; `sum` is the CRC of what the row says but for the place, of the vector and of the tokens.
ROW = numpy.dtype(
    [("id", "S8"), ("hash", "S16"), ("start", "<u8"), ("tokens", "<u2"), ("route", "<u2"), ("sum", "<u4")]
)


class Key:
    """What the vectors of one folder were computed with, and of what: "" for what `check` asks."""

    __slots__ = ("dimension", "name", "of", "revision")

    def __init__(self, name: str, revision: str, dimension: int, of: str = "") -> None:
        self.name = name
        self.revision = revision
        self.dimension = dimension
        self.of = of

    @property
    def meta(self) -> dict[str, object]:
        return {"model": self.name, "revision": self.revision, "dimension": self.dimension}


class Entry:
    """One record's vector (unit, float32) and token vectors (n × dimension, or None), its route's first."""

    __slots__ = ("hash", "id", "route", "tokens", "vector")

    def __init__(self, record_id: str, digest: str, vector: Any, tokens: Any = None, route: int = 0) -> None:
        self.id = record_id
        self.hash = digest
        self.vector = vector
        self.tokens = tokens
        self.route = route


def opened(path: str, flags: int = os.O_RDONLY) -> int:
    """A descriptor of a plain file. OSError where it is none: no link is followed, no FIFO waited for."""
    handle = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    seen = os.fstat(handle)
    if not stat.S_ISREG(seen.st_mode) or seen.st_nlink > 1:  # another name of it may lie anywhere
        os.close(handle)
        raise OSError(errno.EINVAL, "not a plain file", path)
    return handle


def cleared(path: str) -> None:
    """Take away what stands in a file's place: a link or a FIFO, a folder with all that is in it."""
    try:
        os.close(opened(path))
    except FileNotFoundError:
        return
    except OSError:
        if os.path.isdir(path) and not os.path.islink(path):
            import shutil

            shutil.rmtree(path)
        else:
            os.unlink(path)


def refuse_links(*folders: str) -> None:
    """ChalkError where one of these is a link: nothing is written where it leads."""
    for folder in folders:
        if os.path.islink(folder):
            raise ChalkError("a symbolic link, which is not followed", where=folder)


def read(path: str) -> bytes:
    try:
        with os.fdopen(opened(path), "rb") as file:
            return file.read()
    except OSError:  # not there, or something else in its place: no opinion
        return b""


def floats(path: str) -> Any:
    try:
        with os.fdopen(opened(path), "rb") as file:
            return numpy.fromfile(file, "<f4")
    except OSError:
        return numpy.empty(0, "<f4")


def write_at(path: str, offset: int, data: bytes) -> None:
    handle = opened(path, os.O_RDWR | os.O_CREAT)
    try:
        os.ftruncate(handle, offset)
        os.lseek(handle, offset, os.SEEK_SET)
        atomic.put(handle, data)
    finally:
        os.close(handle)


def numbers(ids: Any) -> Any:
    """Ids of eight bytes as 64-bit numbers."""
    return numpy.ascontiguousarray(ids).view("<u8")
