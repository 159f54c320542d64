"""A record that people marked wrong, at the doors where nobody asked: last, labelled, or not at all."""

from __future__ import annotations

import json
import os

import pytest
from committing import edit, git, hooked_fixture, shown  # noqa: F401
from echoing import ROUTE, ruled
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.render import brief
from chalkgit.thresholds import BRIEF_CHARACTERS, HOOK_RULINGS

LABEL = "; marked wrong by people here"


def _lines(said: str) -> list[str]:
    return [row for row in said.splitlines() if row.endswith("]")]


def test_at_its_files_it_comes_last_and_says_why(repo: Repo, chalk: Inside) -> None:
    for route in ("cache it", "shard it", "pin it"):
        ruled(repo, route=route)
    before = chalk.ids("at", "src/a.py")
    assert len(before) == 3
    chalk("feedback", before[0], "wrong")
    assert chalk.ids("at", "src/a.py") == [*before[1:], before[0]]
    [*_, last] = chalk.json("at", "src/a.py")["rulings"]
    assert last["feedback"] == {"wrong": 1, "useful": 0}
    assert (
        "marked wrong 1 time by people here: it comes last (chalkgit feedback)" in chalk("at", "src/a.py").out
    )
    chalk("feedback", before[0], "useful")
    assert chalk.ids("at", "src/a.py") == before


def test_a_commit_shows_it_last_and_labelled(hooked: Repo, chalk: Inside) -> None:
    edit(hooked, *"abcd")
    hooked.git("add", "src")
    before = _lines(chalk("hook", "pre-commit").out)
    assert LABEL not in "".join(before)
    first = before[0].rpartition("[")[2].rstrip("]")
    assert chalk("feedback", first, "wrong").code == 0
    after = git(hooked, "commit", "-m", "all four").err
    assert shown(after) == list("abcd")
    lines = _lines(after)
    assert [LABEL in row for row in lines] == [False, False, False, True]
    assert lines[-1].endswith(f"{LABEL} [{first}]")


def test_where_there_are_too_many_it_is_the_one_that_is_only_counted(repo: Repo, chalk: Inside) -> None:
    for number in range(HOOK_RULINGS + 1):
        repo.record(route=f"way number {number}", observation="no", files=["src/a.py"])
    repo.commit()
    repo.write("src/a.py", "changed\n")
    repo.git("add", "src")
    first = _lines(chalk("hook", "pre-commit").out)[0].rpartition("[")[2].rstrip("]")
    chalk("feedback", first, "wrong")
    said = chalk("hook", "pre-commit").out
    assert first not in said
    assert len(_lines(said)) == HOOK_RULINGS


def test_what_has_to_be_acknowledged_stays_so(hooked: Repo, chalk: Inside) -> None:
    record = hooked.record(
        route="cache it", observation="stale", files=["src/free.py"], degree="contradicted"
    )
    hooked.write(".lessons/config.yaml", "hooks:\n  block: contradicted\n")
    hooked.commit(f"policy\n\nLesson: {record.id}")
    assert chalk("feedback", record.id, "wrong").code == 0
    hooked.write("src/free.py", "changed\n")
    refused = git(hooked, "commit", "-qam", "free")
    assert refused.code == 1
    assert f"Lesson: {record.id}" in refused.err
    assert git(hooked, "commit", "-qam", f"free\n\nLesson: {record.id}").code == 0


def test_a_commit_message_that_proposes_it_is_not_told(hooked: Repo, chalk: Inside) -> None:
    hooked.write(".lessons/config.yaml", "hooks:\n  check-message: true\n")
    record = hooked.record(route=ROUTE, observation="stale", files=["other.py"])
    hooked.commit("policy")
    hooked.write("src/free.py", "changed\n")
    said = git(hooked, "commit", "-qam", ROUTE).err
    assert record.id in said
    assert chalk("feedback", record.id, "wrong").code == 0
    hooked.write("src/free.py", "again\n")
    assert git(hooked, "commit", "-qam", ROUTE).err == ""


def test_an_agent_is_told_nothing_at_a_prompt_and_last_at_an_edit_and_a_start(
    repo: Repo, chalk: Inside
) -> None:
    def hook(name: str, **more: object) -> str:
        event = {"hook_event_name": name, "session_id": os.urandom(4).hex(), "cwd": str(repo.root), **more}
        return chalk("hook", "agent", "--client", "claude-code", stdin=json.dumps(event)).out

    record = ruled(repo)
    whole = repo.record(
        route="sign with one key", observation="no", degree="contradicted", files=["src/a.py"]
    )
    general = [
        repo.record(
            route=f"rule {word}", observation="no", scope="general", degree="contradicted", layer="design"
        )
        for word in ("red", "blue", "grey", "pink")
    ]
    repo.commit()
    edit_of = {"tool_name": "Edit", "tool_input": {"file_path": str(repo.root / "src/a.py")}}
    start = hook("SessionStart", source="startup")
    told = [one.id for one in general if one.id in start]
    assert record.id in hook("UserPromptSubmit", prompt=ROUTE)
    assert record.id in hook("PostToolUse", **edit_of)
    chalk("feedback", record.id, "wrong")
    assert hook("UserPromptSubmit", prompt=ROUTE) == ""
    edited = hook("PostToolUse", **edit_of)
    assert edited.index(whole.id) < edited.index(record.id)
    assert LABEL in edited
    assert told
    chalk("feedback", told[0], "wrong")
    again = hook("SessionStart", source="startup")
    assert told[0] not in again or again.index(told[0]) > max(again.index(one) for one in told[1:])


@pytest.mark.parametrize("length", [10, 4000])
def test_the_label_is_within_the_line(repo: Repo, length: int) -> None:
    record = repo.record(route="a " * length, observation="b " * length)
    said = brief.text(record, silenced=True)
    assert len(said) <= BRIEF_CHARACTERS
    assert said.endswith(f"{LABEL} [{record.id}]")
    assert LABEL not in brief.text(record)
