"""The error of a failing Rust test, binary or compilation."""

from __future__ import annotations

import re

from chalkgit import thresholds
from chalkgit.failures import lines as text
from chalkgit.failures.run import Failure

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

DETAIL_LINES = thresholds.DETAIL_LINES
PANIC = re.compile(r"thread '([^'\n]{0,1000})'(?: \(\d{1,20}\))? panicked at ")
_OLD = re.compile(r"panicked at '(.{0,1900})$")
_OLD_END = re.compile(r"', [^\s']{1,500}:\d{1,9}:\d{1,9}$")
_ENDS = ("note: ", "stack backtrace:", "---- ", "failures:", "test result: ", "thread '")
_SURFACE = re.compile(
    r"error: (?:could not compile |(?:doc)?test failed, to rerun|aborting due to |build failed"
    r"|process didn't exit"
    r"|\d{1,9} targets? failed|test run failed|bench failed)"
)
# Older compilers stop after names that are not found; newer go on and may print a wrong type first.
_NAMES = re.compile(
    r"error(?:\[E(?:0405|0407|0412|0422|0423|0425|0432|0433|0437|0438|0463|0531|0574|0583)\]:|: cannot find )"
)


def of_section(lines: Sequence[str], start: int, end: int) -> tuple[str | None, list[str]]:
    """What libtest shows of one test: what it printed, and its panic, its `Error:`, or what it should
    have panicked."""
    for at in range(start, end):
        if lines[at].startswith(("note: panic did not contain", "note: test did not panic")):
            return lines[at], _told(lines, at + 1, end)
    for at in range(start, end):
        if PANIC.match(lines[at]):
            return of_panic(lines, at, end)
    errors = [at for at in range(start, end) if lines[at].startswith("Error: ")]
    if errors:
        return lines[errors[-1]], _told(lines, errors[-1] + 1, end)
    compiled = [at for at in range(start, end) if lines[at].startswith(("error[", "error: "))]
    told = compiled or [at for at in range(start, end) if lines[at].strip()]
    return (lines[told[0]].strip(), _told(lines, told[0] + 1, end)) if told else (None, [])


def of_panic(lines: Sequence[str], at: int, end: int) -> tuple[str | None, list[str]]:
    """A panic's message: since 1.73 on the lines after, before that in quotes on the same."""
    if old := _OLD.search(lines[at]):
        first = _OLD_END.sub("", old[1])
        detail = [] if first != old[1] else _told(lines, at + 1, end)
        if detail:
            last = next((i for i, line in enumerate(detail) if _OLD_END.search(line)), len(detail) - 1)
            detail = [_OLD_END.sub("", line) for line in detail[: last + 1]]
        return text.clean(first), detail
    told = _told(lines, at + 1, end)
    return (told[0], told[1:]) if told else (lines[at].strip(), [])


def of_build(lines: Sequence[str], errors: Sequence[int]) -> Failure | None:
    """The error that a compilation, or cargo itself, ended with."""
    meant = [at for at in errors if not _SURFACE.match(lines[at])]
    first = next((at for at in meant if _NAMES.match(lines[at])), meant[0] if meant else None)
    if first is not None:
        if "failed to run custom build command" in lines[first]:
            for at in range(first, min(first + 200, len(lines))):
                if PANIC.match(lines[at].strip()):
                    return Failure("", *of_panic(lines, at, len(lines)))
        return Failure("", lines[first], _told(lines, first + 1, len(lines)))
    for at in errors:
        if error := of_exit(lines, at):
            return Failure("", error)
    return None


def of_exit(lines: Sequence[str], at: int) -> str | None:
    """How the process ended that the line `at` tells the failure of."""
    for line in lines[at + 1 : at + 6]:
        if "process didn't exit successfully: " in line:
            return line.strip()
    return None


def _told(lines: Sequence[str], start: int, end: int) -> list[str]:
    """The lines of one message, stripped, no blank ones."""
    told: list[str] = []
    for line in lines[start:end]:
        line = line.strip()
        if line.startswith(_ENDS) or len(told) > DETAIL_LINES:
            break
        if line:
            told.append(line)
    return told[: DETAIL_LINES + 1]
