"""Whether anything moved in some folders since it was last asked: exactly, where the kernel is Linux.

inotify puts an event into the queue before the call that writes returns, so whoever reads the queue without
waiting sees every write that was over by then. (watchdog reads it in a thread of its own, which may be late.)
What it does not tell of: writes by other machines to a network's file system, by another name of a file (a
hard link outside), or through memory that stays mapped. The first is why only local file systems are trusted,
the others why whoever asks looks at the files every now and then all the same.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF = 0x40, 0x80, 0x100, 0x200, 0x400, 0x800
_LOST, _IGNORED = 0x4000, 0x8000
_ONLYDIR, _DONT_FOLLOW, _IS_FOLDER = 0x1000000, 0x2000000, 0x40000000
_WANTED = (
    (_MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE)
    | (_DELETE_SELF | _MOVE_SELF)
    | (_ONLYDIR | _DONT_FOLLOW)
)
_SHAPE = struct.Struct("iIII")
_ROOM = 1 << 18
# Every write to one of these goes through this kernel. (Of overlay: as long as nobody writes to its layers.)
_LOCAL = frozenset("ext2 ext3 ext4 xfs btrfs f2fs bcachefs zfs jfs reiserfs tmpfs ramfs overlay".split())


class Untold(Exception):
    """No exact word is to be had about these folders: the reason."""


class Folders:
    """Some folders with all below them, watched from now on. Untold where that cannot be.

    `restructured`: a folder came or went, so that these are no longer all of them.
    """

    def __init__(self, tops: Iterable[str]) -> None:
        self.restructured = False
        try:
            self._libc = ctypes.CDLL(None, use_errno=True)
            self.handle = int(self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        except (OSError, AttributeError) as error:
            raise Untold("the system has no inotify") from error
        if self.handle < 0:
            raise Untold(os.strerror(ctypes.get_errno()))
        try:
            mounts = _mounts()
            for top in tops:
                _require_local(top, mounts)
                self._add(top)
        except BaseException:
            self.close()
            raise

    def _add(self, top: str) -> None:
        pending = [top]
        while pending:
            folder = pending.pop()
            # watched first, listed then: a folder that is made in between is in one of the two
            if self._libc.inotify_add_watch(self.handle, os.fsencode(folder), ctypes.c_uint32(_WANTED)) < 0:
                raise Untold(f"{folder}: {os.strerror(ctypes.get_errno())}")
            try:
                with os.scandir(folder) as entries:
                    pending += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
            except OSError as error:
                raise Untold(f"{folder}: {error.strerror}") from error

    def moved(self) -> bool:
        """Whether anything happened since the last call, or may have."""
        moved = False
        while True:
            try:
                data = os.read(self.handle, _ROOM)
            except BlockingIOError:
                return moved
            moved = True
            at = 0
            while at < len(data):
                _, mask, _, length = _SHAPE.unpack_from(data, at)
                at += _SHAPE.size + length
                if mask & (_LOST | _IGNORED | _IS_FOLDER | _DELETE_SELF | _MOVE_SELF):
                    self.restructured = True

    def close(self) -> None:
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1


def _require_local(folder: str, mounts: list[tuple[str, str]]) -> None:
    inside = [
        (len(point), kind) for point, kind in mounts if (folder + "/").startswith(point.rstrip("/") + "/")
    ]
    # of two mounts at one point the later hides the earlier
    longest = max((length for length, _ in inside), default=0)
    kind = next((kind for length, kind in reversed(inside) if length == longest), "unknown")
    if kind not in _LOCAL:
        raise Untold(f"{folder} is on a file system ({kind}) that others may write to")


def _mounts() -> list[tuple[str, str]]:
    """(mount point, type of file system), as they were mounted."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            rows = [line.split(" - ", 1) for line in file]
    except OSError as error:
        raise Untold("the mounts cannot be read") from error
    return [(_unescaped(row[0].split(" ")[4]), row[1].split(" ")[0]) for row in rows if len(row) == 2]


def _unescaped(point: str) -> str:
    for escaped, plain in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(escaped, plain)
    return point
