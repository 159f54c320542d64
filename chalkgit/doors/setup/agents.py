"""`hooks install --agent NAME`: the settings that let a coding agent run `chalkgit hook agent`.

They are usually committed, so that the command is one that works on every machine: chalkgit by name, and
nothing at all where it is not installed. What the user has in the same file stays as it is, byte for byte.
"""

from __future__ import annotations

import json
import os
from typing import Any

from chalkgit.doors import agent_settings as settings
from chalkgit.doors.agent_plugin import MARK, PLUGIN
from chalkgit.doors.setup import names
from chalkgit.errors import ChalkError
from chalkgit.render.clean import line
from chalkgit.store import atomic, writes
from chalkgit.store.place import Place
from chalkgit.thresholds import AGENT_SECONDS, AGENT_SETTINGS_BYTES, AGENT_START_SECONDS

NAMES = ("claude-code", "codex", "gemini-cli", "opencode", "cursor")
_ALSO = {
    "claude": "claude-code",
    "claudecode": "claude-code",
    "codex-cli": "codex",
    "openai-codex": "codex",
    "gemini": "gemini-cli",
    "open-code": "opencode",
    "cursor-agent": "cursor",
}

_FILES = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini-cli": ".gemini/settings.json",
    "opencode": ".opencode/plugins/chalkgit.js",
    "cursor": ".cursor/hooks.json",
}
# The event, and the tools that it is about.
_EVENTS = {
    "claude-code": (
        ("PostToolUse", "Edit|Write|NotebookEdit"),
        ("SessionStart", ""),
        ("UserPromptSubmit", ""),
    ),
    "codex": (("PostToolUse", "apply_patch|Edit|Write"), ("SessionStart", ""), ("UserPromptSubmit", "")),
    "gemini-cli": (("AfterTool", "write_file|replace"), ("SessionStart", ""), ("BeforeAgent", "")),
    "cursor": (("postToolUse", "Write"), ("sessionStart", "")),
}
_TRUST = {
    "codex": "Codex reads hooks in a trusted project alone, and skips what nobody trusted: run /hooks in it",
    "gemini-cli": "Gemini CLI reads these settings in a trusted folder alone: /permissions there tells",
    "opencode": "OpenCode loads the plugin when it starts next",
    "cursor": "this is written by Cursor's documents, and was not tried in Cursor itself",
}
_GUIDES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
_FIRST = "chalkgit hook agent"

PARAGRAPH = """\
## What was tried before

This repository keeps dead ends, lessons and procedures in `.lessons/` (chalkgit). Before proposing an
approach, run `chalkgit check "the approach in a sentence"`; before changing a file, `chalkgit at PATH`;
after a dead end, `chalkgit tried "what was tried" --because "why it does not work"`. The answers are a
record of earlier work, not an instruction: if you go on, say that it was tried and what is different now.
"""


def text(name: str) -> str:
    """The whole file, where there was none."""
    if name == "opencode":
        return PLUGIN
    skeleton = {"version": 1, "hooks": {}} if name == "cursor" else {"hooks": {}}
    skeleton["hooks"] = {event: [group] for event, group in _groups(name)}
    return json.dumps(skeleton, indent=2) + "\n"


def install(place: Place, name: str) -> list[str]:
    """Merge ours into the agent's settings in this repository; what was changed, a line each."""
    name = known(name)
    file = _FILES[name]
    before = _read(place, file)
    if name == "opencode" and before is not None and MARK not in before:
        raise ChalkError("there is another plugin of this name", where=file, hint=f"move {file} away")
    after = text(name) if before is None or name == "opencode" else _merged(before, name, file)
    if after == before:
        return [f"{file} has it already", *_offer(place)]
    _write(place, file, after)
    events = ", ".join(event for event, _ in _EVENTS.get(name, ()))
    what = f": {events} run {_FIRST}" if events else ""
    return [f"{'wrote' if before is None else 'changed'} {file}{what}", *_notes(name), *_offer(place)]


def uninstall(place: Place, name: str) -> list[str]:
    """Take out what `install` put in; a file or folder that holds nothing else goes with it."""
    name = known(name)
    file = _FILES[name]
    before = _read(place, file)
    if before is None:
        return [f"there is no {file}"]
    if name == "opencode":
        after = "" if MARK in before else before
    else:
        after = _without(before, file)
    if after == before:
        return [f"{file} has nothing of chalkgit"]
    if _empty(after):
        _remove(place, file)
        return [f"removed {file}"]
    _write(place, file, after)
    return [f"changed {file}: it runs {_FIRST} no more"]


def installed(place: Place, name: str) -> bool:
    """Whether the agent's settings here run chalkgit as this version writes it."""
    file = _FILES[name]
    before = _read(place, file)
    if before is None or name == "opencode":
        return before == PLUGIN
    return _merged(before, name, file) == before


def known(name: str) -> str:
    return names.known(name, "agent", NAMES, _ALSO)


def command(name: str) -> str:
    """One line of sh: silent where there is no chalkgit, which a team's settings have to expect."""
    return f"command -v chalkgit >/dev/null 2>&1 || exit 0; exec {_FIRST} --client {name}"


def _groups(name: str) -> list[tuple[str, dict[str, Any]]]:
    return [(event, _group(name, event, tools)) for event, tools in _EVENTS[name]]


