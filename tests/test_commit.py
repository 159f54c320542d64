"""--stage and --commit: that record alone, and the user's index as it was, whatever git says."""

from __future__ import annotations

import json

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

FULL = ("tried", "cache the parsed manifest", "--because", "it went stale")


def _index(repo: Repo) -> str:
    return repo.git("ls-files", "--stage", "--", ".") + repo.git(
        "status", "--porcelain", "--", "a.txt", "b.txt"
    )


def _changed(repo: Repo, commit: str = "HEAD") -> list[str]:
    return repo.git("show", "--format=", "--name-only", commit).splitlines()


@pytest.fixture(name="busy")
def busy_fixture(repo: Repo) -> Repo:
    """A repository whose user has staged one file, changed another since, and left a third untracked."""
    repo.write("a.txt", "1\n")
    repo.write("b.txt", "1\n")
    repo.commit()
    repo.write("a.txt", "2\n")
    repo.git("add", "a.txt")
    repo.write("a.txt", "3\n")
    repo.write("b.txt", "2\n")
    repo.write("c.txt", "1\n")
    return repo


def test_a_commit_has_that_record_alone_and_leaves_the_users_index(busy: Repo, chalk: Inside) -> None:
    before = busy.git("status", "--porcelain")
    answer = chalk.json(*FULL, "--commit")
    assert _changed(busy) == [answer["path"]]
    assert answer["commit"] == busy.git("rev-parse", "HEAD")
    assert busy.git("status", "--porcelain") == before
    assert answer["id"] in busy.git("log", "-1", "--format=%s")
    chalk.json("correct", answer["id"], "--layer", "design", "--commit")
    assert _changed(busy) == [answer["path"]]
    assert busy.git("status", "--porcelain") == before
    chalk.json("retire", answer["id"], "--because", "moot", "--commit")
    assert busy.git("status", "--porcelain") == before
    assert busy.git("log", "-1", "--format=%s").startswith("lessons: retire")


def test_staging_stages_that_record_alone(busy: Repo, chalk: Inside) -> None:
    path = chalk.json(*FULL, "--stage")["path"]
    assert sorted(busy.git("diff", "--cached", "--name-only").splitlines()) == sorted([path, "a.txt"])


def test_the_first_commit_of_a_branch_may_be_a_record(repo: Repo, chalk: Inside) -> None:
    answer = chalk.json(*FULL, "--commit")
    assert _changed(repo) == [answer["path"]]
    assert "?? .lessons/README.md" in repo.git("status", "--porcelain", "-uall")


@pytest.mark.parametrize("born", [True, False])
def test_a_hook_that_refuses_leaves_the_file_and_the_index_and_is_quoted(
    repo: Repo, chalk: Inside, born: bool
) -> None:
    repo.write("a.txt", "1\n")
    if born:
        repo.commit()
    hook = repo.write(".git/hooks/pre-commit", "#!/bin/sh\necho 'not on a Friday' >&2\nexit 1\n")
    hook.chmod(0o755)
    before = repo.git("ls-files", "--stage")
    result = chalk(*FULL, "--commit")
    assert result.code == 2
    assert "is written, but git did not commit it: not on a Friday" in result.err
    assert "hint: git commit -- .lessons/dead-ends/" in result.err
    assert repo.git("ls-files", "--stage") == before
    assert len(json.loads(chalk("list", "--json").out)["records"]) == 1
    record = chalk.json("list")["records"][0]
    assert chalk("correct", record["id"], "--layer", "design", "--commit").code == 2
    assert repo.git("ls-files", "--stage") == before


def test_a_record_staged_before_stays_staged_as_it_was_when_a_hook_refuses(repo: Repo, chalk: Inside) -> None:
    repo.commit()
    record = chalk.json(*FULL, "--stage")
    hook = repo.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    before = repo.git("ls-files", "--stage")
    assert chalk("correct", record["id"], "--layer", "design", "--commit").code == 2
    assert repo.git("ls-files", "--stage") == before


def test_a_commit_during_a_merge_is_refused_and_the_merge_stands(repo: Repo, chalk: Inside) -> None:
    repo.write("a.txt", "1\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "side")
    repo.write("a.txt", "2\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.write("b.txt", "1\n")
    repo.commit()
    repo.git("merge", "-q", "--no-commit", "--no-ff", "side")
    before = repo.git("ls-files", "--stage")
    result = chalk(*FULL, "--commit")
    assert result.code == 2
    assert "is written, but git did not commit it" in result.err
    assert "merge" in result.err
    assert repo.git("ls-files", "--stage") == before
    assert repo.git("rev-parse", "MERGE_HEAD")


def test_an_ignored_folder_is_said_and_the_record_is_there(repo: Repo, chalk: Inside) -> None:
    repo.write(".gitignore", ".lessons/\n")
    repo.commit()
    for option in ("--commit", "--stage"):
        result = chalk(*FULL, option)
        assert result.code == 2
        assert "ignored" in result.err
    assert len(chalk.json("list")["records"]) == 2
