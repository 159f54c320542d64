"""Approvals in a change: an honest one stands beside every forgery that is refused."""

from __future__ import annotations

import pytest
import told
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
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


def test_an_approval_that_stood_before_is_kept_by_a_move_and_lost_by_an_edit(team: Team) -> None:
    moved, edited = team.recorded(), team.recorded(route="another", observation="that is edited")
    team.approve(moved)
    team.approve(edited)
    base = base_of(team)
    team.repo.git("mv", team.read(moved).path, f".lessons/moved.{moved.id}.yaml")
    team.commit(BO)
    assert list(told.rules(team.inside, base)) == ["moves"]
    writes.change(team.repo.place, team.read(edited), {"tags": ["one"]})
    team.commit(BO)
    assert told.ids(team.inside, base, "forged") == [edited.id]


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


def test_an_approval_that_is_taken_back_is_told(team: Team) -> None:
    record = team.recorded()
    team.approve(record)
    base = base_of(team)
    assert team.inside("approve", record.id, "--withdraw").code == 0
    team.commit(BO)
    (found,) = told.findings(team.inside, base)
    assert (found["rule"], found["message"].split(" of ")[0]) == ("corrects", "takes back the approval")


def test_the_list_of_reviewers_is_told_where_it_differs_and_nowhere_else(team: Team) -> None:
    base = base_of(team)
    file = team.repo.root / ".lessons/config.yaml"
    file.write_text("# who reviews\n" + file.read_text())
    team.commit(ADA)
    assert told.findings(team.inside, base) == []
    team.reviewers("{name: Bo, email: bo@example.org}", "mal@example.org", signed=True)
    team.commit(MALLORY)
    (found,) = told.findings(team.inside, base)
    assert (found["rule"], found["path"], found["line"]) == ("reviewers", ".lessons/config.yaml", 1)
    assert found["details"] == [
        "may approve now: Bo, bo@example.org",
        "may approve now: mal@example.org",
        "no longer: ada@example.org",
        "an approval has to be signed now",
    ]
    file.write_text("reviewers: [")
    team.commit(MALLORY)
    (found,) = told.findings(team.inside, base)
    assert (found["rule"], found["path"]) == ("damaged", ".lessons/config.yaml")


def test_a_change_of_where_unreviewed_records_are_shown_is_told(repo: Repo, chalk: Inside) -> None:
    repo.write(".lessons/config.yaml", "show-unreviewed: none\n")
    strict = repo.commit()
    repo.write(".lessons/config.yaml", "# nothing\nfingerprint: on\n")
    loose = repo.commit()
    (found,) = told.of(chalk, strict, "reviewers")
    assert found["message"].endswith("are shown: none → all")
    repo.write(".lessons/config.yaml", "fingerprint: off\n")
    repo.commit()
    assert told.of(chalk, loose, "reviewers") == []
