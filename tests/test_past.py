"""The index of a commit: its records, their moments and its lockfiles, whatever the work tree holds."""

from __future__ import annotations

import json

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from moments_of import WHY, Days, both, found
from repository import Repo

from chalkgit import thresholds
from chalkgit.answers.dependencies import Dependencies
from chalkgit.answers.then import Then, dependencies
from chalkgit.index import past, refresh
from chalkgit.store import moments


def lock(version: str) -> str:
    return f'[[package]]\nname = "django"\nversion = "{version}"\n'


@pytest.fixture(name="days")
def days_fixture(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Days:
    return Days(repo, monkeypatch)


def test_the_few_and_the_many_are_dated_alike_as_of_a_commit(days: Days, repo: Repo) -> None:
    records = [
        repo.record(route=f"cache {n}", observation=WHY) for n in range(thresholds.RECORDED_AT_ONCE + 6)
    ]
    days.commit("2026-05-01")
    days.edit(records[0], tags=["new"])
    second = days.commit("2026-05-02")
    days.edit(records[1], tags=["newer"])
    days.commit("2026-05-03")
    index = refresh.of_revision(repo.place, second, words=False)
    paths = [record.path for record in records]
    many = past.recorded(index, paths)
    few = {path: past.recorded(index, [path])[path] for path in paths}
    assert many == few
    assert (many[paths[0]][1], many[paths[1]][1]) == ("2026-05-02T12:00:00Z", "2026-05-01T12:00:00Z")
    assert moments.recorded(repo.place)[paths[1]][1] == "2026-05-03T12:00:00Z"


def test_files_of_a_commit_are_read_through_no_link_and_no_filter_and_in_bounds(
    days: Days, repo: Repo
) -> None:
    repo.write(".gitattributes", "*.lock filter=upper\n")
    repo.git("config", "filter.upper.smudge", "sed s/4.2/9.9/")
    repo.write("uv.lock", lock("4.2"))
    repo.write("other.lock", lock("1.0"))
    (repo.root / "Cargo.lock").symlink_to("other.lock")
    repo.write("poetry.lock", "x" * (thresholds.DEPENDENCY_BYTES + 1))
    repo.write("package-lock.json", b"\xff")
    (repo.root / "go.mod").mkdir()
    repo.write("go.mod/x", "1\n")
    commit = days.commit("2026-05-01")
    repo.git("rm", "-rqf", "--cached", ".")
    then = dependencies(str(repo.root), commit)
    assert then.installed("django") == ["4.2"]
    assert sorted(then.problems) == [
        "Cargo.lock was skipped: a symbolic link, not followed",
        "go.mod was skipped: no regular file",
        "package-lock.json was skipped: no UTF-8 at byte 0",
        f"poetry.lock was skipped: {thresholds.DEPENDENCY_BYTES + 1} bytes long, more than "
        f"{thresholds.DEPENDENCY_BYTES}",
    ]
    assert Then(str(repo.root), "").names() == []
    assert Then(str(repo.root), commit).text("none") is None
    assert Dependencies(str(repo.root)).installed("django") == ["4.2"]


def test_the_work_tree_is_not_looked_at_for_a_past(days: Days, repo: Repo, chalk: Inside) -> None:
    dead, _ = both(repo)
    commit = days.commit("2026-05-01")
    before = {command: found(chalk, command, "--known-at", commit) for command in ("check", "at", "list")}
    file = repo.root / dead.path
    file.unlink()
    assert {c: found(chalk, c, "--known-at", commit) for c in before} == before
    assert dead.id not in found(chalk, "at")
    # a damaged record of then is named, and costs itself
    repo.write(dead.path, "kind: [\n")
    damaged = days.commit("2026-05-02")
    result = chalk("list", "--known-at", damaged, "--json")
    assert f"skipped {dead.path}" in result.err
    assert dead.id not in {row["id"] for row in json.loads(result.out)["records"]}
    assert "skipped" not in chalk("list", "--known-at", commit).err
