"""A client's session in a repository, by the JSON that the client sends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inside import Inside
from repository import Repo, Result

from chalkgit.doors import agent_event

EVENTS = {
    client: json.loads(Path(__file__).with_name(f"{client}.json").read_text())
    for client in agent_event.CLIENTS
}


def recorded(repo: Repo, client: str, which: str) -> str:
    """What the client sends, about this repository."""
    return json.dumps(EVENTS[client][which]).replace("@ROOT@", str(repo.root))


def context(result: Result) -> str:
    """What the model would read; "" where nothing was printed."""
    assert result.code == 0, result
    if not result.out:
        return ""
    said = json.loads(result.out)
    if "additional_context" in said:
        return str(said["additional_context"])
    (only,) = said.values()
    assert set(only) == {"hookEventName", "additionalContext"}
    return str(only["additionalContext"])


class Agent:
    """A client's session in a repository: `agent.edit("src/a.py")` is what its model reads after that."""

    def __init__(self, repo: Repo, chalk: Inside, session: str = "one") -> None:
        self.repo, self.chalk, self.session = repo, chalk, session

    def send(self, event: str, **fields: Any) -> Result:
        said = {"session_id": self.session, "cwd": str(self.repo.root), "hook_event_name": event, **fields}
        return self.chalk("hook", "agent", "--client", "claude-code", stdin=json.dumps(said))

    def edit(self, path: str, event: str = "PostToolUse", **fields: Any) -> str:
        return context(self.send(event, tool_name="Edit", tool_input={"file_path": path}, **fields))

    def start(self, source: str = "startup") -> str:
        return context(self.send("SessionStart", source=source))

    def prompt(self, text: str) -> str:
        return context(self.send("UserPromptSubmit", prompt=text))


@pytest.fixture(name="claude")
def claude_fixture(repo: Repo, chalk: Inside) -> Agent:
    return Agent(repo, chalk)
