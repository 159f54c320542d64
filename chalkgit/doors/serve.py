"""The resident helper: one process a work tree, which answers `check` at a socket from what it keeps.

One thread, and nothing waits for a client: whoever hangs, sends garbage or leaves costs its own connection.
It ends by itself: after a time without questions, when its socket is gone (with the git directory, say), and
when a file of this program has changed since it began, so that nobody is answered by an older version.
"""

from __future__ import annotations

import os
import select
import socket
import time
from collections.abc import Callable, Sequence

from chalkgit import __version__, thresholds
from chalkgit.doors import helper, serve_signs
from chalkgit.doors.serve_kept import Kept
from chalkgit.errors import ChalkError
from chalkgit.store.lock import Lock
from chalkgit.store.place import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from chalkgit.doors.helper import Answer

_CHECK_FIELDS = 7


class Question:
    """A `check` as its process was asked it. `environment` is NAME=VALUE, `folder` the current one."""

    __slots__ = ("directory", "environment", "flags", "folder", "proposal", "terminal")

    def __init__(self, fields: Sequence[bytes]) -> None:
        self.folder, terminal = fields[2:4]
        directory, flags, self.proposal = map(os.fsdecode, fields[4:_CHECK_FIELDS])
        self.terminal = terminal == b"1"
        self.directory = directory.removeprefix("-C") if directory else None
        self.flags = flags.split()
        self.environment = list(fields[_CHECK_FIELDS:])


Answering = Callable[[Question], "Answer | None"]


class _Client:
    """One connection: what came, and what is still to be sent."""

    __slots__ = ("came", "connection", "deadline", "left")

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.came = bytearray()
        self.left = b""
        self.deadline = time.monotonic() + thresholds.HELPER_SECONDS

    def request(self) -> list[bytes] | None:
        """The fields, once they are all there. ValueError: it is no request."""
        head, newline, body = bytes(self.came[:200]).partition(b"\n")
        words = head.split(b" ")
        if words[0] != helper.WORD[: len(words[0])] or (not newline and len(head) == 200):
            raise ValueError(head)
        if not newline:
            return None
        size = int(words[2]) if len(words) == 3 else -1
        if words[0] != helper.WORD or not 0 <= size <= thresholds.HELPER_REQUEST_BYTES:
            raise ValueError(head)
        body = bytes(self.came[len(head) + 1 :])
        if len(body) > size:
            raise ValueError("more than was announced")
        return [words[1], *body.split(b"\0")] if len(body) == size else None


class Helper:
    """`answer` says what a question's process would; None where that process had better answer itself."""

    def __init__(self, kept: Kept, answer: Answering, idle: float) -> None:
        self._kept = kept
        self._answer = answer
        self._idle = idle
        self._clients: dict[int, _Client] = {}
        self._files = serve_signs.program()
        self._program = serve_signs.of_program(self._files)
        self._began = self._asked = time.monotonic()
        self._answers = self._declined = 0
        self._ended = False
        self._socket: socket.socket | None = None
        self._file: tuple[int, int] | None = None

    def run(self) -> None:
        """Listen and answer until there is a reason to end. OSError, ChalkError where none can listen."""
        place = self._kept.place
        self._socket, self._file = _listening(place)
        try:
            while not self._over():
                self._turn()
        finally:
            self._socket.close()
            for client in list(self._clients.values()):
                self._drop(client)
            if _identity(place) == self._file:
                os.unlink(_path(place))

    def _over(self) -> bool:
        idle = time.monotonic() - self._asked > self._idle
        return self._ended or (idle and not self._clients) or _identity(self._kept.place) != self._file

    def _turn(self) -> None:
        assert self._socket is not None
        poll = select.poll()
        if len(self._clients) < thresholds.HELPER_CLIENTS:
            poll.register(self._socket, select.POLLIN)
        for number, client in self._clients.items():
            poll.register(number, select.POLLOUT if client.left else select.POLLIN)
        watched = self._kept.handle
        if watched is not None:
            poll.register(watched, select.POLLIN)
        for number, _ in poll.poll(self._pause() * 1000):
            if number == self._socket.fileno():
                self._welcome()
            elif number == watched:
                self._kept.stirred()
            elif number in self._clients:
                self._serve(self._clients[number])
        for client in [c for c in self._clients.values() if time.monotonic() > c.deadline]:
            self._drop(client)
        if not self._clients:
            self._kept.rest()

    def _pause(self) -> float:
        """Seconds until something has to be looked after, whether anybody asks or not."""
        now = time.monotonic()
        waits = [thresholds.HELPER_TICK_SECONDS, self._asked + self._idle - now + 0.01]
        waits += [client.deadline - now + 0.01 for client in self._clients.values()]
        rest = self._kept.wait()
        return max(min(waits if rest is None else [*waits, rest]), 0.0)

    def _welcome(self) -> None:
        assert self._socket is not None
        try:
            connection, _ = self._socket.accept()
        except OSError:
            return  # gone before it was welcomed
        if helper.peer(connection)[1] not in (None, os.geteuid()):
            connection.close()
            return
        connection.setblocking(False)
        self._clients[connection.fileno()] = _Client(connection)

    def _serve(self, client: _Client) -> None:
        try:
            if client.left:
                client.left = client.left[client.connection.send(client.left) :]
            else:
                part = client.connection.recv(1 << 16)
                client.came += part
                request = client.request()
                if request is None:
                    if not part:
                        self._drop(client)
                    return
                client.left = self._replied(request)
                client.left = client.left[client.connection.send(client.left) :]
        except BlockingIOError:
            return
        except (OSError, ValueError):
            self._drop(client)
            return
        if not client.left:
            self._drop(client)

    def _replied(self, request: list[bytes]) -> bytes:
        version, kind, *fields = request
        if kind == helper.STOP:
            self._ended = True
            return _frame((0, "", "", ""))
        if kind == helper.STATUS:
            return _frame((0, self._status(), "", ""))
        if serve_signs.of_program(self._files) != self._program:
            self._ended = True  # another version has taken our place
        elif version == __version__.encode() and fields[:1] == [helper.IDENTITY]:
            return self._answered([kind, *fields])
        return _frame(None)

    def _answered(self, fields: list[bytes]) -> bytes:
        if fields[0] != helper.CHECK or len(fields) < _CHECK_FIELDS:
            raise ValueError("no question")
        self._asked = time.monotonic()
        answer = self._answer(Question(fields))
        self._answers += answer is not None
        self._declined += answer is None
        return _frame(answer)

    def _status(self) -> str:
        minutes = (time.monotonic() - self._began) / 60
        how = self._kept.looking
        lines = [
            f"process {os.getpid()}, for {minutes:.0f} min; {_memory()}",
            f"{self._answers} answered, {self._declined} left to the process that asked",
            f"model: {self._kept.loaded or 'none in memory'}",
            "the system tells of every write" if how is None else f"looks at the files each time: {how}",
            f"ends after {self._idle:.0f} s without a question",
        ]
        return "\n".join(lines)

    def _drop(self, client: _Client) -> None:
        del self._clients[client.connection.fileno()]
        client.connection.close()


