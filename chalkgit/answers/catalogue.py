"""The records of a store as a list: every one with its state, its trust and when git learned it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime

from chalkgit.answers import globs
from chalkgit.answers.stored import superseded
from chalkgit.index.generation import Index
from chalkgit.records import paths
from chalkgit.records.record import Record
from chalkgit.records.status import excluded, status, trust
from chalkgit.store import moments, worktree


class Entry:
    """A record with what the store says of it; `recorded_at` and `commit` are None while uncommitted."""

    __slots__ = ("commit", "record", "recorded_at", "status", "superseded_by", "trust", "why")

    def __init__(self, record: Record) -> None:
        self.record = record
        self.status = ""
        self.trust = trust(record)
        self.why: str | None = None
        self.superseded_by: str | None = None
        self.recorded_at: str | None = None
        self.commit: str | None = None


def entries(index: Index, records: Sequence[Record], now: datetime) -> list[Entry]:
    replaced = superseded(index)
    known = moments.recorded(index.place)
    made = []
    for record in records:
        entry = Entry(record)
        entry.status = status(record, now=now, superseded=replaced)
        entry.why = excluded(record, now=now, superseded=replaced)
        entry.superseded_by = replaced.get(record.id)
        entry.commit, entry.recorded_at = known.get(record.path, moments.UNCOMMITTED)[:2]
        made.append(entry)
    # the newest first: what is not committed yet, then by commit, the day it speaks of, the file's time
    made.sort(key=lambda entry: entry.record.id)
    made.sort(
        key=lambda entry: (
            entry.recorded_at or "9999",
            entry.record.text("valid-from") or "",
            _written(index, entry.record.path),
        ),
        reverse=True,
    )
    return made


def _written(index: Index, path: str) -> int:
    """When a file was written, where nothing else says which of a day came first; 0 where it is gone."""
    try:
        return os.lstat(worktree.file_of(index.place, path)).st_mtime_ns
    except OSError:
        return 0


def chosen(
    found: Sequence[Entry],
    *,
    kind: str | None = None,
    status: str | None = None,
    file: str | None = None,
    tag: str | None = None,
    trust: str | None = None,
) -> list[Entry]:
    """Those that pass every filter given."""
    return [
        entry
        for entry in found
        if kind in (None, entry.record.kind)
        and status in (None, entry.status)
        and trust in (None, entry.trust)
        and (tag is None or tag in entry.record.items("tags"))
        and (file is None or _names(entry.record, file))
    ]


def _names(record: Record, file: str) -> bool:
    """Whether the record names the file, or a folder above it."""
    above = file.split("/")
    wholes = {"/".join(above[:depth]) for depth in range(1, len(above) + 1)}
    return any(
        name.rstrip("/") in wholes or globs.matches(name, file) or ("/" not in name and name == above[-1])
        for name in paths.named(record)
    )
