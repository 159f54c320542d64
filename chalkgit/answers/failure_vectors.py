"""Vectors of resolved lessons' failures: for the same failure in other words.

Of the failure alone, since a fix is no part of what happened; in a folder of their own, so that `check` does
not meet them. Nothing compares them yet: likeness by meaning alone is never shown without somebody who
decides.
"""

from __future__ import annotations

import hashlib
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


def fill(index: Index, embedder: Embedder, name: str, revision: str, report: Report | None = None) -> Vectors:
    """Write the vectors that resolved lessons of this store lack."""
    vectors = Vectors(index.place, Key(name, revision, embedder.dimension, FOLDER))
    texts = _texts(index)
    wanted = {i: hashlib.sha256(said.encode()).hexdigest()[:16] for i, said in texts.items()}
    missing = vectors.missing(wanted)
    for start in range(0, len(missing), thresholds.EMBED_RECORDS):
        ids = missing[start : start + thresholds.EMBED_RECORDS]
        readings = embedder.read([texts[i] for i in ids])
        entries = [Entry(i, wanted[i], reading.vector) for i, reading in zip(ids, readings, strict=True)]
        vectors.add(entries, kept=index.folder is not None)
        if report is not None:
            report(min(start + len(ids), len(missing)), len(missing))
    return vectors


def _texts(index: Index) -> dict[str, str]:
    lessons.fill(index)
    records = [Record(fields, path) for path, fields in index.table.fields(lessons.paths(index)).items()]
    told = {record.id: text(record) for record in records if not is_open(record)}
    return {i: said for i, said in told.items() if said}
