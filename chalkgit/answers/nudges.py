"""What a writer is asked when it matters: each question is one line with the command that answers it.

Nothing is guessed, and what was given is not questioned.
"""

from __future__ import annotations

import re

from chalkgit.records.record import Record

# Names that put the cause in doubt: was it the code, or what it ran with?
_TOOLS = re.compile(
    r"(?<![\w./-])(?:PATH\b|(?i:npm|npx|yarn|pnpm|pip|pipx|uv|poetry|conda|mamba|apt(?:-get)?|brew|homebrew|cargo"
    r"|rustup|gradle|maven|mvn|bazel|cmake|makefile|docker|podman|kubectl|helm|nix|asdf|pyenv|nvm|virtualenv|venv"
    r"|LD_LIBRARY_PATH|PYTHONPATH|node_modules|site-packages)(?![\w-])"
    # the program, not the verb: “make the parser faster” names no tool
    r"|(?:`make\b|\bg(?:nu )?make\b|\bmake (?:-\w|(?:all|install|test|check|clean)\b)))"
)


def questions(record: Record) -> list[str]:
    """What this new record does not say and its next reader will ask."""
    if record.kind != "dead-end":
        return []
    asked = []
    tool = _TOOLS.search(" ".join(filter(None, map(record.text, ("route", "observation", "trap")))))
    if tool and record.get("layer") is None:
        asked.append(
            f"it names {tool.group()}: did the code fail, the environment or a dependency? "
            + _mend(record, "layer", "LAYER")
        )
    if record.get("alternative") is None:
        asked.append(f"what was done instead? {_mend(record, 'alternative', 'TEXT')}")
    if record.get("evidence") is None:
        asked.append(f"where can one see it (a commit, URL or test)? {_mend(record, 'evidence', 'REF')}")
    bound = record.get("depends-on") or record.get("scope") == "version-bound"
    if record.get("reopens-when") is None and (bound or record.get("layer") in ("dependency", "environment")):
        asked.append(f"what would reopen it? {_mend(record, 'reopens-when', 'RULE')}")
    return asked


def _mend(record: Record, field: str, value: str) -> str:
    return f"chalkgit correct {record.id} --{field} {value}"
