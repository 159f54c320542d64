"""What the journal of a repository holds, as plain rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

from repository import Repo

from chalkgit.store import journal_file


def rows(repo: Repo, table: str) -> list[dict[str, Any]]:
    """Every row of a table, oldest first; none where there is no such table."""
    file = journal_file.path(repo.place)
    if not journal_file.exists(repo.place):
        return []
    with closing(sqlite3.connect(file)) as database:
        database.row_factory = sqlite3.Row
        if not database.execute("select 1 from sqlite_master where name = ?", (table,)).fetchone():
            return []
        return [dict(row) for row in database.execute(f"select * from {table} order by rowid")]


def asked(repo: Repo) -> list[tuple[Any, ...]]:
    """kind, surface, verdict and how many were shown, of each question; each agrees with its `shown` rows."""
    found = []
    for row in rows(repo, "asked"):
        own = [one for one in rows(repo, "shown") if one["asked"] == row["id"] and one["id"]]
        assert len({one["id"] for one in own}) == row["shown"]
        assert sum(one["bytes"] for one in own) == row["bytes"]
        assert {one["surface"] for one in own} <= {row["surface"]}
        assert {one["at"] for one in own} <= {row["at"]}
        assert row["ms"] >= 0
        assert row["root"] == str(repo.root)
        found.append((row["kind"], row["surface"], row["verdict"], row["shown"]))
    return found
