"""What happened to a ruling's files is told through a helper as git has it now, however often it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from repository import Repo
from serving import Helper, helper_fixture  # noqa: F401

ROUTE = "cache the parsed manifest between test runs"
FILES = ("src/a.py", "src/b.py")


@pytest.fixture(name="told")
def told_fixture(repo: Repo) -> Repo:
    for file in FILES:
        repo.write(file, "1\n")
    first = repo.commit()
    repo.record(route=ROUTE, observation="it went stale", files=list(FILES), at_commit=first)
    repo.record(route=f"{ROUTE} alone", observation="no", files=["src/a.py"], at_commit=first[:10])
    repo.record(route=f"{ROUTE}, oddly", observation="no", files=["src/a.py"], at_commit="-" * 40)
    repo.commit()
    return repo


def _said(helper: Helper, proposal: str = ROUTE) -> str:
    """What is said twice, the second time from what was kept."""
    first = helper.alike(proposal).out
    assert helper.alike(proposal).out == first
    return first


def test_drift_follows_commits_removals_and_resets(told: Repo, helper: Helper) -> None:
    assert "since:" not in _said(helper)
    told.write("src/a.py", "2\n")
    assert "since:" not in _said(helper)
    told.commit()
    assert "1 commit since has touched src/a.py" in _said(helper)
    told.write("src/b.py", "2\n")
    told.write("src/a.py", "3\n")
    told.commit()
    assert "2 commits since have touched src/a.py; 1 commit since has touched src/b.py" in _said(helper)
    (told.root / "src/b.py").unlink()
    assert "src/b.py is gone" in _said(helper)
    told.git("checkout", "-q", "src/b.py")
    assert "is gone" not in _said(helper)
    told.git("mv", "src/b.py", "src/c.py")
    assert "src/b.py moved to src/c.py" in _said(helper)
    told.git("reset", "-q", "--hard", "HEAD~2")
    assert "since:" not in _said(helper)


def test_a_commit_that_git_learns_of_later_counts_from_then_on(
    told: Repo, helper: Helper, tmp_path: Path
) -> None:
    told.git("clone", "-q", ".", str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    clone.git("checkout", "-q", "--orphan", "elsewhere")
    clone.write("src/a.py", "of another history\n")
    at = clone.commit()
    told.record(route=f"{ROUTE} from afar", observation="no", files=["src/a.py"], at_commit=at)
    told.commit()
    assert "since:" not in _said(helper, f"{ROUTE} from afar")
    told.git("fetch", "-q", str(clone.root), "elsewhere")
    assert "has touched src/a.py" in _said(helper, f"{ROUTE} from afar")


def test_a_replaced_commit_is_that_of_git(told: Repo, helper: Helper) -> None:
    told.write("src/a.py", "2\n")
    told.commit()
    assert "1 commit since" in _said(helper)
    other = told.git("commit-tree", "HEAD^{tree}", "-m", "as if it had begun here")
    told.git("replace", "HEAD", other)
    _said(helper)
