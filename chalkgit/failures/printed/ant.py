"""What Ant prints of JUnit tests (`Testcase: checksOut`, then `FAILED` or `Caused an ERROR`) and of javac."""

from __future__ import annotations

import re

from chalkgit.failures import naming
from chalkgit.failures.printed import blocks
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TASK = re.compile(r"\s*\[([\w:-]{1,40})\] ?")
_SUITE = re.compile(r"\s*Testsuite: (\S+)")
_CASE = re.compile(r"\s*Testcase: (.*?)(?:\((\S+)\))?(?: took [\d.,]+ \w+)?(?:\s*(FAILED|Caused an ERROR))?$")
_FAILED = re.compile(r"\s*Test (\S+) FAILED")
_HEADS = ("FAILED", "Caused an ERROR")
_TASKS = ("junit", "javac", "java", "groovyc", "kotlinc", "scalac", "exec", "apply", "testng")


def read(lines: Sequence[str]) -> Reading | None:
    """The failing tests that Ant printed."""
    plain = [_TASK.sub("", line, count=1) if "[" in line[:12] else line for line in lines]
    found = blocks.once(_failures(plain)) or blocks.once(_stopped(lines, plain))
    return Reading("ant", found, complete=any(line.startswith("BUILD ") for line in lines))


def _failures(plain: Sequence[str]) -> Iterator[Failure]:
    suite = case = ""
    told: set[str] = set()
    for at, line in enumerate(plain):
        text = line.strip()
        if text.startswith("Testsuite: ") and (match := _SUITE.match(line)):
            suite, case = match[1], ""
        elif text.startswith("Testcase: ") and (match := _CASE.match(line)):
            case = naming.java(match[2] or suite, match[1])
            if match[3]:
                told.add(suite)
                yield _one(case, plain[at + 1 : blocks.until(plain, at + 1, _ends)])
        elif text in _HEADS and case:
            told.add(suite)
            yield _one(case, plain[at + 1 : blocks.until(plain, at + 1, _ends)])
        elif text.startswith("Test ") and (match := _FAILED.match(line)) and match[1] not in told:
            yield Failure(match[1])  # without a formatter Ant names the class alone


def _one(case: str, block: Sequence[str]) -> Failure:
    told = [line for line in block if line.strip()]
    if len(told) > 1 and told[0].strip() in ("null", "N/A"):
        told = told[1:]  # an exception without a message
    return blocks.failure(case, told)


def _ends(line: str) -> bool:
    text = line.strip()
    return (
        text.startswith(("at ", "Testcase: ", "Testsuite: ", "------------- "))
        or _FAILED.match(line) is not None
    )


def _stopped(lines: Sequence[str], plain: Sequence[str]) -> Iterator[Failure]:
    for at, line in enumerate(plain):
        if ": error: " in line:
            yield blocks.failure("", plain[at : at + 4])
            return
    for at, line in enumerate(lines):
        if line.startswith("BUILD FAILED"):
            yield blocks.failure("", lines[at + 1 : at + 6])
            return
