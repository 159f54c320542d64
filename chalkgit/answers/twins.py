"""Whether a record that says nearly the same stands already."""

from __future__ import annotations

from datetime import datetime

from chalkgit import thresholds
from chalkgit.answers.matching import Matcher
from chalkgit.answers.stored import read, superseded
from chalkgit.index.generation import Index
from chalkgit.records.record import Record
from chalkgit.records.status import excluded
from chalkgit.store import worktree


def of(index: Index, route: str, now: datetime) -> Record | None:
    """The record that may be recalled and whose route is nearest in its words, when it is near enough."""
    hits = dict(index.words.search(route, thresholds.HITS))
    matcher = Matcher(index.words, route, max(hits.values(), default=0.0), thresholds.WORDS)
    replaced = superseded(index)
    found = []
    for record in read(index, [path for path in hits if not path.startswith(worktree.NOTES + "/")]):
        if excluded(record, now=now, superseded=replaced) is None:
            score = matcher.judge(record, hits[record.path], None).lexical
            found.append((score, record.id, record))
    best = max(found, default=None, key=lambda row: row[:2])
    return best[2] if best and best[0] >= thresholds.TWIN_LEXICAL else None
