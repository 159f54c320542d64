"""What node's own test runner prints: its spec, dot and TAP reporters.

The list under "failing tests:" has each failure whole, without its suites, which come from the tree before.
In TAP the suites are the "# Subtest:" around a result.
"""

from __future__ import annotations

import itertools
import re

from chalkgit.failures import naming
from chalkgit.failures.printed import blocks, tap_stream
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CROSS, _OPEN = "✖ ", "▶ "
_SUBTEST = "# Subtest: "
_MARKS = (_CROSS, _OPEN, "✔ ", "﹣ ", "ℹ ", "⚠ ", "→ ")
_LISTED = ("✖ failing tests:", "Failed tests:")
_TIME = re.compile(r" \(\d[\d.]{0,40}m?s\)(?: # .*)?$")
_WHERE = re.compile(r"test at (.+?):\d{1,9}:\d{1,9}$")
_PARENT = re.compile(r"'?\d{1,9} subtests? failed'?$|\[?Error \[ERR_TEST_FAILURE\]: \d{1,9} subtests? failed")
_CANCELLED = "test did not finish before its parent and was cancelled"
_FILE_FAILED = "test failed"
_TODO = ("# TODO", "# SKIP")
# What the spec reporter writes after a message: the frames, and the properties of the error in braces.
_SUMMARY = ("ℹ tests ", "ℹ suites ", "ℹ pass ", "ℹ fail ")


def read(lines: Sequence[str]) -> Reading | None:
    """The failing tests that `node --test` printed; None where this is not its output."""
    listed = counted = False
    opened = False
    for line in lines:
        if line.startswith("ℹ"):
            counted = counted or line.startswith(_SUMMARY)
        elif line.startswith(_LISTED):
            listed = True
        elif _OPEN in line or _CROSS in line:
            opened = opened or (line.lstrip().startswith((_OPEN, _CROSS)) and line.endswith("ms)"))
        elif "failureType: '" in line:
            return _read_tap(lines)
    if not (counted or listed or opened):
        return None
    found = _failures(lines)
    return Reading("node", blocks.once(found), complete=counted or listed)


class _Seen:
    """A failed test of the tree: its suites and itself, and its error where the tree has it."""

    __slots__ = ("block", "path")

    def __init__(self, path: list[str], block: Sequence[str]) -> None:
        self.path = path
        self.block = block


def _failures(lines: Sequence[str]) -> list[Failure]:
    start = next((at for at, line in enumerate(lines) if line.startswith(_LISTED)), len(lines))
    tree = list(itertools.islice(_tree(lines[:start]), blocks.FAILURES))
    listed = list(itertools.islice(_listed(lines[start + 1 :]), blocks.FAILURES))
    if not listed:
        listed = [(seen.path[-1], "", seen.block) for seen in tree]
    # of several tests with one name, in the order they ended
    waiting: dict[str, list[_Seen]] = {}
    for seen in reversed(tree):
        waiting.setdefault(seen.path[-1], []).append(seen)
    told = []
    for name, file, block in listed:
        known = waiting.get(name)
        told.append((known.pop().path if known else [name], file, block))
    files = _files(lines)
    return [one for path, file, block in _hooks(told) for one in _one(path, file, block, lines, files)]


def _hooks(
    told: Sequence[tuple[list[str], str, Sequence[str]]],
) -> Iterator[tuple[list[str], str, Sequence[str]]]:
    """A hook that fails is told as its suite's failure, and cancels its tests: they failed with its error."""
    suites = {tuple(path): block for path, _, block in told}
    cancelled = {tuple(path[:-1]) for path, _, block in told if _first(block).strip("'") == _CANCELLED}
    for path, file, block in told:
        if _first(block).strip("'") == _CANCELLED:
            above = [suites.get(tuple(path[:deep])) for deep in range(len(path) - 1, 0, -1)]
            yield path, file, next((one for one in above if one and not _PARENT.match(_first(one))), block)
        elif tuple(path) not in cancelled:
            yield path, file, block


def _first(block: Sequence[str]) -> str:
    return next((line.strip() for line in block if line.strip()), "")


