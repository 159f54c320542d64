"""Repositories whose commits run our hooks: the fixture and calls that the tests of real commits share."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from repository import Repo, Result

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
