"""The documents say what the program does: commands, exit codes, JSON keys, and the first five minutes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from repository import Repo
from source import ROOT, files

from chalkgit import config
from chalkgit.cli import app
from chalkgit.records import fields

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def _leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    yield " ".join(path), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from _leaves(found, (*path, name))


ALL = dict(_leaves(app.main))


def _section(text: str, title: str) -> str:
    """What stands under a heading, up to the next one of any level."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#+ [A-Z]|\Z)", text, re.M | re.S)
    assert found, f"there is no heading “{title}”"
    return found[1]


def _first_column(text: str) -> list[str]:
    """What the first cell of each row of a table says, its code alone where it has some."""
    cells = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")]
    return [word for cell in cells[2:] for word in re.findall(r"`([^`]+)`", cell) or [cell]]


def test_every_document_is_as_cog_writes_it() -> None:
    names = [str(file.relative_to(ROOT)) for file in DOCUMENTS]
    done = subprocess.run(
        [sys.executable, "-m", "cogapp", "--check", "-I", "docs", *names],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr + "\ncog -r -I docs README.md docs/*.md"


@pytest.mark.parametrize("name", [name for name in ALL if name])
def test_every_command_has_a_help(name: str) -> None:
    assert (ALL[name].help or "").strip().endswith((".", "?"))


def test_every_command_is_documented() -> None:
    assert _first_column(_section(COMMANDS, "Commands")) == list(app.COMMANDS)
    said = re.findall(r"^\$ chalkgit(.*) --help$", README, re.M)
    assert sorted(name.strip() for name in said) == sorted(ALL)


def test_every_exit_code_is_documented() -> None:
    listed = {int(code) for code in _first_column(_section(COMMANDS, "Exit codes"))}
    entry = "".join((ROOT / "chalkgit" / name).read_text() for name in ("__main__.py", "cli/crash.py"))
    used = {int(code) for code in re.findall(r"(?:return|code =) (\d+)\b", entry)}
    assert listed == {0, 1} | used
    assert {code for code in listed if str(code) in _section(README, "What `check` says")} >= {
        0,
        1,
        2,
        3,
        130,
    }


def test_every_verdict_is_documented() -> None:
    from chalkgit.answers import check

    words = [check.TRIED, check.NEAR, check.CLEAR, check.EMPTY, check.UNKNOWN]
    assert _first_column(_section(README, "What `check` says")) == words


def test_every_variable_of_ours_is_documented() -> None:
    listed = _first_column(_section(COMMANDS, "Variables and settings"))
    used = {f"CHALKGIT_BYPASS_{faculty}" for faculty in config.FACULTIES}
    for file in files().values():
        used |= {f"CHALKGIT_{name}" for name in re.findall(r'\bvariable\("(\w+)"\)', file.read_text())}
    assert {name for name in listed if name.startswith("CHALKGIT_")} == used


def test_every_field_is_documented() -> None:
    text = (ROOT / "docs" / "format.md").read_text(encoding="utf-8")
    assert [name for name in fields.BY_NAME if f"| `{name}` |" not in text] == []


def test_every_editor_agent_and_policy_is_documented() -> None:
    from chalkgit.doors.setup import agents, editors
    from chalkgit.store import policy

    text = (ROOT / "docs" / "hooks.md").read_text(encoding="utf-8")
    assert _first_column(_section(text, "Editors")) == list(editors.NAMES)
    assert [name for name in agents.NAMES if f"`{name}`" not in _section(text, "Coding agents")] == []
    assert _first_column(_section(text, "Policy")) == list(policy.BLOCKS)
    listed = _section(COMMANDS, "Variables and settings")
    assert [name for name in policy.BLOCKS if name not in listed] == []


def test_links_between_documents_lead_somewhere() -> None:
    lost = []
    for file in DOCUMENTS:
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", file.read_text(encoding="utf-8")):
            if "://" not in link and not (file.parent / link).exists():
                lost.append(f"{file.name}: {link}")
    assert lost == []


def test_paths_that_the_documents_name_exist() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in DOCUMENTS)
    named = set(re.findall(r"\b(?:tests|bench|docs|chalkgit)/[\w/]+\.(?:py|md)\b", text))
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_every_module_has_its_room_in_the_architecture() -> None:
    text = _section((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"), "Floors")
    names = [name.split(".") for name in files()]
    shown = {parts[-1] for parts in names if parts[1:] and not parts[-1].startswith(("cmd_", "__"))}
    absent = {name for name in shown if f"`{name}`" not in text and f"`{name}/`" not in text}
    assert absent - {"app"} == set()


# --- JSON -----------------------------------------------------------------------------------------


def _keys(title: str) -> set[str]:
    return set(_first_column(_section(COMMANDS, f"JSON of {title}")))


@pytest.fixture(name="told")
def told_fixture(repo: Repo) -> Repo:
    """A repository with a record that `check` finds, committed."""
    repo.record(route="cache the parsed manifest", observation="stale", files=["src/a.py"])
    repo.commit()
    return repo


def _json(repo: Repo, *arguments: str, stdin: str = "") -> dict[str, Any]:
    done = repo.run(*arguments, stdin=stdin)
    assert done.code in (0, 1), done.err
    found = json.loads(done.out)
    assert isinstance(found, dict)
    return found


def test_json_of_check_is_as_documented(told: Repo) -> None:
    said = _json(told, "check", "--json", "cache the parsed manifest")
    assert set(said) == _keys("`check`")
    assert set(said["semantic"]) == _keys("`semantic`")
    assert set(said["rulings"][0]) == _keys("a ruling")
    plan = _json(told, "check", "--json", "-", stdin="- cache the parsed manifest\n")
    assert set(plan) == _keys("`check -`")
    assert set(plan["steps"][0]) == _keys("`check`") - {"switched_off"}


def test_json_of_a_batch_is_as_documented(told: Repo) -> None:
    said = _json(told, "check", "--batch", "-", stdin="cache the parsed manifest\n")
    assert set(said) == _keys("`check`") | _keys("a line of `check --batch -`")
    assert set(said["hits"][0]) == {"id", "ref", "confidence"}


def test_json_of_at_is_as_documented(told: Repo) -> None:
    said = _json(told, "at", "--json", "src/a.py")
    assert set(said) == _keys("`at`")
    assert set(said["rulings"][0]) == _keys("a ruling") | {"files"}


RUN = "FAILED tests/test_pool.py::test_drain - ValueError: pool drained\n"


def test_json_of_a_failed_run_is_as_documented(told: Repo) -> None:
    run = ("--output", "-", "--exit-code", "1")
    assert set(_json(told, "fingerprint", *run, stdin=RUN)) == _keys("`fingerprint`")
    new = _json(told, "detain", *run, "--json", stdin=RUN)
    assert set(new) == _keys("a writing command") | {"next"}
    closed = _json(told, "resolve", new["id"], "--note", "stop the workers first", "--json")
    assert set(closed) == _keys("a writing command")
    said = _json(told, "recall", *run, "--loop", "--json", stdin=RUN)
    assert set(said) == _keys("`recall`")
    assert set(said["lessons"][0]) == _keys("a recalled lesson")
    assert set(said["loop"]) == {"verdict", "why", "times", "ticket"}
    told.run("correct", new["id"], "--probe", "true")
    assert set(_json(told, "probe", new["id"], "--yes", "--json")) == _keys("`probe`")


def test_json_of_list_and_show_is_as_documented(told: Repo) -> None:
    listed = _json(told, "list", "--json")
    assert set(listed) == _keys("`list`")
    always = _keys("a record in `list` and `show`")
    assert set(listed["records"][0]) == always | {"route", "observation", "files"}
    shown = _json(told, "show", "--json", listed["records"][0]["id"])["records"][0]
    assert set(shown) == set(listed["records"][0]) | _keys("a record in `show` alone")
    assert set(shown["versions"][0]) == {
        "commit",
        "no_later_than",
        "recorded_at",
        "author",
        "subject",
        "state",
        "events",
        "writers",
    }


def test_json_of_lint_is_as_documented(told: Repo) -> None:
    told.write(".lessons/broken.yaml", "kind: nothing\n")
    said = _json(told, "lint", "--json")
    assert set(said) == _keys("`lint`")
    assert set(said["findings"][0]) == {"path", "line", "message", "hint", "fatal"}


def test_json_of_writing_commands_is_as_documented(told: Repo) -> None:
    new = _json(told, "tried", "--json", "shard the suite", "--because", "two files share a port")
    assert set(new) == _keys("a writing command")
    for arguments in (
        ("works", "make schema", "--mind", "commit first"),
        ("lesson", "stop the workers first", "--error", "E: pool drained"),
        ("correct", new["id"], "--layer", "design"),
        ("retire", new["id"], "--because", "it works now"),
    ):
        assert set(_json(told, *arguments, "--json")) == _keys("a writing command")
    note = _json(told, "note", "--json", "pinning the port did not work")
    assert set(note) == _keys("`note`")
    assert set(_json(told, "promote", "--json", note["id"])) == _keys("a writing command")


def test_json_of_the_other_commands_is_as_documented(told: Repo) -> None:
    row = json.dumps({"route": "a way", "observation": "no way", "ref": "x:1"})
    assert set(_json(told, "import", "--json", "-", stdin=row)) == _keys("`import`")
    assert set(_json(told, "stores", "list", "--json")) == _keys("`stores list`")
    assert set(_json(told, "index", "--json")) == _keys("`index`")
    assert set(_json(told, "model", "status", "--json")) == _keys("`model status`")


def test_json_of_hooks_and_doctor_is_as_documented(told: Repo) -> None:
    status = _json(told, "hooks", "status", "--json")
    assert set(status) == _keys("`hooks status`")
    assert set(status["events"][0]) == _keys("an event")
    page = _json(told, "doctor", "--json")
    assert set(page) == _keys("`doctor`")
    assert set(page["hooks"]) == set(status) - {"version", "switched_off"}
    assert {"problem", "hint"} == set(page["troubles"][0])
    sections = _section(COMMANDS, "JSON of `doctor`")
    for name in ("chalkgit", "store", "index", "model", "journal", "policy"):
        (row,) = [line for line in sections.splitlines() if line.startswith(f"| `{name}` |")]
        assert [key for key in page[name] if f"`{key}`" not in row] == []


# --- the first five minutes ----------------------------------------------------------------------


@pytest.fixture(name="ours")
def ours_fixture(repo: Repo) -> Repo:
    """A repository with the records of this one."""
    shutil.copytree(ROOT / ".lessons", repo.root / ".lessons", dirs_exist_ok=True)
    return repo


def test_our_own_records_are_sound(ours: Repo) -> None:
    done = ours.run("lint")
    assert done.code == 0, done.out
    assert ours.run("fmt", "--check").code == 0


def test_command_one_asks_what_our_own_records_answer(ours: Repo) -> None:
    found = re.search(r'^python3 -m venv .*/chalkgit check "([^"]+)"$', README, re.M)
    assert found
    done = ours.run("check", "--here", found[1])
    assert done.code == 1
    assert done.out.startswith("This was tried before")


def _lines() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", _section(README, "First five minutes"), re.S)
    return [line for block in blocks for line in block.splitlines()]


def test_the_first_five_minutes_run_as_they_stand(tmp_path: Path) -> None:
    root = tmp_path / "new"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "chalkgit"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -m chalkgit "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    printed: dict[str, str] = {}
    for line in _lines():
        command, _, expected = line.partition("  # exit ")
        command = command.replace(" ID ", f" {printed.get('works', '')[:4]} ")
        done = subprocess.run(
            ["sh", "-c", command], cwd=root, env=environment, capture_output=True, text=True, check=False
        )
        wanted = int(expected.split(":")[0]) if expected else 0
        assert done.returncode == wanted, f"{command}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        printed[command.split()[1]] = done.stdout
    assert "This was tried before" not in printed["check"]  # the last one asked is the new idea
    assert "cache the parsed manifest" in printed["at"]
    assert (
        subprocess.run(
            ["git", "status", "--porcelain"], cwd=root, check=True, capture_output=True, text=True
        ).stdout
        == ""
    )


def test_the_record_that_the_readme_shows_is_one() -> None:
    from chalkgit.records import codec, edit

    text = re.search(r"```yaml\n(.*?)```", _section(README, "What a record looks like"), re.S)
    assert text
    path = ".lessons/dead-ends/x.yaml"
    record, problems = codec.decode(text[1].encode(), path)
    assert problems == []
    assert record.kind == "dead-end"
    assert edit.formatted(text[1].encode(), path).decode() == text[1]
