"""The client of the resident helper: its answer to a `check`, or None where anything is amiss.

The helper listens at a socket among the derived data of its work tree, with mode 0600. It is spoken to only
where the socket is the user's own and nobody else can reach it, and so is the process behind it. Whoever asks
sends all that an answer may depend on (environment, folder, whether it is for a terminal) and waits a bounded
time; whatever fails, the process answers by itself. So a helper is never required, and never changes what
is said.

A frame is a line, `chalkgit-helper VERSION NUMBER…`, and as many bytes as its numbers say.
"""

from __future__ import annotations

import os
import sys
import time

from chalkgit import __version__, config, thresholds

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Sequence

    from chalkgit.store.place import Place

    # exit code, what goes to standard output, what to standard error, and to the journal once it is printed
    Answer = tuple[int, str, str, str]

SOCKET, LOCK = "helper.sock", "helper.lock"
CHECK, STATUS, STOP = b"check", b"status", b"stop"
WORD = b"chalkgit-helper"
DECLINED = 255  # no exit code of ours
_ROOM = 100  # macOS takes 103 bytes of a socket's path, Linux 107
# What must be the same at both ends, besides the version: which Python, which files, how names are read.
IDENTITY = os.fsencode("\n".join((sys.prefix, sys.version, __file__, sys.getfilesystemencoding())))


def there(place: Place) -> bool:
    """Whether a socket is there that only this user can have made and can reach."""
    try:
        seen = os.lstat(os.path.join(place.derived, SOCKET))
    except OSError:
        return False
    # a repository that was copied from somewhere may hold a link or a FIFO of that name
    is_socket = seen.st_mode & 0o170000 == 0o140000
    own = seen.st_uid == os.geteuid() and seen.st_mode & 0o077 == 0
    return is_socket and own and not os.path.islink(place.derived)


def ask(
    place: Place,
    proposal: str,
    directory: str | None = None,
    flags: Sequence[str] = (),
    *,
    terminal: bool = False,
) -> Answer | None:
    """What `chalkgit [-C directory] check flags proposal` would print and exit with (0 or 1), or None.

    terminal: whether standard output is one, since colour depends on that.
    """
    if not there(place):
        return None
    words = ("" if directory is None else "-C" + directory, " ".join(flags), proposal)
    try:
        fields = [CHECK, IDENTITY, os.fsencode(os.getcwd()), b"%d" % terminal, *map(os.fsencode, words)]
    except (OSError, ValueError):  # a folder that is gone, a proposal that no process can be given
        return None
    found = exchange(place, [*fields, *(name + b"=" + value for name, value in os.environb.items())])
    return found if found is not None and found[0] in (0, 1) else None


def exchange(place: Place, fields: Sequence[bytes]) -> Answer | None:
    """Send a request and read the whole reply; None where there is none in time."""
    if any(b"\0" in field for field in fields):
        return None
    deadline = time.monotonic() + thresholds.HELPER_SECONDS
    try:
        connection = connected(place)
        if connection is None:
            return None
        try:
            body = b"\0".join(fields)
            connection.sendall(b"%s %s %d\n" % (WORD, __version__.encode(), len(body)) + body)
            return _reply(_read(connection, deadline))
        finally:
            connection.close()
    except (OSError, ValueError):  # it hangs, is gone, or says what is no reply
        return None


def connected(place: Place) -> socket | None:
    """A connection to a process of this user's; OSError, ValueError where nobody listens."""
    import _socket  # the package around it costs two thirds of a bare interpreter

    if not hasattr(_socket, "AF_UNIX"):
        return None
    made = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        made.settimeout(thresholds.HELPER_SECONDS)
        with Address(place) as address:
            made.connect(address)
        mine = peer(made)[1] in (None, os.geteuid())
    except BaseException:
        made.close()
        raise
    if not mine:
        made.close()
    return made if mine else None


def peer(connection: socket) -> tuple[int | None, int | None]:
    """Process and user at the other end; None, None where the system does not tell."""
    import _socket

    if not hasattr(_socket, "SO_PEERCRED"):
        return None, None
    told = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    pid, user = (int.from_bytes(told[at : at + 4], sys.byteorder) for at in (0, 4))
    return pid, user


class Address:
    """The path to the socket for the length of a block: one that is not too long for a socket.

    ValueError where there is none.
    """

    def __init__(self, place: Place, name: str = SOCKET) -> None:
        self._folder = place.derived
        self._name = name
        self._handle = -1

    def __enter__(self) -> bytes:
        path = os.fsencode(os.path.join(self._folder, self._name))
        if len(path) <= _ROOM:
            return path
        if not os.path.isdir("/proc/self/fd"):
            raise ValueError("the path of the git directory is too long for a socket")
        self._handle = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        return os.fsencode(f"/proc/self/fd/{self._handle}/{self._name}")

    def __exit__(self, *error: object) -> None:
        if self._handle >= 0:
            os.close(self._handle)


def _read(connection: socket, deadline: float) -> bytes:
    parts, size = [], 0
    while size <= thresholds.HELPER_REPLY_BYTES:
        connection.settimeout(max(deadline - time.monotonic(), 0.001))
        part = connection.recv(1 << 16)
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _reply(data: bytes) -> Answer | None:
    """Nothing of a reply that is not whole, or is of another version."""
    head, _, body = data.partition(b"\n")
    words = head.split(b" ")
    if len(words) != 6 or words[:2] != [WORD, __version__.encode()] or not all(map(bytes.isdigit, words[2:])):
        return None
    code, err, out, kept = map(int, words[2:])
    if len(body) != err + out + kept:
        return None
    parts = body[err : err + out], body[:err], body[err + out :]
    said, told, rows = (part.decode("utf-8", "surrogatepass") for part in parts)
    return code, said, told, rows


# --- its start, where the user wants one ---------------------------------------------------------


def start(place: Place) -> None:
    """Begin one in a process of its own, where the user's settings say `serve: true` and none was begun in
    the last minute; heard by nobody."""
    from chalkgit import settings
    from chalkgit.errors import ChalkError

    try:
        wanted = str(settings.read().get("serve")).lower() in ("true", "yes", "on")  # as YAML spells it
    except ChalkError:
        return  # whoever needs the settings says what is wrong with them
    if wanted and not there(place) and not _young(os.path.join(place.derived, LOCK)):
        _spawn(place)


def _young(lock: str) -> bool:
    """Whether one was begun a moment ago: it is getting ready, or cannot be had."""
    try:
        return abs(time.time() - os.lstat(lock).st_mtime) < thresholds.HELPER_AGAIN_SECONDS
    except OSError:
        return False


def _spawn(place: Place) -> None:
    program = "from chalkgit.__main__ import main; main()"
    null = os.open(os.devnull, os.O_RDWR)
    try:
        os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-c", program, "-C", place.root, "serve"],
            config.git_environment(place.root),
            file_actions=[(os.POSIX_SPAWN_DUP2, null, stream) for stream in (0, 1, 2)],
            setsid=True,
        )
    except (OSError, NotImplementedError):
        pass  # questions are answered without one
    finally:
        os.close(null)
