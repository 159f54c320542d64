"""What a test run's report says failed. So far JUnit XML, read without entities or external files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.parsers import expat

from chalkgit.errors import ChalkError


def junit(text: str) -> dict[str, Any]:
    """`tests` (sorted ids) and `error` (the first failure's message) of a JUnit report."""
    found = _Failures()
    parser = expat.ParserCreate()
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
    """The last lines, as a record can hold them: controls but tabs gone, no empty end."""
    kept = ["".join(c for c in line if c == "\t" or c.isprintable()).rstrip() for line in lines]
    return "\n".join(kept[-most:]).strip("\n")


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
