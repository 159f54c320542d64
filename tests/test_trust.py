"""An approval is what a listed person did in git, to this exact content; a field proves nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from inside import chalk_fixture  # noqa: F401
from reviewing import ADA, BO, BOT, MALLORY, Team, ssh_key, team_fixture  # noqa: F401

from chalkgit.records.sealing import seal
from chalkgit.store import approvals

CLAUDE = {"name": "Bo", "agent": "claude-code"}


def test_a_record_is_unreviewed_until_a_listed_person_approves_it(team: Team) -> None:
    record, other = team.recorded(), team.recorded(route="something else")
    assert team.states(record, other) == ["unreviewed", "unreviewed"]
    team.approve(record)
    assert team.states(record, other) == ["approved", "unreviewed"]
    found = team.trust(record)
    assert (found.by, found.why) == ("Ada <ada@example.org>", None)
    assert found.commit == team.repo.git("rev-parse", "HEAD")


def test_an_approval_by_editing_the_field_does_not_count_beside_an_honest_one(team: Team) -> None:
    honest, forged = team.recorded(), team.recorded(route="forged")
    team.approve(honest)
    team.forge(forged)
    team.commit(MALLORY)
    assert team.states(honest, forged) == ["approved", "unreviewed"]
    assert "Mallory <mal@example.org> is not among the reviewers" in str(team.trust(forged).why)


def test_an_approval_by_a_second_commit_of_the_agent_that_wrote_it_does_not_count(team: Team) -> None:
    team.reviewers("ada@example.org", "claude-bot@example.org")
    team.commit(ADA)
    honest, forged = (team.recorded(BOT, route=f"by an agent {n}", by=CLAUDE) for n in (1, 2))
    team.approve(honest)
    team.forge(forged)
    team.commit(BOT)
    assert team.states(honest, forged) == ["approved", "unreviewed"]
    assert team.trust(forged).why == (
        "its approval does not count: claude-code wrote the record, and cannot approve it"
    )


def test_an_agent_that_commits_as_a_person_cannot_approve_as_that_person(team: Team) -> None:
    by_ada = team.recorded(ADA, route="written by an agent, committed as Ada", by={"agent": "somebot"})
    by_bo = team.recorded(BO, route="written by an agent, committed as Bo", by={"agent": "somebot"})
    by_hand = team.recorded(ADA, route="written by Ada")
    for record in (by_ada, by_bo, by_hand):
        team.forge(record)
        team.commit(ADA)
    assert team.states(by_ada, by_bo, by_hand) == ["unreviewed", "approved", "approved"]
    assert "only a signature tells the person from the agent" in str(team.trust(by_ada).why)


def test_a_commit_that_names_the_agent_as_its_author_approves_nothing_of_the_agents(team: Team) -> None:
    honest, forged = (team.recorded(BO, route=f"by an agent {n}", by=CLAUDE) for n in (1, 2))
    team.forge(honest)
    team.commit(ADA, "approve\n\nCo-authored-by: Bo <bo@example.org>")
    team.forge(forged)
    team.commit(ADA, "approve\n\nCo-authored-by: Claude <noreply@example.com>")
    assert team.states(honest, forged) == ["approved", "unreviewed"]


def test_a_list_that_the_same_commit_changes_does_not_count(team: Team) -> None:
    honest, forged = team.recorded(), team.recorded(route="forged")
    team.approve(honest)
    team.reviewers("ada@example.org", "mal@example.org")
    team.forge(forged)
    team.commit(MALLORY)
    assert team.states(honest, forged) == ["approved", "unreviewed"]


def test_a_list_that_an_earlier_commit_of_the_same_person_changed_does_not_count_either(team: Team) -> None:
    forged, honest = team.recorded(route="forged"), team.recorded()
    team.reviewers("ada@example.org", "mal@example.org")
    team.commit(MALLORY)
    team.forge(forged)
    team.commit(MALLORY)
    assert team.states(forged) == ["unreviewed"]
    # who is on the list may put somebody there
    team.reviewers("ada@example.org", "bo@example.org")
    team.commit(ADA)
    team.approve(honest, BO)
    assert team.states(honest, forged) == ["approved", "unreviewed"]


def test_a_list_changed_in_a_merged_branch_counts_after_the_merge_alone(team: Team) -> None:
    early, late = team.recorded(route="early"), team.recorded(route="late")
    team.repo.git("checkout", "-qb", "side")
    team.reviewers("ada@example.org", "bo@example.org")
    team.commit(BO)
    team.forge(early)
    team.commit(BO)
    team.repo.git("checkout", "-q", "main")
    team.become(ADA)
    team.repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    assert team.states(early, late) == ["unreviewed", "unreviewed"]
    team.approve(late, BO)
    assert team.states(early, late) == ["unreviewed", "approved"]


def test_who_merges_does_not_approve_what_the_branch_claims(team: Team) -> None:
    forged, honest = team.recorded(route="forged"), team.recorded()
    team.repo.git("checkout", "-qb", "side")
    team.forge(forged)
    team.commit(MALLORY)
    team.approve(honest)
    team.repo.git("checkout", "-q", "main")
    team.repo.write("other", "so that the merge is one")
    team.commit()
    team.become(ADA)
    team.repo.git("merge", "-q", "-m", "merge", "side")
    assert len(team.repo.git("rev-list", "--parents", "-1", "HEAD").split()) == 3
    assert team.states(honest, forged) == ["approved", "unreviewed"]


def test_an_edit_after_the_approval_makes_a_record_unreviewed(team: Team) -> None:
    record, other = team.recorded(), team.recorded(route="left alone")
    team.approve(record)
    team.approve(other)
    team.become(ADA)
    assert team.inside("correct", record.id, "--layer", "design").code == 0
    assert team.trust(record).why == "it was approved, and edited since"
    team.commit(ADA)
    assert team.states(record, other) == ["unreviewed", "approved"]
    assert team.inside("correct", record.id, "--layer", "").code == 0
    assert team.states(record) == ["approved"]


def test_the_writing_of_a_file_is_not_what_is_approved(team: Team) -> None:
    record = team.recorded(observation="it\nfailed", tags=["b", "a"])
    team.approve(record)
    file = team.repo.root / record.path
    file.write_text("# a comment\n" + file.read_text().replace("kind: dead-end", 'kind: "dead-end"'))
    team.commit()
    assert team.states(record) == ["approved"]
    team.repo.git("mv", record.path, ".lessons/moved.yaml")
    team.commit()
    assert team.states(record) == ["approved"]


def test_an_approval_that_is_not_committed_does_not_count_yet(team: Team) -> None:
    record = team.recorded()
    team.become(ADA)
    result = team.inside("approve", record.id)
    assert result.code == 0
    assert "stays unreviewed until you have committed it" in result.err
    assert team.trust(record).why == "its approval is not committed yet"
    team.commit(ADA)
    assert team.states(record) == ["approved"]


def test_without_a_list_nobody_approves(team: Team) -> None:
    record = team.recorded()
    team.repo.write(".lessons/config.yaml", "# nobody\n")
    team.commit(ADA)
    team.become(ADA)
    result = team.inside("approve", record.id)
    assert (result.code, "no reviewers are listed" in result.err) == (2, True)
    team.forge(record)
    team.commit(ADA)
    assert "no reviewers are listed" in str(team.trust(record).why)


def test_a_restriction_counts_as_written_by_whomever(team: Team) -> None:
    rejected, aside, other = (team.recorded(route=f"route {n}") for n in range(3))
    team.become(MALLORY)
    assert team.inside("reject", rejected.id, "--because", "it is not so").code == 0
    assert team.inside("quarantine", aside.id, "--because", "look at it").code == 0
    assert team.states(rejected, aside, other) == ["rejected", "quarantined", "unreviewed"]
    assert team.inside("correct", aside.id, "--layer", "design").code == 0
    assert team.states(aside) == ["quarantined"]
    team.become(ADA)
    assert team.inside("approve", aside.id, "--withdraw").code == 0
    assert team.states(aside) == ["unreviewed"]


def test_an_agent_cannot_run_approve_and_can_put_aside(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    record = team.recorded()
    team.become(ADA)
    monkeypatch.setenv("CLAUDECODE", "1")
    result = team.inside("approve", record.id, "--commit")
    assert (result.code, "only a person can approve" in result.err) == (2, True)
    monkeypatch.delenv("CLAUDECODE")
    assert team.inside("approve", record.id, "--commit").code == 0


def test_what_is_not_committed_as_it_stands_cannot_be_approved(team: Team) -> None:
    record = team.recorded()
    team.become(ADA)
    assert team.inside("correct", record.id, "--layer", "design").code == 0
    result = team.inside("approve", record.id, "--commit")
    assert (result.code, "is not committed as it stands" in result.err) == (2, True)
    team.commit(BO)
    team.approve(record)


def test_somebody_else_is_told_before_anything_is_written(team: Team) -> None:
    record = team.recorded()
    before = (team.repo.root / record.path).read_bytes()
    team.become(MALLORY)
    result = team.inside("approve", record.id)
    assert (result.code, "is not among the reviewers" in result.err) == (2, True)
    assert (team.repo.root / record.path).read_bytes() == before
    team.approve(record)
    team.become(ADA)
    result = team.inside("approve", record.id)
    assert (result.code, "is approved already" in result.err) == (2, True)


@pytest.mark.parametrize("entry", ["Ada", "ADA@example.org", "{name: Ada, email: ada@example.org}"])
def test_a_reviewer_is_known_by_name_or_address_in_any_case(team: Team, entry: str) -> None:
    team.reviewers(entry)
    team.commit(ADA)
    record = team.recorded()
    team.approve(record)
    assert team.states(record) == ["approved"]


def test_all_of_an_entry_has_to_fit(team: Team) -> None:
    team.reviewers("{name: Ada, email: bo@example.org}")
    team.commit(ADA)
    record = team.recorded()
    team.forge(record)
    team.commit(ADA)
    assert team.states(record) == ["unreviewed"]


def test_a_shallow_clone_cannot_tell_who_approved_and_says_so(team: Team, tmp_path: Path) -> None:
    import subprocess

    from repository import Repo

    record = team.recorded()
    team.approve(record)
    for depth, state in ((1, "unreviewed"), (2, "approved")):
        clone = tmp_path / f"clone{depth}"
        subprocess.run(
            ["git", "clone", "-q", "--depth", str(depth), team.repo.root.as_uri(), str(clone)], check=True
        )
        shallow = Team(Repo(clone), team.inside, pytest.MonkeyPatch())
        assert shallow.states(record) == [state]
    assert team.states(record) == ["approved"]


def test_the_seal_is_of_every_field_but_the_review(team: Team) -> None:
    record = team.recorded()
    assert seal(record) == seal(record.changed({"review": {"state": "approved"}}))
    assert seal(record) != seal(record.changed({"somebodys-own": "x"}))
    assert seal(record).startswith("sha256:")


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_a_required_signature_is_git_s_own_verification(team: Team, tmp_path: Path) -> None:
    own, other = ssh_key(tmp_path, "own"), ssh_key(tmp_path, "other")
    team.reviewers(f"{{email: ada@example.org, key: {own}}}", signed=True)
    team.commit(ADA)
    records = [team.recorded(route=f"route {n}") for n in range(3)]
    for record, key in zip(records, ("own", "other", None), strict=True):
        team.become(ADA)
        team.repo.git("config", "gpg.format", "ssh")
        team.repo.git("config", "user.signingkey", str(tmp_path / f"{key}.pub"))
        team.forge(record)
        team.repo.git("add", "-A")
        team.repo.git("commit", "-q", "-m", "approve", *(["-S"] if key else []))
    assert other != own
    assert team.states(*records) == ["approved", "unreviewed", "unreviewed"]


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_a_signature_by_a_listed_key_tells_the_person_from_the_agent(team: Team, tmp_path: Path) -> None:
    own = ssh_key(tmp_path, "own")
    team.reviewers(f"{{email: ada@example.org, key: {own}}}")
    team.commit(ADA)
    record = team.recorded(ADA, by={"agent": "somebot"})
    team.become(ADA)
    team.repo.git("config", "gpg.format", "ssh")
    team.repo.git("config", "user.signingkey", str(tmp_path / "own.pub"))
    team.repo.git("config", "commit.gpgsign", "true")
    assert team.inside("approve", record.id, "--commit").err == ""
    assert team.states(record) == ["approved"]


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_a_program_that_a_repository_names_for_signatures_is_not_run(team: Team, tmp_path: Path) -> None:
    own = ssh_key(tmp_path, "own")
    team.reviewers(f"{{email: ada@example.org, key: {own}}}", signed=True)
    team.commit(ADA)
    record = team.recorded()
    team.repo.git("config", "gpg.format", "ssh")
    team.repo.git("config", "user.signingkey", str(tmp_path / "own.pub"))
    team.repo.git("config", "commit.gpgsign", "true")
    team.approve(record)
    ran = tmp_path / "ran"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {ran}\n")
    evil.chmod(0o755)
    for key in ("gpg.program", "gpg.ssh.program", "gpg.openpgp.program"):
        team.repo.git("config", key, str(evil))
    assert team.states(record) == ["approved"]
    assert not ran.exists()
    # the control: git itself does
    team.repo.git("-c", f"gpg.ssh.allowedSignersFile={evil}", "log", "-1", "--show-signature")
    assert ran.exists()


def test_a_list_that_cannot_be_read_is_no_list_and_is_told(team: Team) -> None:
    record = team.recorded()
    team.approve(record)
    team.repo.write(".lessons/config.yaml", "reviewers: [\n")
    team.commit(ADA)
    assert team.states(record) == ["approved"]
    other = team.recorded(route="another")
    team.forge(other)
    team.commit(ADA)
    # the last list that could be read is in effect
    assert team.states(record, other) == ["approved", "approved"]


def test_a_review_judges_by_the_list_at_its_base(team: Team) -> None:
    record = team.recorded()
    base = team.repo.git("rev-parse", "HEAD")
    team.reviewers("ada@example.org", "bo@example.org")
    team.commit(ADA)
    team.forge(record)
    team.commit(BO)
    place = team.repo.place
    assert approvals.Judge(place).of(team.read(record)).state == "approved"
    assert approvals.Judge(place, base=base).of(team.read(record)).state == "unreviewed"
