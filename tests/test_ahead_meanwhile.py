"""What is written while git is asked to vouch for the records is seen by the next question."""

from __future__ import annotations

import time

import pytest
from repository import Repo

from chalkgit.index import refresh, vouching
from chalkgit.store import worktree


@pytest.mark.parametrize("path", [None, ".lessons/team/deep/another.yaml"], ids=["a file", "a folder"])
def test_a_record_made_between_the_look_and_the_vouching_is_seen(repo: Repo, path: str | None) -> None:
    repo.record(route="one thing", observation="it broke")
    repo.commit()
    index = refresh.up_to_date(repo.place)
    time.sleep(1.2)  # what is younger than git's grain is doubted anyway
    looked = worktree.look(repo.place)
    new = repo.record(route="another thing", observation="it broke", path=path)
    vouching.remember(index, looked)
    time.sleep(0.2)
    for _ in range(2):
        assert new.id in refresh.up_to_date(repo.place).table.ids()
