"""Signs that what a helper holds still holds, in some system calls: of the user's settings, the model, the
stores that are asked, and of this program's own files.

What lies in the folders of the records is told by `serve_inotify`; here is all the rest.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable

from chalkgit import settings
from chalkgit.index import models
from chalkgit.store import place as places
from chalkgit.store import stores
from chalkgit.store.place import Place

Sign = tuple[object, ...]
# What decides where settings, models and repositories are, and how git reads them; the rest of the
# environment changes no store.
_DECIDING = (b"CHALKGIT_", b"XDG_", b"GIT_", b"HOME=")
# What terminals and agents set each in their own way, and what `config.git_environment` sets itself.
_BESIDE = (
    *(b"GIT_PAGER", b"GIT_EDITOR", b"GIT_SEQUENCE_EDITOR", b"GIT_ASKPASS", b"GIT_SSH", b"GIT_AUTHOR_"),
    *(b"GIT_COMMITTER_", b"GIT_OPTIONAL_LOCKS=", b"GIT_TERMINAL_PROMPT=", b"GIT_NO_LAZY_FETCH="),
)


class Vanished(Exception):
    """One of the user's stores is gone, which is told, once, to whoever asks."""


def asked(place: Place) -> list[Place]:
    """The stores that a question is put to, this one first: those that have records, and some that may not.

    ChalkError where the settings cannot be read.
    """
    found = {place.root: place}
    for sibling in places.siblings(place):
        found[sibling.root] = sibling
    for root in stores.roots():
        other = places.at_root(root)
        if other is None:
            raise Vanished(root)
        found.setdefault(other.root, other)
    return list(found.values())


def of_listing(place: Place) -> Sign:
    """What says which stores are asked: the user's settings, and the work trees of this repository."""
    folder = os.path.join(place.common_dir, "worktrees")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    pointers = [_of(os.path.join(folder, name, "gitdir")) for name in names]
    return settings.path(), _of_target(settings.path()), _of(settings.path()), *names, *pointers


def of_stores(stores: Iterable[Place]) -> Sign:
    """Where they are, and how they are configured."""
    found: list[object] = []
    for place in stores:
        dot = os.path.join(place.root, ".git")
        found += [_of(path) for path in (dot, place.lessons, place.notes)]
        found += [_of(os.path.join(folder, "config")) for folder in (place.git_dir, place.common_dir)]
        found += [_of(os.path.join(place.git_dir, name)) for name in ("config.worktree", "commondir")]
    return tuple(found)


def of_model() -> Sign:
    """Which model there is, or why there is none."""
    found = models.configured()
    if isinstance(found, models.Missing):
        return found.why, found.hint
    weights = os.path.join(found.directory, found.weights)
    files = [os.path.join(found.directory, name) for name in models.TOKENIZER]
    return (
        found.name,
        found.revision,
        *map(_of_target, (weights, *files)),
    )


def of_environment(variables: Iterable[bytes]) -> Sign:
    return tuple(sorted(v for v in variables if v.startswith(_DECIDING) and not v.startswith(_BESIDE)))


def program() -> list[str]:
    """This package's files, Python, and the folders where Python looks for others: one that is installed or
    taken away changes the folder it lies in."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = [os.path.realpath(sys.executable), *sys.path]
    for folder, folders, names in os.walk(package):
        folders[:] = [name for name in folders if name != "__pycache__"]
        found += [os.path.join(folder, name) for name in names if name.endswith(".py")]
    return found


def of_program(files: Iterable[str]) -> Sign:
    """Of what `program` gave, at every question: a tenth of what looking for the files takes."""
    return tuple(map(_of_target, files))


def _of(path: str) -> Sign:
    """Of a file its times, size and identity; of a folder its identity, since its times are those of what
    is in it."""
    try:
        seen = os.lstat(path)
    except OSError:
        return ()
    if stat.S_ISDIR(seen.st_mode):
        return seen.st_ino, seen.st_dev, seen.st_mode, seen.st_uid
    return _times(seen)


def _of_target(path: str) -> Sign:
    try:
        return _times(os.stat(path))
    except OSError:
        return ()


def _times(seen: os.stat_result) -> Sign:
    return (
        seen.st_ino,
        seen.st_dev,
        seen.st_mode,
        seen.st_uid,
        seen.st_size,
        seen.st_mtime_ns,
        seen.st_ctime_ns,
    )
