"""Distillers as a user may have configured them: small programs, and the settings that name them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

RULE = "When the pool drains, close connections in teardown, because the fixture leaks them"


def settings(distiller: object) -> None:
    """Add `distiller:` to the user's settings."""
    file = Path(os.environ["XDG_CONFIG_HOME"], "chalkgit", "config.yaml")
    text = file.read_text() if file.exists() else ""
    # JSON is YAML
    file.write_text(text + f"distiller: {json.dumps(distiller)}\n")


def program(folder: Path, body: str, name: str = "distil") -> Path:
    """A program whose Python has `read` (all of its stdin) and `sys`, `os`, `time` at hand."""
    file = folder / name
    start = f"#!{sys.executable} -I\nimport os, subprocess, sys, time\n"
    file.write_text(start + "def read(): return sys.stdin.read()\n" + body + "\n")
    file.chmod(0o755)
    return file


def configured(folder: Path, body: str, words: Sequence[str] = (), **more: Any) -> Path:
    """Such a program, named in the settings."""
    file = program(folder, body)
    command = [str(file), *words]
    settings({"command": command, **more} if more else command)
    return file
