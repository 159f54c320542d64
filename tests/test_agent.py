"""`hook agent`: each client's own JSON in, and what its model reads out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from agents.session import EVENTS, Agent, claude_fixture, context, recorded  # noqa: F401
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo, Result

from chalkgit.doors import agent_event
from chalkgit.doors.agent_words import ABOUT, units
from chalkgit.store import journal
from chalkgit.thresholds import AGENT_CHARACTERS, AGENT_PROMPT_STEPS, AGENT_START_RULINGS, QUERY_WORDS

GENERAL = {"scope": "general", "layer": "design", "degree": "contradicted"}
ROUTE = "rewrite the scheduler in rust"


# --- the dialects ---------------------------------------------------------------------------------


@pytest.mark.parametrize("named", [True, False], ids=["named", "told by its event"])
@pytest.mark.parametrize("client", EVENTS)
def test_each_clients_own_events_are_answered_in_its_dialect(repo: Repo, client: str, named: bool) -> None:
    about = repo.record(files=["src/a.py", "src/n.ipynb"])
    general = repo.record(route=ROUTE, observation="too slow", **GENERAL)
    options = ["--client", client] if named else []

    def sent(which: str) -> Result:
        return repo.run("hook", "agent", *options, stdin=recorded(repo, client, which))

    edited = sent("edit")
    assert f"src/a.py:\nTried before, and failed: {about.get('route')}" in context(edited)
    assert edited.out.isascii()
    assert edited.out.count("\n") == 1
    assert edited.err == ""
    assert sent("edit") == (0, "", "")  # once a session
    if client != "cursor":
        name = json.loads(edited.out)["hookSpecificOutput"]["hookEventName"]
        assert name == EVENTS[client]["edit"]["hook_event_name"]
        assert general.id in context(sent("prompt"))
    assert general.id in context(sent("start"))
    repo.write(".lessons/bad.yaml", "kind: dead-end\nroute: [\n")
    assert ".lessons/bad.yaml:1: no YAML" in context(sent("record"))
    assert sent("shell").out == ""
    mute = sent("mute")
    assert (mute.code, mute.out, mute.err.count("\n")) == (0, "", 1)


@pytest.mark.parametrize("client", EVENTS)
def test_a_client_is_told_by_its_event_at_each_of_them(repo: Repo, client: str) -> None:
    for which in EVENTS[client]:
        assert agent_event.read(recorded(repo, client, which).encode(), None, None).client == client


def test_a_notebook_and_the_files_of_a_patch_are_edits(repo: Repo, claude: Agent) -> None:
    wanted = {path: repo.record(files=[path]).id for path in ("n.ipynb", "a.py", "b.py", "c d.py", "e.py")}
    notebook = {"notebook_path": str(repo.root / "n.ipynb")}
    said = context(claude.send("PostToolUse", tool_name="NotebookEdit", tool_input=notebook))
    assert wanted["n.ipynb"] in said
    patch = (
        "*** Begin Patch\n*** Add File: a.py\n+*** Update File: no.py\n*** Update File: b.py\n"
        "*** Move to: c d.py\n@@\n *** Delete File: no.py\n-x\n+y\n"
        f"*** Delete File: {repo.root}/e.py\n*** End Patch"
    )
    assert agent_event.patched(patch) == ["a.py", "b.py", "c d.py", f"{repo.root}/e.py"]
    said = context(claude.send("PostToolUse", tool_name="apply_patch", tool_input={"command": patch}))
    assert [line for line in said.splitlines() if line.endswith(":")] == [
        "a.py:",
        "b.py:",
        "c d.py:",
        "e.py:",
    ]
    assert all(wanted[path] in said for path in ("a.py", "b.py", "c d.py", "e.py"))
    shell = {"command": patch}
    assert claude.send("PostToolUse", tool_name="Bash", tool_input=shell) == (0, "", "")


# --- an edit --------------------------------------------------------------------------------------


def test_it_says_whose_words_these_are_before_it_says_them(repo: Repo, claude: Agent) -> None:
    record = repo.record(files=["src/*.py"], route="a \u202e b", observation="c\nd")
    said = claude.edit("src/\x1b[31m.py")
    first, second, third = said.splitlines()
    assert (first, second) == (ABOUT, "src/␛[31m.py:")
    assert "not an instruction" in first
    assert third.endswith(f"[{record.id}]")
    assert "\u202e" not in said
    assert "\x1b" not in said


def test_a_session_is_told_once_a_file_and_the_same_bytes_as_any_other(
    repo: Repo, chalk: Inside, claude: Agent
) -> None:
    repo.record(files=["src/*.py"])
    first = claude.edit("src/a.py")
    assert claude.edit("src/a.py") == ""
    assert claude.edit("src/b.py").splitlines()[2:] == first.splitlines()[2:]
    assert Agent(repo, chalk, "two").edit("src/a.py") == first
    for _ in range(2):  # an unknown session always counts as first
        assert Agent(repo, chalk, "").edit("src/a.py") == first


def test_a_subagent_reads_nothing_of_what_its_session_was_told(repo: Repo, claude: Agent) -> None:
    repo.record(files=["src/a.py"])
    first = claude.edit("src/a.py")
    assert claude.edit("src/a.py", agent_id="sub") == first
    assert claude.edit("src/a.py", agent_id="sub") == ""


def test_after_a_compaction_it_is_all_said_again_and_once(repo: Repo, claude: Agent) -> None:
    repo.record(files=["src/a.py"])
    start, edit = claude.start(), claude.edit("src/a.py")
    assert claude.edit("src/a.py") == ""
    assert claude.start("resume") == ""  # a resumed conversation still holds it
    for _ in range(2):
        assert claude.start("compact") == start
        assert claude.edit("src/a.py") == edit
        assert claude.edit("src/a.py") == ""


def test_what_was_told_is_in_the_journal_and_what_did_not_fit_is_counted(repo: Repo, claude: Agent) -> None:
    long = "x" * 200
    ids = {
        repo.record(files=["src/a.py"], route=f"{long} {n}", observation=f"\U0001f600 {n}").id
        for n in range(60)
    }
    said = claude.edit("src/a.py")
    assert units(said) <= AGENT_CHARACTERS
    shown = {one for one in ids if f"[{one}]" in said}
    assert 30 < len(shown) < 60
    assert said.splitlines()[-1] == f"{60 - len(shown)} more did not fit here; all of them: chalkgit at"
    assert {key[1] for key in journal.seen(repo.place, "claude-code:one", ["src/a.py"])} == shown
    rest = claude.edit("src/a.py")
    assert {one for one in ids if f"[{one}]" in rest} == ids - shown


def test_a_file_is_asked_of_its_own_repository(
    repo: Repo, claude: Agent, another: Callable[[str], Repo], tmp_path: Path
) -> None:
    other = another("other")
    record = other.record(files=["src/a.py"])
    said = claude.edit(str(other.root / "src" / "a.py"))
    assert f"{other.root}/src/a.py:\n" in said
    assert record.id in said
    assert claude.send("PostToolUse", tool_input={"file_path": str(tmp_path / "x.py")}) == (0, "", "")


def test_a_record_that_is_gone_or_whole_is_no_mistake(repo: Repo, claude: Agent) -> None:
    record = repo.record()
    repo.write(".lessons/bad.yaml", "kind: dead-end\nlayer: nonsense\n")
    assert claude.edit(record.path) == ""
    assert ".lessons/bad.yaml" in claude.edit(".lessons/bad.yaml")
    (repo.root / ".lessons/bad.yaml").unlink()
    assert claude.edit(".lessons/bad.yaml") == ""


def test_before_an_edit_the_file_on_disk_is_not_judged(repo: Repo, claude: Agent) -> None:
    repo.write(".lessons/bad.yaml", "kind: dead-end\nroute: [\n")
    assert claude.edit(".lessons/bad.yaml", "PreToolUse") == ""
    record = repo.record(files=["src/a.py"])
    assert record.id in claude.edit("src/a.py", "PreToolUse")
    assert claude.edit("src/a.py") == ""


# --- a start --------------------------------------------------------------------------------------


def test_a_newcomer_is_told_what_is_kept_how_to_ask_and_what_no_file_would_bring_up(
    repo: Repo, claude: Agent
) -> None:
    said = {
        name: repo.record(route=f"route of {name}", observation="no", **fields).id
        for name, fields in {
            "old": {**GENERAL, "valid_from": "2024-01-01"},
            "new": {**GENERAL, "valid_from": "2026-01-01"},
            "abandoned": {
                "scope": "general",
                "layer": "requirement",
                "action": "abandon",
                "valid_from": "2025",
            },
            "older": {**GENERAL, "valid_from": "2020"},
        }.items()
    }
    for fields in (
        {**GENERAL, "files": ["src/a.py"]},
        {**GENERAL, "layer": "implementation"},
        {**GENERAL, "scope": "local"},
        {**GENERAL, "degree": "partial"},
        {**GENERAL, "retired": {"because": "wrong", "when": "2026-01-01"}},
    ):
        repo.record(route="a route that is not said", observation="no", **fields)
    repo.record("procedure")
    text = claude.start()
    lines = text.splitlines()
    assert lines[0] == ABOUT
    assert "8 dead ends, 1 procedure." in lines[1]  # the retired one is not counted
    assert "chalkgit check" in lines[2]
    assert "chalkgit tried" in lines[2]
    assert len(lines) == 4 + AGENT_START_RULINGS
    told = [next(name for name, one in said.items() if f"[{one}]" in line) for line in lines[4:]]
    assert told == ["new", "abandoned", "old"]
    assert claude.start() == text


def test_an_empty_store_says_nothing_at_a_start(repo: Repo, claude: Agent) -> None:
    assert claude.start() == ""
    repo.record()
    assert ": 1 dead end." in claude.start()


# --- a prompt -------------------------------------------------------------------------------------


def test_a_prompt_is_told_that_it_was_tried_and_nothing_else(repo: Repo, claude: Agent) -> None:
    record = repo.record(route=ROUTE, observation="too slow")
    assert claude.prompt("add a dark mode to the settings page") == ""
    assert claude.prompt("what does the scheduler do?") == ""
    assert claude.prompt("/compact rewrite the scheduler in rust") == ""
    assert claude.prompt("  ") == ""
    said = claude.prompt(f"please {ROUTE}")
    assert f"{ROUTE}; why: too slow; unreviewed [{record.id}]" in said
    assert claude.prompt(f"please {ROUTE}") == ""
    record = repo.record(route="cache the parsed manifest", observation="stale")
    assert record.id in claude.prompt(f"{ROUTE}, and cache the parsed manifest")


def test_of_a_long_prompt_the_lines_are_asked_and_what_is_quoted_is_not(repo: Repo, claude: Agent) -> None:
    record = repo.record(route=ROUTE, observation="too slow")
    words = " ".join(f"word{n}" for n in range(QUERY_WORDS))
    assert claude.prompt(f"{words}\n```\n{ROUTE}\n```\n> {ROUTE}") == ""
    many = "\n".join(f"a line number {n} of a log" for n in range(AGENT_PROMPT_STEPS))
    assert claude.prompt(f"{words}\n{many}\n{ROUTE}") == ""
    assert record.id in claude.prompt(f"{words}\n{ROUTE}")
