"""What pytest prints, in all its styles of traceback: ids from the short summary, errors from the blocks.

Where no summary was asked for (`-rN`, `--no-summary`, a run that was cut off) the ids come from the lines of
`-v`, or from a block's title and its first location. A run that ended without blaming a test (a usage
error, an error inside of pytest, a crash of the interpreter, nothing collected) gives one failure, with
a test where the stack names it.
"""

from __future__ import annotations

import bisect
import re

from chalkgit.failures import naming
from chalkgit.failures.printed import pytest_blocks, pytest_ends, tracebacks
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

_SECTIONS = (
    "test session starts",
    "FAILURES",
    "ERRORS",
    "PASSES",
    "XFAILURES",
    "XPASSES",
    "short test summary info",
)
_COUNTS = re.compile(
    r"(?:no tests (?:ran|collected|run)|\d{1,9} (?:failed|passed|skipped|deselected|xfailed|xpassed"
    r"|warnings?|errors?|rerun"
    r"|subtests|tests collected))\b.{0,300} in \d[\d.]{0,20}(?:s| seconds)(?: \(.{1,40}\))?$"
)
_OTHER_SECTIONS = ("warnings summary", "slowest ")
_SUMMARY = ("FAILED ", "ERROR ", "SUBFAIL")
_SUBTEST = re.compile(r"SUBFAIL(?:ED)?\b.{0,1000}?(?:^|(?<=[\s\])]))(\S{1,500}::.*)")
_VERBOSE = re.compile(
    r"(?:\[gw\d{1,4}\] \[ *\d{1,3}%\] (FAILED|ERROR) )?(\S.{0,1500}::.{1,1500}?)(?: (FAILED|ERROR)\b.*|$)"
)
_RANK = {"SUBFAIL": 0, "FAILED": 1, "ERROR": 2}
_BARE = re.compile(r"\S.{0,500}?:\d{1,9}: (?=\S)")


