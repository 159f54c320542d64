"""The settings of Chalk, the server that came before: ignored, with one line that says what to do."""

from __future__ import annotations

import pytest
from repository import Repo, chalkgit

from chalkgit.cli import of_chalk


def test_the_old_settings_are_ignored_with_one_line_that_says_what_replaced_them(repo: Repo) -> None:
    plain = chalkgit("check", "cache it", cwd=repo.root)
    assert "CHALK_MEMORY" not in plain.err
    told = chalkgit("check", "cache it", cwd=repo.root, env={"CHALK_MEMORY": "0", "CHALK_MEMORY_URL": "x"})
    assert (told.code, told.out) == (plain.code, plain.out)
    [line] = [line for line in told.err.splitlines() if "CHALK_MEMORY" in line]
    for said in (
        "CHALK_MEMORY, CHALK_MEMORY_URL are ignored (unset CHALK_MEMORY CHALK_MEMORY_URL)",
        "CHALKGIT_BYPASS_* switches turn parts off",
        "`docker rm -f chalk-memory` removes the container",
        "`docker volume rm chalk-memory-data` the volume, which deletes what it stored for good",
        "chalkgit/config.yaml holds settings",
    ):
        assert said in line


def test_a_variable_that_only_begins_alike_is_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHALK_MEMORYX", "1")
    assert of_chalk.warning() is None
    monkeypatch.setenv("CHALK_MEMORY_PORT", "1")
    assert (of_chalk.warning() or "").startswith("CHALK_MEMORY_PORT is ignored (unset CHALK_MEMORY_PORT)")
    monkeypatch.setenv("CHALK_MEMORY_PORT", "")
    assert of_chalk.warning() is None  # as if it was unset


def test_hooks_say_nothing_of_them(repo: Repo) -> None:
    env = {"CHALK_MEMORY": "1"}
    assert "CHALK_MEMORY" in chalkgit("list", cwd=repo.root, env=env).err
    assert "CHALK_MEMORY" not in chalkgit("hook", "pre-commit", cwd=repo.root, env=env).err
