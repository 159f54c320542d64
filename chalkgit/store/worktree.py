"""The record files of a work tree: an exact look at all of them, and reading one safely.

A look costs one `lstat` a file (2 microseconds); content is read only where the look changed.
No symbolic link is followed, inside `.lessons/` or to it.
"""

from __future__ import annotations

import os
import stat
import time

from chalkgit import thresholds
from chalkgit.errors import ChalkError
from chalkgit.store.place import LESSONS, Place

NOTES = "@notes"
SUFFIX = ".yaml"
CONFIG = f"{LESSONS}/config.yaml"
UNSURE = 0  # a signature that never equals one that was looked at


def look(place: Place) -> dict[str, int]:
    """Path of each record file (and of each link met on the way) to a signature of its state.

    Equal signatures mean an unchanged file: both come from its times, size and inode. A file changed
    less than `RACY_NS` ago has the signature UNSURE, since it can change again within the clock's grain.
    """
    place.require_store()
    found: dict[str, int] = {}
    # the file system's clock may lag the system's by a tick; RACY_NS is far longer than both
    fresh = time.time_ns() - thresholds.RACY_NS
    _scan(place.lessons, LESSONS, found, fresh)
    found.pop(CONFIG, None)
    if os.path.isdir(place.notes):
        _scan(place.notes, NOTES, found, fresh)
    return found


def _scan(folder: str, name: str, found: dict[str, int], fresh: int) -> None:
    lstat, is_folder, is_link = os.lstat, stat.S_ISDIR, stat.S_ISLNK
    folders = []
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        found[name] = UNSURE
        return
    try:
        for entry in os.listdir(handle):
            record = entry.endswith(SUFFIX)
            try:
                seen = lstat(entry, dir_fd=handle)
            except OSError:
                continue  # gone since it was listed
            mode = seen.st_mode
            if is_folder(mode):
                folders.append(entry)
            elif record or is_link(mode):
                changed, altered = seen.st_mtime_ns, seen.st_ctime_ns
                sure = changed < fresh and altered < fresh
                # hash() of a tuple of integers does not depend on PYTHONHASHSEED
                state = hash((changed, altered, seen.st_size, seen.st_ino, mode))
                found[f"{name}/{entry}"] = state if sure and state else UNSURE
    finally:
        os.close(handle)
    for entry in folders:
        _scan(os.path.join(folder, entry), f"{name}/{entry}", found, fresh)


def file_of(place: Place, path: str) -> str:
    """The absolute file of a path that `look` gave."""
    if path.startswith(NOTES + "/"):
        return os.path.join(place.notes, *path.split("/")[1:])
    return os.path.join(place.root, *path.split("/"))


def read(place: Place, path: str) -> bytes:
    """A record file's bytes; ChalkError where it is no plain file of a record's size."""
    return read_file(file_of(place, path), path)


def read_file(file: str, path: str) -> bytes:
    try:
        # O_NONBLOCK: opening a FIFO must not wait for its other end
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if os.path.islink(file):
            raise ChalkError("is a symbolic link, which is not followed", where=path) from None
        raise ChalkError(f"cannot be read: {error.strerror}", where=path) from None
    with os.fdopen(handle, "rb") as opened:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise ChalkError("is no regular file", where=path)
        if state.st_size > thresholds.RECORD_BYTES:
            raise too_large(path, state.st_size)
        return opened.read(thresholds.RECORD_BYTES + 1)


def too_large(path: str, size: int) -> ChalkError:
    limit = thresholds.RECORD_BYTES // 1024
    return ChalkError(
        f"is {size:,} bytes long, and a record has at most {limit} KiB",
        where=path,
        hint=f"keep the essence in the record, and name the rest under evidence: {path}",
    )
