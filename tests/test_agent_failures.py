"""`hook agent` where it cannot answer: an agent is never failed, and stderr says why."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from agents.session import Agent, claude_fixture, context, recorded  # noqa: F401
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.doors import agent
from chalkgit.thresholds import AGENT_INPUT_BYTES

ROUTE = "rewrite the scheduler in rust"


@pytest.mark.parametrize(
    "data",
    [
        "",
        "nonsense",
        "[1]",
        "[" * 100_000,
        "{}",
        '{"hook_event_name": 3}',
        '{"hook_event_name": "Nonsense"}',
        '{"hook_event_name": "SessionStart", "cwd": "/nowhere"}',
    ],
    ids=lambda data: data[:60],
)
def test_what_cannot_be_answered_costs_a_line_on_stderr(repo: Repo, chalk: Inside, data: str) -> None:
    repo.record(files=["src/a.py"])
    result = chalk("hook", "agent", stdin=data)
    assert (result.code, result.out, result.err.count("\n")) == (0, "", 1), result
    assert "Traceback" not in result.err


@pytest.mark.parametrize("path", ["a\0b", "a\0/b", "src/\ud800", "\udc80/b", "x" * 5000, "..", "/", "~"])
def test_a_path_that_no_file_can_have_is_answered_like_any_other(
    repo: Repo, claude: Agent, path: str
) -> None:
    record = repo.record(files=["src/*"])
    result = claude.send("PostToolUse", tool_input={"file_path": path})
    assert "Traceback" not in result.err
    assert "bug" not in result.err
    assert (record.id in context(result)) == path.startswith("src/")


def test_more_than_an_agent_sends_is_refused_and_read_to_its_end(repo: Repo) -> None:
    said = {
        "hook_event_name": "PostToolUse",
        "tool_input": {"file_path": "a", "content": "x" * AGENT_INPUT_BYTES},
    }
    result = repo.run("hook", "agent", stdin=json.dumps(said))
    assert (result.code, result.out) == (0, "")
    assert "is larger than 16,777,216 bytes" in result.err


def test_an_option_of_another_version_is_no_refused_edit(repo: Repo, chalk: Inside) -> None:
    record = repo.record(files=["src/a.py"])
    data = recorded(repo, "claude-code", "edit")
    result = chalk("hook", "agent", "--client", "newer-agent", "--budget", "3", stdin=data)
    assert record.id in context(result)
    assert "“newer-agent” is no client that is known here" in result.err


def test_no_store_is_said_and_nothing_is_shown(repo: Repo, claude: Agent, tmp_path: Path) -> None:
    repo.git("init", "-q", str(tmp_path / "bare"))
    for folder in ("bare", "."):
        result = claude.send("SessionStart", cwd=str(tmp_path / folder))
        assert (result.code, result.out, result.err.count("\n")) == (0, "", 1)


def test_a_damaged_index_or_record_costs_itself(repo: Repo, claude: Agent) -> None:
    record = repo.record(files=["src/a.py"])
    repo.write(".lessons/bad.yaml", "\0")
    assert record.id in claude.edit("src/a.py")
    for table in Path(repo.place.derived).glob("*/table.db"):
        table.write_bytes(b"nonsense" * 1000)
    assert record.id in claude.edit("src/a.py", agent_id="again")


def test_what_git_exports_about_another_repository_changes_nothing(
    repo: Repo, another: Callable[[str], Repo]
) -> None:
    record, other = repo.record(files=["src/a.py"]), another("other")
    other.record(files=["src/a.py"])
    other.commit()
    env = {
        "GIT_DIR": str(other.root / ".git"),
        "GIT_WORK_TREE": str(other.root),
        "GIT_INDEX_FILE": str(other.root / ".git" / "index"),
    }
    for which in ("edit", "start"):
        data = recorded(repo, "claude-code", which)
        result = repo.run("hook", "agent", stdin=data, env=env, cwd=other.root)
        assert (record.id in context(result)) == (which == "edit")
        assert "1 dead end" in result.out or which == "edit"
        assert result.err == ""


def test_a_record_with_a_name_for_a_shell_runs_nothing(repo: Repo, claude: Agent) -> None:
    record = repo.record(files=["src/$(touch x).py"], path=".lessons/$(touch x).yaml")
    assert record.id in claude.edit("src/$(touch x).py")
    repo.write(".lessons/$(touch x).yaml", "[")
    assert "$(touch x).yaml:1: no YAML" in claude.edit(".lessons/$(touch x).yaml")
    assert not (repo.root / "x").exists()


def test_a_linked_store_is_not_followed(repo: Repo, claude: Agent, tmp_path: Path) -> None:
    repo.record(files=["src/a.py"])
    os.rename(repo.root / ".lessons", tmp_path / "elsewhere")
    (repo.root / ".lessons").symlink_to(tmp_path / "elsewhere")
    result = claude.send("PostToolUse", tool_input={"file_path": "src/a.py"})
    assert (result.code, result.out) == (0, "")
    assert ".lessons is a symbolic link" in result.err


def test_a_bug_of_ours_is_logged_and_fails_no_agent(
    repo: Repo, claude: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> None:
        raise ZeroDivisionError

    repo.record(files=["src/a.py"])
    with monkeypatch.context() as patch:
        patch.setattr(agent, "_context", broken)
        result = claude.send("PostToolUse", tool_input={"file_path": "src/a.py"})
    assert (result.code, result.out) == (0, "")
    assert "the log is" in result.err
    assert claude.edit("src/a.py")


def test_the_switches_silence_what_they_name(repo: Repo, chalk: Inside) -> None:
    repo.record(route=ROUTE, observation="slow", files=["src/a.py"])

    def said(which: str, *off: str) -> str:
        data = recorded(repo, "claude-code", which).replace("db6aba95", os.urandom(4).hex())
        env = {f"CHALKGIT_BYPASS_{name}": "1" for name in off}
        return context(chalk("hook", "agent", stdin=data, env=env))

    assert [bool(said(which)) for which in ("edit", "start", "prompt")] == [True, True, True]
    assert [bool(said(w, "RULINGS")) for w in ("edit", "start", "prompt")] == [False, False, True]
    assert [bool(said(w, "CHECK")) for w in ("edit", "start", "prompt")] == [True, True, False]
    assert [bool(said(w, "CHECK", "RULINGS")) for w in ("edit", "start", "prompt")] == [False] * 3


def test_switched_off_it_imports_nothing_that_reads(repo: Repo) -> None:
    code = (
        "import sys; from chalkgit.doors import agent\n"
        "agent.answer(sys.stdin.buffer.read(), None, directory=None, out=print, tell=print)\n"
        "print(sorted(name for name in sys.modules if name.startswith('chalkgit.') or name == 'json'))"
    )

    def loaded(off: str) -> str:
        done = subprocess.run(
            [sys.executable, "-I", "-c", code],
            input=recorded(repo, "claude-code", "edit"),
            env={**os.environ, "CHALKGIT_BYPASS_RULINGS": off},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.splitlines()[-1]

    light = ("calibration", "config", "doors", "doors.agent", "errors", "thresholds")
    assert loaded("1") == str([f"chalkgit.{name}" for name in light])
    assert "chalkgit.doors.agent_event" in loaded("0")
