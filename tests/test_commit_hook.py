"""git's door on real commits of every kind: which paths are asked about, what blocks, and what never does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from repository import Repo, Result

from chalkgit.store import journal

EVENTS = ("pre-commit", "pre-merge-commit", "commit-msg")


@pytest.fixture(name="hooked")
def hooked_fixture(repo: Repo) -> Repo:
    """A repository with committed files, whose hooks are ours; `a.py` to `d.py` each have a ruling."""
    for name in "abcd":
        repo.write(f"src/{name}.py", "".join(f"{name} {number}\n" for number in range(30)))
        repo.record(route=f"about {name}", observation=f"why {name}", files=[f"src/{name}.py"])
    repo.write("src/free.py", "nobody rules about this\n")
    repo.commit()
    install(repo.root / ".git" / "hooks")
    return repo


def install(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for event in EVENTS:
        file = folder / event
        program = f"{sys.executable} -I -m chalkgit"
        file.write_text(f'#!/bin/sh\nexec {program} hook {event} "$@"\n')
        file.chmod(0o755)


def git(
    repo: Repo, *args: str, cwd: Path | None = None, env: Mapping[str, str] | None = None, stdin: str = ""
) -> Result:
    done = subprocess.run(
        ["git", *args],
        cwd=cwd or repo.root,
        env={**os.environ, **(env or {})},
        input=os.fsencode(stdin),
        capture_output=True,
        check=False,
        timeout=60,
    )
    return Result(done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr))


def shown(said: str) -> list[str]:
    """The letters of the rulings that were shown."""
    return sorted(letter for letter in "abcd" if f"about {letter};" in said)


def edit(repo: Repo, *letters: str) -> None:
    for letter in letters:
        with (repo.root / "src" / f"{letter}.py").open("a") as file:
            file.write("more\n")


def test_the_staged_paths_are_asked_about_and_the_others_are_not(hooked: Repo) -> None:
    edit(hooked, "a", "b", "free")
    hooked.git("add", "src/a.py", "src/free.py")
    done = git(hooked, "commit", "-m", "x")
    assert done.code == 0, done
    assert shown(done.err) == ["a"]


def test_a_line_is_the_ruling_itself_and_at_most_240_characters(hooked: Repo) -> None:
    record = hooked.record(files=["src/free.py"], route="long " * 100, observation="word " * 100)
    edit(hooked, "free")
    hooked.git("add", "src/free.py")
    lines = [row for row in git(hooked, "commit", "-m", "x").err.splitlines() if "src/free.py" in row]
    assert len(lines) == 1
    assert lines[0].startswith("  src/free.py: Tried before, and failed: long long")
    assert lines[0].endswith(f"[{record.id}]")
    assert len(lines[0]) <= 240


def test_nothing_to_say_is_silence(hooked: Repo) -> None:
    edit(hooked, "free")
    hooked.git("add", ".")
    assert git(hooked, "commit", "-qm", "x") == (0, "", "")
    edit(hooked, "a")
    assert shown(git(hooked, "commit", "-qam", "x").err) == ["a"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("commit", "-am", "x"), ["a", "b"]),
        (("commit", "-m", "x", "src/b.py"), ["b"]),
        (("commit", "-im", "x", "src/b.py"), ["a", "b"]),
        (("commit", "--amend", "-am", "x"), ["a", "b"]),
        (("commit", "-m", "x"), ["a"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_each_way_to_commit_asks_about_what_it_commits(
    hooked: Repo, command: tuple[str, ...], expected: list[str]
) -> None:
    edit(hooked, "a", "b")
    hooked.git("add", "src/a.py")
    done = git(hooked, *command)
    assert done.code == 0, done
    assert shown(done.err) == expected


def test_a_part_of_a_file_is_enough(hooked: Repo) -> None:
    edit(hooked, "a", "b")
    done = git(hooked, "commit", "-p", "-m", "x", stdin="y\nn\n")
    assert shown(done.err) == ["a"]


def test_a_rename_is_asked_by_its_old_name_and_a_deletion_by_its_own(hooked: Repo) -> None:
    hooked.git("mv", "src/a.py", "src/new.py")
    hooked.git("rm", "-q", "src/b.py")
    done = git(hooked, "commit", "-m", "x")
    assert shown(done.err) == ["a", "b"]
    assert "  src/new.py: " in done.err


def test_a_later_change_of_a_renamed_file_is_asked_by_its_old_name(hooked: Repo) -> None:
    hooked.git("mv", "src/a.py", "src/new.py")
    git(hooked, "commit", "-m", "x")
    edit(hooked, "new")
    assert shown(git(hooked, "commit", "-am", "x").err) == ["a"]


def test_the_first_commit_has_all_of_its_files_asked_about(another: object, repo: Repo) -> None:
    repo.write("src/a.py", "a\n")
    repo.record(route="about a", files=["src/a.py"], observation="why")
    install(repo.root / ".git" / "hooks")
    repo.git("add", "-A")
    done = git(repo, "commit", "-m", "first")
    assert done.code == 0, done
    assert shown(done.err) == ["a"]


def test_a_subfolder_and_odd_names_are_no_hindrance(hooked: Repo) -> None:
    odd = 'src/ a "b" $(touch ran) é\n.py'
    hooked.write(odd, "x\n")
    hooked.record(route="about a", files=[odd.replace("\n", "?")], observation="why")
    hooked.git("add", ".")
    done = git(hooked, "commit", "-m", "x", cwd=hooked.root / "src")
    assert "about a" in done.err
    assert not (hooked.root / "ran").exists()
    assert not (hooked.root / "src" / "ran").exists()


def test_a_linked_work_tree_is_asked_with_its_own_index(hooked: Repo, tmp_path: Path) -> None:
    hooked.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    edit(hooked, "b")
    hooked.git("add", ".")
    edit(linked, "a")
    for command in (("commit", "-am", "x"), ("commit", "-m", "y", "src/c.py")):
        edit(linked, "c")
        done = git(linked, *command)
        assert done.code == 0, done
    assert shown(done.err) == ["c"]
    edit(linked, "a")
    assert shown(git(linked, "commit", "-am", "x").err) == ["a"]


def test_a_submodule_is_a_repository_of_its_own(hooked: Repo, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    super_ = Repo(outer)
    super_.git("init", "-q")
    super_.git("submodule", "add", "-q", str(hooked.root), "inner")
    super_.git("commit", "-qm", "x")
    install(outer / ".git" / "modules" / "inner" / "hooks")
    inner = Repo(outer / "inner")
    edit(inner, "a")
    done = git(inner, "commit", "-am", "x")
    assert shown(done.err) == ["a"]


def test_a_merge_asks_only_about_what_differs_from_both_parents(hooked: Repo) -> None:
    hooked.git("checkout", "-qb", "side")
    edit(hooked, "a", "b")
    hooked.git("commit", "-qnam", "side")
    hooked.git("checkout", "-q", "-")
    edit(hooked, "c")
    hooked.git("commit", "-qnam", "main")
    clean = git(hooked, "merge", "--no-ff", "-m", "merged", "side")
    assert clean.code == 0, clean
    assert shown(clean.err + clean.out) == []
    hooked.git("reset", "-q", "--hard", "HEAD~1")
    hooked.write("src/a.py", "a conflict\n")
    hooked.git("commit", "-qnam", "main too")
    assert git(hooked, "merge", "side").code == 1
    hooked.write("src/a.py", "both\n")
    hooked.git("add", ".")
    done = git(hooked, "commit", "-m", "merged")
    assert done.code == 0, done
    assert shown(done.err) == ["a"]


def test_a_clean_merge_that_decides_something_is_asked_before_it_is_made(hooked: Repo) -> None:
    # both sides change a file in different places: the merge's version differs from both
    lines = (hooked.root / "src/a.py").read_text().splitlines()
    hooked.git("checkout", "-qb", "side")
    hooked.write("src/a.py", "\n".join(["first", *lines[1:]]) + "\n")
    hooked.git("commit", "-qnam", "side")
    hooked.git("checkout", "-q", "-")
    hooked.write("src/a.py", "\n".join([*lines[:-1], "last"]) + "\n")
    edit(hooked, "c")
    hooked.git("commit", "-qnam", "main")
    done = git(hooked, "merge", "-m", "merged", "side")
    assert done.code == 0, done
    assert shown(done.err + done.out) == ["a"]


def test_what_is_replayed_was_committed_before_and_is_not_shown_again(hooked: Repo) -> None:
    hooked.git("checkout", "-qb", "side")
    edit(hooked, "a")
    hooked.git("commit", "-qnam", "side")
    hooked.git("checkout", "-q", "-")
    hooked.write("src/a.py", "a conflict\n")
    hooked.git("commit", "-qnam", "main")
    assert git(hooked, "cherry-pick", "side").code == 1
    hooked.write("src/a.py", "both\n")
    hooked.git("add", ".")
    done = git(hooked, "cherry-pick", "--continue")
    assert done.code == 0, done
    assert shown(done.err) == []
    hooked.git("checkout", "-q", "side")
    assert git(hooked, "rebase", "-q", "HEAD@{1}").code == 1
    hooked.write("src/a.py", "rebased\n")
    hooked.git("add", ".")
    done = git(hooked, "rebase", "--continue", env={"GIT_EDITOR": "true"})
    assert done.code == 0, done
    assert shown(done.err) == []
    edit(hooked, "b")
    assert shown(git(hooked, "commit", "-am", "x").err) == ["b"]  # the positive control


def test_many_files_of_one_ruling_are_one_line_and_many_rulings_are_counted(hooked: Repo) -> None:
    hooked.record(route="about all", files=["lib/"], observation="why")
    for number in range(12):
        hooked.write(f"lib/{number}.py", "x\n")
    hooked.git("add", "lib")
    done = git(hooked, "commit", "-m", "x")
    assert len([row for row in done.err.splitlines() if "about all" in row]) == 1
    assert "(and 11 more)" in done.err
    for number in range(12):
        hooked.record(route=f"rule {number}", files=["lib/"], observation="why")
    edit(hooked, "free")
    hooked.write("lib/0.py", "y\n")
    done = git(hooked, "commit", "-m", "y", "lib/0.py")
    assert len([row for row in done.err.splitlines() if "why: " in row]) == 7
    assert "and 6 more: chalkgit at lib/0.py" in done.err


def test_each_commit_is_a_session_of_its_own(hooked: Repo) -> None:
    for _ in range(2):
        edit(hooked, "a")
        assert shown(git(hooked, "commit", "-am", "x").err) == ["a"]
    assert Path(journal.path(hooked.place)).exists()


# --- staged records ------------------------------------------------------------------------------


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


# --- no commit is lost ---------------------------------------------------------------------------


def test_a_switched_off_hook_says_and_blocks_nothing(hooked: Repo) -> None:
    edit(hooked, "a")
    hooked.write(".lessons/bad.yaml", "kind: [\n")
    hooked.git("add", ".")
    assert git(hooked, "commit", "-qm", "x", env={"CHALKGIT_BYPASS_RULINGS": "1"}) == (0, "", "")


def test_without_a_store_the_reason_is_said(hooked: Repo) -> None:
    hooked.git("rm", "-rq", ".lessons")
    done = git(hooked, "commit", "-qm", "x")
    assert done.code == 0
    assert "no .lessons/ here" in done.err


def test_a_corrupt_index_of_ours_is_built_anew(hooked: Repo) -> None:
    edit(hooked, "a")
    assert shown(git(hooked, "commit", "-am", "x").err) == ["a"]
    for file in (hooked.root / ".git" / "chalkgit").rglob("*"):
        if file.is_file():
            file.write_bytes(b"\0" * 100)
    edit(hooked, "a")
    done = git(hooked, "commit", "-am", "x")
    assert done.code == 0
    assert shown(done.err) == ["a"]


def test_a_disk_that_takes_no_writes_shows_the_same(hooked: Repo) -> None:
    derived = hooked.root / ".git" / "chalkgit"
    if derived.exists():
        for file in sorted(derived.rglob("*"), reverse=True):
            file.rmdir() if file.is_dir() else file.unlink()
        derived.rmdir()
    derived.write_text("a file in the place of our folder")
    edit(hooked, "a")
    done = git(hooked, "commit", "-am", "x")
    assert done.code == 0
    assert shown(done.err) == ["a"]
    assert "the index cannot be written" in done.err


def test_hostile_records_run_nothing_and_print_no_escapes(hooked: Repo) -> None:
    hooked.record(
        path=".lessons/$(touch x).yaml", files=["src/a.py"], route="\u202e reversed", observation="o"
    )
    hooked.write(
        ".lessons/esc.yaml", 'id: abcdefgh\nkind: dead-end\nroute: "\\e[31mred"\nfiles: [src/a.py]\n'
    )
    edit(hooked, "a")
    hooked.git("add", "src")
    done = git(hooked, "commit", "-m", "x")
    assert done.code == 0, done
    assert "reversed" in done.err
    assert not any(c in done.err for c in "\x1b\u202e")
    assert not (hooked.root / "x").exists()


def test_another_repositorys_variables_are_refused_with_the_reason(
    hooked: Repo, another: object, tmp_path: Path, template: Repo
) -> None:
    from repository import copied

    other = copied(template, tmp_path / "other")
    other.write("src/b.py", "b\n")
    other.commit()
    other.write("src/b.py", "c\n")
    other.git("add", ".")
    for name, value in (
        ("GIT_DIR", str(other.root / ".git")),
        ("GIT_INDEX_FILE", str(other.root / ".git" / "index")),
    ):
        done = hooked.run("hook", "pre-commit", env={name: value})
        assert done.code == 0
        assert shown(done.out) == []
        assert name in done.err
    edit(hooked, "b")
    hooked.git("add", ".")
    assert shown(hooked.run("hook", "pre-commit").out) == ["b"]


def test_a_program_in_the_root_is_not_imported(hooked: Repo) -> None:
    for name in ("click", "yaml", "json", "chalkgit"):
        hooked.write(f"{name}.py", "open('ran', 'w')\nraise SystemExit(1)\n")
    edit(hooked, "a")
    done = git(hooked, "commit", "-am", "x")
    assert done.code == 0
    assert shown(done.err) == ["a"]
    assert not (hooked.root / "ran").exists()
