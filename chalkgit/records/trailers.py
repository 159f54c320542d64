"""Which records a commit message names: in a line `Lesson: ID`, git's form of a trailer, or by a whole id."""

from __future__ import annotations

from chalkgit import ids

TRAILER = "lesson"
SHORTEST = 4  # letters of an id that may stand for it


def is_one(row: str) -> bool:
    """Whether a line is such a trailer."""
    name, colon, _ = row.partition(":")
    return bool(colon) and name.strip().lower() == TRAILER


def acknowledged(text: str) -> list[str]:
    """The words after `Lesson:` in any line: whoever writes one means it, in the last paragraph or not."""
    values = [row.partition(":")[2] for row in text.splitlines() if is_one(row)]
    words = [word for value in values for word in value.replace(",", " ").split()]
    return [word.strip("[](){}.").lower() for word in words]


def whole(text: str) -> list[str]:
    """Every word that can be an id, in any case; of a file's name the parts are words."""
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    return [word for word in dict.fromkeys(words) if ids.is_id(word)]
