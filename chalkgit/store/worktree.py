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
UNSURE = 0  # a signature that is never taken for an unchanged file
_KIND, _FILE = 0o170000, stat.S_IFREG


class Look:
    """What was there: paths and, in the same order, a signature of each one's state.

    Equal signatures mean an unchanged file: both come from its times and size. A file changed less than
    `RACY_NS` ago has the signature UNSURE, since it can change again within the clock's grain.
    """

    __slots__ = ("folders", "paths", "signatures")

    def __init__(self) -> None:
        self.folders: list[str] = []
        self.paths: list[str] = []
        self.signatures: list[int] = []

    def packed(self) -> tuple[bytes, bytes]:
        """As two byte strings: comparing two looks compares bytes."""
        from array import array

        names = "\0".join(self.paths).encode("utf-8", "surrogateescape")
        return names, array("q", self.signatures).tobytes()

    def by_path(self) -> dict[str, int]:
        return dict(zip(self.paths, self.signatures, strict=True))

    @property
    def sure(self) -> bool:
        return UNSURE not in self.signatures


def unpacked(names: bytes, signatures: bytes) -> dict[str, int]:
    """The paths and signatures of a packed look."""
    from array import array

    values = array("q")
    values.frombytes(signatures)
    paths = names.decode("utf-8", "surrogateescape").split("\0") if names else []
    return dict(zip(paths, values, strict=True))


def look(place: Place, young: int = thresholds.RACY_NS) -> Look:
    """All record files of a place, and every link met on the way; younger ones than `young` are UNSURE."""
    place.require_store()
    found = Look()
    # the file system's clock may lag the system's by a tick; RACY_NS is far longer than both
    fresh = time.time_ns() - young
    _scan(place.lessons, LESSONS, found, fresh)
    if CONFIG in found.paths:
        at = found.paths.index(CONFIG)
        del found.paths[at], found.signatures[at]
    if os.path.isdir(place.notes):
        _scan(place.notes, NOTES, found, fresh)
    return found


def look_at_notes(place: Place) -> Look:
    """The working notes alone."""
    found = Look()
    _scan(place.notes, NOTES, found, time.time_ns() - thresholds.RACY_NS)
    return found


def _scan(folder: str, name: str, found: Look, fresh: int) -> None:
    # a stack, not recursion: a repository may nest folders deeper than Python does calls
    pending = [(folder, name)]
    while pending:
        folder, name = pending.pop()
        inside = _scan_one(folder, name, found, fresh)
        pending += [(os.path.join(folder, entry), f"{name}/{entry}") for entry in inside]


def _scan_one(folder: str, name: str, found: Look, fresh: int) -> list[str]:
    """Take in one folder; the names of those inside it."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        _unsure(found, name)
        return []
    try:
        entries = os.listdir(handle)
        files = [entry for entry in entries if entry[-5:] == SUFFIX]
        rest = [entry for entry in entries if entry[-5:] != SUFFIX]
        signatures = _signatures(files, handle, fresh)
        if UNSURE in signatures:
            # a plain file that is young, or something else with a record's name: a folder is looked into
            kinds = [
                _kind(file, handle) if sign == UNSURE else _FILE
                for file, sign in zip(files, signatures, strict=True)
            ]
            rest += [file for file, kind in zip(files, kinds, strict=True) if kind == stat.S_IFDIR]
            kept = [at for at, kind in enumerate(kinds) if kind not in (stat.S_IFDIR, None)]
            files, signatures = [files[at] for at in kept], [signatures[at] for at in kept]
        found.folders.append(name)
        found.paths += [f"{name}/{file}" for file in files]
        found.signatures += signatures
        others = {entry: _kind(entry, handle) for entry in rest}
    finally:
        os.close(handle)
    for entry in (entry for entry, kind in others.items() if kind == stat.S_IFLNK):
        _unsure(found, f"{name}/{entry}")
    return [entry for entry, kind in others.items() if kind == stat.S_IFDIR]


def _unsure(found: Look, path: str) -> None:
    found.paths.append(path)
    found.signatures.append(UNSURE)


def _signatures(files: list[str], handle: int, fresh: int) -> list[int]:
    # At 10,000 records this is a third of what a question costs: a comprehension over `map` takes 2.5
    # microseconds a file, a loop with a `try` of its own 3.5. ctime moves with every write and nobody can
    # set it back; hash() of integers is not seeded.
    from functools import partial  # costs a tenth of a bare interpreter, and comes with SQLite anyway

    try:
        return [
            hash((s.st_ctime_ns, s.st_mtime_ns, s.st_size, s.st_ino))
            if s.st_mode & _KIND == _FILE and s.st_ctime_ns < fresh
            else UNSURE
            for s in map(partial(os.lstat, dir_fd=handle), files)
        ]
    except OSError:  # one is gone since it was listed
        return [UNSURE] * len(files)


def _kind(entry: str, handle: int) -> int | None:
    """The type bits of an entry, None when it is gone."""
    try:
        return stat.S_IFMT(os.lstat(entry, dir_fd=handle).st_mode)
    except OSError:
        return None


def is_record(path: str) -> bool:
    """Whether a repository path is that of a record's file."""
    return path.startswith(LESSONS + "/") and path.endswith(SUFFIX) and path != CONFIG


def nameable(path: str) -> bool:
    """False for a name of other bytes than UTF-8, which Python reads as lone surrogates: no record has it."""
    return path.isascii() or not any("\ud800" <= c <= "\udfff" for c in path)


def file_of(place: Place, path: str) -> str:
    """The absolute file of a path that `look` gave."""
    if path.startswith(NOTES + "/"):
        return os.path.join(place.notes, *path.split("/")[1:])
    return os.path.join(place.root, *path.split("/"))


def read(place: Place, path: str) -> bytes:
    """A record file's bytes; ChalkError where it is no plain file of a record's size."""
    return read_file(file_of(place, path), path)


def digest(content: bytes | ChalkError) -> str:
    """What tells a file's content from any other: of one that cannot be read, why."""
    if isinstance(content, ChalkError):
        return f"unreadable: {content.message}"
    import hashlib

    return hashlib.sha256(content).hexdigest()


def read_file(file: str, path: str) -> bytes:
    try:
        # O_NONBLOCK: opening a FIFO must not wait for its other end
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if os.path.islink(file):
            raise ChalkError("is a symbolic link, which is not followed", where=path) from None
        raise ChalkError(f"cannot be read: {error.strerror}", where=path) from None
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise ChalkError("is no regular file", where=path)
        if state.st_size > thresholds.RECORD_BYTES:
            raise too_large(path, state.st_size)
        return _read(handle, state.st_size)
    finally:
        os.close(handle)


def _read(handle: int, size: int) -> bytes:
    """A file to its end, or to one byte more than a record may have."""
    # no file object, whose buffer of all that a record may have takes as long to make as the rest
    data = os.read(handle, size + 1)
    if len(data) == size:
        return data
    most = thresholds.RECORD_BYTES + 1
    while len(data) < most and (more := os.read(handle, most - len(data))):
        data += more
    return data


def too_large(path: str, size: int) -> ChalkError:
    limit = thresholds.RECORD_BYTES // 1024
    return ChalkError(
        f"is {size:,} bytes long, and a record has at most {limit} KiB",
        where=path,
        hint=f"keep the essence in the record, and name the rest under evidence: {path}",
    )
