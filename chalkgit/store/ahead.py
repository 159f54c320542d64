"""A look by git's own stat cache, under way while the rest of the program is imported.

`git diff-files` compares 10,000 files with the index in half of what `lstat` costs from here. The table was
once compared, record by record, with the content that the index means (`vouch`). At any later time, with any
index (a hook's temporary one too), only those paths are in doubt that git names now, that the index has
otherwise now, or that a folder lists now. A path in doubt is read and compared by its hash.

What the index has is compared cheapest first: by the file's times, then by the bytes of its entries, or where
they cannot be taken apart by what `git ls-files` says. One edit is not seen: within the second in which git
refreshed the index after `vouch`, of the same size, with the file's time set back: git compares seconds.
"""

from __future__ import annotations

import os

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import git, signs, worktree
from chalkgit.store.place import LESSONS, Place, store_of

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

# However the user has it, the comparison is the strict one: all of a file's times and its size.
_STRICT = ("-c", "core.checkStat=default", "-c", "core.trustctime=true")
_DIFF = (*_STRICT, "diff-files", "--ignore-submodules", "--name-only", "-z", "--", LESSONS)
_ENTRIES = ("ls-files", "--stage", "-v", "-z", "--", LESSONS)


class Lists:
    """What is long, as it was when the table was compared: `names` that the folders listed, and the index's
    entries, as its bytes (`raw`) or where those are of no use as git tells them (`told`)."""

    __slots__ = ("names", "raw", "told")

    def __init__(self, names: bytes, raw: bytes, told: bytes) -> None:
        self.names = names
        self.raw = raw
        self.told = told


class Vouched:
    """What git vouched for. No folders: too much was in doubt.

    index: the sign of the work tree's own index file; states: that of the folders; doubtful: the paths that
    no index entry speaks for; lists: a function, since it is read where one of the signs differs.
    """

    __slots__ = ("doubtful", "folders", "index", "lists", "states")

    def __init__(
        self,
        folders: list[str],
        states: str,
        index: str,
        doubtful: list[str],
        lists: Callable[[], Lists | None],
    ) -> None:
        self.folders = folders
        self.states = states
        self.index = index
        self.doubtful = doubtful
        self.lists = lists


class Ahead:
    """The tracked record files of a place that differ from its index, as git is finding out."""

    __slots__ = ("_diff", "_monitored", "place")

    def __init__(self, place: Place) -> None:
        self.place = place
        self._monitored = signs.is_monitored(place)
        monitor = ("-c", "core.fsmonitor=true") if self._monitored else ()
        self._diff = git.Child(place.root, (*monitor, *_DIFF))

    def differing(self) -> set[str] | None:
        """May be called once; None where git cannot tell."""
        try:
            # a file monitor that hangs would have git wait for ever
            code, out, _ = self._diff.output(thresholds.MONITOR_SECONDS if self._monitored else None)
        except TimeoutError:
            return None
        return {path for path in os.fsdecode(out).split("\0") if path} if code == 0 else None


def begin(folder: str) -> Ahead | None:
    """The look at the store of a folder, where it has one."""
    try:
        place = store_of(folder)
    except (ChalkError, OSError):
        return None  # whoever needs the place meets the same, and says so
    return Ahead(place) if place is not None else None


class Doubt:
    """The record `paths` that may not be as they were vouched for.

    renewed: where the index or a folder is another one than it was, what vouches from now on.
    """

    __slots__ = ("paths", "renewed")

    def __init__(self, paths: set[str], renewed: Vouched | None) -> None:
        self.paths = paths
        self.renewed = renewed


def doubt(known: Vouched, begun: Ahead) -> Doubt | None:
    """None: only an exact look can tell."""
    if not known.folders:
        return None
    place, renewed = begun.place, None
    index, states = signs.of_index(place), signs.of_folders(place, known.folders)
    if not index or not states or index != known.index or states != known.states:
        renewed = _renewed(known, place, index, states)
        if renewed is None:
            return None
    paths = begun.differing()
    if paths is None:
        return None
    paths = {path for path in paths.union((renewed or known).doubtful) if worktree.is_record(path)}
    few = len(paths) <= thresholds.DOUBTFUL and all(map(worktree.nameable, paths))
    # a folder of that name: what it holds has to be looked at
    plain = few and not any(os.path.isdir(worktree.file_of(place, path)) for path in paths)
    return Doubt(paths, renewed) if plain else None


