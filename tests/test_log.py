"""log and diff tell what happened to each record; the audit tells who did, and what was rewritten since."""

from __future__ import annotations

import csv
import io
import subprocess
from pathlib import Path

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from reviewing import ADA, BO, MALLORY, Team, team_fixture  # noqa: F401


def events(chalk: Inside, *args: str) -> list[tuple[str, list[str]]]:
    return [(row["id"], row["events"]) for row in chalk.json("log", *args)["versions"]]


def test_every_version_is_told_newest_first_and_what_is_not_committed_before_all(
    repo: Repo, chalk: Inside
) -> None:
    old, new = repo.record(route="the old way"), repo.record(route="the new way")
    repo.commit()
    assert chalk("correct", old.id, "--layer", "design", "--commit").code == 0
    assert chalk("supersede", old.id, "--by", new.id, "--commit").code == 0
    assert chalk("retire", new.id, "--because", "gone").code == 0
    assert events(chalk, old.id) == [
        (old.id, ["superseded"]),
        (old.id, ["corrected"]),
        (old.id, ["recorded"]),
    ]
    assert events(chalk, new.id) == [(new.id, ["retired"]), (new.id, ["corrected"]), (new.id, ["recorded"])]
    rows = chalk.json("log", new.id)["versions"]
    assert [(row["state"], row["commit"] is None) for row in rows] == [
        ("uncommitted", True),
        ("committed", False),
        ("committed", False),
    ]
    assert rows[0]["changes"][0]["field"] == "retired"
    assert rows[1]["changes"] == [{"field": "supersedes", "before": None, "after": [old.id]}]
    assert chalk.json("log", old.id)["versions"][0]["superseded_by"] == new.id
    said = chalk("log", old.id).out
    assert f"superseded by {new.id}" in said
    assert "layer: none → design" in said


def test_a_version_keeps_what_the_record_said_then(repo: Repo, chalk: Inside) -> None:
    record = repo.record(observation="it was slow")
    repo.commit()
    assert chalk("correct", record.id, "--observation", "it was wrong", "--commit").code == 0
    rows = chalk.json("log", record.id)["versions"]
    assert [row["observation"] for row in rows] == ["it was wrong", "it was slow"]
    assert rows[1]["author"] == "Ada"
    assert rows[1]["recorded_at"] == "2026-03-14T09:00:00Z"


def test_filters_choose_versions(repo: Repo, chalk: Inside) -> None:
    dead = repo.record(files=["src/a.py"], tags=["x"])
    works = repo.record("procedure")
    repo.commit()
    assert chalk("retire", dead.id, "--because", "gone", "--commit").code == 0
    assert len(events(chalk)) == 3
    assert [i for i, _ in events(chalk, "--kind", "procedure")] == [works.id]
    assert events(chalk, "--event", "retired") == [(dead.id, ["retired"])]
    assert len(events(chalk, "--file", "src/a.py")) == 2
    assert len(events(chalk, "--tag", "x")) == 2
    assert len(events(chalk, "--limit", "1")) == 1


def test_a_record_that_is_gone_still_has_its_history(repo: Repo, chalk: Inside) -> None:
    record = repo.record(route="gone by now")
    repo.commit()
    repo.git("rm", "-q", record.path)
    repo.commit()
    assert events(chalk, record.id[:5]) == [(record.id, ["deleted"]), (record.id, ["recorded"])]
    row = chalk.json("log", record.id)["versions"][0]
    assert (row["status"], row["path"], row["route"]) == ("deleted", None, "gone by now")
    result = chalk("log", "zzzz")
    assert (result.code, "no record has the id" in result.err) == (2, True)


def test_another_revision_has_a_history_of_its_own(repo: Repo, chalk: Inside) -> None:
    first = repo.record(route="first")
    repo.commit()
    repo.git("checkout", "-qb", "side")
    side = repo.record(route="on the side")
    repo.commit()
    repo.git("checkout", "-q", "main")
    assert [i for i, _ in events(chalk)] == [first.id]
    assert [i for i, _ in events(chalk, "--ref", "side")] == [side.id, first.id]
    assert [i for i, _ in events(chalk)] == [first.id]
    result = chalk("log", "--ref=--all")
    assert (result.code, "is no revision" in result.err) == (2, True)


def test_a_branch_without_a_commit_has_what_is_not_committed(repo: Repo, chalk: Inside) -> None:
    assert events(chalk) == []
    record = repo.record()
    assert events(chalk) == [(record.id, ["recorded"])]
    repo.git("add", "-A")
    assert events(chalk) == [(record.id, ["recorded"])]


