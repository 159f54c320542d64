"""A record with words that no other text has, and the files of ours that hold them: for forget's tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

WORDS = (b"zebrafish", b"quokka")
ABOUT: dict[str, Any] = {
    "route": "warm the zebrafish cache",
    "observation": "the quokka went stale",
    "files": ["src/a.py"],
}


def leaking(root: Path) -> list[str]:
    """The files of ours in the git directory, of all work trees, that hold the record's words."""
    files = [file for file in (root / ".git").rglob("*") if file.is_file()]
    ours = [file for file in files if any(part.startswith("chalkgit") for part in file.parts)]
    return [str(f.relative_to(root)) for f in ours if any(word in f.read_bytes().lower() for word in WORDS)]