def _one(
    path: Sequence[str], file: str, block: Sequence[str], lines: Sequence[str], files: dict[str, int]
) -> Iterator[Failure]:
    first = _first(block)
    if _PARENT.match(first):
        return
    if first.strip("'") == _FILE_FAILED and len(path) == 1:
        crash = _crash(lines, files.get(path[0], 0))
        found = naming.slashed(file or path[0])
        yield Failure(found, crash.error, crash.detail) if crash else Failure(found)
        return
    if first.startswith("[") and first.endswith("]") and "Error" in first:
        first = first[1:-1]  # an error without frames is shown in brackets
        block = [first]
    yield blocks.failure(naming.node(path), block)


def _files(lines: Sequence[str]) -> dict[str, int]:
    """The first place of each file that failed as a whole, be it told by the spec reporter or in TAP."""
    found: dict[str, int] = {}
    for at, line in enumerate(lines):
        if line.startswith((_CROSS, _SUBTEST)):
            name = line.removeprefix(_SUBTEST) if line.startswith(_SUBTEST) else _TIME.sub("", line[2:])
            found.setdefault(name, at)
    return found


def _crash(lines: Sequence[str], at: int) -> Failure | None:
    """Of a file that failed as a whole: the exception that it printed itself, before its own line."""
    start = at
    commented = at > 0 and lines[at].startswith("#")
    while start > 0 and at - start < blocks.BLOCK_LINES:
        before = lines[start - 1]
        if before.startswith(_MARKS) or (commented and not before.startswith("#")):
            break
        start -= 1
    if commented:
        return blocks.node_crash([line[2:] for line in lines[start:at]])
    # what is indented belongs to the test before
    while start < at and not lines[start][:1].strip():
        start += 1
    return blocks.node_crash(lines[start:at])


def _tree(lines: Sequence[str]) -> Iterator[_Seen]:
    """The failed tests in the order they ended: a test's own line comes after those of what it holds."""
    suites: list[tuple[int, str]] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        text = line.lstrip()
        if not text.startswith(_MARKS):
            continue
        deep = len(line) - len(text)
        title = _TIME.sub("", text[2:])
        if text.startswith(_OPEN):
            suites = [suite for suite in suites if suite[0] < deep]
            suites.append((deep, title))
            continue
        closing = bool(suites) and suites[-1] == (deep, title)
        suites = [suite for suite in suites if suite[0] < deep]
        if not text.startswith(_CROSS) or any(mark in text for mark in _TODO):
            continue
        end = blocks.until(lines, at, lambda after: after.lstrip().startswith(_MARKS))
        block = _message(lines[at:end], deep)
        if closing and not any(map(str.strip, block)):
            continue
        yield _Seen([name for _, name in suites] + [title], block)
        at = end


def _listed(lines: Sequence[str]) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Name, file and error of each failure of the list at the end."""
    file = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("test at ") and (match := _WHERE.match(line)):
            file = match[1]
        elif line.startswith(_CROSS):
            end = blocks.until(lines, at, lambda after: after.startswith((_CROSS, "test at ")))
            if not any(mark in line for mark in _TODO):
                yield _TIME.sub("", line[2:]), file, _message(lines[at:end], 0)
            at, file = end, ""


def _message(block: Sequence[str], deep: int) -> Sequence[str]:
    """The part of a block before the frames; a line less deep than the error is of something else."""
    found: list[str] = []
    for line in block:
        text = line.strip()
        if blocks.js_frame(line) or (text and found and blocks.indent(line) <= deep):
            break
        found.append(line)
    return found


def _read_tap(lines: Sequence[str]) -> Reading:
    told = []
    for result in itertools.islice(tap_stream.failed(lines), blocks.FAILURES):
        kind = result.values.get("failureType", "")
        message = result.values.get("error", "").splitlines() or [""]
        thrown = not message[0].startswith(("{", "["))  # else an object that is no error
        if thrown and "stack" in result.values and kind in ("testCodeFailure", "hookFailed"):
            # as the spec reporter shows it: the class, and behind it node's own codes
            code = result.values.get("code", "")
            own = f" [{code}]" if code.startswith("ERR_") and code != "ERR_TEST_FAILURE" else ""
            message[0] = f"{result.values.get('name', 'Error')}{own}: {message[0]}"
        told.append((result.path, "", message))
    files = _files(lines)
    found = [one for path, file, block in _hooks(told) for one in _one(path, file, block, lines, files)]
    return Reading("node", blocks.once(found))
