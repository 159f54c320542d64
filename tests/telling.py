"""What the history of a repository tells of a record, and how a record is changed."""

from __future__ import annotations

from repository import Repo

from chalkgit.records import codec
from chalkgit.records.record import Record
from chalkgit.store import history


def events(repo: Repo, record_id: str) -> list[list[str]]:
    """Of each version, the oldest first."""
    return [version.events for version in reversed(history.opened(repo.place).versions(record_id))]


def commits(repo: Repo, record_id: str) -> list[str]:
    told = history.opened(repo.place)
    return [told.moments()[version.seq].oid for version in reversed(told.versions(record_id))]


def change(repo: Repo, record: Record, **fields: object) -> Record:
    changed = record.changed({name.replace("_", "-"): value for name, value in fields.items()})
    repo.write(changed.path, codec.encode(changed))
    return changed
