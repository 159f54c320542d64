"""The records of a store as a list: every one with its state, its trust and when git learned it.

Of an index that is of a commit, all of that as it was known there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime

from chalkgit.answers import globs, reopening, ruling, unseen
from chalkgit.answers.stored import superseded
from chalkgit.answers.trusted import Trusted
from chalkgit.index.generation import Index
from chalkgit.index.table import FIRST
from chalkgit.records import paths, sealing
from chalkgit.records.record import Record
from chalkgit.records.status import excluded, restriction, status, trust
from chalkgit.store import moments, worktree

_ALL = f"select id, {FIRST} from files where body is not null group by id order by 2"


class Entry:
    """A record with what the store says of it; `recorded_at` and `commit` are None while `uncommitted`.

    reopened: what met its `reopens-when`, in words, where nothing else keeps it from being recalled. unknown:
    what of this is nothing since the clone is cut off, as JSON names it.
    """

    __slots__ = (
        "commit",
        "record",
        "recorded_at",
        "reopened",
        "status",
        "superseded_by",
        "trust",
        "trust_by",
        "trust_note",
        "trust_why",
        "uncommitted",
        "unknown",
        "why",
    )

    def __init__(self, record: Record) -> None:
        self.record = record
        self.status = ""
        self.trust = "unreviewed"
        self.trust_by: str | None = None
        self.trust_why: str | None = None
        self.trust_note: str | None = None
        self.why: str | None = None
        self.superseded_by: str | None = None
        self.reopened: str | None = None
        self.recorded_at: str | None = None
        self.commit: str | None = None
        self.uncommitted = False
        self.unknown: list[str] = []


def records(index: Index, *, notes: bool = False) -> list[Record]:
    """Every record that counts, or the working notes, in the order of their files."""
    paths = [row[1] for row in index.table.rows(_ALL) if row[1].startswith(worktree.NOTES + "/") is notes]
    found = index.table.fields(paths)
    return [Record(found[path], path) for path in paths]


def entries(index: Index, records: Sequence[Record], now: datetime) -> list[Entry]:
    replaced = superseded(index)
    known = _known(index, records)
    trusted = Trusted(index.commit or "HEAD")
    made = []
    for record in records:
        entry = Entry(record)
        if sealing.claims_approval(record):
            proof = trusted.of(index.place, record)
            entry.trust, entry.trust_by, entry.trust_why = proof.state, proof.by, proof.why
            entry.trust_note = proof.note
            entry.unknown += [unseen.TRUST] if proof.unseen else []
        else:
            entry.trust = trust(record)
        entry.status = status(record, now=now, superseded=replaced)
        entry.why = excluded(record, now=now, superseded=replaced)
        entry.superseded_by = replaced.get(record.id)
        moment = known.get(record.path, moments.UNCOMMITTED)
        entry.commit, entry.recorded_at, held = moment
        entry.uncommitted = not held
        entry.unknown += unseen.of_moment(moment)
        made.append(entry)
    _reopen(index, [entry for entry in made if entry.why is None], now)
    # the newest first: what is not committed yet, then by commit, the day it speaks of, the file's time; what
    # was recorded before this clone begins comes last
    made.sort(key=lambda entry: entry.record.id)
    made.sort(
        key=lambda entry: (
            "9999" if entry.uncommitted else entry.recorded_at or "",
            entry.record.text("valid-from") or "",
            _written(index, entry.record.path),
        ),
        reverse=True,
    )
    return made


def _known(index: Index, records: Sequence[Record]) -> Mapping[str, moments.Moment]:
    if index.commit is None:
        return moments.recorded(index.place)
    from chalkgit.index import past

    return past.recorded(index, [record.path for record in records])


def _reopen(index: Index, found: Sequence[Entry], now: datetime) -> None:
    ruled = [entry for entry in found if entry.record.get("reopens-when")]
    if not ruled:
        return
    dependencies = ruling.depends(index.place, {index.place.root: index})
    touched = ruling.drift_touched(index.place.root, index.commit)
    said: dict[tuple[str | None, str], bool | None] = {}

    def asked_once(commit: str | None, path: str) -> bool | None:
        if (commit, path) not in said:
            said[commit, path] = touched(commit, path)
        return said[commit, path]

    for entry in ruled:
        untold: list[str] = []
        entry.reopened = reopening.met(
            entry.record, dependencies=dependencies, now=now, touched=asked_once, unseen=untold
        )
        entry.unknown += [unseen.REOPENED] if untold else []


def _written(index: Index, path: str) -> int:
    """When a file was written, where nothing else says which of a day came first; 0 where it is gone."""
    if index.commit is not None:
        return 0  # the work tree says nothing of a commit
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
    """Those that pass every filter given. One that is rejected and superseded too has both states."""
    return [
        entry
        for entry in found
        if kind in (None, entry.record.kind)
        and status in (None, entry.status, restriction(entry.record))
        and trust in (None, entry.trust)
        and (tag is None or tag in entry.record.items("tags"))
        and (file is None or names(entry.record, file))
    ]


def names(record: Record, file: str) -> bool:
    """Whether the record names the file, or a folder above it."""
    above = file.split("/")
    wholes = {"/".join(above[:depth]) for depth in range(1, len(above) + 1)}
    return any(
        name.rstrip("/") in wholes or globs.matches(name, file) or ("/" not in name and name == above[-1])
        for name in paths.named(record)
    )
