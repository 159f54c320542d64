"""What every test stands on: nothing of the world outside, and real repositories to ask."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from model import copied_once_fixture, homes_fixture, minilm_fixture  # noqa: F401
from repository import Repo, copied, environment

from chalkgit import config
from chalkgit.store import git


def pytest_configure() -> None:
    """Make the folders that mypy and hypothesis would make in the middle of a run.

    An editable install has this repository's root on `sys.path`: a new name in it looks like a package that
    was installed, and every helper that another worker's test talks to would end.
    """
    for name in (".hypothesis", ".mypy_cache"):
        (Path(__file__).parents[1] / name).mkdir(exist_ok=True)


@pytest.fixture(autouse=True)
def sealed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, beside `tmp_path`: no variable, setting or store of the world outside."""
    home = tmp_path_factory.mktemp("home")
    wanted = environment(home)
    for name in set(os.environ) - set(wanted):
        monkeypatch.delenv(name)
    for name, value in wanted.items():
        if os.environ.get(name) != value:
            monkeypatch.setenv(name, value)
    # what a process remembers of its own repository and of PATH
    monkeypatch.setattr(config, "_ours", [])
    monkeypatch.setattr(git, "_found", [])
    return home


@pytest.fixture(scope="session", name="template")
def template_fixture(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """What the real `git init` and `chalkgit init` make, without git's dozen samples of hooks."""
    variables = environment(tmp_path_factory.mktemp("home"))
    root = tmp_path_factory.mktemp("template")
    for command in (["git", "init", "-q"], [sys.executable, "-I", "-m", "chalkgit", "init"]):
        subprocess.run(command, cwd=root, env=variables, check=True, capture_output=True)
    for sample in (root / ".git" / "hooks").glob("*.sample"):
        sample.unlink()
    return Repo(root)


@pytest.fixture(name="another")
def another_fixture(template: Repo, tmp_path: Path) -> Callable[[str], Repo]:
    """Makes a repository with a store, by its folder's name."""
    return lambda name: copied(template, tmp_path / name)


@pytest.fixture(name="repo")
def repo_fixture(another: Callable[[str], Repo]) -> Repo:
    """A repository with an empty store that is among the user's stores; nothing is committed yet."""
    return another("repo")
