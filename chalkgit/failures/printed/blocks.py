"""What the readers of printed output share: blocks of lines, and the failure that a block tells."""

from __future__ import annotations

import itertools
import re

from chalkgit import thresholds
from chalkgit.failures import lines as texts
from chalkgit.failures.run import Failure

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

DETAIL_LINES = thresholds.DETAIL_LINES
BLOCK_LINES = thresholds.BLOCK_LINES
FAILURES = thresholds.PRINTED_FAILURES

_NODE_ERROR = re.compile(r"(?:Uncaught )?(?:[A-Z][\w$.]*(?:Error|Exception)|Error)(?: \[[\w ]+\])?(?::|$)")
_JS_FRAME = re.compile(
    r"at .*(?::\d{1,9}:\d{1,9}|<anonymous>|native|index \d{1,9}|\.[cm]?[jt]sx?:\d{1,9})\)?(?: \{)?$"
)


def indent(line: str) -> int:
    """How many blanks a line begins with; a tab is one."""
    return len(line) - len(line.lstrip())


def failure(test: str, block: Iterable[str]) -> Failure:
    """The failure of `test` that a block tells: its first line that is not blank, and those after it."""
    told = [line for line in map(texts.clean, _few(block)) if line]
    if not told:
        return Failure(test)
    return Failure(test, told[0], told[1 : 1 + DETAIL_LINES])


def _few(block: Iterable[str]) -> list[str]:
    found = []
    for line in block:
        if line.strip():
            found.append(line)
            if len(found) > DETAIL_LINES:
                break
    return found


def until(lines: Sequence[str], start: int, ends: Callable[[str], bool]) -> int:
    """The first place from `start` on whose line ends a block, at most BLOCK_LINES away."""
    most = min(len(lines), start + BLOCK_LINES)
    at = start
    while at < most and not ends(lines[at]):
        at += 1
    return at


def once(failures: Iterable[Failure]) -> list[Failure]:
    """Each failing test once, with the first error told of it: runners repeat failures in a summary."""
    found: dict[str, Failure] = {}
    for one in itertools.islice(failures, FAILURES):
        known = found.get(one.test)
        if known is None or (known.error is None and one.error is not None):
            found[one.test] = one
    return list(found.values())


def node_crash(lines: Sequence[str]) -> Failure | None:
    """An exception that ended node, as node prints it: `ReferenceError: x`, then frames. None: no such."""
    start = None
    for at, line in enumerate(lines):
        if start is not None and js_frame(line):
            return failure("", [lines[start].strip(), *lines[start + 1 : at]])
        if ("rror" in line or "xception" in line) and _NODE_ERROR.match(line.strip()):
            start = at
    return None


def js_frame(line: str) -> bool:
    """Whether this is a frame of a JavaScript stack: `    at Object.toBe (test/cart.test.js:6:37)`."""
    text = line.lstrip()
    return text.startswith("at ") and _JS_FRAME.match(text) is not None
