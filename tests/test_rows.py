"""Ids used twice, and the counts, are told after any change as in an index built anew."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from repository import Repo

from chalkgit import thresholds
from chalkgit.index import refresh, texts
from chalkgit.index.generation import Index
from chalkgit.store import worktree

IDS = ["a2345678", "b2345678", "c2345678"]
TEXTS = [
    *(f"id: {i}\nkind: {kind}\nroute: warm the cache\n" for i in IDS for kind in ("dead-end", "procedure")),
    "id: [\n",
    None,
]
PATHS = [".lessons/x.yaml", ".lessons/dead-ends/y.yaml", *(f".lessons/warm.{i}.yaml" for i in IDS)]
CHANGES = st.lists(st.tuples(st.sampled_from(PATHS), st.sampled_from(TEXTS)), min_size=1, max_size=4)


def told(index: Index) -> tuple[object, ...]:
    counts = {kind: index.table.count([kind]) for kind in texts.ALL}
    return index.table.problems(), counts, index.table.count(texts.ALL), index.table.ids()


@pytest.mark.parametrize("one_by_one", [500, 0])
def test_twins_and_counts_follow_any_change(
    template: Repo, sealed: Path, monkeypatch: pytest.MonkeyPatch, one_by_one: int
) -> None:
    monkeypatch.setattr(thresholds, "TOLD_ONE_BY_ONE", one_by_one)

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(st.lists(CHANGES, min_size=1, max_size=4))
    def follows(rounds: list[list[tuple[str, str | None]]]) -> None:
        folder = Path(tempfile.mkdtemp(dir=sealed))
        shutil.copytree(template.root, folder / "repo", symlinks=True)
        repo = Repo(folder / "repo")
        for changes in rounds:
            for path, text in changes:
                if text is None:
                    (repo.root / path).unlink(missing_ok=True)
                else:
                    repo.write(path, text)
            index = refresh.up_to_date(repo.place, words=False)
            fresh = refresh.in_memory(repo.place, worktree.look(repo.place), OSError())
            assert told(index) == told(fresh)
        shutil.rmtree(folder)

    follows()
