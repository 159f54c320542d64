"""The semantic arm's vectors, keyed by record id with content hash, model, revision and dimension.

A vector of other content, of another model, or not as it was written is "no opinion", never 0.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.index import bits
from chalkgit.index import vector_files as files
from chalkgit.index.arrays import numpy
from chalkgit.index.vector_store import Stored
from chalkgit.store import atomic

LONGEST = 1.01  # a product of two unit vectors that is larger, or no number, is no cosine


class Vectors(Stored):
    """The vectors of one place and model. `wanted` in the methods is record id to content hash."""

    def missing(self, wanted: Mapping[str, str]) -> list[str]:
        """The ids without a vector of this content."""
        if self._there is None:
            rows = self._rows[self._whole()]
            there = zip(rows["id"].tolist(), rows["hash"].tolist(), strict=True)
            self._there = {(i.decode("latin-1"), digest.decode("latin-1")) for i, digest in there}
        return [i for i, digest in wanted.items() if (i, digest) not in self._there]

    def nearest(self, query: Any, most: int) -> list[tuple[str, str]]:
        """(id, content hash) of the `most` rows nearest to a unit vector, and of those as near as the last.

        Best first. A row may be of a content that its record no longer has, or of a record that is gone.
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
            if kept and self.unwritten is None:
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
        files.refuse_links(*self._above)
        os.makedirs(self._folder, exist_ok=True)
        with self._locked():
            for name in ("rows", "data", "tokens"):
                files.cleared(os.path.join(self._folder, name))
            self._load()
            # what another process wrote meanwhile is not written twice
            held = self._sound({entry.id: entry.hash for entry in entries})
            entries = [entry for entry in entries if entry.id not in held]
            if len(self._rows) > 2 * len(self._last()) + thresholds.VECTOR_SLACK:
                self._compact(self._last())
            if entries:
                self._append(entries)
            self._load()

    def _hold(self, entries: Sequence[files.Entry]) -> None:
        rows, data, blocks = self._packed(entries, 0)
        start = len(self._rows)
        self._rows = numpy.concatenate([self._rows, rows])
        self._data = numpy.concatenate([self._data, data])
        self._held.update((start + at, block) for at, block in enumerate(blocks))
        self._sorted = self._there = None

    def complete(self, edition: str) -> bool:
        """Whether the records of this edition of the table all had vectors when that was last looked at."""
        said = files.read(os.path.join(self._folder, "complete")).split()
        if self.doubted or len(said) != 3 or said[0] != edition.encode() or not said[1].isdigit():
            return False
        rows = self._rows[: int(said[1])]
        return len(rows) == int(said[1]) and said[2] == b"%d" % zlib.crc32(rows.tobytes())

    def keep_complete(self, edition: str) -> None:
        """Remember that they have, so that the next process need not compare them all."""
        try:
            files.refuse_links(*self._above)
            said = f"{edition} {len(self._rows)} {zlib.crc32(self._rows.tobytes())}"
            atomic.replace(os.path.join(self._folder, "complete"), said.encode())
        except (OSError, ChalkError):
            pass  # it compares them again

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
                else:
                    astray.add(record_id)
        if not astray <= found.keys() and not self.doubted:
            self.doubted, self._there = True, None
        return found
