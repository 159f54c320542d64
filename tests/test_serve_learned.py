"""When git learned a record is told through a helper as git has it now, however often it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from repository import Repo
from serving import Helper, helper_fixture, helping  # noqa: F401

ROUTE = "cache the parsed manifest between test runs"


@pytest.fixture(name="kept")
def kept_fixture(repo: Repo) -> Repo:
    repo.record(route=ROUTE, observation="it went stale", path=".lessons/dead-ends/one.yaml")
    repo.record(route=f"{ROUTE} alone", observation="no", path=".lessons/deep/down/two.yaml")
    repo.commit()
    return repo


def said(helper: Helper) -> str:
    """What is said three times: before HEAD was followed, and from what was kept."""
    first = helper.alike(ROUTE, "--json").out
    assert [helper.alike(ROUTE, "--json").out for _ in range(2)] == [first, first]
    return first


def test_the_moment_follows_every_way_that_head_moves(kept: Repo, helper: Helper) -> None:
    one = kept.root / ".lessons/dead-ends/one.yaml"
    first = kept.git("rev-parse", "HEAD")
    assert said(helper).count(first) == 2
    one.write_text(one.read_text() + "tags: [later]\n")
    assert said(helper).count(first) == 1  # the other one: this one is not committed as it stands
    second = kept.commit()
    assert said(helper).count(second) == 1
    kept.git("commit", "-q", "--amend", "-m", "said again")
    amended = kept.git("rev-parse", "HEAD")
    assert amended in said(helper)
    kept.git("reset", "-q", "--hard", first)
    assert said(helper).count(first) == 2
    kept.git("checkout", "-q", "-b", "side")
    one.write_text(one.read_text() + "tags: [elsewhere]\n")
    kept.commit()
    kept.git("checkout", "-q", "main")
    kept.write("other", "1")
    kept.commit()
    kept.git("merge", "-q", "--no-ff", "-m", "merged", "side")
    merge = kept.git("rev-parse", "HEAD")
    assert said(helper).count(merge) == 1  # on the first parents it is the merge that brought it
    kept.git("rm", "-q", ".lessons/deep/down/two.yaml")
    kept.commit()
    assert said(helper).count(first) == 0


def test_a_helper_that_began_long_ago_walks_only_what_is_new(kept: Repo, helper: Helper) -> None:
    assert said(helper)
    for n in range(30):
        kept.git("commit", "-q", "--allow-empty", "-m", str(n))
    first = kept.git("rev-list", "--max-parents=0", "HEAD")
    assert said(helper).count(first) == 2
    fresh = kept.record(route=f"{ROUTE} once more", observation="no")
    last = kept.commit()
    assert said(helper).count(last) == 1
    assert fresh.id in said(helper)


def test_a_shallow_clone_says_unknown_through_a_helper_too(kept: Repo, tmp_path: Path) -> None:
    kept.write("other", "1")
    kept.commit()
    kept.git("clone", "-q", "--depth", "1", f"file://{kept.root}", str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    with helping(clone) as helper:
        assert '"recorded_at": null' in said(helper)
        assert clone.git("rev-parse", "HEAD") not in said(helper)
