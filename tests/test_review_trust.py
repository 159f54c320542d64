"""Approvals in a change: an honest one stands beside every forgery that is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import told
from inside import Inside, chalk_fixture  # noqa: F401
from reviewing import ADA, BO, BOT, MALLORY, Team, team_fixture  # noqa: F401

from chalkgit.records.record import Record
from chalkgit.store import writes

CLAUDE = {"name": "Bo", "agent": "claude-code"}


def base_of(team: Team) -> str:
    return team.repo.git("rev-parse", "HEAD")


def assert_refused(team: Team, base: str, honest: Record, forged: Record, why: str) -> None:
    said = told.rules(team.inside, base)
    assert said["approves"] == [f"Ada <ada@example.org> approves {honest.id} “{honest.text('route')}”"]
    assert [words.partition(" claims ")[0] for words in said["forged"]] == [
        f"{forged.id} “{forged.text('route')}”"
    ]
    assert why in said["forged"][0]
    (found,) = told.of(team.inside, base, "forged")
    assert (found["level"], found["mend"]) == ("error", f"chalkgit approve {forged.id}")
    assert team.inside("review", base, "--fail-on", "error").code == 1


def test_an_approval_by_editing_the_field_is_forged(team: Team) -> None:
    honest, forged = team.recorded(), team.recorded(route="forged", observation="by hand")
    base = base_of(team)
    team.approve(honest)
    team.forge(forged)
    team.commit(MALLORY)
    assert_refused(team, base, honest, forged, "Mallory <mal@example.org> is not among the reviewers")


def test_an_approval_by_a_second_commit_of_the_same_agent_is_forged(team: Team) -> None:
    team.reviewers("ada@example.org", "claude-bot@example.org")
    team.commit(ADA)
    honest, forged = (team.recorded(BOT, route=f"by an agent {n}", by=CLAUDE) for n in (1, 2))
    base = base_of(team)
    team.approve(honest)
    team.forge(forged)
    team.commit(BOT)
    assert_refused(team, base, honest, forged, "claude-code wrote the record, and cannot approve it")


def test_an_approval_by_who_the_same_change_puts_on_the_list_is_forged(team: Team) -> None:
    honest, forged = team.recorded(), team.recorded(route="forged", observation="with a list")
    base = base_of(team)
    team.approve(honest)
    team.reviewers("ada@example.org", "mal@example.org")
    team.commit(ADA, "Ada herself adds Mallory")
    team.forge(forged)
    team.commit(MALLORY)
    assert_refused(team, base, honest, forged, "Mallory <mal@example.org> is not among the reviewers")
    merged = base_of(team)
    late = team.repo.record(route="approved later", observation="after the list was merged")
    team.commit(BO)
    team.forge(late)
    team.commit(MALLORY)
    assert told.ids(team.inside, merged, "approves") == [late.id]  # it counts once it is merged


def test_an_edit_after_the_approval_is_forged(team: Team) -> None:
    honest, forged = team.recorded(), team.recorded(route="forged", observation="edited later")
    base = base_of(team)
    team.approve(honest)
    team.approve(forged)
    writes.change(team.repo.place, team.read(forged), {"observation": "quite another text"})
    team.commit(ADA)
    assert_refused(team, base, honest, forged, "it was approved, and edited since")


def test_where_a_clone_cannot_tell_who_approved_the_review_is_unknown(team: Team, tmp_path: Path) -> None:
    record = team.recorded()
    base = base_of(team)
    team.approve(record)
    team.repo.write("a.py", "a\n")
    team.commit(BO)
    team.repo.git("clone", "-q", "--depth", "2", team.repo.root.as_uri(), str(tmp_path / "shallow"))
    team.repo.git("fetch", "-q", "--depth", "1", "origin", base, cwd=tmp_path / "shallow")
    result = team.inside("review", f"{base}..HEAD", cwd=tmp_path / "shallow")
    assert (result.code, result.out) == (2, "")
    assert result.err.endswith("hint: git fetch --unshallow\n")
    team.repo.git("fetch", "-q", "--unshallow", cwd=tmp_path / "shallow")
    assert told.ids(team.inside, base, "approves") == [record.id]


def test_a_list_that_cannot_be_read_is_told_beside_what_is_judged_by_the_one_before(team: Team) -> None:
    record, later = team.recorded(), team.recorded(route="approved later", observation="it is slow")
    base = base_of(team)
    team.approve(record)
    assert [f["details"] for f in told.of(team.inside, base, "approves")] == [[]]
    team.repo.write(".lessons/config.yaml", "reviewers: [")
    team.commit(ADA)
    wrong = base_of(team)
    assert team.inside("approve", later.id, "--commit").code == 0
    (found,) = told.of(team.inside, wrong, "approves")
    assert (found["record"], len(found["details"])) == (later.id, 1)
    assert found["details"][0].endswith("the list before it counts")


def test_a_new_record_that_brings_its_approval_along_is_forged(team: Team) -> None:
    base = base_of(team)
    record = team.repo.record()
    team.forge(record)
    team.commit(MALLORY)
    assert told.ids(team.inside, base, "forged") == [record.id]
    assert told.ids(team.inside, base, "adds") == [record.id]
    assert told.ids(team.inside, base, "approves") == []


def test_an_approval_that_is_not_committed_is_no_forgery_yet(team: Team) -> None:
    record = team.recorded()
    team.become(ADA)
    assert team.inside("approve", record.id).code == 0
    (found,) = team.inside.json("review")["findings"]
    assert found["rule"] == "approves"
    assert found["message"].endswith("whoever commits it, where that is a reviewer")
    writes.change(team.repo.place, team.read(record), {"tags": ["edited"]})
    found = team.inside.json("review", code=1)["findings"]
    assert "forged" in [row["rule"] for row in found]


def test_a_merge_as_a_forge_makes_it_is_judged_by_its_first_parent(team: Team) -> None:
    honest, forged = team.recorded(), team.recorded(route="forged", observation="on a branch")
    team.repo.git("checkout", "-q", "-b", "topic")
    team.approve(honest)
    team.reviewers("ada@example.org", "mal@example.org")
    team.forge(forged)
    team.commit(MALLORY)
    team.repo.git("checkout", "-q", "main")
    team.become(BO)
    team.repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    assert_refused(team, "HEAD^1", honest, forged, "Mallory <mal@example.org> is not among the reviewers")


@pytest.mark.parametrize("state", ["rejected", "quarantined"])
def test_a_restriction_counts_as_written_and_is_told_once(team: Team, state: str) -> None:
    record, other = team.recorded(), team.recorded(route="another", observation="left alone")
    base = base_of(team)
    verb = {"rejected": "reject", "quarantined": "quarantine"}[state]
    assert team.inside(verb, record.id, "--because", "nobody saw it").code == 0
    team.commit(MALLORY)
    said = told.findings(team.inside, base)
    assert [(f["rule"], f["record"]) for f in said] == [(f"{verb}s", record.id)]
    assert said[0]["message"].endswith(": nobody saw it")
    base = base_of(team)
    writes.change(team.repo.place, team.read(other), {"tags": ["a"]})
    team.commit(BO)
    assert told.ids(team.inside, base, f"{verb}s") == []
