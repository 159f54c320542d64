"""Whether a record that says nearly the same stands already."""

from __future__ import annotations

import json

from chalkgit import thresholds
from chalkgit.answers.matching import Matcher
from chalkgit.index import lexical
from chalkgit.index.generation import Index
from chalkgit.records.record import Record


def of(index: Index, route: str) -> Record | None:
    """The record whose route is nearest to this one in its words, when it is near enough."""
    try:
        hits = dict(index.words.search(route, thresholds.HITS))
        matcher = Matcher(index.words, route, max(hits.values(), default=0.0), thresholds.UNMEASURED)
    except lexical.Damaged:
        return None  # derived data: the next question rebuilds it
    found = []
    for path, body in index.table.bodies(list(hits)).items():
        record = Record(json.loads(body), path)
        if record.get("retired") is None:
            found.append((matcher.judge(record, hits[path], None, None).lexical, record.id, record))
    best = max(found, default=None, key=lambda row: row[:2])
    return best[2] if best and best[0] >= thresholds.TWIN_LEXICAL else None
