"""What a coding agent's hook is told on stdin, in one shape whatever the client.

An event is an `edit`, the `start` of a session, a `prompt`, or None where no answer reaches a model.
"""

from __future__ import annotations

import json
import os

from chalkgit.errors import ChalkError

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from typing import Any

CLAUDE, CODEX, GEMINI, OPENCODE, CURSOR = CLIENTS = (
    "claude-code",
    "codex",
    "gemini-cli",
    "opencode",
    "cursor",
)
EDIT, START, PROMPT = "edit", "start", "prompt"

# Seen on the real clients: what is answered at these events becomes part of what the model reads. Context
# given before a tool call arrives after it in Claude Code, and nowhere in Gemini CLI.
_REACHES = {
    ("PostToolUse", None): EDIT,
    ("PreToolUse", None): EDIT,
    ("AfterTool", GEMINI): EDIT,
    ("postToolUse", CURSOR): EDIT,
    ("SessionStart", None): START,
    ("sessionStart", CURSOR): START,
    ("UserPromptSubmit", None): PROMPT,
    ("BeforeAgent", GEMINI): PROMPT,
}
_GEMINIS = (
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "PreCompress",
)
_PATHS = ("file_path", "notebook_path", "filePath")
_CURSORS = ("path", "target_file", "relative_workspace_path")  # its documents name the argument variously
_PATCH = ("command", "patchText", "input", "patch")
_HEADERS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


class Event:
    """`name` is the client's own word for it; `paths` are absolute; `written` says that the edit is made."""

    __slots__ = ("client", "cwd", "kind", "name", "paths", "prompt", "session", "source", "written")

    def __init__(self, said: dict[str, Any], client: str | None, directory: str | None) -> None:
        self.name = _text(said, "hook_event_name") or ""
        self.client = client or _client(said, self.name)
        self.kind = _REACHES.get((self.name, self.client)) or _REACHES.get((self.name, None))
        self.written = not self.name.startswith("Pre")
        self.cwd = os.path.abspath(os.path.join(directory or "", _folder(said)))
        self.session = _session(said, self.client)
        self.source = _text(said, "source") or ""
        self.prompt = _text(said, "prompt") or ""
        self.paths = _edited(said, self.client, self.cwd) if self.kind == EDIT else []


def read(data: bytes, client: str | None, directory: str | None) -> Event:
    """ChalkError for what is no JSON object."""
    try:
        said = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ChalkError(f"standard input is no JSON: {error}") from None
    if not isinstance(said, dict):
        raise ChalkError("standard input is no JSON object")
    try:
        return Event(said, client, directory)
    except ValueError as error:  # a NUL in a path
        raise ChalkError(f"standard input names no path: {error}") from None


def _client(said: dict[str, Any], name: str) -> str:
    if said.get("client") in CLIENTS:
        return str(said["client"])
    if "conversation_id" in said or "cursor_version" in said or name[:1].islower():
        return CURSOR
    if name in _GEMINIS or "timestamp" in said:
        return GEMINI
    codex = "turn_id" in said or said.get("tool_name") == "apply_patch"
    return CODEX if codex or (name == "SessionStart" and "permission_mode" in said) else CLAUDE


def _folder(said: dict[str, Any]) -> str:
    """The folder that relative paths are relative to."""
    roots = said.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    return _text(said, "cwd") or first


def _session(said: dict[str, Any], client: str) -> str | None:
    """A subagent reads nothing of what its session was shown, so that it is a session of its own."""
    session = _text(said, "session_id") or _text(said, "conversation_id")
    agent = _text(said, "agent_id")
    return f"{client}:{session}" + (f"/{agent}" if agent else "") if session else None


def _edited(said: dict[str, Any], client: str, cwd: str) -> list[str]:
    """The files that the tool names: one, or those of a patch; none for a shell."""
    given = said.get("tool_input")
    if not isinstance(given, dict):
        return []
    named = [_text(given, key) for key in (*_PATHS, *(_CURSORS if client == CURSOR else ()))]
    if said.get("tool_name") in ("apply_patch", "patch"):
        named += [path for key in _PATCH for path in patched(_text(given, key) or "")]
    return list(dict.fromkeys(os.path.abspath(os.path.join(cwd, path)) for path in named if path))


def patched(patch: str) -> list[str]:
    """The paths in the headers of a patch; a line of a file begins with a blank, + or -."""
    return [
        line.removeprefix(header).strip()
        for line in patch.splitlines()
        for header in _HEADERS
        if line.startswith(header)
    ]


def _text(said: dict[str, Any], key: str) -> str | None:
    value = said.get(key)
    return value if isinstance(value, str) and value else None
