"""Two files with one id: which of them is told to take another, whichever is read.

The record keeps its id: it is the file that HEAD has, or the one that it had first. What is read meanwhile is
decided by the files' names, since a question asks no history for that.
"""

from __future__ import annotations

from chalkgit.errors import Problem, Twice
from chalkgit.store import git, moments

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable

    from chalkgit.answers.lint_places import Places
    from chalkgit.store.place import Place


def told(place: Place, problems: Iterable[Problem], places: Places) -> list[Problem]:
    """The problems, with those of copies said of the copy, and with their lines."""
    return [_told(place, one, places) if isinstance(one, Twice) else one for one in problems]


def _told(place: Place, found: Twice, places: Places) -> Problem:
    why = _later(place, found.first, found.path)
    if why is None:
        return Problem(found.path, places.of(found.path, "id"), found.message, found.hint)
    return Problem(
        found.first,
        places.of(found.first, "id"),
        f"has the id {found.id}, which {found.path} has {why}; this one is read in its place",
        f"chalkgit fmt --new-id {found.first}",
    )


def _later(place: Place, one: str, other: str) -> str | None:
    """How `other` was there before `one`, in words; None where it was not, or nobody can tell."""
    committed = moments.blobs(moments.in_head(place, [one, other]))
    if other not in committed:
        return None
    if one not in committed:
        return "as it is committed"
    added, before = _added(place, one), _added(place, other)
    if not added or not before or added == before:
        return None
    code, _, _ = git.ask(place.root, "merge-base", "--is-ancestor", before, added)
    return "for longer" if code == 0 else None


def _added(place: Place, path: str) -> str:
    """The commit that a file came with last."""
    code, out, _ = git.ask(
        place.root, "log", "-1", "--diff-filter=A", "--format=%H", "--no-renames", "HEAD", "--", path
    )
    return out.decode().strip() if code == 0 else ""
