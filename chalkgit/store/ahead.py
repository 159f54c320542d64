"""A look by git's own stat cache, under way while the rest of the program is imported.

`git diff-files` compares 10,000 files with the index in half of what `lstat` costs from here, and
`git ls-files` says which content the index means. The table was once compared with that content, record by
record (`vouch`), so at any later time, with any index (a hook's temporary one too), only those paths are in
doubt that git names now, that the index has otherwise now, or that a folder lists now. A path in doubt is
read and compared by its hash.

One edit is not seen: within the second in which git refreshed the index after `vouch`, of the same size,
with the file's time set back. git compares whole seconds.
"""

from __future__ import annotations

import os
import time

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import git, worktree
from chalkgit.store.place import LESSONS, Place, store_of

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# However the user has it, the comparison is the strict one: all of a file's times and its size.
_STRICT = ("-c", "core.checkStat=default", "-c", "core.trustctime=true")
_DIFF = (*_STRICT, "diff-files", "--ignore-submodules", "--name-only", "-z", "--", LESSONS)
_ENTRIES = ("ls-files", "--stage", "-v", "-z", "--", LESSONS)


class Vouched:
    """What git vouched for. No folders: too much was in doubt.

    entries: `git ls-files --stage -v -z` as it was then; names: what each of `folders` listed, and states:
    that they list the same as long as they have these; doubtful: the paths that no index entry speaks for.
    """

    __slots__ = ("doubtful", "entries", "folders", "names", "states")

    def __init__(
        self, folders: list[str], states: str, names: bytes, entries: bytes, doubtful: list[str]
    ) -> None:
        self.folders = folders
        self.states = states
        self.names = names
        self.entries = entries
        self.doubtful = doubtful


class Ahead:
    """git's two answers about the records of a place, under way; `output` may be called once."""

    __slots__ = ("_diff", "_entries", "place")

    def __init__(self, place: Place) -> None:
        self.place = place
        self._diff = git.Child(place.root, _DIFF)
        self._entries = git.Child(place.root, _ENTRIES, roomy=True)

    def output(self) -> tuple[bytes, set[str]] | None:
        """The index's entries, and the tracked paths that differ from them; None where git cannot tell."""
        told, entries, _ = self._entries.output()
        code, out, _ = self._diff.output()
        if told != 0 or code != 0:
            return None
        return entries, {path for path in os.fsdecode(out).split("\0") if path}


def begin(folder: str) -> Ahead | None:
    """The look at the store of a folder, where it has one."""
    try:
        place = store_of(folder)
    except (ChalkError, OSError):
        return None  # whoever needs the place meets the same, and says so
    return Ahead(place) if place is not None else None


def in_doubt(known: Vouched, begun: Ahead) -> set[str] | None:
    """The record files that may not be as they were vouched for; None: only an exact look can tell."""
    if not known.folders:
        return None
    listed = known.names
    if not known.states or known.states != states_of(begun.place, known.folders):
        # listing 10,000 names costs half a bare interpreter
        listed = names_of(begun.place, known.folders) or b""
    answer = begun.output()
    if not listed or answer is None:
        return None
    entries, doubtful = answer
    doubtful.update(known.doubtful)
    if entries != known.entries:
        changed = set(_rows(entries)) ^ set(_rows(known.entries))
        doubtful.update(row.split("\t", 1)[1] for row in changed)
    if listed != known.names:
        moved = _paths(known.folders, listed) ^ _paths(known.folders, known.names)
        others = [path for path in moved if not worktree.is_record(path)]
        if any(os.path.isdir(os.path.join(begun.place.root, path)) for path in others):
            return None  # a new folder: what it holds has to be looked at
        doubtful.update(moved)
    doubtful = {path for path in doubtful if worktree.is_record(path)}
    few = len(doubtful) <= thresholds.DOUBTFUL and all(map(worktree.nameable, doubtful))
    return doubtful if few else None


def vouch(place: Place, looked: worktree.Look, blobs: Mapping[str, str]) -> Vouched | None:
    """Compare the table with the index. looked: the exact look that the table is in step with.

    blobs: path to git's id for the content that the table has of it.
    """
    told, entries, _ = git.Child(place.root, _ENTRIES, roomy=True).output()
    folders = [folder for folder in looked.folders if not folder.startswith(worktree.NOTES)]
    states = states_of(place, folders)
    names = names_of(place, folders)
    if told != 0 or names is None:
        return None
    meant = dict(_meant(_rows(entries)))
    # git compares times by the second: a file of this second may change again unseen
    now = worktree.look(place, thresholds.GIT_GRAIN_NS).by_path()
    young = {path for path, signature in now.items() if signature == worktree.UNSURE}
    paths = [path for path in looked.paths if not path.startswith(worktree.NOTES + "/")]
    if not all(map(worktree.is_record, paths)):
        return None  # a folder that may not be read, or a link: what stands there has to be looked at
    doubtful = [path for path in paths if path in young or meant.get(path) != blobs.get(path, "")]
    doubtful += [path for path in meant.keys() - set(paths) if worktree.is_record(path)]
    if len(doubtful) > thresholds.DOUBTFUL:
        return Vouched([], "", b"", entries, [])
    return Vouched(folders, states, names, entries, doubtful)


def names_of(place: Place, folders: Iterable[str]) -> bytes | None:
    """What these folders of the work tree list, as one string of bytes."""
    parts = []
    try:
        for folder in folders:
            handle = os.open(os.path.join(place.root, folder), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                parts.append("/".join(os.listdir(handle)))
            finally:
                os.close(handle)
    except OSError:
        return None
    return os.fsencode("\0".join(parts))


def states_of(place: Place, folders: Iterable[str]) -> str:
    """Times and identities of the folders: equal ones list the same. "" where one may change again unseen."""
    fresh = time.time_ns() - thresholds.RACY_NS
    try:
        seen = [os.lstat(os.path.join(place.root, folder)) for folder in folders]
    except OSError:
        return ""
    if any(s.st_ctime_ns >= fresh for s in seen):
        return ""
    return " ".join(f"{s.st_ctime_ns}.{s.st_mtime_ns}.{s.st_ino}.{s.st_dev}" for s in seen)


def changed(place: Place, paths: Iterable[str], hashes: Mapping[str, str]) -> dict[str, str]:
    """The record files that are not as the table has them, by content: "gone", or "" for read again."""
    found = {}
    for path in paths:
        content: bytes | ChalkError
        try:
            content = worktree.read(place, path)
        except ChalkError as error:
            if not os.path.lexists(worktree.file_of(place, path)):
                found.update({path: "gone"} if path in hashes else {})
                continue
            content = error
        if hashes.get(path) != worktree.digest(content):
            found[path] = ""
    return found


def _rows(entries: bytes) -> list[str]:
    return [row for row in os.fsdecode(entries).split("\0") if row]


def _meant(rows: Iterable[str]) -> Iterable[tuple[str, str]]:
    """(path, blob); no blob where the entry is no plain file, is unmerged, or git was told not to look."""
    for row in rows:
        about, path = row.split("\t", 1)
        tag, mode, oid, stage = about.split(" ")
        yield path, oid if tag == "H" and mode.startswith("100") and stage == "0" else "none"


def _paths(folders: list[str], names: bytes) -> set[str]:
    listed = os.fsdecode(names).split("\0")
    return {
        f"{folder}/{name}" for folder, row in zip(folders, listed, strict=True) for name in row.split("/")
    }
