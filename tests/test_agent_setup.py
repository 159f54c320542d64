"""`hooks install --agent`: an agent's settings with ours in them, and without them again."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo
from source import ROOT

from chalkgit.doors import agent_settings
from chalkgit.doors.setup import agents
from chalkgit.errors import ChalkError

JSON = [name for name in agents.NAMES if name != "opencode"]
FILES = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini-cli": ".gemini/settings.json",
    "opencode": ".opencode/plugins/chalkgit.js",
    "cursor": ".cursor/hooks.json",
}
PUBLISHED = {name: f"{name}{Path(file).suffix}" for name, file in FILES.items()}

# what users have in their settings, and how they write it
BEFORE = {
    "two spaces": '{\n  "model": "m",\n  "a": [1, 2.50, 1e3]\n}\n',
    "four spaces, no end": '{\n    "z": {"é": "\\u00e9"},\n    "a": []\n}',
    "tabs": '{\n\t"env": {\n\t\t"A": "1"\n\t}\n}\n',
    "CRLF": '{\r\n  "model": "m"\r\n}\r\n',
    "one line": '{"model": "m", "b": [1]}',
    "other hooks": '{\n  "hooks": {\n    "Stop": [\n      {"hooks": []}\n    ]\n  },\n  "last": 1\n}\n',
    "hooks on one line": '{"hooks": {"Stop": []}, "last": 1}\n',
}


def _hooks(repo: Repo, name: str) -> Any:
    return json.loads((repo.root / FILES[name]).read_text())["hooks"]


def _commands(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["command"]] if isinstance(value.get("command"), str) else []
        return own + [found for part in value.values() for found in _commands(part)]
    return [found for part in value for found in _commands(part)] if isinstance(value, list) else []


@pytest.mark.parametrize("name", agents.NAMES)
def test_install_writes_what_is_published_and_uninstall_leaves_nothing_of_it(repo: Repo, name: str) -> None:
    file = repo.root / FILES[name]
    before = sorted(os.listdir(repo.root))
    said = agents.install(repo.place, name)
    assert said[0].startswith(f"wrote {FILES[name]}")
    assert file.read_text() == agents.text(name)
    assert file.read_text() == (ROOT / "hooks" / "agents" / PUBLISHED[name]).read_text(encoding="utf-8")
    assert agents.installed(repo.place, name)
    assert agents.install(repo.place, name)[0] == f"{FILES[name]} has it already"
    assert agents.uninstall(repo.place, name) == [f"removed {FILES[name]}"]
    assert sorted(os.listdir(repo.root)) == before
    assert not agents.installed(repo.place, name)
    assert agents.uninstall(repo.place, name) == [f"there is no {FILES[name]}"]


def test_only_what_is_published_is_there() -> None:
    assert sorted(os.listdir(ROOT / "hooks" / "agents")) == sorted([*PUBLISHED.values(), "AGENTS.md"])
    assert (ROOT / "hooks" / "agents" / "AGENTS.md").read_text(encoding="utf-8") == agents.PARAGRAPH


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
@pytest.mark.parametrize("name", JSON)
def test_the_users_settings_stay_as_they_are_byte_for_byte(repo: Repo, name: str, before: str) -> None:
    file = repo.write(FILES[name], before)
    os.chmod(file, 0o640)
    (repo.root / FILES[name]).with_name("other").write_text("mine")
    assert agents.install(repo.place, name)[0].startswith(f"changed {FILES[name]}: ")
    after = file.read_bytes().decode()
    was, now = json.loads(before), json.loads(after)
    assert list(now)[: len(was)] == list(was)
    assert {key: value for key, value in now.items() if key != "hooks"} == {
        key: value for key, value in was.items() if key != "hooks"
    }
    assert all(now["hooks"][event] == groups for event, groups in was.get("hooks", {}).items())
    kept = iter(after)
    assert all(character in kept for character in before)  # nothing was taken away
    assert after.count("\r\n") in (0, after.count("\n"))
    agents.install(repo.place, name)
    assert file.read_bytes().decode() == after
    assert agents.uninstall(repo.place, name)[0].startswith(f"changed {FILES[name]}")
    assert file.read_bytes().decode() == before
    assert file.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", JSON)
def test_the_users_own_hooks_at_our_events_stay(repo: Repo, name: str) -> None:
    agents.install(repo.place, name)
    (event, (group,)), *_ = _hooks(repo, name).items()
    theirs = json.loads(json.dumps(group).replace(agents.command(name), "theirs"))
    file = repo.write(FILES[name], json.dumps({"hooks": {event: [theirs]}}, indent=3))
    before = file.read_text()
    agents.install(repo.place, name)
    assert _hooks(repo, name)[event] == [theirs, group]
    agents.uninstall(repo.place, name)
    assert file.read_text() == before


def test_a_handler_of_ours_among_others_is_taken_out_alone(repo: Repo) -> None:
    ours = {"type": "command", "command": "chalkgit", "args": ["hook", "agent"]}
    theirs = {"type": "command", "command": "theirs"}
    written = {"hooks": {"PostToolUse": [{"matcher": "Edit", "hooks": [theirs, ours, theirs]}]}}
    repo.write(FILES["claude-code"], json.dumps(written))
    agents.uninstall(repo.place, "claude-code")
    assert _hooks(repo, "claude-code") == {"PostToolUse": [{"matcher": "Edit", "hooks": [theirs, theirs]}]}


def test_a_matcher_that_the_user_widened_stays_and_an_older_command_is_replaced(repo: Repo) -> None:
    agents.install(repo.place, "claude-code")
    file = repo.root / FILES["claude-code"]
    widened = file.read_text().replace("Edit|Write", "Read|Edit|Write")
    file.write_text(widened)
    assert "has it already" in agents.install(repo.place, "claude-code")[0]
    assert file.read_text() == widened
    file.write_text(widened.replace("exec chalkgit hook agent", "chalkgit hook agent --old"))
    agents.install(repo.place, "claude-code")
    assert _commands(_hooks(repo, "claude-code")) == [agents.command("claude-code")] * 3
    assert agents.installed(repo.place, "claude-code")


@pytest.mark.parametrize(
    ("before", "where", "what"),
    [
        ('{\n  "a": 1,}\n', ":2", "is no JSON"),
        ('{\n  // why\n  "a": 1\n}\n', ":2", "has a comment"),
        ('{\n  "a": 1 /* why */\n}\n', ":2", "has a comment"),
        ("[]", ":1", "is no JSON object"),
        ("", ":1", "is no JSON"),
        ("\ufeff{}", ":1", "is no JSON"),
        ('{\n "hooks": []}', ":2", "has `hooks` that are no object"),
        ('{"hooks": {\n\n"AfterTool": {}}}', ":3", "has `AfterTool` that is no list"),
        ('{"hooks": {}, "hooks": {}}', "", "says “hooks” twice"),
        ("[" * 100_000, ":1", "is nested without end"),
        (b'{\n"a": "\xff"}', ":2", "is not UTF-8"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_cannot_be_kept_is_refused_and_left_alone(
    repo: Repo, before: str | bytes, where: str, what: str
) -> None:
    file = repo.write(FILES["gemini-cli"], before if isinstance(before, bytes) else before.encode())
    as_was = file.read_bytes()
    for act in (agents.install, agents.uninstall):
        with pytest.raises(ChalkError, match=what) as refused:
            act(repo.place, "gemini-cli")
        assert refused.value.where == FILES["gemini-cli"] + where
    assert file.read_bytes() == as_was


@pytest.mark.parametrize("linked", [".claude", ".claude/settings.json"])
def test_nothing_is_written_through_a_link(repo: Repo, tmp_path: Path, linked: str) -> None:
    target = tmp_path / "target"
    if linked.endswith(".json"):
        target.write_text("{}")
        (repo.root / ".claude").mkdir()
    else:
        target.mkdir()
    (repo.root / linked).symlink_to(target)
    for act in (agents.install, agents.uninstall):
        with pytest.raises(ChalkError, match="is a symbolic link"):
            act(repo.place, "claude-code")
    assert (target.read_text() == "{}") if target.is_file() else not os.listdir(target)


def test_another_plugin_of_that_name_is_left_alone(repo: Repo) -> None:
    file = repo.write(FILES["opencode"], "export const Mine = 1\n")
    with pytest.raises(ChalkError, match="another plugin"):
        agents.install(repo.place, "opencode")
    agents.uninstall(repo.place, "opencode")
    assert file.read_text() == "export const Mine = 1\n"
    with pytest.raises(ChalkError, match="no agent that is known"):
        agents.install(repo.place, "nobody")


@pytest.mark.parametrize("guide", ["AGENTS.md", "CLAUDE.md"])
def test_a_paragraph_is_offered_until_a_guide_speaks_of_it_and_never_written(repo: Repo, guide: str) -> None:
    file = repo.write(guide, "# For agents\n")
    said = agents.install(repo.place, "claude-code")
    assert f"add to {guide}:" in said[-2]
    assert said[-1] == agents.PARAGRAPH.rstrip()
    assert file.read_text() == "# For agents\n"
    repo.write(guide, "ask chalkgit\n")
    assert len(agents.install(repo.place, "claude-code")) == 1


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_the_command_is_silent_where_there_is_no_chalkgit_and_runs_it_where_there_is(
    repo: Repo, tmp_path: Path, shell: str
) -> None:
    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [f"/bin/{shell}", "-c", agents.command("codex")],
            env={"PATH": str(tmp_path / "bin")},
            input="{}",
            capture_output=True,
            text=True,
            check=False,
        )

    absent = run()
    assert (absent.returncode, absent.stdout, absent.stderr) == (0, "", "")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "chalkgit"
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    assert run().stdout == "hook agent --client codex\n"


@pytest.mark.parametrize(
    ("typed", "meant"), [("claude", "claude-code"), ("Gemini", "gemini-cli"), ("Claude_Code", "claude-code")]
)
def test_an_agent_goes_by_its_other_names_too(repo: Repo, chalk: Inside, typed: str, meant: str) -> None:
    assert chalk("hooks", "install", "--agent", typed).code == 0
    assert agents.installed(repo.place, meant)
    assert chalk("hooks", "uninstall", "--agent", typed).out == f"removed {FILES[meant]}\n"
    near = chalk("hooks", "install", "--agent", "coddex")
    assert (near.code, "codex? one of: " in near.err) == (2, True)


def test_a_repository_without_records_is_said_so(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    plain = Repo(tmp_path / "plain")
    plain.root.mkdir()
    plain.git("init", "-q")
    said = chalk("hooks", "install", "--agent", "codex", cwd=plain.root)
    assert (said.code, "no .lessons/ here yet" in said.err) == (0, True)
    assert "no .lessons/" not in chalk("hooks", "install", "--agent", "codex").err


def test_what_is_put_in_and_cut_out_again_leaves_the_text(repo: Repo) -> None:
    text = '{"a": [1, {"b": 2}], "c": "]}", "d": {}}'
    for path, key in (((), "e"), (("a",), None), (("a", 1), "e"), (("d",), "e")):
        with_it = agent_settings.put(text, path, key, {"x": [1]})
        put = json.loads(with_it)
        where = agent_settings.find(put, lambda value: value == {"x": [1]})
        assert where is not None
        assert agent_settings.cut(with_it, where) == text
