"""`hooks status`: which hook git would really run; and the published copies of what is written."""

from __future__ import annotations

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

from chalkgit.doors.setup import shim

PUBLISHED = Path(__file__).parents[1] / "hooks" / "git"


def test_status_says_what_git_would_run(known: Repo, chalk: Inside, way: str) -> None:
    assert not any(event["runs"] for event in chalk.json("hooks", "status")["events"])
    script(known.root / ".git/hooks/pre-commit", "#!/bin/sh\n")
    chalk("hooks", "install")
    found = chalk.json("hooks", "status")
    assert [event["event"] for event in found["events"]] == list(shim.EVENTS)
    assert all(event["by"] == way and not event["troubles"] for event in found["events"])
    assert found["events"][0]["interpreter"] == sys.executable
    assert found["events"][0]["others"]
    text = chalk("hooks", "status").out
    (row,) = [row for row in text.splitlines() if "run by" in row]  # the same of all, in one line
    assert row.startswith(", ".join(shim.EVENTS) + ": run by ")
    assert row.endswith(f"…, with {sys.executable}")


def test_status_names_what_keeps_a_hook_from_running(
    known: Repo, chalk: Inside, files: None, tmp_path: Path
) -> None:
    chalk("hooks", "install")
    hooks = known.root / ".git" / "hooks"
    (hooks / "pre-commit").chmod(0o644)
    text = (hooks / "commit-msg").read_text()
    (hooks / "commit-msg").write_text(text.replace("version=0", "version=9"))
    (hooks / "post-merge").write_text(
        (hooks / "post-merge").read_text().replace(sys.executable, "/gone/python")
    )
    said = {e["event"]: str(e["troubles"]) for e in chalk.json("hooks", "status")["events"]}
    assert "is not executable" in said["pre-commit"]
    assert "was written by chalkgit 9" in said["commit-msg"]
    assert "interpreter /gone/python is gone" in said["post-merge"]
    assert said["post-checkout"] == "[]"
    known.git("config", "core.hooksPath", str(tmp_path / "elsewhere"))
    events = chalk.json("hooks", "status")["events"]
    assert not any(event["runs"] for event in events)
    assert all("is dead: core.hooksPath points to" in str(event["troubles"]) for event in events)
    assert chalk("hooks", "install").code == 2  # two were edited: they stay, dead as they are
    assert TRIED in commit(known).err


def test_status_names_a_hook_that_is_switched_off(
    known: Repo, chalk: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    gits.use("config", monkeypatch)
    chalk("hooks", "install")
    known.git("config", "hook.chalkgit-pre-commit.enabled", "false")
    assert TRIED not in commit(known).err
    (event, *_) = chalk.json("hooks", "status")["events"]
    assert event["runs"] is False
    assert event["troubles"][0]["hint"] == "git config --unset hook.chalkgit-pre-commit.enabled"


def test_status_names_the_agents_whose_settings_run_us(known: Repo, chalk: Inside, files: None) -> None:
    assert chalk.json("hooks", "status")["agents"] == []
    assert chalk("hooks", "install", "--agent", "claude-code").code == 0
    assert chalk.json("hooks", "status")["agents"] == ["claude-code"]
    assert "run by agents: claude-code" in chalk("hooks", "status").out
    assert chalk("hooks", "uninstall", "--agent", "claude-code").code == 0
    assert chalk.json("hooks", "status")["agents"] == []


def test_status_names_the_editors_whose_files_are_as_they_were_written(
    known: Repo, chalk: Inside, files: None
) -> None:
    assert chalk.json("hooks", "status")["editors"] == []
    for name in ("neovim-save", "vscode"):
        assert chalk("hooks", "install", "--editor", name, "--write").code == 0
    # neovim and neovim-save are one file: what it holds tells them apart
    assert chalk.json("hooks", "status")["editors"] == ["neovim-save", "vscode"]
    assert "run by editors: neovim-save, vscode" in chalk("hooks", "status").out
    known.write(".vscode/tasks.json", "{}\n")
    assert chalk.json("hooks", "status")["editors"] == ["neovim-save"]
    assert chalk("hooks", "uninstall", "--editor", "neovim-save").code == 0
    assert chalk.json("hooks", "status")["editors"] == []


@pytest.mark.parametrize("option", ["--agent", "--editor"])
def test_a_name_that_is_not_known_is_refused_with_those_that_are(chalk: Inside, option: str) -> None:
    result = chalk("hooks", "install", option, "nobody")
    assert result.code == 2
    assert "one of: " in result.err


def test_init_installs_them_where_it_is_asked_to(known: Repo, chalk: Inside, way: str) -> None:
    assert chalk("init").code == 0
    assert TRIED not in commit(known).err
    assert chalk("init", "--hooks").code == 0
    assert TRIED in commit(known).err


@pytest.mark.parametrize("event", shim.EVENTS)
def test_the_published_hooks_are_what_the_package_writes(event: str) -> None:
    made = shim.file_text(event, shim.Interpreter(shim.PLACEHOLDER))
    file = PUBLISHED / event
    if not file.exists():
        pytest.skip("an installed package has no published copies")
    assert file.read_text() == made, f"write it anew: hooks/git/{event}"
    assert file.stat().st_mode & 0o111