def _renewed(known: Vouched, place: Place, index: str, states: str) -> Vouched | None:
    """The same with the signs as they are; what is otherwise than in the lists is doubtful.

    `lists` are others only where the bytes of many entries are.
    """
    lists, raw = known.lists(), signs.entries(place)
    if lists is None:
        return None
    doubtful, kept = dict.fromkeys(known.doubtful), known.lists
    if raw and lists.raw:
        changed, many = signs.changed_entries(lists.raw, raw)
        doubtful.update(dict.fromkeys(changed))
        if many:
            kept = _always(Lists(lists.names, raw, b""))
    else:
        code, told, _ = git.Child(place.root, _ENTRIES, roomy=True).output()
        if code != 0 or lists.raw:
            return None
        otherwise = set(_rows(told)) ^ set(_rows(lists.told))
        doubtful.update(dict.fromkeys(row.split("\t", 1)[1] for row in otherwise))
    # listing 10,000 names costs half a bare interpreter
    if not states or states != known.states:
        listed = signs.listed(place, known.folders)
        if listed is None:
            return None
        moved = signs.moved(known.folders, lists.names, listed)
        others = [path for path in moved if not worktree.is_record(path)]
        if any(os.path.isdir(os.path.join(place.root, path)) for path in others):
            return None  # a new folder: what it holds has to be looked at
        doubtful.update(dict.fromkeys(moved))
    return Vouched(known.folders, states, index, list(doubtful), kept)


def _always(lists: Lists) -> Callable[[], Lists]:
    return lambda: lists


def vouch(place: Place, looked: worktree.Look, blobs: Mapping[str, str]) -> Vouched | None:
    """Compare the table with the index. looked: the exact look that the table is in step with.

    blobs: path to git's id for the content that the table has of it.
    """
    index, raw = signs.of_index(place), signs.entries(place)
    code, told, _ = git.Child(place.root, _ENTRIES, roomy=True).output()
    if raw != signs.entries(place):
        raw = b""  # the bytes may be of one index, and git's answer of another
    folders = [folder for folder in looked.folders if not folder.startswith(worktree.NOTES)]
    states, names = signs.of_folders(place, folders), signs.listed(place, folders)
    if code != 0 or names is None:
        return None
    meant = dict(_meant(_rows(told)))
    # git compares times by the second: a file of this second may change again unseen
    now = worktree.look(place, thresholds.GIT_GRAIN_NS).by_path()
    young = {path for path, signature in now.items() if signature == worktree.UNSURE}
    paths = [path for path in looked.paths if not path.startswith(worktree.NOTES + "/")]
    if not all(map(worktree.is_record, paths)):
        return None  # a folder that may not be read, or a link: what stands there has to be looked at
    doubtful = [path for path in paths if path in young or meant.get(path) != blobs.get(path, "")]
    doubtful += [path for path in meant.keys() - set(paths) if worktree.is_record(path)]
    since = _listed_since(looked, folders, names)
    if any(os.path.isdir(os.path.join(place.root, path)) for path in since if not worktree.is_record(path)):
        return None  # a new folder: what it holds has to be looked at
    doubtful += [path for path in since if worktree.is_record(path)]
    if len(doubtful) > thresholds.DOUBTFUL:
        return Vouched([], "", "", [], lambda: None)
    found = Lists(names, raw, b"" if raw else told)
    return Vouched(folders, states, index, doubtful, _always(found))


def _listed_since(looked: worktree.Look, folders: list[str], names: bytes) -> list[str]:
    """What came into the folders after the look: the table has none of it, and no sign will move for it."""
    seen = {*looked.paths, *folders}
    rows = zip(folders, os.fsdecode(names).split("\0"), strict=True)
    every = (f"{folder}/{name}" for folder, row in rows for name in row.split("/") if name)
    return [path for path in every if path not in seen]


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


def _rows(told: bytes) -> list[str]:
    return [row for row in os.fsdecode(told).split("\0") if row]


def _meant(rows: Iterable[str]) -> Iterable[tuple[str, str]]:
    """(path, blob); no blob where the entry is no plain file, is unmerged, or git was told not to look."""
    for row in rows:
        about, path = row.split("\t", 1)
        tag, mode, oid, stage = about.split(" ")
        yield path, oid if tag == "H" and mode.startswith("100") and stage == "0" else "none"
