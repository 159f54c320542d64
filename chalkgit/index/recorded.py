"""When git learned what a record file says, kept in the table for as long as HEAD and the file stay.

Two git calls a file: the last commit on the first parents that touched it, and whether it differs from HEAD.
For many files one walk over history is less, and no crowd of processes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from chalkgit import thresholds, times
from chalkgit.errors import ChalkError
from chalkgit.index.generation import Index
from chalkgit.index.table import Damaged
from chalkgit.store import git
from chalkgit.store.place import head

Moment = tuple[str | None, str | None]  # commit and instant, None for what is not committed as it stands


class Asked:
    """The git calls under way for the files that the table does not know."""

    __slots__ = ("calls", "commit", "known")

    def __init__(self, commit: str | None, known: dict[str, Moment]) -> None:
        self.commit = commit
        self.known = known
        self.calls: dict[str, tuple[git.Child, git.Child]] = {}


def begin(index: Index, paths: Sequence[str]) -> Asked:
    """Start asking git about these record files."""
    commit, root = head(index.place), index.place.root
    asked = Asked(commit, _known(index, paths, commit))
    unknown = [path for path in paths if path not in asked.known]
    if len(unknown) > thresholds.RECORDED_AT_ONCE:
        from chalkgit.store import history

        found = history.recorded(index.place)
        asked.known.update((path, found.get(path, (None, None))) for path in unknown)
    else:
        for path in unknown:
            # %cI is the commit's own time; the order of commits never depends on it
            log = git.start(root, "log", "-1", "--first-parent", "--format=%H %cI", "--", path)
            asked.calls[path] = log, git.start(root, "diff-index", "--name-only", "HEAD", "--", path)
    return asked


def finish(index: Index, asked: Asked) -> Mapping[str, Moment]:
    """Path to its moment, once git has answered."""
    new = {path: _moment(log, changed) for path, (log, changed) in asked.calls.items()}
    rows = [(path, asked.commit, commit, at) for path, (commit, at) in new.items()]
    if rows and asked.commit and index.folder is not None:
        try:
            index.table.write([("insert or replace into recorded values (?, ?, ?, ?)", rows)])
        except (ChalkError, Damaged):
            pass  # another process is writing, or the disk is full: asked again next time
    return {**asked.known, **new}


def _known(index: Index, paths: Sequence[str], commit: str | None) -> dict[str, Moment]:
    if commit is None:
        return dict.fromkeys(paths, (None, None))
    rows = index.table.some("select path, made, at, head from recorded where path in", paths)
    return {row[0]: (row[1], row[2]) for row in rows if row[3] == commit}


def _moment(log: git.Child, changed: git.Child) -> Moment:
    code, out, _ = log.output()
    _, differs, _ = changed.output()
    if code != 0 or not out.strip() or differs.strip():
        return None, None
    commit, instant = out.decode().split()
    return commit, times.iso(datetime.fromisoformat(instant))
