"""One command of the user's, run to its end or to a limit: nothing of it is left behind, whatever it does.

It has a session and a process group of its own, so that it cannot ask at our terminal and is ended whole; no
file of ours is open in it but its three pipes; what it says is bounded, and the time it takes. `subprocess`
is not used, for the reason given in `store.git`. What it starts in yet another session outlives it.
"""

from __future__ import annotations

import os
import select
import signal
import threading
import time

from chalkgit import config, thresholds
from chalkgit.errors import ChalkError
from chalkgit.store import spawning

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType

_CHUNK = 1 << 16  # what a pipe holds
_TICK = thresholds.COMMAND_TICK
_GRACE = thresholds.COMMAND_GRACE
_ENDING = (signal.SIGTERM, signal.SIGHUP)  # what we are ended by, without a chance to end what we started


class Ran:
    """How a command ended.

    code: what it exited with, -N where signal N ended it, None where it was not started or took too long.
    out, err: the first (or last) `most_bytes` of each; cut: there were more. timed_out: the limit ended it.
    trouble: why `code` says nothing of what the command found, None where it ran and exited by itself.
    """

    __slots__ = ("code", "cut", "err", "out", "timed_out", "trouble")

    def __init__(
        self,
        code: int | None,
        out: bytes = b"",
        err: bytes = b"",
        *,
        timed_out: bool = False,
        cut: bool = False,
        trouble: str | None = None,
    ) -> None:
        self.code = code
        self.out = out
        self.err = err
        self.timed_out = timed_out
        self.cut = cut
        self.trouble = trouble


def run(
    words: Sequence[str],
    *,
    cwd: str,
    stdin: bytes = b"",
    seconds: float,
    most_bytes: int,
    environment: Mapping[str, str] | None = None,
    tail: bool = False,
    merged: bool = False,
) -> Ran:
    """Run `words` (a program and its arguments, no shell; `shell(text)` makes words of shell text) in `cwd`.

    A program without a slash is looked up in the absolute folders of PATH, so never in `cwd`. seconds: of the
    clock; it may take half a second more to end. environment: the user's own where None. tail: keep the last
    bytes of the output, not the first. merged: what it says on stderr comes in `out`, in its place.
    ChalkError for words that no program can be given, and for nothing that the command does.
    """
    if not words or not words[0] or any("\0" in word for word in (*words, cwd)):
        raise ChalkError("there is no such command: it is empty, or holds a NUL character")
    variables = dict(own_environment(cwd) if environment is None else environment)
    program = spawning.program(words[0], cwd, variables)
    if program is None:
        return Ran(None, trouble=f"{words[0]} was not found, or may not be run")
    kept = {stream: _Kept(most_bytes, tail) for stream in (1, 2)}
    with _Unended():
        try:
            running = _Running([program, *words[1:]], cwd, stdin, variables, kept, merged)
        except OSError as error:  # too long for the kernel, no process or file to be had
            return Ran(None, trouble=f"{words[0]} could not be started: {error.strerror}")
        code = running.ended(seconds)
    out, err = kept[1].data(), kept[2].data()
    cut = kept[1].cut or kept[2].cut
    if code is None:
        said = f"took longer than {seconds:g} s, and was ended"
        return Ran(None, out, err, timed_out=True, cut=cut, trouble=said)
    return Ran(code, out, err, cut=cut, trouble=_trouble(code))


def shell(text: str) -> list[str]:
    """The words that run `text` as a shell's."""
    return [spawning.SHELL, "-c", text]


def own_environment(root: str) -> dict[str, str]:
    """The user's environment for a command in `root`, without what a hook says of another repository."""
    ours = config.git_environment(root)
    for name in ("LC_ALL", "GIT_OPTIONAL_LOCKS", "GIT_NO_LAZY_FETCH"):
        value = config.environment_value(name)
        if value is None:
            ours.pop(name, None)
        else:
            ours[name] = value
    return ours


