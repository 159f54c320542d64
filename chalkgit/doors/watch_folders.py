"""The folders that a watcher watches: those that git would look into, and no other repository's."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from chalkgit.errors import ChalkError
from chalkgit.render.clean import line
from chalkgit.store import git
from chalkgit.store.place import Place


class Folders:
    """What is watched of one work tree. scopes: repository paths of folders or files, "." for all of it."""

    def __init__(self, place: Place, scopes: Sequence[str]) -> None:
        self.place = place
        self._scopes = [scope for scope in scopes if not _within(scope, [s for s in scopes if s != scope])]
        named = (os.path.normpath(os.path.join(place.root, scope)) for scope in self._scopes)
        # the folders that all others lie in, absolute
        self.tops = list(dict.fromkeys(p if os.path.isdir(p) else os.path.dirname(p) for p in named))

    def holds(self, path: str) -> bool:
        """Whether a repository path lies in what was asked for."""
        return _within(path, self._scopes)

    def all(self) -> list[str]:
        """Every folder to watch now, absolute: walked, and those that git tracks a file in though ignored."""
        found = dict.fromkeys(self._walked(self.tops))
        listed = git.run(self.place.root, "ls-files", "-z", "--", *self._scopes)
        for name in {os.path.dirname(path) for path in os.fsdecode(listed).split("\0") if path}:
            folder = os.path.join(self.place.root, name).rstrip("/")
            if folder not in found and self.holds(name or ".") and os.path.realpath(folder) == folder:
                found.update(dict.fromkeys([folder] if os.path.isdir(folder) else []))
        return list(found)

    def below(self, folders: Iterable[str]) -> list[str]:
        """Those of these new folders, and of what lies in them, that are to be watched."""
        there = (f for f in dict.fromkeys(folders) if os.path.isdir(f) and not os.path.islink(f))
        return self._walked(self._not_ignored([folder for folder in there if self._ours(folder)]))

    def _walked(self, level: list[str]) -> list[str]:
        found: list[str] = []
        while level:  # a level at a time: git is asked once for each
            found += level
            level = self._not_ignored([inner for folder in level for inner in self._inside(folder)])
        return found

    def _inside(self, folder: str) -> list[str]:
        try:
            with os.scandir(folder) as entries:
                inside = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        except OSError:  # gone since, or not ours to read
            return []
        return [path for path in inside if self._ours(path)]

    def _ours(self, folder: str) -> bool:
        """Not git's own, no submodule, and no other repository or work tree inside this one."""
        if os.path.basename(folder) == ".git" or folder in (self.place.git_dir, self.place.common_dir):
            return False
        return folder == self.place.root or not os.path.lexists(os.path.join(folder, ".git"))

    def _not_ignored(self, folders: list[str]) -> list[str]:
        if not folders:
            return []
        names = ["./" + os.path.relpath(folder, self.place.root) for folder in folders]
        asked = os.fsencode("\0".join(names) + "\0")
        # check-ignore refuses literal pathspecs; what begins with a dot has no magic
        command = ("--no-literal-pathspecs", "check-ignore", "--stdin", "-z")
        code, out, err = git.ask(self.place.root, *command, stdin=asked)
        if code > 1:  # 1: none is ignored
            raise ChalkError(f"git check-ignore failed: {line(os.fsdecode(err))}", where=self.place.root)
        ignored = set(os.fsdecode(out).split("\0"))
        return [folder for folder, name in zip(folders, names, strict=True) if name not in ignored]


def files(folders: Iterable[str]) -> list[str]:
    """The files that lie in these folders now, absolute."""
    found = []
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                found += [entry.path for entry in entries if entry.is_file(follow_symlinks=False)]
        except OSError:
            continue
    return found


def _within(path: str, scopes: Sequence[str]) -> bool:
    return any(scope in (".", path) or path.startswith(scope + "/") for scope in scopes)
