"""Histories with dates, and every command that can be asked about a moment of one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from inside import Inside
from repository import Repo

from chalkgit.records import codec
from chalkgit.records.record import Record

ROUTE = "cache the parsed manifest between test runs"
WHY = "it went stale after a rename"
FILE = "src/io/reader.py"
ERROR = "E   RuntimeError: the pool drained while a worker was busy"
COMMANDS = ("check", "at", "list", "recall", "export")
ASKED: dict[str, tuple[str, ...]] = {
    "check": ("check", ROUTE, "--lexical"),
    "at": ("at", FILE),
    "list": ("list", "--status", "active"),
    "recall": ("recall", "--output", "-"),
    "export": ("export",),
}


class Days:
    """Commits of a repository on days that a test names; `edit` writes a record anew."""

    def __init__(self, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
        self.repo = repo
        self._monkeypatch = monkeypatch

    def commit(self, when: str) -> str:
        instant = when if "T" in when else f"{when}T12:00:00Z"
        self._monkeypatch.setenv("GIT_AUTHOR_DATE", instant)
        self._monkeypatch.setenv("GIT_COMMITTER_DATE", instant)
        return self.repo.commit(when)

    def edit(self, record: Record, **changes: Any) -> Record:
        changed = record.changed({name.replace("_", "-"): value for name, value in changes.items()})
        self.repo.write(changed.path, codec.encode(changed))
        return changed


def both(repo: Repo, **fields: Any) -> tuple[Record, Record]:
    """A dead end and a lesson with these fields, which the commands of ASKED find."""
    dead = repo.record(route=ROUTE, observation=WHY, files=[FILE], **fields)
    lesson = repo.record("lesson", failure={"error": ERROR}, resolution="stop the workers first", **fields)
    return dead, lesson


def ask(chalk: Inside, command: str, *options: str) -> Any:
    """What a command printed, and with which code."""
    return chalk(*ASKED[command], *options, stdin=ERROR + "\n" if command == "recall" else "")


def answer(chalk: Inside, command: str, *options: str) -> dict[str, Any]:
    """The JSON object of a command; `export` has none."""
    found: dict[str, Any] = json.loads(ask(chalk, command, *options, "--json").out)
    return found


def found(chalk: Inside, command: str, *options: str) -> set[str]:
    """The ids that a command gives."""
    if command == "export":
        result = ask(chalk, command, *options)
        assert result.code == 0, result
        return {json.loads(line)["id"] for line in result.out.splitlines()}
    key = {"list": "records", "recall": "lessons"}.get(command, "rulings")
    return {row["id"] for row in answer(chalk, command, *options)[key]}
