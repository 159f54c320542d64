"""What unittest prints, and Django's runner, and xmlrunner's text: a block a failure, between rules of
= and -."""

from __future__ import annotations

import re

from chalkgit.failures import lines as text
from chalkgit.failures import naming
from chalkgit.failures.printed import pytest_blocks, tracebacks
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

_TITLE = re.compile(r"(?:ERROR|FAIL|UNEXPECTED SUCCESS)(?: \[\d[\d.]{0,12}s\])?: (\S.*)$")
_RAN = re.compile(r"Ran \d{1,9} tests? in \d")
_UNEXPECTED = " ... unexpected success"
_RULE = 70  # unittest's rules are of 70 signs


def read(lines: Sequence[str]) -> Reading | None:
    """The failures of a unittest run; None where this is none."""
    failures: list[Failure] = []
    complete = seen = False
    nothing = None
    unexpected: list[
        Failure
    ] = []  # as -v tells them; 3.11 and later tell them in a block too, without an error
    for at, line in enumerate(lines):
        if line.startswith("=" * _RULE) and not line.strip("="):
            title = _TITLE.match(lines[at + 1]) if at + 1 < len(lines) else None
            if title:
                seen = True
                failures.append(_failure(lines, at + 1, title[1]))
        elif line.startswith("Ran ") and _RAN.match(line):
            complete = seen = True
        elif line.endswith(_UNEXPECTED):
            unexpected.append(Failure(naming.unittest_case(line.removesuffix(_UNEXPECTED))))
        elif line.startswith("NO TESTS RAN"):
            nothing = line
    if not seen:
        return None
    blamed = {failure.test for failure in failures}
    failures += [failure for failure in unexpected if failure.test not in blamed]
    if not failures and nothing:
        failures = [Failure("", nothing)]
    return Reading("unittest", failures, complete=complete)


def _failure(lines: Sequence[str], title: int, name: str) -> Failure:
    start = title + 1
    while start < len(lines) and not _is_rule(lines[start], "-") and start < title + 20:
        start += 1  # the first line of the test's docstring stands between
    end = start + 1
    while end < len(lines) and not _is_rule(lines[end], "=") and not _is_rule(lines[end], "-"):
        end += 1
    if lines[title].startswith("UNEXPECTED"):
        return Failure(naming.unittest_case(name))
    error, detail = _error(lines, start + 1, end)
    return Failure(naming.unittest_case(name), error, detail)


def _error(lines: Sequence[str], start: int, end: int) -> tuple[str | None, list[str]]:
    for at in range(start, end):
        if tracebacks.is_header(lines[at]):
            found = tracebacks.last_exception(lines, at, end)
            if found is not None:
                return text.clean(lines[found]), tracebacks.message(
                    lines, found, end, pytest_blocks.DETAIL_LINES
                )
    told = [line.strip() for line in lines[start:end] if line.strip()]
    for at, line in enumerate(told):
        if tracebacks.exception_like(line):
            return text.clean(line), told[at + 1 : at + 1 + pytest_blocks.DETAIL_LINES]
    return (text.clean(told[0]), told[1 : 1 + pytest_blocks.DETAIL_LINES]) if told else (None, [])


def _is_rule(line: str, sign: str) -> bool:
    return line.startswith(sign * _RULE) and not line.strip(sign)