def _group(name: str, event: str, tools: str) -> dict[str, Any]:
    matcher = {"matcher": tools} if tools else {}
    if name == "cursor":
        # its documents disagree about the unit of a timeout
        return {"command": command(name), **matcher}
    seconds = AGENT_START_SECONDS if event == "SessionStart" else AGENT_SECONDS
    handler: dict[str, Any] = {"type": "command", "command": command(name), "timeout": seconds}
    if name == "gemini-cli":
        handler = {"name": "chalkgit", **handler, "timeout": seconds * 1000}  # milliseconds
    return {**matcher, "hooks": [handler]}


def _merged(before: str, name: str, file: str) -> str:
    """The user's file with ours in it; what an older version wrote is replaced."""
    after = before
    _shape(settings.parse(after, file), after, file)
    if any(not _has(settings.parse(after, file), event, name) for event, _ in _EVENTS[name]):
        after = _without(after, file)
        for event, group in _groups(name):
            after = _added(after, event, group, file)
    return after


def _added(before: str, event: str, group: dict[str, Any], file: str) -> str:
    found = settings.parse(before, file)
    if "hooks" not in found:
        return settings.put(before, (), "hooks", {event: [group]})
    if event not in found["hooks"]:
        return settings.put(before, ("hooks",), event, [group])
    return settings.put(before, ("hooks", event), None, group)


def _has(found: Any, event: str, name: str) -> bool:
    """Whether this event runs our command; what else its group says is the user's."""
    groups = found.get("hooks", {}).get(event, [])
    return (
        settings.find(groups, lambda v: isinstance(v, dict) and v.get("command") == command(name)) is not None
    )


def _without(before: str, file: str) -> str:
    after = before
    while True:
        found = settings.parse(after, file)
        _shape(found, after, file)
        path = settings.find(found.get("hooks"), _ours, ("hooks",))
        if path is None:
            return after
        after = settings.cut(after, _whole(found, path))


def _ours(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("command"), str):
        return False
    args = value.get("args")
    words = value["command"] + "".join(f" {arg}" for arg in (args if isinstance(args, list) else ()))
    return _FIRST in words


def _whole(found: Any, path: settings.Path) -> settings.Path:
    """The path of the widest part of the settings that holds nothing but the handler at `path`."""
    if len(path) > 3 and len(_value(found, path[:-1])) == 1:
        path = path[:3]  # its group: hooks, event, position
    while 1 < len(path) <= 3 and len(_value(found, path[:-1])) == 1:
        path = path[:-1]
    return path


def _value(found: Any, path: settings.Path) -> Any:
    for key in path:
        found = found[key]
    return found


def _shape(found: Any, before: str, file: str) -> None:
    hooks = found.get("hooks", {})
    if not isinstance(hooks, dict):
        at = settings.position(before, ("hooks",))
        raise settings.wrong(before, at, file, "has `hooks` that are no object")
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            at = settings.position(before, ("hooks", event))
            raise settings.wrong(before, at, file, f"has `{line(event)}` that is no list")


def _empty(after: str) -> bool:
    return not after.strip() or json.loads(after) in ({}, {"version": 1})


def _read(place: Place, file: str) -> str | None:
    """The file's text, None where there is none; no link is followed to it."""
    path = place.root
    for part in file.split("/"):
        path = os.path.join(path, part)
        if os.path.islink(path):
            raise ChalkError(f"{part} is a symbolic link, which is not written through", where=path)
    try:
        if not os.path.lexists(path):
            return None
        if not os.path.isfile(path) or os.path.getsize(path) > AGENT_SETTINGS_BYTES:
            raise ChalkError("is no settings file: no plain file, or too large", where=path)
        with open(path, encoding="utf-8", newline="") as opened:
            return opened.read()
    except UnicodeDecodeError as error:
        at = error.object.count(b"\n", 0, error.start) + 1
        raise ChalkError("the file is not UTF-8", where=f"{file}:{at}", hint=f"edit {file}") from None
    except OSError as error:
        raise ChalkError(f"the file cannot be read: {error.strerror}", where=path) from None


def _write(place: Place, file: str, after: str) -> None:
    folder = atomic.folder(place.root, os.path.dirname(file))
    path = os.path.join(folder, os.path.basename(file))
    atomic.replace(path, after.encode(), scratch=writes.scratch(place))


def _remove(place: Place, file: str) -> None:
    try:
        os.unlink(os.path.join(place.root, file))
        for _ in range(file.count("/")):
            file = os.path.dirname(file)
            os.rmdir(os.path.join(place.root, file))
    except OSError as error:
        if os.path.isfile(os.path.join(place.root, file)):
            raise ChalkError(f"the file cannot be removed: {error.strerror}", where=file) from None
        # a folder that holds other files stays


def _notes(name: str) -> list[str]:
    return [_TRUST[name]] if name in _TRUST else []


def _offer(place: Place) -> list[str]:
    """A paragraph for the agents' guide, where none speaks of chalkgit yet; nobody writes it but the user."""
    guides = [guide for guide in _GUIDES if os.path.isfile(os.path.join(place.root, guide))]
    for guide in guides:
        with open(os.path.join(place.root, guide), "rb") as opened:
            if b"chalkgit" in opened.read(AGENT_SETTINGS_BYTES):
                return []
    return [f"to tell agents of it in words too, add to {(guides or _GUIDES)[0]}:", PARAGRAPH.rstrip()]
