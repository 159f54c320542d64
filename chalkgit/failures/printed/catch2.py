"""What Catch2 (2 and 3) and doctest print: test and sections under a rule, then `file:line: FAILED:`."""

from __future__ import annotations

import re

from chalkgit.failures import naming
from chalkgit.failures.printed import blocks
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_HOST = re.compile(r"(\S.*) is a Catch2? v\d\S* host application\.")
_FAILED = re.compile(r"\S.*(?::\d{1,9}|\(\d{1,9}\)): FAILED:")
_COMPACT = re.compile(r"\S.*(?::\d{1,9}|\(\d{1,9}\)): failed: ")
_THIN, _DOTS, _THICK = "-" * 40, "." * 40, "=" * 40
_STEPS = ("Given: ", "When: ", "Then: ", "And: ", "And given: ", "And when: ")
_DOCTEST = "[doctest] "
_DOC_PLACE = re.compile(r"(\S.*?)(?::\d{1,9}|\(\d{1,9}\)):$")
_DOC_ERROR = re.compile(r"\S.*(?::\d{1,9}|\(\d{1,9}\)): (?:FATAL )?ERROR: ")


def read(lines: Sequence[str]) -> Reading | None:
    """The failing tests that a Catch2 or doctest program printed; None where this is of neither."""
    compact = [at for at, line in enumerate(lines) if ": failed: " in line and _COMPACT.match(line)]
    for line in lines:
        if line.startswith(_DOCTEST):
            return Reading("doctest", blocks.once(_doctest(lines)), complete=_summed(lines))
        if " is a Catch" in line and _HOST.match(line):
            return Reading("catch2", blocks.once(_failures(lines)), complete=_summed(lines))
        if compact and line.startswith("Failed ") and "assertion" in line:
            # the compact reporter names no test
            return Reading("catch2", [blocks.failure("", [lines[compact[0]]])])
    return None


def _summed(lines: Sequence[str]) -> bool:
    return any("test cases: " in line for line in lines)


def _failures(lines: Sequence[str]) -> Iterator[Failure]:
    program, test = "", ""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith(_THIN):
            end = blocks.until(lines, at, lambda after: after.startswith(_THIN))
            if end < len(lines) and lines[end].startswith(_THIN):
                test = naming.catch2(program, "/".join(_names(lines[at:end])))
                at = end + 1
        elif " is a Catch" in line and (match := _HOST.match(line)):
            program = match[1]
        elif line.endswith("FAILED:") and _FAILED.match(line):
            end = blocks.until(lines, at, _ends)
            yield blocks.failure(test, lines[at - 1 : end])
            at = end


def _names(header: Sequence[str]) -> list[str]:
    """The test, and its sections two blanks deeper; a long name is broken over lines as deep as itself."""
    found: list[str] = []
    for at, line in enumerate(header):
        deep = blocks.indent(line)
        if (
            at == 0
            or line.lstrip().startswith(_STEPS)
            or (deep == 2 and len(header[at - 1]) < 60)
            or (deep == 2 and len(found) == 1)
        ):
            found.append(line.strip())
        else:
            found[-1] += " " + line.strip()
    return found


def _ends(line: str) -> bool:
    if line.startswith((_THIN, _THICK, _DOTS)):
        return True
    return (
        ": " in line
        and (": FAILED:" in line or line.endswith((": PASSED:", ": warning:", ": info:")))
        and not line[0].isspace()
    )


def _doctest(lines: Sequence[str]) -> Iterator[Failure]:
    file, names = "", [""]
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith(_THICK):
            match = _DOC_PLACE.match(lines[at]) if at < len(lines) else None
            if match:
                file, names = match[1], []
                end = blocks.until(lines, at + 1, lambda after: not after.strip())
                names = [
                    text.strip().removeprefix("TEST CASE:").strip()
                    for text in lines[at + 1 : end]
                    if not text.startswith(("TEST SUITE:", "DESCRIPTION:"))
                ]
                at = end
        elif "ERROR: " in line and _DOC_ERROR.match(line):
            end = blocks.until(lines, at, lambda after: not after.strip() or after.startswith(_THICK))
            yield blocks.failure(naming.joined(naming.slashed(file), "/".join(names)), lines[at - 1 : end])
            at = end
