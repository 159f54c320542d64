"""Repositories with hooks in them: the fixtures and calls that the tests of `hooks install` share."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import gits
import pytest
from repository import Repo, Result

from chalkgit.doors.setup import shim

TRIED = "Tried before, and failed"


@pytest.fixture(name="way", params=gits.WAYS)
def way_fixture(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """By hook files or by git's settings; the git that does so is the one on PATH."""
    way = str(request.param)
    gits.use(way, monkeypatch)
    return way


@pytest.fixture(name="files")
def files_fixture(monkeypatch: pytest.MonkeyPatch) -> None:
    """The git on PATH wants hook files."""
    gits.use("file", monkeypatch)


@pytest.fixture(name="known")
def known_fixture(repo: Repo) -> Repo:
    """A repository with a ruling on a.py."""
    repo.record(files=["a.py"], route="cache it", observation="stale")
    repo.commit()
    return repo


def git(repo: Repo, *args: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> Result:
    """A git call that may fail; stdin, stdout and stderr are pipes, as a program that shows git has them."""
    done = subprocess.run(
        ["git", *args],
        cwd=cwd or repo.root,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )
    return Result(done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr))


def change(repo: Repo, path: str = "a.py", root: Path | None = None) -> None:
    file = (root or repo.root) / path
    file.write_text(f"{file.read_text() if file.exists() else ''}x\n")


def commit(repo: Repo, *args: str, env: dict[str, str] | None = None) -> Result:
    change(repo)
    repo.git("add", "-A")
    return git(repo, "commit", "-m", "work", *args, env=env)


def script(file: Path, text: str, mode: int = 0o755) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(mode)


def _tree(*folders: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below: its mode and its content, or where it links to."""
    found = {}
    for folder in folders:
        for path in sorted([folder, *folder.rglob("*")]):
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                found[str(path)] = (mode, os.fsencode(os.readlink(path)))
            else:
                found[str(path)] = (mode, path.read_bytes() if path.is_file() else b"")
    return found


def installation(root: Path) -> dict[str, tuple[int, bytes]]:
    """What an installation could change: hooks, settings, and the work tree."""
    git = root / ".git"
    kept = _tree(*([git / "hooks"] if (git / "hooks").exists() else []), git / "config")
    return kept | {k: v for k, v in _tree(root).items() if not k.startswith(str(git))}


class Venv:
    """A Python with a chalkgit of its own, which can be damaged or taken away."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        command = [sys.executable, "-I", "-m", "venv", "--without-pip", str(folder)]
        subprocess.run(command, check=True, capture_output=True)
        (self.site,) = folder.glob("lib/python*/site-packages")
        source = Path(shim.__file__).parents[3]
        # with what was compiled, which counts while its source is what it was; not what is being written
        being = shutil.ignore_patterns("*.pyc.*")
        shutil.copytree(source / "chalkgit", self.site / "chalkgit", ignore=being)
        import click

        (self.site / "others.pth").write_text(f"{Path(click.__file__).parents[1]}\n")

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def install(self, repo: Repo) -> Result:
        command = [str(self.python), "-I", "-m", "chalkgit", "hooks", "install"]
        done = subprocess.run(command, cwd=repo.root, capture_output=True, text=True, check=False)
        return Result(done.returncode, done.stdout, done.stderr)

    def damage(self, code: str) -> None:
        """Have the hook's own module fail; the way in still works."""
        (self.site / "chalkgit" / "doors" / "commit.py").write_text(f"import os\n{code}\n")


@pytest.fixture(name="venv")
def venv_fixture(tmp_path: Path) -> Venv:
    return Venv(tmp_path / 'it\'s "a" $HOME' / "venv")
