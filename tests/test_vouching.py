"""What git vouched for is kept while its index changes, and written anew only where much of it did."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from repository import Repo
from test_ahead import Looks, edit, looks_fixture  # noqa: F401

from chalkgit import thresholds
from chalkgit.index import refresh
from chalkgit.store import signs


@pytest.mark.parametrize("far_apart", [1_000, 1])
def test_after_any_change_of_the_index_no_look_is_needed_and_nothing_is_missed(
    repo: Repo, looks: Looks, monkeypatch: pytest.MonkeyPatch, far_apart: int
) -> None:
    """Where much of the index was written anew its bytes are kept anew, with what is in doubt."""
    monkeypatch.setattr(signs, "_FAR_APART", far_apart)
    monkeypatch.setattr(thresholds, "GIT_GRAIN_NS", 1)
    records = [repo.record(route=f"warm the cache of shelf {number}") for number in range(6)]
    repo.commit()
    looks.settle()
    kept = Path(str(refresh.up_to_date(repo.place).folder), "vouched")
    before = kept.read_bytes()
    looks.settle()
    assert looks.vouched()
    for number in (1, 3, 5):
        edit(repo, records[number], "cache", "CACHE")
    repo.git("add", records[1].path, records[5].path)
    os.utime(repo.root / records[0].path, (10**9, 10**9))
    repo.git("update-index", "-q", "--refresh")
    time.sleep(0.25)
    count = looks.count
    assert sum("CACHE" in str(body) for body in looks.ask().values()) == 3
    repo.git("commit", "-qam", "edited")
    edit(repo, records[4], "cache", "CACHE")
    time.sleep(0.25)
    assert sum("CACHE" in str(body) for body in looks.ask().values()) == 4
    repo.git("checkout", "-q", "HEAD~1", "--", ".lessons")
    time.sleep(0.25)
    assert sum("CACHE" in str(body) for body in looks.ask().values()) == 0
    assert looks.count == count
    assert (kept.read_bytes() != before) == (far_apart == 1)
