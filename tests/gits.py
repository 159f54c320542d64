"""The gits of a test run: the system's, and the newer one of newgit.py, which CHALKGIT_TEST_GIT names."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from chalkgit.store import git
from chalkgit.thresholds import CONFIG_HOOKS

# read when the module is imported: `sealed` hides the variable from the tests
_NAMED = os.environ.get("CHALKGIT_TEST_GIT")


def _version(program: str | None) -> tuple[int, ...]:
    if program is None or not Path(program).is_file():
        return ()
    said = subprocess.run([program, "version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"\d+(\.\d+)+", said)
    return tuple(map(int, found[0].split("."))) if found else ()


_GITS = [(program, _version(program)) for program in (shutil.which("git"), _NAMED)]
OLD = next((program for program, version in _GITS if version and version < CONFIG_HOOKS), None)
NEW = next((program for program, version in _GITS if version >= CONFIG_HOOKS), None)
WAYS = ("file", "config")


def use(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the git that runs hooks this way first on PATH."""
    folder = _folder(way)
    monkeypatch.setattr(git, "_found", [])  # this process remembers the git that it found first
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def bare_path(way: str) -> str:
    """What PATH is to a program that a desktop started, with this git on it."""
    return os.pathsep.join(dict.fromkeys([_folder(way), "/usr/bin", "/bin"]))


def _folder(way: str) -> str:
    program = NEW if way == "config" else OLD
    if program is None:
        wanted = "2.54 or later: tests/newgit.py fetches one" if way == "config" else "before 2.54"
        pytest.skip(f"no git {wanted}")
    return os.path.dirname(program)
