"""What ExUnit prints (`mix test`, `elixir test.exs`), and how Elixir tells of code that does not compile."""

from __future__ import annotations

import re

from chalkgit import thresholds
from chalkgit.failures import lines as text
from chalkgit.failures import naming
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

DETAIL_LINES = thresholds.DETAIL_LINES
_TITLE = re.compile(r"\s{0,8}\d{1,6}\) (\w{1,40} .{1,1000}) \(([A-Z][\w.]{0,300})\)$")
_SETUP_ALL = re.compile(r"\s{0,8}\d{1,6}\) ([A-Z][\w.]{0,300}): failure on setup_all callback")
_KINDS = ("test ", "doctest ", "property ", "feature ")
_PLACE = re.compile(r"\s{1,12}\S{1,500}\.exs?:\d{1,9}$")
_FINISHED = re.compile(r"Finished in [\d.]{1,20} seconds(?: \(.{0,200}sync\))?$")
_RAISED = re.compile(r"\*\* \((?:[A-Z][\w.]{0,200}|exit|throw|stop)\)")
_ENDS = ("stacktrace:", "The following output was logged:")
_BLOCK_LINES = 2_000


def read(lines: Sequence[str]) -> Reading | None:
    """The failures of a run of ExUnit; None where this is none."""
    failures: list[Failure] = []
    finished = False
    raised: int | None = None
    for at, line in enumerate(lines):
        if line.endswith(")") and ") " in line[:16] and (title := _TITLE.match(line)):
            if title[1].startswith(_KINDS) or (at + 1 < len(lines) and _PLACE.match(lines[at + 1])):
                failures.append(Failure(naming.exunit(title[2], title[1]), *_error(lines, at + 1)))
        elif "failure on setup_all" in line and (setup := _SETUP_ALL.match(line)):
            failures.append(Failure(naming.exunit(setup[1], ""), *_error(lines, at + 1)))
        elif line.startswith("Finished in ") and _FINISHED.match(line):
            finished = finished or _counted(lines, at)
        elif raised is None and line.startswith("** (") and _RAISED.match(line):
            raised = at
    if failures:
        return Reading("exunit", failures, complete=finished)
    if raised is not None:
        return Reading("exunit", [_compilation(lines, raised)])
    return Reading("exunit", ()) if finished else None


def _counted(lines: Sequence[str], at: int) -> bool:
    """RSpec says `Finished in` too, but counts examples."""
    return any(" failure" in line and "example" not in line for line in lines[at + 1 : at + 3])


def _error(lines: Sequence[str], start: int) -> tuple[str | None, list[str]]:
    if start < len(lines) and _PLACE.match(lines[start]):
        start += 1
    told: list[str] = []
    for line in lines[start : start + _BLOCK_LINES]:
        if (
            (line and not line.startswith("     "))
            or line.strip().startswith(_ENDS)
            or len(told) > DETAIL_LINES
        ):
            break
        if line.strip():
            told.append(line.strip())
    return (text.clean(told[0]), told[1 : 1 + DETAIL_LINES]) if told else (None, [])


def _compilation(lines: Sequence[str], raised: int) -> Failure:
    """The compiler's own `error:` where it logged one before it gave up, or right after the
    exception's first line."""
    errors = [at for at in range(raised) if lines[at].lstrip().startswith("error: ")]
    if errors and ("errors have been logged" in lines[raised] or "cannot compile" in lines[raised]):
        at = errors[0]
    elif (
        lines[raised].endswith(":")
        and raised + 1 < len(lines)
        and lines[raised + 1].lstrip().startswith("error: ")
    ):
        at = raised + 1
    else:
        at = raised
    detail = [line.strip() for line in lines[at + 1 : at + 1 + DETAIL_LINES]]
    return Failure("", text.clean(lines[at]), detail[: detail.index("")] if "" in detail else detail)
