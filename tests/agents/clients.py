"""How each real client is run against a model of our own, and what it is asked to do there.

CHALKGIT_TEST_AGENTS names a folder in which `npm install` put them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from agents.mock_model import Call, Model

# read when the tests are collected: each test drops what the world outside has set
_FOLDER = os.environ.get("CHALKGIT_TEST_AGENTS") or ""
PROMPT = "please rewrite the scheduler in rust"
DAMAGED = "kind: dead-end\nroute: [\n"
Setup = Callable[[Path, str, Path], Mapping[str, str]]  # home, the model's address, root: its variables


class Client(NamedTuple):
    """`script` edits src/a.py, then writes a damaged record, in this repository."""

    package: str
    program: str
    arguments: tuple[str, ...]
    script: Callable[[Path], list[Call]]
    setup: Setup


def program(client: Client) -> str | None:
    """The program, None where it is not installed."""
    found = os.path.join(_FOLDER, "node_modules", ".bin", client.program)
    return found if _FOLDER and os.path.exists(found) else None


def run(client: Client, root: Path, home: Path, model: Model, path: str) -> subprocess.CompletedProcess[str]:
    """One session, with nothing but the folders of `path` and the system's to find programs in."""
    found = program(client)
    assert found is not None
    node = os.path.dirname(shutil.which("node") or "")
    kept = {name: value for name, value in os.environ.items() if name in ("HOME", "LC_ALL")}
    kept |= {name: value for name, value in os.environ.items() if name.startswith(("XDG_", "GIT_CONFIG"))}
    return subprocess.run(
        [found, *client.arguments, PROMPT],
        cwd=root,
        env={**kept, "PATH": f"{path}:{node}:/usr/bin:/bin", **client.setup(home, model.url, root)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def shim(folder: Path) -> Path:
    """A folder with the program under test as `chalkgit`."""
    folder.mkdir()
    file = folder / "chalkgit"
    file.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -m chalkgit "$@"\n')
    file.chmod(0o755)
    return folder


def _claude(home: Path, url: str, root: Path) -> Mapping[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _codex(home: Path, url: str, root: Path) -> Mapping[str, str]:
    (home / "codex").mkdir()
    # a model that Codex gives its tool for patches
    (home / "codex" / "config.toml").write_text(
        'model = "gpt-5.5"\nmodel_provider = "mock"\n[model_providers.mock]\nname = "mock"\n'
        f'base_url = "{url}/v1"\nwire_api = "responses"\nenv_key = "MOCK_KEY"\n'
        # of a project that is not trusted Codex reads no hooks
        f'[projects."{os.path.realpath(root)}"]\ntrust_level = "trusted"\n'
    )
    return {"CODEX_HOME": str(home / "codex"), "MOCK_KEY": "none"}


def _gemini(home: Path, url: str, root: Path) -> Mapping[str, str]:
    (home / ".gemini").mkdir()
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
        "privacy": {"usageStatisticsEnabled": False},
    }
    (home / ".gemini" / "settings.json").write_text(json.dumps(settings))
    return {
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_API_KEY": "none",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_CLI_NO_RELAUNCH": "true",
    }


def _opencode(home: Path, url: str, root: Path) -> Mapping[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
        "models": {"m": {"name": "m"}},
    }
    settings = {
        "autoupdate": False,
        "model": "mock/m",
        "small_model": "mock/m",
        "provider": {"mock": provider},
    }
    (home / "opencode.json").write_text(json.dumps(settings))
    return {"OPENCODE_CONFIG": str(home / "opencode.json"), "OPENCODE_DISABLE_AUTOUPDATE": "1"}


def _claude_script(root: Path) -> list[Call]:
    path = str(root / "src/a.py")
    return [
        ("Read", {"file_path": path}),
        ("Edit", {"file_path": path, "old_string": "x = 1", "new_string": "x = 2"}),
        ("Write", {"file_path": str(root / ".lessons/bad.yaml"), "content": DAMAGED}),
    ]


def _codex_script(root: Path) -> list[Call]:
    added = "".join(f"+{line}\n" for line in DAMAGED.splitlines())
    return [
        ("apply_patch", "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"),
        ("apply_patch", f"*** Begin Patch\n*** Add File: .lessons/bad.yaml\n{added}*** End Patch\n"),
    ]


def _gemini_script(root: Path) -> list[Call]:
    path = str(root / "src/a.py")
    edit = {"file_path": path, "instruction": "count", "old_string": "x = 1", "new_string": "x = 2"}
    return [
        ("read_file", {"file_path": path}),
        ("replace", edit),
        ("write_file", {"file_path": str(root / ".lessons/bad.yaml"), "content": DAMAGED}),
    ]


def _opencode_script(root: Path) -> list[Call]:
    path = str(root / "src/a.py")
    return [
        ("read", {"filePath": path}),
        ("edit", {"filePath": path, "oldString": "x = 1", "newString": "x = 2"}),
        ("write", {"filePath": str(root / ".lessons/bad.yaml"), "content": DAMAGED}),
    ]


CLIENTS = {
    "claude-code": Client(
        "@anthropic-ai/claude-code",
        "claude",
        ("--permission-mode", "acceptEdits", "-p"),
        _claude_script,
        _claude,
    ),
    "codex": Client(
        "@openai/codex",
        "codex",
        ("exec", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"),
        _codex_script,
        _codex,
    ),
    "gemini-cli": Client(
        "@google/gemini-cli", "gemini", ("--yolo", "-m", "gemini-2.5-flash", "-p"), _gemini_script, _gemini
    ),
    "opencode": Client("opencode-ai", "opencode", ("run", "--auto"), _opencode_script, _opencode),
}
