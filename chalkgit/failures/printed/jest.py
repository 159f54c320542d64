"""What jest prints: `FAIL file`, then for each failing test `● suite › test`, its message, code and frames.

The default and verbose reporters print the same blocks; the summary of many failing files repeats them.
"""

from __future__ import annotations

import re
from functools import partial

from chalkgit.failures import naming
from chalkgit.failures.printed import blocks
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BULLET = "● "
_LOADING = "Test suite failed to run"
# Blocks with the same bullet that tell of no failing test.
_ASIDE = ("Console", "Deprecation Warning", "Cannot log after tests are done", "Multiple configurations")
_ENDS = ("Test Suites: ", "PASS ", "FAIL ", "RUNS ", "Summary of all failing tests", "Snapshot Summary")
_OTHER_MARKS = ("✓ ", "○ ", "✎ ")
_TIME = re.compile(r" \(\d[\d.]* m?s(?:, [^)]{1,40})?\)$| \([^)]{1,40} heap size\)$")
_DURATION = re.compile(r" \(\d[\d.]* m?s\)$")
_NAMED_ERROR = re.compile(r"\w*Error: ")
_CODE = re.compile(r"\s*>?\s*\d{1,9} \|")
_COVERAGE = "coverage threshold for "


def read(lines: Sequence[str]) -> Reading | None:
    """The failing tests that jest printed; None where this is not jest's output."""
    bullets = crosses = False
    ended = None
    for at, line in enumerate(lines):
        if _BULLET in line:
            bullets = bullets or line.lstrip().startswith(_BULLET)
        elif line.startswith("Test Suites: "):
            ended = at
        elif "✕ " in line:
            crosses = crosses or line.lstrip().startswith("✕ ")
    if ended is None and not ((bullets or crosses) and any(line.startswith("FAIL ") for line in lines)):
        return _stopped(lines) if bullets else None
    found = blocks.once(_failures(lines))
    if not found:
        found = [Failure(naming.jest(path)) for path in _crosses(lines)] or list(_thresholds(lines))
    return Reading("jest", found, complete=ended is not None)


def told(test: str, message: Sequence[str]) -> Failure:
    """The failure of a message as jest formats it, be it printed or in its JSON report."""
    cut = blocks.until(message, 0, _after)
    first = next((line.strip() for line in message[:cut] if line.strip()), "")
    if first.startswith("Jest encountered an unexpected token"):
        # four paragraphs of advice stand between this line and what was unexpected
        for at, line in enumerate(message):
            if "Error: " in line and _NAMED_ERROR.match(line.strip()):
                return blocks.failure(test, message[at : blocks.until(message, at, _after)])
    return blocks.failure(test, message[:cut] if cut else message)


def _after(line: str) -> bool:
    """Whether a line is of the code or the frames that follow a message."""
    return blocks.js_frame(line) or ("|" in line and _CODE.match(line) is not None)


def _failures(lines: Sequence[str]) -> Iterator[Failure]:
    # a title that holds the separator itself is told apart by the tree, where it is printed
    whole = {" › ".join(path): naming.jest(path) for path in _crosses(lines)}
    file = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("FAIL "):
            file = _file(line)
        elif _BULLET in line and (text := line.lstrip()).startswith(_BULLET):
            deep = blocks.indent(line)
            end = blocks.until(lines, at, partial(_ends, deep))
            yield from _block(text[len(_BULLET) :].strip(), file, lines[at:end], whole)
            at = end


def _ends(deep: int, line: str) -> bool:
    if line.startswith(_ENDS):
        return True
    return _BULLET in line and blocks.indent(line) <= deep and line.lstrip().startswith(_BULLET)


def _block(title: str, file: str, message: Sequence[str], whole: dict[str, str]) -> Iterator[Failure]:
    if title.startswith(_ASIDE) or title.endswith("Warning:"):
        return
    if title == _LOADING or title.endswith("› " + _LOADING):
        yield told(naming.slashed(file), message)
    elif title.startswith("process.exit called with"):
        yield blocks.failure("", [title])
    else:
        yield told(whole.get(title) or naming.jest(title.split(" › ")), message)


def _file(line: str) -> str:
    """The file of `FAIL  unit  test/cart.test.js (5.1 s, 40 MB heap size)`, without the project's name."""
    words = _TIME.sub("", line).split()
    return words[-1] if len(words) > 1 else ""


def _crosses(lines: Sequence[str]) -> Iterator[list[str]]:
    """Of the tree below a file the tests marked as failed, each with the titles of its suites before it."""
    suites: list[tuple[int, str]] = []
    for line in lines:
        text = line.strip()
        if not text or not line[0].isspace():
            suites = []
            continue
        deep = blocks.indent(line)
        while suites and suites[-1][0] >= deep:
            suites.pop()
        if text.startswith("✕ "):
            yield [title for _, title in suites] + [_DURATION.sub("", text[2:])]
        elif not text.startswith(_OTHER_MARKS):
            suites.append((deep, text))


def _thresholds(lines: Sequence[str]) -> Iterator[Failure]:
    for line in lines:
        if line.startswith("Jest: ") and _COVERAGE in line:
            yield Failure("", line)


def _stopped(lines: Sequence[str]) -> Reading | None:
    """jest that refused its configuration, or that the tests ended, prints one block and no counts."""
    for at, line in enumerate(lines):
        text = line.strip()
        if text.startswith(_BULLET) and "process.exit called with" in text:
            return Reading("jest", [Failure("", text[len(_BULLET) :].strip())], complete=False)
        if line.startswith(_BULLET) and line.endswith(":") and not line.endswith("Warning:"):
            return Reading("jest", [blocks.failure("", lines[at + 1 : at + 20])], complete=False)
    return None
