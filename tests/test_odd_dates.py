"""A commit may claim any date: no answer stops at one, and none takes it for more than it is."""

from __future__ import annotations

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo


@pytest.mark.parametrize("when", ["1767000000 +9999", "253402300800 +0000", "99999999999999 +0000"])
def test_a_commit_with_a_date_that_is_none_costs_no_answer(repo: Repo, chalk: Inside, when: str) -> None:
    record = repo.record(route="cache the manifest", files=["src/a.py"])
    parent = repo.commit()
    repo.record(route="another")
    repo.git("add", "-A")
    tree = repo.git("write-tree")
    text = f"tree {tree}\nparent {parent}\nauthor M <m@e> 1 +0000\ncommitter M <m@e> {when}\n\nx\n"
    odd = repo.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=text)
    repo.git("update-ref", "refs/heads/main", odd)
    for asked in (["list"], ["show", record.id], ["log"], ["at", "src/a.py"], ["log", "--audit"]):
        assert chalk(*asked).code == 0, asked
        assert record.id in chalk(*asked, "--json").out
    for asked in (["list"], ["at", "src/a.py"], ["show", record.id], ["export"]):
        assert chalk(*asked, "--known-at", "HEAD").code == 0, asked
    assert chalk("check", "cache the manifest", "--lexical").code == 1
