"""A person at a terminal: the program on a real pseudo-terminal, what it shows, and what is typed.

Every step waits for what the program shows before the next is typed, up to a limit that no good run meets.
"""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# The child takes its terminal as its own, so that an interrupt typed there reaches it.
_TAKING = (
    "import fcntl, os, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "os.execv(sys.argv[1], sys.argv[1:])"
)
_LIMIT = 60.0
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


class Terminal:
    """`shown` is all that was shown so far, without escapes of the line editor."""

    def __init__(self, handle: int, child: subprocess.Popen[bytes]) -> None:
        self._handle = handle
        self.child = child
        self.raw = b""
        self._seen = 0

    @property
    def shown(self) -> str:
        return _ESCAPES.sub("", self.raw.decode("utf-8", "replace")).replace("\r", "")

    def until(self, words: str) -> str:
        """What was shown since the last call, up to and with these words."""
        deadline = time.monotonic() + _LIMIT
        while words not in self.shown[self._seen :]:
            assert self._read(deadline), f"{words!r} was not shown:\n{self.shown[self._seen :]}"
        start = self._seen
        self._seen = self.shown.index(words, start) + len(words)
        return self.shown[start : self._seen]

    def type(self, text: str) -> None:
        os.write(self._handle, text.encode())

    def answer(self, text: str, prompt: str = "> ") -> str:
        """Wait for the prompt, then type a line; what was shown before it."""
        shown = self.until(prompt)
        self.type(text + "\n")
        return shown

    def ended(self) -> int:
        """The exit code, once everything is shown."""
        deadline = time.monotonic() + _LIMIT
        while self._read(deadline):
            pass
        return self.child.wait(_LIMIT)

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._handle], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"nothing was shown any more after:\n{self.shown}"
        try:
            data = os.read(self._handle, 1 << 16)
        except OSError:  # Linux says so when the other end is closed
            return False
        self.raw += data
        return bool(data)


@contextmanager
def opened(
    *args: str,
    cwd: Path,
    columns: int = 80,
    term: str = "dumb",
    out: Path | None = None,
) -> Iterator[Terminal]:
    """`chalkgit ARGS` at a terminal of that width; its standard output goes into the file `out`, if named."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    program = [sys.executable, "-I", "-c", _TAKING, sys.executable, "-I", "-m", "chalkgit", *args]
    stdout = os.open(out, os.O_WRONLY | os.O_CREAT) if out else os.dup(theirs)
    child = subprocess.Popen(
        program,
        cwd=cwd,
        env={**os.environ, "TERM": term},
        stdin=theirs,
        stdout=stdout,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    os.close(stdout)
    try:
        yield Terminal(ours, child)
    finally:
        child.kill()
        child.wait()
        os.close(ours)
