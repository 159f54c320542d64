"""One failing test's block in pytest's output: its title, and the error in it."""

from __future__ import annotations

import re
from collections import defaultdict, deque

from chalkgit import thresholds
from chalkgit.failures import lines as text
from chalkgit.failures import naming
from chalkgit.failures.printed import tracebacks

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

DETAIL_LINES = thresholds.DETAIL_LINES
_SUBTESTS = "subtests"  # titled `test_x [message] (i=3)`
_LOCATION = re.compile(r"(\S.{0,500}?\.\w{1,8}):\d{1,9}: ?(?:in .{1,200}|\w[\w.]{0,200})?$")
_FRAME = re.compile(r'[\s|]{0,40}File "([^"]{1,500})", line \d{1,9}, in (\w{1,200})$')
_KINDS = {
    "ERROR collecting ": "collecting",
    "ERROR at setup of ": "setup",
    "ERROR at teardown of ": "teardown",
    "[doctest] ": "doctest",
}


class Block:
    """The lines from `start` to `end` under a title, in the section FAILURES or ERRORS."""

    __slots__ = ("end", "section", "start", "title")

    def __init__(self, section: str, title: str, start: int) -> None:
        self.section = section
        self.title = title
        self.start = start
        self.end = start


class Queue:
    """Blocks by title; of several with one title the first that was not taken."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._waiting: dict[tuple[str, str], deque[Block]] = defaultdict(deque)
        for block in blocks:
            name = kind(block.title)[1]
            self._waiting[block.section, name].append(block)
            if (space := name.find(" ")) > 0:
                self._waiting[_SUBTESTS, name[:space]].append(block)

    def take(self, word: str, node: str) -> Block | None:
        waiting = self._find(word, node)
        return waiting.popleft() if waiting else None

    def has(self, word: str, node: str) -> bool:
        return self._find(word, node) is not None

    def _find(self, word: str, node: str) -> deque[Block] | None:
        bare, bracket, parameters = node.partition("[")
        path, _, rest = bare.partition("::")
        name = rest.replace("::", ".") + bracket + parameters
        section = "ERRORS" if word == "ERROR" else "FAILURES"
        wanted = [name, rest + bracket + parameters, path, node]
        if word == "SUBFAIL":
            section, wanted = _SUBTESTS, [name]
        for known in wanted:
            if known and (waiting := self._waiting.get((section, known))):
                return waiting
        return None


def title(line: str) -> str | None:
    """`"____ TestCart.test_add ____"` -> `"TestCart.test_add"`; a rule between frames (`_ _ _`) has none."""
    if not line.endswith("_") or " " not in line:
        return None
    found = line.strip("_").strip()
    return found if found.strip("_ ") else None


def kind(title: str) -> tuple[str, str]:
    """What failed, and its name: `"ERROR at setup of test_x"` -> `("setup", "test_x")`; else `("call",
    title)`."""
    for start, what in _KINDS.items():
        if title.startswith(start):
            return what, title[len(start) :]
    return "call", title


def node(lines: Sequence[str], block: Block, root: str | None) -> str | None:
    """A node id made of a block's title and of the file its traceback starts in; None where that is
    not told."""
    what, name = kind(block.title)
    if what == "collecting":
        return name
    if " " in (before := name.partition("[")[0]):  # a subtest's message and parameters
        name = before.split(" ")[0]
    bare, bracket, parameters = name.partition("[")
    rest = bare if what == "doctest" else bare.replace(".", "::")
    for line in lines[block.start : block.end]:
        place = _LOCATION.match(line) or _FRAME.match(line)
        if not place or (place.re is _FRAME and place[2] != bare.rpartition(".")[2]):
            continue
        path = naming.relative(place[1], root)
        if not path.startswith("/"):
            return f"{path}::{rest}{bracket}{parameters}"
    return None


def error(lines: Sequence[str], start: int, end: int) -> tuple[str | None, list[str]]:
    """A block's first error line, and those after it."""
    for at in range(start, end):
        if lines[at].startswith("-") and " Captured " in lines[at]:
            end = at
            break
    marked = groups(lines, start, end)
    if marked:
        return of_group(lines, *marked[-1])
    for at in range(start, end):
        if tracebacks.is_header(lines[at]):
            found = tracebacks.last_exception(lines, at, end)
            if found is not None:
                told = tracebacks.message(lines, found, end, DETAIL_LINES)
                return text.clean(lines[found].strip().removeprefix("| ")), told
    return _other(lines, start, end)


def groups(lines: Sequence[str], start: int, end: int) -> list[tuple[int, int]]:
    """Runs of lines that are marked with E, one for each exception of a chain."""
    found: list[tuple[int, int]] = []
    for at in range(start, end):
        if lines[at].startswith("E ") or lines[at] == "E":
            if found and found[-1][1] == at:
                found[-1] = (found[-1][0], at + 1)
            elif lines[at] != "E":
                found.append((at, at + 1))
    return found


def of_group(lines: Sequence[str], start: int, end: int) -> tuple[str | None, list[str]]:
    """The exception of a marked run: the first of its least indented lines, since a SyntaxError shows
    code first."""
    marked = [
        (len(line) - len(line[1:].lstrip()), line[1:].strip())
        for line in lines[start:end]
        if line[1:].strip()
    ]
    least = min(indent for indent, _ in marked)
    first = next(at for at, (indent, _) in enumerate(marked) if indent == least)
    return text.clean(marked[first][1]), [told for _, told in marked[first + 1 : first + 1 + DETAIL_LINES]]


def _other(lines: Sequence[str], start: int, end: int) -> tuple[str | None, list[str]]:
    """A doctest's report, an unexpected pass, a crashed worker, two files of one name."""
    told = [line.strip() for line in lines[start:end] if line.strip() and not line.startswith("[gw")]
    for at, line in enumerate(told):
        if line.startswith(("UNEXPECTED EXCEPTION: ", "Expected:", "Expected nothing", "Differences (")):
            return line, told[at + 1 : at + 1 + DETAIL_LINES]
    return (text.clean(told[0]), told[1 : 1 + DETAIL_LINES]) if told else (None, [])