def test_stored_text_and_names_cannot_steer_a_terminal(
    repo: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Eve\x1b[2J")
    repo.record(route="say \u202eit\u202c backwards")
    repo.commit("subject \x1b]0;x\x07")
    for args in (["log"], ["log", "--audit"], ["log", "--audit", "--csv"], ["log", "--json"]):
        out = chalk(*args).out
        assert "Eve" in out
        assert not set(out) & {"\x1b", "\x07", "\u202e"}


# --- diff ----------------------------------------------------------------------------------------


def test_diff_compares_two_trees_by_id(repo: Repo, chalk: Inside) -> None:
    kept, gone, moved = (repo.record(route=f"route {n}") for n in range(3))
    repo.commit()
    new = repo.record("procedure")
    assert chalk("correct", kept.id, "--tag", "x").code == 0
    repo.git("mv", moved.path, ".lessons/elsewhere.yaml")
    (repo.root / gone.path).unlink()
    found = {row["id"]: row for row in chalk.json("diff", "HEAD")["records"]}
    assert {i: row["events"] for i, row in found.items()} == {
        kept.id: ["corrected"],
        gone.id: ["deleted"],
        moved.id: ["renamed"],
        new.id: ["recorded"],
    }
    assert found[kept.id]["changes"] == [{"field": "tags", "before": None, "after": ["x"]}]
    assert chalk.json("diff", "HEAD", "--staged")["records"][0]["id"] == moved.id
    repo.commit()
    assert {row["id"] for row in chalk.json("diff", "HEAD~1..HEAD")["records"]} == set(found)
    assert chalk.json("diff", "HEAD~1", "HEAD") == chalk.json("diff", "HEAD~1..HEAD") | {
        "before": "HEAD~1",
        "after": "HEAD",
    }
    assert chalk.json("diff", "HEAD")["records"] == []
    assert "tags: none → x" in chalk("diff", "HEAD~1").out
    result = chalk("diff", "--", "--output=x")
    assert (result.code, "is no revision" in result.err) == (2, True)


# --- audit ---------------------------------------------------------------------------------------


def test_the_audit_names_who_changed_what(team: Team) -> None:
    record = team.recorded(BO)
    team.approve(record)
    rows = team.inside.json("log", "--audit")["versions"]
    assert [(r["events"], r["author"], r["trust"], r["signature"]) for r in rows] == [
        (["reviewed"], "Ada", "approved", "none"),
        (["recorded"], "Bo", "unreviewed", "none"),
    ]
    table = list(csv.DictReader(io.StringIO(team.inside("log", "--audit", "--csv").out)))
    assert [row["events"] for row in table] == [
        "reviewed (approved)",
        "recorded",
        "the list of reviewers changed",
    ]
    assert table[0]["email"] == "ada@example.org"


def test_the_audit_names_a_change_of_the_list_that_does_not_count(team: Team) -> None:
    team.reviewers("ada@example.org", "mal@example.org")
    team.commit(MALLORY)
    found = team.inside.json("log", "--audit")["reviewers"]
    assert [(row["author"], row["counts"]) for row in found] == [("Mallory", False), ("Ada", True)]
    assert "does not count: Mallory" in team.inside("log", "--audit").out


def test_a_rewritten_history_is_noticed_and_stays_told(repo: Repo, chalk: Inside) -> None:
    repo.record(route="first")
    repo.commit()
    second = repo.record(route="second")
    tip = repo.commit()
    assert chalk.json("log", "--audit")["rewritten"] == []
    repo.record(route="third")
    repo.commit()
    assert chalk.json("log", "--audit")["rewritten"] == []  # the control: it went on
    repo.git("reset", "-q", "--hard", tip)
    repo.git("rm", "-q", second.path)
    repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "rewritten")
    for _ in range(2):
        (found,) = chalk.json("log", "--audit")["rewritten"]
        assert (found["ref"], found["versions"], found["kept"]) == ("refs/heads/main", 3, 1)
        assert found["common"] == repo.git("rev-parse", "HEAD~1")
    assert chalk("log", "--audit").out.startswith("refs/heads/main was rewritten: on ")


def test_any_reading_of_the_log_is_a_checkpoint_and_another_branch_is_no_rewriting(
    repo: Repo, chalk: Inside
) -> None:
    repo.record(route="first")
    repo.commit()
    repo.git("checkout", "-qb", "side")
    repo.record(route="second")
    repo.commit()
    assert chalk("log").code == 0
    repo.git("checkout", "-q", "main")
    assert chalk.json("log", "--audit")["rewritten"] == []
    repo.git("checkout", "-q", "side")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert len(chalk.json("log", "--audit")["rewritten"]) == 1


def test_a_journal_that_takes_nothing_is_told_and_costs_no_answer(repo: Repo, chalk: Inside) -> None:
    record = repo.record()
    repo.commit()
    assert chalk("log", "--audit").err == ""
    journal = repo.root / ".git/chalkgit-journal/journal.db"
    journal.unlink()
    journal.symlink_to(repo.root / "elsewhere")
    result = chalk("log", "--audit")
    assert "the journal takes nothing" in result.err
    assert record.id in result.out


def test_a_shallow_clone_says_what_it_cannot_know(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    record = repo.record()
    repo.commit()
    assert chalk("correct", record.id, "--layer", "design", "--commit").code == 0
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth", "1", repo.root.as_uri(), str(clone)], check=True)
    there = Inside(clone, pytest.MonkeyPatch())
    (row,) = there.json("log")["versions"]
    assert (row["state"], row["recorded_at"], row["events"]) == ("unknown", None, ["recorded"])
    result = there("diff", "HEAD~1")
    assert (result.code, "git fetch --unshallow" in result.err) == (2, True)
    result = there("log")
    assert "history is cut off" in result.err
    assert "git fetch --unshallow" in result.err
    assert chalk("log").err == ""


@pytest.mark.parametrize("option", [["--limit", "3"], ["--kind", "lesson"], ["abcd"]])
def test_options_that_do_not_go_together_are_refused(repo: Repo, chalk: Inside, option: list[str]) -> None:
    result = chalk("log", "--audit", *option)
    assert (result.code, "it takes no" in result.err) == (2, True)
    assert chalk("log", "--csv").code == 2
    assert chalk("log", "--audit").code == 0
