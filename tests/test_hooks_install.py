"""`hooks install`: real commits by real gits, the system's and one that runs hooks from its settings."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import gits
import pytest
from hooking import (  # noqa: F401
    TRIED,
    Venv,
    change,
    commit,
    files_fixture,
    git,
    installation,
    known_fixture,
    script,
    venv_fixture,
    way_fixture,
)
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo, Result

# those at which git runs pre-commit, and those at which it runs no gate
KINDS = ("-a", "path", "amend", "merge", "conflict", "squash", "worktree", "subfolder")
UNSEEN = ("-n", "cherry-pick", "ff")


def test_a_commit_shows_its_rulings_and_none_before_the_installation(
    known: Repo, chalk: Inside, way: str
) -> None:
    assert TRIED not in commit(known).err
    result = chalk("hooks", "install")
    assert (result.code, result.err) == (0, "")
    assert "pre-commit" in result.out
    done = commit(known)
    assert done.code == 0
    assert done.err.count(TRIED) == 1


def test_a_commit_without_any_settings_or_terminal_shows_them_too(
    known: Repo, chalk: Inside, way: str
) -> None:
    chalk("hooks", "install")
    known.git("config", "user.name", "Ada")
    known.git("config", "user.email", "ada@example.org")
    change(known)
    known.git("add", "-A")
    command = ["setsid", "-w", "env", "-i", f"PATH={gits.bare_path(way)}", "git", "commit", "-m", "work"]
    done = subprocess.run(
        command, cwd=known.root, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count(TRIED)) == (0, 1), done


@pytest.mark.parametrize(
    ("way", "kind"),
    [("file", kind) for kind in (*KINDS, *UNSEEN)]
    + [("config", kind) for kind in ("worktree", "merge", "-n")],
)
def test_every_kind_of_commit_runs_the_hooks_that_git_runs_for_it(
    known: Repo, chalk: Inside, way: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gits.use(way, monkeypatch)
    chalk("hooks", "install")
    done = _committed(known, kind, tmp_path)
    assert done.err.count(TRIED) == (kind in KINDS), done


def _committed(repo: Repo, kind: str, tmp_path: Path) -> Result:
    if kind in ("-a", "path", "amend", "-n", "subfolder"):
        change(repo)
        repo.git("add", "-A")
        words = {"-a": ["-a"], "path": ["--", "a.py"], "amend": ["--amend"], "-n": ["-n"]}.get(kind, [])
        cwd = repo.root / "src"
        cwd.mkdir()
        return git(repo, "commit", "-m", "work", *words, cwd=cwd if kind == "subfolder" else None)
    if kind == "worktree":
        linked = tmp_path / "linked"
        repo.git("worktree", "add", "-q", str(linked))
        change(repo, root=linked)
        repo.git("add", "-A", cwd=linked)
        return git(repo, "commit", "-m", "work", cwd=linked)
    repo.git("checkout", "-q", "-b", "other")
    change(repo)
    repo.git("add", "-A")
    repo.git("commit", "-n", "-q", "-m", "theirs")
    repo.git("checkout", "-q", "main")
    if kind != "ff":
        change(repo, "a.py" if kind == "conflict" else "b.py")
        (repo.root / "b.py").write_text("ours\n")
        if kind == "conflict":
            (repo.root / "a.py").write_text("ours\n")
        repo.git("add", "-A")
        repo.git("commit", "-n", "-q", "-m", "ours")
    if kind == "cherry-pick":
        return git(repo, "cherry-pick", "other")
    if kind in ("ff", "merge"):
        # what merely came from the other side is no news: a change of ours in the merge is
        if kind == "ff":
            return git(repo, "merge", "other")
        merged = git(repo, "merge", "--no-commit", "other")
        assert merged.code == 0
    elif kind == "squash":
        repo.git("merge", "--squash", "other")
    else:
        assert git(repo, "merge", "other").code == 1
    (repo.root / "a.py").write_text("both\n")
    repo.git("add", "-A")
    return git(repo, "commit", "-m", "merged")


def test_a_clean_merge_asks_the_hook_of_merges(known: Repo, chalk: Inside, way: str) -> None:
    """A broken record that merely comes from the other side is refused there, and nowhere else."""
    known.git("checkout", "-q", "-b", "other")
    known.write(".lessons/bad.yaml", "kind: dead-end\nroute: [\n")
    known.commit()
    known.git("checkout", "-q", "main")
    known.write("b.py", "ours\n")
    known.commit()
    chalk("hooks", "install")
    done = git(known, "merge", "--no-edit", "other")
    assert done.code != 0
    assert ".lessons/bad.yaml:" in done.err
    known.git("merge", "--abort")
    chalk("hooks", "uninstall")
    assert git(known, "merge", "--no-edit", "other").code == 0  # the positive control


def test_the_message_is_held_where_the_repository_asks_for_it(known: Repo, chalk: Inside, way: str) -> None:
    known.write(".lessons/config.yaml", "hooks:\n  block: always\n")
    known.commit()
    chalk("hooks", "install")
    record_id = chalk.json("list")["records"][0]["id"]
    assert commit(known).code == 1
    assert commit(known, "--trailer", f"Lesson: {record_id}").code == 0


def test_a_submodule_has_hooks_of_its_own(
    known: Repo, another: Callable[[str], Repo], chalk: Inside, way: str
) -> None:
    outer = another("outer")
    outer.git("submodule", "add", "-q", str(known.root), "inner")
    inner = Repo(outer.root / "inner")
    assert chalk("hooks", "install", cwd=inner.root).code == 0
    assert commit(inner).err.count(TRIED) == 1
    assert TRIED not in commit(outer).err


@pytest.mark.parametrize(
    ("way", "scope", "path"),
    [
        ("file", "--local", "relative"),
        ("file", "--local", "absolute"),
        ("file", "--global", "relative"),
        ("file", "--global", "absolute"),
        ("config", "--local", "relative"),
    ],
)
def test_hooks_run_where_core_hookspath_points(
    known: Repo,
    chalk: Inside,
    way: str,
    scope: str,
    path: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gits.use(way, monkeypatch)
    folder = ".git/their hooks" if path == "relative" else str(tmp_path / "their hooks")
    known.git("config", scope, "core.hooksPath", folder)
    before = installation(known.root)
    assert chalk("hooks", "install").code == 0
    assert chalk("hooks", "install").out.startswith("nothing to change")
    assert commit(known).err.count(TRIED) == 1
    chalk("hooks", "uninstall")
    known.git("reset", "-q", "--hard", "HEAD^")
    assert not os.path.lexists(known.root / folder)
    assert installation(known.root) == before


def test_a_folder_of_hooks_for_all_repositories_is_silent_without_a_store(
    known: Repo, chalk: Inside, files: None, tmp_path: Path
) -> None:
    known.git("config", "--global", "core.hooksPath", str(tmp_path / "hooks"))
    assert "your other repositories" in chalk("hooks", "install").out
    plain = Repo(tmp_path / "plain")
    plain.root.mkdir()
    plain.git("init", "-q")
    assert commit(plain).err == ""
    assert TRIED in commit(known).err


def test_a_hookspath_that_is_no_folder_is_said(known: Repo, chalk: Inside, files: None) -> None:
    known.git("config", "core.hooksPath", "/dev/null")
    result = chalk("hooks", "install")
    assert result.code == 2
    assert "core.hooksPath is no folder" in result.err


@pytest.mark.parametrize("action", ["checkout", "merge", "amend"])
def test_derived_data_follows_in_the_background(known: Repo, chalk: Inside, way: str, action: str) -> None:
    commit(known)
    known.git("branch", "other")
    commit(known)
    known.git("checkout", "-q", "other")
    chalk("hooks", "install")
    derived = known.root / ".git" / "chalkgit"
    shutil.rmtree(derived, ignore_errors=True)
    command = {"checkout": ["checkout", "main"], "merge": ["merge", "main"], "amend": ["commit", "--amend"]}
    words = [*command[action], "-n", "-m", "x"] if action == "amend" else command[action]
    done = git(known, *words)
    assert done.code == 0
    assert "chalkgit" not in done.out + done.err
    _wait(derived / "manifest.json")


def test_files_that_are_checked_out_start_nothing(known: Repo, chalk: Inside, files: None) -> None:
    commit(known)
    chalk("hooks", "install")
    # the end of a background process cannot be waited for; that none is started can be seen
    hook = (known.root / ".git/hooks/post-checkout").read_text()
    trace = subprocess.run(
        ["sh", "-x", "-c", hook, "post-checkout", "a", "b", "0"], capture_output=True, text=True, check=True
    )
    assert "hook refresh" not in trace.stderr
    branch = subprocess.run(
        ["sh", "-xn", "-c", hook, "post-checkout", "a", "b", "1"], capture_output=True, text=True, check=True
    )
    assert branch.returncode == 0


def test_nobody_waits_for_the_background(known: Repo, chalk: Inside, way: str) -> None:
    """A program that shows git's output waits until every copy of it is closed."""
    import fcntl

    commit(known)
    chalk("hooks", "install")
    derived = known.root / ".git" / "chalkgit"
    shutil.rmtree(derived, ignore_errors=True)
    derived.mkdir()
    with open(derived / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        begun = time.monotonic()
        assert git(known, "checkout", "-b", "other").code == 0  # both pipes are read to their end
        assert time.monotonic() - begun < 5
        assert not (derived / "manifest.json").exists()
    _wait(derived / "manifest.json")


def _wait(file: Path) -> None:
    deadline = time.monotonic() + 20
    while not file.exists():
        assert time.monotonic() < deadline, f"{file.name} did not come"
        time.sleep(0.02)
