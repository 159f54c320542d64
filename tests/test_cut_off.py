"""A clone that is cut off names nobody, dates nothing and calls nothing forged that it cannot see."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from reviewing import ADA, BO, MALLORY, Team, team_fixture  # noqa: F401

from chalkgit.records.record import Record

UNSHALLOW = "git fetch --unshallow"
ZED = ("Zed", "zed@example.org")


@pytest.fixture(name="merged")
def merged_fixture(team: Team) -> Record:
    """A record that Ada approved in a branch, which Zed merged after one more commit of it."""
    record = team.recorded(BO)
    team.commit(BO, "x")
    team.repo.git("checkout", "-qb", "topic")
    team.approve(record)
    team.commit(ADA, "y")
    merge(team, "topic")
    return record


def merge(team: Team, branch: str, *options: str) -> None:
    team.repo.git("checkout", "-q", "main")
    team.become(ZED)
    team.repo.git("merge", "-q", "--no-ff", *options, "-m", f"merge {branch}", branch)


def shallow(team: Team, folder: Path, depth: int) -> Team:
    team.repo.git("clone", "-q", "--depth", str(depth), team.repo.root.as_uri(), str(folder))
    monkeypatch = pytest.MonkeyPatch()
    return Team(Repo(folder), Inside(folder, monkeypatch), monkeypatch)


def test_a_clone_whose_tip_is_a_merge_is_answered(team: Team, merged: Record, tmp_path: Path) -> None:
    tip = team.repo.git("rev-parse", "HEAD")
    clone = shallow(team, tmp_path / "one", 1)
    for question in (("show", merged.id), ("log", merged.id), ("log",), ("log", "--audit")):
        result = clone.inside(*question)
        assert (result.code, "no later than" in result.out, tip[:12] in result.out) == (0, True, True), result
        assert "Zed" not in result.out
        assert "merge topic" not in result.out
        assert UNSHALLOW in result.err
    whole = team.inside("log", merged.id)
    assert (whole.code, whole.err, "Zed" in whole.out) == (0, "", True)
    (row,) = clone.inside.json("log", "--audit")["versions"]
    told = ("recorded_at", "commit", "author", "email", "subject", "signed")
    assert [row[key] for key in told] == [None] * 6
    assert (row["state"], row["no_later_than"], row["writers"]) == ("unknown", tip, [])
    assert row["signature"] == "unknown"
    assert clone.inside("log", "--audit", "--verify").code == 0


def test_an_approval_behind_the_edge_of_a_branch_is_unknown_and_never_forged(
    team: Team, merged: Record, tmp_path: Path
) -> None:
    forged = team.recorded(BO, route="forged")
    team.repo.git("checkout", "-qb", "other")
    team.forge(forged)
    team.commit(MALLORY)
    merge(team, "other")
    team.repo.git("reset", "-q", "--hard", "HEAD~2")
    clone = shallow(team, tmp_path / "two", 2)
    result = clone.inside("review", "HEAD^1..HEAD")
    assert (result.code, result.out) == (2, "")
    assert f"whether {merged.id} is approved is unknown" in result.err
    assert f"hint: {UNSHALLOW}" in result.err
    trust = clone.trust(merged)
    assert (trust.state, trust.unseen) == ("unreviewed", UNSHALLOW)
    for question in (("show", merged.id), ("log", "--audit")):
        said = clone.inside(*question).out
        assert f"this clone does not reach back to who approved it ({UNSHALLOW})" in said
        assert "written by somebody whom this clone does not show" in said
        assert "forged" not in said
        assert "Ada <" not in said  # the author of the commit at the edge
    assert "trust" in clone.inside.json("show", merged.id)["records"][0]["unknown"]
    clone.repo.git("fetch", "-q", "--unshallow")
    assert clone.inside("review", "HEAD^1..HEAD").code == 0
    assert clone.trust(merged).by == "Ada <ada@example.org>"
    assert "written by Ada <ada@example.org> in" in clone.inside("show", merged.id).out
    # the control: what is forged is called so where one can see it
    team.repo.git("reset", "-q", "--hard", "ORIG_HEAD")
    assert team.inside("review", "HEAD^1..HEAD").code == 1


def test_an_approval_that_a_cut_off_clone_can_prove_counts_in_it(
    team: Team, merged: Record, tmp_path: Path
) -> None:
    clone = shallow(team, tmp_path / "four", 4)
    assert clone.repo.git("rev-parse", "--is-shallow-repository") == "true"
    assert clone.trust(merged).by == "Ada <ada@example.org>"
    assert clone.inside("review", "HEAD^1..HEAD").code == 0


def test_a_commit_that_the_first_parent_may_have_too_is_not_what_a_merge_brought(
    team: Team, tmp_path: Path
) -> None:
    """The branch begins before the clone does on the first parents, and brings back what was withdrawn."""
    record = team.recorded(BO)
    team.approve(record)
    team.repo.git("branch", "topic")
    team.become(ADA)
    assert team.inside("approve", record.id, "--withdraw", "--commit").code == 0
    for number in range(4):
        team.commit(BO, f"later {number}")
    team.repo.git("checkout", "-q", "topic")
    team.commit(MALLORY, "nothing")
    merge(team, "topic", "--no-commit")
    team.repo.git("checkout", "-q", "topic", "--", record.path)
    team.commit(ZED, "merge, and take back what was withdrawn")
    assert team.repo.git("log", "-1", "--format=%p").count(" ") == 1
    assert "nobody can be told" in str(team.trust(record).why)
    clone = shallow(team, tmp_path / "clone", 5)
    assert not clone.trust(record).by
    assert clone.trust(record).unseen == UNSHALLOW
    assert "written by somebody" in clone.inside("log", record.id).out
    clone.repo.git("fetch", "-q", "--unshallow")
    assert "nobody can be told" in str(clone.trust(record).why)


def test_a_branch_that_is_cut_off_beside_whole_first_parents_is_unknown(team: Team, tmp_path: Path) -> None:
    record = team.recorded(BO)
    team.repo.git("checkout", "-qb", "topic")
    team.approve(record)
    for number in range(4):
        team.commit(BO, f"later {number}")
    merge(team, "topic")
    clone = shallow(team, tmp_path / "clone", 4)
    assert clone.inside.json("log")["cut"] is False
    assert clone.trust(record).unseen == UNSHALLOW
    assert "merged branches are cut off" in clone.inside("show", record.id).err
    assert team.inside("show", record.id).err == ""
    assert team.states(record) == ["approved"]


def test_who_recorded_what_an_agent_wrote_is_unknown_behind_an_edge(team: Team, tmp_path: Path) -> None:
    by_ada = team.recorded(ADA, route="an agent's, committed as Ada", by={"agent": "somebot"})
    by_bo = team.recorded(BO, route="an agent's, committed as Bo", by={"agent": "somebot"})
    team.commit(BO, "at the edge")
    for record in (by_ada, by_bo):
        team.forge(record)
        team.commit(ADA)
    assert team.states(by_ada, by_bo) == ["unreviewed", "approved"]
    clone = shallow(team, tmp_path / "clone", 3)
    assert [clone.trust(record).unseen for record in (by_ada, by_bo)] == [UNSHALLOW] * 2
    result = clone.inside("approve", by_ada.id, "--withdraw", "--commit")
    assert result.code == 0, result
    result = clone.inside("approve", by_ada.id, "--commit")
    assert (result.code, f"hint: {UNSHALLOW}" in result.err) == (2, True)
    assert "this clone does not reach back to who wrote it" in result.err


def test_who_damaged_what_an_agent_wrote_is_unknown_at_an_edge(team: Team, tmp_path: Path) -> None:
    record = team.recorded(BO, by={"agent": "somebot"})
    file = team.repo.root / record.path
    whole = file.read_text()
    file.write_text(whole + "<<<<<<< x\n")
    team.commit(MALLORY)
    file.write_text(whole)
    team.commit(BO)
    team.forge(record)
    team.commit(ADA)
    assert team.states(record) == ["approved"]
    assert shallow(team, tmp_path / "clone", 3).trust(record).unseen == UNSHALLOW


def test_a_record_that_may_have_been_restored_is_not_approved_by_who_restores_it(
    team: Team, tmp_path: Path
) -> None:
    record = team.recorded(BO)
    team.forge(record)
    team.commit(MALLORY)
    team.repo.git("rm", "-q", record.path)
    team.commit(BO, "gone")
    team.commit(BO, "later")
    team.repo.git("checkout", "-q", "HEAD~2", "--", record.path)
    team.commit(ADA, "restored")
    assert "Mallory" in str(team.trust(record).why)
    assert shallow(team, tmp_path / "clone", 2).trust(record).unseen == UNSHALLOW


def test_a_list_that_changed_behind_the_edge_of_a_branch_is_unknown(team: Team, tmp_path: Path) -> None:
    record = team.recorded(BO)
    team.commit(BO, "x")
    team.repo.git("checkout", "-qb", "topic")
    team.reviewers("bo@example.org")
    team.commit(ADA, "Bo reviews")
    team.commit(BO, "y")
    merge(team, "topic")
    team.approve(record, BO)
    assert team.states(record) == ["approved"]
    clone = shallow(team, tmp_path / "clone", 3)
    assert clone.trust(record).unseen == UNSHALLOW
    (change,) = clone.inside.json("log", "--audit")["reviewers"]
    assert (change["counts"], change["author"]) == (None, "Zed")
    assert UNSHALLOW in change["why"]
    whole = team.inside.json("log", "--audit")["reviewers"]
    assert [row["counts"] for row in whole] == [True, True]
    assert shallow(team, tmp_path / "more", 6).states(record) == ["approved"]


def test_the_audit_tells_of_no_change_at_the_edge(team: Team, tmp_path: Path) -> None:
    team.recorded(BO)
    clone = shallow(team, tmp_path / "clone", 1)
    assert "the list of reviewers changed" not in clone.inside("log", "--audit").out
    assert clone.inside.json("log", "--audit")["reviewers"] == []
    assert "the list of reviewers changed" in team.inside("log", "--audit").out


def test_a_committed_record_is_not_called_uncommitted(team: Team, tmp_path: Path) -> None:
    record = team.recorded(BO)
    team.commit(BO, "later")
    clone = shallow(team, tmp_path / "clone", 1)
    said = clone.inside("show", record.id).out
    assert "not committed" not in said
    assert "committed as it stands, no later than where this clone begins" in said
    for question in ("show", "list"):
        (row,) = clone.inside.json(*((question, record.id) if question == "show" else (question,)))["records"]
        assert (row["commit"], row["unknown"]) == (None, ["recorded_at", "commit"])
    clone.inside("correct", record.id, "--layer", "design")
    assert "not committed yet" in clone.inside("show", record.id).out
    assert clone.inside.json("show", record.id)["records"][0]["unknown"] == []
    assert team.inside.json("show", record.id)["records"][0]["unknown"] == []


def test_the_list_has_what_was_recorded_before_the_edge_last(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = team.recorded(BO, route="old", valid_from="2026-03-20")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-03-15T09:00:00Z")
    team.commit(BO, "later")
    new = team.recorded(BO, route="new", valid_from="2026-03-01")
    for inside in (team.inside, shallow(team, tmp_path / "clone", 2).inside):
        assert inside.ids("list", key="records") == [new.id, old.id], inside.root


def test_a_graft_names_nobody_either(team: Team, merged: Record) -> None:
    record = team.recorded(BO, route="after")
    assert team.inside.json("show", record.id)["records"][0]["commit"] == team.repo.git("rev-parse", "HEAD")
    assert team.states(merged) == ["approved"]
    # the branch of the merge is hidden, the first parents are not
    first = team.repo.git("rev-parse", "HEAD~1^1")
    team.repo.write(".git/info/grafts", f"{team.repo.git('rev-parse', 'HEAD~1')} {first}\n")
    trust = team.trust(merged)
    assert (trust.state, trust.unseen) == ("unreviewed", "git replace --convert-graft-file")
    (team.repo.root / ".git/info/grafts").write_text(team.repo.git("rev-parse", "HEAD") + "\n")
    assert team.inside.json("show", record.id)["records"][0]["unknown"] == ["recorded_at", "commit"]
    assert team.trust(merged).unseen == "git replace --convert-graft-file"
    assert "grafts hide commits here" in team.inside("doctor").out


def test_a_lost_commit_of_a_branch_is_unknown_and_costs_no_answer(team: Team, merged: Record) -> None:
    lost = team.repo.git("rev-parse", "topic~1")
    file = team.repo.root / ".git/objects" / lost[:2] / lost[2:]
    kept = file.rename(team.repo.root / ".git/kept")
    assert (team.trust(merged).state, team.trust(merged).unseen) == ("unreviewed", "git fsck")
    result = team.inside("show", merged.id)
    assert (result.code, "written by somebody" in result.out) == (0, True)
    kept.rename(file)
    assert team.states(merged) == ["approved"]


def test_a_partial_clone_says_what_brings_what_was_merged(team: Team, merged: Record, tmp_path: Path) -> None:
    team.repo.git("config", "uploadpack.allowFilter", "true")
    # what the first parents have is there, and what the branch had on its way is not
    record = team.read(merged)
    team.repo.git("checkout", "-q", "-b", "more")
    team.become(ADA)
    assert team.inside("approve", record.id, "--withdraw", "--commit").code == 0
    assert team.inside("correct", record.id, "--layer", "design", "--commit").code == 0
    team.approve(record)
    merge(team, "more")
    folder = tmp_path / "partial"
    team.repo.git("clone", "-q", "--filter=blob:none", team.repo.root.as_uri(), str(folder))
    along = "git log -p -m --first-parent --output=/dev/null -- .lessons"
    subprocess.run(along, shell=True, cwd=folder, check=True)
    clone = Team(Repo(folder), Inside(folder, pytest.MonkeyPatch()), pytest.MonkeyPatch())
    trust = clone.trust(merged)
    assert trust.state == "unreviewed"
    assert str(trust.unseen).startswith("git log"), trust.why
    subprocess.run(str(trust.unseen), shell=True, cwd=folder, check=True)
    assert clone.states(merged) == team.states(merged) == ["approved"]


def test_doctor_says_that_a_clone_is_shallow(team: Team, tmp_path: Path) -> None:
    team.recorded(BO)
    clone = shallow(team, tmp_path / "clone", 1)
    assert "this clone is shallow" in clone.inside("doctor").out
    assert {"hint": UNSHALLOW}.items() <= clone.inside.json("doctor")["troubles"][0].items()
    assert "shallow" not in team.inside("doctor").out
