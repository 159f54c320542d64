"""Whether a report or an output shows that tests ran and none of them failed.

A run that ended with 0 and says nothing of tests is no such run: an exit code alone is no outcome. Asked only
of what no failure was found in.
"""

from __future__ import annotations

import re

from chalkgit import thresholds

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Sequence

LINES = thresholds.PASSING_LINES
_SOME = r"[1-9]\d{0,8}"
# What a runner says in one line once all went well.
_PASSED = re.compile(
    rf"""
      =*\ ?{_SOME}\ passed\b                                      # pytest
    | (?:Tests:?|test\ result:\ ok\.)\ .{{0,60}}?\b{_SOME}\ passed\b  # jest, vitest, cargo
    | {_SOME}\ passing\b                                          # mocha
    | (?:\#|ℹ)\ pass\ {_SOME}$                                    # node
    | {_SOME}\ (?:examples?|runs|tests?|successes)\b.{{0,60}}\b0\ failures\b  # rspec, minitest, bats …
    | OK\ \({_SOME}\ tests?,                                      # phpunit
    | Ran\ {_SOME}\ tests?\ in\                                   # unittest
    | ok\ +\t?\S+\s+(?:\d[\d.]*s|\(cached\))(?!.*\[no\ tests)     # go
    | (?:\[INFO\]\ )?Tests\ run:\ {_SOME},\ Failures:\ 0,\ Errors:\ 0   # surefire, ant
    | 100%\ tests\ passed,\ 0\ tests\ failed\ out\ of\ {_SOME}    # ctest
    | \[\ +PASSED\ +\]\ {_SOME}\ tests?\.                         # gtest
    | All\ tests\ passed\ \({_SOME}\ assertions?                  # catch2
    | All\ tests\ successful\.                                    # prove
    | ok\ {_SOME}(?:\ |$)                                         # TAP
    """,
    re.VERBOSE,
)
_FAILED = re.compile(
    rf"\b{_SOME} (?:tests? )?(?:failed|failures?|errors?|failing|errored)\b"
    rf"|\b(?:Failures|Errors|failures|errors|fail): ?{_SOME}\b|^(?:#|ℹ) fail {_SOME}$"
    r"|^(?:not ok|FAIL|FAILED|--- FAIL|BUILD FAILED|Bail out!)\b"
)
_REPORTED = (
    re.compile(r'"Action": ?"pass"[^\n{}]{0,400}"Test":'),  # go test -json
    re.compile(rf'"(?:numPassedTests|passes|passed|expected|example_count)": ?{_SOME}\b'),  # the others' JSON
)


def printed(lines: Sequence[str]) -> bool:
    """What a runner printed, as `failures.lines` has it: its last lines say how it went."""
    last = [line.strip() for line in lines[-LINES:]]
    return any(map(_PASSED.match, last)) and not any(map(_FAILED.search, last))


def reported(report: bytes) -> bool:
    """A report that was read whole, and in which nothing failed."""
    text = report[: thresholds.REPORT_BYTES].decode("utf-8", "replace")
    if text.count("<testcase") > text.count("<skipped"):
        return True
    return any(pattern.search(text) for pattern in _REPORTED)
