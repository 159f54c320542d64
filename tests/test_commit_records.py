"""git's door and records: a broken one that is staged blocks, and so does a ruling not acknowledged."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from committing import edit, git, hooked_fixture, shown  # noqa: F401
from repository import Repo


def test_a_broken_staged_record_blocks_and_is_named_with_its_line(hooked: Repo) -> None:
    hooked.write(".lessons/bad.yaml", "id: abcdefgh\nkind: dead-end\nroute: [\n")
    edit(hooked, "a")
    hooked.git("add", "-A")
    done = git(hooked, "commit", "-m", "x")
    assert done.code == 1
    assert ".lessons/bad.yaml:" in done.err
    assert ": error: " in done.err
    assert shown(done.err) == ["a"]
    hooked.git("rm", "-q", "--cached", ".lessons/bad.yaml")
    assert git(hooked, "commit", "-m", "x").code == 0  # it is not staged, and blocks nothing


def test_the_staged_content_counts_and_not_the_work_tree(hooked: Repo) -> None:
    record = hooked.record(files=["src/a.py"])
    file = hooked.root / record.path
    good = file.read_text()
    file.write_text("kind: [\n")
    hooked.git("add", ".")
    file.write_text(good)
    assert git(hooked, "commit", "-m", "x").code == 1
    hooked.git("add", ".")
    file.write_text("kind: [\n")
    assert git(hooked, "commit", "-m", "x").code == 0


def test_a_record_is_validated_in_a_replay_too(hooked: Repo) -> None:
    hooked.git("checkout", "-qb", "side")
    hooked.write(".lessons/x.yaml", "kind: [\n")
    hooked.git("add", ".")
    hooked.git("commit", "-qnam", "side")
    hooked.git("checkout", "-q", "-")
    hooked.write(".lessons/x.yaml", "kind: {\n")
    hooked.git("add", ".")
    hooked.git("commit", "-qnam", "main")
    assert git(hooked, "cherry-pick", "side").code == 1
    hooked.git("add", ".")  # with the markers of the conflict in it
    assert git(hooked, "commit", "-m", "x").code == 1


def test_a_copied_record_with_the_same_id_blocks(hooked: Repo) -> None:
    record = hooked.record(files=["src/a.py"])
    hooked.commit()
    hooked.write(".lessons/copy.yaml", (hooked.root / record.path).read_bytes())
    hooked.git("add", ".")
    done = git(hooked, "commit", "-m", "x")
    assert done.code == 1
    assert f"has the id {record.id}" in done.err


def test_a_renamed_record_is_no_copy(hooked: Repo) -> None:
    record = hooked.record(files=["src/a.py"])
    hooked.commit()
    hooked.git("mv", record.path, f".lessons/moved.{record.id}.yaml")
    done = git(hooked, "commit", "-m", "x")
    assert done.code == 0, done


# --- acknowledgement -----------------------------------------------------------------------------


def ask_for(repo: Repo, block: str) -> None:
    with (repo.root / ".lessons" / "config.yaml").open("a") as file:
        file.write(f"hooks:\n  block: {block}\n")
    repo.git("add", "-A")
    repo.git("commit", "-qnm", "policy")


def test_nothing_blocks_unless_it_was_asked_for(hooked: Repo) -> None:
    hooked.record(files=["src/a.py"], degree="contradicted")
    edit(hooked, "a")
    assert git(hooked, "commit", "-am", "x").code == 0


@pytest.mark.parametrize(("block", "code"), [("never", 0), ("contradicted", 1), ("always", 1)])
def test_a_contradicted_route_blocks_where_the_repository_asks_for_it(
    hooked: Repo, block: str, code: int
) -> None:
    ruled = hooked.record(files=["src/free.py"], degree="contradicted")
    ask_for(hooked, block)
    edit(hooked, "free")
    done = git(hooked, "commit", "-am", "x")
    assert done.code == code, done
    assert (f"Lesson: {ruled.id}" in done.err) == bool(code)
    assert git(hooked, "commit", "-am", f"x\n\nLesson: {ruled.id}").code == 0 or not code


def test_always_asks_for_every_ruling_and_contradicted_for_those_alone(hooked: Repo) -> None:
    ask_for(hooked, "contradicted")
    edit(hooked, "a")
    assert git(hooked, "commit", "-am", "x").code == 0
    hooked.write(".lessons/config.yaml", "hooks:\n  block: always\n")
    edit(hooked, "a", "b")
    done = git(hooked, "commit", "-am", "x")
    assert done.code == 1
    ids = [row.strip().removeprefix("Lesson: ") for row in done.err.splitlines() if row.startswith("    L")]
    assert len(ids) == 2
    assert git(hooked, "commit", "-am", f"x\n\nLesson: {ids[0]}").code == 1
    # a prefix of four is enough, and several may share a line
    assert git(hooked, "commit", "-am", f"x\n\nLesson: {ids[0][:4]}, {ids[1][:5]}").code == 0


def test_a_policy_that_nothing_enforces_is_said(hooked: Repo) -> None:
    hooked.record(files=["src/free.py"], degree="contradicted")
    ask_for(hooked, "contradicted")
    edit(hooked, "free")
    told = "no commit-msg hook of chalkgit runs here"
    assert told not in git(hooked, "commit", "-am", "x").err
    (hooked.root / ".git/hooks/commit-msg").unlink()
    done = git(hooked, "commit", "-am", "x")
    assert done.code == 0
    assert told in done.err


def test_a_line_anywhere_acknowledges_and_a_wrong_id_is_told(hooked: Repo) -> None:
    ruled = hooked.record(files=["src/free.py"], degree="contradicted").id
    ask_for(hooked, "contradicted")
    for said in (
        f"x\nLesson: {ruled}",
        f"x\n\nlesson: {ruled.upper()}\n\nSigned-off-by: Ada <ada@example.org>",
        f"x\n\nLesson: [{ruled[:5]}].",
    ):
        edit(hooked, "free")
        assert git(hooked, "commit", "-am", said).code == 0
    edit(hooked, "free")
    done = git(hooked, "commit", "-am", "x\n\nLesson: nope1234")
    assert done.code == 1
    assert "“nope1234” is none of them." in done.err
    assert "git commit -e -F" in done.err
    kept = hooked.git("rev-parse", "--git-path", "COMMIT_EDITMSG")
    assert "nope1234" in (hooked.root / kept).read_text()


def test_a_mistake_in_the_policy_leaves_the_rest_of_it_standing(hooked: Repo) -> None:
    hooked.record(files=["src/free.py"], degree="contradicted")
    ask_for(hooked, "contradicted\n  check-message: maybe")
    edit(hooked, "free")
    done = git(hooked, "commit", "-am", "x")
    assert done.code == 1
    assert "`hooks.check-message` is “maybe”, neither true nor false: it is passed over" in done.err


def test_records_that_cannot_be_read_are_counted_at_a_commit(hooked: Repo) -> None:
    hooked.write(".lessons/bad.yaml", "kind: [\n")
    hooked.git("add", "-A")
    hooked.git("commit", "-qnm", "x")
    edit(hooked, "a")
    done = git(hooked, "commit", "-qam", "y")
    assert done.code == 0
    assert "1 record cannot be read, whichever files it is about (hint: chalkgit lint)" in done.err


def test_what_has_reopened_need_not_be_acknowledged(hooked: Repo) -> None:
    hooked.record(files=["src/free.py"], degree="contradicted", reopens_when=["date:2020-01-01"])
    ask_for(hooked, "contradicted")
    edit(hooked, "free")
    done = git(hooked, "commit", "-am", "x")
    assert done.code == 0
    assert "Open again" in done.err


def test_the_users_own_setting_wins_over_the_repositorys(hooked: Repo) -> None:
    hooked.record(files=["src/free.py"], degree="contradicted")
    ask_for(hooked, "contradicted")
    settings = Path(os.environ["XDG_CONFIG_HOME"], "chalkgit", "config.yaml")
    settings.write_text(settings.read_text() + "hooks:\n  block: never\n")
    edit(hooked, "free")
    assert git(hooked, "commit", "-am", "x").code == 0


def test_a_policy_that_cannot_be_read_is_said_and_blocks_nothing(hooked: Repo) -> None:
    ask_for(hooked, "allways")
    edit(hooked, "a")
    done = git(hooked, "commit", "-am", "x")
    assert done.code == 0
    assert ".lessons/config.yaml: `hooks.block` is “allways”" in done.err


# --- the message as a proposal -------------------------------------------------------------------


def test_the_message_is_checked_where_it_is_asked_for_and_blocks_nothing(hooked: Repo) -> None:
    record = hooked.record(route="cache the parsed manifest between runs", observation="stale")
    hooked.commit()
    edit(hooked, "free")
    assert record.id not in git(hooked, "commit", "-am", "cache the parsed manifest between runs").err
    with (hooked.root / ".lessons" / "config.yaml").open("a") as file:
        file.write("hooks:\n  check-message: true\n")
    edit(hooked, "free")
    done = git(hooked, "commit", "-am", "cache the parsed manifest between runs")
    assert done.code == 0, done
    assert "The commit message proposes what was tried" in done.err
    assert f"[{record.id}]" in done.err
    edit(hooked, "free")
    assert git(hooked, "commit", "-qam", "add dark mode to the settings page") == (0, "", "")


def test_what_the_message_acknowledges_is_not_shown_to_it(hooked: Repo) -> None:
    record = hooked.record(route="cache the parsed manifest between runs", observation="stale")
    with (hooked.root / ".lessons" / "config.yaml").open("a") as file:
        file.write("hooks:\n  check-message: true\n")
    hooked.commit()
    text = f"cache the parsed manifest between runs\n\nLesson: {record.id}"
    edit(hooked, "free")
    assert git(hooked, "commit", "-qam", text) == (0, "", "")
    edit(hooked, "free")
    assert record.id in git(hooked, "commit", "-qam", text.split("\n")[0]).err


def test_comments_and_the_diff_of_a_verbose_commit_are_no_proposal(hooked: Repo) -> None:
    hooked.record(route="cache the parsed manifest between runs", observation="stale")
    with (hooked.root / ".lessons" / "config.yaml").open("a") as file:
        file.write("hooks:\n  check-message: true\n")
    hooked.commit()
    scissors = "# ------------------------ >8 ------------------------"
    route = "cache the parsed manifest between runs"
    message = hooked.write(".git/message", f"tidy\n# {route}\n{scissors}\n{route}\n")
    assert hooked.run("hook", "commit-msg", str(message)).out == ""
    message = hooked.write(".git/message", f"{route}\n")
    assert "was tried" in hooked.run("hook", "commit-msg", str(message)).out
