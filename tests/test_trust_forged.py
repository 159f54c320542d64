"""What was tried to forge an approval: each is refused, beside an honest one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from inside import chalk_fixture  # noqa: F401
from reviewing import ADA, BO, MALLORY, Team, ssh_key, team_fixture  # noqa: F401

CLAUDE = {"name": "Bo", "agent": "claude-code"}


def test_an_approval_written_in_a_merge_itself_is_nobody_s_word(team: Team) -> None:
    forged, honest = team.recorded(route="forged"), team.recorded()
    team.repo.git("checkout", "-qb", "side")
    team.repo.write("a", "a")
    team.commit()
    team.repo.git("checkout", "-qb", "topic", "main")
    team.approve(honest)
    team.become(MALLORY)
    team.repo.git("merge", "-q", "--no-commit", "--no-ff", "side")
    team.forge(forged)
    team.commit(MALLORY, "merge side")
    team.repo.git("checkout", "-q", "main")
    team.become(ADA)
    team.repo.git("merge", "-q", "--no-ff", "-m", "merge topic", "topic")
    assert team.states(honest, forged) == ["approved", "unreviewed"]
    assert "nobody can be told" in str(team.trust(forged).why)


def test_who_moves_restores_or_mends_a_record_has_not_approved_it(team: Team) -> None:
    moved, restored, mended, honest = (team.recorded(route=f"route {n}") for n in range(4))
    team.approve(honest)
    for record in (moved, restored, mended):
        team.forge(record)
    team.commit(MALLORY)
    # restored, and mended, along the first parents
    team.become(ADA)
    team.repo.git("rm", "-q", restored.path)
    team.repo.git("commit", "-q", "-m", "gone")
    team.repo.git("revert", "--no-edit", "HEAD")
    file = team.repo.root / mended.path
    whole = file.read_text()
    file.write_text(whole + "<<<<<<< x\n")
    team.commit(MALLORY)
    file.write_text(whole)
    team.commit(ADA)
    assert team.states(restored, mended, honest) == ["unreviewed", "unreviewed", "approved"]
    # moved, in a branch that is merged
    team.repo.git("checkout", "-qb", "topic", "HEAD~4")
    team.repo.git("mv", moved.path, ".lessons/moved.yaml")
    team.become(ADA)
    team.repo.git("commit", "-q", "-m", "move")
    assert team.states(moved) == ["unreviewed"]


def test_a_record_that_a_branch_brings_with_an_approval_is_not_approved_by_who_moves_it(team: Team) -> None:
    team.repo.git("checkout", "-qb", "topic")
    record = team.repo.record(route="new in the branch")
    team.forge(record)
    team.commit(MALLORY)
    team.repo.git("mv", record.path, ".lessons/moved.yaml")
    team.commit(ADA, "tidy names")
    team.repo.git("checkout", "-q", "main")
    team.become(MALLORY)
    team.repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    assert team.states(record) == ["unreviewed"]
    team.approve(team.read(record), ADA)
    assert team.states(record) == ["approved"]


def test_an_author_that_a_squash_leaves_in_the_middle_of_a_message_is_seen(team: Team) -> None:
    honest, forged = (team.recorded(BO, route=f"by an agent {n}", by=CLAUDE) for n in (1, 2))
    team.forge(honest)
    team.commit(ADA, "approve\n\nas discussed")
    team.forge(forged)
    team.commit(ADA, "approve\n\nCo-authored-by: Claude <noreply@example.com>\n\nGenerated with a tool.")
    assert team.states(honest, forged) == ["approved", "unreviewed"]


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_a_known_key_of_somebody_else_signs_for_no_name_on_the_list(team: Team, tmp_path: Path) -> None:
    for name in ("ada", "mal"):
        ssh_key(tmp_path, name)
    signers = tmp_path / "signers"
    keys = {name: (tmp_path / f"{name}.pub").read_text() for name in ("ada", "mal")}
    signers.write_text(f"ada@example.org {keys['ada']}\nmal@example.org {keys['mal']}\n")
    team.repo.git("config", "--global", "gpg.ssh.allowedSignersFile", str(signers))
    team.repo.git("config", "gpg.format", "ssh")
    for entries, state in ((["ada@example.org"], "approved"), (["Ada"], "unreviewed")):
        team.reviewers(*entries, signed=True)
        team.commit(ADA)
        record = team.recorded(route=f"with {entries}")
        key, who = ("ada", ADA) if state == "approved" else ("mal", ("Ada", "mal@example.org"))
        team.become(who)
        team.forge(record)
        team.repo.git("add", "-A")
        team.repo.git("-c", f"user.signingkey={tmp_path / key}.pub", "commit", "-q", "-S", "-m", "approve")
        assert team.states(record) == [state]


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_a_key_that_the_user_revoked_stays_so_whatever_the_repository_says(
    team: Team, tmp_path: Path
) -> None:
    own = ssh_key(tmp_path, "own")
    signers = tmp_path / "signers"
    signers.write_text(f"ada@example.org {own}\n")
    team.repo.git("config", "--global", "gpg.ssh.allowedSignersFile", str(signers))
    team.reviewers("ada@example.org", signed=True)
    team.commit(ADA)
    record = team.recorded()
    public = str(tmp_path / "own.pub")
    for key, value in (("gpg.format", "ssh"), ("user.signingkey", public), ("commit.gpgsign", "true")):
        team.repo.git("config", key, value)
    team.approve(record)
    assert team.states(record) == ["approved"]
    team.repo.git("config", "--global", "gpg.ssh.revocationFile", public)
    assert team.states(record) == ["unreviewed"]
    team.repo.git("config", "gpg.ssh.revocationFile", "/dev/null")
    assert team.states(record) == ["unreviewed"]


def test_a_replacement_ref_changes_no_answer(team: Team) -> None:
    record, honest = team.recorded(), team.recorded(route="honest")
    team.approve(honest)
    team.forge(record)
    team.commit(MALLORY)
    listed = team.repo.git("rev-parse", "HEAD:.lessons/config.yaml")
    other = team.repo.git("hash-object", "-w", "--stdin", stdin="reviewers: [mal@example.org]\n")
    team.repo.git("replace", listed, other)
    assert team.states(honest, record) == ["approved", "unreviewed"]
