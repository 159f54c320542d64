"""What a commit that is being made would contain: the changes git has staged, in whichever index it says.

`commit -a`, `commit PATH` and `commit -p` stage into a temporary index and name it in GIT_INDEX_FILE; only
the git program with the hook's own environment sees that one.
"""

from __future__ import annotations

import os

from chalkgit import config
from chalkgit.errors import ChalkError
from chalkgit.store import git
from chalkgit.store.ahead import Ahead
from chalkgit.store.place import Place, find, same_git_dir
from chalkgit.thresholds import RENAME_LIMIT

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

_RAW = ("diff-index", "--cached", "--raw", "-z", "-M", f"-l{RENAME_LIMIT}", "--no-abbrev")
# What git leaves in its directory while it replays commits that were made before.
_REPLAYS = {
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "sequencer": "a cherry-pick",
}


class Change:
    """One staged path: git's letter (A, M, D, R, T, U), the mode and blob, and `old`, a rename's source."""

    __slots__ = ("letter", "mode", "oid", "old", "path")

    def __init__(self, letter: str, path: str, mode: str, oid: str, old: str | None = None) -> None:
        self.letter = letter
        self.path = path
        self.mode = mode
        self.oid = oid
        self.old = old

    def __repr__(self) -> str:
        return f"Change({self.letter} {self.old + ' -> ' if self.old else ''}{self.path})"


class Early:
    """What a hook asks git first, under way while the rest is imported: what is staged, and the records."""

    __slots__ = ("ahead", "place", "staged")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.ahead = Ahead(place)
        self.staged = begin(place)


def early(directory: str | None) -> Early | None:
    """The first questions about the repository of a hook, where it has a store and its variables fit."""
    try:
        place = find(directory)
        fits = os.path.isdir(place.lessons) and foreign(place) is None
    except (ChalkError, OSError):
        return None  # the hook meets the same, and says so
    return Early(place) if fits else None


def begin(place: Place, revision: str = "HEAD") -> git.Child:
    """The comparison of the index with a revision, under way; `changes` reads it."""
    return git.start(place.root, *_RAW, revision, "--")


def changes(place: Place, begun: git.Child) -> list[Change]:
    """What is staged; of a first commit, against the empty tree."""
    code, out, err = begun.output()
    if code != 0:
        empty = git.run(place.root, "hash-object", "-t", "tree", "--stdin", stdin=b"").decode().strip()
        code, out, err = begin(place, empty).output()
    if code != 0:
        said = " ".join(err.decode("utf-8", "replace").split())
        raise ChalkError(f"git cannot tell what is staged: {said}", where=place.root, hint="git status")
    return _parsed(out)


def _parsed(out: bytes) -> list[Change]:
    tokens = iter(os.fsdecode(out).split("\0"))
    found = []
    for meta in tokens:
        if not meta.startswith(":"):
            continue
        _, mode, _, oid, letter = meta[1:].split(" ")
        path = next(tokens, "")
        old = path if letter[0] in "RC" else None
        if old is not None:
            path = next(tokens, "")
        found.append(Change(letter[0], path, mode, oid, old if letter[0] == "R" else None))
    return found


def parents(place: Place) -> list[str]:
    """The commits being merged into HEAD, while a merge is under way."""
    try:
        with open(os.path.join(place.git_dir, "MERGE_HEAD"), encoding="ascii") as file:
            return file.read().split()
    except (OSError, UnicodeDecodeError):
        # git runs pre-merge-commit before it writes MERGE_HEAD, and names the heads in variables
        return config.merged_heads()


def of_merge(place: Place, staged: Sequence[Change], others: Sequence[str]) -> list[Change]:
    """Those of the staged changes that differ from every parent: what the merge itself decided."""
    begun = [begin(place, parent) for parent in others]
    for child in begun:
        code, out, _ = child.output()
        if code != 0:
            continue  # a head that is not there any more takes nothing away
        differs = {change.path for change in _parsed(out)}
        staged = [change for change in staged if change.path in differs]
    return list(staged)


def replaying(place: Place) -> str | None:
    """What git is replaying (a rebase, a cherry-pick, a revert), or None."""
    for name, what in _REPLAYS.items():
        if os.path.exists(os.path.join(place.git_dir, name)):
            return what
    return None


def foreign(place: Place) -> str | None:
    """Which of git's variables speak of another repository than the one this work tree belongs to, and how.

    A hook that runs programs hands its variables down to them, and git in another repository then reads the
    wrong index.
    """
    own = same_git_dir(place.root, place.git_dir)
    for name in ("GIT_DIR", "GIT_WORK_TREE"):
        if config.environment_value(name) is not None and own is not None:
            return f"{name} names another repository than {own}"
    index = config.environment_value("GIT_INDEX_FILE")
    folder = os.path.dirname(os.path.realpath(os.path.join(place.root, index))) if index else place.git_dir
    if folder != os.path.realpath(place.git_dir) and os.path.isfile(os.path.join(folder, "HEAD")):
        return "GIT_INDEX_FILE is another repository's index"
    return None
