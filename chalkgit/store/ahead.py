"""A look by git's own stat cache, under way while the rest of the program is imported.

`git diff-files` compares 10,000 files with the index in half of what `lstat` costs from here, and
`git ls-files` says which content another index means. The table was once compared with that content, record
by record (`vouch`), so at any later time, with any index (a hook's temporary one too), only those paths are
in doubt that git names now, that the index has otherwise now, or that a folder lists now. A path in doubt is
read and compared by its hash.

One edit is not seen: within the second in which git refreshed the index after `vouch`, of the same size,
with the file's time set back. git compares whole seconds.
"""

from __future__ import annotations

import os
import time

from chalkgit import config, thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import git, worktree
from chalkgit.store.place import LESSONS, Place, store_of

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

# However the user has it, the comparison is the strict one: all of a file's times and its size.
_STRICT = ("-c", "core.checkStat=default", "-c", "core.trustctime=true")
_DIFF = (*_STRICT, "diff-files", "--ignore-submodules", "--name-only", "-z", "--", LESSONS)
_ENTRIES = ("ls-files", "--stage", "-v", "-z", "--", LESSONS)


class Vouched:
    """What git vouched for. No folders: too much was in doubt.

    index: the signature of the work tree's own index file; states: of the folders, which list the same as
    long as they have these; doubtful: the paths that no index entry speaks for; lists: what the folders
    listed, and `git ls-files --stage -v -z` as it was with that index. A function: it is read where one of
    them differs.
    """

    __slots__ = ("doubtful", "folders", "index", "lists", "states")

    def __init__(
        self,
        folders: list[str],
        states: str,
        index: str,
        doubtful: list[str],
        lists: Callable[[], tuple[bytes, bytes] | None],
    ) -> None:
        self.folders = folders
        self.states = states
        self.index = index
        self.doubtful = doubtful
        self.lists = lists


class Ahead:
    """The tracked record files of a place that differ from its index, as git is finding out."""

    __slots__ = ("_diff", "place")

    def __init__(self, place: Place) -> None:
        self.place = place
        self._diff = git.Child(place.root, _DIFF)

    def differing(self) -> set[str] | None:
        """May be called once; None where git cannot tell."""
        code, out, _ = self._diff.output()
        return {path for path in os.fsdecode(out).split("\0") if path} if code == 0 else None


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
    place = begun.place
    another_index = not known.index or known.index != index_of(place)
    asked = git.Child(place.root, _ENTRIES, roomy=True) if another_index else None
    # listing 10,000 names costs half a bare interpreter
    listed_anew = not known.states or known.states != states_of(place, known.folders)
    doubtful: set[str] | None = set(known.doubtful)
    if another_index or listed_anew:
        lists = known.lists()
        if lists is None:
            return None
        doubtful = _otherwise(known, place, lists, asked, listed_anew)
    differing = begun.differing()
    if differing is None or doubtful is None:
        return None
    doubtful = {path for path in doubtful | differing if worktree.is_record(path)}
    few = len(doubtful) <= thresholds.DOUBTFUL and all(map(worktree.nameable, doubtful))
    return doubtful if few else None


def _otherwise(
    known: Vouched, place: Place, lists: tuple[bytes, bytes], asked: git.Child | None, listed_anew: bool
) -> set[str] | None:
    """The doubtful ones, with those that the index or a folder has otherwise than it had."""
    names, entries = lists
    doubtful = set(known.doubtful)
    listed = names_of(place, known.folders) if listed_anew else names
    code, now, _ = asked.output() if asked is not None else (0, entries, b"")
    if listed is None or code != 0:
        return None
    if now != entries:
        changed = set(_rows(now)) ^ set(_rows(entries))
        doubtful.update(row.split("\t", 1)[1] for row in changed)
    if listed != names:
        moved = _paths(known.folders, listed) ^ _paths(known.folders, names)
        others = [path for path in moved if not worktree.is_record(path)]
        if any(os.path.isdir(os.path.join(place.root, path)) for path in others):
            return None  # a new folder: what it holds has to be looked at
        doubtful.update(moved)
    return doubtful


def vouch(place: Place, looked: worktree.Look, blobs: Mapping[str, str]) -> Vouched | None:
    """Compare the table with the index. looked: the exact look that the table is in step with.

    blobs: path to git's id for the content that the table has of it.
    """
    index = index_of(place)
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
        return Vouched([], "", "", [], lambda: None)
    return Vouched(folders, states, index, doubtful, lambda: (names, entries))


def index_of(place: Place) -> str:
    """The signature of the work tree's own index; "" where git reads another one or it may change unseen."""
    own = os.path.join(place.git_dir, "index")
    told = config.environment_value("GIT_INDEX_FILE")
    if told is not None and os.path.join(place.root, told) != own:
        return ""  # of `git commit -a`, say
    try:
        seen = os.stat(own)
    except OSError:
        return ""
    if seen.st_ctime_ns >= time.time_ns() - thresholds.RACY_NS:
        return ""
    return f"{seen.st_ctime_ns}.{seen.st_mtime_ns}.{seen.st_size}.{seen.st_ino}"


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
