"""git's door on real commits of every kind: which paths are asked about, and what is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from committing import edit, git, hooked_fixture, install, shown  # noqa: F401
from repository import Repo

from chalkgit.store import journal_file


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
    assert Path(journal_file.path(hooked.place)).exists()
