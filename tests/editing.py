"""What the tests of the editors' snippets share: the program on PATH, and a file with rulings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from repository import Repo

from chalkgit.doors.setup import editors

SNIPPETS = Path(editors.__file__).with_name("snippets")


@pytest.fixture(name="path")
def path_fixture(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program `chalkgit` of this interpreter, as an editor finds it."""
    folder = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def run(repo: Repo, *command: str) -> str:
    done = subprocess.run(command, cwd=repo.root, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def two_rulings(repo: Repo) -> tuple[str, str]:
    """A file with two rulings, in a folder whose name has a space; their lines as a list shows them."""
    first = repo.record(route="cache it", observation="stale", files=["my src/a.py"])
    second = repo.record(route="queue it", observation="slow", files=["a.py"])
    repo.write("my src/a.py", "1\n")
    lines = [
        f"Tried before, and failed: {what}; unreviewed [{record.id}]"
        for what, record in (("cache it; why: stale", first), ("queue it; why: slow", second))
    ]
    return lines[0], lines[1]
