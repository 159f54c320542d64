"""What a test run's report says failed. So far JUnit XML, read without entities or external files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.parsers import expat

from chalkgit.errors import ChalkError

# What a terminal would obey: colours (CSI), titles and links (OSC), and the two-character escapes.
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\^_]?|\x9b[0-?]*[ -/]*[@-~]"
)


def junit(text: str) -> dict[str, Any]:
    """`tests` (sorted ids) and `error` (the first failure's message) of a JUnit report."""
    found = _Failures()
    parser = expat.ParserCreate("utf-8")  # the text was decoded already, whatever the file declares
    parser.StartElementHandler = found.start
    parser.EndElementHandler = found.end
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        raise ChalkError(f"the report is no XML: {error}", hint="--output FILE takes plain text") from None
    if not found.tests:
        raise ChalkError("the report names no failing test", hint="--error LINE or --output FILE")
    failure: dict[str, Any] = {"tests": sorted(set(found.tests))}
    if found.message:
        failure["error"] = found.message
    return failure


def tail(lines: Sequence[str], most: int) -> str:
    """The last lines, as a record can hold them: no colours, no controls but tabs, no empty end."""
    return "\n".join("\n".join(map(plain, lines)).rstrip("\n").split("\n")[-most:]).strip("\n")


def plain(line: str) -> str:
    """A line as it reads: without colours and other controls, and of what was overprinted the last."""
    shown = _ESCAPES.sub("", line).rstrip("\r").rsplit("\r", 1)[-1]
    return "".join(c for c in shown if c == "\t" or c.isprintable()).rstrip()


class _Failures:
    def __init__(self) -> None:
        self.tests: list[str] = []
        self.message: str | None = None
        self._case = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "testcase":
            parts = (attributes.get("classname"), attributes.get("name"))
            self._case = "::".join(part for part in parts if part)
        elif name in ("failure", "error") and self._case:
            self.tests.append(self._case)
            first = (attributes.get("message") or attributes.get("type") or "").strip().splitlines()
            self.message = self.message or (first[0] if first else None)

    def end(self, name: str) -> None:
        if name == "testcase":
            self._case = ""


def _refuse(*declaration: object) -> None:
    raise ChalkError(
        "the report declares a document type, which is not read (entities could be hidden in it)"
    )
