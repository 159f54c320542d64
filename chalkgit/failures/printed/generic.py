"""The first error line of a log that no known runner wrote: the cause, not what only reports a failure.

The nearest to the cause wins (`signs.weight`), of equals the first, since what follows are
consequences; but of several tracebacks of Python's the last where the log ends with it, since the
earlier ones were caught.
"""

from __future__ import annotations

from chalkgit import thresholds
from chalkgit.failures import lines as text
from chalkgit.failures.printed import signs, tracebacks
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

DETAIL_LINES = thresholds.DETAIL_LINES
_MOST = 30_000  # lines that may be errors: of more, the first third and the last two
_END_LINES = 12  # a traceback that so many lines follow did not end the run
_CAUSED = "Caused by: "
_STACK = ("at ", "... ", "Suppressed: ", _CAUSED)


def read(lines: Sequence[str]) -> Reading | None:
    """One failure of no test; None where no line tells of an error."""
    traced = _tracebacks(lines)
    inside = {at for start, end in traced for at in range(start, end + 1)}
    best: tuple[int, int] | None = None  # weight, line
    for at in _candidates(lines):
        if at in inside:
            continue
        weight = signs.weight(text.clean(lines[at]), lines[at])
        if weight and (best is None or weight < best[0]):
            best = (weight, at)
            if weight == 1:
                break
    ended = _uncaught(lines, traced)
    if ended is not None:
        weight = 3 if signs.repeats(text.clean(lines[ended])) else 1
        if best is None or (weight, ended) < best:
            told = tracebacks.message(lines, ended, len(lines), DETAIL_LINES)
            return Reading(
                "unknown", [Failure("", text.clean(lines[ended].strip().removeprefix("| ")), told)]
            )
    if best is None:
        return None
    at = _root(lines, best[1])
    return Reading("unknown", [Failure("", text.clean(lines[at]), _detail(lines, at))])


def _candidates(lines: Sequence[str]) -> list[int]:
    found = [at for at, line in enumerate(lines) if line and signs.may_be_error(line)]
    return found if len(found) <= _MOST else found[: _MOST // 3] + found[-2 * _MOST // 3 :]


def _tracebacks(lines: Sequence[str]) -> list[tuple[int, int]]:
    """(first line, line of its last exception) of each chain of tracebacks, at most a thousand."""
    found: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        if tracebacks.HEADER in line and (not found or at > found[-1][1]) and len(found) < 1_000:
            exception = tracebacks.last_exception(lines, at, len(lines))
            if exception is not None:
                found.append((at, exception))
    return found


def _uncaught(lines: Sequence[str], traced: Sequence[tuple[int, int]]) -> int | None:
    """Where the exception stands that ended a Python program."""
    if not traced:
        return None
    last = traced[-1][1]
    after = [
        line for line in lines[last + 1 : last + 200] if line.strip() and not signs.repeats(text.clean(line))
    ]
    return last if len(after) <= _END_LINES else traced[0][1]


def _root(lines: Sequence[str], at: int) -> int:
    """Of a Java stack trace its last cause."""
    found = at
    for i in range(at + 1, min(at + 2_000, len(lines))):
        line = lines[i].lstrip()
        if not line.startswith(_STACK):
            break
        if line.startswith(_CAUSED):
            found = i
    return found


def _detail(lines: Sequence[str], at: int) -> list[str]:
    told: list[str] = []
    for line in lines[at + 1 : at + 1 + 2 * DETAIL_LINES]:
        if not (line := text.clean(line)) or len(told) == DETAIL_LINES:
            break
        told.append(line)
    return told
