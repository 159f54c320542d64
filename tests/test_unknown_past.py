"""A past that this clone cannot see is unknown, never no; what is no moment at all is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from moments_of import COMMANDS, Days, ask, both, found
from repository import Repo


@pytest.fixture(name="days")
def days_fixture(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Days:
    return Days(repo, monkeypatch)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_shallow_clone_says_unknown_and_prints_no_answer(
    days: Days, repo: Repo, chalk: Inside, command: str, tmp_path: Path
) -> None:
    both(repo)
    first = days.commit("2026-05-03")
    days.commit("2026-06-03")
    repo.git("clone", "-q", "--depth", "1", repo.root.as_uri(), str(tmp_path / "shallow"))
    assert found(chalk, command, "--known-at", "2026-05-20") != set()
    chalk.root = tmp_path / "shallow"
    for known in ("2026-05-20", "2026-01-01", first, "HEAD~1"):
        result = ask(chalk, command, "--known-at", known)
        assert (result.code, result.out) == (2, ""), result
        assert "hint: git fetch --unshallow" in result.err
        assert "unknown" in result.err or "shallow" in result.err
    unseen = ask(chalk, command, "--known-at", first, *(() if command == "export" else ("--json",)))
    assert unseen.code == 2
    if command == "check":
        said = json.loads(unseen.out)
        assert (said["verdict"], said["as_of"]) == (
            "unknown",
            {"known_at": first, "commit": None, "valid_at": None},
        )
    else:
        assert unseen.out == ""
    # what it can see it answers
    assert found(chalk, command, "--known-at", "2026-06-03") != set()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_missing_record_of_a_commit_makes_its_answer_unknown(
    days: Days, repo: Repo, chalk: Inside, command: str
) -> None:
    dead, _ = both(repo)
    first = days.commit("2026-05-03")
    assert found(chalk, command, "--known-at", first) != set()
    blob = repo.git("rev-parse", f"{first}:{dead.path}")
    days.edit(dead, tags=["new"])
    days.commit("2026-05-04")
    (repo.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    result = ask(chalk, command, "--known-at", first)
    assert (result.code, result.out) == (2, "")
    assert f"what was known at {first[:12]} is unknown: {dead.path}: " in result.err
    assert "hint: git fsck" in result.err
    assert found(chalk, command, "--known-at", "HEAD") != set()


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_revision_and_no_date_is_refused(
    days: Days, repo: Repo, chalk: Inside, command: str
) -> None:
    both(repo)
    days.commit("2026-05-03")
    for options, said in (
        (("--known-at", "nowhere"), "“nowhere” is no revision"),
        (("--known-at", ""), "--known-at is empty"),
        (("--known-at", "HEAD:.lessons"), "is no revision"),
        (("--valid-at", "soon"), "--valid-at “soon” is no date"),
    ):
        result = ask(chalk, command, *options)
        assert (result.code, result.out) == (2, ""), options
        assert said in result.err
    assert ask(chalk, command, "--known-at", "HEAD").code in (0, 1)
