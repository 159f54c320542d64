"""A repository's manifests and lockfiles as a commit has them, read by no filter and through no link."""

from __future__ import annotations

import os

from chalkgit.answers.dependencies import Dependencies, Unreadable, decoded
from chalkgit.store import git
from chalkgit.thresholds import DEPENDENCY_BYTES


class Then:
    """The files in the root of a commit's tree; "" is the commit before the first, which has none."""

    def __init__(self, root: str, commit: str) -> None:
        self._root = root
        self._commit = commit
        self._entries: dict[str, tuple[str, str]] | None = None  # name to mode and blob

    def names(self) -> list[str]:
        if self._entries is None:
            self._entries = dict(self._listed()) if self._commit else {}
        return list(self._entries)

    def text(self, name: str) -> str | None:
        """What the file says; None where there is none."""
        if name not in self.names() or self._entries is None:
            return None
        mode, blob = self._entries[name]
        if mode == "120000":
            raise Unreadable("a symbolic link, not followed")
        if not mode.startswith("100"):
            raise Unreadable("no regular file")
        code, size, _ = git.ask(self._root, "cat-file", "-s", blob)
        if code != 0:
            raise Unreadable("its content is not in this clone")
        if int(size) > DEPENDENCY_BYTES:
            raise Unreadable(f"{int(size)} bytes long, more than {DEPENDENCY_BYTES}")
        # `blob` gives it as it is stored: nothing that attributes name is run
        return decoded(git.run(self._root, "cat-file", "blob", blob))

    def _listed(self) -> list[tuple[str, tuple[str, str]]]:
        code, out, _ = git.ask(self._root, "ls-tree", "-z", "--full-tree", self._commit)
        rows = [row.split("\t", 1) for row in os.fsdecode(out).split("\0") if row] if code == 0 else []
        return [(name, (about.split(" ")[0], about.split(" ")[2])) for about, name in rows]


def dependencies(root: str, commit: str) -> Dependencies:
    """What the files of a commit say."""
    return Dependencies(root, Then(root, commit))
