"""What Gradle prints: `CartTest > checksOut() FAILED`, the error deeper below, or why the build stopped."""

from __future__ import annotations

import re

from chalkgit.failures import naming
from chalkgit.failures.printed import blocks
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FAILED = re.compile(r"(?P<case>[A-Za-z_$][\w$.]*) > (?P<name>\S.*) FAILED$")
_COMPILER = re.compile(
    r"(?:e: )?(?:file://)?\S.*\.(?:java|kt|groovy|scala):\d{1,9}(?::\d{1,9})?:? (?:error: )?"
)
_WRONG = "* What went wrong:"


def read(lines: Sequence[str]) -> Reading | None:
    """The failing tests that Gradle printed."""
    found = blocks.once(_failures(lines)) or blocks.once(_stopped(lines))
    return Reading("gradle", found, complete=any(line.startswith("BUILD ") for line in lines))


def _failures(lines: Sequence[str]) -> Iterator[Failure]:
    for at, line in enumerate(lines):
        if line.endswith(" FAILED") and not line.startswith(">") and (match := FAILED.match(line)):
            end = blocks.until(
                lines,
                at + 1,
                lambda after: not after.startswith((" ", "\t")) or after.strip().startswith("at "),
            )
            *inner, method = match["name"].split(" > ")
            case = "$".join([match["case"], *inner])
            yield blocks.failure(naming.java(case, method), lines[at + 1 : end])


def _stopped(lines: Sequence[str]) -> Iterator[Failure]:
    for at, line in enumerate(lines):
        if (": error: " in line or line.startswith("e: ")) and _COMPILER.match(line):
            yield blocks.failure("", [line.removeprefix("e: "), *lines[at + 1 : at + 4]])
            return
    for at, line in enumerate(lines):
        if line.startswith(_WRONG):
            end = blocks.until(lines, at + 1, lambda after: after.startswith("* Try:"))
            yield blocks.failure("", [text.strip().removeprefix("> ") for text in lines[at + 1 : end]])
            return
