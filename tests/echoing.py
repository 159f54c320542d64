"""Records that were shown, and commits at a moment: what the tests of the echo share."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest
from repository import Repo

from chalkgit.answers import echo
from chalkgit.records.record import Record
from chalkgit.store import ledger

HOUR = 3600 * 1000
ROUTE = "cache the parsed manifest between runs"
INSTEAD = "hash each module header and compare digests"


def now() -> int:
    return time.time_ns() // 1_000_000


def ruled(repo: Repo, **fields: Any) -> Record:
    """A record with an alternative, committed long ago."""
    told = {"route": ROUTE, "observation": "the tests went stale", "alternative": INSTEAD, **fields}
    record = repo.record(files=["src/a.py"], **told)
    repo.commit("records")
    return record


def show(
    repo: Repo,
    record: Record | str,
    *,
    hours: float = -2,
    surface: str = "commit",
    path: str = "src/a.py",
    verdict: str | None = None,
) -> None:
    """Have been shown a record so many hours from now."""
    at, asked = now() + round(hours * HOUR), ledger.new_id()
    name = record if isinstance(record, str) else record.id
    question = {"id": asked, "at": at, "kind": "check" if verdict else "rulings", "surface": surface}
    shown = {"id": name, "at": at, "surface": surface, "path": path, "asked": asked, "hash": "h", "bytes": 9}
    refused = ledger.add(
        repo.place, {"asked": [{**question, "verdict": verdict, "shown": 1}], "shown": [shown]}
    )
    assert refused is None


def commit(
    repo: Repo,
    patch: pytest.MonkeyPatch,
    message: str,
    *,
    hours: float = -1,
    text: str | None = None,
    author: float | None = None,
) -> str:
    """A commit of a source file, dated so many hours from now; `author`: the author's date where another."""
    at = time.time() + hours * 3600
    written = at if author is None else time.time() + author * 3600
    repo.write("src/b.py", text if text is not None else f"{os.urandom(8).hex()}\n")
    with patch.context() as dated:
        dated.setenv("GIT_COMMITTER_DATE", f"@{int(at)} +0000")
        dated.setenv("GIT_AUTHOR_DATE", f"@{int(written)} +0000")
        return repo.commit(message)


def uses(repo: Repo) -> dict[tuple[str, str], tuple[int, int, int, int]]:
    """Id and surface to shown, cited, adopted, proposed again."""
    return {(r.id, r.surface): (r.shown, r.cited, r.adopted, r.proposed_again) for r in echo.of(repo.place)}
