"""Writes that happen whole or not at all.

Every write of a record, and every switch of derived data, goes through `create` or `replace`: a temporary
file beside the target, flushed, then linked or renamed into place, then the folder flushed.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

from chalkgit.errors import ChalkError


def create(path: str, data: bytes, *, scratch: str | None = None) -> None:
    """Write a file that must not exist yet (FileExistsError when it does).

    scratch: a folder for the temporary file, where a kill leaves it out of the way; beside the target when
    it is absent, or lies on another file system.
    """
    _in_place(path, data, None, _link, scratch)


def replace(path: str, data: bytes, mode: int | None = None, *, scratch: str | None = None) -> None:
    """Write a file over whatever is there, keeping its permissions unless `mode` is given."""
    if mode is None:
        try:
            mode = os.stat(path, follow_symlinks=False).st_mode & 0o777
        except FileNotFoundError:
            pass
    _in_place(path, data, mode, os.replace, scratch)


def folder(root: str, relative: str) -> str:
    """Make the folder `relative` below `root`, refusing to pass through a link; its absolute path."""
    path = root
    for part in relative.split("/"):
        path = os.path.join(path, part)
        if os.path.islink(path):
            raise ChalkError(f"{part} is a symbolic link, which is not written through", where=path)
        try:
            os.mkdir(path)
        except FileExistsError:
            if not os.path.isdir(path):
                raise ChalkError(f"{part} is no folder", where=path) from None
        except OSError as error:
            raise ChalkError(f"the folder cannot be made: {error.strerror}", where=path) from None
    return path


def _in_place(
    path: str, data: bytes, mode: int | None, put: Callable[[str, str], None], scratch: str | None
) -> None:
    parent, name = os.path.split(path)
    # The suffix keeps a temporary file from ever being read as a record.
    part = f".{name[:80]}.{os.getpid()}-{os.urandom(4).hex()}.tmp"
    temporary = os.path.join(_beside(parent, scratch), part)
    try:
        _write(temporary, data, mode)
        put(temporary, path)
        _flush_folder(parent)
    except FileExistsError:
        raise
    except OSError as error:
        raise ChalkError(f"cannot be written: {error.strerror}", where=path) from error
    finally:
        try:
            os.unlink(temporary)
        except OSError:
            pass  # renamed away, as it should be


def _beside(parent: str, scratch: str | None) -> str:
    """The scratch folder where it can be had on the target's file system, else the target's folder."""
    if scratch is None:
        return parent
    try:
        os.makedirs(scratch, exist_ok=True)
        near = os.stat(scratch).st_dev == os.stat(parent).st_dev
    except OSError:
        return parent
    return scratch if near else parent


def _write(path: str, data: bytes, mode: int | None) -> None:
    new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    handle = os.open(path, new, 0o666 if mode is None else mode)
    try:
        if mode is not None:
            os.fchmod(handle, mode)  # what a file had before is kept whatever the umask
        put(handle, data)
    finally:
        os.close(handle)


def put(handle: int, data: bytes) -> None:
    """Write all of it where the descriptor stands, and have the disk keep it."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
    os.fsync(handle)


def _link(temporary: str, path: str) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS):
            raise
        # a file system without hard links: the id in the name is random, so the race is theoretical
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        os.replace(temporary, path)


def _flush_folder(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some network file systems cannot flush a folder
            raise
    finally:
        os.close(handle)
