"""When git learned what a record file says, kept in the table for as long as HEAD and the file stay.

Two git calls: the last commit on the first parents that touched each file, and HEAD's blobs of them all,
compared by content. What git could not tell is not kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.index.generation import Index
from chalkgit.index.table import Damaged
from chalkgit.store import git, moments
from chalkgit.store.moments import UNCOMMITTED, Moment
from chalkgit.store.place import head


class Asked:
    """The git calls under way for the files that the table does not know."""

    __slots__ = ("commit", "known", "logs", "tree")

    def __init__(self, commit: str | None, known: dict[str, Moment]) -> None:
        self.commit = commit
        self.known = known
        self.logs: dict[str, git.Child] = {}
        self.tree: git.Child | None = None


def begin(index: Index, paths: Sequence[str]) -> Asked:
    """Start asking git about these record files."""
    commit = head(index.place)
    asked = Asked(commit, _known(index, paths, commit))
    unknown = [path for path in paths if path not in asked.known]
    if len(unknown) > thresholds.RECORDED_AT_ONCE:
        found = moments.recorded(index.place)
        asked.known.update((path, found.get(path, UNCOMMITTED)) for path in unknown)
    elif unknown:
        asked.tree = moments.in_head(index.place, unknown)
        # %cI is the commit's own time; the order of commits never depends on it
        shape = ("log", "-1", "--first-parent", "--format=%H %cI", "--")
        asked.logs = {path: git.start(index.place.root, *shape, path) for path in unknown}
    return asked


def finish(index: Index, asked: Asked) -> Mapping[str, Moment]:
    """Path to its moment, once git has answered."""
    blobs = moments.blobs(asked.tree) if asked.tree is not None else {}
    edge = moments.boundary(index.place)
    found: dict[str, Moment] = {}
    sure = []
    for path, log in asked.logs.items():
        code, out, _ = log.output()
        held = path in blobs and moments.same(index.place, path, blobs[path])
        found[path] = moments.moment_of(out.decode() if code == 0 else "", edge) if held else UNCOMMITTED
        if code == 0 and held and not edge:
            sure.append((path, asked.commit, *found[path][:2]))
    if sure and index.folder is not None:
        try:
            index.table.write([("insert or replace into recorded values (?, ?, ?, ?)", sure)])
        except (ChalkError, Damaged):
            pass  # another process is writing, or the disk is full: asked again next time
    return {**asked.known, **found}


def _known(index: Index, paths: Sequence[str], commit: str | None) -> dict[str, Moment]:
    if commit is None:
        return dict.fromkeys(paths, UNCOMMITTED)
    rows = index.table.some("select path, made, at, head from recorded where path in", paths)
    return {row[0]: (row[1], row[2], True) for row in rows if row[3] == commit and row[1]}
