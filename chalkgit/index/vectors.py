"""The semantic arm's vectors, keyed by record id with content hash, model, revision and dimension.

Three files a model. `data` holds a 32-bit float vector a row; `tokens` the record's token vectors, each as
one bit a dimension and a scale; `rows` names the record and content of each row, and where its tokens are.
Rows are appended after their data, so that a crash leaves data without a row, which the next append
overwrites. A vector of other content, of another model, or not as it was written is "no opinion", never 0.
"""

from __future__ import annotations

import fcntl
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.index import bits
from chalkgit.index import vector_files as files
from chalkgit.index.arrays import numpy
from chalkgit.store import atomic
from chalkgit.store.place import Place

FORMAT = "2"  # part of the folder's name: what an older chalkgit wrote is not read
LONGEST = 1.01  # a product of two unit vectors that is larger, or no number, is no cosine


class Vectors:
    """The vectors of one place and model. `wanted` in the methods is record id to content hash."""

    def __init__(self, place: Place, key: files.Key) -> None:
        self.key = key
        name = "".join(c if c.isalnum() else "-" for c in f"{key.name}-{key.revision}-{key.dimension}")
        self._folder = os.path.join(place.derived, "vectors", f"{FORMAT}-{name}")
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

    def __len__(self) -> int:
        """How many rows there are, those that others replace among them."""
        return len(self._rows)

    def missing(self, wanted: Mapping[str, str]) -> list[str]:
        """The ids without a vector of this content."""
        if self._there is None:
            rows = self._rows[self._whole()]
            there = zip(rows["id"].tolist(), rows["hash"].tolist(), strict=True)
            self._there = {(i.decode("latin-1"), digest.decode("latin-1")) for i, digest in there}
        return [i for i, digest in wanted.items() if (i, digest) not in self._there]

    def nearest(self, query: Any, most: int) -> list[tuple[str, str]]:
        """(id, content hash) of the `most` rows nearest to a unit vector, and of those as near as the last.

        Best first. A row may be of a content that its record no longer has.
        """
        if not len(self._rows):
            return []
        # the time of reading the rows; OpenBLAS takes twice that for a matrix and a vector
        scores = numpy.vecdot(self._data, query)
        scores[~(scores <= LONGEST)] = -2.0  # what is not a number compares with nothing
        most = min(most, len(scores))
        floor = numpy.partition(scores, len(scores) - most)[len(scores) - most]
        found = numpy.flatnonzero(scores >= floor)
        found = found[numpy.lexsort((self._rows["id"][found], -numpy.round(scores[found], 5)))]
        rows = self._rows[found]
        pairs = zip(rows["id"].tolist(), rows["hash"].tolist(), strict=True)
        return [(i.decode("latin-1"), digest.decode("latin-1")) for i, digest in pairs]

    def similar(self, query: Any, wanted: Mapping[str, str]) -> dict[str, float]:
        """Cosine of each wanted record that has an opinion."""
        return {i: cosine for i, (cosine, _) in self.compared(query, None, (), wanted).items()}

    def compared(
        self, query: Any, tokens: Any, weights: Any, wanted: Mapping[str, str]
    ) -> dict[str, tuple[float, tuple[float, float] | None]]:
        """(cosine, late interaction) of each wanted record that has an opinion.

        tokens: n × dimension, rows of length one, or None; weights: n, not negative. Late interaction is None
        where a record or the query has no token vectors, else (forward, backward), -1 to 1. forward: the
        weighted mean, over the query's tokens, of the best likeness among the record's; backward: the mean,
        over the tokens of the record's route, of the best likeness among the query's.
        """
        found = self._sound(wanted)
        rows = [row for row, _ in found.values()]
        cosines = numpy.round(numpy.vecdot(self._data[rows], query).astype(float), 6).tolist()
        late: dict[str, tuple[float, float]] = {}
        if tokens is not None and len(tokens):
            held = {i: (row, block) for i, (row, block) in found.items() if block}
            counts = [int(self._rows["tokens"][row]) for row, _ in held.values()]
            routes = [int(self._rows["route"][row]) for row, _ in held.values()]
            made = bits.interaction(tokens, weights, [block for _, block in held.values()], counts, routes)
            late = dict(zip(held, made, strict=True))
        return {i: (cosine, late.get(i)) for i, cosine in zip(found, cosines, strict=True)}

    def add(self, entries: Sequence[files.Entry], *, kept: bool = True) -> None:
        """Take in rows, in the files or for this run alone; a vector not of length one is left out."""
        entries = [
            entry
            for entry in entries
            if abs(float(entry.vector @ entry.vector) - 1) < thresholds.UNIT_TOLERANCE
        ]
        if not entries:
            return
        try:
            if kept:
                self._store(entries)
                return
        except (OSError, ChalkError) as error:  # a disk that takes no writes: this run still counts them
            self.unwritten = getattr(error, "strerror", None) or str(error)
        self._hold(entries)

    def forget(self, record_id: str) -> None:
        """Erase a record's vectors from the disk, those of its earlier contents too."""
        if record_id.encode() in self._rows["id"]:
            with self._locked():
                self._load()
                self._compact(numpy.flatnonzero(self._rows["id"] != record_id.encode()))

    def _store(self, entries: Sequence[files.Entry]) -> None:
        os.makedirs(self._folder, exist_ok=True)
        with self._locked():
            self._load()
            if len(self._rows) > 2 * len(self._last()) + thresholds.VECTOR_SLACK:
                self._compact(self._last())
            self._append(entries)
            self._load()

    def _hold(self, entries: Sequence[files.Entry]) -> None:
        rows, data, blocks = self._packed(entries, 0)
        start = len(self._rows)
        self._rows = numpy.concatenate([self._rows, rows])
        self._data = numpy.concatenate([self._data, data])
        self._held.update((start + at, block) for at, block in enumerate(blocks))
        self._sorted = self._there = None

    def _packed(self, entries: Sequence[files.Entry], start: int) -> tuple[Any, Any, list[bytes]]:
        """Rows, vectors and token blocks, as they are written; start: the bytes of tokens before them."""
        data = numpy.stack([numpy.asarray(entry.vector, "<f4") for entry in entries])
        blocks = [bits.packed(entry.tokens) if entry.tokens is not None else b"" for entry in entries]
        rows = numpy.zeros(len(entries), files.ROW)
        for at, (entry, block) in enumerate(zip(entries, blocks, strict=True)):
            count = len(entry.tokens) if block else 0
            total = zlib.crc32(block, zlib.crc32(data[at].tobytes()))
            rows[at] = (entry.id.encode(), entry.hash.encode(), start, count, min(entry.route, count), total)
            start += len(block)
        return rows, data, blocks

    def complete(self, edition: str) -> bool:
        """Whether the records of this edition of the table all had vectors when that was last looked at."""
        said = files.read(os.path.join(self._folder, "complete")).split()
        if self.doubted or len(said) != 2 or not said[1].isdigit():
            return False
        return said[0] == edition.encode() and len(self._rows) >= int(said[1])

    def keep_complete(self, edition: str) -> None:
        """Remember that they have, so that the next process need not compare them all."""
        try:
            atomic.replace(os.path.join(self._folder, "complete"), f"{edition} {len(self._rows)}".encode())
        except (OSError, ChalkError):
            pass  # it compares them again

    def _as_written(self, row: int) -> bytes | None:
        """The token block of a row, or None where it or the vector is not what was written."""
        block = self._block(row)
        total = zlib.crc32(block, zlib.crc32(self._data[row].tobytes()))
        return block if total == self._rows["sum"][row] else None

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

    def _sound(self, wanted: Mapping[str, str]) -> dict[str, tuple[int, bytes]]:
        """Row and token block of each wanted record that is as it was written."""
        asked = files.numbers(numpy.array([i.encode() for i in wanted if len(i) <= 8], "S8"))
        if self._sorted is None:
            ids = files.numbers(self._rows["id"])
            self._sorted = numpy.argsort(ids, kind="stable")
            self._ids = ids[self._sorted]
        first, last = (numpy.searchsorted(self._ids, asked, side) for side in ("left", "right"))
        ranges = zip(first.tolist(), last.tolist(), strict=True)
        rows = [row for start, end in ranges for row in self._sorted[start:end].tolist()]
        found: dict[str, tuple[int, bytes]] = {}
        astray: set[str] = set()
        for row in rows:
            record_id = self._rows["id"][row].decode("latin-1")
            if self._rows["hash"][row].decode("latin-1") == wanted.get(record_id):
                if (block := self._as_written(row)) is not None:
                    found[record_id] = row, block
                    astray.discard(record_id)
                else:
                    found.pop(record_id, None)
                    astray.add(record_id)
        if astray and not self.doubted:
            self.doubted, self._there = True, None
        return found

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
        rows = files.read(os.path.join(self._folder, "rows"))
        data = files.floats(os.path.join(self._folder, "data"))
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
        self._handle = files.opened(os.path.join(self._folder, "tokens"))

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
        handle = os.open(os.path.join(self._folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            meta, file = json.dumps(self.key.meta).encode() + b"\n", os.path.join(self._folder, "meta.json")
            if files.read(file) != meta:
                atomic.replace(file, meta)
            yield
        finally:
            os.close(handle)
