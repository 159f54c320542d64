"""Which JSON a report is, by the keys of its document; `go test -json` is told by its lines."""

from __future__ import annotations

from chalkgit.failures.reports import documents, gotest, jestjson, otherjson
from chalkgit.failures.reports.junitxml import Unread
from chalkgit.failures.run import Reading

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping

_HINT = "--output FILE takes plain text"


def read(text: str, *, cut: bool = False) -> Reading:
    """The failures of a JSON report. Raises Unread where it is none that is known."""
    text = text.lstrip()
    if not text.strip("\0 \t\r\n"):
        raise Unread("the report is empty", hint=_HINT)
    if '"Action"' in text:
        lines = gotest.read(text)
        if lines is not None:
            lines.complete = lines.complete and not cut
            return lines
    start = 0 if text.startswith(("{", "[")) else _later(text)
    if start < 0:
        raise Unread("the report is neither XML nor JSON", hint=_HINT)
    document = documents.whole(text[start:])
    if isinstance(document, dict):
        found = _known(document)
    else:
        found = _held(text)
    if found is None:
        raise Unread("the report is JSON of another kind", hint=_HINT)
    return found


def _later(text: str) -> int:
    """Where a document begins behind what a wrapper printed (`> npm test`), if one does."""
    at = text[:64_000].find("\n{")
    return at + 1 if at >= 0 else -1


def _known(document: Mapping[str, object]) -> Reading | None:
    if isinstance(document.get("testResults"), list):
        return jestjson.read(document)
    if isinstance(document.get("examples"), list):
        return otherjson.rspec(document)
    if isinstance(document.get("failures"), list) and "stats" in document:
        return otherjson.mocha(document)
    if "exitcode" in document and isinstance(document.get("tests"), list):
        return otherjson.pytest(document)
    if isinstance(document.get("suites"), list) and "config" in document:
        return otherjson.playwright(document)
    return None


def _held(text: str) -> Reading | None:
    """Of a document that was cut: the results that are whole."""
    if '"testResults"' in text:
        jest = '"openHandles"' in text or '"numRuntimeErrorTestSuites"' in text
        files = list(documents.held(text, "testResults"))
        found = list(jestjson.of_files(files, jest=jest))
        if jest:  # the file that was cut itself: jest's ids need no file
            seen = {failure.test for failure in found}
            results = documents.held(text, "assertionResults")
            failed = [test for test in results if test.get("status") == "failed"]
            cut = [jestjson.of_test(test, "", jest=True) for test in failed]
            found.extend(failure for failure in cut if failure.test not in seen)
        return Reading("jest" if jest else "vitest", found, complete=False)
    if '"examples"' in text:
        examples = [one for one in documents.held(text, "examples") if one.get("status") == "failed"]
        return Reading("rspec", [otherjson.rspec_example(one) for one in examples], complete=False)
    if '"stats"' in text:
        tests = [test for key in ("failures", "tests") for test in documents.held(text, key)]
        return Reading(
            "mocha", [otherjson.mocha_test(one) for one in tests if one.get("err")], complete=False
        )
    return None
