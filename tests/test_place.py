"""Where a repository is: found from anywhere inside it, and never taken for another one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from repository import Repo, chalkgit

from chalkgit import config
from chalkgit.errors import ChalkError, NoStore
from chalkgit.store import place as places
from chalkgit.store.place import Place

Another = Callable[[str], Repo]


def by_git(directory: Path) -> tuple[str, str, str]:
    """What git itself says of a folder."""
    asked = ["--path-format=absolute", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"]
    done = subprocess.run(["git", "rev-parse", *asked], cwd=directory, capture_output=True, check=True)
    root, git_dir, common = os.fsdecode(done.stdout).splitlines()
    return root, git_dir, common


def parts(place: Place) -> tuple[str, str, str]:
    return place.root, place.git_dir, place.common_dir


def test_a_folder_deep_inside_is_of_the_repository_around_it(repo: Repo) -> None:
    deep = repo.root / "a/b c/ü"
    deep.mkdir(parents=True)
    for folder in (repo.root, deep):
        assert parts(places.find(str(folder))) == by_git(folder)
    assert places.find(str(deep)).derived == str(repo.root / ".git/chalkgit")


def test_a_linked_work_tree_has_its_own_git_directory_and_shares_the_common_one(repo: Repo) -> None:
    repo.commit()
    repo.git("worktree", "add", "-q", "../linked")
    linked = repo.root.parent / "linked"
    found = places.find(str(linked / ".lessons"))
    assert parts(found) == by_git(linked)
    assert found.derived != repo.place.derived
    assert found.notes == repo.place.notes
    assert [p.root for p in places.siblings(found)] == [str(repo.root)]
    assert [p.root for p in places.siblings(repo.place)] == [str(linked)]


def test_a_sibling_that_was_deleted_or_broken_is_no_sibling(repo: Repo) -> None:
    repo.commit()
    for name in ("gone", "broken", "whole"):
        repo.git("worktree", "add", "-q", f"../{name}")
    subprocess.run(["rm", "-r", str(repo.root.parent / "gone")], check=True)
    (repo.root.parent / "broken/.git").write_text("gitdir: /nowhere\n")
    assert [p.root for p in places.siblings(repo.place)] == [str(repo.root.parent / "whole")]


def test_a_submodule_is_a_place_of_its_own(repo: Repo, another: Another) -> None:
    other = another("other")
    other.commit()
    repo.git("submodule", "--quiet", "add", str(other.root), "sub")
    sub = repo.root / "sub"
    assert parts(places.find(str(sub))) == by_git(sub)
    assert places.find(str(sub)).derived == str(repo.root / ".git/modules/sub/chalkgit")
    assert parts(repo.place) == by_git(repo.root)


def test_a_git_directory_elsewhere_is_followed_from_its_file(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--separate-git-dir", "far", "work"], cwd=tmp_path, check=True)
    assert parts(places.find(str(tmp_path / "work"))) == by_git(tmp_path / "work")
    assert places.find(str(tmp_path / "work")).git_dir == str(tmp_path / "far")


def test_a_link_to_a_folder_of_a_repository_is_that_repository(repo: Repo, tmp_path: Path) -> None:
    (repo.root / "src").mkdir()
    (tmp_path / "link").symlink_to(repo.root / "src")
    assert places.find(str(tmp_path / "link")).root == str(repo.root)


def test_outside_of_any_repository_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(ChalkError, match="not inside a git repository") as caught:
        places.find(str(tmp_path))
    assert caught.value.hint == "git init"
    with pytest.raises(ChalkError, match="no such folder"):
        places.find(str(tmp_path / "absent"))
    assert list(tmp_path.iterdir()) == []


def test_a_bare_repository_keeps_no_lessons(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", "b.git"], cwd=tmp_path, check=True)
    with pytest.raises(ChalkError, match="bare repository has no work tree"):
        places.find(str(tmp_path / "b.git"))
    result = chalkgit("check", "x", cwd=tmp_path / "b.git")
    assert (result.code, result.out) == (2, "")


@pytest.mark.parametrize("text", ["", "gitdir: /nowhere\n", "nonsense\n", "\xff\x00"])
def test_a_git_file_that_leads_nowhere_is_an_error_and_no_crash(tmp_path: Path, text: str) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w/.git").write_text(text)
    with pytest.raises(ChalkError):
        places.find(str(tmp_path / "w"))
    assert places.at_root(str(tmp_path / "w")) is None


def test_an_empty_git_folder_is_passed_as_git_passes_it(repo: Repo) -> None:
    inner = repo.root / "inner"
    (inner / ".git").mkdir(parents=True)
    assert places.find(str(inner)).root == by_git(inner)[0] == str(repo.root)
    assert places.at_root(str(inner)) is None
    found = places.at_root(str(repo.root))
    assert found is not None
    assert found.root == str(repo.root)


def test_what_a_hook_exports_is_believed_of_the_current_folder(
    repo: Repo, another: Another, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = another("other")
    monkeypatch.setenv("GIT_DIR", str(repo.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(repo.root))
    monkeypatch.chdir(other.root)
    assert places.find().root == str(repo.root)
    assert "GIT_DIR" in config.git_environment(str(repo.root))


def test_what_a_hook_exports_is_never_believed_of_another_repository(
    repo: Repo, another: Another, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = another("other")
    repo.record(route="warm the cache at night")
    other.record(route="sort the queue by age")
    monkeypatch.chdir(repo.root)
    monkeypatch.setenv("GIT_DIR", str(repo.root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(repo.root / ".git/index"))
    monkeypatch.setenv("GIT_PREFIX", "")
    assert places.find().root == str(repo.root)
    assert places.find(str(other.root)).git_dir == str(other.root / ".git")
    assert not {"GIT_DIR", "GIT_INDEX_FILE", "GIT_PREFIX"} & set(config.git_environment(str(other.root)))
    result = repo.run("-C", str(other.root), "check", "sort the queue by age", "--here")
    assert result.code == 1
    assert "another repository" not in result.out
    assert (other.root / ".git/chalkgit/manifest.json").exists()
    assert not (repo.root / ".git/chalkgit").exists()


@pytest.mark.parametrize("args", [["-qam", "x"], ["-qm", "x", "f.txt"], ["-qm", "x"]])
@pytest.mark.parametrize("linked", [False, True])
def test_a_hook_reads_the_records_of_the_work_tree_that_commits(
    repo: Repo, args: list[str], linked: bool
) -> None:
    repo.write("f.txt", "1\n")
    repo.record(route="warm the cache at night")
    repo.commit()
    root = repo.root
    if linked:
        repo.git("worktree", "add", "-q", "../linked")
        root = repo.root.parent / "linked"
    (root / "f.txt").write_text("2\n")
    repo.git("add", "f.txt", cwd=root)
    line = f"'{sys.executable}' -I -m chalkgit check --here 'warm the cache at night' > hook.out 2>&1; true\n"
    hook = repo.write(".git/hooks/pre-commit", "#!/bin/sh\n" + line)
    hook.chmod(0o755)
    repo.git("commit", *args, cwd=root)
    assert "This was tried before (1 record" in (root / "hook.out").read_text()
    assert repo.git("log", "-1", "--format=%s", cwd=root) == "x"


def test_no_store_is_an_error_and_never_a_new_folder(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    with pytest.raises(NoStore):
        places.find(str(tmp_path)).require_store()
    for command in (["check", "x"], ["at", "x"], ["list"], ["index"], ["tried", "x", "--because", "y"]):
        result = chalkgit(*command, cwd=tmp_path)
        assert (result.code, result.out) == (2, "")
        assert "hint: chalkgit init" in result.err
    assert [p.name for p in tmp_path.iterdir()] == [".git"]
    assert not (tmp_path / ".git/chalkgit").exists()


def test_lessons_that_are_a_link_are_never_followed(repo: Repo, another: Another) -> None:
    other = another("other")
    other.record(route="sort the queue by age")
    subprocess.run(["rm", "-r", str(repo.root / ".lessons")], check=True)
    (repo.root / ".lessons").symlink_to(other.root / ".lessons")
    with pytest.raises(ChalkError, match="symbolic link"):
        repo.place.require_store()
    for command in (["check", "sort the queue by age", "--here"], ["tried", "x", "--because", "y"], ["init"]):
        result = repo.run(*command)
        assert (result.code, result.out) == (2, "")
        assert "symbolic link" in result.err
    assert len(list((other.root / ".lessons/dead-ends").iterdir())) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository away")
def test_another_users_repository_is_refused_as_git_refuses_it(repo: Repo, another: Another) -> None:
    other = another("other")
    other.record(route="sort the queue by age")
    for folder in (other.root, other.root / ".git"):
        os.chown(folder, 12345, 12345)
    with pytest.raises(ChalkError, match="dubious ownership"):
        places.find(str(other.root))
    result = other.run("check", "sort the queue by age")
    assert (result.code, result.out) == (2, "")
    assert "safe.directory" in result.err
    other.git("config", "--global", "--add", "safe.directory", str(other.root), cwd=repo.root)
    assert other.run("check", "sort the queue by age", "--here").code == 1


def test_head_is_what_git_says_it_is(repo: Repo) -> None:
    def agreed() -> str | None:
        code = subprocess.run(
            ["git", "rev-parse", "-q", "--verify", "HEAD"], cwd=repo.root, capture_output=True, check=False
        )
        assert places.head(repo.place) == (code.stdout.decode().strip() or None)
        return places.head(repo.place)

    assert agreed() is None  # unborn
    first = repo.commit()
    assert agreed() == first
    repo.git("checkout", "-qb", "feature/x")
    second = repo.commit("second")
    assert agreed() == second
    repo.git("pack-refs", "--all")
    assert agreed() == second
    repo.git("checkout", "-q", first)  # detached
    assert agreed() == first
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/feature/x")
    repo.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert agreed() == second
    repo.git("symbolic-ref", "HEAD", "refs/heads/none")
    assert agreed() is None


def test_head_of_a_linked_work_tree_is_its_own(repo: Repo) -> None:
    first = repo.commit()
    repo.git("worktree", "add", "-q", "-b", "side", "../linked")
    linked = places.find(str(repo.root.parent / "linked"))
    repo.git("commit", "-q", "--allow-empty", "-m", "side", cwd=Path(linked.root))
    assert places.head(repo.place) == first
    assert places.head(linked) == repo.git("rev-parse", "side")
