"""What the history of a repository tells, and a repository with something to tell: the fixture `records`."""

from __future__ import annotations

from pathlib import Path

import pytest
from repository import Repo

from chalkgit.records import codec
from chalkgit.records.record import Record
from chalkgit.store import history, history_file


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


Said = list[tuple[object, ...]]


@pytest.fixture(name="records")
def records_fixture(repo: Repo) -> list[Record]:
    """Some records that have some versions."""
    records = [repo.record(route=f"cache number {n}") for n in range(12)]
    repo.commit()
    for n, record in enumerate(records):
        records[n] = change(repo, record, tags=[f"t{n}"], supersedes=[records[n - 1].id])
        repo.commit()
    return records


def said(repo: Repo) -> Said:
    told = history.opened(repo.place)
    moments = told.moments()
    rows: Said = [(moments[v.seq].oid, v.id, v.path, v.blob, *v.events, v.by) for v in told.versions()]
    return [*rows, *((str(told.fields(v.blob)),) for v in told.versions())]


def table(repo: Repo) -> Path:
    return Path(history_file.path(repo.place))
