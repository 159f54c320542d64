"""The JSON of `jest --json` and of vitest's json reporter: a list of files, each with its tests.

The two differ in a mark: vitest leaves `openHandles` away, and `numRuntimeErrorTestSuites`.
"""

from __future__ import annotations

import re
from itertools import islice

from chalkgit.failures import naming
from chalkgit.failures.reports import firsts
from chalkgit.failures.reports.case import first
from chalkgit.failures.reports.documents import words
from chalkgit.failures.reports.junitxml import FAILURES
from chalkgit.failures.run import Failure, Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_CLASS = re.compile(r"^(?:[A-Z]\w{0,80})?(?:Error|Exception)(?: \[\w{1,80}\])?(?:: |$)")
# vitest leaves the class out of what it says of a file, and before its version 2 of a test; V8, chai and the
# bundlers say theirs always alike, and any other is Error's most often.
_CODE = re.compile(r"(?<=Error) \[ERR_\w{1,80}\]: ")  # vitest prints a class without node's code
_PROMISE = re.compile(
    r"^Error: promise (?:resolved|rejected) "
)  # its stack was taken before its class was known
_PLACEHOLDER = "Error: STACK_TRACE_ERROR"  # what vitest 2 to 4 put in place of a time limit that was passed
_CLASSES = (
    (re.compile(r"^expected .{0,1900} to "), "AssertionError"),
    (re.compile(r"^Parse failure: Parse failed with "), "RolldownError"),
    (re.compile(r"^Parse failure: "), "RollupError"),
    (re.compile(r"^[\w$.]{1,200} is not defined$|^Cannot access '"), "ReferenceError"),
    (re.compile(r"^Cannot (?:read|set) propert|is not (?:a function|iterable|a constructor)"), "TypeError"),
    (
        re.compile(
            r"^Unexpected (?:token|identifier|end of)|^Invalid or unexpected token|does not provide an export"
        ),
        "SyntaxError",
    ),
)


def read(document: Mapping[str, object], *, complete: bool = True) -> Reading:
    """A whole document of either."""
    jest = "openHandles" in document or "numRuntimeErrorTestSuites" in document
    files = document.get("testResults")
    found = of_files(files if isinstance(files, list) else [], jest=jest)
    return Reading("jest" if jest else "vitest", list(islice(found, FAILURES)), complete=complete)


def of_files(files: Sequence[object], *, jest: bool) -> Iterator[Failure]:
    """The failures of each file's results; where none of its tests failed but it did, its own."""
    for file in files:
        if not isinstance(file, dict):
            continue
        name = words(file.get("name"))
        tests = file.get("assertionResults") or file.get("testResults")
        failing = [test for test in (tests if isinstance(tests, list) else []) if _failed(test)]
        for test in failing:
            yield of_test(test, name, jest=jest)
        message = words(file.get("message")) or words(file.get("failureMessage"))
        if not failing and (file.get("status") == "failed" or file.get("testExecError")):
            yield Failure(naming.slashed(name), *(firsts.jest_text(message) if jest else _vitest(message)))


def _failed(test: object) -> bool:
    return isinstance(test, dict) and test.get("status") == "failed"


def of_test(test: Mapping[str, object], file: str, *, jest: bool) -> Failure:
    """One result: jest's tests are told by their titles, vitest's by their file too."""
    titles = [words(title) for title in _list(test.get("ancestorTitles"))] + [words(test.get("title"))]
    messages = [words(message) for message in _list(test.get("failureMessages"))]
    message = next((message for message in messages if message.strip()), "")
    if jest:
        return Failure(naming.jest(titles), *firsts.jest_text(message))
    old = titles[0] == ""  # vitest 1 and before: the file's own suite had a title, and messages no class
    other = "Error" if old else "Unknown Error"  # what was thrown was no Error
    return Failure(naming.vitest(file, [title for title in titles if title]), *_vitest(message, other))


def _vitest(message: str, other: str = "Error") -> firsts.First:
    line, detail = first(message)
    if line is None or line == _PLACEHOLDER:
        return None, []
    if _PROMISE.match(line):
        line = line.replace("Error", "AssertionError", 1)
    elif not _CLASS.match(line):
        named = next((name for form, name in _CLASSES if form.search(line)), other)
        line = f"{named}: {line}"
    return _CODE.sub(": ", line, count=1), detail


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