def served(place: Place, kept: Kept, answer: Answering, idle: float, ready: Callable[[], None]) -> None:
    """Be the helper of a work tree until there is a reason to end. ChalkError where there is one already, or
    there cannot be one; `ready` is called once it is about to listen."""
    if not hasattr(socket, "AF_UNIX"):
        raise ChalkError("this system has no Unix sockets, so no helper can be reached")
    if os.path.islink(place.derived):
        raise ChalkError("a symbolic link, which is not followed", where=place.derived)
    lock = os.path.join(place.derived, helper.LOCK)
    try:
        with Lock(lock, 0, "a helper runs here already"):
            os.utime(lock)
            one = Helper(kept, answer, idle)
            ready()
            one.run()
    except OSError as error:
        raise ChalkError(f"no helper can be had here: {error.strerror}", where=place.derived) from error


def _listening(place: Place) -> tuple[socket.socket, tuple[int, int]]:
    """The socket, and which file it is. One that a killed helper left behind is replaced."""
    name = f"{helper.SOCKET}.{os.getpid()}"
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)  # 0600 from its first moment
    try:
        with helper.Address(place, name) as address:
            made.bind(address)
        made.listen(thresholds.HELPER_CLIENTS)
        made.setblocking(False)
        os.rename(os.path.join(place.derived, name), _path(place))
    except BaseException as error:
        made.close()
        if isinstance(error, ValueError):
            raise ChalkError(str(error), where=place.derived) from None
        raise
    finally:
        os.umask(mask)
    found = _identity(place)
    assert found is not None
    return made, found


def _path(place: Place) -> str:
    return os.path.join(place.derived, helper.SOCKET)


def _identity(place: Place) -> tuple[int, int] | None:
    try:
        seen = os.lstat(_path(place))
    except OSError:
        return None
    return seen.st_ino, seen.st_ctime_ns


def _frame(answer: Answer | None) -> bytes:
    code, *texts = answer if answer is not None else (helper.DECLINED, "", "", "")
    out, err, kept = (text.encode("utf-8", "surrogatepass") for text in texts)
    sizes = b"%d %d %d %d" % (code, len(err), len(out), len(kept))
    return b"%s %s %s\n" % (helper.WORD, __version__.encode(), sizes) + err + out + kept


def _memory() -> str:
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            used = next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))
    except (OSError, StopIteration):
        import resource
        import sys

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return f"at most {most / (1 << (20 if sys.platform == 'darwin' else 10)):.0f} MB of memory so far"
    return f"{used / 1024:.0f} MB of memory"
