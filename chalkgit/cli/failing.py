"""The failed run that several commands are told of: its report, its output, its exit code."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any, TypeVar

import click

from chalkgit import thresholds
from chalkgit.cli import app, terminal
from chalkgit.errors import ChalkError
from chalkgit.failures.reading import Run, read

F = TypeVar("F", bound=Callable[..., Any])

_CHUNK = 1 << 20
_HINTS = {
    "the report": "--report FILE is JUnit XML, `go test -json` or the JSON of a runner",
    "the output": "COMMAND > run.log 2>&1, then --output run.log",
    "the spec": "--spec FILE is text: a task, a ticket, a design",
}

REPORT = click.option(
    "--report",
    metavar="FILE",
    multiple=True,
    help="What the runner reported: JUnit XML, `go test -json`, jest's, vitest's, mocha's or rspec's JSON; "
    "a folder of XML files; repeatable.",
)
OUTPUT = click.option("--output", metavar="FILE", help="What the failed run printed; - for standard input.")
EXIT_CODE = click.option(
    "--exit-code",
    metavar="N",
    type=click.IntRange(-(2**31), 2**32),
    help="What the failed run exited with; negative for a signal.",
)
ROOT = click.option(
    "--root", metavar="DIR", help="The folder the run was started in, if not this repository."
)


def options(*, root: bool = False) -> Callable[[F], F]:
    """--report, --output, --exit-code and, where asked, --root."""

    def decorate(function: F) -> F:
        for option in [*([ROOT] if root else []), EXIT_CODE, OUTPUT, REPORT]:
            function = option(function)
        return function

    return decorate


def run(directory: str | None, given: Mapping[str, Any], here: str | None) -> Run | None:
    """The run that the options tell of, None where they name none; stderr says what was not read and why.

    here: the root of the repository this is asked in.
    """
    reports, output = given.get("report") or (), given.get("output")
    if not reports and output is None:
        return None
    if [*reports, output].count("-") > 1:
        raise ChalkError("standard input is one of them: --report or --output", hint="--output FILE")
    said = content(directory, output, "the output")
    told, late = _told(directory, reports, output)
    found = read(
        told,
        said,
        exit_code=given.get("exit_code"),
        root=_root(directory, given.get("root")),
        here=here,
        late=late,
    )
    for note in found.notes:
        terminal.tell(note)
    return found


def _root(directory: str | None, root: str | None) -> str | None:
    return None if root is None else os.path.abspath(app.absolute(directory, root))


def files(directory: str | None, given: Mapping[str, Any]) -> list[str]:
    """The files that tell of the run, as the system finds them."""
    named = [*(given.get("report") or ()), given.get("output")]
    return [os.path.abspath(app.absolute(directory, path)) for path in named if path not in (None, "-")]


def _told(directory: str | None, reports: Sequence[str], output: str | None) -> tuple[bytes | None, bool]:
    """The reports one after another, without those of another run; whether all are of another."""
    if not reports:
        return None, False
    if output is not None:
        # a run that crashed has written none, and is the one that needs its lesson
        lost = [path for path in reports if path != "-" and not _is_there(app.absolute(directory, path))]
        for path in lost:
            terminal.tell(f"the report is not there, and the output is read: {path}")
        reports = [path for path in reports if path not in lost]
        if not reports:
            return None, False
    paths = [path for report in reports for path in _inside(directory, report)]
    late = {path for path in paths if _late(directory, path, output)}
    kept = [path for path in paths if path not in late]
    if late and kept:
        terminal.tell(f"{len(late)} of {len(paths)} reports are much older than the output, and not read")
    contents = [content(directory, path, "the report") or b"" for path in kept or paths]
    return b"\n".join(contents), not kept


def _is_there(path: str) -> bool:
    """A folder where the runner was stopped before its first report has none."""
    return bool(_xml(path)) if os.path.isdir(path) else os.path.exists(path)


def _xml(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise ChalkError(
            f"the report cannot be read: {error.strerror}", where=folder, hint=_HINTS["the report"]
        ) from None
    return [name for name in names if name.endswith(".xml") and os.path.isfile(os.path.join(folder, name))]


def _inside(directory: str | None, path: str) -> list[str]:
    """The path, or the XML files of a folder, as surefire and Gradle leave them."""
    folder = app.absolute(directory, path)
    if path == "-" or not os.path.isdir(folder):
        return [path]
    found = [os.path.join(path, name) for name in _xml(folder)]
    if not found:
        raise ChalkError("the report is a folder without XML files", where=path, hint=_HINTS["the report"])
    if len(found) > thresholds.REPORT_FILES:
        terminal.tell(f"of {len(found):,} reports in {path} the first {thresholds.REPORT_FILES:,} are read")
    return found[: thresholds.REPORT_FILES]


def content(directory: str | None, path: str | None, what: str) -> bytes | None:
    """The bytes of a file, or the beginning and the end of one that is too large."""
    if path is None:
        return None
    try:
        if path == "-":
            return _bounded(sys.stdin.buffer, what)
        with open(app.absolute(directory, path), "rb") as file:
            _refuse_device(file, path, what)
            return _bounded(file, what)
    except OSError as error:
        raise ChalkError(f"{what} cannot be read: {error.strerror}", where=path, hint=_HINTS[what]) from None


def _refuse_device(file: IO[bytes], path: str, what: str) -> None:
    """ChalkError for a device such as /dev/zero, which has no end."""
    status = os.fstat(file.fileno())
    if stat.S_ISCHR(status.st_mode) and not file.isatty() and status.st_rdev != os.stat(os.devnull).st_rdev:
        raise ChalkError(f"{what} is a device, not a file", where=path, hint=_HINTS[what])


def _bounded(file: IO[bytes], what: str) -> bytes:
    head = file.read(thresholds.RUN_HEAD_BYTES)
    skipped = max(0, _size(file) - len(head) - thresholds.RUN_TAIL_BYTES)
    if skipped:
        file.seek(skipped, os.SEEK_CUR)
    tail: deque[bytes] = deque()
    held = 0
    while chunk := file.read(_CHUNK):
        tail.append(chunk)
        held += len(chunk)
        if held - len(tail[0]) >= thresholds.RUN_TAIL_BYTES:
            held -= len(tail[0])
            skipped += len(tail.popleft())
    if not skipped:
        return head + b"".join(tail)
    terminal.tell(f"{what} is large: {skipped:,} bytes in the middle of it are not read")
    # a line or a tag that was cut in two is no line: both ends are complete ones
    end = b"".join(tail)
    return head[: head.rfind(b"\n") + 1] + end[end.find(b"\n") + 1 :]


def _size(file: IO[bytes]) -> int:
    """The bytes of a plain file; 0 for what has to be read to its end, such as a pipe."""
    try:
        status = os.fstat(file.fileno())
    except OSError:  # no file at all
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _late(directory: str | None, report: str, output: str | None) -> bool:
    """Whether the report's file is so much older than the output's that another run wrote it."""
    if report == "-" or output is None or output == "-":
        return False
    try:
        told, said = (os.stat(app.absolute(directory, path)) for path in (report, output))
    except OSError:  # read a moment ago
        return False
    both = stat.S_ISREG(told.st_mode) and stat.S_ISREG(said.st_mode)
    return both and min(said.st_mtime, time.time()) - told.st_mtime > thresholds.STALE_REPORT_SECONDS
