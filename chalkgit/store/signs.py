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
    path = os.fsencode(LESSONS + "/")
    first, last = data.find(path), data.rfind(path)
    return data[max(first - _HEAD, 0) : data.find(b"\0", last)] if first >= 0 else b""


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


def paths(folders: list[str], names: bytes) -> set[str]:
    """What `listed` gave, as paths."""
    rows = os.fsdecode(names).split("\0")
    return {f"{folder}/{name}" for folder, row in zip(folders, rows, strict=True) for name in row.split("/")}
