"""The programs that own git's hooks: the real ones, installed beside us, and committing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import click
import gits
import pytest
from hooking import TRIED, files_fixture, known_fixture  # noqa: F401
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo, Result

ROOT = Path(__file__).parents[1]
MANIFEST = ".pre-commit-hooks.yaml"
SCRIPTS = Path(sysconfig.get_path("scripts"))
# read when the module is imported: `sealed` hides them from the tests
_NPM = shutil.which("npm")


@pytest.fixture(autouse=True)
def homes(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The frameworks' own folders, and this environment's chalkgit first on PATH."""
    home = tmp_path_factory.mktemp("frameworks")
    for name in ("PRE_COMMIT_HOME", "PREK_HOME"):
        monkeypatch.setenv(name, str(home / name))
    monkeypatch.setenv("PATH", f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture(name="node", scope="session")
def node_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the programs husky and lefthook, from npm."""
    if _NPM is None:
        pytest.skip("no npm, which installs husky and lefthook")
    folder = tmp_path_factory.mktemp("node")
    (folder / "package.json").write_text("{}\n")
    command = [_NPM, "install", "--no-audit", "--no-fund", "husky@9", "lefthook@2"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != 0:
        pytest.skip(f"npm could not install husky and lefthook: {done.stderr[-200:]}")
    return folder / "node_modules" / ".bin"


def _program(name: str) -> str:
    found = shutil.which(name, path=str(SCRIPTS))
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def _run(repo: Repo, *command: str, code: int | None = 0, env: dict[str, str] | None = None) -> Result:
    done = subprocess.run(
        command,
        cwd=repo.root,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    result = Result(done.returncode, done.stdout, done.stderr)
    assert code is None or done.returncode == code, result
    return result


def _commit(repo: Repo, code: int = 0) -> str:
    """What a commit says that changes a.py."""
    file = repo.root / "a.py"
    file.write_text(f"{file.read_text() if file.exists() else ''}x\n")
    repo.git("add", "-A")
    done = _run(repo, "git", "commit", "-m", "work", code=code)
    return done.out + done.err


def _snippet(out: str) -> str:
    """The lines that `install` says to add: those between its comments."""
    lines = out.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("# add to "))
    kept = [line for line in lines[begin:] if line.startswith((" ", "pre-", "commit-msg:", "if "))]
    return "\n".join(kept) + "\n"


# --- pre-commit and prek, by their manifest ------------------------------------------------------


@pytest.fixture(name="source")
def source_fixture(tmp_path: Path) -> Path:
    """This package as a repository that the frameworks can install."""
    folder = tmp_path / "source"
    folder.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", MANIFEST):
        if not (ROOT / name).exists():
            pytest.skip("an installed package has no manifest")
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "chalkgit", folder / "chalkgit", ignore=shutil.ignore_patterns("__pycache__"))
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"], ["tag", "v1"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


@pytest.mark.parametrize("framework", ["pre-commit", "prek"])
def test_the_manifest_installs_us_from_a_repository(known: Repo, source: Path, framework: str) -> None:
    program = _program(framework)
    known.write("a.py", "x\n")
    known.git("add", "-A")
    # pip takes what this environment has, so that the test needs no network; prek's uv fetches all of it
    shared = str(Path(click.__file__).parents[1])
    quick = {"PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PYTHONPATH": shared}
    command = (program, "try-repo", str(source), "chalkgit", "--verbose")
    done = _run(known, *command, code=None, env=quick if framework == "pre-commit" else {})
    if done.code != 0 and framework == "prek" and "Failed to fetch" in done.err:
        pytest.skip("no network for prek to install with")
    assert done.code == 0, done
    assert done.out.count(TRIED) == 1


@pytest.mark.parametrize("framework", ["pre-commit", "prek"])
def test_what_the_manifest_asks_of_an_installed_chalkgit_is_run_at_commits(
    known: Repo, source: Path, files: None, framework: str
) -> None:
    program = _program(framework)
    known.write(
        ".pre-commit-config.yaml",
        f"repos:\n- repo: {source}\n  rev: v1\n  hooks:\n"
        "  - id: chalkgit-system\n  - id: chalkgit-commit-msg-system\n",
    )
    known.write(".lessons/config.yaml", "hooks:\n  block: always\n")
    known.git("add", "-A")
    _run(known, program, "install", "-t", "pre-commit", "-t", "commit-msg")
    said = _commit(known, code=1)
    assert said.count(TRIED) == 1
    assert "Lesson: " in said
    trailer = next(line.strip() for line in said.splitlines() if line.strip().startswith("Lesson: "))
    _run(known, "git", "commit", "-m", "work", "--trailer", trailer)
    known.write(".lessons/bad.yaml", "route: [\n")
    assert ".lessons/bad.yaml:" in _commit(known, code=1)


@pytest.mark.parametrize("framework", ["pre-commit", "prek"])
def test_what_install_says_to_add_is_what_works(
    known: Repo, chalk: Inside, files: None, framework: str
) -> None:
    program = _program(framework)
    known.write(".pre-commit-config.yaml", "repos:\n")
    known.git("add", "-A")
    _run(known, program, "install")
    theirs = (known.root / ".git/hooks/pre-commit").read_bytes()
    result = chalk("hooks", "install")
    assert result.code == 2
    assert f"pre-commit: {framework} owns this hook" in result.err
    assert (known.root / ".git/hooks/pre-commit").read_bytes() == theirs
    known.write(".pre-commit-config.yaml", "repos:\n" + _snippet(result.out))
    assert _commit(known).count(TRIED) == 1
    again = chalk("hooks", "install")
    assert again.code == 0
    assert f"pre-commit: {framework} runs it already (.pre-commit-config.yaml)" in again.out
    assert chalk.json("hooks", "status")["events"][0]["by"] == "framework"
    assert "take what names chalkgit out" in chalk("hooks", "uninstall").err


@pytest.mark.parametrize("framework", ["pre-commit", "prek"])
def test_a_framework_that_comes_later_runs_ours_and_uninstalling_finds_it(
    known: Repo, chalk: Inside, files: None, framework: str
) -> None:
    program = _program(framework)
    chalk("hooks", "install")
    one = "repos:\n- repo: local\n  hooks:\n  - {id: a, name: a, entry: echo, language: system}\n"
    known.write(".pre-commit-config.yaml", one)
    known.git("add", "-A")
    _run(known, program, "install")
    assert _commit(known).count(TRIED) == 1
    (event, *_) = chalk.json("hooks", "status")["events"]
    assert (event["by"], event["troubles"]) == ("file", [])
    assert event["path"].endswith("pre-commit.legacy")
    assert chalk("hooks", "uninstall").code == 0
    assert TRIED not in _commit(known)


# --- husky and lefthook --------------------------------------------------------------------------


def test_husky_is_told_and_not_fought(
    known: Repo, chalk: Inside, files: None, node: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _run(known, str(node / "husky"))
    theirs = {path: path.read_bytes() for path in (known.root / ".husky" / "_").iterdir()}
    result = chalk("hooks", "install")
    assert result.code == 2
    assert "husky owns these hooks" in result.err
    assert {path: path.read_bytes() for path in (known.root / ".husky" / "_").iterdir()} == theirs
    assert TRIED not in _commit(known)
    lines = result.out.splitlines()
    assert "nothing to change" not in result.out
    for event in ("pre-commit", "pre-merge-commit", "commit-msg"):
        again = chalk("hooks", "install")  # as long as one is missing, it is named
        assert again.code == 2
        assert again.err.startswith(f"chalkgit: {event}")
        known.write(f".husky/{event}", lines[lines.index(f"# add to .husky/{event}:") + 1] + "\n")
    assert _commit(known).count(TRIED) == 1
    assert chalk("hooks", "install").code == 0
    # whoever has no chalkgit can still commit
    monkeypatch.setenv("PATH", gits.bare_path("file"))
    assert TRIED not in _commit(known)


def test_lefthook_is_told_and_not_fought(
    known: Repo, chalk: Inside, files: None, node: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{node}{os.pathsep}{os.environ['PATH']}")
    known.write("lefthook.yml", "pre-commit:\n  commands:\n    a:\n      run: echo theirs\n")
    _run(known, "lefthook", "install")
    theirs = (known.root / ".git/hooks/pre-commit").read_bytes()
    result = chalk("hooks", "install")
    assert result.code == 2
    assert "lefthook owns these hooks" in result.err
    assert (known.root / ".git/hooks/pre-commit").read_bytes() == theirs
    known.write("lefthook.yml", _snippet(result.out))
    _run(known, "lefthook", "install")
    assert _commit(known).count(TRIED) == 1
    assert chalk("hooks", "install").code == 0


def test_a_hook_of_ours_that_lefthook_put_aside_is_told(
    known: Repo, chalk: Inside, files: None, node: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{node}{os.pathsep}{os.environ['PATH']}")
    chalk("hooks", "install")
    known.write("lefthook.yml", "pre-commit:\n  commands:\n    a:\n      run: echo theirs\n")
    _run(known, "lefthook", "install")
    assert TRIED not in _commit(known)
    (event, *_) = chalk.json("hooks", "status")["events"]
    assert event["runs"] is False
    assert "nothing runs it" in event["troubles"][0]["problem"]
    chalk("hooks", "uninstall")
    assert not (known.root / ".git/hooks/pre-commit.old").exists()


def test_a_git_that_runs_hooks_from_its_settings_runs_ours_beside_a_framework(
    known: Repo, chalk: Inside, node: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gits.use("config", monkeypatch)
    _run(known, str(node / "husky"))
    known.write(".husky/pre-commit", "echo theirs\n")
    result = chalk("hooks", "install")
    assert result.code == 0
    assert "husky is left alone: git runs both" in result.out
    said = _commit(known)
    assert said.count(TRIED) == 1
    assert "theirs" in said
    # and where the framework runs us already, nothing is shown twice
    known.write(".husky/pre-commit", "chalkgit hook pre-commit\n")
    assert "husky runs it already" in chalk("hooks", "install").out
    assert _commit(known).count(TRIED) == 1


def test_overcommit_is_told(known: Repo, chalk: Inside, files: None) -> None:
    """By its documents: Overcommit itself is a Ruby gem, and was not run."""
    known.write(".overcommit.yml", "CommitMsg:\n  ALL:\n    enabled: false\n")
    result = chalk("hooks", "install")
    assert result.code == 2
    assert "PreCommit:\n  Chalkgit:\n    enabled: true\n" in result.out
    # it has no hook for merges: that one is ours
    assert "PreMergeCommit" not in result.out
    assert (known.root / ".git/hooks/pre-merge-commit").exists()
    assert not (known.root / ".git/hooks/pre-commit").exists()


def test_a_configuration_that_is_a_link_is_not_read(
    known: Repo, chalk: Inside, files: None, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("- id: chalkgit\n")
    config = known.root / ".pre-commit-config.yaml"
    config.symlink_to(tmp_path / "secret")
    assert "already" not in chalk("hooks", "install").out
    config.unlink()
    config.write_text("- id: chalkgit\n")
    assert "already" in chalk("hooks", "install").out  # the positive control


def test_the_python_of_this_run_is_the_one_whose_chalkgit_is_on_path() -> None:
    """What the tests above stand on."""
    script = SCRIPTS / "chalkgit"
    assert script.exists()
    assert os.path.dirname(script.read_text().splitlines()[0].removeprefix("#!")) == os.path.dirname(
        sys.executable
    )
