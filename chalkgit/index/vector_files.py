"""What the files of vectors hold, and how they are read and written: a torn or missing one is no error."""

from __future__ import annotations

import os
from typing import Any

from chalkgit.index.arrays import numpy

# A record's row: its tokens begin at the byte `start` of their file, and the first `route` of them are its
# route's; `sum` is the CRC of vector and tokens.
ROW = numpy.dtype(
    [("id", "S8"), ("hash", "S16"), ("start", "<u8"), ("tokens", "<u2"), ("route", "<u2"), ("sum", "<u4")]
)


class Key:
    """What the vectors of one folder were computed with."""

    __slots__ = ("dimension", "name", "revision")

    def __init__(self, name: str, revision: str, dimension: int) -> None:
        self.name = name
        self.revision = revision
        self.dimension = dimension

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


def read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # not there, or something else in its place: no opinion
        return b""


def floats(path: str) -> Any:
    try:
        return numpy.fromfile(path, "<f4")
    except OSError:
        return numpy.empty(0, "<f4")


def opened(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def write_at(path: str, offset: int, data: bytes) -> None:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        os.ftruncate(handle, offset)
        os.lseek(handle, offset, os.SEEK_SET)
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
    finally:
        os.close(handle)


def numbers(ids: Any) -> Any:
    """Ids of eight bytes as 64-bit numbers."""
    return numpy.ascontiguousarray(ids).view("<u8")
