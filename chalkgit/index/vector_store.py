"""The vectors of one place and model on the disk: three files, a lock, and what is as it was written.

`data` holds a 32-bit float vector a row; `tokens` the record's token vectors, each as one bit a dimension and
a scale; `rows` names the record and content of each row, and where its tokens are. Rows are appended after
their data, so that a crash leaves data without a row, which the next append overwrites.
"""

from __future__ import annotations

import fcntl
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from chalkgit import thresholds
from chalkgit.index import bits
from chalkgit.index import vector_files as files
from chalkgit.index.arrays import numpy
from chalkgit.store import atomic
from chalkgit.store.place import Place

FORMAT = "3"  # part of the folder's name: what an older chalkgit wrote is not read


class Stored:
    """The rows of one folder as they were when they were loaded, and those held for this run alone."""

    def __init__(self, place: Place, key: files.Key) -> None:
        self.key = key
        name = "".join(c if c.isalnum() else "-" for c in f"{key.name}-{key.revision}-{key.dimension}")
        kind = f"{FORMAT}-{key.of}-" if key.of else f"{FORMAT}-"
        self._folder = os.path.join(place.derived, "vectors", kind + name)
        self._above = (place.derived, os.path.join(place.derived, "vectors"), self._folder)
        self._handle = -1
        self._rows: Any = None
        self._sorted: Any = None  # the rows in the order of their ids, of one id in that of writing
        self._ids: Any = None  # as numbers, in that order
        self._data: Any = None
        self._there: set[tuple[str, str]] | None = None
        self._held: dict[int, bytes] = {}  # token blocks of this run's rows that are not on the disk
        self.doubted = False  # some vector was found to be not as it was written
        self.unwritten: str | None = None  # why vectors of this run are not on the disk
        self._load_settled()

    def __del__(self) -> None:
        if getattr(self, "_handle", -1) >= 0:
            os.close(self._handle)

    @property
    def folder(self) -> str:
        return self._folder

    def __len__(self) -> int:
        """How many rows there are, those that others replace among them."""
        return len(self._rows)

    def _packed(self, entries: Sequence[files.Entry], start: int) -> tuple[Any, Any, list[bytes]]:
        """Rows, vectors and token blocks, as they are written; start: the bytes of tokens before them."""
        data = numpy.stack([numpy.asarray(entry.vector, "<f4") for entry in entries])
        blocks = [bits.packed(entry.tokens) if entry.tokens is not None else b"" for entry in entries]
        rows = numpy.zeros(len(entries), files.ROW)
        for at, (entry, block) in enumerate(zip(entries, blocks, strict=True)):
            count = len(entry.tokens) if block else 0
            rows[at] = (entry.id.encode(), entry.hash.encode(), start, count, min(entry.route, count), 0)
            rows["sum"][at] = _sum(rows[at], data[at], block)
            start += len(block)
        return rows, data, blocks

    def _as_written(self, row: int) -> bytes | None:
        """The token block of a row, or None where it or the vector is not what was written."""
        block = self._block(row)
        return block if _sum(self._rows[row], self._data[row], block) == self._rows["sum"][row] else None

    def _whole(self) -> Any:
        """Which rows have a vector of length one and tokens that are there; in doubt, all bytes are read."""
        if self.doubted:
            return numpy.array([self._as_written(row) is not None for row in range(len(self._rows))], bool)
        with numpy.errstate(all="ignore"):
            length = numpy.einsum("ij,ij->i", self._data, self._data)
        unit = numpy.abs(length - 1) < thresholds.UNIT_TOLERANCE
        there = os.fstat(self._handle).st_size if self._handle >= 0 else 0
        end = self._rows["start"] + self._rows["tokens"] * numpy.uint64(bits.size(self.key.dimension))
        unit &= (end <= there) | (self._rows["tokens"] == 0)
        unit[list(self._held)] = True
        return unit

    def _block(self, row: int) -> bytes:
        held = self._held.get(row)
        if held is not None or self._handle < 0:
            return held or b""
        size = bits.size(self.key.dimension) * int(self._rows["tokens"][row])
        start = int(self._rows["start"][row])
        return os.pread(self._handle, size, start) if start < 1 << 62 else b""

    def _last(self) -> Any:
        """The rows that no later one of the same id replaces."""
        reversed_ids = self._rows["id"][::-1]
        return numpy.sort(len(self._rows) - 1 - numpy.unique(reversed_ids, return_index=True)[1])

    def _load_settled(self) -> None:
        """Load, but never between the files of somebody who is writing them anew."""
        if any(map(os.path.islink, self._above)):
            return self._load()
        try:
            handle = files.opened(os.path.join(self._folder, "lock"))
        except OSError:
            return self._load()  # nobody has written here yet
        try:
            fcntl.flock(handle, fcntl.LOCK_SH)
            return self._load()
        finally:
            os.close(handle)

    def _load(self) -> None:
        linked = any(map(os.path.islink, self._above))
        rows = b"" if linked else files.read(os.path.join(self._folder, "rows"))
        data = files.floats(os.path.join(self._folder, "data" if rows else "none"))
        held = min(
            len(rows) // files.ROW.itemsize, len(data) // self.key.dimension
        )  # a torn write ends anywhere
        self._rows = numpy.frombuffer(rows[: held * files.ROW.itemsize], files.ROW)
        held = self._chained()  # what is no row of ours, and what comes after it, is written anew
        self._rows = self._rows[:held]
        self._data = data[: held * self.key.dimension].reshape(held, self.key.dimension)
        self._held = {}
        self._sorted, self._there, self.doubted = None, None, False
        if self._handle >= 0:
            os.close(self._handle)
        try:
            self._handle = files.opened(os.path.join(self._folder, "tokens" if rows else "none"))
        except OSError:
            self._handle = -1

    def _chained(self) -> int:
        """How many rows there are before the first whose tokens do not begin where those before it end."""
        sizes = self._rows["tokens"].astype(numpy.uint64) * numpy.uint64(bits.size(self.key.dimension))
        astray = numpy.flatnonzero(numpy.cumsum(sizes) - sizes != self._rows["start"])
        return int(astray[0]) if len(astray) else len(self._rows)

    def _append(self, entries: Sequence[files.Entry]) -> None:
        written, width = len(self._rows), bits.size(self.key.dimension)
        last = self._rows[-1] if written else None
        start = 0 if last is None else int(last["start"]) + width * int(last["tokens"])
        rows, data, blocks = self._packed(entries, start)
        # what a crash left behind the last whole row is overwritten, in all files
        files.write_at(os.path.join(self._folder, "data"), 4 * self.key.dimension * written, data.tobytes())
        files.write_at(os.path.join(self._folder, "tokens"), start, b"".join(blocks))
        files.write_at(os.path.join(self._folder, "rows"), files.ROW.itemsize * written, rows.tobytes())

    def _compact(self, kept: Any) -> None:
        """Write the files anew with these rows alone."""
        blocks = [self._block(row) for row in kept.tolist()]
        rows = self._rows[kept].copy()
        rows["start"] = numpy.cumsum([0, *map(len, blocks)])[:-1]
        data = self._data[kept].tobytes()
        # rows first: a crash between the files leaves sums that no row vouches for
        atomic.replace(os.path.join(self._folder, "rows"), b"")
        atomic.replace(os.path.join(self._folder, "data"), data)
        atomic.replace(os.path.join(self._folder, "tokens"), b"".join(blocks))
        atomic.replace(os.path.join(self._folder, "rows"), rows.tobytes())
        self._load()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        lock = os.path.join(self._folder, "lock")
        files.cleared(lock)
        handle = files.opened(lock, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            meta, file = json.dumps(self.key.meta).encode() + b"\n", os.path.join(self._folder, "meta.json")
            if files.read(file) != meta:
                atomic.replace(file, meta)
            yield
        finally:
            os.close(handle)


def _sum(row: Any, vector: Any, block: bytes) -> int:
    said = b"%s %s %d %d" % (row["id"], row["hash"], row["tokens"], row["route"])
    return zlib.crc32(block, zlib.crc32(vector.tobytes(), zlib.crc32(said)))