def signal_name(number: int) -> str:
    """SIGKILL of 9; the number of one that has no name here."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"number {number}"


class _Running:
    """A command under way, with the ends of its pipes that are ours."""

    def __init__(
        self,
        words: Sequence[str],
        cwd: str,
        stdin: bytes,
        environment: Mapping[str, str],
        kept: Mapping[int, _Kept],
        merged: bool,
    ) -> None:
        self._stdin = memoryview(stdin)
        self._kept = kept
        self._status: int | None = None
        self._ours: dict[int, int] = {}  # file to stream
        theirs: list[int] = []
        try:
            for stream in (0, 1) if merged else (0, 1, 2):
                reading, writing = spawning.pipe()
                own, other = (writing, reading) if stream == 0 else (reading, writing)
                self._ours[own] = stream
                theirs.append(other)
                os.set_blocking(own, False)
            files = [*theirs, theirs[1]] if merged else theirs
            self.pid = spawning.start(words, cwd, files, environment)
        except BaseException:
            self._close()
            raise
        finally:
            for handle in theirs:
                os.close(handle)

    def ended(self, seconds: float) -> int | None:
        """Feed it and listen until it ends, or the time is over: then None. Nothing of its group is left."""
        try:
            by_itself = self._talk(time.monotonic() + seconds)
            if not by_itself:
                spawning.signal_group(self.pid, signal.SIGTERM)
                self._talk(time.monotonic() + _GRACE)
        finally:
            # also where we are interrupted: it would go on without anybody to end it
            spawning.signal_group(self.pid, signal.SIGKILL)
            if self._status is None:
                self._status = os.waitpid(self.pid, 0)[1]
            try:
                self._drain()
            finally:
                self._close()
        return os.waitstatus_to_exitcode(self._status) if by_itself else None

    def _talk(self, deadline: float) -> bool:
        """Whether it ended before the deadline."""
        poll = select.poll()
        for handle, stream in self._ours.items():
            poll.register(handle, select.POLLOUT if stream == 0 else select.POLLIN)
        tick = 0.001
        while not self._exited():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            ready = poll.poll(min(left, tick) * 1000)
            tick = 0.001 if ready else min(tick * 2, _TICK)
            for handle, _ in ready:
                if not self._move(handle):
                    poll.unregister(handle)
                    os.close(handle)
                    del self._ours[handle]
        return True

    def _move(self, handle: int) -> bool:
        """Whether there may be more to read from it, or to write to it."""
        stream = self._ours[handle]
        try:
            if stream == 0:
                # an empty one is closed at once: that is the whole message
                self._stdin = self._stdin[os.write(handle, self._stdin[:_CHUNK]) :]
                return len(self._stdin) > 0
            data = os.read(handle, _CHUNK)
        except BlockingIOError:
            return True
        except BrokenPipeError:
            return False  # it reads no more, as it may
        self._kept[stream].add(data)
        return bool(data)

    def _drain(self) -> None:
        """What it had said when it ended; what has left its group may hold the pipes open for ever."""
        until = time.monotonic() + _GRACE
        for handle, stream in self._ours.items():
            while stream != 0 and time.monotonic() < until:
                try:
                    data = os.read(handle, _CHUNK)
                except BlockingIOError:
                    break
                if not data:
                    break
                self._kept[stream].add(data)

    def _exited(self) -> bool:
        if hasattr(os, "waitid"):
            # it stays a zombie, so that its number, which is its group's too, cannot become another's
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self.pid, flags) is not None
        if self._status is None:  # macOS before Python 3.13
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = status if pid else None
        return self._status is not None

    def _close(self) -> None:
        for handle in self._ours:
            os.close(handle)
        self._ours.clear()


class _Kept:
    """The first or the last bytes of a stream."""

    __slots__ = ("_data", "_most", "_tail", "cut")

    def __init__(self, most: int, tail: bool) -> None:
        self._data = bytearray()
        self._most = most
        self._tail = tail
        self.cut = False

    def add(self, data: bytes) -> None:
        room = len(data) if self._tail else self._most - len(self._data)
        self.cut = self.cut or room < len(data)
        self._data += data[:room]
        if len(self._data) > 2 * self._most + _CHUNK:  # seldom, since it moves what is kept
            self._shorten()

    def data(self) -> bytes:
        self._shorten()
        return bytes(self._data)

    def _shorten(self) -> None:
        over = len(self._data) - self._most
        if over > 0:
            self.cut = True
            del self._data[:over]


class _Unended:
    """While a command runs, a signal that would end us ends it first.

    It has a session of its own, so nobody else would. Whoever handles these signals already goes on doing so;
    signals are handled in the main thread alone.
    """

    def __init__(self) -> None:
        self._ours: list[int] = []

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for number in _ENDING:
                if signal.getsignal(number) is signal.SIG_DFL:
                    signal.signal(number, self._leave)
                    self._ours.append(number)

    def __exit__(self, *_: object) -> None:
        for number in self._ours:
            signal.signal(number, signal.SIG_DFL)

    def _leave(self, number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)


def _trouble(code: int) -> str | None:
    """Why an exit code is no answer of the command's: 126 and 127 are the shell's own, as POSIX has it."""
    if code < 0:
        return f"was ended by signal {signal_name(-code)}"
    return {126: "could not be run (exit 126)", 127: "was not found (exit 127)"}.get(code)
