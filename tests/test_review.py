"""`review`: what a change does to the lessons, to the letter, and what the command does with it.

After a change of words: `GOLDEN=write pytest tests/test_review.py`.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from changing import KEY, Change, change_fixture  # noqa: F401
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from reviewing import team_fixture  # noqa: F401

from chalkgit import times
from chalkgit.answers.finding import RULES

GOLDEN = Path(__file__).with_name("golden")


@pytest.fixture(autouse=True)
def fixed_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(times, "system_clock", lambda: datetime(2026, 6, 1, 12, tzinfo=UTC))


def _assert_golden(name: str, text: str) -> None:
    text = re.sub(r"\b[0-9a-f]{40}\b", "0123456789abcdef0123456789abcdef01234567", text)
    text = re.sub(r"\b[0-9a-f]{12}\b", "0123456789ab", text)
    file = GOLDEN / name
    if os.environ.get("GOLDEN") == "write":
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_a_change_of_everything_is_told_in_these_words(change: Change, chalk: Inside) -> None:
    result = chalk("review", "base")
    assert (result.code, result.err) == (1, "")
    _assert_golden("review-everything.txt", result.out)
    json = chalk("review", "base", "--json")
    assert (json.code, json.err) == (1, "")
    _assert_golden("review-everything.json", json.out)


def test_a_change_of_everything_meets_every_rule(change: Change, chalk: Inside) -> None:
    found = chalk.json("review", "base", code=1)["findings"]
    assert {finding["rule"] for finding in found} == {rule.name for rule in RULES}
    seen = [(f["rule"], f["record"], f["path"]) for f in found if f["rule"] not in ("contradicts", "repeats")]
    assert sorted(set(seen)) == sorted(seen)  # one finding a record and rule


def test_no_finding_repeats_a_secret(change: Change, chalk: Inside) -> None:
    for format in ("text", "markdown", "github", "sarif", "rdjson", "gitlab"):
        assert KEY not in chalk("review", "base", "--format", format).out
    assert KEY not in chalk("review", "base", "--json").out
    assert (
        KEY in (change.repo.root / ".lessons/dead-ends/sign-in-with-the-deploy-key.secret00.yaml").read_text()
    )


def test_the_exit_code_follows_the_level_that_is_asked_for(repo: Repo, chalk: Inside) -> None:
    repo.commit("base")
    repo.git("tag", "base")
    assert chalk("review", "base").code == 0
    record = repo.record(degree="contradicted")
    repo.commit()
    codes = {
        level: chalk("review", "base", "--fail-on", level).code for level in ("note", "warning", "never")
    }
    assert codes == {"note": 1, "warning": 0, "never": 0}
    repo.git("tag", "added")
    (repo.root / record.path).unlink()
    repo.commit()
    codes = {
        level: chalk("review", "added", "--fail-on", level).code for level in ("warning", "error", "never")
    }
    assert codes == {"warning": 1, "error": 0, "never": 0}


def test_a_change_without_lessons_says_one_line(repo: Repo, chalk: Inside) -> None:
    repo.record(files=["src/a.py"])
    repo.write("src/a.py", "a\n")
    repo.write("src/b.py", "b\n")
    base = repo.commit()
    repo.write("src/b.py", "changed\n")
    repo.commit()
    assert chalk("review", base).out == "Nothing in this change bears on the lessons.\n"
    repo.write("src/a.py", "changed\n")
    repo.commit()
    assert "which" in chalk("review", base).out


def test_the_base_is_where_the_two_parted(repo: Repo, chalk: Inside) -> None:
    repo.commit("start")
    repo.git("checkout", "-q", "-b", "topic")
    mine = repo.record(route="mine", observation="of the branch")
    repo.commit()
    repo.git("checkout", "-q", "main")
    theirs = repo.record(route="theirs", observation="of main, later")
    repo.commit()
    for asked in ("main..topic", "main...topic"):
        found = chalk.json("review", asked)
        assert [(f["rule"], f["record"]) for f in found["findings"]] == [("adds", mine.id)]
        assert found["base"] == repo.git("merge-base", "main", "topic")
        assert (found["asked"], found["records"]) == (asked, {"before": 0, "after": 1})
    assert [f["record"] for f in chalk.json("review", "topic")["findings"]] == [theirs.id]
    assert chalk.json("review", "topic")["asked"] == "topic..HEAD"


def test_what_is_not_committed_is_reviewed_where_no_base_is_named(repo: Repo, chalk: Inside) -> None:
    repo.commit("start")
    staged = repo.record(route="staged", observation="and not committed")
    repo.git("add", "-A")
    loose = repo.record(route="loose", observation="git does not know it")
    head = repo.git("rev-parse", "HEAD")
    for args, ids in (
        ((), [loose.id, staged.id]),
        (("--work-tree",), [loose.id, staged.id]),
        (("--staged",), [staged.id]),
    ):
        found = chalk.json("review", *args)
        assert (found["base"], found["head"]) == (head, None)
        assert [f["record"] for f in found["findings"]] == ids
    assert chalk.json("review", "HEAD")["findings"] == []


def test_before_the_first_commit_everything_is_new(repo: Repo, chalk: Inside) -> None:
    record = repo.record()
    assert [f["record"] for f in chalk.json("review")["findings"]] == [record.id]
    repo.git("add", "-A")
    assert [f["rule"] for f in chalk.json("review", "--staged")["findings"]] == ["adds"]


def test_a_past_that_this_clone_cannot_see_is_unknown(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    first = repo.commit("first")
    repo.record()
    repo.commit("second")
    repo.git("clone", "-q", "--depth", "1", repo.root.as_uri(), str(tmp_path / "shallow"))
    result = chalk("review", first, cwd=tmp_path / "shallow")
    assert (result.code, result.out) == (2, "")
    assert "that this shallow clone can see\nhint: git fetch --unshallow" in result.err
    repo.git("fetch", "-q", "--unshallow", cwd=tmp_path / "shallow")
    assert chalk("review", first, cwd=tmp_path / "shallow").code == 0


def test_two_commits_that_share_nothing_are_unknown(repo: Repo, chalk: Inside) -> None:
    repo.commit("one")
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit("another")
    result = chalk("review", "main..other")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("chalkgit: what main..other changes is unknown: they share no commit")


@pytest.mark.parametrize(
    "asked", ["-x", "--output=owned", "HEAD^{tree}", "nowhere", "HEAD..nowhere", "a\nb", "HEAD:.lessons"]
)
def test_what_is_no_commit_is_refused(repo: Repo, chalk: Inside, asked: str) -> None:
    repo.commit()
    result = chalk("review", "--", asked)
    assert (result.code, result.out) == (2, "")
    assert "is no revision of this repository" in result.err
    assert not (repo.root / "owned").exists()
    assert chalk("review", "--", "HEAD").code == 0


@pytest.mark.parametrize("asked", ["", " ", "..", "..HEAD", "...HEAD"])
def test_a_base_that_is_empty_passes_no_build(repo: Repo, chalk: Inside, asked: str) -> None:
    repo.commit()
    result = chalk("review", asked)
    assert (result.code, result.out) == (2, "")
    assert "names no base to compare with\nhint: chalkgit review BASE..HEAD" in result.err
    assert chalk("review", "HEAD..").code == 0


def test_the_ways_to_ask_exclude_each_other(repo: Repo, chalk: Inside) -> None:
    repo.commit()
    for args in (("HEAD", "--staged"), ("--staged", "--work-tree"), ("HEAD", "--work-tree")):
        assert chalk("review", *args).code == 2
    assert chalk("review", "--staged").code == 0


def test_formats_without_a_place_for_it_say_beside_them_what_was_not_looked_at(
    repo: Repo, chalk: Inside
) -> None:
    base = repo.commit()
    repo.record()
    repo.commit()
    for format in ("rdjson", "gitlab"):
        assert "not looked at: whether records mean the same" in chalk("review", base, "--format", format).err
    assert "Not looked at" in chalk("review", base).out
    assert chalk("review", base).err == ""


def test_a_repository_without_lessons_has_nothing_to_say(repo: Repo, chalk: Inside) -> None:
    import shutil

    repo.record()
    base = repo.commit()
    shutil.rmtree(repo.root / ".lessons")
    assert [f["rule"] for f in chalk.json("review", code=1)["findings"]] == ["deletes"]
    gone = repo.commit()
    assert [f["rule"] for f in chalk.json("review", base, code=1)["findings"]] == ["deletes"]
    repo.write("a.py", "a\n")
    repo.commit()
    assert chalk.json("review", gone)["findings"] == []
