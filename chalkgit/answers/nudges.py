"""What a writer is asked when it matters: each question is one line with the command that answers it.

Nothing is guessed, and what was given is not questioned.
"""

from __future__ import annotations

import os
import re
from datetime import datetime

from chalkgit import thresholds
from chalkgit.answers import repair
from chalkgit.answers.stored import read, superseded
from chalkgit.errors import ChalkError
from chalkgit.index import refresh, texts
from chalkgit.index.generation import Index
from chalkgit.records import paths
from chalkgit.records.record import Record
from chalkgit.records.status import excluded
from chalkgit.store.place import Place

# Names that put the cause in doubt: was it the code, or what it ran with?
_TOOLS = re.compile(
    r"(?<![\w./-])(?:PATH\b|(?i:npm|npx|yarn|pnpm|pip|pipx|uv|poetry|conda|mamba|apt(?:-get)?|brew|homebrew|cargo"
    r"|rustup|gradle|maven|mvn|bazel|cmake|makefile|docker|podman|kubectl|helm|nix|asdf|pyenv|nvm|virtualenv|venv"
    r"|LD_LIBRARY_PATH|PYTHONPATH|node_modules|site-packages)(?![\w-])"
    # the program, not the verb: “make the parser faster” names no tool
    r"|(?:`make\b|\bg(?:nu )?make\b|\bmake (?:-\w|(?:all|install|test|check|clean)\b)))"
)


def questions(record: Record, place: Place) -> list[str]:
    """What this new record does not say and its next reader will ask."""
    asked = _about_files(record, place)
    if record.kind != "dead-end":
        return asked
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


def about_others(record: Record, before: Index, now: datetime) -> list[str]:
    """Whether the record just written comes first for its own title, by words alone.

    before: the index as it was. It follows the files once more for this, as the next question would have it
    do; where none can be kept, that would mean to read all records again, and nothing is asked.
    """
    if before.folder is None:
        return []
    try:
        rival = repair.once(
            lambda rebuild: _rival(refresh.up_to_date(before.place, rebuild=rebuild), record, now)
        )
    except ChalkError as error:  # the record is written: that it could not be compared is no failure of that
        return [f"it was not compared with the others: {error.message}"]
    if rival is None:
        return []
    said = f"its title brings back {rival.id} (“{short(texts.route(rival))}”) first"
    return [f"{said}: what sets it apart? {_mend(record, 'route', 'TEXT')}"]


def short(route: str) -> str:
    """A route as a line about another record can carry it."""
    said, most = " ".join(route.split()), thresholds.TITLE_CHARACTERS
    return said if len(said) <= most else said[: most - 1] + "…"


def _rival(index: Index, record: Record, now: datetime) -> Record | None:
    """The best of the records that come before this one for its own title, None where it is first."""
    hits = dict(index.words.search(texts.route(record), thresholds.CANDIDATES))
    own = hits.get(record.path)
    better = [path for path in hits if own is not None and hits[path] > own]
    replaced = superseded(index)
    alive = [
        other
        for other in read(index, better)
        if other.kind == record.kind and excluded(other, now=now, superseded=replaced) is None
    ]
    return max(alive, key=lambda other: (hits[other.path], other.id), default=None)


def _about_files(record: Record, place: Place) -> list[str]:
    """Whether the record will be met where its files are changed."""
    names = paths.named(record)
    # a design or a requirement may be about no file; code is somewhere
    if not names and record.get("files") is None and record.get("layer") in (None, "implementation"):
        said = "it names no file, so that check alone brings it back; about which one is it?"
        return [f"{said} {_mend(record, 'files', 'PATH')}"]
    exact = [name for name in record.items("files") if "/" in name and not any(c in name for c in "*?[")]
    lost = [name for name in exact if not os.path.lexists(os.path.join(place.root, name))]
    return [f"there is no {name} here; is it spelled so? {_mend(record, 'files', 'PATH')}" for name in lost]


def _mend(record: Record, field: str, value: str) -> str:
    return f"chalkgit correct {record.id} --{field} {value}"
