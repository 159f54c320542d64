"""A sealed world for every test, and real repositories in it: `Repo`, as the fixture `repo` gives it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from chalkgit import ids
from chalkgit.records import codec
from chalkgit.records.record import Record, default_path
from chalkgit.store import place as places
from chalkgit.store.place import Place

WHEN = "2026-03-14T09:00:00Z"
AUTHOR = "Ada"
# what the world outside may have set and a test must not see
DROPPED = ("GIT_", "CHALKGIT_", "XDG_")
ALSO = "NO_COLOR FORCE_COLOR COLUMNS CLAUDECODE AI_AGENT CODEX_CI GEMINI_CLI OPENCODE EDITOR VISUAL".split()
ALSO.append("PYTHONDONTWRITEBYTECODE")  # or each of some thousand processes compiles the package anew
ABOUT = {"route", "raw", "failure", "lesson", "resolution"}
LEAST: dict[str, dict[str, Any]] = {
    "dead-end": {"route": "cache the parsed manifest between runs", "observation": "the tests went stale"},
    "lesson": {"failure": {"error": "E: pool drained"}, "resolution": "stop the workers first"},
    "procedure": {"route": "regenerate the schema with make schema", "trap": "commit it first"},
}


class Result(NamedTuple):
    code: int
    out: str
    err: str


def environment(home: Path) -> dict[str, str]:
    """The variables of this process without what the world set, with a home of its own."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(DROPPED) and name not in ALSO
    }
    config = home / "gitconfig"
    config.write_text(
        f"[user]\n\tname = {AUTHOR}\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
        '[protocol "file"]\n\tallow = always\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n'
    )
    return {
        **kept,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_EDITOR": "false",
        "GIT_AUTHOR_DATE": WHEN,
        "GIT_COMMITTER_DATE": WHEN,
        "LC_ALL": "C.UTF-8",
    }


def chalkgit(*args: str, cwd: Path, stdin: str = "", env: Mapping[str, str] | None = None) -> Result:
    """The program as a process of its own; `env` is added to the sealed variables."""
    done = subprocess.run(
        [sys.executable, "-I", "-m", "chalkgit", *args],
        cwd=cwd,
        input=os.fsencode(stdin),
        env={**os.environ, **(env or {})},
        capture_output=True,
        check=False,
        timeout=120,
    )
    return Result(done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr))


class Repo:
    """A git repository with a `.lessons/`; nothing in it is committed until `commit`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._minted: set[str] = set()

    @property
    def place(self) -> Place:
        return places.find(str(self.root))

    def run(
        self, *args: str, cwd: Path | None = None, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> Result:
        return chalkgit(*args, cwd=cwd or self.root, stdin=stdin, env=env)

    def git(self, *args: str, cwd: Path | None = None, stdin: str = "") -> str:
        """stdout of a git call that must succeed, without its last line end."""
        done = subprocess.run(
            ["git", *args], cwd=cwd or self.root, input=os.fsencode(stdin), capture_output=True, check=False
        )
        assert done.returncode == 0, os.fsdecode(done.stderr)
        return os.fsdecode(done.stdout).removesuffix("\n")

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(os.fsencode(text))
        return file

    def commit(self, message: str = "work") -> str:
        """Commit all there is; the new commit."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def record(self, kind: str = "dead-end", *, path: str | None = None, **fields: Any) -> Record:
        """A record's file; `valid_from=` is the field valid-from. Ids are fresh, and the same in every run.

        Where they do not say what it is about, it says the least that its kind needs.
        """
        named = {name.replace("_", "-"): value for name, value in fields.items()}
        minted = {"id": self.fresh(), "kind": kind}
        record = Record(minted | (named if ABOUT & set(named) else LEAST[kind] | named))
        record = record.at(path or default_path(record))
        self.write(record.path, codec.encode(record))
        return record

    def fresh(self) -> str:
        """An id that no record of this repository has."""
        seed = f"{self.root.name} {len(self._minted)}".encode()
        new = ids.mint(self._minted, lambda length: hashlib.sha256(seed).digest()[:length])
        self._minted.add(new)
        return new


def copied(template: Repo, root: Path) -> Repo:
    """A repository as `git init` and `chalkgit init` made `template`, and among the user's stores."""
    shutil.copytree(template.root, root, symlinks=True)
    settings = Path(os.environ["XDG_CONFIG_HOME"], "chalkgit", "config.yaml")
    if settings.exists():
        settings.write_text(settings.read_text() + f"- {root}\n")
    else:
        settings.parent.mkdir(parents=True)
        settings.write_text(f"stores:\n- {root}\n")
    return Repo(root)
