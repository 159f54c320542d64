"""Vectors of resolved lessons' failures: for the same failure in other words.

Of the failure alone, since a fix is no part of what happened; in a folder of their own, so that `check` does
not meet them. Likeness by meaning alone is never shown without a decider that says yes to it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable

from chalkgit import thresholds
from chalkgit.index import lessons
from chalkgit.index.embed import Embedder
from chalkgit.index.generation import Index
from chalkgit.index.vector_files import Entry, Key
from chalkgit.index.vectors import Vectors
from chalkgit.records.record import Record, is_open

FOLDER = "failures"
Report = Callable[[int, int], None]


def text(record: Record) -> str:
    """What a lesson's failure says: reason and first error without volatile spans; "" for neither."""
    failed = lessons.Failed(record.fields)
    said = [record.part("failure", "reason"), failed.error]
    return ". ".join(part for part in said if part)


def fill(
    index: Index,
    embedder: Embedder,
    name: str,
    revision: str,
    report: Report | None = None,
    seconds: float | None = None,
) -> Vectors:
    """Write the vectors that resolved lessons of this store lack, for up to `seconds` (None: all of them)."""
    vectors = Vectors(index.place, Key(name, revision, embedder.dimension, FOLDER))
    texts = _texts(index)
    wanted = _wanted(texts)
    missing = vectors.missing(wanted)
    deadline = None if seconds is None else time.monotonic() + seconds
    for start in range(0, len(missing), thresholds.EMBED_RECORDS):
        if deadline is not None and time.monotonic() > deadline:
            break
        ids = missing[start : start + thresholds.EMBED_RECORDS]
        readings = embedder.read([texts[i] for i in ids])
        entries = [Entry(i, wanted[i], reading.vector) for i, reading in zip(ids, readings, strict=True)]
        vectors.add(entries, kept=index.folder is not None)
        if report is not None:
            report(min(start + len(ids), len(missing)), len(missing))
    return vectors


def nearest(
    index: Index, embedder: Embedder, name: str, revision: str, said: str, least: float
) -> list[tuple[str, float]]:
    """(path, cosine) of the lessons whose failure means what `said` does, from `least` on, best first."""
    vectors = fill(index, embedder, name, revision, seconds=thresholds.DECIDER_FILL_SECONDS)
    paths = {record.id: record.path for record in _records(index)}
    wanted = _wanted(_texts(index))
    query = next(iter(embedder.read([said]))).vector
    close = vectors.similar(query, wanted)
    found = [(paths[i], cosine) for i, cosine in close.items() if cosine >= least]
    return sorted(found, key=lambda one: (-one[1], one[0]))


def _wanted(texts: dict[str, str]) -> dict[str, str]:
    return {i: hashlib.sha256(said.encode()).hexdigest()[:16] for i, said in texts.items()}


def _records(index: Index) -> list[Record]:
    lessons.fill(index)
    return [Record(fields, path) for path, fields in index.table.fields(lessons.paths(index)).items()]


def _texts(index: Index) -> dict[str, str]:
    told = {record.id: text(record) for record in _records(index) if not is_open(record)}
    return {i: said for i, said in told.items() if said}
