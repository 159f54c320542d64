"""A field that names a commit holds a commit's id, whoever writes it: a word would say nothing later."""

from __future__ import annotations

import json

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo


@pytest.mark.parametrize("name", ["at-commit", "settled"])
def test_correct_writes_the_commit_that_a_name_means_and_refuses_what_is_none(
    repo: Repo, chalk: Inside, name: str
) -> None:
    record = repo.record(route="a route", observation="b")
    commit = repo.commit()
    for word in ("banana", "HEAD~99", "0" * 40, ".lessons", "HEAD^{tree}"):
        refused = chalk("correct", record.id, f"--{name}", word)
        assert refused.code == 2
        assert f"“{word}” is no commit of this repository" in refused.err
        assert "hint: git log" in refused.err
    assert name not in chalk.json("show", record.id)["records"][0]
    for word in ("HEAD", "main", commit[:8]):
        assert chalk("correct", record.id, f"--{name}", word).code == 0
        assert chalk.json("show", record.id)["records"][0][name] == commit
        assert chalk("correct", record.id, f"--{name}", "").code == 0
    assert chalk("settle", record.id, "--by", "banana").code == 2
    assert chalk("settle", record.id, "--by", "HEAD").code == 0


@pytest.mark.parametrize("name", ["at-commit", "settled"])
def test_an_import_takes_a_commit_of_another_clone_and_no_other_word(
    repo: Repo, chalk: Inside, name: str
) -> None:
    rows = [
        {"route": f"cache the manifest in {word}", "observation": "it went stale", name: word}
        for word in ("HEAD", "banana", "041a8adfaec3c3ca39c4d91767ca06fe853efd16", "041a8ad")
    ]
    done = chalk("import", "-", stdin="".join(json.dumps(row) + "\n" for row in rows))
    assert "imported 2" in done.out
    assert f"{name} “HEAD” is no commit's id" in done.err
    assert f"{name} “banana” is no commit's id" in done.err
    assert len(chalk.json("list")["records"]) == 2


def test_lint_names_such_a_word_with_its_line_and_leaves_commits_alone(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route="a", observation="b", at_commit="HEAD", settled="banana")
    repo.record(route="c", observation="b", at_commit="041a8ad", settled="041a8adfaec3")
    found = chalk.json("lint", code=1)["findings"]
    assert [(one["path"], one["line"], one["message"]) for one in found] == [
        (record.path, 6, "at-commit “HEAD” is no commit's id"),
        (record.path, 7, "settled “banana” is no commit's id"),
    ]
    assert found[1]["hint"] == f"chalkgit correct {record.id} --settled COMMIT"


def test_what_was_written_by_hand_keeps_nobody_from_correcting_the_rest(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route="a", observation="b", at_commit="HEAD")
    repo.commit()
    assert chalk("correct", record.id, "--observation", "c").code == 0
    assert chalk("correct", record.id, "--at-commit", "HEAD").code == 0
    assert chalk("lint").code == 0
