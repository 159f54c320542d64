"""`chalkgit serve`: a resident helper, which makes `check` as quick as the interpreter starts."""

from __future__ import annotations

import io
import os
import signal
import sys
import time

import click

from chalkgit import config, thresholds
from chalkgit.cli import asked, asking, terminal
from chalkgit.doors import helper, serve
from chalkgit.doors.serve_kept import Declined, Kept
from chalkgit.errors import ChalkError
from chalkgit.store import git
from chalkgit.store import place as places
from chalkgit.store.place import Place


@click.command("serve")
@click.option("--status", is_flag=True, help="Say whether one runs here, and what it holds.")
@click.option("--stop", is_flag=True, help="End the one that runs here.")
@click.option(
    "--idle",
    type=click.FloatRange(min=0.1),
    default=thresholds.HELPER_IDLE_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="End after so long without a question.",
)
@click.pass_obj
def command(directory: str | None, /, status: bool, stop: bool, idle: float) -> int:
    """Keep model and records in memory and answer `check` from there, until interrupted or idle.

    The answers are those of `check` itself, which answers by itself wherever anything is amiss. `serve: true`
    in your config.yaml has `check` start one in the background. It listens at a Unix socket in the git
    directory that you alone can reach. Linux tells it of every write to the records; elsewhere, and on a
    network's file system, it looks at the files for each question.
    """
    place = places.find(directory)
    if status and stop:
        raise ChalkError("--status and --stop are two questions", hint="chalkgit serve --help")
    if status or stop:
        return _status(place) if status else _stop(place)
    return _serve(place.require_store(), idle)


def _serve(place: Place, idle: float) -> int:
    os.chdir("/")  # no folder is held that somebody may want to take away
    before = signal.signal(signal.SIGTERM, _end)
    kept = Kept(place, terminal.tell)
    try:
        serve.served(place, kept, lambda question: _answered(kept, question), idle, lambda: _ready(kept))
    except _Ended:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
    return 0


class _Ended(BaseException):
    """SIGTERM: asked to end, which is no failure."""


def _end(number: int, frame: object) -> None:
    raise _Ended


def _ready(kept: Kept) -> None:
    """What the first question would wait for is done before anybody can ask."""
    kept.environment([name + b"=" + value for name, value in os.environb.items()])
    kept.prepare(lexical=False)
    terminal.say(f"chalkgit: answering `check` in {kept.place.root}; interrupt to end")


def _status(place: Place) -> int:
    answer = helper.exchange(place, [helper.STATUS]) if helper.there(place) else None
    pid = _pid(place) if answer is None else None
    if answer is not None:
        terminal.out(answer[1])
    elif pid is not None:
        terminal.out(f"process {pid} listens here, and is of another version or hangs: chalkgit serve --stop")
    else:
        terminal.out("no helper runs here: `chalkgit serve` starts one, or `serve: true` in your config.yaml")
    return 0


def _stop(place: Place) -> int:
    pid = _pid(place)
    answer = helper.exchange(place, [helper.STOP]) if helper.there(place) else None
    if answer is None and pid is None:
        terminal.out("no helper runs here")
        return 0
    deadline = time.monotonic() + thresholds.HELPER_SECONDS
    while answer is not None and helper.there(place) and time.monotonic() < deadline:
        time.sleep(0.01)
    if pid is not None and _pid(place) == pid:
        os.kill(pid, signal.SIGKILL)  # it hangs, or is of a version that knows no such request
    terminal.out("the helper has ended")
    return 0


def _pid(place: Place) -> int | None:
    """The process behind the socket; None where nobody listens, or the system does not tell."""
    try:
        connection = helper.connected(place) if helper.there(place) else None
    except (OSError, ValueError):
        return None
    if connection is None:
        return None
    pid, _ = helper.peer(connection)
    connection.close()
    return pid


class _Bytes(io.BytesIO):
    """What the question's process prints, which may go to a terminal."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def _answered(kept: Kept, question: serve.Question) -> helper.Answer | None:
    """What `check` would print and exit with in the process that asks: this one becomes like it meanwhile."""
    streams = sys.stdout, sys.stderr
    try:
        out, err = _stream(question.terminal), _stream(False)
        os.chdir(question.folder)
        _become(question.environment)
        kept.environment(question.environment)
        sys.stdout, sys.stderr = out, err
        flags = question.flags
        rows: list[str] = []  # for the journal of the process that prints
        code = asking.check(
            question.directory,
            question.proposal,
            as_json="--json" in flags,
            lexical="--lexical" in flags,
            here="--here" in flags,
            opening=kept.opened,
            keep=lambda place, directory, found: rows.append(asked.told(found)),
        )
        return code, _taken(out), _taken(err), "\n".join(rows)
    except (Declined, ChalkError, OSError, ValueError):
        return None  # what is wrong, the process that asks meets too, and says so
    finally:
        sys.stdout, sys.stderr = streams
        os.chdir("/")


def _become(environment: list[bytes]) -> None:
    wanted = dict(entry.split(b"=", 1) for entry in environment)
    if wanted != dict(os.environb.items()):
        for name in os.environb.keys() - wanted.keys():
            del os.environb[name]
        os.environb.update(wanted)
        git._found.clear()  # PATH may be another
    config.claim("")  # whose GIT_* these are, `places.find` says anew


def _stream(terminal: bool) -> io.TextIOWrapper:
    return io.TextIOWrapper(_Bytes(terminal), "utf-8", "surrogatepass", newline="\n")


def _taken(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
