"""Disks that fail: the nth call of one kind raises, as SQLite tests its I/O (sqlite.org/testing.html)."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

WRITING = ("open", "write", "fsync", "link", "replace", "unlink", "mkdir", "fchmod")


class Count:
    """How many calls there were, and whether one of them failed."""

    def __init__(self) -> None:
        self.calls = 0
        self.failed = False


@contextmanager
def failing(n: int, number: int = errno.ENOSPC, names: tuple[str, ...] = WRITING) -> Iterator[Count]:
    """The nth call of one of these functions of `os` fails, and every later one where n is negative."""
    count, real = Count(), {name: getattr(os, name) for name in names}

    def wrapped(name: str) -> Callable[..., Any]:
        def call(*args: Any, **rest: Any) -> Any:
            if name == "open" and not args[1] & (os.O_WRONLY | os.O_RDWR):
                return real[name](*args, **rest)
            count.calls += 1
            if count.calls == n or (n < 0 and count.calls >= -n):
                count.failed = True
                raise OSError(number, os.strerror(number))
            return real[name](*args, **rest)

        return call

    for name in names:
        setattr(os, name, wrapped(name))
    try:
        yield count
    finally:
        for name, function in real.items():
            setattr(os, name, function)


def until_it_passes(run: Callable[[int], Count], most: int = 200) -> int:
    """Run with the first call failing, then the second, … until none is left to fail; how many there were."""
    for n in range(1, most):
        if not run(n).failed:
            return n - 1
    raise AssertionError("it never passed")
