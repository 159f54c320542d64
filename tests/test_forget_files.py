"""forget asks first, takes exactly the record's files, and says what git, history and others keep."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from forgotten import ABOUT, leaking
from inside import Inside, chalk_fixture  # noqa: F401
from pseudoterminal import opened
from repository import Repo

from chalkgit.store import runs


def test_it_asks_and_where_nobody_can_be_asked_it_needs_yes(repo: Repo, chalk: Inside) -> None:
    record = repo.record(**ABOUT)
    refused = chalk("forget", record.id)
    assert refused.code == 2
    assert f"chalkgit forget {record.id} --yes" in refused.err
    assert (repo.root / record.path).exists()
    assert chalk("forget", record.id, "--yes").code == 0
    assert not (repo.root / record.path).exists()


@pytest.mark.parametrize(("answer", "there"), [("n", True), ("", True), ("y", False)])
def test_at_a_terminal_only_yes_erases(repo: Repo, answer: str, there: bool) -> None:
    record = repo.record(**ABOUT)
    with opened("forget", record.id, cwd=repo.root) as terminal:
        terminal.answer(answer, "[y/N] ")
        assert terminal.ended() == (2 if there else 0)
    assert (repo.root / record.path).exists() is there


def test_it_says_what_is_left_to_commit_and_what_history_keeps(repo: Repo, chalk: Inside) -> None:
    record = repo.record(**ABOUT)
    commit = repo.commit("a lesson")
    moved = ".lessons/elsewhere.yaml"
    repo.git("mv", record.path, moved)
    repo.commit("moved")
    found = chalk.json("forget", record.id[:6], "--yes")
    assert found["files"] == [{"root": str(repo.root), "path": moved}]
    assert sorted(found["paths"]) == sorted([record.path, moved])
    assert [row["subject"] for row in found["history"]] == ["moved", "a lesson"]
    assert found["history"][-1]["commit"] == commit
    assert found["rewrite"][0].startswith("git filter-repo --invert-paths --path ")
    assert moved in found["rewrite"][0]
    subprocess.run(["sh", "-c", found["next"]], cwd=repo.root, check=True, capture_output=True)
    assert repo.git("status", "--porcelain", "--", ".lessons") == ""
    again = chalk("forget", record.id, "--yes")
    assert again.code == 0
    assert "Nothing of" in again.out
    assert "revoke it" in again.out
    assert "git commit" not in again.out


def test_what_was_only_staged_has_no_history_but_loose_objects(repo: Repo, chalk: Inside) -> None:
    repo.commit()
    record = repo.record(**ABOUT)
    repo.git("add", "-A")
    done = chalk("forget", record.id, "--yes").out
    assert "never committed" in done
    assert "git gc --prune=now" in done
    assert "filter-repo" not in done
    assert repo.git("status", "--porcelain") == ""


def test_what_a_sparse_checkout_leaves_out_and_what_is_unmerged_leave_gits_index(
    repo: Repo, chalk: Inside
) -> None:
    record = repo.record(**ABOUT)
    repo.commit()
    repo.git("update-index", "--skip-worktree", record.path)
    (repo.root / record.path).unlink()
    assert chalk("forget", record.id, "--yes").code == 0
    assert repo.git("status", "--porcelain", "--", ".lessons") == f"D  {record.path}"
    repo.git("reset", "-q", "--hard")
    repo.git("checkout", "-q", "-b", "side")
    repo.record(**{**ABOUT, "id": record.id, "observation": "one"}, path=record.path)
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.record(**{**ABOUT, "id": record.id, "observation": "other"}, path=record.path)
    repo.commit()
    subprocess.run(["git", "merge", "-q", "side"], cwd=repo.root, capture_output=True, check=False)
    assert repo.git("ls-files", "--unmerged", "--", record.path) != ""
    assert chalk("forget", record.id, "--yes").code == 0
    assert repo.git("ls-files", "--stage", "--", record.path) == ""


def test_an_id_that_nothing_has_is_said_and_erases_nothing(repo: Repo, chalk: Inside) -> None:
    record = repo.record(**ABOUT)
    done = chalk("forget", "zzzzzzzz")
    assert done.code == 0
    assert "Nothing of zzzzzzzz is left here" in done.out
    assert "No commit of this clone has it." in done.out
    assert (repo.root / record.path).exists()


def test_records_that_name_it_are_named_and_not_changed(repo: Repo, chalk: Inside) -> None:
    record = repo.record(**ABOUT)
    newer = repo.record(route="sort the queue", observation="b", supersedes=[record.id])
    before = (repo.root / newer.path).read_bytes()
    done = chalk("forget", record.id, "--yes")
    assert (done.out + done.err).count(f"{newer.id} names it") == 1
    assert (repo.root / newer.path).read_bytes() == before


def test_a_successor_comes_with_the_command_that_takes_the_forgotten_one_out(
    repo: Repo, chalk: Inside
) -> None:
    oldest, kept = repo.record(route="oldest"), repo.record(route="kept")
    record = repo.record(**ABOUT, supersedes=[oldest.id, "zzzzzzzz"])
    newer = repo.record(route="newer", supersedes=[kept.id, record.id])
    aside = repo.record(route="aside", observation=f"unlike {record.id}")
    repo.commit()
    asked = chalk("forget", record.id).err
    assert "to take it out of" not in asked  # it works once the record is gone
    done = chalk("forget", record.id, "--yes").out
    command = f"chalkgit correct {newer.id} --supersedes {kept.id} --supersedes {oldest.id}"
    assert f"  to take it out of {newer.id}: {command}\n" in done
    assert done.count("to take it out of") == 1
    assert aside.id in done
    assert chalk("lint").code == 1
    assert chalk(*shlex.split(command)[1:], "--commit").code == 0
    assert chalk("lint").code == 0
    # what the forgotten one replaced is still replaced
    state = {row["id"]: row["status"] for row in chalk.json("list")["records"]}
    assert state[oldest.id] == state[kept.id] == "superseded"


def test_a_successor_of_the_forgotten_one_alone_is_left_with_nothing(repo: Repo, chalk: Inside) -> None:
    record = repo.record(**ABOUT)
    newer = repo.record(route="newer", supersedes=[record.id])
    done = chalk("forget", record.id, "--yes").out
    assert f'to take it out of {newer.id}: chalkgit correct {newer.id} --supersedes ""' in done
    assert chalk("correct", newer.id, "--supersedes", "").code == 0
    assert chalk("lint").code == 0


def test_a_copy_with_the_same_id_goes_and_one_with_another_id_stays(repo: Repo, chalk: Inside) -> None:
    record = repo.record(**ABOUT)
    text = (repo.root / record.path).read_text()
    copy = repo.write(".lessons/copy.yaml", text)
    other = repo.write(f".lessons/other.{record.id}.yaml", text.replace(record.id, "b2345678"))
    damaged = repo.write(f".lessons/damaged.{record.id}.yaml", "id: [\n")
    assert chalk("forget", record.id, "--yes").code == 0
    assert not copy.exists()
    assert not damaged.exists()
    assert other.exists()


def test_a_working_note_is_forgotten_and_git_never_saw_it(repo: Repo, chalk: Inside) -> None:
    chalk("note", "warming the zebrafish cache did not work, the quokka went stale")
    (note,) = (repo.root / ".git/chalkgit-notes").glob("*.yaml")
    assert chalk("check", "warm the zebrafish cache").code in (0, 1)
    assert leaking(repo.root) != []
    done = chalk("forget", note.stem, "--yes")
    assert "It was a working note, which git never saw." in done.out
    assert leaking(repo.root) == []


def test_failed_runs_like_the_lessons_go_with_it_and_others_stay(repo: Repo, chalk: Inside) -> None:
    error = "KeyError: zebrafish"
    record = repo.record(kind="lesson", failure={"error": error}, resolution="feed the quokka")
    for said in (error, "ValueError: another"):
        runs.record(repo.place, runs.Past("recall", error=said))
    assert any("journal.db" in name for name in leaking(repo.root))
    assert chalk("forget", record.id, "--yes").code == 0
    assert leaking(repo.root) == []
    assert [run.error for run in runs.earlier(repo.place)] == ["ValueError: another"]


def test_a_journal_that_cannot_be_read_is_taken_away(repo: Repo, chalk: Inside) -> None:
    record = repo.record(**ABOUT)
    folder = repo.root / ".git/chalkgit-journal"
    folder.mkdir()
    for name in ("journal.db", "journal.db.damaged"):
        (folder / name).write_bytes(b"no database: zebrafish\n" * 400)
    assert chalk("forget", record.id, "--yes").code == 0
    assert leaking(repo.root) == []


def test_derived_data_behind_a_link_is_not_followed(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    record = repo.record(**ABOUT)
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "kept").write_text("zebrafish")
    (repo.root / ".git/chalkgit/vectors").parent.mkdir(exist_ok=True)
    (repo.root / ".git/chalkgit/vectors").symlink_to(precious)
    done = chalk("forget", record.id, "--yes")
    assert done.code == 2
    assert "a symbolic link, which is not followed" in done.err
    assert (precious / "kept").exists()
    (repo.root / ".git/chalkgit/vectors").unlink()
    assert chalk("forget", record.id, "--yes").code == 0


def test_what_git_has_as_it_is_committed_is_not_called_staged(repo: Repo, chalk: Inside) -> None:
    record = repo.record(**ABOUT)
    repo.commit()
    asked = chalk("forget", record.id).err
    assert f"  in git's index: {record.path}\n" in asked
    assert "staged" not in asked
    (repo.root / record.path).unlink()
    asked = chalk("forget", record.id).err
    assert asked.startswith(f"{record.id}: what is left of a record whose file is gone")
    assert f"  in git's index: {record.path}\n" in asked
