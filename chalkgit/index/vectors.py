"""The semantic arm's vectors, keyed by record id with content hash, model, revision and dimension.

numpy's only user. Two files a model: `rows` names each vector's record and content, `data` holds the
vectors as 32-bit floats, row after row. Rows are appended after their data, so that a crash leaves data
without a row, which the next append overwrites. A vector of other content, of another model or of a
length other than one is "no opinion", never 0.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import atomic
from chalkgit.store.place import Place

HASH_LENGTH = 16


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


class Vectors:
    """The vectors of one place and model. `wanted` in the methods is record id to content hash."""

    def __init__(self, place: Place, key: Key) -> None:
        self.key = key
        name = "".join(c if c.isalnum() else "-" for c in f"{key.name}-{key.revision}-{key.dimension}")
        self._folder = os.path.join(place.derived, "vectors", name)
        self._rows: dict[str, tuple[str, int]] = {}
        self._data = numpy.empty((0, key.dimension), numpy.float32)
        self._written = 0
        self.unwritten: str | None = None  # why vectors of this run are not on the disk
        self._load_settled()

    def missing(self, wanted: Mapping[str, str]) -> list[str]:
        """The ids without a vector of this content."""
        return [record_id for record_id, digest in wanted.items() if not self._has(record_id, digest)]

    def similar(self, query: Any, wanted: Mapping[str, str]) -> dict[str, float]:
        """Cosine of each record that has an opinion."""
        held = [
            (record_id, self._rows[record_id][1])
            for record_id in wanted
            if self._has(record_id, wanted[record_id])
        ]
        if not held:
            return {}
        unit = numpy.asarray(query, numpy.float32)
        scores = self._data[[row for _, row in held]] @ unit
        return {record_id: float(score) for (record_id, _), score in zip(held, scores, strict=True)}

    def add(self, entries: Sequence[tuple[str, str, Any]], *, kept: bool = True) -> None:
        """Take in (id, content hash, unit vector) rows: appended to the files, or for this run alone."""
        if not entries:
            return
        try:
            if kept:
                self._store(entries)
                return
        except (OSError, ChalkError) as error:  # a disk that takes no writes: this run still counts them
            self.unwritten = getattr(error, "strerror", None) or str(error)
        self._hold(entries)

    def _store(self, entries: Sequence[tuple[str, str, Any]]) -> None:
        os.makedirs(self._folder, exist_ok=True)
        with self._locked():
            self._load()
            if self._crowded():
                self._compact()
            self._append(entries)
            self._load()

    def _hold(self, entries: Sequence[tuple[str, str, Any]]) -> None:
        block = numpy.stack([numpy.asarray(vector, numpy.float32) for _, _, vector in entries])
        start = len(self._data)
        self._data = numpy.concatenate([self._data, block])
        self._rows.update((i, (digest, start + at)) for at, (i, digest, _) in enumerate(entries))

    def forget(self, record_id: str) -> None:
        """Erase a record's vector from the disk, those of its earlier contents too."""
        if f"\n{record_id} " in "\n" + _read(os.path.join(self._folder, "rows")).decode("ascii", "replace"):
            with self._locked():
                self._load()
                self._rows.pop(record_id, None)
                self._compact()

    def _has(self, record_id: str, digest: str) -> bool:
        row = self._rows.get(record_id)
        return row is not None and row[0] == digest

    def _load_settled(self) -> None:
        """Load, but never between the two files of somebody who is writing them anew."""
        try:
            handle = os.open(os.path.join(self._folder, "lock"), os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return self._load()  # nobody has written here yet
        try:
            fcntl.flock(handle, fcntl.LOCK_SH)
            return self._load()
        finally:
            os.close(handle)

    def _load(self) -> None:
        lines = _read(os.path.join(self._folder, "rows")).decode("ascii", "replace").split("\n")[:-1]
        stored = _read(os.path.join(self._folder, "data"))
        data = numpy.frombuffer(stored[: len(stored) // 4 * 4], numpy.float32)  # a torn write ends anywhere
        held = min(len(lines), len(data) // self.key.dimension)
        self._data = data[: held * self.key.dimension].reshape(held, self.key.dimension)
        self._written = held
        with numpy.errstate(all="ignore"):
            length = numpy.einsum("ij,ij->i", self._data, self._data)
        sound = numpy.abs(length - 1) < thresholds.UNIT_TOLERANCE
        self._rows = {}
        for row, line in enumerate(lines[:held]):
            record_id, _, digest = line.partition(" ")
            self._rows.pop(record_id, None)
            if sound[row] and len(digest) == HASH_LENGTH:
                self._rows[record_id] = (digest, row)

    def _append(self, entries: Sequence[tuple[str, str, Any]]) -> None:
        rows = "".join(f"{record_id} {digest}\n" for record_id, digest, _ in entries)
        block = numpy.stack([numpy.asarray(vector, numpy.float32) for _, _, vector in entries])
        width = 4 * self.key.dimension
        # what a crash left behind the last whole row is overwritten, in both files
        _write_at(os.path.join(self._folder, "data"), self._written * width, block.tobytes())
        _write_at(os.path.join(self._folder, "rows"), self._length_of_rows(), rows.encode())

    def _length_of_rows(self) -> int:
        rows = _read(os.path.join(self._folder, "rows")).split(b"\n")[: self._written]
        return sum(len(row) + 1 for row in rows)

    def _crowded(self) -> bool:
        return self._written > 2 * len(self._rows) + thresholds.VECTOR_SLACK

    def _compact(self) -> None:
        rows = "".join(f"{record_id} {digest}\n" for record_id, (digest, _) in self._rows.items())
        data = self._data[[row for _, row in self._rows.values()]].tobytes()
        # rows first: a crash between the two leaves lengths or contents that no row vouches for
        atomic.replace(os.path.join(self._folder, "rows"), b"")
        atomic.replace(os.path.join(self._folder, "data"), data)
        atomic.replace(os.path.join(self._folder, "rows"), rows.encode())
        self._load()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        handle = os.open(os.path.join(self._folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            meta, file = json.dumps(self.key.meta).encode() + b"\n", os.path.join(self._folder, "meta.json")
            if _read(file) != meta:
                atomic.replace(file, meta)
            yield
        finally:
            os.close(handle)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # not there, or something else in its place: no opinion
        return b""


def _write_at(path: str, offset: int, data: bytes) -> None:
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
