"""Where a clone lacks something, the past is unknown, which is said with what would show it, and never no."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from repository import Repo
from telling import change, events

from chalkgit.errors import UnknownPast
from chalkgit.records.record import Record
from chalkgit.store import firstparents, history, history_file

DAYS = [f"2026-05-0{day}" for day in range(1, 6)]


@pytest.fixture(name="record")
def record_fixture(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Record:
    """A record that five commits, of five days, made and changed."""
    record = repo.record(route="cache it")
    for number, day in enumerate(DAYS):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{day}T12:00:00Z")
        change(repo, record, tags=[str(number)])
        repo.commit(day)
    return record


def cloned(repo: Repo, folder: Path, *options: str) -> Repo:
    subprocess.run(["git", "clone", "-q", *options, repo.root.as_uri(), str(folder)], check=True)
    return Repo(folder)


def lose(repo: Repo, oid: str) -> Path:
    """Take an object away; where to, so that it can be put back."""
    file = repo.root / ".git/objects" / oid[:2] / oid[2:]
    kept = repo.root / f".git/lost-{oid[:8]}"
    file.rename(kept)
    return kept


def test_a_shallow_clone_says_unknown_at_its_edge_until_it_is_deepened(
    repo: Repo, record: Record, tmp_path: Path
) -> None:
    clone = cloned(repo, tmp_path / "clone", "--depth", "2")
    told = history.opened(clone.place)
    assert told.cut
    assert [told.moments()[n].recorded_at for n in (1, 2)] == [None, "2026-05-05T12:00:00Z"]
    assert events(clone, record.id) == [["recorded"], ["corrected"]]
    assert history.known_at(clone.place, DAYS[3]) == told.moments()[1].oid
    with pytest.raises(UnknownPast) as caught:
        history.known_at(clone.place, DAYS[2])
    assert caught.value.hint == "git fetch --unshallow"
    clone.git("fetch", "-q", "--deepen", "1")
    assert len(history.opened(clone.place).moments()) == 3
    clone.git("fetch", "-q", "--unshallow")
    told = history.opened(clone.place)
    assert not told.cut
    assert len(told.versions(record.id)) == 5
    assert history.known_at(clone.place, DAYS[2]) == repo.git("rev-parse", "HEAD~2")
    assert history.known_at(clone.place, "2026-04") is None


def test_a_shallow_clone_goes_on_from_where_it_was(repo: Repo, record: Record, tmp_path: Path) -> None:
    clone = cloned(repo, tmp_path / "clone", "--depth", "2")
    assert len(history.opened(clone.place).moments()) == 2
    change(clone, record, tags=["more"])
    clone.commit()
    told = history.opened(clone.place)
    assert (len(told.moments()), told.cut) == (3, True)
    assert told.moments()[1].recorded_at is None
    clone.git("fetch", "-q", "--depth", "1")  # shallower: what was known of the middle is not told any more
    clone.git("reset", "-q", "--hard", "origin/main")
    told = history.opened(clone.place)
    assert (len(told.moments()), told.cut) == (1, True)


def test_a_replacement_says_what_never_was(repo: Repo, record: Record) -> None:
    before = events(repo, record.id)
    repo.git("replace", "HEAD~1", "HEAD~4")
    repo.git("replace", "--graft", "HEAD")
    assert repo.git("rev-list", "--count", "HEAD") == "1"  # git believes it
    for _ in range(2):
        told = history.opened(repo.place)
        assert (len(told.moments()), told.cut) == (5, False)
        assert events(repo, record.id) == before
        os.unlink(history_file.path(repo.place))


def test_a_graft_hides_what_is_unknown_then(repo: Repo, record: Record) -> None:
    graft = repo.write(".git/info/grafts", repo.git("rev-parse", "HEAD~1") + "\n")
    for _ in range(2):
        told = history.opened(repo.place)
        assert (len(told.moments()), told.cut) == (2, True)
        with pytest.raises(UnknownPast) as caught:
            history.known_at(repo.place, DAYS[1])
        assert caught.value.hint == "git replace --convert-graft-file"
        assert history.known_at(repo.place, DAYS[4]) == told.tip
    repo.git("replace", "--convert-graft-file")
    assert not graft.exists()
    told = history.opened(repo.place)
    assert (len(told.moments()), told.cut) == (5, False)


@pytest.mark.parametrize("back", [1, 2, 4])
def test_a_commit_that_is_lost_cuts_history_off_until_it_is_back(
    repo: Repo, record: Record, back: int
) -> None:
    oid = repo.git("rev-parse", f"HEAD~{back}")
    repo.git("commit-graph", "write")
    kept = lose(repo, oid)
    for _ in range(2):
        told = history.opened(repo.place)
        assert (len(told.moments()), told.cut) == (back, True)
        assert told.moments()[1].recorded_at is None
        with pytest.raises(UnknownPast) as caught:
            history.known_at(repo.place, "2026-04")
        assert caught.value.hint == "git fsck"
    kept.rename(repo.root / ".git/objects" / oid[:2] / oid[2:])
    told = history.opened(repo.place)
    assert (len(told.moments()), told.cut) == (5, False)


def test_a_table_that_has_it_already_does_not_need_a_lost_commit(repo: Repo, record: Record) -> None:
    history.opened(repo.place)
    lose(repo, repo.git("rev-parse", "HEAD~3"))
    change(repo, record, tags=["more"])
    repo.commit()
    told = history.opened(repo.place)
    assert (len(told.moments()), told.cut) == (6, False)


def test_a_tip_that_is_lost_is_an_error_that_names_it(repo: Repo, record: Record) -> None:
    tip = repo.git("rev-parse", "HEAD")
    lose(repo, tip)
    with pytest.raises(UnknownPast) as caught:
        history.opened(repo.place)
    assert tip[:12] in caught.value.message
    assert caught.value.hint == "git fsck"


@pytest.mark.parametrize("what", ["HEAD~2^{tree}", "HEAD~2:.lessons", "HEAD~2:PATH"])
def test_a_lost_tree_or_content_is_unknown_and_never_a_deletion(
    repo: Repo, record: Record, what: str
) -> None:
    oid = repo.git("rev-parse", what.replace("PATH", record.path))
    kept = lose(repo, oid)
    for _ in range(2):
        with pytest.raises(UnknownPast) as caught:
            history.opened(repo.place)
        assert caught.value.hint == "git fsck"
    kept.rename(repo.root / ".git/objects" / oid[:2] / oid[2:])
    assert events(repo, record.id) == [["recorded"], *[["corrected"]] * 4]


@pytest.mark.parametrize("left_out", ["blob:none", "tree:0"])
def test_a_partial_clone_says_what_brings_the_rest(
    repo: Repo, record: Record, tmp_path: Path, left_out: str
) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = cloned(repo, tmp_path / "clone", f"--filter={left_out}")
    with pytest.raises(UnknownPast) as caught:
        history.opened(clone.place)
    assert caught.value.hint == firstparents.FILL
    assert history.opened(repo.place).versions(record.id)
    subprocess.run(caught.value.hint, shell=True, cwd=clone.root, check=True)
    assert clone.git("status", "--porcelain") == ""
    assert events(clone, record.id) == [["recorded"], *[["corrected"]] * 4]


def test_history_beside_the_first_parents_may_be_missing(repo: Repo, record: Record) -> None:
    repo.git("checkout", "-qb", "side", "HEAD~1")
    other = repo.record(route="on the side")
    side = repo.commit()
    change(repo, other, layer="design")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    lose(repo, side)
    told = history.opened(repo.place)
    assert (len(told.moments()), told.cut) == (6, False)
    assert events(repo, other.id) == [["recorded"]]
