"""A lock between processes, for the length of a block. A class, since importing contextlib costs."""

from __future__ import annotations

import os
import time

from chalkgit.errors import ChalkError


class Lock:
    """Exclusive, in a file of its own; ChalkError with `busy` when it is held for longer than `seconds`.

    required: whether a folder that takes no writes is an OSError; where it is not, there is no lock there.
    """

    def __init__(self, file: str, seconds: float, busy: str, *, required: bool = True) -> None:
        self._file = file
        self._seconds = seconds
        self._busy = busy
        self._required = required
        self._handle = -1

    def __enter__(self) -> None:
        try:
            os.makedirs(os.path.dirname(self._file), exist_ok=True)
            self._handle = os.open(
                self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666
            )
        except OSError:
            if self._required:
                raise
            return
        self._wait()

    def _wait(self) -> None:
        import fcntl

        deadline = time.monotonic() + self._seconds
        while True:
            try:
                return fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    os.close(self._handle)
                    raise ChalkError(self._busy, where=self._file) from None
                time.sleep(0.01)

    def __exit__(self, *error: object) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
