"""Work tree, index, HEAD and any revision become one type, and each says what its tree holds."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

import pytest
from repository import Repo

from chalkgit.errors import ChalkError
from chalkgit.index import refresh
from chalkgit.store import snapshot
from chalkgit.store.place import Place
from chalkgit.store.snapshot import Snapshot

SOURCES: dict[str, Callable[[Place], Snapshot]] = {
    "work tree": snapshot.of_work_tree,
    "index": snapshot.of_index,
    "HEAD": lambda place: snapshot.of_revision(place, "HEAD"),
}


def said(repo: Repo, source: str) -> dict[str, str]:
    """Path to route."""
    found = SOURCES[source](repo.place).records.values()
    return {record.path: str(record.get("route")) for record in found}


def problems(repo: Repo, source: str) -> list[tuple[str, str]]:
    return [(p.path, p.message) for p in SOURCES[source](repo.place).problems]


def test_a_committed_store_is_the_same_wherever_it_is_read(repo: Repo) -> None:
    for kind in ("dead-end", "lesson", "procedure"):
        repo.record(kind=kind)
    repo.write(".lessons/broken.yaml", "id: [\n")
    repo.write(".lessons/deep/er/broken.yaml", "kind: dead-end\n")
    commit = repo.commit()
    trees = [source(repo.place) for source in SOURCES.values()]
    trees += [snapshot.of_revision(repo.place, text) for text in (commit, "main", "HEAD^{tree}", commit[:9])]
    for tree in trees[1:]:
        assert tree.records == trees[0].records
        assert [r.path for r in tree.records.values()] == [r.path for r in trees[0].records.values()]
        assert tree.problems == trees[0].problems
    assert (len(trees[0].records), len(trees[0].problems)) == (3, 2)
    assert [tree.source for tree in trees[:4]] == ["work tree", "index", "HEAD", commit]


def test_what_is_staged_is_neither_the_work_tree_nor_head(repo: Repo) -> None:
    record = repo.record(route="first")
    repo.commit()
    repo.record(route="second", id=record.id, path=record.path)
    repo.git("add", "-A")
    repo.record(route="third", id=record.id, path=record.path)
    assert [said(repo, source)[record.path] for source in SOURCES] == ["third", "second", "first"]
    (repo.root / record.path).unlink()
    assert [record.path in said(repo, source) for source in SOURCES] == [False, True, True]
    repo.git("rm", "-q", "--cached", record.path)
    assert [record.path in said(repo, source) for source in SOURCES] == [False, False, True]


def test_an_unmerged_record_is_a_problem_of_the_index_alone(repo: Repo) -> None:
    kept = repo.record(route="kept")
    record = repo.record(route="base")
    repo.commit()
    repo.git("checkout", "-qb", "side")
    repo.record(route="theirs", id=record.id, path=record.path)
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.record(route="ours", id=record.id, path=record.path)
    repo.commit()
    subprocess.run(["git", "merge", "-q", "side"], cwd=repo.root, capture_output=True, check=False)
    assert said(repo, "index") == {kept.path: "kept"}
    assert problems(repo, "index") == [(record.path, "unresolved merge conflict")]
    assert said(repo, "HEAD") == {kept.path: "kept", record.path: "ours"}
    [(path, _)] = problems(repo, "work tree")
    assert path == record.path
    repo.record(route="both", id=record.id, path=record.path)
    repo.git("add", "-A")
    assert said(repo, "index") == {kept.path: "kept", record.path: "both"}
    assert problems(repo, "index") == []


def test_links_and_submodules_in_a_tree_are_not_followed(repo: Repo) -> None:
    real = repo.record()
    os.symlink(os.path.basename(real.path), repo.root / ".lessons/dead-ends/link.yaml")
    repo.git("add", "-A")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},.lessons/sub.yaml")
    repo.git("commit", "-qm", "x")
    for source in ("index", "HEAD"):
        assert list(said(repo, source)) == [real.path]
        assert [path for path, _ in problems(repo, source)] == [
            ".lessons/dead-ends/link.yaml",
            ".lessons/sub.yaml",
        ]


def test_a_large_blob_is_never_loaded(repo: Repo) -> None:
    real = repo.record()
    with open(repo.root / ".lessons/big.yaml", "wb") as file:
        file.truncate(50_000_000)
    repo.commit()
    for source in SOURCES:
        assert list(said(repo, source)) == [real.path]
        [(path, message)] = problems(repo, source)
        assert path == ".lessons/big.yaml"
        assert "50,000,000 bytes" in message


def test_an_object_that_is_missing_costs_itself(repo: Repo) -> None:
    real, lost = repo.record(route="kept"), repo.record(route="lost")
    repo.commit()
    oid = repo.git("rev-parse", f"HEAD:{lost.path}")
    (repo.root / ".git/objects" / oid[:2] / oid[2:]).unlink()
    assert list(said(repo, "HEAD")) == [real.path]
    assert [path for path, _ in problems(repo, "HEAD")] == [lost.path]


def test_line_ends_and_filters_of_the_checkout_change_no_record(repo: Repo) -> None:
    repo.write(".gitattributes", "*.yaml text eol=crlf\n")
    (repo.root / ".lessons/.gitattributes").unlink()
    record = repo.record(route="warm the cache", observation="no")
    repo.commit()
    (repo.root / record.path).unlink()
    repo.git("checkout", "--", ".")
    assert b"\r\n" in (repo.root / record.path).read_bytes()
    assert [said(repo, source) for source in SOURCES] == [{record.path: "warm the cache"}] * 3


@pytest.mark.parametrize(
    "text",
    ["none", "", " ", "-x", "--all", "--output=ran", "HEAD:nothing", "main..side", ":/absent", "@{99}"],
)
def test_what_names_no_revision_is_refused(repo: Repo, text: str) -> None:
    repo.commit()
    with pytest.raises(ChalkError, match="is no revision"):
        snapshot.of_revision(repo.place, text)
    assert not list(repo.root.rglob("ran"))


def test_a_store_without_commits_has_an_index_and_no_head(repo: Repo) -> None:
    record = repo.record(route="r")
    assert said(repo, "index") == {}
    repo.git("add", "-A")
    assert said(repo, "index") == {record.path: "r"}
    with pytest.raises(ChalkError, match="no revision"):
        said(repo, "HEAD")


def test_what_a_revision_knew_is_asked_of_it_alone(repo: Repo) -> None:
    old = repo.record(route="warm the cache")
    first = repo.commit()
    (repo.root / old.path).unlink()
    new = repo.record(route="warm the cache again", supersedes=[old.id])
    repo.commit()
    then = refresh.of_revision(repo.place, first)
    assert then.table.ids() == {old.id: old.path}
    assert [path for path, _ in then.words.search("warm", 9)] == [old.path]
    now = refresh.of_revision(repo.place, "HEAD")
    assert now.table.rows("select old, new, effective from successors") == [(old.id, new.id, 1)]
    assert not (repo.root / ".git/chalkgit").exists()
