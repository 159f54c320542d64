"""One failing testcase of a JUnit report as it stands there, before its dialect is known."""

from __future__ import annotations

import re

from chalkgit import thresholds
from chalkgit.failures import lines

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

DETAIL_LINES = thresholds.DETAIL_LINES
_FRAME = re.compile(
    r"^(?:at |❯ |\.{3} \d+ more$|#\d+ |goroutine \d+ \[|stack traceback:$|-{10,}$)"
    r"|^\S{1,400}\.(?:php|phpt|rb):\d+(?:$|:in )"
)


class Case:
    """A testcase with what failed in it.

    attributes: of the testcase. suites: the attributes of the suites around it, outermost first, the root
    among them where it has a name. kind: `failure`, `error`, or `skipped` (ctest). out: what the test itself
    printed. properties: names of the properties of its suite.
    """

    __slots__ = ("attributes", "kind", "message", "out", "properties", "root", "suites", "text", "type")

    def __init__(
        self,
        attributes: Mapping[str, str],
        suites: Sequence[Mapping[str, str]],
        root: Mapping[str, str],
        properties: Iterable[str] = (),
    ) -> None:
        self.attributes = attributes
        self.suites = suites
        self.root = root
        self.properties = properties
        self.kind = ""
        self.message = ""
        self.type = ""
        self.text = ""
        self.out = ""

    @property
    def name(self) -> str:
        return self.attributes.get("name", "")[: lines.LINE_CHARACTERS]

    @property
    def classname(self) -> str:
        return self.attributes.get("classname", "")[: lines.LINE_CHARACTERS]

    @property
    def file(self) -> str:
        return self.attributes.get("file", "") or (self.suites[-1].get("file", "") if self.suites else "")

    @property
    def suite(self) -> str:
        """The name of the innermost suite."""
        return self.suites[-1].get("name", "") if self.suites else ""

    @property
    def names(self) -> list[str]:
        """The names of the suites around it."""
        return [suite.get("name", "") for suite in self.suites]


def told(text: str) -> list[str]:
    """The lines of a text, indentation kept, end blanks off, none too long for a pattern."""
    return [line[: lines.LINE_CHARACTERS].rstrip() for line in text.splitlines()]


def first(text: Sequence[str] | str, start: int = 0) -> tuple[str | None, list[str]]:
    """(the first line that is not blank, at most DETAIL_LINES of those after it), without prefixes; frames
    of a stack end the detail."""
    kept: list[str] = []
    for line in (told(text) if isinstance(text, str) else text)[start:]:
        line = lines.clean(line)
        if kept and _FRAME.match(line):
            break
        if line:
            kept.append(line)
        if len(kept) > DETAIL_LINES:
            break
    return (kept[0], kept[1:]) if kept else (None, [])
