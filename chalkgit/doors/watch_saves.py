"""Which of the files that something wrote to were saved by somebody, with other content than before.

An event is a hint: a file may be written with what it held already, by git itself, or be an editor's own.
So the content decides. What equals the index says nothing: git wrote it, or it is back where it was.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Sequence

from chalkgit.store import git
from chalkgit.store.place import Place
from chalkgit.thresholds import WATCH_BYTES, WATCH_PATHSPECS

# vim's swap files, backups and probe for a writable folder (4913), Emacs' locks and autosaves, JetBrains'
# temporary files of a safe write, Kate's and LibreOffice's locks.
NOISE = re.compile(
    r".*\.sw[a-z]|.*~|\.#.*|#.*#|4913|.*___jb_(tmp|old)___|\.goutputstream-.*|.*\.kate-swp|\.~lock\..*#"
)


class Saves:
    """What each file that differs from the index held when it was last looked at."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._known: dict[str, bytes] = {}
        self._unmerged: set[str] = set()

    def begin(self) -> None:
        """Take in what differs from the index already: saving it unchanged is no news."""
        self.saved(self.differing())

    def differing(self) -> list[str]:
        """Every repository path that is modified, unmerged, or neither tracked nor ignored."""
        return sorted(self._asked([])[0])

    def saved(self, paths: Sequence[str]) -> list[str]:
        """Those of these repository paths that hold something new since they were last asked about."""
        named = [path for path in dict.fromkeys(paths) if not is_noise(path)]
        if not named:
            return []
        differing, unmerged = self._asked(named if len(named) <= WATCH_PATHSPECS else [])
        for path in named:
            if path not in differing:
                self._known.pop(path, None)
                self._unmerged.discard(path)
        return [path for path in named if path in differing and self._moved(path, path in unmerged)]

    def _moved(self, path: str, unmerged: bool) -> bool:
        content = _content(os.path.join(self.place.root, path))
        if content is None:
            self._known.pop(path, None)
            return False
        before = self._known.get(path)
        self._known[path] = content
        if unmerged and path not in self._unmerged:
            # git wrote the two sides of a conflict; whoever resolves it saves after that
            self._unmerged.add(path)
            return False
        if not unmerged:
            self._unmerged.discard(path)
        return content != before

    def _asked(self, paths: Sequence[str]) -> tuple[set[str], set[str]]:
        """(what differs from the index, what is unmerged), of these paths or of all."""
        # by content where times differ, as git itself compares: line ends and all
        listed = git.run(self.place.root, "ls-files", "-z", "-m", "-o", "--exclude-standard", "--", *paths)
        unmerged = git.run(self.place.root, "ls-files", "-z", "-u", "--", *paths) if listed else b""
        stages = [row.partition("\t")[2] for row in os.fsdecode(unmerged).split("\0") if row]
        return set(os.fsdecode(listed).split("\0")) - {""}, set(stages)


def is_noise(path: str) -> bool:
    """Whether an editor makes a file of this name for itself."""
    return NOISE.fullmatch(os.path.basename(path)) is not None


def _content(file: str) -> bytes | None:
    """A digest of a plain file's content, None where there is none."""
    try:
        # O_NONBLOCK: opening a FIFO must not wait for its other end
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb", buffering=0) as opened:
            state = os.fstat(handle)
            if not stat.S_ISREG(state.st_mode):
                return None
            if state.st_size > WATCH_BYTES:
                return f"{state.st_size} {state.st_mtime_ns}".encode()
            return hashlib.file_digest(opened, hashlib.blake2b).digest()
    except OSError:
        return None
