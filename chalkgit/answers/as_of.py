"""The moment that a question is about, on two axes that are independent of each other.

`--known-at`: what the repository knew, which is a commit; without it the work tree answers. `--valid-at`:
what holds in the world; without it now. What is known at a commit comes from its tree and its history alone.
"""

from __future__ import annotations

import os
from datetime import datetime

from chalkgit import times
from chalkgit.index import refresh, texts
from chalkgit.index.generation import Index
from chalkgit.store import git, history, renames, stores, worktree
from chalkgit.store import place as places
from chalkgit.store.place import LESSONS, Place


class AsOf:
    """known_at, valid_at: as they were typed. commit: None where nothing was known, or nobody can tell.

    committed: when that commit was made. now: the instant by which valid time is judged.
    """

    __slots__ = ("commit", "committed", "known_at", "now", "valid_at")

    def __init__(self, known_at: str | None, valid_at: str | None) -> None:
        self.known_at = known_at
        self.valid_at = valid_at
        self.now: datetime = (
            times.asked(valid_at, "--valid-at") if valid_at is not None else times.system_clock()
        )
        self.commit: str | None = None
        self.committed: str | None = None


def asked(place: Place, known_at: str | None, valid_at: str | None) -> AsOf:
    """What the options mean here. ChalkError for what is no revision, UnknownPast where nobody can tell."""
    found = AsOf(known_at, valid_at)
    if known_at is not None:
        found.commit = history.known_at(place, known_at)
        if found.commit is not None:
            line = git.run(place.root, "log", "-1", "--format=%cI", found.commit, "--").decode().strip()
            found.committed = times.of_git(line)
    return found


def index(place: Place, as_of: AsOf, *, words: bool = False) -> Index:
    """What was known then. Raises UnknownPast where this clone does not have all of it."""
    return refresh.of_revision(place, as_of.commit, words=words)


def notes(past: Index, as_of: AsOf, *, here: bool, checked: bool = False) -> list[str]:
    """What the answer lacks, in words: other stores unless `here`, working notes where they are `checked`."""
    place, said = past.place, []
    if as_of.commit is None:
        said.append(f"this repository had no commit at {as_of.known_at}: it knew nothing")
    elif not past.table.count(texts.ALL) and not renames.in_tree(place.root, as_of.commit, [LESSONS]):
        said.append(f"{as_of.commit[:12]} has no {LESSONS}/: nothing was known")
    if not here and _others(place):
        said.append("other stores and work trees were not asked: --known-at is this repository's history")
    if checked and os.path.isdir(place.notes) and worktree.look_at_notes(place).paths:
        said.append("working notes were not asked: they have no history")
    return said


def _others(place: Place) -> bool:
    """Whether an answer about now would ask others too."""
    roots = [root for root in stores.roots() if os.path.realpath(root) != os.path.realpath(place.root)]
    return any(os.path.isdir(os.path.join(root, LESSONS)) for root in roots) or bool(places.siblings(place))
