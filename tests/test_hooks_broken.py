"""Hooks whose chalkgit crashes, is gone or is switched off: no commit is lost, and the reason is said."""

from __future__ import annotations

import os
import shutil
import sys
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
from repository import Repo


def test_an_interpreter_whose_path_a_shell_would_read_is_started(known: Repo, venv: Venv, way: str) -> None:
    assert venv.install(known).code == 0
    assert commit(known).err.count(TRIED) == 1


@pytest.mark.parametrize(
    ("way", "code", "said"),
    [
        ("file", "raise RuntimeError('broken')", "this is a bug in chalkgit"),
        ("config", "os.kill(os.getpid(), 9)", "ended with code 137"),
        ("file", "os._exit(77)", "ended with code 77"),
    ],
)
def test_a_crash_of_ours_blocks_no_commit(
    known: Repo, venv: Venv, way: str, code: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gits.use(way, monkeypatch)
    venv.install(known)
    venv.damage(code)
    done = commit(known)
    assert done.code == 0
    assert said in done.err
    known.write(".lessons/bad.yaml", "route: [\n")
    assert commit(known).code == 0


def test_without_a_chalkgit_the_commit_goes_on_and_a_line_says_so(
    known: Repo, venv: Venv, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Uninstalled, then deleted; with one on PATH that one is asked."""
    venv.install(known)
    monkeypatch.setenv("PATH", gits.bare_path(way))
    for remove in (venv.site / "chalkgit", venv.folder):
        shutil.rmtree(remove)
        done = commit(known)
        lines = [line for line in done.err.splitlines() if "chalkgit" in line]
        assert (done.code, len(lines)) == (0, 1), done  # pre-commit's: commit-msg says nothing again
        assert "no chalkgit is on PATH: this commit was not looked at" in lines[0]
        assert ("has no chalkgit any more" if venv.folder.exists() else "is gone") in lines[0]
    script(tmp_path / "bin" / "chalkgit", f'#!/bin/sh\nexec {sys.executable} -I -m chalkgit "$@"\n')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert commit(known).err.count(TRIED) == 1
    known.write(".lessons/bad.yaml", "route: [\n")
    assert commit(known).code == 1  # its verdict counts as well


def test_the_switch_is_tested_before_anything_is_started(known: Repo, venv: Venv, way: str) -> None:
    venv.install(known)
    shutil.rmtree(venv.folder)
    environment = {**os.environ, "PATH": gits.bare_path(way)}
    assert commit(known, env={**environment, "CHALKGIT_BYPASS_RULINGS": "1"}).err == ""
    assert "is gone" in commit(known, env={**environment, "CHALKGIT_BYPASS_RULINGS": "0"}).err


def test_the_switch_leaves_the_hook_that_was_there_alone(known: Repo, chalk: Inside, way: str) -> None:
    script(known.root / ".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
    chalk("hooks", "install")
    assert commit(known, env={**os.environ, "CHALKGIT_BYPASS_RULINGS": "1"}).code == 1


@pytest.mark.parametrize("cache", ["uv/archive-v0/Ab3", "pre-commit/repoab12/py_env-python3"])
def test_a_python_in_a_cache_that_is_emptied_is_refused(
    known: Repo, files: None, tmp_path: Path, cache: str
) -> None:
    before = installation(known.root)
    result = Venv(tmp_path / cache).install(known)
    assert result.code == 2
    assert "uv tool install" in result.err
    assert installation(known.root) == before


def test_files_of_the_repository_are_not_imported(known: Repo, chalk: Inside, way: str) -> None:
    chalk("hooks", "install")
    for name in ("click.py", "chalkgit/__init__.py", "sqlite3.py", "json.py"):
        known.write(name, "raise SystemExit('imported')\n")
    done = commit(known)
    assert (done.code, done.err.count(TRIED)) == (0, 1)
    assert "imported" not in done.err
