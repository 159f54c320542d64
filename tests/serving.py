"""A helper as a process of its own, and the same question put with it and without."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from repository import Repo, Result

from chalkgit.doors import helper as clients

RUN = [sys.executable, "-I", "-m", "chalkgit"]
SECONDS = 30


class Helper:
    """A running helper of a repository."""

    def __init__(self, repo: Repo, process: subprocess.Popen[bytes] | None) -> None:
        self.repo = repo
        self.process = process

    @property
    def socket(self) -> Path:
        return self.repo.root / ".git/chalkgit/helper.sock"

    def counts(self) -> tuple[int, int]:
        """How many questions it has answered, and left to the process that asked.

        It is asked as `serve --status` asks it, without a process for each time.
        """
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            answer = clients.exchange(self.repo.place, [clients.STATUS])
            if answer is not None:  # on a busy machine it may not answer in time
                line = answer[1].splitlines()[1].split()
                return int(line[0]), int(line[2])
        raise AssertionError("the helper does not answer")

    def pid(self) -> int:
        return int(self.repo.run("serve", "--status").out.split(",")[0].removeprefix("process "))

    def alike(
        self,
        *args: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        helped: bool = True,
    ) -> Result:
        """The answer to `check args` through the helper, once a process alone has given the same.

        helped: whether the helper is to answer; where not, it is to decline.
        """
        before = self.counts()
        through = self.repo.run("check", *args, cwd=cwd, env=env)
        after = self.counts()
        assert (after[0] - before[0], after[1] - before[1]) == (helped, not helped), through
        # an option that the short way in does not know: no helper is asked
        assert through == self.repo.run("check", "--limit", "3", *args, cwd=cwd, env=env)
        return through


def answers(repo: Repo, proposal: str) -> Result:
    """What `check` says of something that was tried, which is what it says alone."""
    said = repo.run("check", proposal)
    assert said == repo.run("check", "--limit", "3", proposal)
    assert (said.code, said.err) == (1, "")
    return said


@contextmanager
def helping(
    repo: Repo, *args: str, env: Mapping[str, str] | None = None, first: Sequence[str] = ()
) -> Iterator[Helper]:
    """`chalkgit serve` in a repository, once it listens."""
    with subprocess.Popen(
        [*first, *RUN, "serve", *args],
        cwd=repo.root,
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        helper = Helper(repo, process)
        try:
            until(helper.socket.exists, process)
            yield helper
        finally:
            process.kill()


def until(seen: object, process: subprocess.Popen[bytes] | None = None) -> None:
    """Wait for what happens by itself."""
    assert callable(seen)
    end = time.monotonic() + SECONDS
    while not seen():
        assert time.monotonic() < end, seen
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.02)


@pytest.fixture(name="helper")
def helper_fixture(repo: Repo) -> Iterator[Helper]:
    """A helper of `repo`, which has an index."""
    repo.run("check", "anything at all")
    with helping(repo) as helper:
        yield helper
