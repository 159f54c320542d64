"""Signs that nothing moved, cheaper than asking: of git's index, and of the folders that hold records."""

from __future__ import annotations

import os
import time

from chalkgit import config, thresholds
from chalkgit.store.place import LESSONS, Place

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable

_HEAD = 80  # no index entry has more before its path: with ids of 32 bytes it is 76
# What stands right before the path: of an id of 20 bytes all or all but two, or 20 of 32; and the flags. What
# stands before them is the file's times and size as git saw them, which git compares itself.
_MEANT = 22
_PATH = os.fsencode(LESSONS + "/")
_BLOCK = 1 << 16
_FAR_APART = 1_000  # at 10 microseconds each; taking 100,000 entries apart takes 200 ms


def of_index(place: Place) -> str:
    """Of the work tree's own index file; "" where git reads another one or it may change unseen."""
    if _file(place) != os.path.join(place.git_dir, "index"):
        return ""  # of `git commit -a`, say
    try:
        seen = os.stat(_file(place))
    except OSError:
        return ""
    if seen.st_ctime_ns >= time.time_ns() - thresholds.RACY_NS:
        return ""
    return f"{seen.st_ctime_ns}.{seen.st_mtime_ns}.{seen.st_size}.{seen.st_ino}"


def entries(place: Place) -> bytes:
    """The bytes of the index that git reads, from its first entry of a record to its last, flags and all.

    Equal bytes are equal entries, and asking git takes four times as long. Empty where the index is none that
    has each path in full: version 4 shares prefixes, a split index keeps a part in another file.
    """
    try:
        with open(_file(place), "rb") as opened:
            data = opened.read()
        split = any(name.startswith("sharedindex.") for name in os.listdir(place.git_dir))
    except OSError:
        return b""
    if split or data[:4] != b"DIRC" or data[4:8] not in (b"\0\0\0\2", b"\0\0\0\3"):
        return b""
    first, last = data.find(_PATH), data.rfind(_PATH)
    return data[max(first - _HEAD, 0) : data.find(b"\0", last)] if first >= 0 else b""


def changed_entries(old: bytes, new: bytes) -> tuple[set[str], bool]:
    """The paths of the record files of which two answers of `entries` mean something else, by id or flags;
    and whether so many were written otherwise, if only by a file's times, that comparing them takes long.

    A path may be named too many: it is in doubt, no more.
    """
    found: set[bytes] = set()
    one, other = old.find(_PATH), new.find(_PATH)
    for _ in range(_FAR_APART):
        if one < 0 or other < 0 or (one, other) == (len(old), len(new)):
            break
        one, other = _alike(old, new, one, other)
        path, name = _named(old, one), _named(new, other)
        if path == name and old[one - _MEANT : one] != new[other - _MEANT : other]:
            found.add(path)
        elif path != name:
            found.add(min(path, name))  # entries are in the order of their bytes
        one, other = (
            old.find(_PATH, one + len(path)) if path <= name else one,
            new.find(_PATH, other + len(name)) if name <= path else other,
        )
    rest = _meant(old, one) ^ _meant(new, other)
    return {os.fsdecode(path) for path in found.union(path for path, _ in rest)}, one >= 0 and other >= 0


def _alike(old: bytes, new: bytes, one: int, other: int) -> tuple[int, int]:
    """Where the last entries begin, from these on, before which all are the same bytes."""
    if old[one - _MEANT : one] != new[other - _MEANT : other]:
        return one, other
    same, step = 0, 256
    while step:
        if old[one + same : one + same + step] == new[other + same : other + same + step]:
            same += step
            step = min(2 * step, _BLOCK)
            if one + same >= len(old) and other + same >= len(new):
                break
        else:
            step //= 2
    last = old.rfind(_PATH, one, one + same)
    # a folder of that name within a path: an entry begins after the NUL that ends the one before
    while last > one and (above := old.rfind(_PATH, one, last)) >= 0 and b"\0" not in old[above:last]:
        last = above
    return (last, other + last - one) if last > one else (one, other)


def _named(data: bytes, start: int) -> bytes:
    """The path that begins there."""
    end = data.find(b"\0", start)
    return data[start : end if end >= 0 else len(data)]


def _meant(data: bytes, start: int) -> set[tuple[bytes, bytes]]:
    """(path, what it means) of the entries from there on; of none for -1."""
    found: set[tuple[bytes, bytes]] = set()
    if start < 0:
        return found
    before, *pieces = data[max(start - _MEANT, 0) :].split(_PATH)
    above = _PATH
    for number, piece in enumerate(pieces, 1):
        path, ends, _ = piece.partition(b"\0")
        if not ends and number < len(pieces):
            above += path + _PATH  # the path goes on
            continue
        found.add((above + path, before[-_MEANT:]))
        before, above = piece, _PATH
    return found


def is_monitored(place: Place) -> bool:
    """Whether git's own file monitor runs here: git then compares only the files it was told of.

    Somebody of ours must answer at its socket, so that git starts none, and nothing that a repository names.
    """
    path = os.path.join(place.git_dir, "fsmonitor--daemon.ipc")
    try:
        seen = os.lstat(path)
    except OSError:
        return False
    if seen.st_mode & 0o170000 != 0o140000 or seen.st_uid != os.geteuid():
        return False
    import _socket  # the package around it costs half a bare interpreter

    try:
        asked = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            asked.settimeout(0.1)
            asked.connect(path)
        finally:
            asked.close()
    except (OSError, ValueError):  # nobody listens any more, or the path is too long for a socket
        return False
    return True


def _file(place: Place) -> str:
    told = config.environment_value("GIT_INDEX_FILE")
    return os.path.join(place.git_dir, "index") if told is None else os.path.join(place.root, told)


def of_folders(place: Place, folders: Iterable[str]) -> str:
    """Times and identities of the folders: equal ones list the same. "" where one may change again unseen."""
    fresh = time.time_ns() - thresholds.RACY_NS
    try:
        seen = [os.lstat(os.path.join(place.root, folder)) for folder in folders]
    except OSError:
        return ""
    if any(s.st_ctime_ns >= fresh for s in seen):
        return ""
    return " ".join(f"{s.st_ctime_ns}.{s.st_mtime_ns}.{s.st_ino}.{s.st_dev}" for s in seen)


def listed(place: Place, folders: Iterable[str]) -> bytes | None:
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


def moved(folders: list[str], old: bytes, new: bytes) -> set[str]:
    """The paths that one answer of `listed` has and the other has not."""
    if old == new:
        return set()
    found = set()
    rows = zip(folders, os.fsdecode(old).split("\0"), os.fsdecode(new).split("\0"), strict=True)
    for folder, before, now in rows:
        if before != now:
            found |= {f"{folder}/{name}" for name in set(before.split("/")) ^ set(now.split("/"))}
    return found
