"""What a test run's report says failed, told apart by its content: JUnit XML, `go test -json`, jest's and
others' JSON.

A report is data from anywhere. It is read without entities or external files, in bounded memory, and one
that is damaged or cut gives what it holds whole.
"""

from __future__ import annotations

from chalkgit import thresholds

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.failures.run import Reading

REPORT_BYTES = thresholds.REPORT_BYTES
_LEAD = 64_000  # a report is looked for behind as much else (what a wrapper printed before it)
_HINT = "--output FILE takes plain text"


def read(data: bytes) -> Reading:
    """The failures that the report tells, in its order; none where it tells none.

    Raises ChalkError where the bytes are no report (empty, an HTML page, another kind of XML or JSON, printed
    output), or declare a document type.
    """
    from chalkgit.failures.reports import texts
    from chalkgit.failures.run import Reading

    cut = len(data) > REPORT_BYTES
    text = texts.decode(data[:REPORT_BYTES])
    begins = text[:200].lstrip().lower()
    if begins.startswith("<") or "<testsuite" in text[:_LEAD]:
        from chalkgit.failures.reports import dialects, junitxml

        if begins.startswith(("<!doctype html", "<html")):
            raise junitxml.Unread("the report is an HTML page", hint=_HINT)
        cases, whole = junitxml.cases(text[_start(text, begins) :])
        runner, failures = dialects.failures(cases)
        return Reading(runner, failures, complete=whole and not cut)
    from chalkgit.failures.reports import jsons

    return jsons.read(text, cut=cut)


def _start(text: str, begins: str) -> int:
    if begins.startswith("<"):
        return text.find("<")
    return min(at for tag in ("<?xml", "<testsuite") if (at := text.find(tag)) >= 0)
