"""A look by git's own stat cache, under way while the rest of the program is imported.

`git diff-files` compares 10,000 files with the index in a third of what `lstat` costs here. It is enough
where every record was tracked and unchanged once (`vouch`), the index file is still the same, and the
folders list the same names; in every other case the exact look of `worktree` decides.
"""

from __future__ import annotations

import os
import time

from chalkgit import config, thresholds
from chalkgit.store import git, worktree
from chalkgit.store.place import LESSONS, Place

# However the user has it, the comparison is the strict one: all of a file's times and its size.
_STRICT = ("-c", "core.checkStat=default", "-c", "core.trustctime=true")
_DIFF = (*_STRICT, "diff-files", "--ignore-submodules", "--name-only", "-z", "--", LESSONS)

Vouched = tuple[list[str], bytes]


class Ahead:
    """`git diff-files` on the records of a place, under way."""

    __slots__ = ("_child", "place")

    def __init__(self, place: Place) -> None:
        self.place = place
        self._child = git.Child(place.root, _DIFF)

    def unchanged(self) -> bool:
        """Whether every tracked record is as the index has it; may be called once."""
        code, out, _ = self._child.output()
        return code == 0 and not out


def state(place: Place, folders: list[str]) -> bytes | None:
    """The index file's signature and what these folders of the work tree list, as one string of bytes.

    None where git reads another index than this work tree's own, as in the hooks of `git commit -a`.
    """
    own = os.path.join(place.git_dir, "index")
    told = config.environment_value("GIT_INDEX_FILE")
    if told is not None and os.path.join(place.root, told) != own:
        return None
    try:
        seen = os.stat(own)
        parts = [f"{seen.st_ctime_ns} {seen.st_mtime_ns} {seen.st_size} {seen.st_ino}".encode()]
        for folder in folders:
            parts.append(os.fsencode(folder))
            parts += map(os.fsencode, os.listdir(os.path.join(place.root, folder)))
    except OSError:
        return None
    if os.path.isdir(place.notes):
        notes = worktree.look_at_notes(place)
        if not notes.sure:
            return None
        parts += notes.packed()
    return b"\0".join(parts)


def vouch(place: Place, looked: worktree.Look, known: Vouched | None) -> Vouched | None:
    """The folders and state at which git vouches for what `looked` saw; None: nothing new to keep.

    No folders: git does not vouch at this state of its index, and need not be asked at it again.
    """
    before = state(place, [])
    if before is None or known == ([], before) or not _settled(place):
        return None
    if not _all_tracked(place, looked) or not Ahead(place).unchanged():
        return [], before
    folders = [folder for folder in looked.folders if not folder.startswith(worktree.NOTES)]
    now = state(place, folders)
    # git (2.39) compares times by the second, so a file of this second can change unseen; and what moved
    # while git was asked is seen by looking again
    again = worktree.look(place, thresholds.GIT_GRAIN_NS)
    if now is None or state(place, []) != before or not again.sure or again.by_path() != looked.by_path():
        return None
    return folders, now


def _settled(place: Place) -> bool:
    """Whether the index is old enough for its next version to have another signature."""
    written = os.stat(os.path.join(place.git_dir, "index")).st_ctime_ns
    return written < time.time_ns() - thresholds.RACY_NS


def _all_tracked(place: Place, looked: worktree.Look) -> bool:
    """Whether git tracks each record, without flags that keep it from looking at one."""
    code, out, _ = git.ask(place.root, "ls-files", "-v", "-z", "--", LESSONS)
    tracked = {row[2:] for row in os.fsdecode(out).split("\0") if row.startswith("H ")}
    return code == 0 and tracked.issuperset(p for p in looked.paths if not p.startswith(worktree.NOTES + "/"))