class Seen:
    """One pass over an output: where its parts stand."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.blocks: list[pytest_blocks.Block] = []
        self.bare: list[tuple[int, int]] = []  # the FAILURES of --tb=line, which have no titles
        self.summary: list[tuple[str, str]] = []  # FAILED, ERROR or SUBFAIL, and what follows it
        self.verbose: list[tuple[str, str]] = []
        self.root: str | None = None
        self.is_pytest = False
        self.counts: int | None = None
        self._scan()

    def _scan(self) -> None:
        section, opened, width = "", 0, 0  # rules are as wide as the terminal, what tests print seldom is
        for at, line in enumerate(self.lines):
            first = line[:1]
            if first == "=" or first == "!" or (first and first in "1234567890n" and " in " in line):
                title = line.strip("=! ")
                counts = _COUNTS.match(title)
                begins = first == "=" and (title in _SECTIONS or title.startswith(_OTHER_SECTIONS))
                if 4 * len(line) < 3 * width and first in "=!":
                    continue
                if counts or begins:
                    self._close(section, opened, at)
                    section, opened = ("", at) if counts else (title, at + 1)
                    self.is_pytest = True
                    self.counts = at if counts else self.counts
                    width = len(line) if first == "=" else width
                elif first == "!" and line.endswith("!"):
                    self._close(section, opened, at)
                    section, opened = "", at
            elif section in ("FAILURES", "ERRORS"):
                if first == "_" and 4 * len(line) >= 3 * width and (name := pytest_blocks.title(line)):
                    self._close(section, opened, at)
                    self.blocks.append(pytest_blocks.Block(section, name, at + 1))
                    opened = -1
            elif section == "short test summary info":
                if line.startswith(_SUMMARY):
                    self.summary.append((line.split(" ", 1)[0][:7], line))
            elif first == "r" and line.startswith("rootdir: ") and self.root is None:
                self.root = line[9:].split(", ", 1)[0].strip()
            elif "::" in line and (" FAILED" in line or " ERROR" in line or "FAILED " in line):
                self._verbose(line)
        self._close(section, opened, len(self.lines))

    def _close(self, section: str, opened: int, at: int) -> None:
        if section not in ("FAILURES", "ERRORS"):
            return
        if opened >= 0:
            if any(line.strip() for line in self.lines[opened:at]):
                self.bare.append((opened, at))
        else:
            self.blocks[-1].end = at

    def _verbose(self, line: str) -> None:
        if (found := _VERBOSE.match(line)) and (word := found[1] or found[3]):
            self.verbose.append((word, found[2]))


def read(lines: Sequence[str]) -> Reading | None:
    """The failures of a pytest run; None where this is none."""
    seen = Seen(lines)
    ends = pytest_ends.find(lines)
    if not seen.is_pytest and not ends.is_pytest:
        return None
    failures = _failures(seen)
    if not failures and (failure := ends.failure(seen.root, seen.counts)):
        failures = [failure]
    return Reading("pytest", failures, root=seen.root, complete=seen.counts is not None or ends.is_pytest)


def _failures(seen: Seen) -> list[Failure]:
    """Subtests before the test they are of, what failed in the test before what failed after it."""
    blocks = pytest_blocks.Queue(seen.blocks)
    bare = _Bare(seen)
    found: list[tuple[int, Failure]] = []
    for word, line in seen.summary:
        node, said = _split(word, line, blocks)
        found.append((_RANK[word], _failure(seen, blocks, bare, word, node, said)))
    if not found:
        for word, node in dict.fromkeys(seen.verbose):
            found.append((_RANK[word], _failure(seen, blocks, bare, word, node, None)))
    if not found:
        for block in seen.blocks:
            error, detail = pytest_blocks.error(seen.lines, block.start, block.end)
            test = pytest_blocks.node(seen.lines, block, seen.root)
            rank = _RANK["ERROR" if block.section == "ERRORS" else "FAILED"]
            found.append((rank, Failure(naming.python_node(test) if test else "", error, detail)))
    return [failure for _, failure in sorted(found, key=lambda pair: pair[0])]


def _failure(
    seen: Seen, blocks: pytest_blocks.Queue, bare: _Bare, word: str, node: str, said: str | None
) -> Failure:
    block = blocks.take(word, node)
    if block is not None:
        error, detail = pytest_blocks.error(seen.lines, block.start, block.end)
    else:
        error, detail = bare.take(said) if word == "FAILED" else (None, [])
    return Failure(naming.python_node(node), error or said, detail)


def _split(word: str, line: str, blocks: pytest_blocks.Queue) -> tuple[str, str | None]:
    """The node id of a line of the summary, and its message.

    A parameter may hold ` - ` and brackets: what a block is titled decides, else that the brackets are in
    pairs.
    """
    text = line.partition(" ")[2].strip()
    if word == "SUBFAIL" and (sub := _SUBTEST.match(line)):
        text = sub[1]
    cuts: list[int] = []
    while (cut := text.find(" - ", cuts[-1] + 1 if cuts else 0)) >= 0 and len(cuts) < 20:
        cuts.append(cut)
    nodes = [text[:cut] for cut in cuts if "[" not in text[:cut] or text[cut - 1] == "]"]
    chosen = [node for node in (*nodes, text) if blocks.has(word, node)]
    chosen = chosen or [node for node in nodes if node.count("[") == node.count("]")] or nodes
    node = chosen[0] if chosen else text
    return node, text[len(node) + 3 :].strip() or None


class _Bare:
    """The errors of --tb=line: in the order of the failed tests where there are as many, else by their
    beginning."""

    def __init__(self, seen: Seen) -> None:
        self._errors: list[tuple[str, list[str]]] = []
        for start, end in seen.bare:
            self._errors += _bare(seen.lines, start, end)
        self._ordered = len(self._errors) == sum(1 for word, _ in seen.summary if word == "FAILED")
        self._at = 0
        self._sorted = [] if self._ordered else sorted(self._errors)

    def take(self, said: str | None) -> tuple[str | None, list[str]]:
        """said: what the summary says, which is cut off where it is long."""
        if self._ordered and self._at < len(self._errors):
            self._at += 1
            return self._errors[self._at - 1]
        if said is not None and said.endswith("..."):
            beginning = said[:-3]
            at = bisect.bisect_left(self._sorted, (beginning, []))
            if at < len(self._sorted) and self._sorted[at][0].startswith(beginning):
                return self._sorted[at]
        return None, []


def _bare(lines: Sequence[str], start: int, end: int) -> list[tuple[str, list[str]]]:
    groups = pytest_blocks.groups(lines, start, end)
    if groups:  # since pytest 9 with the marks of the other styles
        found = [pytest_blocks.of_group(lines, *group) for group in groups]
        return [(error, detail) for error, detail in found if error]
    told: list[tuple[str, list[str]]] = []
    for line in lines[start:end]:
        if match := _BARE.match(line):
            # as printed where the rules take the place off; before an assertion they do not
            said = line[match.end() :]
            told.append((line if tracebacks.exception_like(said) else said, []))
    return told
