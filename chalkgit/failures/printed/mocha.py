"""What mocha prints: its epilogue `1) suite` / `test:` with the message, the difference and the frames.

The spec, dot, list, landing, min, nyan and progress reporters end alike.
"""

from __future__ import annotations

import re

from chalkgit.failures import naming
from chalkgit.failures.printed import blocks
from chalkgit.failures.run import Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from chalkgit.failures.run import Failure

_FAILING = re.compile(r"(\s*)\d{1,9} failing$")
_ENTRY = re.compile(r"(\s*)\d{1,9}\) (.*)$")
_STOPPED = ("Exception during run:", "Error: No test files found", "Error: Cannot find any files matching")
_PASSING = re.compile(r"\s*\d{1,9} passing \(")


def read(lines: Sequence[str]) -> Reading | None:
    """The failing tests that mocha printed; None where this is not mocha's output."""
    found: list[Failure] = []
    mine = False
    for at, line in enumerate(lines):
        if line.endswith(" failing") and (match := _FAILING.match(line)):
            mine = True
            found.extend(_epilogue(lines, at + 1, len(match[1])))
        elif " passing (" in line and _PASSING.match(line):
            mine = True
        elif line.lstrip().startswith(_STOPPED):
            return Reading("mocha", [_stopped(lines, at)], complete=False)
    if mine:
        return Reading("mocha", blocks.once(found))
    if any("/mocha/" in line and "node_modules" in line for line in lines):
        crash = blocks.node_crash(lines)
        return Reading("mocha", [crash], complete=False) if crash else None
    return None


def _stopped(lines: Sequence[str], at: int) -> Failure:
    """What kept mocha from running: an exception while it loaded the tests, or that there were none."""
    first = lines[at].strip().removeprefix("Exception during run:").strip()
    if "Error" not in first and (crash := blocks.node_crash(lines[at + 1 : at + 40])):
        return crash  # node shows the place and the code before a syntax error
    return blocks.failure("", [first, *lines[at + 1 : blocks.until(lines, at + 1, blocks.js_frame)]])


def _epilogue(lines: Sequence[str], start: int, deep: int) -> Iterator[Failure]:
    at = start
    while at < len(lines):
        line = lines[at]
        at += 1
        match = _ENTRY.match(line) if ") " in line else None
        if match is None or len(match[1]) != deep:
            if line and blocks.indent(line) < deep:
                return  # what was printed after the tests
            continue
        titles, at = _titles(lines, at, match[2], deep + 3)
        end = blocks.until(lines, at, lambda after: _entry(after, deep))
        message = lines[at : at + blocks.until(lines[at:end], 0, _after)]
        yield blocks.failure(naming.jest(titles), message)
        at = end


def _titles(lines: Sequence[str], at: int, first: str, deep: int) -> tuple[list[str], int]:
    """The titles from the outermost suite to the test, each two blanks deeper, the last with a colon; and
    where they end."""
    titles = [first]
    while at < len(lines) and blocks.indent(lines[at]) == deep + 2 * len(titles) and lines[at].strip():
        titles.append(lines[at].strip())
        at += 1
    return [*titles[:-1], titles[-1].removesuffix(":")], at


def _entry(line: str, deep: int) -> bool:
    if ") " not in line:
        return False
    match = _ENTRY.match(line)
    return match is not None and len(match[1]) == deep


def _after(line: str) -> bool:
    """Whether a line is no more of the message: a frame, or the difference, which the report lacks."""
    return line.strip() == "+ expected - actual" or blocks.js_frame(line)
