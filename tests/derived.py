"""What an index says, and a repository whose index has something to lose: the fixture `filled`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from repository import Repo

from chalkgit.index import refresh
from chalkgit.index.generation import Index
from chalkgit.store import worktree


def state(index: Index) -> tuple[object, ...]:
    """All that an index says, in words that do not depend on how it came to be."""
    tables = ("files", "names", "problems", "successors")
    said = [sorted(map(repr, index.table.rows(f"select * from {name}"))) for name in tables]
    hits = sorted(path for path, _ in index.words.search("cache queue tree", 999))
    return *said, hits, index.table.count(("dead-end", "lesson", "procedure")), index.words.count


def agreed(repo: Repo) -> Index:
    """The refreshed index, which says what one made from nothing says."""
    index = refresh.up_to_date(repo.place)
    assert index.folder is not None
    assert state(index) == state(refresh.in_memory(repo.place, worktree.look(repo.place), OSError()))
    return index


@pytest.fixture(name="filled")
def filled_fixture(repo: Repo) -> Repo:
    for n in range(6):
        repo.record(route=f"warm the cache number {n}", files=[f"src/{n}.py"])
    repo.record(kind="lesson")
    repo.record(kind="procedure", route="sort the queue", trap="it is long")
    repo.commit()
    agreed(repo)
    return repo


def derived(repo: Repo) -> Path:
    return repo.root / ".git/chalkgit"


def file_of(repo: Repo, name: str) -> Path:
    found = json.loads((derived(repo) / "manifest.json").read_text())
    return derived(repo) / str(found["generation"]) / name
