"""What an approval needs is told before anything is written, or with why one does not count."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from inside import chalk_fixture  # noqa: F401
from repository import Result
from reviewing import ADA, BO, BOT, MALLORY, Team, ssh_key, team_fixture  # noqa: F401

from chalkgit.records.record import Record

needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


def signing(team: Team, key: Path | str, *, on: bool = True) -> None:
    for name, value in {"gpg.format": "ssh", "user.signingkey": str(key), "commit.gpgsign": str(on)}.items():
        team.repo.git("config", name, value)


def refused(team: Team, record: Record, *args: str) -> Result:
    """What Ada is told; nothing was written."""
    before = (team.repo.root / record.path).read_bytes()
    team.become(ADA)
    result = team.inside("approve", record.id, *args)
    assert (result.code, result.out) == (2, ""), result
    assert (team.repo.root / record.path).read_bytes() == before
    return result


def hint(result: Result) -> str:
    return result.err.split("hint: ")[1].strip()


def run(team: Team, command: str, cwd: Path | None = None) -> None:
    subprocess.run(command, shell=True, check=True, cwd=cwd or team.repo.root, capture_output=True)


@needs_ssh
def test_what_git_lacks_for_a_required_signature_is_told_before_anything_is_written(
    team: Team, tmp_path: Path
) -> None:
    own = ssh_key(tmp_path, "own")
    team.reviewers(f"{{email: ada@example.org, key: {own}}}", signed=True)
    team.commit(ADA)
    record = team.recorded()
    told = refused(team, record, "--commit")
    assert "only a signed approval of Ada <ada@example.org> counts, and git would not sign one" in told.err
    assert hint(told) == (
        "git config gpg.format ssh && git config user.signingkey ~/.ssh/KEY.pub && "
        "git config commit.gpgsign true"
    )
    run(team, hint(told).replace("~/.ssh/KEY.pub", str(tmp_path / "own.pub")))
    team.approve(record)
    assert team.states(record) == ["approved"]


@needs_ssh
@pytest.mark.parametrize("written", ["{}", "{}.pub", "key::{text}", "{text}"])
def test_a_key_that_is_not_the_listed_one_is_told_however_the_settings_name_it(
    team: Team, tmp_path: Path, written: str
) -> None:
    own, other = ssh_key(tmp_path, "own"), ssh_key(tmp_path, "other")
    team.reviewers(f"{{email: ada@example.org, key: {own}}}")
    team.commit(ADA)
    record = team.recorded()
    signing(team, written.format(tmp_path / "other", text=other))
    told = refused(team, record)
    assert "and that key is not listed for Ada <ada@example.org>" in told.err
    assert "git config user.signingkey KEY" in hint(told)
    signing(team, written.format(tmp_path / "own", text=own))
    assert team.inside("approve", record.id).code == 0


@needs_ssh
def test_a_key_that_nobody_lists_needs_settings_that_know_it(team: Team, tmp_path: Path) -> None:
    own = ssh_key(tmp_path, "own")
    team.reviewers("ada@example.org", signed=True)
    team.commit(ADA)
    record = team.recorded()
    signing(team, tmp_path / "own.pub")
    assert "gpg.ssh.allowedSignersFile FILE" in hint(refused(team, record, "--commit"))
    signers = tmp_path / "signers"
    signers.write_text(f"ada@example.org {own}\n")
    team.repo.git("config", "gpg.ssh.allowedSignersFile", str(signers))
    refused(team, record, "--commit")  # what the repository says of keys is not believed
    team.repo.git("config", "--global", "gpg.ssh.allowedSignersFile", str(signers))
    team.approve(record)
    assert team.states(record) == ["approved"]


@needs_ssh
def test_an_agents_record_of_the_same_address_needs_a_signature_and_one_of_another_does_not(
    team: Team, tmp_path: Path
) -> None:
    by = {"name": "Ada", "agent": "claude-code"}
    same, other = team.recorded(ADA, route="one", by=by), team.recorded(BO, route="two", by=by)
    assert hint(refused(team, same, "--commit")) == "git config commit.gpgsign true"
    team.approve(other)
    own = ssh_key(tmp_path, "own")
    team.reviewers("ada@example.org", f"{{email: ada@example.org, key: {own}}}")
    team.commit(ADA)
    signing(team, tmp_path / "own.pub")
    team.approve(same)
    assert team.states(same, other) == ["approved", "approved"]


def test_who_gpg_signs_for_is_left_to_gpg(team: Team) -> None:
    team.reviewers("ada@example.org", signed=True)
    team.commit(ADA)
    record = team.recorded()
    assert hint(refused(team, record, "--commit")) == "git config commit.gpgsign true"
    assert team.inside("approve", record.id).code == 0  # somebody may sign by hand


def test_an_agent_and_who_is_not_listed_are_told_though_keys_decide(team: Team) -> None:
    key = "SHA256:" + "x" * 43
    team.reviewers("claude-bot@example.org", f"{{email: ada@example.org, key: {key}}}")
    team.commit(ADA)
    record = team.recorded(BOT, by={"name": "Bo", "agent": "claude-code"})
    for who, said in ((MALLORY, "is not among the reviewers"), (BOT, "claude-code wrote the record")):
        team.become(who)
        result = team.inside("approve", record.id)
        assert (result.code, said in result.err, "listed" in hint(result)) == (2, True, True)


def test_the_next_line_is_the_command_that_makes_an_approval_count(team: Team) -> None:
    record = team.recorded()
    team.become(ADA)
    said = team.inside("approve", record.id).out.splitlines()[-1]
    assert said == f"next: git commit -m 'lessons: approve {record.id}' -- :/{record.path}"
    assert team.inside.json("approve", record.id)["next"] == said.removeprefix("next: ")
    assert team.states(record) == ["unreviewed"]
    team.repo.write("unrelated", "staged, and not to be committed")
    team.repo.git("add", "unrelated")
    (team.repo.root / "deep").mkdir()
    run(team, said.removeprefix("next: "), cwd=team.repo.root / "deep")
    assert team.states(record) == ["approved"]
    assert team.repo.git("show", "--format=", "--name-only", "HEAD") == record.path
    # with --commit nothing is left to do, nor after a restriction, which counts as written
    other = team.recorded(route="other")
    for args in (("approve", other.id, "--commit"), ("reject", other.id, "--because", "no")):
        team.become(ADA)
        assert "next:" not in team.inside(*args).out


@needs_ssh
def test_the_next_command_signs_where_it_has_to_be_signed(team: Team, tmp_path: Path) -> None:
    own = ssh_key(tmp_path, "own")
    team.reviewers(f"{{email: ada@example.org, key: {own}}}", signed=True)
    team.commit(ADA)
    for on, words in ((False, ["git", "commit", "-S", "-m"]), (True, ["git", "commit", "-m"])):
        signing(team, tmp_path / "own.pub", on=False)
        record = team.recorded(route=f"signed by itself: {on}")
        signing(team, tmp_path / "own.pub", on=on)
        team.become(ADA)
        step = team.inside.json("approve", record.id)["next"]
        assert shlex.split(step)[: len(words)] == words
        run(team, step)
        assert team.states(record) == ["approved"]


def test_show_and_review_say_what_would_make_an_approval_count(team: Team) -> None:
    base = team.recorded()
    team.forge(base)
    team.commit(MALLORY)
    shown = team.inside("show", base.id).out
    assert "it counts when a listed reviewer approves it, or first adds them" in shown
    (found,) = team.inside.json("review", "HEAD~1", code=1)["findings"]
    assert (found["rule"], found["mend"]) == ("forged", f"chalkgit approve {base.id}")
    assert found["details"][0].startswith("it counts when a listed reviewer approves it")
    team.approve(team.read(base))
    assert "it counts when" not in team.inside("show", base.id).out


def test_each_reason_for_a_refusal_has_its_own_help(team: Team) -> None:
    by = {"name": "Bo", "agent": "claude-code"}
    team.reviewers("ada@example.org", "claude-bot@example.org")
    team.commit(ADA)
    agents, same = team.recorded(BOT, route="one", by=by), team.recorded(ADA, route="two", by=by)
    for record, who, said in (
        (agents, BOT, "a listed person approves it"),
        (same, ADA, "or another reviewer"),
    ):
        team.forge(record)
        team.commit(who)
        assert said in team.inside("show", record.id).out
    team.repo.write(".lessons/config.yaml", "# nobody\n")
    team.commit(ADA)
    nobody = team.recorded(route="four")
    team.forge(nobody)
    team.commit(ADA)
    assert "a list is committed there before it" in team.inside("show", nobody.id).out
    unsigned = team.recorded(route="three")
    team.reviewers("ada@example.org", signed=True)
    team.commit(ADA)
    team.forge(unsigned)
    team.commit(ADA)
    assert "in a commit signed by a key listed for them" in team.inside("show", unsigned.id).out
